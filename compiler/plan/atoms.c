// The table of copy atoms, in the order in which messages list them.
#include "plan/atoms.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"

#define IN(space) (1u << MEM_##space)
#define ANYWHERE  (IN(GLOBAL) | IN(SHARED) | IN(FRAG))

// Columns that are the same in all rows of cp.async.
#define CP_ASYNC                                                                                   \
    .family = "cp.async", .page = "cp_async", .min_arch = 80, .src_spaces = IN(GLOBAL),            \
    .dst_spaces = IN(SHARED), .completes = COMPLETES_BY_GROUP, .threads = 1, .exact = true,        \
    .in_bytes = true, .raw = true, .fills = true, .prefetches = true, .ld = HINTS_OF_L2,           \
    .function = "tcp_cp_async"

// Hints of plain loads and stores.
#define PLAIN_HINTS .prefetches = true, .ld = HINTS_OF_LD, .st = HINTS_OF_ST

// (thread, value) -> bit of CuTe's SM75_U32x1_LDSM_N .. SM75_U16x8_LDSM_T and SM90_U32x1_STSM_N ..
// (cute/atom/copy_traits_sm75.hpp, copy_traits_sm90.hpp).  ROWS: the rows that lanes address.
// PAIRS: the pairs of elements that each lane holds.  The others are for transposed matrices.
#define ROWS_1   "((8,4),128):((128,0),1)"
#define ROWS_2   "((16,2),128):((128,0),1)"
#define ROWS_4   "(32,128):(128,1)"
#define PAIRS_1  "(32,32):(32,1)"
#define PAIRS_2  "(32,(32,2)):(32,(1,1024))"
#define PAIRS_4  "(32,(32,4)):(32,(1,1024))"
#define TURNED_1 "((4,8),(16,2)):((256,16),(1,128))"
#define TURNED_2 "((4,8),(16,2,2)):((256,16),(1,128,1024))"
#define TURNED_4 "((4,8),(16,2,4)):((256,16),(1,128,1024))"

// The suffixes of an atom's name and of the runtime's function for .trans being 0 or 1.
#define IN_NAME_0
#define IN_NAME_1 ".trans"
#define IN_FUNCTION_0
#define IN_FUNCTION_1  "_trans"
#define IN_NAME(t)     IN_NAME_##t
#define IN_FUNCTION(t) IN_FUNCTION_##t
#define MATRIX(kind, n, turned, bits, least)                                                       \
    .name = kind "." n IN_NAME(turned), .family = kind, .page = "matrix", .min_arch = least,       \
    .widths = {bits}, .row_bits = 128, .fixed = true, .completes = COMPLETES_AT_ONCE,              \
    .threads = 32, .exact = true, .raw = true, .function = "tcp_" kind "_" n IN_FUNCTION(turned)
#define LDMATRIX(n, turned, bits, rows, lanes, most)                                               \
    {                                                                                              \
        MATRIX("ldmatrix", n, turned, bits, 75), .src_spaces = IN(SHARED), .dst_spaces = IN(FRAG), \
                                                 .src = rows, .dst = lanes, .ref = lanes,          \
                                                 .most_elem = most                                 \
    }
#define STMATRIX(n, turned, bits, rows, lanes, most)                                               \
    {                                                                                              \
        MATRIX("stmatrix", n, turned, bits, 90), .src_spaces = IN(FRAG), .dst_spaces = IN(SHARED), \
                                                 .src = lanes, .dst = rows, .ref = lanes,          \
                                                 .most_elem = most                                 \
    }

