// Conversion of elements in registers. The GPU and the CPU compile the same text, so that both
// compute the same bits.
//
// To float: rounds to the nearest value, ties to even. A value that is too large becomes infinity,
// or in f8e4m3 and f8e5m2 the largest number, as in cvt.rn.satfinite and CUTLASS. A NaN becomes the
// NaN with all bits set except the sign. Float to integer: rounds towards zero; a value out of
// range becomes the nearest integer in range, and NaN becomes 0. Integer to integer: keeps the low
// bits.
//
// tcp_convert<To, From>(bits) takes the bits of an access with elements of From and returns those
// with the same elements as To.
#ifndef TCP_CONVERT_H
#define TCP_CONVERT_H

#include "tcp_types.h"

// Properties of an element type.
template <typename T> struct tcp_type { static constexpr bool integer = false, sign = true; };
#define TCP_INTEGER_ROW(type, signs)                                                               \
    template <> struct tcp_type<type> { static constexpr bool integer = true, sign = signs; };
TCP_INTEGER_ROW(int8_t, true)
TCP_INTEGER_ROW(int16_t, true)
TCP_INTEGER_ROW(int32_t, true)
TCP_INTEGER_ROW(int64_t, true)
TCP_INTEGER_ROW(uint8_t, false)
TCP_INTEGER_ROW(uint16_t, false)
TCP_INTEGER_ROW(uint32_t, false)
TCP_INTEGER_ROW(uint64_t, false)

template <typename To, typename From> TCP_DEVICE To tcp_same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

TCP_DEVICE float tcp_nan_f32() {
    return tcp_same_bits<float>((uint32_t)0x7fffffff);
}

TCP_DEVICE double tcp_nan_f64() {
    return tcp_same_bits<double>((uint64_t)0x7fffffffffffffff);
}

// -- the small formats ----------------------------------------------------------------------------

// The value of "bits", with E bits of exponent and M bits of mantissa below a sign; exact.
template <int E, int M, bool INFINITE> TCP_DEVICE float tcp_unpack(uint32_t bits) {
    constexpr uint32_t top = ((1u << E) - 1) << M, bias = (1u << (E - 1)) - 1;
    constexpr uint32_t first_nan = INFINITE ? top + 1 : top | ((1u << M) - 1);
    const uint32_t rest = bits & ((1u << (E + M)) - 1), sign = bits >> (E + M) << 31;
    if (rest >= first_nan) return tcp_nan_f32();
    uint32_t word;
    if (INFINITE && rest == top) {
        word = 0x7f800000;
    } else if (rest >> M) {
        word = (rest << (23 - M)) + ((127 - bias) << 23);
    } else {  // a multiple of the least number
        word = tcp_same_bits<uint32_t>((float)rest) - (rest ? (bias + M - 1) << 23 : 0);
    }
    return tcp_same_bits<float>(sign | word);
}

// The bits of the number nearest to "x". Values beyond MOST become MOST, which are the bits of
// infinity or of the largest number.
template <int E, int M, uint32_t MOST> TCP_DEVICE uint32_t tcp_pack(float x) {
    constexpr uint32_t bias = (1u << (E - 1)) - 1, nan = (1u << (E + M)) - 1;
    // exponent of the least normal number, biased as in a float
    constexpr uint32_t first = 128 - bias;
    const uint32_t word = tcp_same_bits<uint32_t>(x), rest = word & 0x7fffffff;
    const uint32_t sign = word >> 31 << (E + M);
    if (rest > 0x7f800000) return nan;
    uint32_t exponent = rest >> 23, drop = 23 - M;
    const uint32_t digits = (rest & 0x7fffff) | (exponent ? 0x800000 : 0);
    if (exponent == 0) exponent = 1;
    if (exponent < first) {
        drop += first - exponent;
        exponent = first;
    }
    if (drop > 25) return sign;
    const uint32_t kept = digits >> drop, lost = digits & ((1u << drop) - 1);
    const uint32_t half = 1u << (drop - 1);
    const uint32_t rounded = kept + (lost > half || (lost == half && (kept & 1)));
    // a carry out of "rounded" and its hidden bit increase the exponent
    const uint64_t bits = ((uint64_t)(exponent - first) << M) + rounded;
    return sign | (bits >= MOST ? MOST : (uint32_t)bits);
}

