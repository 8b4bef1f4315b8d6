// The operations of the layout algebra, as CuTe names them.  Separate from lay.h, which has the
// types and the essay.
//
// Each function takes the context first.  @pre says when there is an answer (else the result is
// invalid and the context says why), @post what holds of it.  "R(i)" is the value of a layout at
// the linear coordinate "i", first mode fastest; a layout runs on past its size in its last mode.
#ifndef TCPC_LAYOUT_ALGEBRA_H
#define TCPC_LAYOUT_ALGEBRA_H

#include "layout/lay.h"

// -- limits ---------------------------------------------------------------------------------------
enum {
    LAY_MAX_RANK = 64,     // modes of one tuple
    LAY_MAX_LEAVES = 256,  // leaves of one tuple
    LAY_MAX_DEPTH = 16,    // parentheses within parentheses
    LAY_MAX_SYMS = 16,     // symbols multiplied in one leaf
};

// -- more on integers -----------------------------------------------------------------------------
// A sum of leaves: an offset.  Equal symbols are merged, a static term comes last; no terms is 0.
struct lay_sum {
    int n;
    const struct lay_int *term;
};
#define LAY_SUM_INVALID ((struct lay_sum){-1, NULL})

bool lay_int_less(struct lay_int a, struct lay_int b);        // provably a < b
bool lay_int_less_equal(struct lay_int a, struct lay_int b);  // provably a <= b
// Provably a % by == 0, "by" may have symbols.
bool lay_int_divides(struct lay_int by, struct lay_int a);
struct lay_int lay_int_neg(struct lay_ctx *, struct lay_int);
// The sum or difference as one leaf.  @pre both are static, or they are multiples of the same
// symbols.
struct lay_int lay_int_add(struct lay_ctx *, struct lay_int, struct lay_int);
struct lay_int lay_int_sub(struct lay_ctx *, struct lay_int, struct lay_int);
// "8@1" in the form lay_int has it.  "path" names the mode, the outermost first: (1) is @1, (1,0)
// is @0@1.
struct lay_int lay_int_basis(struct lay_ctx *, struct lay_int scale, int depth, const int *path);
int lay_int_basis_path(struct lay_int, int path[3]);  // the depth, 0 for an ordinary integer
struct lay_sum lay_sum_of(struct lay_ctx *, struct lay_int);
struct lay_sum lay_sum_add(struct lay_ctx *, struct lay_sum, struct lay_sum);
// @pre no more than one term, or all static.
struct lay_int lay_sum_int(struct lay_ctx *, struct lay_sum);
bool lay_sum_valid(struct lay_sum);
const char *lay_sum_text(struct lay_ctx *, struct lay_sum);

// -- tuples ---------------------------------------------------------------------------------------
// The place holder "_" of slices and tilers is a leaf of its own kind.
const struct lay_tuple *lay_any(struct lay_ctx *);
bool lay_is_any(const struct lay_tuple *);
const struct lay_tuple *lay_leaf_of(struct lay_ctx *, int64_t);
const struct lay_tuple *lay_tuple2(struct lay_ctx *, const struct lay_tuple *,
                                   const struct lay_tuple *);
bool lay_tuple_equal(const struct lay_tuple *, const struct lay_tuple *);
bool lay_tuple_static(const struct lay_tuple *);
int lay_tuple_rank(const struct lay_tuple *);   // 1 for a leaf
int lay_tuple_depth(const struct lay_tuple *);  // 0 for a leaf
int lay_tuple_leaves(const struct lay_tuple *);
struct lay_int lay_tuple_product(struct lay_ctx *, const struct lay_tuple *);
// A leaf is its own mode 0.
const struct lay_tuple *lay_tuple_get(struct lay_ctx *, const struct lay_tuple *, int i);
const struct lay_tuple *lay_tuple_flatten(struct lay_ctx *, const struct lay_tuple *);
const struct lay_tuple *
// (size of mode 0, size of mode 1 ..)
lay_product_each(struct lay_ctx *, const struct lay_tuple *);
bool lay_congruent(const struct lay_tuple *, const struct lay_tuple *);
// Each leaf of the first stands for anything.
bool lay_weakly_congruent(const struct lay_tuple *, const struct lay_tuple *);
bool lay_compatible(struct lay_ctx *, const struct lay_tuple *, const struct lay_tuple *);
bool lay_evenly_divides(struct lay_ctx *, const struct lay_tuple *, const struct lay_tuple *);
const struct lay_tuple *lay_ceil_div(struct lay_ctx *, const struct lay_tuple *,
                                     const struct lay_tuple *);
