// The operations of the layout algebra, with CuTe's names.  lay.h has the types and an
// introduction.
//
// The context is the first argument.  @pre says when there is a result; otherwise the result is
// invalid and the context has the reason.  @post says what is true of the result.  "R(i)" is the
// value of layout R at the linear coordinate "i", first mode fastest.  Beyond its size, a layout
// continues in its last mode.
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
// A sum of leaves, used for offsets.  Terms with equal symbols are merged, and the static term
// comes last.  The sum of no terms is 0.
struct lay_sum {
    int n;
    const struct lay_int *term;
};
#define LAY_SUM_INVALID ((struct lay_sum){-1, NULL})

bool lay_int_less(struct lay_int a, struct lay_int b);        // provably a < b
bool lay_int_less_equal(struct lay_int a, struct lay_int b);  // provably a <= b
// Whether "a" is provably a multiple of "by", which may have symbols.
bool lay_int_divides(struct lay_int by, struct lay_int a);
struct lay_int lay_int_neg(struct lay_ctx *, struct lay_int);
// The sum as one leaf.  @pre both are static, or both are multiples of the same
// symbols.
struct lay_int lay_int_add(struct lay_ctx *, struct lay_int, struct lay_int);
// The basis element "scale"@"path" as a leaf.  "path" names a mode, the outermost first: (1) is @1,
// and (1,0) is @0@1.
struct lay_int lay_int_basis(struct lay_ctx *, struct lay_int scale, int depth, const int *path);
// sets "path" and returns its length; 0 for an ordinary integer
int lay_int_basis_path(struct lay_int, int path[3]);
struct lay_sum lay_sum_of(struct lay_ctx *, struct lay_int);
struct lay_sum lay_sum_add(struct lay_ctx *, struct lay_sum, struct lay_sum);
// The sum as one leaf.  @pre the sum has at most one term, or all terms are static.
struct lay_int lay_sum_int(struct lay_ctx *, struct lay_sum);
bool lay_sum_valid(struct lay_sum);
const char *lay_sum_text(struct lay_ctx *, struct lay_sum);

// -- tuples ---------------------------------------------------------------------------------------
// The placeholder "_" of slices and tilers is a leaf of its own kind.
const struct lay_tuple *lay_any(struct lay_ctx *);
bool lay_is_any(const struct lay_tuple *);
// Whether "is" holds for all leaves; false for NULL.
bool lay_tuple_all(const struct lay_tuple *, bool (*is)(struct lay_int));
// Whether a leaf is '_'.
bool lay_has_any(const struct lay_tuple *);
const struct lay_tuple *lay_leaf_of(struct lay_ctx *, int64_t);
const struct lay_tuple *lay_tuple2(struct lay_ctx *, const struct lay_tuple *,
                                   const struct lay_tuple *);
bool lay_tuple_equal(const struct lay_tuple *, const struct lay_tuple *);
bool lay_tuple_static(const struct lay_tuple *);
int lay_tuple_rank(const struct lay_tuple *);   // 1 for a leaf
int lay_tuple_depth(const struct lay_tuple *);  // 0 for a leaf
int lay_tuple_leaves(const struct lay_tuple *);
struct lay_int lay_tuple_product(struct lay_ctx *, const struct lay_tuple *);
// Mode 0 of a leaf is the leaf itself.
const struct lay_tuple *lay_tuple_get(struct lay_ctx *, const struct lay_tuple *, int i);
const struct lay_tuple *lay_tuple_flatten(struct lay_ctx *, const struct lay_tuple *);
const struct lay_tuple *
// (size of mode 0, size of mode 1 ..)
lay_product_each(struct lay_ctx *, const struct lay_tuple *);
bool lay_congruent(const struct lay_tuple *, const struct lay_tuple *);
// The same, but a leaf of the first tuple matches anything.
bool lay_weakly_congruent(const struct lay_tuple *, const struct lay_tuple *);
bool lay_compatible(struct lay_ctx *, const struct lay_tuple *, const struct lay_tuple *);
bool lay_evenly_divides(struct lay_ctx *, const struct lay_tuple *, const struct lay_tuple *);
const struct lay_tuple *lay_ceil_div(struct lay_ctx *, const struct lay_tuple *,
                                     const struct lay_tuple *);
