// The calculator's operations on layouts.  calc_shapes.c has those on shapes and coordinates,
// calc_table.c the table of all.
#include "layout/calc_impl.h"

#include <inttypes.h>
#include <string.h>

#define OP(name)  struct calc_value name(struct args *a)
#define LAYOUT(i) calc_layout(a->ctx, a->v[i])
#define TUPLE(i)  calc_tuple(a->ctx, a->v[i])
#define TILER(i)  calc_tiler(a->ctx, a->v[i])
#define NUM(i)    (a->v[i].tuple->leaf.num)
#define GIVE      calc_of_layout

// Operations from one layout to another value.
#define UNARY(name, f)                                                                             \
    OP(name) {                                                                                     \
        return GIVE(f(a->ctx, LAYOUT(0)));                                                         \
    }
#define BINARY(name, f)                                                                            \
    OP(name) {                                                                                     \
        return GIVE(f(a->ctx, LAYOUT(0), LAYOUT(1)));                                              \
    }
#define TILED(name, f)                                                                             \
    OP(name) {                                                                                     \
        return GIVE(f(a->ctx, LAYOUT(0), TILER(1)));                                               \
    }
#define SHAPES(name, f)                                                                            \
    OP(name) {                                                                                     \
        return calc_of_tuple(a->ctx, f(a->ctx, TUPLE(0), TUPLE(1)));                               \
    }

UNARY(op_filter_zeros, lay_filter_zeros)
UNARY(op_flatten, lay_flatten)
UNARY(op_left_inverse, lay_left_inverse)
UNARY(op_right_inverse, lay_right_inverse)
UNARY(op_make_fragment_like, lay_make_fragment_like)
UNARY(op_make_layout_like, lay_make_like)
UNARY(op_nullspace, lay_nullspace)
BINARY(op_append, lay_append)
BINARY(op_prepend, lay_prepend)
BINARY(op_blocked_product, lay_blocked_product)
BINARY(op_raked_product, lay_raked_product)
BINARY(op_max_common_layout, lay_max_common_layout)
TILED(op_logical_divide, lay_logical_divide)
TILED(op_zipped_divide, lay_zipped_divide)
TILED(op_tiled_divide, lay_tiled_divide)
TILED(op_flat_divide, lay_flat_divide)
TILED(op_logical_product, lay_logical_product)
TILED(op_zipped_product, lay_zipped_product)
TILED(op_tiled_product, lay_tiled_product)
TILED(op_flat_product, lay_flat_product)
SHAPES(op_round_up, lay_round_up)

// -- of one layout --------------------------------------------------------------------------------

OP(op_coalesce) {
    return GIVE(a->n > 1 ? lay_coalesce_by(a->ctx, LAYOUT(0), TUPLE(1))
                         : lay_coalesce(a->ctx, LAYOUT(0)));
}

OP(op_filter) {
    return GIVE(a->n > 1 ? lay_filter_by(a->ctx, LAYOUT(0), TUPLE(1))
                         : lay_filter(a->ctx, LAYOUT(0)));
}

OP(op_complement) {
    return GIVE(lay_complement(a->ctx, LAYOUT(0), a->n > 1 ? TUPLE(1) : NULL));
}

// The mode of a layout that argument 1 names: by one number, or by a path, the outermost first.
static struct lay mode_of(struct args *a) {
    struct lay l = LAYOUT(0);
    if (a->n < 2) return l;
    const struct lay_tuple *path = TUPLE(1);
    for (int i = 0; path && i < lay_tuple_rank(path); ++i) {
        const struct lay_tuple *p = path->rank < 0 ? path : path->kid[i];
        if (!lay_is_leaf(p) || !lay_plain(p->leaf) || p->leaf.num > LAY_MAX_RANK) {
            lay_fail(a->ctx, "'%s' does not name a mode", lay_tuple_text(a->ctx, path));
            return lay_layout_invalid();
        }
        l = lay_mode(a->ctx, l, (int)(p->leaf.num < 0 ? -1 : p->leaf.num));
    }
    return path ? l : lay_layout_invalid();
}

