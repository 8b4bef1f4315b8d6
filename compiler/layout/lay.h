// The layout library "lay": integers with symbols, tuples, layouts and their algebra, in the sense
// of NVIDIA CuTe.
//
// It depends on libc alone, so that it can be used without the compiler.  Everything is immutable
// and lives in memory that the context's allocator hands out; nothing is freed one by one.  A
// function that has no answer returns its type's invalid value (LAY_INT_INVALID, a NULL tuple, a
// layout whose shape is NULL), records why in the context, and takes invalid values through
// unchanged, so that a chain of calls is checked once, at its end.
//
// LAYOUTS FROM SCRATCH.  The indented lines below are run as a test: left of the sign the
// language's notation, right of it what it answers.
//
// A layout is a function from coordinates to numbers, written as a shape and a stride: the
// coordinate (i, j) of (4,8):(1,4) goes to i*1 + j*4.  A matrix of 4 rows by 8 columns that is
// column by column:
//
//     crd2idx((2,3), (4,8):(1,4)) = 14
//     size((4,8):(1,4)) = 32
//
// Row by row it is (4,8):(8,1).  Strides may leave gaps, stand still (0) or run backwards; a mode
// may itself have modes.  Here eight rows are two groups of four, which are 32 apart:
//
//     crd2idx(((1,1),3), ((4,2),8):((1,32),4)) = 45
//
// A number may stand for a tuple of coordinates: it counts through the modes, the first one
// fastest.  So each layout is also a function of one number, and that is the function which the
// algebra is about. Coordinate 5 of mode ((4,2)) is (1,1), and as a function of one number the
// layout above starts
//
//     crd2idx((5,3), ((4,2),8):((1,32),4)) = 45
//     idx2crd(5, (4,2)) = (1,1)
//
// Many layouts are the same function.  coalesce gives the one with the fewest modes:
// (2,(1,6)):(1,(6,2)) walks 0, 1, 2 .. 11 and is just
//
//     coalesce((2,(1,6)):(1,(6,2))) = 12:1
//     coalesce((4,8):(8,1)) = (4,8):(8,1)
//
// COMPOSITION.  A layout can be followed by another: (A o B)(i) = A(B(i)), "the elements of A that
// B points to, in the order of B".  Every other element of a row-major matrix, by columns:
//
//     (4,8):(8,1) o (2,8):(2,4) = (2,8):(16,1)
//
// B steps through A one mode at a time.  In (6,2):(8,2) o 4:3 the steps of 3 make two stops in the
// mode of 6 and then go on in the next one, so that 4 becomes (2,2):
//
//     (6,2):(8,2) o 4:3 = (2,2):(24,2)
//     crd2idx(3, (6,2):(8,2) o 4:3) = 26
//
// That works when steps and extents divide each other; where they do not, no layout is the answer,
// and the library says so rather than give a wrong one (CuTe at times gives one):
//
//     composition((4,6,8):(2,3,5), 6:3) = error
//
// Past its size a layout runs on in its last mode.  By mode, <B0, B1> composes each mode with its
// own:
//
//     (4,8):(8,1) o <2:2, 4:1> = (2,4):(16,1)
//
// COMPLEMENT.  What B leaves out of n numbers, in order: (B, complement) reaches all of them once.
// 4:2 takes 0 2 4 6; shifted by 0 and 1, and again by 8 and 16, it fills 24:
//
//     complement(4:2, 24) = (2,3):(1,8)
//
// DIVIDE.  To cut A into tiles is to compose it with (tile, complement of the tile): the first mode
// runs within a tile, the second one over the tiles.
//
//     logical_divide(24:1, 4:2) = (4,(2,3)):(2,(1,8))
//     24:1 o (4,(2,3)):(2,(1,8)) = (4,(2,3)):(2,(1,8))
//
// With a shape each mode is cut for itself, and zipped_divide gathers tiles in front and what is
// over them after.  Then the second mode is the index of a block, the first the index within:
//
//     logical_divide((8,6):(6,1), (4,3)) = ((4,2),(3,2)):((6,24),(1,3))
//     zipped_divide((8,6):(6,1), (4,3)) = ((4,3),(2,2)):((6,1),(24,3))
//     local_tile((8,6):(6,1), (4,3), (1,0)) = 24+(4,3):(6,1)
//
// A product is the other way round: a block, and copies of it where its complement has room.
//
//     logical_product((2,2):(1,2), 3:1) = ((2,2),3):((1,2),4)
//     blocked_product((2,2), (3,2)) = ((2,3),(2,2)):((1,4),(2,12))
//
// THREADS AND VALUES.  Who owns what is a layout as well.  Let 4 by 8 threads have 4 by 1 values
// each, the values next to each other: raked_product maps a place (m, n) of the 16 by 8 tile to a
// number that has the thread's number and the value's number in it,
//
//     raked_product((4,8), (4,1)) = ((4,4),(1,8)):((32,1),(0,4))
//
// and its right inverse goes back, from (thread, value) to the place, column by column.  That is
// the TV layout.  Thread 5 (in the second column of threads) holds the places 20 .. 23:
//
//     right_inverse(((4,4),(1,8)):((32,1),(0,4))) = (32,4):(4,1)
//     crd2idx((5,0), (32,4):(4,1)) = 20
//
// Composed with a tensor's layout it gives each thread its elements.  In a row-major 16 by 8 tile
// the four values of a thread are 8 apart, and no vector is made of them; in a column-major one
// they are neighbours:
//
//     (16,8):(8,1) o (32,4):(4,1) = ((4,8),4):((32,1),8)
//     (16,8):(1,16) o (32,4):(4,1) = (32,4):(4,1)
//     max_common_vector((16,8):(1,16), (16,8):(1,20)) = 16
//
// SWIZZLES.  Sw<b,m,s> flips the b bits from bit m on by those s above them, so that columns of a
// row-major tile fall into different banks.  It follows a layout and an offset, counts in elements,
// and is its own inverse:
//
//     crd2idx((3,8), Sw<3,3,3> o 0 o (8,64):(64,1)) = 208
//     swizzle_apply(Sw<3,3,3>, 208) = 200
//     recast_layout(16b, 128b, Sw<3,3,3> o 0 o (8,64):(64,1)) = Sw<3,0,3> o 0 o (8,8):(8,1)
//
// SYMBOLS.  A leaf may be a product of params with a coefficient.  What is known of them, divisors
// and ranges, decides whether a quotient is exact:
//
//     logical_divide(M:lda, 128) = (128,ceil_div(M,128)):(lda,128*lda)
//     coalesce((M,K):(1,M)) = M*K:1
//
// COORDINATES AS VALUES.  With basis elements as strides a layout points to coordinates, and the
// algebra then says which ones a tile has:
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

