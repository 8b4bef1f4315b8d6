// Tiles and partitions of tensors: divide, then slice.  The result is a view, an offset and a
// layout.
#include "layout/impl.h"

static struct lay_view bad_view(void) {
    return (struct lay_view){LAY_SUM_INVALID, lay_layout_invalid()};
}

// The modes that "proj" keeps: it has "_" for the others.
static const struct lay_tiler *project_tiler(struct lay_ctx *ctx, const struct lay_tiler *t,
                                             const struct lay_tuple *proj) {
    const struct lay_tiler *kid[LAY_MAX_RANK];
    int n = 0;
    if (t->rank != proj->rank || t->kind == LAY_TILER_ANY || t->kind == LAY_TILER_LAYOUT) {
        lay_fail(ctx, "the projection '%s' does not fit the tiler '%s'", lay_tuple_text(ctx, proj),
                 lay_tiler_text(ctx, t));
        return NULL;
    }
    for (int i = 0; i < t->rank; ++i)
        if (!lay_is_any(proj->kid[i])) kid[n++] = t->kid[i];
    return lay_tiler_modes(ctx, n, kid);
}

static const struct lay_tuple *project(struct lay_ctx *ctx, const struct lay_tuple *t,
                                       const struct lay_tuple *proj) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    int n = 0;
    if (t->rank < 0) return t;
    if (t->rank != proj->rank) {
        lay_fail(ctx, "the projection '%s' does not fit '%s'", lay_tuple_text(ctx, proj),
                 lay_tuple_text(ctx, t));
        return NULL;
    }
    for (int i = 0; i < t->rank; ++i)
        if (!lay_is_any(proj->kid[i])) kid[n++] = t->kid[i];
    return lay_tuple(ctx, n, kid);
}

// "_" for each of "n" modes, or one for a mode that is not taken apart.
static const struct lay_tuple *all_of(struct lay_ctx *ctx, int n) {
    const struct lay_tuple *kid[LAY_MAX_RANK], *any = lay_any(ctx);
    if (n == 1) return any;
    for (int i = 0; i < n; ++i) kid[i] = any;
    return lay_tuple(ctx, n, kid);
}

// "coord" with "_" for the modes after its own, "n" in all.
static const struct lay_tuple *filled(struct lay_ctx *ctx, const struct lay_tuple *coord, int n) {
    const struct lay_tuple *kid[LAY_MAX_RANK], *any = lay_any(ctx);
    if (coord->rank < 0) return coord;
    if (coord->rank > n) {
        lay_fail(ctx, "the coordinate '%s' has more modes than the tiles, %d",
                 lay_tuple_text(ctx, coord), n);
        return NULL;
    }
    for (int i = 0; i < n; ++i) kid[i] = i < coord->rank ? coord->kid[i] : any;
    return lay_tuple(ctx, n, kid);
}

struct lay_view lay_local_tile(struct lay_ctx *ctx, struct lay l, const struct lay_tiler *t,
                               const struct lay_tuple *coord, const struct lay_tuple *proj) {
    if (!l.shape || !t || !coord) return bad_view();
    if (proj) {
        t = project_tiler(ctx, t, proj);
        coord = t ? project(ctx, coord, proj) : NULL;
        if (!coord) return bad_view();
    }
    struct lay z = lay_zipped_divide(ctx, l, t);  // ((tile..),(rest..))
    if (!z.shape) return bad_view();
    return lay_slice(ctx, z,
                     lay_tuple2(ctx, all_of(ctx, lay_tuple_rank(z.shape->kid[0])),
                                filled(ctx, coord, lay_tuple_rank(z.shape->kid[1]))));
}

struct lay lay_partition_tiled(struct lay_ctx *ctx, struct lay l, struct lay thr,
                               const struct lay_tuple *proj) {
    if (proj) thr = lay_dice(ctx, proj, thr);
    const struct lay_tiler *t = lay_tiler_shape(ctx, lay_product_each(ctx, thr.shape));
    return lay_zipped_divide(ctx, l, t);  // ((thr..),(rest..))
}

struct lay_view lay_local_partition(struct lay_ctx *ctx, struct lay l, struct lay thr,
                                    int64_t index, const struct lay_tuple *proj) {
    struct lay z = lay_partition_tiled(ctx, l, thr, proj);
    if (proj) thr = lay_dice(ctx, proj, thr);
    const struct lay_tuple *coord = lay_flat_coord(ctx, thr, index);
    if (!z.shape || !coord) return bad_view();
    return lay_slice(ctx, z,
                     lay_tuple2(ctx, filled(ctx, coord, lay_tuple_rank(z.shape->kid[0])),
                                all_of(ctx, lay_tuple_rank(z.shape->kid[1]))));
}