OP(op_size) {
    return calc_of_int(a->ctx, lay_size(a->ctx, mode_of(a)));
}

OP(op_cosize) {
    struct lay_int begins = a->offset.n ? lay_sum_int(a->ctx, a->offset) : lay_int(0);
    return calc_of_int(a->ctx, lay_int_add(a->ctx, begins, lay_cosize(a->ctx, mode_of(a))));
}

OP(op_rank) {
    struct lay l = mode_of(a);
    return l.shape ? calc_static(a->ctx, lay_rank(l)) : calc_none();
}

OP(op_depth) {
    struct lay l = mode_of(a);
    return l.shape ? calc_static(a->ctx, lay_depth(l)) : calc_none();
}

OP(op_shape) {
    return calc_of_tuple(a->ctx, mode_of(a).shape);
}

OP(op_stride) {
    return calc_of_tuple(a->ctx, mode_of(a).stride);
}

OP(op_get) {
    return GIVE(mode_of(a));
}

OP(op_max_alignment) {
    struct lay_int n = lay_max_alignment(a->ctx, LAYOUT(0));
    for (int i = 0; n.den && i < a->offset.n; ++i)
        n = lay_int(lay_gcd(n.num, lay_int_divisor(a->offset.term[i])));
    return calc_of_int(a->ctx, n);
}

OP(op_max_common_vector) {
    return calc_of_int(a->ctx, lay_max_common_vector(a->ctx, LAYOUT(0), LAYOUT(1)));
}

OP(op_product_each) {
    if (!calc_numbers(a, 1)) return calc_none();
    return calc_of_tuple(a->ctx, lay_product_each(a->ctx, TUPLE(0)));
}

// -- rearranging ----------------------------------------------------------------------------------

// "v" as an int: the number of a mode, or -1.  Reports an error if it is out of range.
static int small(struct args *a, int64_t v) {
    if (v >= -1 && v <= 1 << 20) return (int)v;
    lay_fail(a->ctx, "there is no mode %" PRId64, v);
    return -1;
}

// "v" as a number of modes.
static int rank_of(struct args *a, int64_t v) {
    if (v >= 0 && v <= LAY_MAX_RANK) return (int)v;
    lay_fail(a->ctx, "a layout of %" PRId64 " modes; it must have 1 .. %d", v, LAY_MAX_RANK);
    return -1;
}

OP(op_append_to) {
    struct lay pad = a->n > 2 ? LAYOUT(2) : lay_raw(lay_leaf_of(a->ctx, 1), lay_leaf_of(a->ctx, 0));
    return GIVE(lay_append_to(a->ctx, LAYOUT(0), rank_of(a, NUM(1)), pad));
}

OP(op_prepend_to) {
    struct lay pad = a->n > 2 ? LAYOUT(2) : lay_raw(lay_leaf_of(a->ctx, 1), lay_leaf_of(a->ctx, 0));
    return GIVE(lay_prepend_to(a->ctx, LAYOUT(0), rank_of(a, NUM(1)), pad));
}

OP(op_group) {
    struct lay l = LAYOUT(0);
    int b = small(a, NUM(1));
    int e = NUM(2) == -1 ? lay_rank(l) : small(a, NUM(2));  // -1: to the last
    if (l.shape && (b < 0 || e > lay_rank(l) || b > e)) {
        lay_fail(a->ctx, "'%s' has no modes %d to %d; its rank is %d", lay_text(a->ctx, l), b, e,
                 lay_rank(l));
        return calc_none();
    }
    return GIVE(lay_group(a->ctx, l, b, e));
}

OP(op_take) {
    return GIVE(lay_take(a->ctx, LAYOUT(0), small(a, NUM(1)), small(a, NUM(2))));
}

OP(op_replace) {
    return GIVE(lay_replace(a->ctx, LAYOUT(0), small(a, NUM(1)), LAYOUT(2)));
}

