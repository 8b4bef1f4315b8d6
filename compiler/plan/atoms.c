// The table of copy atoms, in the order in which messages list them.
#include "plan/atoms.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"

#define IN(space) (1u << MEM_##space)
#define ANYWHERE  (IN(GLOBAL) | IN(SHARED) | IN(FRAG))

// What all rows of cp.async have in common.
#define CP_ASYNC                                                                                   \
    .family = "cp.async", .page = "cp_async", .min_arch = 80, .src_spaces = IN(GLOBAL),            \
    .dst_spaces = IN(SHARED), .completes = COMPLETES_BY_GROUP, .threads = 1, .exact = true,        \
    .in_bytes = true, .raw = true, .fills = true, .prefetches = true, .function = "tcp_cp_async"

const struct atom_row atom_rows[] = {
    {.name = "universal",  // CuTe's UniversalCopy<uintN_t>
     .widths = {8, 16, 32, 64, 128},
     .src_spaces = ANYWHERE,
     .dst_spaces = ANYWHERE,
     .completes = COMPLETES_AT_ONCE,
     .threads = 1,
     .exact = true},
    {.name = "auto",  // AutoVectorizingCopyWithAssumedAlignment<N>
     .widths = {8, 16, 32, 64, 128},
     .src_spaces = ANYWHERE,
     .dst_spaces = ANYWHERE,
     .completes = COMPLETES_AT_ONCE,
     .threads = 1},
    {.name = "cp_async.ca",  // SM80_CP_ASYNC_CACHEALWAYS<uintN_t>
     CP_ASYNC,
     .widths = {32, 64, 128},
     .cache = "ca"},
    {.name = "cp_async.cg",  // SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>
     CP_ASYNC,
     .widths = {128},
     .why_widths = "what bypasses the L1 cache is 16 bytes wide",
     .narrower = "cp_async.ca",
     .cache = "cg"},
};
const int n_atom_rows = sizeof atom_rows / sizeof atom_rows[0];

const struct atom_row *atom_find(const char *name) {
    for (int i = 0; i < n_atom_rows; ++i) {
        if (strcmp(atom_rows[i].name, name) == 0) return &atom_rows[i];
    }
    return NULL;
}

bool atom_has_width(const struct atom_row *row, int64_t bits) {
    for (int i = 0; i < MOST_WIDTHS && row->widths[i]; ++i)
        if (row->widths[i] == bits) return true;
    return false;
}

const struct atom_row *atom_narrower(const struct atom_row *row) {
    return row->narrower ? atom_find(row->narrower) : row;
}

const struct atom_row *atom_for_width(const struct atom_row *row, int bits) {
    return atom_has_width(row, bits) ? row : atom_narrower(row);
}

const char *atom_of(struct session *s, const struct atom *a, const struct elem_type *elem) {
    int width = a->row->in_bytes ? a->bits / 8 : a->bits;
    const char *of = elem ? arena_printf(&s->arena, ", %s", elem->name) : "";
    const char *l2 = a->l2 ? arena_printf(&s->arena, ", l2=%d", a->l2) : "";
    return arena_printf(&s->arena, "%s(%d%s%s)", a->row->name, width, of, l2);
}

const char *atom_text(struct session *s, const struct atom *a) {
    return atom_of(s, a, NULL);
}

const char *atom_function(struct session *s, const struct atom *a, int bits, bool fills) {
    const struct atom_row *row = atom_for_width(a->row, bits);
    const char *l2 = a->l2 ? arena_printf(&s->arena, "<%d>", a->l2) : "";
    const char *cache = row->cache ? arena_printf(&s->arena, "_%s", row->cache) : "";
    return arena_printf(&s->arena, "%s%s%s_%d%s", row->function, cache, fills ? "_zfill" : "",
                        bits / 8, l2);
}

// -- collective -----------------------------------------------------------------------------------

static struct lay in_elements(struct session *s, const struct atom *a, const char *bits,
                              int elem_bits) {
    const char *own = arena_printf(&s->arena, "(%d,%d):(%d,1)", a->row->threads, a->bits, a->bits);
    return lay_upcast(&s->lay, lay_parse(&s->lay, bits ? bits : own), elem_bits);
}

struct lay atom_dealt(struct session *s, const struct atom *a, const char *side, int elem_bits) {
    struct lay ref = in_elements(s, a, a->row->ref, elem_bits);
    return lay_compose(&s->lay, lay_right_inverse(&s->lay, ref),
                       in_elements(s, a, side, elem_bits));
}

const int *atom_exchange(struct session *s, const struct atom *a, int elem_bits) {
    struct lay src = in_elements(s, a, a->row->src, elem_bits);
    struct lay dst = in_elements(s, a, a->row->dst, elem_bits);
    int n = a->row->threads * a->bits / elem_bits;
    int *at = ARENA_ARRAY(&s->arena, int, n), *from = ARENA_ARRAY(&s->arena, int, n);
    int64_t place;
    for (int i = 0; i < n; ++i) {
        if (!lay_eval(&s->lay, src, i, &place) || place < 0 || place >= n)
            BUG("'%s' has no source layout", a->row->name);
        at[place] = i;
    }
    for (int i = 0; i < n; ++i) {
        if (!lay_eval(&s->lay, dst, i, &place) || place < 0 || place >= n)
            BUG("'%s' has no destination layout", a->row->name);
        from[i] = at[place];
    }
    return from;
}