// The allocator hook: returns "bytes" bytes aligned for any type, or does not return.
typedef void *lay_alloc_fn(void *user, size_t bytes);

// The tracing hook: an operation has come to "result" by the rule "rule".
typedef void lay_trace_fn(void *user, const char *rule, const char *result);

struct lay_ctx {
    lay_alloc_fn *alloc;
    void *user;
    const char *error;             // the first error since lay_clear_error, or NULL
    int next_sym;                  // id of the next symbol
    const struct lay_sym *params;  // the last param that was made: how text finds its names
    lay_trace_fn *trace;           // told of intermediate results, or NULL
    void *trace_user;
};

// -- integers -------------------------------------------------------------------------------------
// A leaf of a tuple: num/den times a product of symbols (sorted by id), with no symbols and den 1
// when it is static. "basis" names the mode of a scaled basis element, the strides of identity
// layouts: 8@1 is num 8, basis 1; -1 for an ordinary integer.  Printed: 12, 128*K, K/64,
// ceil_div(M,128), 8@1.
struct lay_int {
    int64_t num;
    int64_t den;  // > 0; 0 marks the invalid value
    const struct lay_sym *const *syms;
    int16_t nsyms;
    int16_t basis;
};
#define LAY_INT_INVALID ((struct lay_int){0, 0, NULL, 0, -1})

// A run-time integer: a param, or ceil_div of a product by a constant.
struct lay_sym {
    const char *name;  // of a param; NULL for a ceil_div
    int id;
    int64_t mul;                 // promised divisor, >= 1
    int64_t lo, hi;              // inclusive range
    struct lay_int of;           // ceil_div: dividend
    int64_t by;                  // ceil_div: divisor
    int size;                    // ceil_div: params and ceil_divs in it, written out; else 0
    const struct lay_sym *prev;  // param: the one made before it
    const void *sum;             // of a range's extent, which is no product: what its maker knows
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
struct lay_int lay_int_sym(struct lay_ctx *, const struct lay_sym *);
// An integer that is no product of params, called "name", and "sum" to who made it.
struct lay_int lay_int_sum(struct lay_ctx *, const char *name, const void *sum, int64_t mul,
                           int64_t lo, int64_t hi);
bool lay_int_valid(struct lay_int);
bool lay_int_static(struct lay_int);                 // no symbols, no basis, den 1
int64_t lay_gcd(int64_t a, int64_t b);               // of 0 and 0 it is 0
bool lay_int_is(struct lay_int, int64_t value);      // static and equal
bool lay_int_equal(struct lay_int, struct lay_int);  // provably equal
struct lay_int lay_int_mul(struct lay_ctx *, struct lay_int, struct lay_int);
struct lay_int lay_int_div(struct lay_ctx *, struct lay_int, struct lay_int);  // exact, or an error
struct lay_int lay_int_ceil_div(struct lay_ctx *, struct lay_int,
                                struct lay_int);     // divisor static
bool lay_int_divisible(struct lay_int, int64_t by);  // provably
// < 0, 0, > 0: params come first, by id; a ceil_div equals another of the same dividend and divisor
int lay_sym_compare(const struct lay_sym *, const struct lay_sym *);
// < 0, 0, > 0: the basis and the symbols of two terms, whatever their numbers; fewer symbols first
int lay_int_compare_syms(struct lay_int, struct lay_int);
int64_t lay_int_divisor(struct lay_int);  // the greatest divisor that is known, >= 1; 0 for 0
void lay_int_range(struct lay_int, int64_t *lo, int64_t *hi);  // saturates at the ends of int64_t
// value of a symbol: given by id; evaluates; false on overflow or a division that does not come out
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

// text: reads what CuTe and this library print (the whole of "text"), and prints into memory of the
// context
struct lay lay_parse(struct lay_ctx *, const char *text);
const struct lay_tuple *lay_parse_tuple(struct lay_ctx *, const char *text);
const char *lay_int_text(struct lay_ctx *, struct lay_int);
const char *lay_tuple_text(struct lay_ctx *, const struct lay_tuple *);
const char *lay_text(struct lay_ctx *, struct lay);

#include "layout/algebra.h"

#endif
