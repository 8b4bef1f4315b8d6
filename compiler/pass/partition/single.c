// Modes with one element in copies by one thread for the block (see single.h).
//
// Whatever is not at coordinate 0 of such a mode is beyond the tensor, so nothing is there to be
// aligned. The views of other copies keep these strides: their accesses show them.
#include "pass/partition/single.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

bool single_is(struct session *s, const struct tensor *t, int mode) {
    const struct lay_tuple *extent = lay_tuple_flatten(&s->lay, t->layout.shape);
    return lay_int_is(lay_tuple_get(&s->lay, extent, mode)->leaf, 1);
}

static struct lay_int stride_of(struct session *s, const struct tensor *t, int mode) {
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, t->layout.stride);
    return lay_tuple_get(&s->lay, stride, mode)->leaf;
}

// "stride" with 0 where "coord" goes along mode "mode"; NULL if they are not nested alike.
static const struct lay_tuple *still(struct session *s, const struct lay_tuple *stride,
                                     const struct lay_tuple *coord, int mode) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (lay_is_leaf(stride) != lay_is_leaf(coord)) return NULL;
    if (lay_is_leaf(stride))
        return coord->leaf.basis == mode ? lay_leaf(&s->lay, lay_int(0)) : stride;
    if (stride->rank != coord->rank) return NULL;
    for (int i = 0; i < stride->rank; ++i)
        if (!(kid[i] = still(s, stride->kid[i], coord->kid[i], mode))) return NULL;
    return lay_tuple(&s->lay, stride->rank, kid);
}

void single_forget(struct session *s, struct view *v, int bytes) {
    const struct tensor *t = v->base;
    int each = t->elem->bits / 8,
        modes = lay_valid(v->coord) ? lay_tuple_leaves(t->layout.shape) : 0;
    for (int mode = 0; mode < modes; ++mode) {
        struct lay_int d = stride_of(s, t, mode);
        if (!single_is(s, t, mode) || lay_int_is(d, 1) || lay_int_divisor(d) * each % bytes == 0)
            continue;
        const struct lay_tuple *stride = still(s, v->layout.stride, v->coord.stride, mode);
        const struct ix *off = ix_sub(s, v->offset, ix_scale(s, v->coord_off[mode], d));
        if (!stride || !off) continue;
        v->layout.stride = stride;
        v->offset = off;
    }
}