OP(op_select) {
    int mode[LAY_MAX_RANK];
    const struct lay_tuple *t = TUPLE(1);
    for (int i = 0; i < lay_tuple_rank(t); ++i) {
        const struct lay_tuple *m = t->rank < 0 ? t : t->kid[i];
        if (!lay_is_leaf(m) || !lay_plain(m->leaf)) {
            lay_fail(a->ctx, "'%s' is not a list of modes", lay_tuple_text(a->ctx, t));
            return calc_none();
        }
        mode[i] = small(a, m->leaf.num);
    }
    return GIVE(lay_select(a->ctx, LAYOUT(0), lay_tuple_rank(t), mode));
}

OP(op_zip) {
    return GIVE(a->n > 1 ? lay_zip2(a->ctx, LAYOUT(0), LAYOUT(1)) : lay_zip(a->ctx, LAYOUT(0)));
}

OP(op_unflatten) {
    return GIVE(lay_unflatten(a->ctx, LAYOUT(0), TUPLE(1)));
}

OP(op_with_shape) {
    return GIVE(lay_with_shape(a->ctx, LAYOUT(0), TUPLE(1)));
}

// The layout may be the first or the second argument.
OP(op_dice) {
    int l = a->v[0].kind == CALC_LAYOUT ? 0 : 1;
    if (a->v[0].kind == CALC_TUPLE && a->v[1].kind == CALC_TUPLE && lay_has_any(a->v[1].tuple) &&
        !lay_has_any(a->v[0].tuple)) {
        lay_fail(a->ctx, "the coordinate comes before the shape in 'dice'");
        return calc_none();
    }
    return GIVE(lay_dice(a->ctx, TUPLE(1 - l), LAYOUT(l)));
}

OP(op_slice) {
    int l = a->v[0].kind == CALC_LAYOUT || a->v[0].kind == CALC_VIEW ? 0 : 1;
    return calc_settle(a->ctx, lay_slice(a->ctx, LAYOUT(l), TUPLE(1 - l)), TUPLE(1 - l));
}

// -- making ---------------------------------------------------------------------------------------

static bool named(struct calc_value v, const char *name) {
    return v.kind == CALC_NAME && strcmp(v.name, name) == 0;
}

// calc_apply handles the form whose arguments are all layouts.
OP(op_make_layout) {
    if (a->n == 1 || named(a->v[1], "LayoutLeft")) return GIVE(lay_make_col(a->ctx, TUPLE(0)));
    if (named(a->v[1], "LayoutRight")) return GIVE(lay_make_row(a->ctx, TUPLE(0)));
    return GIVE(lay_make(a->ctx, TUPLE(0), TUPLE(1)));
}

OP(op_row) {
    return GIVE(lay_make_row(a->ctx, TUPLE(0)));
}

OP(op_col) {
    return GIVE(lay_make_col(a->ctx, TUPLE(0)));
}

// The order of "n" modes that "v" was probably meant to be, for a message.  For LayoutRight it is
// the last mode first, for a layout of "n" modes the order of its strides, otherwise the first mode
// first.
static const struct lay_tuple *order_meant(struct lay_ctx *ctx, struct calc_value v, int n) {
    struct lay_int place[LAY_MAX_RANK];
    struct lay like = v.kind == CALC_LAYOUT ? v.layout : lay_layout_invalid();
    bool strides = like.shape && like.stride->rank == n;
    for (int i = 0; strides && i < n; ++i)
        strides = lay_is_leaf(like.stride->kid[i]) && lay_plain(like.stride->kid[i]->leaf);
    for (int i = 0; i < n; ++i) {
        int at = named(v, "LayoutRight") ? n - 1 - i : i;
        if (strides) at = 0;
        for (int k = 0; strides && k < n; ++k) {
            struct lay_int x = like.stride->kid[k]->leaf, y = like.stride->kid[i]->leaf;
            at += lay_int_less(x, y) || (k < i && lay_int_equal(x, y));
        }
        place[i] = lay_int(at);
    }
    return lay_ints(ctx, n, place);
}

static bool is_place(struct lay_int x) {
    return lay_int_static(x) && x.num >= 0;
}

