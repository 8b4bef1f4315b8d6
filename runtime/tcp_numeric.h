// Conversions of the small floating-point types, for filling and printing: C99, rounding to nearest
// even. Kernels do not use this header; they convert with tcp_convert.h.
//
// f8e4m3 is the finite one of OCP: no infinities, 0x7f and 0xff are NaN, the largest value is 448.
// A value too large for it becomes NaN; for the others, infinity.
#ifndef TCP_NUMERIC_H
#define TCP_NUMERIC_H

#include <string.h>

#include "tcp_runtime.h"

// A format with "exponent" bits and "mantissa" bits below a sign.
struct tcp_format {
    int exponent, mantissa, has_infinity;
};

// Returns the value of "bits"; exact.
static inline double tcp_decode(struct tcp_format f, uint32_t bits) {
    const int bias = (1 << (f.exponent - 1)) - 1;
    const uint32_t top = (1u << f.exponent) - 1, low = (1u << f.mantissa) - 1;
    const uint32_t e = bits >> f.mantissa & top, m = bits & low;
    const int negative = (int)(bits >> (f.exponent + f.mantissa) & 1);
    uint64_t word = 0;
    double value;
    if (e == top && (f.has_infinity || m == low)) {  // infinity and NaN
        word = (uint64_t)0x7ff << 52 |
               (f.has_infinity ? (uint64_t)m << (52 - f.mantissa) : (uint64_t)1 << 51);
    } else if (e != 0) {
        word = (uint64_t)((int)e - bias + 1023) << 52 | (uint64_t)m << (52 - f.mantissa);
    } else if (m != 0) {  // subnormal: shift the first one to the hidden place
        int shift = 0;
        while (!(m << shift >> f.mantissa)) ++shift;
        word = (uint64_t)(1 - bias - shift + 1023) << 52 | (uint64_t)(m << shift & low)
                                                               << (52 - f.mantissa);
    }
    word |= (uint64_t)negative << 63;
    memcpy(&value, &word, sizeof value);
    return value;
}

// Returns the bits nearest to "value"; ties go to the even one.
static inline uint32_t tcp_encode(struct tcp_format f, double value) {
    const int bias = (1 << (f.exponent - 1)) - 1;
    const uint32_t top = (1u << f.exponent) - 1, low = (1u << f.mantissa) - 1;
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    const uint32_t sign = (uint32_t)(word >> 63) << (f.exponent + f.mantissa);
    const int e = (int)(word >> 52 & 0x7ff);
    const uint64_t fraction = word & (((uint64_t)1 << 52) - 1);
    const uint32_t infinity = sign | top << f.mantissa;
    if (e == 0x7ff && fraction) {  // a NaN keeps the high bits of its payload, and stays a NaN
        const uint32_t payload = (uint32_t)(fraction >> (52 - f.mantissa));
        return f.has_infinity ? infinity | (payload ? payload : 1) : sign | top << f.mantissa | low;
    }
    const uint32_t overflow = f.has_infinity ? infinity : infinity | low;
    if (e == 0x7ff) return overflow;
    if (e == 0) return sign;  // a subnormal double is far below every format
    const uint64_t significand = fraction | (uint64_t)1 << 52;
    int exponent = e - 1023 + bias;          // the exponent as the format stores it
    int drop = 52 - f.mantissa;              // number of bits that the format does not hold
    if (exponent < 1) drop += 1 - exponent;  // subnormal in this format
    if (drop > 54) return sign;
    if (exponent < 1) exponent = 1;
    const uint64_t kept = significand >> drop, rest = significand & (((uint64_t)1 << drop) - 1);
    const uint64_t half = (uint64_t)1 << (drop - 1);
    const uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1)));
    // A carry out of "rounded" and its hidden bit increase the exponent.
    const uint64_t bits = ((uint64_t)(exponent - 1) << f.mantissa) + rounded;
    const uint64_t most = ((uint64_t)top << f.mantissa) + (f.has_infinity ? 0 : low);
    return bits >= most ? overflow : sign | (uint32_t)bits;
}

static const struct tcp_format tcp_format_f16 = {5, 10, 1};
static const struct tcp_format tcp_format_bf16 = {8, 7, 1};
static const struct tcp_format tcp_format_f8e4m3 = {4, 3, 0};
static const struct tcp_format tcp_format_f8e5m2 = {5, 2, 1};

static inline double tcp_f16_value(tcp_f16 x) {
    return tcp_decode(tcp_format_f16, x.bits);
}
static inline double tcp_bf16_value(tcp_bf16 x) {
    return tcp_decode(tcp_format_bf16, x.bits);
}
static inline double tcp_f8e4m3_value(tcp_f8e4m3 x) {
    return tcp_decode(tcp_format_f8e4m3, x.bits);
}
static inline double tcp_f8e5m2_value(tcp_f8e5m2 x) {
    return tcp_decode(tcp_format_f8e5m2, x.bits);
}

static inline tcp_f16 tcp_f16_of(double value) {
    const tcp_f16 x = {(uint16_t)tcp_encode(tcp_format_f16, value)};
    return x;
}
static inline tcp_bf16 tcp_bf16_of(double value) {
    const tcp_bf16 x = {(uint16_t)tcp_encode(tcp_format_bf16, value)};
    return x;
}
static inline tcp_f8e4m3 tcp_f8e4m3_of(double value) {
    const tcp_f8e4m3 x = {(uint8_t)tcp_encode(tcp_format_f8e4m3, value)};
    return x;
}
static inline tcp_f8e5m2 tcp_f8e5m2_of(double value) {
    const tcp_f8e5m2 x = {(uint8_t)tcp_encode(tcp_format_f8e5m2, value)};
    return x;
}

#endif
