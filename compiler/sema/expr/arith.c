// Arithmetic: of integers, including params and values known only at run time, and of the offset
// before a layout.
#include <inttypes.h>

#include "sema/expr/expr.h"

static const struct value *too_large(struct sema *c, const struct ast_expr *e) {
    return FAIL(c, e->at, "the result does not fit 64 bits, or is not a sum of products of params");
}

// The quotient that "e" is, if it is rounded down and known when the kernel is launched; or NULL.
static const struct ix *rounded_down(const struct ix *e) {
    return e->op == IX_DIV && ix_constant(e) ? e : NULL;
}

// The product of "x", which only the kernel knows, and "q", a quotient that is rounded down.
static const struct value *times_quotient(struct sema *c, const struct ix *x, const struct ix *q,
                                          const struct ast_expr *e) {
    diag_error(c->s, e->at,
               "'%s' cannot be multiplied by '%s', a quotient of params that is rounded down",
               ix_text(c->s, x), ix_text(c->s, q));
    note_inexact(c, q, e->at);
    return &value_none;
}

// The integer "ix"; NULL if it overflowed.
static const struct value *fits(struct sema *c, const struct ix *ix, const struct ast_expr *e) {
    return ix ? value_written_out(c, ix, e->at) : too_large(c, e);
}

static const struct ix *negative(struct sema *c, int64_t x) {
    return x < -INT64_MAX ? NULL : ix_int(c->s, -x);
}

// Whether the sum, difference or product of two literals does not fit 64 bits.
static bool overflows(enum ast_op op, const struct ix *a, const struct ix *b) {
    int64_t x, y, r;
    if (!ix_static(a, &x) || !ix_static(b, &y)) return false;
    switch (op) {
    case OP_ADD: return __builtin_add_overflow(x, y, &r);
    case OP_SUB: return __builtin_sub_overflow(x, y, &r);
    case OP_MUL: return __builtin_mul_overflow(x, y, &r);
    default: return false;
    }
}

// "x" divided by a negative number.  Rounds down like all quotients, so a remainder is not
// positive.
static const struct value *divide_down(struct sema *c, enum ast_op op, int64_t x, int64_t by,
                                       const struct ast_expr *e) {
    if (by == -1) return op == OP_MOD ? value_static(c, 0) : fits(c, negative(c, x), e);
    int64_t q = x / by, rest = x % by;
    if (rest > 0) {
        q--;
        rest += by;
    }
    return value_static(c, op == OP_DIV ? q : rest);
}

// Keeps the quotient "q" of "of" for a warning, if it is one number for all blocks or steps.
static void note_vanished(struct sema *c, const struct ix *of, const struct ix *q,
                          const struct ast_expr *e) {
    int64_t value;
    if (!ix_depends_if(of, ix_is_block_or_loop) || !ix_static(q, &value)) return;
    struct vanished *v = ARENA_NEW(&c->s->arena, struct vanished);
    *v = (struct vanished){of, value, e->at, e->rhs->at, NULL, c->plan->vanished};
    c->plan->vanished = v;
}

static const struct value *divide(struct sema *c, enum ast_op op, const struct ix *a,
                                  const struct ix *b, const struct ast_expr *e) {
    const char *verb = op == OP_DIV ? "divided" : "taken a remainder of";
    int64_t by = 1, x;
    struct lay_int k;
    bool known = ix_static(b, &by), zero = known && by == 0;
    if (zero) return FAIL(c, e->rhs->at, "division by zero");
    if (known && by < 0 && ix_static(a, &x)) return divide_down(c, op, x, by, e);
    if (!ix_monomial(b, &k) || k.basis >= 0)
        return FAIL(
            c, e->rhs->at,
            "'%s' cannot be %s by '%s'; the divisor must be a number or a product of params",
            ix_text(c->s, a), verb, ix_text(c->s, b));
    int64_t lo, hi;
    lay_int_range(k, &lo, &hi);
    if (lo <= 0)
        return FAIL(c, e->rhs->at, "the divisor '%s' may be %" PRId64 "; it must be positive",
                    ix_text(c->s, b), lo);
    const struct ix *q = op == OP_DIV ? ix_div(c->s, a, k) : ix_mod(c->s, a, k);
    if (op == OP_DIV) note_vanished(c, a, q, e);
    return fits(c, q, e);
}

