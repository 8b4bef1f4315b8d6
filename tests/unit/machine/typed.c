// Indices in C's types: the value is that of plain evaluation, for random expressions and values, and what a type does not hold is told.
#include "machine/typed.h"

#include <stdlib.h>

#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"

enum { VARS = 3, EXPRESSIONS = 400, TRIES = 20 };

struct test {
    struct session s;
    struct ix_var var[VARS];
    const struct lay_sym *param;
    uint32_t seed;
    int64_t value[8], sym[8];
    int var_bits[8], sym_bits[8];
};

static int draw(struct test *x, int n) {  // of 0 .. n - 1
    x->seed = x->seed * 1664525u + 1013904223u;
    return (int)((x->seed >> 8) % (uint32_t)n);
}

static void begin(struct test *x) {
    *x = (struct test){.seed = 20261123};
    session_init(&x->s);
    for (int i = 0; i < VARS; ++i) {
        x->var[i] = (struct ix_var){.kind = i ? IX_LOOP : IX_TID,
                                    .name = "v",
                                    .c_name = "v",
                                    .id = x->s.next_var++,
                                    .lo = lay_int(INT64_MIN),
                                    .end = LAY_INT_INVALID};
    }
    x->param = lay_param(&x->s.lay, "N", 1, 1, INT32_MAX);
}

static void set(struct test *x, int bits) {
    for (int i = 0; i < 8; ++i) x->var_bits[i] = x->sym_bits[i] = bits;
}

static const struct ix *of(struct test *x, int v) {
    return ix_var(&x->s, &x->var[v]);
}

static struct lay_int param(struct test *x) {
    return lay_int_sym(&x->s.lay, x->param);
}

static void is(struct test *x, const struct ix *e, enum typed_trouble want, int64_t value,
               const char *what) {
    int64_t got = 77;
    const struct typed_env env = {x->value, x->sym, x->var_bits, x->sym_bits};
    enum typed_trouble trouble = typed_eval(e, &env, &got);
    CHECK(trouble == want, "%s: trouble %d, not %d", what, trouble, want);
    if (want == TYPED_OK)
        CHECK(got == value, "%s: %lld, not %lld", what, (long long)got, (long long)value);
}

// -- random ---------------------------------------------------------------------------------------

static const struct ix *expression(struct test *x, int depth) {
    struct session *s = &x->s;
    if (depth == 0) return draw(x, 4) ? of(x, draw(x, VARS)) : ix_int(s, draw(x, 9) - 4);
    const struct ix *a = expression(x, depth - 1), *b = expression(x, draw(x, depth));
    struct lay_int k = draw(x, 3) ? lay_int(1 + draw(x, 9)) : param(x);
    switch (draw(x, 6)) {
    case 0: return ix_add(s, a, b);
    case 1: return ix_sub(s, a, b);
    case 2: return ix_scale(s, a, k);
    case 3: return ix_div(s, a, k);
    case 4: return ix_mod(s, a, k);
    default: return ix_add(s, ix_scale(s, a, k), ix_lay(s, param(x)));
    }
}

static void test_random(struct test *x) {
    int tried = 0;
    set(x, 64);
    for (int i = 0; i < EXPRESSIONS; ++i) {
        const struct ix *e = expression(x, 1 + draw(x, 4));
        for (int k = 0; e && k < TRIES; ++k) {
            int64_t want;
            for (int v = 0; v < VARS; ++v) x->value[x->var[v].id] = draw(x, 200) - 100;
            x->sym[x->param->id] = 1 + draw(x, 40);
            const struct ix_env env = {x->value, x->sym};
            if (!ix_eval(e, &env, &want)) continue;
            is(x, e, TYPED_OK, want, ix_text(&x->s, e));
            ++tried;
        }
    }
    CHECK(tried > EXPRESSIONS * TRIES / 2, "%d values", tried);
}

// -- what does not fit ----------------------------------------------------------------------------

