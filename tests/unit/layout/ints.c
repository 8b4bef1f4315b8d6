// Integers with symbols against numbers: what is computed and what is claimed (divisors, ranges,
// order) holds for random values of the params.
#include "layout/gen.h"

enum { PARAMS = 4, TERMS = 12 };

static struct lay_ctx ctx;
static struct block block;
static struct rng rng;
static int64_t values[1 << 12];

// A random leaf from earlier ones, and its value in numbers.
static struct lay_int step(const struct lay_int *old, const int64_t *num, int n, int64_t *value) {
    int i = rng_below(&rng, n), k = rng_below(&rng, n), c = 1 + rng_below(&rng, 64);
    struct lay_int r;
    switch (rng_below(&rng, 5)) {
    case 0: r = lay_int_mul(&ctx, old[i], old[k]), *value = num[i] * num[k]; break;
    case 1: r = lay_int_mul(&ctx, old[i], lay_int(c)), *value = num[i] * c; break;
    case 2: r = lay_int_ceil_div(&ctx, old[i], lay_int(c)), *value = (num[i] + c - 1) / c; break;
    case 3: r = lay_int_add(&ctx, old[i], old[k]), *value = num[i] + num[k]; break;
    default:
        r = lay_int_divides(old[k], old[i]) ? lay_int_div(&ctx, old[i], old[k]) : LAY_INT_INVALID;
        *value = num[i] / num[k];
    }
    return r;
}

static void check_leaf(struct lay_int a, int64_t v) {
    int64_t got, lo, hi, d = lay_int_divisor(a);
    CHECK(lay_int_eval(a, values, &got) && got == v, "%s is %lld, not %lld", lay_int_text(&ctx, a),
          (long long)got, (long long)v);
    lay_int_range(a, &lo, &hi);
    CHECK(lo <= v && v <= hi, "%s = %lld in %lld .. %lld", lay_int_text(&ctx, a), (long long)v,
          (long long)lo, (long long)hi);
    CHECK(d > 0 && v % d == 0, "%s = %lld is no multiple of %lld", lay_int_text(&ctx, a),
          (long long)v, (long long)d);
    CHECK(lay_int_divisible(a, d), "%s by %lld", lay_int_text(&ctx, a), (long long)d);
    const struct lay_tuple *back = lay_parse_tuple(&ctx, lay_int_text(&ctx, a));
    CHECK(back && lay_int_equal(back->leaf, a), "%s reads back as %s: %s", lay_int_text(&ctx, a),
          lay_tuple_text(&ctx, back), ctx.error ? ctx.error : "");
}

static void check_pair(struct lay_int a, int64_t x, struct lay_int b, int64_t y) {
    const char *l = lay_int_text(&ctx, a), *r = lay_int_text(&ctx, b);
    CHECK(!lay_int_equal(a, b) || x == y, "%s = %s", l, r);
    CHECK(!lay_int_less(a, b) || x < y, "%s < %s", l, r);
    CHECK(!lay_int_less_equal(a, b) || x <= y, "%s <= %s", l, r);
    CHECK(!lay_int_divides(a, b) || y % x == 0, "%s divides %s", l, r);
}

// What divides both, also of the number of which the absolute value does not fit.
static void check_gcd(void) {
    CHECK(lay_gcd(0, 0) == 0 && lay_gcd(0, -6) == 6 && lay_gcd(4, 6) == 2, "gcd");
    CHECK(INT64_MIN % lay_gcd(INT64_MIN, 0) == 0, "gcd of the least number");
}

int main(void) {
    check_gcd();
    static const char name[PARAMS][3] = {"M", "N", "K", "ld"};
    block = block_make((size_t)16 << 20);
    for (long round = 0; round < 20000; ++round) {
        struct lay_int leaf[TERMS];
        int64_t num[TERMS];
        int n = 0;
        rng.state = (uint64_t)round * 7919 + 3;
        block_reset(&block, &ctx);
        for (; n < PARAMS; ++n) {
            int64_t mul = (int64_t)1 << rng_below(&rng, 6), most = mul * (1 + rng_below(&rng, 9));
            const struct lay_sym *s =
                lay_param(&ctx, name[n], mul, 1, rng_below(&rng, 2) ? most : 1 << 20);
            num[n] = values[s->id] = mul * (1 + rng_below(&rng, (int)(most / mul)));
            leaf[n] = lay_int_sym(&ctx, s);
        }
        while (n < TERMS) {
            int64_t v;
            struct lay_int a = step(leaf, num, n, &v);
            if (!lay_int_valid(a) || v > (int64_t)1 << 30) {
                lay_clear_error(&ctx);
                a = lay_int(v = 1 + rng_below(&rng, 40));
            }
            check_leaf(a, v);
            for (int i = 0; i < n; ++i) {
                check_pair(leaf[i], num[i], a, v);
                check_pair(a, v, leaf[i], num[i]);
            }
            leaf[n] = a;
            num[n++] = v;
        }
    }
    free(block.base);
    return check_done();
}