const struct lay_tuple *lay_round_up(struct lay_ctx *, const struct lay_tuple *,
                                     const struct lay_tuple *);
const struct lay_tuple *lay_shape_div(struct lay_ctx *, const struct lay_tuple *,
                                      const struct lay_tuple *);
// strides 1, s0, s0*s1 .. (from the last mode for "row"), times "start"; 0 where the shape is
// statically 1
const struct lay_tuple *lay_compact_col(struct lay_ctx *, const struct lay_tuple *shape,
                                        struct lay_int start);
const struct lay_tuple *lay_compact_row(struct lay_ctx *, const struct lay_tuple *shape,
                                        struct lay_int start);

// -- making layouts -------------------------------------------------------------------------------
struct lay lay_make_col(struct lay_ctx *, const struct lay_tuple *shape);
struct lay lay_make_row(struct lay_ctx *, const struct lay_tuple *shape);
struct lay lay_make_ordered(struct lay_ctx *, const struct lay_tuple *shape,
                            const struct lay_tuple *order);
struct lay lay_make_identity(struct lay_ctx *, const struct lay_tuple *shape);
// Compact, strides in the order of the argument's.
struct lay lay_make_like(struct lay_ctx *, struct lay);
struct lay lay_make_fragment_like(struct lay_ctx *, struct lay);       // mode 0 compact and first
struct lay lay_join(struct lay_ctx *, int n, const struct lay *mode);  // one layout a mode
// Sw<b,m,s> o offset o l.  @pre b, m >= 0, |s| >= b, all within 63 bits.
struct lay lay_swizzled(struct lay_ctx *, struct lay_swizzle, struct lay_int offset, struct lay l);
bool lay_swizzle_valid(struct lay_ctx *, struct lay_swizzle);
// From the two bit masks.
bool lay_swizzle_make(struct lay_ctx *, int64_t yyy, int64_t zzz, struct lay_swizzle *out);
int64_t lay_swizzle_apply(struct lay_swizzle, int64_t);
struct lay lay_layout_invalid(void);
bool lay_equal(struct lay, struct lay);  // written the same
// The same function on the same size; static.
bool lay_same(struct lay_ctx *, struct lay, struct lay);
bool lay_static(struct lay);

// -- looking at layouts ---------------------------------------------------------------------------
struct lay_int lay_size(struct lay_ctx *, struct lay);
// Greatest value + 1 (of the layout under a swizzle); static, or one mode of symbols.
struct lay_int lay_cosize(struct lay_ctx *, struct lay);
int lay_rank(struct lay);
int lay_depth(struct lay);
struct lay lay_mode(struct lay_ctx *, struct lay, int i);
struct lay lay_get(struct lay_ctx *, struct lay, int n, const int *path);
struct lay lay_inner(struct lay);                     // without swizzle and offset
bool lay_is_injective(struct lay_ctx *, struct lay);  // static, without repeated values

// The value at a linear coordinate, at a coordinate of the shape (leaves may stand for whole
// modes), false with the reason when it overflows or is not static.
bool lay_eval(struct lay_ctx *, struct lay, int64_t i, int64_t *out);
bool lay_eval_coord(struct lay_ctx *, struct lay, const struct lay_tuple *coord, int64_t *out);
// The same for any layout, also with basis strides (a tuple) and symbols (one leaf a mode).
const struct lay_tuple *lay_eval_tuple(struct lay_ctx *, struct lay, const struct lay_tuple *coord);

// Numbers for the symbols: value_of_sym[id] for each param.
struct lay lay_substitute(struct lay_ctx *, struct lay, const int64_t *value_of_sym);
const struct lay_tuple *lay_tuple_substitute(struct lay_ctx *, const struct lay_tuple *,
                                             const int64_t *value_of_sym);

// -- coordinates ----------------------------------------------------------------------------------
// The offset of "coord" under the swizzle, symbols allowed in strides and in coordinates that stand
// for one leaf.
struct lay_sum lay_crd2idx_sum(struct lay_ctx *, const struct lay_tuple *coord, struct lay);
struct lay_int lay_crd2idx(struct lay_ctx *, const struct lay_tuple *coord,
                           const struct lay_tuple *shape,
                           const struct lay_tuple *stride);  // "stride" NULL: compact
const struct lay_tuple *lay_idx2crd(struct lay_ctx *, const struct lay_tuple *index,
                                    const struct lay_tuple *shape, const struct lay_tuple *stride);
const struct lay_tuple *lay_crd2crd(struct lay_ctx *, const struct lay_tuple *coord,
                                    const struct lay_tuple *from, const struct lay_tuple *to);
