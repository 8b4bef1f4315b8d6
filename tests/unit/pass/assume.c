// What divides a product: the product itself, or where 64 bits do not hold it the power of two in it.
#include "pass/vectorize/assume.h"

#include "check.h"

#define BIT(n) ((int64_t)1 << (n))

int main(void) {
    static const struct {
        int64_t a, b, want;
    } cases[] = {
        {1, 1, 1},
        {12, 10, 120},
        {BIT(31), BIT(31), BIT(62)},
        {3 * BIT(30), BIT(30), 3 * BIT(60)},
        {3 * BIT(31), 3 * BIT(31), BIT(62)},
        {INT64_MAX, 4, 4},
        {BIT(40), BIT(40), BIT(62)},
        {BIT(62), 2, BIT(62)},
        {INT64_MAX, INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int64_t a = cases[i].a, b = cases[i].b, got = assume_times(a, b), back = assume_times(b, a);
        CHECK(got == cases[i].want, "%lld times %lld gives %lld, not %lld", (long long)a,
              (long long)b, (long long)got, (long long)cases[i].want);
        CHECK(back == got, "%lld times %lld gives %lld", (long long)b, (long long)a,
              (long long)back);
    }
    return check_done();
}