#ifdef __CUDACC__
TCP_DEVICE float tcp_number(tcp_f16 x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return (x.bits & 0x7fff) > 0x7c00 ? tcp_nan_f32() : y;
}

TCP_DEVICE void tcp_nearest(float x, tcp_f16 *to) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}

TCP_DEVICE void tcp_nearest(float x, tcp_bf16 *to) {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}
#else
TCP_DEVICE float tcp_number(tcp_f16 x) {
    return tcp_unpack<5, 10, true>(x.bits);
}

TCP_DEVICE void tcp_nearest(float x, tcp_f16 *to) {
    to->bits = (uint16_t)tcp_pack<5, 10, 0x7c00>(x);
}

TCP_DEVICE void tcp_nearest(float x, tcp_bf16 *to) {
    to->bits = (uint16_t)tcp_pack<8, 7, 0x7f80>(x);
}
#endif

TCP_DEVICE float tcp_number(tcp_bf16 x) {
    const uint32_t word = (uint32_t)x.bits << 16;
    return (word & 0x7fffffff) > 0x7f800000 ? tcp_nan_f32() : tcp_same_bits<float>(word);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
TCP_DEVICE float tcp_number(tcp_f8e4m3 x) {
    uint32_t two;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(two) : "h"((uint16_t)x.bits));
    return tcp_number(tcp_f16{(uint16_t)two});
}

TCP_DEVICE float tcp_number(tcp_f8e5m2 x) {
    uint32_t two;
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(two) : "h"((uint16_t)x.bits));
    return tcp_number(tcp_f16{(uint16_t)two});
}

TCP_DEVICE void tcp_nearest(float x, tcp_f8e4m3 *to) {
    uint16_t two;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(x));
    to->bits = x != x ? (uint8_t)0x7f : (uint8_t)two;
}

TCP_DEVICE void tcp_nearest(float x, tcp_f8e5m2 *to) {
    uint16_t two;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(x));
    to->bits = x != x ? (uint8_t)0x7f : (uint8_t)two;
}
#else
TCP_DEVICE float tcp_number(tcp_f8e4m3 x) {
    return tcp_unpack<4, 3, false>(x.bits);
}

TCP_DEVICE float tcp_number(tcp_f8e5m2 x) {
    return tcp_unpack<5, 2, true>(x.bits);
}

TCP_DEVICE void tcp_nearest(float x, tcp_f8e4m3 *to) {
    to->bits = (uint8_t)tcp_pack<4, 3, 0x7e>(x);
}

TCP_DEVICE void tcp_nearest(float x, tcp_f8e5m2 *to) {
    to->bits = (uint8_t)tcp_pack<5, 2, 0x7b>(x);
}
#endif

template <typename T> TCP_DEVICE T tcp_number(T x) {
    return x;
}

// Rounds "x" to odd: towards zero, and if that is inexact, sets the last bit. Rounding the result
// to a smaller format then gives the same number as rounding "x" once.
TCP_DEVICE float tcp_odd(double x) {
    const float y = (float)x;
    if (!((double)y != x) || x != x) return y;
    uint32_t word = tcp_same_bits<uint32_t>(y);
    if (((double)y > x) == (x > 0)) --word;
    return tcp_same_bits<float>(word | 1);
}

// -- one element ----------------------------------------------------------------------------------

// "x" is an integer, a float or a double.
template <typename From> TCP_DEVICE void tcp_to_float(From x, float *to) {
    *to = x != x ? tcp_nan_f32() : (float)x;
}

template <typename From> TCP_DEVICE void tcp_to_float(From x, double *to) {
    *to = x != x ? tcp_nan_f64() : (double)x;
}

