// Tiles and partitions of tensors: divides, then slices.  The result is a view: an offset and a
// layout.
#include "layout/impl.h"

static struct lay_view bad_view(void) {
    return (struct lay_view){LAY_SUM_INVALID, lay_layout_invalid()};
}

// The tiler without the modes for which "proj" has "_".
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

// A tuple of "n" "_", or a single "_" for a mode that is not divided.
static const struct lay_tuple *all_of(struct lay_ctx *ctx, int n) {
    const struct lay_tuple *kid[LAY_MAX_RANK], *any = lay_any(ctx);
    if (n == 1) return any;
    for (int i = 0; i < n; ++i) kid[i] = any;
    return lay_tuple(ctx, n, kid);
}

// "coord", followed by "_" up to "n" modes.
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

enum { CHECK_POINTS = 1 << 16 };

// The part of a divided tensor, ((tile..),(rest..)), that the coordinate "coord" of its mode "at"
// selects.
static struct lay_view part_of(struct lay_ctx *ctx, struct lay z, const struct lay_tuple *coord,
                               int at) {
    if (!z.shape || !coord) return bad_view();
    const struct lay_tuple *c = filled(ctx, coord, lay_tuple_rank(z.shape->kid[at]));
    const struct lay_tuple *all = all_of(ctx, lay_tuple_rank(z.shape->kid[1 - at]));
    return lay_slice(ctx, z, at ? lay_tuple2(ctx, all, c) : lay_tuple2(ctx, c, all));
}

// Whether "v" has the elements of "l" at the coordinates "where" that are inside "l".
static bool right_part(struct lay_ctx *ctx, struct lay l, struct lay_view v,
                       struct lay_view where) {
    struct lay_int n = lay_size(ctx, v.layout), plus = lay_sum_int(ctx, v.offset);
    if (!lay_plain(n) || n.num > CHECK_POINTS || !lay_plain(plus) || !lay_static(l)) return false;
    l = lay_inner(l);
    for (int64_t i = 0; i < n.num; ++i) {
        const struct lay_tuple *at = lay_leaf_of(ctx, i), *coord[LAY_MAX_RANK];
        struct lay_sum sum = lay_sum_add(ctx, where.offset, lay_crd2idx_sum(ctx, at, where.layout));
        int64_t is, want, c[LAY_MAX_RANK] = {0};
        bool within = true;
        for (int k = 0; k < sum.n; ++k)
            c[sum.term[k].basis < 0 ? 0 : sum.term[k].basis] += sum.term[k].num;
        for (int k = 0; k < lay_rank(l); ++k) {
            within = within && c[k] < lay_size(ctx, lay_mode(ctx, l, k)).num;
            coord[k] = lay_leaf_of(ctx, c[k]);
        }
        if (!within) continue;
        at = lay_tuple(ctx, lay_rank(l), coord);
        if (sum.n < 0 || !lay_eval(ctx, lay_inner(v.layout), i, &is) ||
            !lay_eval_coord(ctx, l, at, &want) || is + plus.num != want)
            return false;
    }
    return true;
}

// Takes CuTe's part, if its values are right, where the division of the complete tensor has no
// result.
static struct lay_view divided_part(struct lay_ctx *ctx, struct lay l, const struct lay_tiler *t,
                                    const struct lay_tuple *coord, int at) {
    bool first = !ctx->error;
    struct lay z = lay_zipped_divide(ctx, l, t);
    bool by_mode =
        t && t->kind != LAY_TILER_LAYOUT && l.shape && l.shape->rank >= 0 && l.shape->rank <= 31;
    if (z.shape || !first || !by_mode || !coord) return part_of(ctx, z, coord, at);
    const char *why = ctx->error;
    ctx->error = NULL;
    struct lay_view v = part_of(ctx, lay_zipped_divide_as_cute(ctx, l, t), coord, at);
    const struct lay_tuple *sizes = lay_product_each(ctx, l.shape);
    struct lay_view where =
        part_of(ctx, lay_zipped_divide(ctx, lay_make_identity(ctx, sizes), t), coord, at);
    if (v.layout.shape && where.layout.shape && right_part(ctx, l, v, where)) {
        ctx->error = NULL;
        return v;
    }
    ctx->error = why;
    return bad_view();
}

struct lay_view lay_local_tile(struct lay_ctx *ctx, struct lay l, const struct lay_tiler *t,
                               const struct lay_tuple *coord, const struct lay_tuple *proj) {
    if (!l.shape || !t || !coord) return bad_view();
    if (proj) {
        t = project_tiler(ctx, t, proj);
        coord = t ? project(ctx, coord, proj) : NULL;
        if (!coord) return bad_view();
    }
    return divided_part(ctx, l, t, coord, 1);
}

static const struct lay_tiler *thread_tiler(struct lay_ctx *ctx, struct lay thr) {
    return lay_tiler_shape(ctx, lay_product_each(ctx, thr.shape));
}

struct lay_view lay_local_partition(struct lay_ctx *ctx, struct lay l, struct lay thr,
                                    int64_t index, const struct lay_tuple *proj) {
    if (proj) thr = lay_dice(ctx, proj, thr);
    if (!l.shape || !thr.shape) return bad_view();
    return divided_part(ctx, l, thread_tiler(ctx, thr), lay_flat_coord(ctx, thr, index), 0);
}
