// Index expressions: what an offset, a coordinate or a loop bound is made of once it depends on
// something that is known only when the kernel runs: tid, block.x, a loop variable, a param.
//
// Quasi-affine: sums of terms coefficient x atom, the coefficient a lay_int (it may hold params),
// the atom a variable, a quotient or remainder of an expression by a positive lay_int, or a swizzle
// of an expression.  Every constructor simplifies (x / k * k + x % k is x; (8*x + y) / 8 is x when
// 0 <= y < 8), so that equal offsets mostly look equal and emitted index arithmetic is folded.
// Expressions are immutable and live in the session's arena.  NULL is the invalid expression:
// overflow, an inexact coefficient; every function takes it through.
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

// A variable takes the values lo <= v < end; both may hold params.  end invalid (den 0): not
// bounded.
struct ix_var {
    enum ix_var_kind kind;
    const char *name;    // as in the plan: "tid", "block.x", "k"
    const char *c_name;  // in emitted code: "tid", "block_x", "k"; lowering gives it
    int id;              // index into an evaluation's values; unique in a session
    struct lay_int lo, end;
};

enum ix_op { IX_SUM, IX_VAR, IX_DIV, IX_MOD, IX_SWZ };

struct ix;
struct ix_term {
    struct lay_int coef;
    const struct ix *atom;  // never an IX_SUM; NULL for a constant term (all constants come first)
    int bits;               // the type that its factors are multiplied in, see below
};

struct ix {
    enum ix_op op;
    int id;  // order of creation in the session: sorts terms
    int nterms;
    const struct ix_term *term;  // IX_SUM: none of them zero; no terms is 0
    const struct ix_var *var;    // IX_VAR
    const struct ix *a;          // IX_DIV, IX_MOD, IX_SWZ
    struct lay_int k;            // IX_DIV, IX_MOD
    struct lay_swizzle sw;       // IX_SWZ
    int64_t lo, hi;              // inclusive range of values, saturating
    // The variables, numbers and operations of its text, at most IX_HUGE.  An operand that is used
    // twice counts twice, as whatever walks through an expression visits it twice.
    int size;
    // 32 or 64: the width of its type in emitted code, and of its divisor's; 0: not decided. Kernel
    // IR has them (kernel/widths.h); no constructor gives one, and no comparison looks at them.
    int bits, divisor_bits;
};

enum { IX_HUGE = 1 << 24 };

const struct ix *ix_int(struct session *s, int64_t value);
const struct ix *ix_lay(struct session *s, struct lay_int value);
// The value of "e", 0 or more, as an integer of the layout library; ix_lay gives "e" back.
struct lay_int ix_to_lay(struct session *s, const struct ix *e, const char *name);
// Whether such a value is left in "x" or "e" as something unknown.
bool ix_int_is_open(struct lay_int x);
bool ix_is_open(const struct ix *e);
const struct ix *ix_var(struct session *s, const struct ix_var *v);
const struct ix *ix_add(struct session *s, const struct ix *a, const struct ix *b);
const struct ix *ix_sub(struct session *s, const struct ix *a, const struct ix *b);
const struct ix *ix_scale(struct session *s, const struct ix *a, struct lay_int by);
// floor division and the remainder that goes with it; "by" must be provably positive
const struct ix *ix_div(struct session *s, const struct ix *a, struct lay_int by);
const struct ix *ix_mod(struct session *s, const struct ix *a, struct lay_int by);
const struct ix *ix_swizzle(struct session *s, const struct ix *a, struct lay_swizzle sw);
// The product when one of the two is free of variables, NULL otherwise (not quasi-affine).
const struct ix *ix_mul(struct session *s, const struct ix *a, const struct ix *b);

// Does not depend on any variable (params are no variables).
bool ix_constant(const struct ix *e);
// Is an integer literal; "value" may be NULL.
bool ix_static(const struct ix *e, int64_t *value);
// Is one lay_int (a static or symbolic monomial).
bool ix_monomial(const struct ix *e, struct lay_int *value);
bool ix_equal(const struct ix *a, const struct ix *b);
// Depends on a variable of that kind.
bool ix_depends(const struct ix *e, enum ix_var_kind kind);
bool ix_depends_on(const struct ix *e, const struct ix_var *v);
// Holds that param, in a coefficient or a divisor.
bool ix_speaks_of(const struct ix *e, const struct lay_sym *y);
// "e" rebuilt from what "part" gives for each operand or atom of it; a variable has none.
typedef const struct ix *ix_part_fn(struct session *s, const struct ix *e, const void *user);
const struct ix *ix_made_of(struct session *s, const struct ix *e, ix_part_fn *part,
                            const void *user);
// The expression with "v" replaced by "by".
const struct ix *ix_substitute(struct session *s, const struct ix *e, const struct ix_var *v,
                               const struct ix *by);
// The greatest known divisor of all values of the expression (elements), 0 for the expression 0.
int64_t ix_divisor(const struct ix *e);
// Bounds over the variables' ranges, free of all but a device function's formals (IX_FORMAL); NULL
// when there is none.
const struct ix *ix_max(struct session *s, const struct ix *e);
const struct ix *ix_min(struct session *s, const struct ix *e);
// Whether "e" never becomes less when "v" becomes greater, or with "falls" never greater: known, or
// not.
bool ix_rises(const struct ix *e, const struct ix_var *v, bool falls);
// Saturating bounds of all that a machine computes on the way to a value: of an integer, whose
// division comes last, of a term, and of the partial sums of a sum in whatever order.
struct ix_bounds {
    int64_t lo, hi;
};
struct ix_bounds ix_int_bounds(struct lay_int x);
struct ix_bounds ix_term_bounds(struct ix_term t);
struct ix_bounds ix_sum_bounds(const struct ix *e);
// Whether something on the way to a value of "e" may be more than 64 bits hold; the invalid
// expression has no value.
bool ix_may_overflow(const struct ix *e);
// Whether every quotient, remainder and swizzle in the expression is of something that is not
// negative, so that C's own operators compute it.
bool ix_rounds_down(const struct ix *e);
// e >= 0 for all values of variables and params: proven, or not.
bool ix_provably_nonnegative(struct session *s, const struct ix *e);

// Values of variables by ix_var.id and of symbols by lay_sym.id.
struct ix_env {
    const int64_t *var;
    const int64_t *sym;
};
// The value; false on overflow or a division that does not come out.
bool ix_eval(const struct ix *e, const struct ix_env *env, int64_t *out);

// Which term of a sum is the one at place "i" of its text, in which C also computes it: numbers
// come last, as 128*block.x + 3 reads better than 3 + 128*block.x.
int ix_written(const struct ix *e, int i);
// Whether a factor has a sign, which is then taken from it and comes before its term as a minus.
bool ix_take_minus(struct lay_int *coef);

// Whether a OP b: "==" "!=" "<" "<=" ">" ">=".
bool ix_compares(const char *op, int64_t a, int64_t b);

// As it is written in a plan: "128*block.x + tid / 4".
const char *ix_text(struct session *s, const struct ix *e);

#endif