// Whether all numbers in the flat tuple "t" differ.
static bool all_differ(const struct lay_tuple *t) {
    for (int i = 0; i < t->rank; ++i)
        for (int k = 0; k < i; ++k)
            if (!lay_is_leaf(t->kid[i]) || !lay_is_leaf(t->kid[k]) ||
                lay_int_equal(t->kid[i]->leaf, t->kid[k]->leaf))
                return false;
    return true;
}

// Argument "i" as an order of the modes of the shape, which is argument i - 1.  Returns NULL, with
// an error, if it is none.  As in CuTe, the numbers need not be 0, 1, 2 ..; unless "strict", they
// may also repeat and be nested.
static const struct lay_tuple *order_of(struct args *a, const char *name, int i, bool strict) {
    const struct lay_tuple *shape = TUPLE(i - 1);
    struct calc_value v = a->v[i];
    if (!shape || v.kind == CALC_NONE) return NULL;
    int n = lay_tuple_rank(shape);
    bool tuple = v.kind == CALC_TUPLE || (v.kind == CALC_INT && (n == 1 || !strict));
    if (tuple && lay_tuple_all(v.tuple, is_place)) {
        bool fits = lay_tuple_rank(v.tuple) == n && all_differ(v.tuple);
        if (fits || !strict) return v.tuple;
    }
    lay_fail(a->ctx,
             "'%s' is not an order of the %d modes in '%s'; write a tuple of their positions, such "
             "as '%s'",
             calc_text(a->ctx, v, CALC_STYLE_TCP), n, name,
             lay_tuple_text(a->ctx, order_meant(a->ctx, v, n)));
    return NULL;
}

OP(op_make_ordered) {
    return GIVE(lay_make_ordered(a->ctx, TUPLE(0), order_of(a, "make_ordered_layout", 1, false)));
}

OP(op_make_identity) {
    return GIVE(lay_make_identity(a->ctx, TUPLE(0)));
}

#define IDENTITY(name, f)                                                                          \
    OP(name) {                                                                                     \
        return GIVE(f(a->ctx, lay_make_identity(a->ctx, TUPLE(0)), TILER(1)));                     \
    }
IDENTITY(op_identity_logical_divide, lay_logical_divide)
IDENTITY(op_identity_zipped_divide, lay_zipped_divide)
IDENTITY(op_identity_tiled_divide, lay_tiled_divide)
IDENTITY(op_identity_flat_divide, lay_flat_divide)

static struct calc_value compact_with(struct args *a, bool row) {
    const struct lay_tuple *shape = TUPLE(0), *start = a->n > 1 ? TUPLE(1) : lay_leaf_of(a->ctx, 1);
    if (!shape || !start) return calc_none();
    if (start->rank < 0)
        return calc_of_tuple(a->ctx, row ? lay_compact_row(a->ctx, shape, start->leaf)
                                         : lay_compact_col(a->ctx, shape, start->leaf));
    if (start->rank != shape->rank) {
        lay_fail(a->ctx, "the shape '%s' and the start '%s' differ in rank",
                 lay_tuple_text(a->ctx, shape), lay_tuple_text(a->ctx, start));
        return calc_none();
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < shape->rank; ++i) {
        struct args sub = {a->ctx,
                           2,
                           {calc_of_tuple(a->ctx, shape->kid[i]),
                            calc_of_tuple(a->ctx, start->kid[i])}};
        kid[i] = compact_with(&sub, row).tuple;
    }
    return calc_of_tuple(a->ctx, lay_tuple(a->ctx, shape->rank, kid));
}

OP(op_compact_col) {
    return compact_with(a, false);
}

OP(op_compact_row) {
    return compact_with(a, true);
}

OP(op_tile_to_shape) {
    const struct lay_tuple *order = NULL;
    if (a->n > 2 && !(order = order_of(a, "tile_to_shape", 2, true))) return calc_none();
    return GIVE(lay_tile_to_shape(a->ctx, LAYOUT(0), TUPLE(1), order));
}

OP(op_domain_distribute) {
    return GIVE(lay_domain_distribute(a->ctx, TUPLE(0), NUM(1)));
}