const struct lay_tuple *lay_round_up(struct lay_ctx *, const struct lay_tuple *,
                                     const struct lay_tuple *);
const struct lay_tuple *lay_shape_div(struct lay_ctx *, const struct lay_tuple *,
                                      const struct lay_tuple *);
// Strides 1, s0, s0*s1 .. times "start"; for "row", from the last mode on.  The stride is 0 where
// the extent is statically 1.
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
// Compact, with strides in the same order as those of the argument.
struct lay lay_make_like(struct lay_ctx *, struct lay);
struct lay lay_make_fragment_like(struct lay_ctx *, struct lay);       // mode 0 compact and first
struct lay lay_join(struct lay_ctx *, int n, const struct lay *mode);  // one layout a mode
// Sw<b,m,s> o offset o l.  @pre b, m >= 0, |s| >= b, all within 63 bits.
struct lay lay_swizzled(struct lay_ctx *, struct lay_swizzle, struct lay_int offset, struct lay l);
bool lay_swizzle_valid(struct lay_ctx *, struct lay_swizzle);
// Makes the swizzle from its two bit masks.
bool lay_swizzle_make(struct lay_ctx *, int64_t yyy, int64_t zzz, struct lay_swizzle *out);
int64_t lay_swizzle_apply(struct lay_swizzle, int64_t);
struct lay lay_layout_invalid(void);
bool lay_equal(struct lay, struct lay);  // written the same
// Whether both have the same size and the same values.  @pre both are static.
bool lay_same(struct lay_ctx *, struct lay, struct lay);
bool lay_static(struct lay);

// -- looking at layouts ---------------------------------------------------------------------------
struct lay_int lay_size(struct lay_ctx *, struct lay);
// The largest value + 1.  With symbols there is a result only if it is one term.
struct lay_int lay_cosize(struct lay_ctx *, struct lay);
// The same with strides taken positive and without swizzle and offset: how many numbers the layout
// spans.
struct lay_int lay_span(struct lay_ctx *, struct lay);
int lay_rank(struct lay);
int lay_depth(struct lay);
struct lay lay_mode(struct lay_ctx *, struct lay, int i);
struct lay lay_get(struct lay_ctx *, struct lay, int n, const int *path);
struct lay lay_inner(struct lay);                     // without swizzle and offset
bool lay_is_injective(struct lay_ctx *, struct lay);  // static, without repeated values

// The value at a linear coordinate, or at a coordinate of the shape, in which a leaf may take the
// place of a whole mode.  Fails, with the reason, on overflow or if the layout is not static.
bool lay_eval(struct lay_ctx *, struct lay, int64_t i, int64_t *out);
bool lay_eval_coord(struct lay_ctx *, struct lay, const struct lay_tuple *coord, int64_t *out);
// The same for any layout: also with basis strides (the value is a tuple) and with symbols.
const struct lay_tuple *lay_eval_tuple(struct lay_ctx *, struct lay, const struct lay_tuple *coord);

// Replaces the symbols of params by numbers; value_of_sym[id] is the value of a param.
struct lay lay_substitute(struct lay_ctx *, struct lay, const int64_t *value_of_sym);

// -- coordinates ----------------------------------------------------------------------------------
// The offset of "coord", before the swizzle.  Strides may have symbols, and so may coordinates of
// single leaves.
struct lay_sum lay_crd2idx_sum(struct lay_ctx *, const struct lay_tuple *coord, struct lay);
struct lay_int lay_crd2idx(struct lay_ctx *, const struct lay_tuple *coord,
                           const struct lay_tuple *shape,
                           const struct lay_tuple *stride);  // "stride" NULL: compact
