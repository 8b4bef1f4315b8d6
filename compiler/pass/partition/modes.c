// Common modes of several layouts (see modes.h).
#include "pass/partition/modes.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

struct leaves {
    int n, at;
    struct lay_int *extent, *stride;
};

static void collect(const struct lay_tuple *shape, const struct lay_tuple *stride,
                    struct leaves *l) {
    if (lay_is_leaf(shape)) {
        if (lay_int_is(shape->leaf, 1)) return;
        l->extent[l->n] = shape->leaf;
        l->stride[l->n++] = stride->leaf;
        return;
    }
    for (int i = 0; i < shape->rank; ++i) collect(shape->kid[i], stride->kid[i], l);
}

// The smallest extent of the sides' current leaves if it divides all of them, otherwise 0.
static int64_t common_extent(const struct leaves *l, int n) {
    int64_t least = INT64_MAX;
    for (int k = 0; k < n; ++k) {
        if (!lay_int_static(l[k].extent[l[k].at])) return 0;
        if (l[k].extent[l[k].at].num < least) least = l[k].extent[l[k].at].num;
    }
    for (int k = 0; k < n; ++k) {
        if (l[k].extent[l[k].at].num % least != 0) return 0;
    }
    return least;
}

bool modes_join(struct session *s, const struct lay *side, int n, bool rest, struct joint *out) {
    struct leaves l[MODES_SIDES];
    int before = out->n;
    for (int k = 0; k < n; ++k) {
        size_t most = (size_t)lay_tuple_leaves(side[k].shape) + 1;
        l[k] = (struct leaves){.extent = ARENA_ARRAY(&s->arena, struct lay_int, most),
                               .stride = ARENA_ARRAY(&s->arena, struct lay_int, most)};
        collect(side[k].shape, side[k].stride, &l[k]);
    }
    for (;;) {
        int ended = 0;
        for (int k = 0; k < n; ++k) ended += l[k].at == l[k].n;
        if (ended == n) return true;
        int64_t x = ended || out->n == MODES_MAX ? 0 : common_extent(l, n);
        if (x == 0) {
            out->n = before;
            return false;
        }
        struct joint_mode *m = &out->at[out->n++];
        *m = (struct joint_mode){.extent = x, .rest = rest};
        for (int k = 0; k < n; ++k) {
            struct lay_int *extent = &l[k].extent[l[k].at], *stride = &l[k].stride[l[k].at];
            m->stride[k] = *stride;
            *stride = lay_int_mul(&s->lay, *stride, lay_int(x));
            *extent = lay_int(extent->num / x);
            if (extent->num == 1) ++l[k].at;
        }
    }
}

bool tile_cut(struct session *s, const struct tiled_copy *tc, bool src, struct lay l,
              struct tile_cut *out) {
    struct lay_ctx *x = &s->lay;
    // ((m,n),(rest_m,rest_n))
    struct lay zipped = lay_zipped_divide(x, view_trimmed(s, l), lay_tiler_shape(x, tc->tiler));
    out->both = lay_compose(x, lay_mode(x, zipped, 0), tiled_tv(tc, src));
    if (!lay_valid(out->both)) return false;
    out->thr = lay_mode(x, out->both, 0);
    out->val = lay_mode(x, out->both, 1);
    out->rest = lay_mode(x, zipped, 1);
    return lay_valid(out->rest);
}

const struct lay_tuple *modes_along(struct session *s, const struct lay_tuple *stride, int mode) {
    if (!lay_is_leaf(stride)) {
        const struct lay_tuple *kid[LAY_MAX_RANK];
        for (int i = 0; i < stride->rank; ++i) kid[i] = modes_along(s, stride->kid[i], mode);
        return lay_tuple(&s->lay, stride->rank, kid);
    }
    struct lay_int k = stride->leaf;
    if (k.num == 0 || k.basis != mode) return lay_leaf(&s->lay, lay_int(0));
    k.basis = -1;
    return lay_leaf(&s->lay, k);
}

const char *modes_why(const struct session *s) {
    if (s->lay.error) return s->lay.error;
    return "an index is a sum of too many terms, or its numbers do not fit 64 bits";
}
