// Evaluation in C's types (see typed.h): an operation has 64 bits if one of its operands has.
#include "machine/typed.h"

// A value and the width of its type.
struct typed {
    int64_t value;
    int bits;
};

struct eval {
    const struct typed_env *env;
    enum typed_trouble trouble;
};

static struct typed literal(int64_t value) {
    return (struct typed){value, typed_fits(value, 32) ? 32 : 64};
}

static struct typed result(struct eval *v, bool overflow, int64_t value, int bits) {
    if (v->trouble == TYPED_OK && overflow) v->trouble = TYPED_OVERFLOW;
    if (v->trouble == TYPED_OK && !typed_fits(value, bits)) v->trouble = TYPED_OVERFLOW_32;
    return (struct typed){value, bits};
}

static struct typed times(struct eval *v, struct typed a, struct typed b) {
    int64_t x;
    bool overflow = __builtin_mul_overflow(a.value, b.value, &x);
    return result(v, overflow, x, a.bits > b.bits ? a.bits : b.bits);
}

static struct typed plus(struct eval *v, struct typed a, struct typed b, bool minus) {
    int64_t x;
    bool overflow = minus ? __builtin_sub_overflow(a.value, b.value, &x)
                          : __builtin_add_overflow(a.value, b.value, &x);
    return result(v, overflow, x, a.bits > b.bits ? a.bits : b.bits);
}

// The product of the factors of "x", as emitted.  "wide": the first one with a name has 64 bits.
static struct typed product(struct eval *v, struct lay_int x, bool wide) {
    struct typed a = literal(x.num);
    for (int i = 0; i < x.nsyms; ++i) {
        const struct lay_sym *y = x.syms[i];
        struct typed b;
        if (y->name) {
            b = result(v, false, v->env->sym[y->id], wide ? 64 : v->env->sym_bits[y->id]);
        } else {  // a ceil_div
            b = plus(v, product(v, y->of, true), literal(y->by - 1), false);
            b.value /= y->by;
        }
        a = times(v, a, b);
    }
    a.value /= x.den;
    return a;
}

static struct typed eval(struct eval *v, const struct ix *e);

static struct typed term(struct eval *v, const struct ix_term *t) {
    bool wide = t->bits == 64;
    struct typed a = product(v, t->coef, wide);
    if (!t->atom) return a;
    struct typed b = eval(v, t->atom);
    if (wide && t->coef.nsyms == 0) b.bits = 64;
    return times(v, a, b);
}

static struct typed sum(struct eval *v, const struct ix *e) {
    struct typed all = {0, 32};
    for (int i = 0; i < e->nterms; ++i) {
        struct ix_term t = e->term[ix_written(e, i)];
        bool first = i == 0, minus = ix_take_minus(&t.coef);
        struct typed x = term(v, &t);
        all = first && !minus ? x : plus(v, first ? (struct typed){0, x.bits} : all, x, minus);
    }
    return all;
}

static struct typed eval(struct eval *v, const struct ix *e) {
    if (e->op == IX_SUM) return sum(v, e);
    if (e->op == IX_VAR) {
        int bits = v->env->var_bits[e->var->id];
        return (struct typed){v->env->var[e->var->id], bits ? bits : e->bits};
    }
    struct typed a = eval(v, e->a);
    if (v->trouble != TYPED_OK) return a;
    if (e->op == IX_SWZ) return result(v, false, lay_swizzle_apply(e->sw, a.value), a.bits);
    struct typed k = product(v, e->k, e->divisor_bits == 64);
    // larger than an int only where no launch is possible: it is a part of the grid
    if (e->divisor_bits == 32) k = result(v, !typed_fits(k.value, 32), k.value, 32);
    if (k.value < 1) return result(v, true, 0, 64);
    int64_t rest = a.value % k.value;
    if (rest < 0) rest += k.value;
    int64_t value = e->op == IX_MOD ? rest : (a.value - rest) / k.value;
    return result(v, false, value, a.bits > k.bits ? a.bits : k.bits);
}

enum typed_trouble typed_eval(const struct ix *e, const struct typed_env *env, int64_t *out) {
    struct eval v = {env, TYPED_OK};
    *out = eval(&v, e).value;
    return v.trouble;
}