// Arithmetic and comparison of two integers.
static const struct value *int_op(struct sema *c, enum ast_op op, const struct value *va,
                                  const struct value *vb, const struct ast_expr *e) {
    const struct ix *a = va->ix, *b = vb->ix, *r = NULL;
    if (op == OP_DIV || op == OP_MOD) return divide(c, op, a, b, e);
    bool product = op == OP_MUL && !ix_constant(a) && !ix_constant(b);
    if (product && (ix_depends(a, IX_NAMED) || ix_depends(b, IX_NAMED)))
        return FAIL(c, e->at, "the product of '%s' and '%s'; an index map multiplies by numbers",
                    ix_text(c->s, a), ix_text(c->s, b));
    if (product)
        return FAIL(c, e->at,
                    "the product of '%s' and '%s', both known only when the kernel runs, cannot be "
                    "proven to be inside a tensor",
                    ix_text(c->s, a), ix_text(c->s, b));
    if (overflows(op, a, b)) return too_large(c, e);
    if (op == OP_ADD) r = ix_add(c->s, a, b);
    if (op == OP_SUB) r = ix_sub(c->s, a, b);
    if (op == OP_MUL) r = ix_mul(c->s, a, b);
    if (op == OP_MUL && !r && (rounded_down(a) || rounded_down(b)))
        return rounded_down(b) ? times_quotient(c, a, b, e) : times_quotient(c, b, a, e);
    return fits(c, r, e);
}

static bool has_basis(const struct ast_expr *e) {
    while (e->kind == E_BINARY && (e->op == OP_ADD || e->op == OP_SUB)) {
        if (e->rhs->kind == E_BASIS) return true;
        e = e->lhs;
    }
    return e->kind == E_BASIS;
}

// The offset "e" before a layout.  Its terms may contain params and basis elements.
static bool eval_offset(struct sema *c, const struct ast_expr *e, struct lay_sum *out) {
    bool sum = e->kind == E_BINARY && (e->op == OP_ADD || e->op == OP_SUB);
    if (!sum || !has_basis(e)) return value_to_lay_sum(c, eval(c, e), e->at, "the offset", out);
    struct lay_sum more;
    if (!eval_offset(c, e->lhs, out) || !eval_offset(c, e->rhs, &more)) return false;
    lay_clear_error(c->lay);
    for (int i = 0; i < more.n; ++i) {
        struct lay_int term = e->op == OP_SUB ? lay_int_neg(c->lay, more.term[i]) : more.term[i];
        *out = lay_sum_add(c->lay, *out, lay_sum_of(c->lay, term));
    }
    if (!lay_sum_valid(*out)) sema_lay_error(c, e->at, "the offset");
    return lay_sum_valid(*out);
}

const struct value *eval_with_offset(struct sema *c, const struct ast_expr *lhs,
                                     const struct value *v) {
    struct calc_value out = {.kind = CALC_VIEW};
    if (v->kind == VAL_NONE) return v;
    if (!eval_offset(c, lhs, &out.offset)) return &value_none;
    out.layout = v->calc.layout;
    return value_calc(c, out);
}

const struct value *eval_binary(struct sema *c, const struct ast_expr *e) {
    if (e->op == OP_ADD && has_basis(e->lhs)) {
        const struct value *v = eval(c, e->rhs);
        if (value_is_layout(v)) return eval_with_offset(c, e->lhs, v);
        if (v->kind == VAL_NONE) return v;
    }
    const struct value *a = eval(c, e->lhs), *b = eval(c, e->rhs);
    if (a->kind == VAL_NONE || b->kind == VAL_NONE) return &value_none;
    if (e->op >= OP_EQ) return eval_compare(c, e->op, a, b, e);
    const struct value *ua = value_unwrap(a), *ub = value_unwrap(b);
    if (ua->kind == VAL_PROP || ub->kind == VAL_PROP)
        return sema_not_yet_value(
            c, e->at,
            "arithmetic with a property of a copy; compare the property itself with a value");
    if (ua->kind == VAL_INT && ub->kind == VAL_INT) return int_op(c, e->op, ua, ub, e);
    if (e->op == OP_ADD && ua->kind == VAL_INT && value_is_layout(b))
        return eval_with_offset(c, e->lhs, b);
    bool left = ua->kind != VAL_INT;
    if (ua->kind == VAL_VIEW || ub->kind == VAL_VIEW)
        return FAIL(c, e->at,
                    "'%s' works on integers; a plan copies elements, and does not compute "
                    "with them",
                    ast_op_text(e->op));
    return FAIL(c, left ? e->lhs->at : e->rhs->at, "'%s' takes integers, not %s",
                ast_op_text(e->op), value_kind_text(left ? a : b));
}

const struct value *eval_neg(struct sema *c, const struct ast_expr *e) {
    const struct value *v = value_unwrap(eval(c, e->lhs));
    if (v->kind == VAL_NONE) return v;
    if (v->kind == VAL_CALC && v->calc.kind == CALC_INT)
        return value_lay_int(c, lay_int_neg(c->lay, v->calc.tuple->leaf));
    if (v->kind != VAL_INT)
        return FAIL(c, e->at, "'-' takes an integer, not %s", value_kind_text(v));
    return fits(c, ix_sub(c->s, ix_int(c->s, 0), v->ix), e);
}
