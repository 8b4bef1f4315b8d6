// Params: the symbols of run-time integers, and the divisors that are promised of them.
#include "layout/impl.h"

// Rounds a range to multiples of "mul" within it.
static void round_inwards(int64_t mul, int64_t *lo, int64_t *hi) {
    if (*lo > INT64_MIN + mul) *lo = *lo / mul * mul + (*lo > 0 && *lo % mul ? mul : 0);
    if (*hi < INT64_MAX - mul) *hi = *hi / mul * mul - (*hi < 0 && *hi % mul ? mul : 0);
}

const struct lay_sym *lay_param(struct lay_ctx *ctx, const char *name, int64_t mul, int64_t lo,
                                int64_t hi) {
    if (mul < 1 || lo > hi) {
        lay_fail(ctx, "'%s' cannot be a multiple of %lld in %lld .. %lld", name, (long long)mul,
                 (long long)lo, (long long)hi);
        return NULL;
    }
    round_inwards(mul, &lo, &hi);
    if (lo > hi) {
        lay_fail(ctx, "no multiple of %lld is in the range of '%s'", (long long)mul, name);
        return NULL;
    }
    struct lay_sym *s = lay_new(ctx, sizeof *s);
    *s = (struct lay_sym){.name = name,
                          .id = ctx->next_sym++,
                          .mul = mul,
                          .declared = mul,
                          .lo = lo,
                          .hi = hi,
                          .by = 1};
    s->prev = ctx->params;
    ctx->params = s;
    return s;
}

bool lay_param_divide(const struct lay_sym *y, int64_t by) {
    struct lay_sym *s = (struct lay_sym *)y;  // made by lay_param
    int64_t mul, lo = s->lo, hi = s->hi;
    if (__builtin_mul_overflow(s->mul, by / lay_gcd(by, s->mul), &mul) || mul > (int64_t)1 << 40)
        return false;
    round_inwards(mul, &lo, &hi);
    if (mul == s->mul || lo > hi) return false;
    s->mul = mul;
    s->lo = lo;
    s->hi = hi;
    return true;
}

bool lay_product_divide(struct lay_ctx *ctx, struct lay_int x, int64_t by) {
    struct lay_sym *s = (struct lay_sym *)x.syms[0];  // made by lay_param
    x.num = x.den = 1;
    if (by > (int64_t)1 << 40 || lay_int_divisible(x, by)) return false;
    struct lay_product *p = lay_new(ctx, sizeof *p);
    *p = (struct lay_product){x, by, s->product};
    s->product = p;
    return true;
}
