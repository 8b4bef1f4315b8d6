// What the rows of the table of copy atoms say (atom_rows.c).
#include "plan/atoms.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"

const struct atom_row *atom_find(const char *name) {
    for (int i = 0; i < n_atom_rows; ++i) {
        if (strcmp(atom_rows[i].name, name) == 0) return &atom_rows[i];
    }
    return NULL;
}

const char *atom_lacks(const struct atom_row *row) {
    bool groups = row->completes == COMPLETES_BY_GROUP, whole = groups || atom_is_collective(row);
    if (whole && !row->function) return "function of the runtime";
    if (groups && !row->commit) return "function that commits a group";
    if (groups && !row->wait) return "function that waits for groups";
    if (whole && !row->cost) return "class of costs";
    if (groups && !row->family) return "family";
    if (!whole && row->function)
        return "group and no warp, without which its function is not called";
    if (row->align && !row->exact && !row->alone)
        return "required width, on which an alignment depends";
    return NULL;
}

const struct atom_row *atom_counting(void) {
    const struct atom_row *row = atom_rows;
    while (row->completes != COMPLETES_BY_GROUP) ++row;
    return row;
}

bool atom_has_width(const struct atom_row *row, int64_t bits) {
    for (int i = 0; i < MOST_WIDTHS && row->widths[i]; ++i)
        if (row->widths[i] == bits) return true;
    return false;
}

bool atom_has_elem(const struct atom_row *row, const char *elem) {
    size_t n = strlen(elem);
    for (const char *x = row->elems; x; x = strchr(x, ' ') ? strchr(x, ' ') + 1 : NULL)
        if (strncmp(x, elem, n) == 0 && (x[n] == ' ' || !x[n])) return true;
    return false;
}

const struct atom_row *atom_narrower(const struct atom_row *row) {
    return row->narrower ? atom_find(row->narrower) : row;
}

const struct atom_row *atom_for_width(const struct atom_row *row, int bits) {
    return atom_has_width(row, bits) ? row : atom_narrower(row);
}

struct atom atom_auto(struct range at) {
    return (struct atom){.row = atom_find("auto"), .bits = 128, .at = at};
}

const char *atom_of(struct session *s, const struct atom *a, const struct elem_type *elem) {
    if (a->row->fixed && !a->ld && !a->l2)
        return elem ? arena_printf(&s->arena, "%s(%s)", a->row->name, elem->name) : a->row->name;
    int width = a->row->in_bytes ? a->bits / 8 : a->bits;
    const char *of = elem ? arena_printf(&s->arena, ", %s", elem->name) : "";
    const char *hints = a->l2 ? arena_printf(&s->arena, ", l2=%d", a->l2) : "";
    if (a->ld) hints = arena_printf(&s->arena, "%s, ld=%s", hints, hints_text(s, a->ld));
    if (a->st) hints = arena_printf(&s->arena, "%s, st=%s", hints, hints_text(s, a->st));
    if (a->row->fixed)  // behind ", "
        return arena_printf(&s->arena, "%s(%s)", a->row->name, hints + 2);
    return arena_printf(&s->arena, "%s(%d%s%s)", a->row->name, width, of, hints);
}

const char *atom_text(struct session *s, const struct atom *a) {
    return atom_of(s, a, NULL);
}

const char *atom_function(struct session *s, const struct atom *a, int bits, bool fills) {
    const struct atom_row *row = atom_for_width(a->row, bits);
    const char *hints = hints_in_c(s, a->ld, row->boxes ? 0 : a->l2);
    if (row->alone)
        return arena_printf(&s->arena, "%s<%d%s%s>", row->function, bits / 8, hints ? ", " : "",
                            hints ? hints : "");
    if (row->fixed) return row->function;
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
    return a->row->row_bits && !(spaces & 1u << MEM_FRAG) ? a->row->row_bits : a->bits;
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
