// Index expressions: offsets, coordinates and loop bounds that depend on something that is known
// only when the kernel runs: tid, block.x, a loop variable, a param.
//
// An expression is quasi-affine: a sum of terms coefficient * atom.  The coefficient is a lay_int,
// which may contain params.  The atom is a variable, a quotient or remainder of an expression by a
// positive lay_int, or a swizzle of an expression.  Every constructor simplifies: x / k * k + x % k
// is x, and (8*x + y) / 8 is x if 0 <= y < 8.  So most equal offsets have the same form, and
// emitted index arithmetic is folded.  Expressions are immutable and allocated in the session's
// arena.  NULL is the invalid expression, the result of an overflow or an inexact coefficient;
// functions return it if an operand is invalid.
#ifndef TCPC_INDEX_IX_H
#define TCPC_INDEX_IX_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/lay.h"

struct session;
struct buf;

enum ix_var_kind {
    IX_TID,
    IX_LANE,
    IX_WARP,
    IX_BLOCK_X,
    IX_BLOCK_Y,
    IX_BLOCK_Z,
    IX_LOOP,
    IX_FORMAL,
    IX_NAMED
};

// What kinds have in common.  Their order means nothing, but that of the axes of a block.
typedef bool ix_kind_fn(enum ix_var_kind k);
static inline bool ix_is_thread(enum ix_var_kind k) {
    return k == IX_TID || k == IX_LANE || k == IX_WARP;
}
static inline bool ix_is_no_thread(enum ix_var_kind k) {
    return !ix_is_thread(k);
}
static inline bool ix_is_block(enum ix_var_kind k) {
    return k == IX_BLOCK_X || k == IX_BLOCK_Y || k == IX_BLOCK_Z;
}
// The axis of a block's coordinate: 0 for x.
static inline int ix_axis(enum ix_var_kind k) {
    return (int)k - IX_BLOCK_X;
}
// Whether it counts blocks or iterations.
static inline bool ix_is_block_or_loop(enum ix_var_kind k) {
    return ix_is_block(k) || k == IX_LOOP;
}

// A variable has values lo <= v < end.  Both may contain params.  If "end" is invalid (den 0),
// there is no upper bound.
struct ix_var {
    enum ix_var_kind kind;
    const char *name;  // as in the plan: "tid", "block.x", "k"
    // its name in emitted code: "tid", "block_x", "k"; set by lowering
    const char *c_name;
    int id;  // index into an evaluation's values; unique in a session
    struct lay_int lo, end;
    bool uniform;  // IX_NAMED: the same for all threads of a block
};

enum ix_op { IX_SUM, IX_VAR, IX_DIV, IX_MOD, IX_SWZ };

struct ix;
struct ix_term {
    struct lay_int coef;
    // never an IX_SUM; NULL for a constant term; constants come first
    const struct ix *atom;
    // width in which its factors are multiplied, see "bits" of struct ix
    int bits;
};

struct ix {
    enum ix_op op;
    int id;  // order of creation in the session; terms are sorted by it
    int nterms;
    const struct ix_term *term;  // IX_SUM: no term is zero; the sum of no terms is 0
    const struct ix_var *var;    // IX_VAR
    const struct ix *a;          // IX_DIV, IX_MOD, IX_SWZ
    struct lay_int k;            // IX_DIV, IX_MOD
    struct lay_swizzle sw;       // IX_SWZ
    int64_t lo, hi;              // inclusive range of values, saturating
    // How many variables, numbers and operations its text has, at most IX_HUGE.  An operand that is
    // used twice counts twice: it is the cost of walking through the expression.
    int size;
    // Width of its type in emitted code, and of its divisor's: 32 or 64; 0: not decided yet.  A
    // divisor of 32 bits may be computed in 64.  Set in Kernel IR (kernel/widths.h).  Constructors
    // leave them 0, and comparisons ignore them.
    int bits, divisor_bits;
};

enum { IX_HUGE = 1 << 24 };

const struct ix *ix_int(struct session *s, int64_t value);
const struct ix *ix_lay(struct session *s, struct lay_int value);
// Converts "e" to an integer of the layout library; a sum becomes a symbol printed as "name", of
// which values below 0 are excluded.  ix_lay converts it back to "e".
struct lay_int ix_to_lay(struct session *s, const struct ix *e, const char *name);
// Whether "x" or "e" contains such a symbol for a sum.
bool ix_int_is_open(struct lay_int x);
bool ix_is_open(const struct ix *e);
const struct ix *ix_var(struct session *s, const struct ix_var *v);
const struct ix *ix_add(struct session *s, const struct ix *a, const struct ix *b);
const struct ix *ix_sub(struct session *s, const struct ix *a, const struct ix *b);
const struct ix *ix_scale(struct session *s, const struct ix *a, struct lay_int by);
// Floor division and its remainder.  "by" must be provably positive.
const struct ix *ix_div(struct session *s, const struct ix *a, struct lay_int by);
const struct ix *ix_mod(struct session *s, const struct ix *a, struct lay_int by);
const struct ix *ix_swizzle(struct session *s, const struct ix *a, struct lay_swizzle sw);
// The product, if one of the two has no variables; otherwise NULL (not quasi-affine).
const struct ix *ix_mul(struct session *s, const struct ix *a, const struct ix *b);