// Of a value, by the strides.
const struct lay_tuple *lay_hier_coord(struct lay_ctx *, struct lay, int64_t index);
const struct lay_tuple *lay_flat_coord(struct lay_ctx *, struct lay, int64_t index);
struct lay_int lay_1d_coord(struct lay_ctx *, struct lay, int64_t index);

// What a slice leaves: the value is sw(layout.offset + offset + <c, stride>).
struct lay_view {
    struct lay_sum offset;
    struct lay layout;
};
// Keeps the modes with "_".
struct lay_view lay_slice(struct lay_ctx *, struct lay, const struct lay_tuple *coord);
// The same values as offset + layout(c), the offset outside the swizzle.  @pre both offsets are
// static, where it is swizzled.
struct lay_view lay_settle(struct lay_ctx *, struct lay_view);
// Keeps the modes without.
struct lay lay_dice(struct lay_ctx *, const struct lay_tuple *coord, struct lay);

// -- rearranging modes ----------------------------------------------------------------------------
struct lay lay_flatten(struct lay_ctx *, struct lay);
struct lay lay_group(struct lay_ctx *, struct lay, int begin, int end);
struct lay lay_select(struct lay_ctx *, struct lay, int n, const int *modes);
struct lay lay_take(struct lay_ctx *, struct lay, int begin, int end);
struct lay lay_replace(struct lay_ctx *, struct lay, int i, struct lay by);
struct lay lay_append(struct lay_ctx *, struct lay, struct lay);
struct lay lay_prepend(struct lay_ctx *, struct lay, struct lay);
// "pad" 1:0 by default.
struct lay lay_append_to(struct lay_ctx *, struct lay, int rank, struct lay pad);
struct lay lay_prepend_to(struct lay_ctx *, struct lay, int rank, struct lay pad);
struct lay lay_zip(struct lay_ctx *, struct lay);               // ((a,b),(c,d)) -> ((a,c),(b,d))
struct lay lay_zip2(struct lay_ctx *, struct lay, struct lay);  // modes (a_i, b_i)
struct lay lay_unflatten(struct lay_ctx *, struct lay, const struct lay_tuple *profile);

// -- the algebra ----------------------------------------------------------------------------------
// @post R(i) = L(i) for all i; depth <= 1, no mode of static size 1 (but 1:0), no two modes that
// could be one
struct lay lay_coalesce(struct lay_ctx *, struct lay);
// At each leaf of "profile".
struct lay lay_coalesce_by(struct lay_ctx *, struct lay, const struct lay_tuple *profile);
struct lay lay_filter_zeros(struct lay_ctx *, struct lay);  // size 1 where the stride is 0
struct lay lay_filter(struct lay_ctx *, struct lay);
struct lay lay_filter_by(struct lay_ctx *, struct lay, const struct lay_tuple *profile);
struct lay lay_nullspace(struct lay_ctx *, struct lay);  // @post A(R(i)) = A(0)
// @post R(i) = L(i), shape(R) as asked.
struct lay lay_with_shape(struct lay_ctx *, struct lay, const struct lay_tuple *shape);

// @pre each mode of "b" meets the modes of "a" at whole steps.  @post R(i) = A(B(i)); shape(R)
// refines shape(B)
struct lay lay_compose(struct lay_ctx *, struct lay a, struct lay b);
struct lay lay_compose_tiler(struct lay_ctx *, struct lay a, const struct lay_tiler *);

// @pre A without its zeros is injective, and each stride is a multiple of what the modes below it
// span, as far as "cotarget" reaches.  @post the images are disjoint but for 0, R is ordered, (A,
// R) fills "cotarget"
// "cotarget" NULL: cosize(A).
struct lay lay_complement(struct lay_ctx *, struct lay a, const struct lay_tuple *cotarget);
struct lay lay_right_inverse(struct lay_ctx *, struct lay);  // @post A(R(i)) = i
struct lay lay_left_inverse(struct lay_ctx *, struct lay);   // @pre injective.  @post R(A(i)) = i

// -- tilers ---------------------------------------------------------------------------------------
// What divides, multiplies or composes by mode: a layout tiles the whole, a shape (n0, n1 ..) and
// <t0, t1 ..> tile by mode,
// "_" leaves a mode whole.
enum lay_tiler_kind { LAY_TILER_ANY, LAY_TILER_LAYOUT, LAY_TILER_SHAPE, LAY_TILER_MODES };
struct lay_tiler {
    enum lay_tiler_kind kind;
    struct lay layout;              // LAYOUT; for a leaf n of a shape n:1
    const struct lay_tuple *shape;  // SHAPE, as it was written
    int rank;                       // SHAPE, MODES
    const struct lay_tiler *const *kid;
};
const struct lay_tiler *lay_tiler_any(struct lay_ctx *);
const struct lay_tiler *lay_tiler_layout(struct lay_ctx *, struct lay);
const struct lay_tiler *
lay_tiler_shape(struct lay_ctx *, const struct lay_tuple *);  // an integer n is the layout n:1
// Copies "kid".
const struct lay_tiler *lay_tiler_modes(struct lay_ctx *, int n,
                                        const struct lay_tiler *const *kid);