template <typename From, typename To> TCP_DEVICE void tcp_to_float(From x, To *to) {
    constexpr bool integer = tcp_type<From>::integer;
    if constexpr (!integer && sizeof(From) == 8) {
        tcp_nearest(tcp_odd(x), to);
    } else if constexpr (!integer || sizeof(From) < 4) {
        tcp_nearest((float)x, to);
    } else if constexpr (sizeof(From) == 4) {
        tcp_nearest(tcp_odd((double)x), to);
        // rounds to odd: merges the low bits into the last bit that a double holds
    } else {
        const bool negative = tcp_type<From>::sign && (int64_t)x < 0;
        const uint64_t size = negative ? 0 - (uint64_t)x : (uint64_t)x;
        const uint64_t odd = size >> 11 | ((size & 0x7ff) != 0);
        const double y = size >> 53 ? (double)odd * 2048 : (double)size;
        tcp_nearest(tcp_odd(negative ? -y : y), to);
    }
}

#ifdef __CUDACC__
// These conversion instructions saturate.
TCP_DEVICE void tcp_truncate(float x, int32_t *to) {
    *to = __float2int_rz(x);
}
TCP_DEVICE void tcp_truncate(float x, uint32_t *to) {
    *to = __float2uint_rz(x);
}
TCP_DEVICE void tcp_truncate(float x, int64_t *to) {
    *to = __float2ll_rz(x);
}
TCP_DEVICE void tcp_truncate(float x, uint64_t *to) {
    *to = __float2ull_rz(x);
}
TCP_DEVICE void tcp_truncate(double x, int32_t *to) {
    *to = __double2int_rz(x);
}
TCP_DEVICE void tcp_truncate(double x, uint32_t *to) {
    *to = __double2uint_rz(x);
}
TCP_DEVICE void tcp_truncate(double x, int64_t *to) {
    *to = __double2ll_rz(x);
}
TCP_DEVICE void tcp_truncate(double x, uint64_t *to) {
    *to = __double2ull_rz(x);
}
#else
template <typename From, typename To> TCP_DEVICE void tcp_truncate(From x, To *to) {
    constexpr bool sign = tcp_type<To>::sign;
    constexpr To most = (To)(~(uint64_t)0 >> (64 - 8 * sizeof(To) + sign));
    constexpr To least = sign ? (To)(-most - 1) : (To)0;
    constexpr From below = (From)least, above = (From)(most / 2 + 1) * 2;
    *to = !(x > below) ? least : x >= above ? most : (To)x;
}
#endif

template <typename From, typename To> TCP_DEVICE void tcp_to_integer(From x, To *to) {
    if constexpr (tcp_type<From>::integer) {
        *to = (To)x;
    } else if constexpr (sizeof(To) < 4) {
        constexpr bool sign = tcp_type<To>::sign;
        constexpr int32_t most = (1 << (8 * sizeof(To) - sign)) - 1, least = sign ? -most - 1 : 0;
        int32_t whole;
        tcp_truncate(x, &whole);
        whole = whole < least ? least : whole > most ? most : whole;
        *to = x != x ? (To)0 : (To)whole;
    } else {
        tcp_truncate(x, to);
        if (x != x) *to = 0;
    }
}

template <typename To, typename From> TCP_DEVICE To tcp_convert_element(From from) {
    To to;
    if constexpr (tcp_type<To>::integer)
        tcp_to_integer(tcp_number(from), &to);
    else
        tcp_to_float(tcp_number(from), &to);
    return to;
}

// -- an access ------------------------------------------------------------------------------------

template <int BYTES> struct tcp_access;
template <> struct tcp_access<1> { typedef tcp_b8 bits; };
template <> struct tcp_access<2> { typedef tcp_b16 bits; };
template <> struct tcp_access<4> { typedef tcp_b32 bits; };
template <> struct tcp_access<8> { typedef tcp_b64 bits; };
template <> struct tcp_access<16> { typedef tcp_b128 bits; };

template <typename To, typename From, typename Bits>
TCP_DEVICE typename tcp_access<sizeof(Bits) / sizeof(From) * sizeof(To)>::bits
tcp_convert(Bits bits) {
    constexpr int n = sizeof(Bits) / sizeof(From);
    From from[n];
    To to[n];
    memcpy(from, &bits, sizeof from);
#pragma unroll
    for (int i = 0; i < n; ++i) to[i] = tcp_convert_element<To>(from[i]);
    typename tcp_access<sizeof to>::bits out;
    memcpy(&out, to, sizeof out);
    return out;
}

#endif
