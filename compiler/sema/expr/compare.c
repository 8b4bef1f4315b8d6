// Comparisons: of integers, as far as ranges and promises of params decide them, and of tuples and
// layouts.
#include <string.h>

#include "sema/expr/expr.h"

enum answer { NO, YES, UNKNOWN };

static enum answer invert(enum answer a) {
    return a == UNKNOWN ? UNKNOWN : a == YES ? NO : YES;
}

// Whether a <= b - by for all values.
static enum answer below(struct sema *c, const struct ix *a, const struct ix *b, int64_t by) {
    struct session *s = c->s;
    // the difference of distant numbers may overflow
    int64_t x, y;
    if (ix_static(a, &x) && ix_static(b, &y)) return (by ? x < y : x <= y) ? YES : NO;
    const struct ix *d = ix_sub(s, ix_sub(s, b, a), ix_int(s, by));
    if (!d) return UNKNOWN;
    if (d->lo >= 0 || ix_provably_nonnegative(s, d)) return YES;
    const struct ix *n = ix_sub(s, ix_int(s, -1), d);
    if (d->hi < 0 || (n && ix_provably_nonnegative(s, n))) return NO;
    return UNKNOWN;
}

static enum answer equal_ix(struct sema *c, const struct ix *a, const struct ix *b) {
    if (ix_equal(a, b)) return YES;
    const struct ix *d = ix_sub(c->s, a, b);
    if (d && ix_equal(d, ix_int(c->s, 0))) return YES;
    enum answer less = below(c, a, b, 1), more = below(c, b, a, 1);
    return less == YES || more == YES ? NO : UNKNOWN;
}

static enum answer compare_ix(struct sema *c, enum ast_op op, const struct ix *a,
                              const struct ix *b) {
    switch (op) {
    case OP_EQ: return equal_ix(c, a, b);
    case OP_NE: return invert(equal_ix(c, a, b));
    case OP_LT: return below(c, a, b, 1);
    case OP_LE: return below(c, a, b, 0);
    case OP_GT: return below(c, b, a, 1);
    case OP_GE: return below(c, b, a, 0);
    default: BUG("no comparison: %d", op);
    }
}

static enum answer equal(struct sema *c, const struct value *a, const struct value *b) {
    a = value_unwrap(a);
    b = value_unwrap(b);
    if (a->kind == VAL_INT && b->kind == VAL_INT)
        return equal_ix(c, sums_written_out(c, a->ix), sums_written_out(c, b->ix));
    // a comparison reads the layout of a tensor
    if (a->kind == VAL_VIEW) tensor_layout_read(c, a->view.base);
    if (b->kind == VAL_VIEW) tensor_layout_read(c, b->view.base);
    if (a->kind == VAL_VIEW || b->kind == VAL_VIEW)
        return strcmp(value_text(c, a), value_text(c, b)) == 0 ? YES : NO;
    if (a->kind != b->kind) return NO;
    if (a->kind == VAL_TUPLE) {
        if (a->rank != b->rank) return NO;
        enum answer all = YES;
        for (int i = 0; i < a->rank; ++i) {
            enum answer one = equal(c, a->kid[i], b->kid[i]);
            if (one == NO) return NO;
            if (one == UNKNOWN) all = UNKNOWN;
        }
        return all;
    }
    if (value_is_layout(a) && value_is_layout(b))
        return lay_equal(a->calc.layout, b->calc.layout) ? YES : NO;
    return strcmp(value_text(c, a), value_text(c, b)) == 0 ? YES : NO;
}

static bool comparable(const struct value *v) {
    for (int i = 0; v->kind == VAL_TUPLE && i < v->rank; ++i)
        if (!comparable(v->kid[i])) return false;
    return v->kind == VAL_INT || v->kind == VAL_TUPLE || v->kind == VAL_CALC ||
           v->kind == VAL_VIEW || v->kind == VAL_WILD;
}

static bool unnamed(struct sema *c, const struct value *v, struct range at) {
    if (v->kind != VAL_TUPLE) return true;
    for (int i = 0; i < v->rank; ++i)
        if (!unnamed(c, v->kid[i], at)) return false;
    return names_none(c, v, at, "a comparison");
}

const struct value *eval_compare(struct sema *c, enum ast_op op, const struct value *a,
                                 const struct value *b, const struct ast_expr *e) {
    const struct value *ua = value_unwrap(a), *ub = value_unwrap(b);
    if (ua->kind == VAL_PROP || ub->kind == VAL_PROP)
        return sema_not_yet_value(
            c, e->at, "a property of a copy anywhere but in 'expect PROPERTY == VALUE'");
    for (int i = 0; i < 2; ++i) {
        const struct value *v = i ? ub : ua;
        struct range at = i ? e->rhs->at : e->lhs->at;
        if (!comparable(v)) return FAIL(c, at, "%s cannot be compared", value_kind_text(v));
        if (!unnamed(c, v, at)) return &value_none;
    }
    if (!names_agree(c, ua, ub, e->at)) return &value_none;
    enum answer r;
    if (ua->kind == VAL_INT && ub->kind == VAL_INT) {
        r = compare_ix(c, op, sums_written_out(c, ua->ix), sums_written_out(c, ub->ix));
    } else {
        if (op != OP_EQ && op != OP_NE)
            return FAIL(c, e->at, "'%s' compares integers, not %s and %s", ast_op_text(op),
                        value_kind_text(a), value_kind_text(b));
        const struct value *shape = value_is_layout(ua) ? ub : ua;
        if (value_is_layout(ua) != value_is_layout(ub) &&
            (shape->kind == VAL_TUPLE || shape->kind == VAL_INT))
            return FAIL(c, e->at,
                        "a layout is compared with a shape; write '%s', or compare its 'shape(..)'",
                        arena_printf(&c->s->arena, shape->kind == VAL_INT ? "%s:1" : "col%s",
                                     value_text(c, shape)));
        r = equal(c, a, b);
        if (op == OP_NE) r = invert(r);
    }
    int64_t n;
    const struct value *open = ua->kind == VAL_INT && ix_static(ua->ix, &n)   ? b
                               : ub->kind == VAL_INT && ix_static(ub->ix, &n) ? a
                                                                              : NULL;
    if (r == UNKNOWN && open)
        return FAIL(c, e->at,
                    "'%s' cannot be decided when compiling: it depends on the value of '%s'",
                    ast_expr_text(c->s, e), value_text(c, open));
    if (r == UNKNOWN)
        return FAIL(c, e->at,
                    "'%s' cannot be decided when compiling: it depends on values of '%s' and '%s'",
                    ast_expr_text(c->s, e), value_text(c, a), value_text(c, b));
    return value_bool(c, r == YES);
}