// Whether "is" holds for "e", or for an operand or an atom in it.  False for NULL.
typedef bool ix_is_fn(const struct ix *e, const void *user);
bool ix_has(const struct ix *e, ix_is_fn *is, const void *user);
// Whether "is" holds for a coefficient or a divisor in "e".
typedef bool ix_int_fn(struct lay_int x, const void *user);
bool ix_has_int(const struct ix *e, ix_int_fn *is, const void *user);
// Whether "e" has no variables.  Params are not variables.
bool ix_constant(const struct ix *e);
// Whether "e" is an integer literal.  "value" may be NULL.
bool ix_static(const struct ix *e, int64_t *value);
// Whether "e" is a single lay_int: a number, or a product of params with a coefficient.
bool ix_monomial(const struct ix *e, struct lay_int *value);
bool ix_equal(const struct ix *a, const struct ix *b);
// Whether "e" depends on a variable of that kind.
bool ix_depends(const struct ix *e, enum ix_var_kind kind);
// Whether "e" depends on a variable of a kind for which "is" holds.
bool ix_depends_if(const struct ix *e, ix_kind_fn *is);
bool ix_depends_on(const struct ix *e, const struct ix_var *v);
// Whether "e" depends on a variable that has no values: the loop over it is empty.
bool ix_is_never(const struct ix *e);
// Whether a coefficient or divisor in "e" contains the param.
bool ix_speaks_of(const struct ix *e, const struct lay_sym *y);
// Rebuilds "e", replacing each operand or atom by the result of "part".  A variable has no parts.
typedef const struct ix *ix_part_fn(struct session *s, const struct ix *e, const void *user);
const struct ix *ix_made_of(struct session *s, const struct ix *e, ix_part_fn *part,
                            const void *user);
// "e" with "v" replaced by "by".
const struct ix *ix_substitute(struct session *s, const struct ix *e, const struct ix_var *v,
                               const struct ix *by);
// The largest known divisor of all values of "e"; 0 for the expression 0.
int64_t ix_divisor(const struct ix *e);
// Upper and lower bound of "e" over the ranges of variables.  The result has no variables except
// formals of a device function (IX_FORMAL).  NULL if there is no bound.
const struct ix *ix_max(struct session *s, const struct ix *e);
const struct ix *ix_min(struct session *s, const struct ix *e);
// Whether "e" provably never decreases when "v" increases; with "falls", never increases.
bool ix_rises(const struct ix *e, const struct ix_var *v, bool falls);
// Saturating bounds of all intermediate results that a machine computes: for an integer (its
// division is last), for a term, and for a sum with its partial sums in any order.
struct ix_bounds {
    int64_t lo, hi;
};
struct ix_bounds ix_int_bounds(struct lay_int x);
struct ix_bounds ix_term_bounds(struct ix_term t);
struct ix_bounds ix_sum_bounds(const struct ix *e);
// Whether an intermediate result of "e" may exceed 64 bits.  False for NULL.
bool ix_may_overflow(const struct ix *e);
// Whether all quotients, remainders and swizzles in "e" have operands that are not negative, so
// that C's own operators compute them.
bool ix_rounds_down(const struct ix *e);
// Whether e >= 0 is proven for all values of variables and params.
bool ix_provably_nonnegative(struct session *s, const struct ix *e);

// Values of variables by ix_var.id and of symbols by lay_sym.id.
struct ix_env {
    const int64_t *var;
    const int64_t *sym;
};
// Evaluates "e".  Returns false on overflow, and if a division has a remainder.
bool ix_eval(const struct ix *e, const struct ix_env *env, int64_t *out);

// The number of the term at position "i" of the printed sum; C evaluates it in the same order.
// Numbers are last, because 128*block.x + 3 is easier to read than 3 + 128*block.x.
int ix_written(const struct ix *e, int i);
// If the coefficient is negative, negates it and returns true: its term is then printed with a
// minus.
bool ix_take_minus(struct lay_int *coef);

// The value of "a OP b" for an operator "==" "!=" "<" "<=" ">" ">=".
bool ix_compares(const char *op, int64_t a, int64_t b);

// "e" in the notation of plans: "128*block.x + tid / 4".
const char *ix_text(struct session *s, const struct ix *e);

#endif
