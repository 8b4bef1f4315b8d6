// The small floating-point types: every bit pattern against an independent computation, and
// rounding at every half.
#include "tcp_numeric.h"

#include <math.h>

#include "check.h"

// The value of "bits" by the definition of the format, without tcp_decode's bit tricks.
static double value_of(tcp_format f, uint32_t bits) {
    const int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 1;
    const int e = (int)(bits >> f.mantissa) & top, m = (int)bits & ((1 << f.mantissa) - 1);
    const double sign = bits >> (f.exponent + f.mantissa) & 1 ? -1.0 : 1.0;
    if (e == top && f.has_infinity) return m ? NAN : sign * INFINITY;
    if (e == top && m == (1 << f.mantissa) - 1) return NAN;
    const double fraction = ldexp(m, -f.mantissa);
    return sign * (e ? ldexp(1 + fraction, e - bias) : ldexp(fraction, 1 - bias));
}

// Every pattern decodes by the definition and round-trips; halfway values go to the even neighbour,
// and values just beside a half to the near one.
static void check_format(const char *name, tcp_format f) {
    const uint32_t count = 1u << (1 + f.exponent + f.mantissa), sign = count / 2;
    for (uint32_t bits = 0; bits < count; ++bits) {
        const double want = value_of(f, bits), got = tcp_decode(f, bits);
        if (isnan(want)) {
            CHECK(isnan(got), "%s: 0x%x is %g, want a NaN", name, bits, got);
            CHECK(isnan(tcp_decode(f, tcp_encode(f, got))), "%s: NaN 0x%x is lost", name, bits);
            continue;
        }
        CHECK(got == want && signbit(got) == signbit(want), "%s: 0x%x is %g, want %g", name, bits,
              got, want);
        CHECK(tcp_encode(f, got) == bits, "%s: 0x%x becomes 0x%x", name, bits, tcp_encode(f, got));
        const double next = value_of(f, bits + 1);
        if (bits + 1 >= sign || !isfinite(want) || !isfinite(next)) continue;
        const double half = (want + next) / 2;
        const uint32_t even = bits & 1 ? bits + 1 : bits;
        CHECK(tcp_encode(f, half) == even, "%s: %g becomes 0x%x, want 0x%x", name, half,
              tcp_encode(f, half), even);
        CHECK(tcp_encode(f, nextafter(half, 0)) == bits, "%s: below %g", name, half);
        CHECK(tcp_encode(f, nextafter(half, INFINITY)) == bits + 1, "%s: above %g", name, half);
        CHECK(tcp_encode(f, -half) == (even | sign), "%s: %g", name, -half);
    }
    HOLDS(tcp_encode(f, 1e300) == tcp_encode(f, (double)INFINITY));
    HOLDS(tcp_encode(f, 1e-300) == 0);
    HOLDS(tcp_encode(f, 5e-324) == 0);
}

int main() {
    check_format("f16", tcp_format_f16);
    check_format("bf16", tcp_format_bf16);
    check_format("f8e4m3", tcp_format_f8e4m3);
    check_format("f8e5m2", tcp_format_f8e5m2);
    HOLDS(tcp_f16_of(65504).bits == 0x7bff);
    HOLDS(tcp_f16_of(65520).bits == 0x7c00);
    HOLDS(tcp_f16_of(65519.99).bits == 0x7bff);
    HOLDS(tcp_f8e4m3_of(448).bits == 0x7e);
    HOLDS(tcp_f8e4m3_of(463.9).bits == 0x7e);
    HOLDS(tcp_f8e4m3_of(465).bits == 0x7f);
    HOLDS(tcp_f8e5m2_of(57344).bits == 0x7b);
    HOLDS(tcp_f8e5m2_of(61440).bits == 0x7c);
    HOLDS(tcp_bf16_of(1).bits == 0x3f80);
#ifdef __FLT16_MAX__
    // The compiler's own type, for every pattern and for sums that need rounding.
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const uint16_t pattern = (uint16_t)bits;
        _Float16 theirs;
        memcpy(&theirs, &pattern, sizeof theirs);
        const double ours = tcp_f16_value({pattern}), want = (double)theirs;
        CHECK(isnan(ours) ? isnan(want) : ours == want, "f16: 0x%x", bits);
        const double sum = ours * 1.0009765625 + 3e-5;
        const _Float16 rounded = (_Float16)sum;
        uint16_t want_bits;
        memcpy(&want_bits, &rounded, sizeof want_bits);
        CHECK(isnan(sum) || tcp_f16_of(sum).bits == want_bits, "f16: %g", sum);
    }
#endif
    for (uint64_t i = 0; i < 1u << 22; ++i) {  // bf16 is the upper half of a float
        const uint32_t word = (uint32_t)(i * 2654435761u);
        float x;
        memcpy(&x, &word, sizeof x);
        if (isnan(x)) continue;
        const uint32_t want = (word + 0x7fff + (word >> 16 & 1)) >> 16;
        CHECK(tcp_bf16_of(x).bits == want, "bf16: %g", (double)x);
    }
    return check_done();
}
