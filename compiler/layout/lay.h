// The layout library "lay": integers with symbols, tuples, layouts and their algebra, in the sense
// of NVIDIA CuTe.
//
// It depends only on the C library, so it can be used without the compiler.  All values are
// immutable, and their memory comes from the context's allocator; nothing is freed singly.  A
// function that has no result returns the invalid value of its type (LAY_INT_INVALID, a NULL tuple,
// a layout whose shape is NULL) and records the reason in the context.  It returns invalid
// arguments unchanged, so a caller checks a chain of calls once, at its end.
//
// LAYOUTS FROM SCRATCH.  The indented lines below are run as a test.  Left of the sign is an
// expression in the language's notation, right of it is its value.
//
// A layout is a function from coordinates to numbers, written as shape:stride.  The layout
// (4,8):(1,4) maps the coordinate (i, j) to i*1 + j*4.  It is a matrix of 4 rows and 8 columns,
// stored column by column:
//
//     crd2idx((2,3), (4,8):(1,4)) = 14
//     size((4,8):(1,4)) = 32
//
// Stored row by row, the matrix is (4,8):(8,1).  Strides may leave gaps, be 0 or be negative.  A
// mode may itself consist of modes.  Here, eight rows are two groups of four, 32 apart:
//
//     crd2idx(((1,1),3), ((4,2),8):((1,32),4)) = 45
//
// An integer can take the place of a tuple of coordinates: it counts through the modes, the first
// one fastest.  So each layout is also a function of one integer.  The algebra is about this
// function. Coordinate 5 of mode (4,2) is (1,1), so these two lines agree with the one above:
//
//     crd2idx((5,3), ((4,2),8):((1,32),4)) = 45
//     idx2crd(5, (4,2)) = (1,1)
//
// Many layouts are the same function.  coalesce returns the one with the fewest modes.  The layout
// (2,(1,6)):(1,(6,2)) has the values 0, 1, 2 .. 11, which is just 12:1:
//
//     coalesce((2,(1,6)):(1,(6,2))) = 12:1
//     coalesce((4,8):(8,1)) = (4,8):(8,1)
//
// COMPOSITION.  (A o B)(i) = A(B(i)) is "the elements of A at the places that B gives, in the order
// of B".  This takes every other row of a row-major matrix, column by column:
//
//     (4,8):(8,1) o (2,8):(2,4) = (2,8):(16,1)
//
// B steps through A one mode at a time.  In (6,2):(8,2) o 4:3, the steps of 3 have two stops in the
// mode of 6 and two in the next one, so 4 becomes (2,2):
//
//     (6,2):(8,2) o 4:3 = (2,2):(24,2)
//     crd2idx(3, (6,2):(8,2) o 4:3) = 26
//
// This works when steps and extents divide each other.  Otherwise no layout may have the required
// values.  The library then reports an error, where CuTe sometimes returns a wrong layout:
//
//     composition((4,6,8):(2,3,5), 6:3) = error
//
// Beyond its size, a layout continues in its last mode.  The tiler <B0, B1> composes each mode with
// a layout of its own:
//
//     (4,8):(8,1) o <2:2, 4:1> = (2,4):(16,1)
//
// COMPLEMENT.  The complement of B in n has the offsets of copies of B that together reach each
// number below n once.  4:2 has the values 0 2 4 6.  Shifted by 0 and 1, and again by 8 and 16, it
// fills 24:
//
//     complement(4:2, 24) = (2,3):(1,8)
//
// DIVIDE.  To divide A into tiles, compose it with (tile, complement of the tile).  The first mode
// of the result runs within a tile, the second one over the tiles.
//
//     logical_divide(24:1, 4:2) = (4,(2,3)):(2,(1,8))
//     24:1 o (4,(2,3)):(2,(1,8)) = (4,(2,3)):(2,(1,8))
//
// A shape divides each mode separately.  zipped_divide then collects the tiles' modes in its first
// mode, the modes over tiles in its second.  So the second mode is the index of a tile, and the
// first the index within it:
//
//     logical_divide((8,6):(6,1), (4,3)) = ((4,2),(3,2)):((6,24),(1,3))
//     zipped_divide((8,6):(6,1), (4,3)) = ((4,3),(2,2)):((6,1),(24,3))
//     local_tile((8,6):(6,1), (4,3), (1,0)) = 24+(4,3):(6,1)
//
// A product is the reverse: a block, and copies of it at the places of its complement.
//
//     logical_product((2,2):(1,2), 3:1) = ((2,2),3):((1,2),4)
//     blocked_product((2,2), (3,2)) = ((2,3),(2,2)):((1,4),(2,12))
//
// THREADS AND VALUES.  A layout can also say which thread owns which elements.  Let 4 by 8 threads
// have 4 by 1 adjacent values each.  raked_product maps a place (m, n) of the 16 by 8 tile to a
// number that combines the thread's number and the value's number:
//
//     raked_product((4,8), (4,1)) = ((4,4),(1,8)):((32,1),(0,4))
//
// Its right inverse maps (thread, value) back to the place, counted column by column.  This is the
// TV layout.  Thread 5, in the second column of threads, has the places 20 .. 23:
//
//     right_inverse(((4,4),(1,8)):((32,1),(0,4))) = (32,4):(4,1)
//     crd2idx((5,0), (32,4):(4,1)) = 20
//
// Composed with the layout of a tensor, it gives the elements of each thread.  In a row-major 16 by
// 8 tile, the four values of a thread are 8 apart, so they cannot be one vector.  In a column-major
// tile, they are adjacent:
//
//     (16,8):(8,1) o (32,4):(4,1) = ((4,8),4):((32,1),8)
//     (16,8):(1,16) o (32,4):(4,1) = (32,4):(4,1)
//     max_common_vector((16,8):(1,16), (16,8):(1,20)) = 16
//
// SWIZZLES.  Sw<b,m,s> XORs the b bits from bit m on with the b bits that are s positions higher,
// so that the elements of a column of a row-major tile are in different banks.  It is applied after
// a layout and an offset, counts in elements, and is its own inverse:
//
//     crd2idx((3,8), Sw<3,3,3> o 0 o (8,64):(64,1)) = 208
//     swizzle_apply(Sw<3,3,3>, 208) = 200
//     recast_layout(16b, 128b, Sw<3,3,3> o 0 o (8,64):(64,1)) = Sw<3,0,3> o 0 o (8,8):(8,1)
//
// SYMBOLS.  A leaf may be a product of params with a coefficient.  The known divisors and ranges of
// the params decide whether a quotient is exact:
//
//     logical_divide(M:lda, 128) = (128,ceil_div(M,128)):(lda,128*lda)
//     coalesce((M,K):(1,M)) = M*K:1
//
// COORDINATES AS VALUES.  If strides are basis elements, the values of a layout are coordinates.
// The algebra then computes which coordinates a tile has:
//
//     make_identity_layout((8,6)) = (8,6):(1@0,1@1)
//     zipped_divide((8,6):(1@0,1@1), (4,3)) = ((4,3),(2,2)):((1@0,1@1),(4@0,3@1))
#ifndef TCPC_LAYOUT_LAY_H
#define TCPC_LAYOUT_LAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lay_sym;
struct lay_tuple;
struct lay_tiler;