const struct atom_row atom_rows[] = {
    {.name = "universal",  // CuTe's UniversalCopy<uintN_t>
     .widths = {8, 16, 32, 64, 128},
     .src_spaces = ANYWHERE,
     .dst_spaces = ANYWHERE,
     .completes = COMPLETES_AT_ONCE,
     .threads = 1,
     .exact = true,
     PLAIN_HINTS},
    {.name = "auto",  // AutoVectorizingCopyWithAssumedAlignment<N>
     .widths = {8, 16, 32, 64, 128},
     .src_spaces = ANYWHERE,
     .dst_spaces = ANYWHERE,
     .completes = COMPLETES_AT_ONCE,
     .threads = 1,
     PLAIN_HINTS},
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
    // ldmatrix and stmatrix move 8x8 matrices of 16-bit elements.  Lane 8*i + r addresses row r of
    // matrix i.  .trans transposes each matrix (PTX ISA, "ldmatrix" and "stmatrix").
    LDMATRIX("x1", 0, 32, ROWS_1, PAIRS_1, 32),
    LDMATRIX("x2", 0, 64, ROWS_2, PAIRS_2, 32),
    LDMATRIX("x4", 0, 128, ROWS_4, PAIRS_4, 32),
    LDMATRIX("x1", 1, 32, ROWS_1, TURNED_1, 16),
    LDMATRIX("x2", 1, 64, ROWS_2, TURNED_2, 16),
    LDMATRIX("x4", 1, 128, ROWS_4, TURNED_4, 16),
    STMATRIX("x1", 0, 32, ROWS_1, PAIRS_1, 32),
    STMATRIX("x2", 0, 64, ROWS_2, PAIRS_2, 32),
    STMATRIX("x4", 0, 128, ROWS_4, PAIRS_4, 32),
    STMATRIX("x1", 1, 32, ROWS_1, TURNED_1, 16),
    STMATRIX("x2", 1, 64, ROWS_2, TURNED_2, 16),
    STMATRIX("x4", 1, 128, ROWS_4, TURNED_4, 16),
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
    if (a->row->fixed)
        return elem ? arena_printf(&s->arena, "%s(%s)", a->row->name, elem->name) : a->row->name;
    int width = a->row->in_bytes ? a->bits / 8 : a->bits;
    const char *of = elem ? arena_printf(&s->arena, ", %s", elem->name) : "";
    const char *hints = a->l2 ? arena_printf(&s->arena, ", l2=%d", a->l2) : "";
    if (a->ld) hints = arena_printf(&s->arena, "%s, ld=%s", hints, hints_text(s, a->ld));
    if (a->st) hints = arena_printf(&s->arena, "%s, st=%s", hints, hints_text(s, a->st));
    return arena_printf(&s->arena, "%s(%d%s%s)", a->row->name, width, of, hints);
}

const char *atom_text(struct session *s, const struct atom *a) {
    return atom_of(s, a, NULL);
}

const char *atom_function(struct session *s, const struct atom *a, int bits, bool fills) {
    const struct atom_row *row = atom_for_width(a->row, bits);
    if (row->fixed) return row->function;
    const char *hints = hints_in_c(s, a->ld, a->l2);
    if (hints) hints = arena_printf(&s->arena, "<%s>", hints);
    const char *cache = row->cache ? arena_printf(&s->arena, "_%s", row->cache) : "";
    return arena_printf(&s->arena, "%s%s%s_%d%s", row->function, cache, fills ? "_zfill" : "",
                        bits / 8, hints ? hints : "");
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

int atom_side_bits(const struct atom *a, bool src) {
    unsigned spaces = src ? a->row->src_spaces : a->row->dst_spaces;
    return a->row->row_bits && !(spaces & IN(FRAG)) ? a->row->row_bits : a->bits;
}

// The places of one side's elements, by lane + threads * value; -1 for a place that an earlier lane
// has.
static int *places(struct session *s, const struct atom *a, bool src, int elem_bits, int *count,
                   int *lanes) {
    struct lay l = in_elements(s, a, src ? a->row->src : a->row->dst, elem_bits);
    int all = a->row->threads * a->bits / elem_bits;
    int n = *count = a->row->threads * atom_side_bits(a, src) / elem_bits;
    int *at = ARENA_ARRAY(&s->arena, int, n);
    bool *taken = ARENA_ARRAY(&s->arena, bool, all);
    for (int i = 0; i < all; ++i) taken[i] = false;
    *lanes = 0;
    for (int i = 0; i < n; ++i) {
        int64_t place;
        if (!lay_eval(&s->lay, l, i, &place) || place < 0 || place >= all)
            BUG("'%s' has no layout of one side", a->row->name);
        at[i] = taken[place] ? -1 : (int)place;
        taken[place] = true;
        if (at[i] >= 0 && i % a->row->threads >= *lanes) *lanes = i % a->row->threads + 1;
    }
    return at;
}

const struct atom_exchange *atom_exchange(struct session *s, const struct atom *a, int elem_bits) {
    struct atom_exchange *x = ARENA_NEW(&s->arena, struct atom_exchange);
    int nsrc, ndst;
    const int *src = places(s, a, true, elem_bits, &nsrc, &x->src_lanes);
    int *from = places(s, a, false, elem_bits, &ndst, &x->dst_lanes);
    x->src_bits = atom_side_bits(a, true);
    x->dst_bits = atom_side_bits(a, false);
    for (int i = 0; i < ndst; ++i) {
        int k = 0;
        while (from[i] >= 0 && src[k] != from[i] && ++k < nsrc) {
        }
        if (from[i] >= 0 && k == nsrc) BUG("'%s' writes what it does not read", a->row->name);
        if (from[i] >= 0) from[i] = k;
    }
    x->from = from;
    return x;
}
