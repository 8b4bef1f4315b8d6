// The leaves of a view by the modes of its tensor.
#include "pass/lint/leaves.h"

#include "base/session.h"
#include "layout/algebra.h"

bool leaves_of(struct session *s, const struct view *v, struct leaves *out) {
    const struct lay_tuple *shape, *stride;
    out->n = 0;
    if (!lay_valid(v->coord)) return false;
    shape = lay_tuple_flatten(&s->lay, v->coord.shape);
    stride = lay_tuple_flatten(&s->lay, v->coord.stride);
    for (int i = 0; i < lay_tuple_leaves(shape); ++i) {
        struct lay_int n = lay_is_leaf(shape) ? shape->leaf : shape->kid[i]->leaf;
        struct lay_int d = lay_is_leaf(stride) ? stride->leaf : stride->kid[i]->leaf;
        int path[3];
        if (lay_int_is(n, 1)) continue;
        if (out->n == MOST_LEAVES || d.basis < 0 || lay_int_basis_path(d, path) < 1) return false;
        d.basis = -1;
        if (!lay_int_is(d, 1)) return false;
        out->mode[out->n] = path[0];
        out->at[out->n] = i;
        out->extent[out->n++] = n;
    }
    return true;
}

int leaf_along(const struct leaves *l, int mode) {
    int found = -1;
    for (int i = 0; i < l->n; ++i) {
        if (l->mode[i] != mode) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

// The flattened modes from *begin to *end - 1 are the mode of "t" that "mode" is in.
static void mode_around(const struct tensor *t, int mode, int *begin, int *end) {
    const struct lay_tuple *shape = t->layout.shape;
    *begin = *end = 0;
    if (lay_is_leaf(shape)) {
        *end = 1;
        return;
    }
    for (int i = 0; *end <= mode; ++i) {
        *begin = *end;
        *end += lay_tuple_leaves(shape->kid[i]);
    }
}

// Whether leaf "i" of "l" is all of its mode of the tensor of "v".
static bool is_all(struct session *s, const struct view *v, const struct leaves *l, int i) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    return !lay_is_leaf(flat) && lay_int_equal(flat->kid[l->mode[i]]->leaf, l->extent[i]);
}

// The coordinate of "v" along the mode of its tensor that has the flattened modes "begin" to "end" - 1.
static const struct ix *begin_along(struct session *s, const struct view *v, int begin, int end) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    const struct ix *from = v->coord_off[begin];
    struct lay_int step = lay_int(1);
    for (int m = begin + 1; m < end && from; ++m) {
        step = lay_int_mul(&s->lay, step, flat->kid[m - 1]->leaf);
        from = v->coord_off[m] ? ix_add(s, from, ix_scale(s, v->coord_off[m], step)) : NULL;
    }
    return from;
}

bool leaves_parts(struct session *s, const struct view *v, struct parts *out) {
    struct leaves l;
    int begin, end;
    out->n = 0;
    if (!leaves_of(s, v, &l)) return false;
    for (int i = 0; i < l.n;) {
        mode_around(v->base, l.mode[i], &begin, &end);
        struct leaves_part x = {begin, l.at[i], l.extent[i], begin_along(s, v, begin, end)};
        if (l.mode[i] != begin || !x.from || leaves_find(out, begin) >= 0) return false;
        for (++i; i < l.n && l.mode[i] < end && l.mode[i] == l.mode[i - 1] + 1; ++i) {
            if (!is_all(s, v, &l, i - 1)) return false;
            x.extent = lay_int_mul(&s->lay, x.extent, l.extent[i]);
        }
        out->part[out->n++] = x;
    }
    return true;
}

int leaves_find(const struct parts *x, int mode) {
    for (int i = 0; i < x->n; ++i)
        if (x->part[i].mode == mode) return i;
    return -1;
}