const struct lay_tuple *lay_idx2crd(struct lay_ctx *, const struct lay_tuple *index,
                                    const struct lay_tuple *shape, const struct lay_tuple *stride);
const struct lay_tuple *lay_crd2crd(struct lay_ctx *, const struct lay_tuple *coord,
                                    const struct lay_tuple *from, const struct lay_tuple *to);
// The coordinate whose value is "index", computed from the strides.
const struct lay_tuple *lay_hier_coord(struct lay_ctx *, struct lay, int64_t index);
const struct lay_tuple *lay_flat_coord(struct lay_ctx *, struct lay, int64_t index);
// A coordinate of "shape" with an integer for each mode.
const struct lay_tuple *lay_flat_of_coord(struct lay_ctx *, const struct lay_tuple *coord,
                                          const struct lay_tuple *shape);

// The result of a slice.  Its value at c is sw(layout.offset + offset + <c, stride>).
struct lay_view {
    struct lay_sum offset;
    struct lay layout;
};
// Keeps the modes with "_".
struct lay_view lay_slice(struct lay_ctx *, struct lay, const struct lay_tuple *coord);
// An equivalent view whose value at c is offset + layout(c): its offset is added after the
// swizzle.  @pre both offsets are static if there is a swizzle.
struct lay_view lay_settle(struct lay_ctx *, struct lay_view);
// Keeps the modes without "_".
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
// @post R(i) = L(i) for all i; depth <= 1; no mode has the static size 1 (except 1:0); no two
// neighbouring modes can be merged
struct lay lay_coalesce(struct lay_ctx *, struct lay);
// The same for the part of the layout at each leaf of "profile".
struct lay lay_coalesce_by(struct lay_ctx *, struct lay, const struct lay_tuple *profile);
struct lay lay_filter_zeros(struct lay_ctx *, struct lay);  // size 1 where the stride is 0
struct lay lay_filter(struct lay_ctx *, struct lay);
struct lay lay_filter_by(struct lay_ctx *, struct lay, const struct lay_tuple *profile);
struct lay lay_nullspace(struct lay_ctx *, struct lay);  // @post A(R(i)) = A(0)
// @post R(i) = L(i), and R has the given shape.
struct lay lay_with_shape(struct lay_ctx *, struct lay, const struct lay_tuple *shape);

// @pre each mode of "b" meets the modes of "a" at whole steps.  @post R(i) = A(B(i)); shape(R)
// refines shape(B)
struct lay lay_compose(struct lay_ctx *, struct lay a, struct lay b);
struct lay lay_compose_tiler(struct lay_ctx *, struct lay a, const struct lay_tiler *);

// @pre A without its zero strides is injective; each stride below "cotarget" is a multiple of the
// span of the modes with smaller strides.  @post the images of A and R share only 0; the strides of
// R ascend; (A, R) reaches all numbers below "cotarget"
// "cotarget" NULL: cosize(A).
struct lay lay_complement(struct lay_ctx *, struct lay a, const struct lay_tuple *cotarget);
struct lay lay_right_inverse(struct lay_ctx *, struct lay);  // @post A(R(i)) = i
struct lay lay_left_inverse(struct lay_ctx *, struct lay);   // @pre injective.  @post R(A(i)) = i

