// The layout library "lay": integers with symbols, tuples, layouts and their algebra, in the sense
// of NVIDIA CuTe.
//
// It depends on libc alone, so that it can be used without the compiler.  Everything is immutable
// and lives in memory that the context's allocator hands out; nothing is freed one by one.  A
// function that has no answer returns its type's invalid value (LAY_INT_INVALID, a NULL tuple, a
// layout whose shape is NULL), records why in the context, and takes invalid values through
// unchanged, so that a chain of calls is checked once, at its end.
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

// -- integers ------------------------------------------------------------------------------------
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
    const struct lay_sym *prev;  // param: the one made before it
};

// -- tuples --------------------------------------------------------------------------------------
// rank -1: an integer leaf.  rank 0: ().  rank 1: (x), which is not x.
struct lay_tuple {
    int rank;
    struct lay_int leaf;
    const struct lay_tuple *const *kid;
};

// -- layouts -------------------------------------------------------------------------------------
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
bool lay_int_valid(struct lay_int);
bool lay_int_static(struct lay_int);                 // no symbols, no basis, den 1
bool lay_int_is(struct lay_int, int64_t value);      // static and equal
bool lay_int_equal(struct lay_int, struct lay_int);  // provably equal
struct lay_int lay_int_mul(struct lay_ctx *, struct lay_int, struct lay_int);
struct lay_int lay_int_div(struct lay_ctx *, struct lay_int, struct lay_int);  // exact, or an error
struct lay_int lay_int_ceil_div(struct lay_ctx *, struct lay_int,
                                struct lay_int);     // divisor static
bool lay_int_divisible(struct lay_int, int64_t by);  // provably
int64_t lay_int_divisor(struct lay_int);  // the greatest divisor that is known, >= 1; 0 for 0
void lay_int_range(struct lay_int, int64_t *lo, int64_t *hi);  // saturates at the ends of int64_t
// value of a symbol: given by id; evaluates; false on overflow or a division that does not come out
bool lay_int_eval(struct lay_int, const int64_t *value_of_sym, int64_t *out);

// tuples
const struct lay_tuple *lay_leaf(struct lay_ctx *, struct lay_int);
const struct lay_tuple *lay_tuple(struct lay_ctx *, int rank,
                                  const struct lay_tuple *const *kid);  // copies "kid"
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
