// The expected results of converting one element, computed with integers and doubles of the CPU.
// Independent of tcp_convert.h, which it checks. Part of tcp_harness.cpp.
#ifndef TCP_HARNESS_CONVERT_H
#define TCP_HARNESS_CONVERT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tcp_harness_values.h"

// An element's value: a double represents those of all floating-point types.
struct harness_number {
    bool real;
    __int128 whole;
    double value;
};

inline int harness_integer_bits(tcp_element e) {
    return e <= TCP_S64 ? 8 * tcp_element_bytes(e) : 0;
}

inline bool harness_signed(tcp_element e) {
    return e == TCP_S8 || e == TCP_S16 || e == TCP_S32 || e == TCP_S64;
}

inline harness_number harness_number_at(tcp_element element, const unsigned char *from) {
    uint64_t word = 0;
    float single;
    harness_number n = {true, 0, 0};
    memcpy(&word, from, (size_t)tcp_element_bytes(element));
    switch (element) {
    case TCP_F16: n.value = tcp_f16_value({(uint16_t)word}); return n;
    case TCP_BF16: n.value = tcp_bf16_value({(uint16_t)word}); return n;
    case TCP_F8E4M3: n.value = tcp_f8e4m3_value({(uint8_t)word}); return n;
    case TCP_F8E5M2: n.value = tcp_f8e5m2_value({(uint8_t)word}); return n;
    case TCP_F32: memcpy(&single, from, 4), n.value = single; return n;
    case TCP_F64: memcpy(&n.value, from, 8); return n;
    default: break;
    }
    const int bits = harness_integer_bits(element);
    n.real = false;
    n.whole = (__int128)word;
    if (harness_signed(element) && word >> (bits - 1)) n.whole -= (__int128)1 << bits;
    return n;
}

// The low bits of an integer; for a float, the integer in range that is nearest after rounding
// towards zero.
inline uint64_t harness_to_integer(tcp_element to, harness_number n) {
    const int bits = harness_integer_bits(to);
    const __int128 least = harness_signed(to) ? -((__int128)1 << (bits - 1)) : 0;
    const __int128 most = least + ((__int128)1 << bits) - 1;
    if (!n.real) return (uint64_t)n.whole;
    if (isnan(n.value)) return 0;
    const double whole = trunc(n.value);
    if (whole < (double)least) return (uint64_t)least;
    if (whole > 0 && whole >= ldexp(1, bits - (harness_signed(to) ? 1 : 0))) return (uint64_t)most;
    return (uint64_t)(__int128)whole;
}

// A double that rounds to every smaller format as "whole" does: where digits are lost, its last bit
// is set.
inline double harness_sticky(__int128 whole) {
    const bool negative = whole < 0;
    unsigned __int128 size = negative ? -(unsigned __int128)whole : (unsigned __int128)whole;
    int up = 0;
    for (; size >> 53; ++up) size = size >> 1 | (size & 1);
    return ldexp(negative ? -(double)(uint64_t)size : (double)(uint64_t)size, up);
}

// Converts the element of type "from" at "at" to type "to", and stores it at "out".
inline void harness_convert(tcp_element from, const unsigned char *at, tcp_element to,
                            unsigned char *out) {
    harness_number n = harness_number_at(from, at);
    uint64_t word = 0;
    if (harness_integer_bits(to)) {
        word = harness_to_integer(to, n);
    } else if (n.real && isnan(n.value)) {
        word = ~(uint64_t)0 >> (65 - 8 * tcp_element_bytes(to));
    } else if (to == TCP_F64) {
        const double value = n.real ? n.value : (double)n.whole;
        memcpy(&word, &value, 8);
    } else if (to == TCP_F32) {
        const float value = n.real ? (float)n.value : (float)n.whole;
        memcpy(&word, &value, 4);
    } else {
        const double most = to == TCP_F8E4M3 ? 448 : to == TCP_F8E5M2 ? 57344 : (double)INFINITY;
        double value = n.real ? n.value : harness_sticky(n.whole);
        value = value > most ? most : value < -most ? -most : value;
        const uint32_t bits = to == TCP_F16      ? tcp_f16_of(value).bits
                              : to == TCP_BF16   ? tcp_bf16_of(value).bits
                              : to == TCP_F8E4M3 ? tcp_f8e4m3_of(value).bits
                                                 : tcp_f8e5m2_of(value).bits;
        word = bits;
    }
    memcpy(out, &word, (size_t)tcp_element_bytes(to));
}

// Stores arbitrary bits in element "e": random ones, numbers near a half, powers of two and their
// neighbours, NaN, infinities and limits.
inline void harness_put_any(tcp_element element, int t, int64_t e, unsigned char *to) {
    uint64_t h = (uint64_t)e * 0x9e3779b97f4a7c15u + (uint64_t)t * 0xc2b2ae3d27d4eb4fu;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    const double sign = h >> 63 ? -1 : 1, size = ldexp(1, (int)(h >> 8 & 127) % 70 - 20);
    const double special[] = {0,       INFINITY, NAN,     0.5,      1.5,        2.5,
                              65504,   65519.99, 65520,   448,      464,        480,
                              57344,   61440,    3.4e38,  1e-40,    6e-8,       3e-8,
                              1 / 3.0, 127.5,    32767.5, 9.223e18, 2147483647, 255.99};
    double value = 0;
    switch (h & 3) {
    case 0: memcpy(to, &h, (size_t)std::min(tcp_element_bytes(element), 8)); return;
    case 1: value = sign * (double)(h >> 8 & 0xfffff) / 16; break;
    case 2: value = sign * (size + (double)((int)(h >> 16 & 3) - 1) * size / 4096); break;
    default: value = sign * special[(h >> 8) % (sizeof special / sizeof special[0])]; break;
    }
    unsigned char twice[8];
    memcpy(twice, &value, 8);
    harness_convert(TCP_F64, twice, element, to);
}

#endif