// The allocator hook: returns "bytes" bytes, aligned for any type.  It must not fail.
typedef void *lay_alloc_fn(void *user, size_t bytes);

// The tracing hook: an operation computed "result" by the rule "rule".
typedef void lay_trace_fn(void *user, const char *rule, const char *result);

struct lay_ctx {
    lay_alloc_fn *alloc;
    void *user;
    const char *error;             // the first error since lay_clear_error, or NULL
    int next_sym;                  // id of the next symbol
    const struct lay_sym *params;  // the newest param; a list, in which text finds params by name
    lay_trace_fn *trace;           // called for intermediate results, or NULL
    void *trace_user;
    // Called now and then while many values are computed, or NULL.  It may leave by longjmp.
    void (*poll)(void);
    unsigned evaluated;
};

// -- integers -------------------------------------------------------------------------------------
// A leaf of a tuple: num/den times a product of symbols, which are sorted by id.  A static leaf has
// no symbols, and den 1.  "basis" is the mode of a scaled basis element, as in the strides of
// identity layouts: 8@1 has num 8 and basis 1.  An ordinary integer has basis -1.  Printed: 12,
// 128*K, K/64, ceil_div(M,128), 8@1.
struct lay_int {
    int64_t num;
    int64_t den;  // > 0; 0 marks the invalid value
    const struct lay_sym *const *syms;
    int16_t nsyms;
    int16_t basis;
};
#define LAY_INT_INVALID ((struct lay_int){0, 0, NULL, 0, -1})

// A run-time integer: a param, a ceil_div of a product by a constant, or a sum (lay_int_sum).
struct lay_sym {
    const char *name;  // of a param or a sum, which has blanks: "N + K"; NULL for a ceil_div
    int id;
    int64_t mul;        // promised divisor, >= 1
    int64_t declared;   // the part of "mul" that does not follow from relations between params
    int64_t lo, hi;     // inclusive range
    struct lay_int of;  // ceil_div: dividend
    int64_t by;         // ceil_div: divisor
    // ceil_div: how many params and ceil_divs it contains, repeated ones counted each time; else 0
    int size;
    const struct lay_sym *prev;         // param: the one made before it
    const struct lay_product *product;  // param: promises of products that it begins
    const void *sum;                    // of lay_int_sum: for its caller; else NULL
};

// A promise that a product of params is a multiple of "by", which their own divisors do not make it.
struct lay_product {
    struct lay_int of;
    int64_t by;
    const struct lay_product *next;
};

