// Where the two sides of a copy, of tensors that end at the same place, are parts at other places.
#include "pass/partition/shift.h"

#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

// Whether mode "m" of "v" steps along leaf "leaf" of its tensor by single elements.
static bool steps_along(struct session *s, const struct view *v, int m, int leaf) {
    struct lay_int want = lay_int(1);
    want.basis = (int16_t)leaf;
    const struct lay_tuple *stride =
        lay_tuple_flatten(&s->lay, lay_mode(&s->lay, v->coord, m).stride);
    for (int i = 0; i < lay_tuple_rank(stride); ++i)
        if (lay_int_equal(lay_tuple_get(&s->lay, stride, i)->leaf, want)) return true;
    return false;
}

// The mode of the destination's tensor along which are the elements of that mode of the source's.
static int counterpart(struct session *s, const struct copy *c, int mode) {
    const struct view *a = &c->src, *b = &c->dst;
    if (!lay_valid(a->coord) || !lay_valid(b->coord)) return -1;
    int n = lay_rank(a->coord), leaves = lay_tuple_leaves(b->base->layout.shape);
    if (n != lay_rank(b->coord)) return -1;
    for (int m = 0; m < n; ++m)
        for (int j = 0; steps_along(s, a, m, mode) && j < leaves; ++j)
            if (steps_along(s, b, m, j)) return j;
    return -1;
}

// A loop or a block on which "a" depends and "b" does not; NULL: there is none.
static const struct ix_var *only_of(const struct around *around, const struct kernel *k,
                                    const struct ix *a, const struct ix *b) {
    for (int i = around->n - 1; i >= 0; --i) {
        const struct stmt *st = around->stmt[i];
        if (stmt_loops(st) && ix_depends_on(a, st->var) && !ix_depends_on(b, st->var))
            return st->var;
    }
    for (int i = 0; i < 3; ++i)
        if (k->block[i] && ix_depends_on(a, k->block[i]) && !ix_depends_on(b, k->block[i]))
            return k->block[i];
    return NULL;
}

const char *shift_text(struct session *s, const struct kernel *k, const struct around *around,
                       const struct copy *c, int mode) {
    int other = counterpart(s, c, mode);
    lay_clear_error(&s->lay);
    if (other < 0) return NULL;
    const struct ix *end = view_limit(s, &c->src, mode), *a = c->src.coord_off[mode];
    const struct ix *b = c->dst.coord_off[other];
    if (!a || !b || !ix_equal(end, view_limit(s, &c->dst, other))) return NULL;
    const char *from = c->src.base->name, *to = c->dst.base->name, *limit = ix_text(s, end);
    const struct ix *d = ix_sub(s, a, b);
    int64_t n;
    if (d && ix_static(d, &n)) {
        if (n < 1) return NULL;
        return arena_printf(&s->arena,
                            "the part of '%s' begins %" PRId64
                            " element%s after that of '%s', and both end at %s",
                            from, n, n == 1 ? "" : "s", to, limit);
    }
    const struct ix_var *v = only_of(around, k, a, b);
    if (v)
        return arena_printf(&s->arena,
                            "the part of '%s' depends on '%s', and that of '%s' does not", from,
                            v->name, to);
    return arena_printf(&s->arena,
                        "the part of '%s' begins at %s, that of '%s' at %s, and both end at %s",
                        from, ix_text(s, a), to, ix_text(s, b), limit);
}
