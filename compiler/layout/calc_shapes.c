// The calculator's operations on shapes, coordinates, tensors, widths and swizzles.  calc_table.c
// has the table of all.
#include <inttypes.h>

#include "layout/calc_impl.h"

#define OP(name)  struct calc_value name(struct args *a)
#define LAYOUT(i) calc_layout(a->ctx, a->v[i])
#define TUPLE(i)  calc_tuple(a->ctx, a->v[i])
#define TILER(i)  calc_tiler(a->ctx, a->v[i])
#define NUM(i)    (a->v[i].tuple->leaf.num)
#define GIVE      calc_of_layout

static bool is_any(struct lay_int x) {
    return x.basis == LAY_ANY_BASIS;
}

struct calc_value calc_settle(struct lay_ctx *ctx, struct lay_view v,
                              const struct lay_tuple *coord) {
    return calc_of_view(lay_tuple_all(coord, is_any) ? v : lay_settle(ctx, v));
}

// -- shapes ---------------------------------------------------------------------------------------

OP(op_ceil_div) {
    if (a->v[1].kind == CALC_VIEW && !calc_layout(a->ctx, a->v[1]).shape) return calc_none();
    if (a->v[1].kind == CALC_LAYOUT) {
        struct lay rest = lay_complement(a->ctx, LAYOUT(1), TUPLE(0));
        return calc_of_tuple(a->ctx, rest.shape);
    }
    return calc_of_tuple(a->ctx, lay_ceil_div(a->ctx, TUPLE(0), TUPLE(1)));
}

bool calc_numbers(struct args *a, int n) {
    for (int i = 0; i < n; ++i) {
        if (!lay_has_any(TUPLE(i))) continue;
        lay_fail(a->ctx, "'_' is not a number");
        return false;
    }
    return true;
}

OP(op_shape_div) {
    if (!calc_numbers(a, 2)) return calc_none();
    return calc_of_tuple(a->ctx, lay_shape_div(a->ctx, TUPLE(0), TUPLE(1)));
}

OP(op_compatible) {
    if (!calc_numbers(a, 2)) return calc_none();
    return calc_of_bool(lay_compatible(a->ctx, TUPLE(0), TUPLE(1)));
}

OP(op_congruent) {
    return calc_of_bool(lay_congruent(TUPLE(0), TUPLE(1)));
}

OP(op_weakly_congruent) {
    return calc_of_bool(lay_weakly_congruent(TUPLE(0), TUPLE(1)));
}

OP(op_evenly_divides) {
    if (!calc_numbers(a, 2)) return calc_none();
    return calc_of_bool(lay_evenly_divides(a->ctx, TUPLE(0), TUPLE(1)));
}

// -- coordinates ----------------------------------------------------------------------------------

OP(op_crd2idx) {
    if (a->v[0].kind == CALC_LAYOUT) {
        lay_fail(a->ctx, "'crd2idx' takes the coordinate first, then the layout: "
                         "crd2idx((2,3), (4,8):(8,1))");
        return calc_none();
    }
    const struct lay_tuple *shape = TUPLE(1), *stride = NULL;
    if (a->n > 2)
        stride = TUPLE(2);
    else if (a->v[1].kind == CALC_LAYOUT)
        stride = a->v[1].layout.stride;
    struct lay l = stride ? lay_make(a->ctx, shape, stride) : lay_make_col(a->ctx, shape);
    if (a->v[1].kind == CALC_LAYOUT && a->v[1].layout.composed) l = a->v[1].layout;
    const struct lay_tuple *index = lay_eval_tuple(a->ctx, l, TUPLE(0));
    if (!index || !a->offset.n) return calc_of_tuple(a->ctx, index);
    if (index->rank >= 0) {
        lay_fail(a->ctx, "'%s' is a coordinate; an offset cannot be added to it",
                 lay_tuple_text(a->ctx, index));
        return calc_none();
    }
    struct lay_sum sum = lay_sum_add(a->ctx, a->offset, lay_sum_of(a->ctx, index->leaf));
    return calc_of_int(a->ctx, lay_sum_int(a->ctx, sum));
}

OP(op_idx2crd) {
    const struct lay_tuple *stride = NULL;
    if (a->v[1].kind == CALC_VIEW && !calc_layout(a->ctx, a->v[1]).shape) return calc_none();
    if (a->n > 2)
        stride = TUPLE(2);
    else if (a->v[1].kind == CALC_LAYOUT)
        stride = a->v[1].layout.stride;
    return calc_of_tuple(a->ctx, lay_idx2crd(a->ctx, TUPLE(0), TUPLE(1), stride));
}

OP(op_crd2crd) {
    return calc_of_tuple(a->ctx, lay_crd2crd(a->ctx, TUPLE(0), TUPLE(1), TUPLE(2)));
}

enum { SEARCH = 1 << 20 };

// Whether "c" is a coordinate of "shape": each part is inside its extent.
static bool is_inside(const struct lay_tuple *c, const struct lay_tuple *shape) {
    if (shape->rank < 0) return c->leaf.num >= 0 && c->leaf.num < shape->leaf.num;
    for (int i = 0; i < shape->rank; ++i)
        if (!is_inside(c->kid[i], shape->kid[i])) return false;
    return true;
}

