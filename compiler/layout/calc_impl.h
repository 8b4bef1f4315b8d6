// What the files of the calculator share.
#ifndef TCPC_LAYOUT_CALC_IMPL_H
#define TCPC_LAYOUT_CALC_IMPL_H

#include "layout/calc.h"
#include "layout/impl.h"

// A kind of argument.  An argument of another kind is converted where that is unambiguous.
enum arg_kind {
    ARG_END,
    ARG_LAYOUT,  // a shape without a stride is compact, first mode fastest
    ARG_TILER,
    ARG_TUPLE,  // an integer or tuple; the shape where it is a layout
    ARG_INT,    // static
    ARG_SWIZZLE,
    ARG_BITS,
    ARG_ANY,
    ARG_MODES,  // a tuple, or its modes as arguments: row((4,8)) and row(4,8)
};

enum { MAX_ARGS = 5 };

// What becomes of the offset of a view, "3+(8):(1)", that an operation is applied to.
enum offset_rule {
    OFFSET_STAYS,   // the result begins there, too
    OFFSET_UNUSED,  // the answer is one of shape and strides alone
    OFFSET_OWN,     // the operation reckons with it
    OFFSET_NONE,    // there is no answer for what does not begin at 0
};

struct args {
    struct lay_ctx *ctx;
    int n;
    struct calc_value v[MAX_ARGS];  // a view is given as its layout
    struct lay_sum offset;          // and as this
};

typedef struct calc_value op_fn(struct args *a);

struct op {
    const char *name;
    int min;  // arguments that must be there
    unsigned char arg[MAX_ARGS];
    op_fn *fn;
    enum offset_rule offset;
};

extern const struct op calc_ops[];

// The operations that calc_shapes.c has for the table.
op_fn op_ceil_div, op_compatible, op_congruent, op_weakly_congruent, op_evenly_divides, op_crd2idx,
    op_idx2crd, op_crd2crd, op_hier_coord, op_flat_coord, op_1d_coord, op_local_tile,
    op_local_partition, op_upcast, op_downcast, op_recast, op_make_swizzle, op_swizzle_apply,
    op_composition, op_eval, op_make_layout;

// A slice that keeps all modes leaves a swizzle as it is.
struct calc_value calc_settle(struct lay_ctx *, struct lay_view, const struct lay_tuple *coord);

const struct op *calc_find(const char *name, size_t len);
// Reports that no operation is called so.
void calc_unknown(struct lay_ctx *ctx, const char *name, size_t n);

struct calc_value calc_none(void);
struct calc_value calc_of_view(struct lay_view);
struct calc_value calc_of_swizzle(struct lay_swizzle);
struct calc_value calc_static(struct lay_ctx *, int64_t);
const char *calc_kind_name(enum calc_kind);

// Conversions: invalid, with the reason, when there is none.
struct lay calc_layout(struct lay_ctx *, struct calc_value);
const struct lay_tuple *calc_tuple(struct lay_ctx *, struct calc_value);
const struct lay_tiler *calc_tiler(struct lay_ctx *, struct calc_value);

// "o" between two values: composition, or a swizzle and what stands under it.
struct calc_value calc_compose(struct lay_ctx *, int n, const struct calc_value *term);
// "op" is one of "==", "!=", "<", "<=", ">", ">=".  The order is one of static integers.
struct calc_value calc_compare(struct lay_ctx *, const char *op, struct calc_value,
                               struct calc_value);
struct calc_value calc_apply(struct lay_ctx *, const struct op *, int n,
                             const struct calc_value *arg);

#endif