const struct lay_tiler *lay_parse_tiler(struct lay_ctx *, const char *text);
const char *lay_tiler_text(struct lay_ctx *, const struct lay_tiler *);

// ((T0,R0),(T1,R1),rest..); a layout: (T,R).  @post exact wherever the coordinate is in A; a tile
// that does not divide pads, as CuTe pads
struct lay lay_logical_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// ((T0,T1),(R0,R1,rest..))
struct lay lay_zipped_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// ((T0,T1),R0,R1,rest..)
struct lay lay_tiled_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// (T0,T1,R0,R1,rest..)
struct lay lay_flat_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// The same with a stride also for a rest of one tile, which is 0 above: that of the tile that would
// come next, of a longer A.  A coordinate beyond the only tile is then beyond A.  SLICED is
// ZIPPED for who takes one tile: there may be more modes in the rest, where the only tile is
// after others that are between its elements.
enum lay_divide_form {
    LAY_DIVIDE_LOGICAL,
    LAY_DIVIDE_ZIPPED,
    LAY_DIVIDE_TILED,
    LAY_DIVIDE_FLAT,
    LAY_DIVIDE_SLICED
};
struct lay lay_divide_on(struct lay_ctx *, enum lay_divide_form, struct lay,
                         const struct lay_tiler *);
// @post mode 0 is A, mode 1 the complement of A (which may leave holes here) composed with the
// tiler, the images of the copies are disjoint
struct lay lay_logical_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_zipped_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_tiled_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_flat_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_blocked_product(struct lay_ctx *, struct lay, struct lay);
struct lay lay_raked_product(struct lay_ctx *, struct lay, struct lay);
// "order" NULL: first mode first.
struct lay lay_tile_to_shape(struct lay_ctx *, struct lay, const struct lay_tuple *shape,
                             const struct lay_tuple *order);

// -- tensors --------------------------------------------------------------------------------------
// "coord" picks the tile, "_" keeps the rest mode.  "proj" (NULL: all) has "_" for the modes of the
// tiler to leave out.
struct lay_view lay_local_tile(struct lay_ctx *, struct lay, const struct lay_tiler *,
                               const struct lay_tuple *coord, const struct lay_tuple *proj);
struct lay_view lay_local_partition(struct lay_ctx *, struct lay, struct lay thr, int64_t index,
                                    const struct lay_tuple *proj);
// The same for a coordinate that is known only when running: the tiled layout, to be sliced by the
// coordinate. zipped_divide by the thread layout's shape: ((T0,T1..),(R0,R1..)) -> the caller
// slices mode 0.
struct lay lay_partition_tiled(struct lay_ctx *, struct lay, struct lay thr,
                               const struct lay_tuple *proj);

// -- from points ----------------------------------------------------------------------------------
// Where the values of a function are not those of a layout: at "at" it is "is", the layout that the
// points before begin would go on with "would_be".  "run" is 0, or the points before are a mode of
// "run", which does not divide the "of" that are left.
struct lay_mismatch {
    int64_t at, is, would_be, run, of;
};
// The coalesced layout R of "n" points with R(i) = value[i] for each i below "n"; static and
// without offset.  @post when there is none the result is invalid, "why" is filled, and the context
// untouched.
struct lay lay_recover(struct lay_ctx *, int64_t n, const int64_t *value, struct lay_mismatch *why);

// -- widths ---------------------------------------------------------------------------------------
struct lay lay_upcast(struct lay_ctx *, struct lay, int64_t n);    // elements n times as wide
struct lay lay_downcast(struct lay_ctx *, struct lay, int64_t n);  // elements n times as narrow
struct lay lay_recast(struct lay_ctx *, struct lay, int64_t old_bits, int64_t new_bits);
// Elements; a lower bound with symbols.
struct lay_int lay_max_common_vector(struct lay_ctx *, struct lay, struct lay);
struct lay lay_max_common_layout(struct lay_ctx *, struct lay, struct lay);
struct lay_int lay_max_alignment(struct lay_ctx *, struct lay);  // elements, a known divisor
struct lay lay_domain_distribute(struct lay_ctx *, const struct lay_tuple *shape, int64_t b);

#endif