// -- tuples ---------------------------------------------------------------------------------------
// rank -1: an integer leaf.  rank 0: ().  rank 1: (x), which is not x.
struct lay_tuple {
    int rank;
    struct lay_int leaf;
    const struct lay_tuple *const *kid;
};

// -- layouts --------------------------------------------------------------------------------------
// Sw<b,m,s>: x ^ ((x & yyy) >> s); b == 0 when there is no swizzle.  Units: elements of the
// layout's codomain.
struct lay_swizzle {
    int8_t b, m, s;
};

// Maps a coordinate c of "shape" to  sw(offset + <c, stride>).  Shape and stride are congruent.
struct lay {
    const struct lay_tuple *shape;  // NULL: invalid
    const struct lay_tuple *stride;
    struct lay_int offset;  // under the swizzle, 0 for a plain layout
    struct lay_swizzle sw;
    bool composed;  // prints as Sw<..> o offset o shape:stride
};

void lay_init(struct lay_ctx *ctx, lay_alloc_fn *alloc, void *user);
void lay_clear_error(struct lay_ctx *ctx);

// integers; every function is exact or gives LAY_INT_INVALID with the reason
struct lay_int lay_int(int64_t value);
const struct lay_sym *lay_param(struct lay_ctx *, const char *name, int64_t mul, int64_t lo,
                                int64_t hi);
// Adds to the promises of a param that "by" divides it.  Returns false if that is no news, or if no
// value in its range is such a multiple.
bool lay_param_divide(const struct lay_sym *, int64_t by);
// The same of the product of the params of "x", of which there are several.
bool lay_product_divide(struct lay_ctx *, struct lay_int x, int64_t by);
struct lay_int lay_int_sym(struct lay_ctx *, const struct lay_sym *);
// An integer that is not a product of params, such as the extent of a range.  It is printed as
// "name".  The library keeps "sum" for the caller and does not look at it.
struct lay_int lay_int_sum(struct lay_ctx *, const char *name, const void *sum, int64_t mul,
                           int64_t lo, int64_t hi);
bool lay_int_valid(struct lay_int);
bool lay_int_static(struct lay_int);                 // no symbols, no basis, den 1
bool lay_int_is_param(struct lay_int);               // one param or sum, with no factor
int64_t lay_gcd(int64_t a, int64_t b);               // of 0 and 0 it is 0
bool lay_int_is(struct lay_int, int64_t value);      // static and equal
bool lay_int_equal(struct lay_int, struct lay_int);  // provably equal
struct lay_int lay_int_mul(struct lay_ctx *, struct lay_int, struct lay_int);
// an error if not exact
struct lay_int lay_int_div(struct lay_ctx *, struct lay_int, struct lay_int);
struct lay_int lay_int_ceil_div(struct lay_ctx *, struct lay_int,
                                struct lay_int);     // divisor static
bool lay_int_divisible(struct lay_int, int64_t by);  // provably
// The sign says how symbols are ordered: params first, by id.  Two ceil_divs of the same dividend
// and divisor are equal.
int lay_sym_compare(const struct lay_sym *, const struct lay_sym *);
// The sign says how two terms are ordered by their bases and symbols, ignoring coefficients: fewer
// symbols come first.
int lay_int_compare_syms(struct lay_int, struct lay_int);
int64_t lay_int_divisor(struct lay_int);  // the greatest divisor that is known, >= 1; 0 for 0
void lay_int_range(struct lay_int, int64_t *lo, int64_t *hi);  // saturates at the ends of int64_t
// Evaluates the leaf; value_of_sym[id] is the value of a symbol.  Fails on overflow, and if a
// division has a remainder.
bool lay_int_eval(struct lay_int, const int64_t *value_of_sym, int64_t *out);

// tuples
const struct lay_tuple *lay_leaf(struct lay_ctx *, struct lay_int);
// Copies "kid".
const struct lay_tuple *lay_tuple(struct lay_ctx *, int rank, const struct lay_tuple *const *kid);
bool lay_is_leaf(const struct lay_tuple *);

// layouts
struct lay lay_make(struct lay_ctx *, const struct lay_tuple *shape,
                    const struct lay_tuple *stride);
bool lay_valid(struct lay);

// text: the readers read what CuTe and this library print, and must reach the end of "text".  The
// printers allocate from the context.
struct lay lay_parse(struct lay_ctx *, const char *text);
const struct lay_tuple *lay_parse_tuple(struct lay_ctx *, const char *text);
const char *lay_int_text(struct lay_ctx *, struct lay_int);
// The same as an operand: "(N + K)", if it is a sum (lay_sym.name).
const char *lay_int_operand(struct lay_ctx *, struct lay_int);
const char *lay_tuple_text(struct lay_ctx *, const struct lay_tuple *);
const char *lay_text(struct lay_ctx *, struct lay);

#include "layout/algebra.h"

#endif