// -- tilers ---------------------------------------------------------------------------------------
// A tiler divides, multiplies or composes a layout.  A tiler that is a layout applies to the whole
// layout.  A shape (n0, n1 ..) and <t0, t1 ..> apply to each mode separately, and "_" keeps a mode
// whole: composition and the logical forms leave it as it is; in the other forms, the tile or block
// has all of it, and the rest is 1:0.
enum lay_tiler_kind { LAY_TILER_ANY, LAY_TILER_LAYOUT, LAY_TILER_SHAPE, LAY_TILER_MODES };
struct lay_tiler {
    enum lay_tiler_kind kind;
    struct lay layout;              // LAYOUT; the leaf n of a shape is the layout n:1
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

// ((T0,R0),(T1,R1),rest..); for a layout as tiler: (T,R).  @post the values are exact at all
// coordinates inside A.  A tile that does not divide A pads it, as in CuTe
struct lay lay_logical_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// ((T0,T1),(R0,R1,rest..))
struct lay lay_zipped_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// ((T0,T1),R0,R1,rest..)
struct lay lay_tiled_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// (T0,T1,R0,R1,rest..)
struct lay lay_flat_divide(struct lay_ctx *, struct lay, const struct lay_tiler *);
// Forms of lay_divide_on.  It is like the functions above, but a rest of one tile has a stride too,
// where they have 0: the stride to the tile that would come next in a longer A.  A coordinate
// beyond the only tile is then beyond A.  SLICED is ZIPPED for a caller who takes one tile: the
// rest may have an extra mode of size 1 after other modes.
enum lay_divide_form {
    LAY_DIVIDE_LOGICAL,
    LAY_DIVIDE_ZIPPED,
    LAY_DIVIDE_TILED,
    LAY_DIVIDE_FLAT,
    LAY_DIVIDE_SLICED
};
struct lay lay_divide_on(struct lay_ctx *, enum lay_divide_form, struct lay,
                         const struct lay_tiler *);
// @post mode 0 is A; mode 1 is the complement of A (which may leave holes here) composed with the
// tiler; the copies are disjoint
struct lay lay_logical_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_zipped_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_tiled_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_flat_product(struct lay_ctx *, struct lay, const struct lay_tiler *);
struct lay lay_blocked_product(struct lay_ctx *, struct lay, struct lay);
struct lay lay_raked_product(struct lay_ctx *, struct lay, struct lay);
// "order" NULL: the first mode first.
struct lay lay_tile_to_shape(struct lay_ctx *, struct lay, const struct lay_tuple *shape,
                             const struct lay_tuple *order);

// -- tensors --------------------------------------------------------------------------------------
// "coord" selects the tile; "_" in it keeps a mode over tiles.  "proj" has "_" for the modes of the
// tiler to leave out; NULL: none.
struct lay_view lay_local_tile(struct lay_ctx *, struct lay, const struct lay_tiler *,
                               const struct lay_tuple *coord, const struct lay_tuple *proj);
struct lay_view lay_local_partition(struct lay_ctx *, struct lay, struct lay thr, int64_t index,
                                    const struct lay_tuple *proj);

// -- from points ----------------------------------------------------------------------------------
// Why a function is no layout: its value at "at" is "is", but a layout with the values before "at"
// would have the value "would_be".  If "run" > 0, the values before "at" are a mode of extent
// "run", which does not divide the "of" values that are left.
struct lay_mismatch {
    int64_t at, is, would_be, run, of;
};
// The coalesced layout R with R(i) = value[i] for all i < n.  It is static and has no offset.
// @post if there is none, the result is invalid, "why" is filled, and the context has no error.
struct lay lay_recover(struct lay_ctx *, int64_t n, const int64_t *value, struct lay_mismatch *why);

// -- widths ---------------------------------------------------------------------------------------
struct lay lay_upcast(struct lay_ctx *, struct lay, int64_t n);    // elements n times as wide
struct lay lay_downcast(struct lay_ctx *, struct lay, int64_t n);  // elements n times as narrow
struct lay lay_recast(struct lay_ctx *, struct lay, int64_t old_bits, int64_t new_bits);
// Elements.  With symbols, a lower bound.
struct lay_int lay_max_common_vector(struct lay_ctx *, struct lay, struct lay);
struct lay lay_max_common_layout(struct lay_ctx *, struct lay, struct lay);
struct lay_int lay_max_alignment(struct lay_ctx *, struct lay);  // elements, a known divisor
struct lay lay_domain_distribute(struct lay_ctx *, const struct lay_tuple *shape, int64_t b);

#endif