// The coordinate where the layout has the value: by the strides, as in CuTe, or the first one that
// is found by trying.  Fails if there is none.
static const struct lay_tuple *coord_with(struct lay_ctx *ctx, struct lay l, int64_t value) {
    const struct lay_tuple *c = lay_hier_coord(ctx, l, value);
    struct lay_int size = lay_size(ctx, l);
    int64_t x;
    if (!c || !lay_static(l)) return c;
    if (is_inside(c, l.shape) && lay_eval_coord(ctx, l, c, &x) && x == value) return c;
    bool all = lay_plain(size) && size.num <= SEARCH;
    for (int64_t i = 0; all && i < size.num; ++i)
        if (lay_eval(ctx, l, i, &x) && x == value)
            return lay_idx2crd(ctx, lay_leaf_of(ctx, i), l.shape, NULL);
    lay_fail(ctx,
             all ? "no coordinate of '%s' has the value %" PRId64
                 : "no coordinate of '%s' that is found by its strides has the value %" PRId64,
             lay_text(ctx, l), value);
    return NULL;
}

OP(op_hier_coord) {
    return calc_of_tuple(a->ctx, coord_with(a->ctx, LAYOUT(0), NUM(1)));
}

OP(op_flat_coord) {
    struct lay l = LAYOUT(0);
    const struct lay_tuple *c = coord_with(a->ctx, l, NUM(1));
    return calc_of_tuple(a->ctx, c ? lay_flat_of_coord(a->ctx, c, l.shape) : NULL);
}

OP(op_1d_coord) {
    struct lay l = LAYOUT(0);
    const struct lay_tuple *c = coord_with(a->ctx, l, NUM(1));
    return c ? calc_of_int(a->ctx, lay_crd2idx(a->ctx, c, l.shape, NULL)) : calc_none();
}

// -- tensors, widths, swizzles --------------------------------------------------------------------

OP(op_local_tile) {
    struct lay_view v =
        lay_local_tile(a->ctx, LAYOUT(0), TILER(1), TUPLE(2), a->n > 3 ? TUPLE(3) : NULL);
    return calc_settle(a->ctx, v, TUPLE(2));
}

OP(op_local_partition) {
    struct lay_view v =
        lay_local_partition(a->ctx, LAYOUT(0), LAYOUT(1), NUM(2), a->n > 3 ? TUPLE(3) : NULL);
    return calc_of_view(lay_settle(a->ctx, v));
}

// "l" with the offset "offset", which counts other elements: "from" of them are "to" elements of
// "l".
static struct calc_value begins_at(struct lay_ctx *ctx, struct lay_sum offset, struct lay l,
                                   int64_t from, int64_t to) {
    struct lay_sum sum = {0, NULL};
    if (!offset.n || !l.shape) return GIVE(l);
    for (int i = 0; i < offset.n; ++i) {
        struct lay_int by = lay_int_mul(ctx, offset.term[i], lay_static_int(to));
        sum = lay_sum_add(ctx, sum, lay_sum_of(ctx, lay_int_div(ctx, by, lay_static_int(from))));
    }
    return calc_of_view((struct lay_view){sum, l});
}

static struct calc_value cast_op(struct args *a, bool wider) {
    int l = a->v[1].kind == CALC_INT ? 0 : 1;
    struct lay_swizzle w;
    struct calc_value by = a->v[1 - l];
    if (by.kind != CALC_INT || !lay_plain(by.tuple->leaf)) {
        lay_fail(a->ctx, "%s needs a static number of elements", wider ? "upcast" : "downcast");
        return calc_none();
    }
    int64_t n = by.tuple->leaf.num;
    if (a->v[l].kind == CALC_SWIZZLE)
        return lay_swizzle_cast(a->ctx, a->v[l].swizzle, n, wider, &w) ? calc_of_swizzle(w)
                                                                       : calc_none();
    struct lay cast = wider ? lay_upcast(a->ctx, LAYOUT(l), n) : lay_downcast(a->ctx, LAYOUT(l), n);
    return begins_at(a->ctx, a->offset, cast, wider ? n : 1, wider ? 1 : n);
}

OP(op_upcast) {
    return cast_op(a, true);
}

OP(op_downcast) {
    return cast_op(a, false);
}

OP(op_recast) {
    int64_t from = a->v[0].bits, to = a->v[1].bits;
    return begins_at(a->ctx, a->offset, lay_recast(a->ctx, LAYOUT(2), from, to), to, from);
}

OP(op_make_swizzle) {
    struct lay_swizzle w;
    return lay_swizzle_make(a->ctx, NUM(0), NUM(1), &w) ? calc_of_swizzle(w) : calc_none();
}

OP(op_swizzle_apply) {
    return calc_static(a->ctx, lay_swizzle_apply(a->v[0].swizzle, NUM(1)));
}

OP(op_composition) {
    return calc_compose(a->ctx, a->n, a->v);
}

OP(op_eval) {
    struct calc_value c = calc_compose(a->ctx, 3, a->v);
    if (c.kind != CALC_LAYOUT) return calc_none();
    return calc_of_tuple(a->ctx, lay_eval_tuple(a->ctx, c.layout, TUPLE(3)));
}