static void test_limits(struct test *x) {
    struct session *s = &x->s;
    int64_t *v = &x->value[x->var[0].id], *w = &x->value[x->var[1].id], *n = &x->sym[x->param->id];
    const struct ix *a = of(x, 0), *b = of(x, 1), *sum = ix_add(s, a, b);
    const struct ix *product = ix_scale(s, a, param(x));
    is(x, ix_int(s, 0), TYPED_OK, 0, "nothing");
    set(x, 32);
    *v = INT32_MAX, *w = 0, *n = 1;
    is(x, sum, TYPED_OK, INT32_MAX, "the greatest sum");
    is(x, product, TYPED_OK, INT32_MAX, "the greatest product");
    *w = 1, *n = 2;
    is(x, sum, TYPED_OVERFLOW_32, 0, "a sum that is too large");
    is(x, product, TYPED_OVERFLOW_32, 0, "a product that is too large");
    *v = INT32_MIN, *w = -1;
    is(x, sum, TYPED_OVERFLOW_32, 0, "a sum that is too small");
    *w = 1;
    is(x, ix_sub(s, a, b), TYPED_OVERFLOW_32, 0, "a difference that is too small");
    // one wide operand makes all of it wide
    *v = INT32_MAX;
    x->var_bits[x->var[1].id] = 64;
    is(x, sum, TYPED_OK, (int64_t)INT32_MAX + 1, "a wide operand");
    x->sym_bits[x->param->id] = 64;
    is(x, product, TYPED_OK, 2 * (int64_t)INT32_MAX, "a wide param");
    // the wider of what is divided and what divides
    set(x, 32);
    const struct ix *more = ix_add(s, ix_div(s, a, param(x)), b);
    const struct ix *rest = ix_add(s, ix_mod(s, a, param(x)), b);
    *v = 7, *w = INT32_MAX, *n = 4;
    is(x, more, TYPED_OVERFLOW_32, 0, "a narrow quotient");
    is(x, rest, TYPED_OVERFLOW_32, 0, "a narrow remainder");
    x->sym_bits[x->param->id] = 64;
    is(x, more, TYPED_OK, 1 + (int64_t)INT32_MAX, "a quotient by a wide param");
    is(x, rest, TYPED_OK, 3 + (int64_t)INT32_MAX, "a remainder by a wide param");
    set(x, 32);
    x->var_bits[x->var[0].id] = 64;
    is(x, more, TYPED_OK, 1 + (int64_t)INT32_MAX, "a wide quotient");
    set(x, 64);
    *v = INT64_MAX, *w = 1, *n = 2;
    is(x, sum, TYPED_OVERFLOW, 0, "more than 64 bits");
    is(x, product, TYPED_OVERFLOW, 0, "a product of more than 64 bits");
    *w = 0;
    is(x, sum, TYPED_OK, INT64_MAX, "the greatest of all");
    // what is divided by has to be positive
    *v = 7, *n = 0;
    is(x, ix_div(s, a, param(x)), TYPED_OVERFLOW, 0, "/ 0");
    is(x, ix_mod(s, a, param(x)), TYPED_OVERFLOW, 0, "% 0");
    *n = 1;
    is(x, ix_mod(s, a, param(x)), TYPED_OK, 0, "% 1");
    *n = 4, *v = -7;
    is(x, ix_div(s, a, param(x)), TYPED_OK, -2, "-7 / 4");
    is(x, ix_mod(s, a, param(x)), TYPED_OK, 1, "-7 % 4");
    const struct ix *swizzled = ix_swizzle(s, a, (struct lay_swizzle){2, 0, 3});
    is(x, swizzled, TYPED_OK, -6, "a swizzle below 0");
    *v = 8;
    is(x, swizzled, TYPED_OK, 9, "a swizzle");
    *v = 0;
    is(x, swizzled, TYPED_OK, 0, "a swizzle of 0");
}

int main(void) {
    struct test x;
    begin(&x);
    test_limits(&x);
    test_random(&x);
    session_release(&x.s);
    return check_done();
}
