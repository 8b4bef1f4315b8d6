// Shared by the files of the calculator.
#ifndef TCPC_LAYOUT_CALC_IMPL_H
#define TCPC_LAYOUT_CALC_IMPL_H

#include "layout/calc.h"
#include "layout/impl.h"

// A kind of argument.  An argument of another kind is converted where that is unambiguous.
enum arg_kind {
    ARG_END,
    ARG_LAYOUT,  // a shape without strides counts as compact, first mode fastest
    ARG_TILER,
    ARG_TUPLE,  // an integer or tuple; of a layout, its shape
    ARG_INT,    // static
    ARG_SWIZZLE,
    ARG_BITS,
    ARG_ANY,
    ARG_MODES,  // a tuple, or its modes as separate arguments: row((4,8)) and row(4,8)
    ARG_PLAN,   // exists only in plans: a tiled copy, an atom, a label, a kernel, a tensor
    ARG_MORE,   // any number of further arguments, like the last one
};

enum { MAX_ARGS = 5 };

// What an operation does with the offset of a view, such as "3+(8):(1)".
enum offset_rule {
    OFFSET_STAYS,   // the result has the same offset
    OFFSET_UNUSED,  // the result depends only on shape and strides
    OFFSET_OWN,     // the operation itself handles it
    OFFSET_NONE,    // the operation refuses a view that does not begin at 0
};

struct args {
    struct lay_ctx *ctx;
    int n;
    struct calc_value v[MAX_ARGS];  // a view is split into its layout
    struct lay_sum offset;          // .. and its offset
};

typedef struct calc_value op_fn(struct args *a);

struct op {
    const char *name;
    int min;  // least number of arguments
    unsigned char arg[MAX_ARGS];
    op_fn *fn;  // NULL: only sema has a function for it
    enum offset_rule offset;
    enum calc_where where;
    const char *args;  // as in the help: "(L [, mode])"
    const char *help;
};

extern const struct op calc_ops[];  // in the order of names
extern const int calc_n_ops;

// What the table computes: calc_ops.c, calc_shapes.c.
op_fn op_1d_coord, op_append, op_append_to, op_blocked_product, op_ceil_div, op_coalesce, op_col,
    op_compact_col, op_compact_row, op_compatible, op_complement, op_composition, op_congruent,
    op_cosize, op_crd2crd, op_crd2idx, op_depth, op_dice, op_domain_distribute, op_downcast,
    op_eval, op_evenly_divides, op_filter, op_filter_zeros, op_flat_coord, op_flat_divide,
    op_flat_product, op_flatten, op_get, op_group, op_hier_coord, op_identity_flat_divide,
    op_identity_logical_divide, op_identity_tiled_divide, op_identity_zipped_divide, op_idx2crd,
    op_left_inverse, op_local_partition, op_local_tile, op_logical_divide, op_logical_product,
    op_make_fragment_like, op_make_identity, op_make_layout, op_make_layout_like, op_make_ordered,
    op_make_swizzle, op_max_alignment, op_max_common_layout, op_max_common_vector, op_nullspace,
    op_prepend, op_prepend_to, op_product_each, op_raked_product, op_rank, op_recast, op_replace,
    op_right_inverse, op_round_up, op_row, op_select, op_shape, op_shape_div, op_size, op_slice,
    op_stride, op_swizzle_apply, op_take, op_tile_to_shape, op_tiled_divide, op_tiled_product,
    op_unflatten, op_upcast, op_weakly_congruent, op_with_shape, op_zip, op_zipped_divide,
    op_zipped_product;

// Settles a slice (lay_settle).  A slice that keeps all modes keeps its swizzle unchanged.
struct calc_value calc_settle(struct lay_ctx *, struct lay_view, const struct lay_tuple *coord);

struct calc_value calc_none(void);
struct calc_value calc_of_view(struct lay_view);
struct calc_value calc_of_swizzle(struct lay_swizzle);
struct calc_value calc_static(struct lay_ctx *, int64_t);
const char *calc_kind_name(enum calc_kind);

// Conversions.  The result is invalid, with the reason, if there is none.
const struct lay_tuple *calc_tuple(struct lay_ctx *, struct calc_value);
const struct lay_tiler *calc_tiler(struct lay_ctx *, struct calc_value);

// The operator "o": composition, or a swizzle applied to a layout.
struct calc_value calc_compose(struct lay_ctx *, int n, const struct calc_value *term);
// Whether the first "n" arguments consist only of numbers, without '_'.
bool calc_numbers(struct args *a, int n);
struct calc_value calc_apply(struct lay_ctx *, const struct op *, int n,
                             const struct calc_value *arg);

#endif
