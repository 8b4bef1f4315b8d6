// The numbers and views of the harness: which numbers an element type represents exactly, the place
// of a coordinate, and how to print both. Part of tcp_harness.cpp; separate because it launches and
// compares nothing.
#ifndef TCP_HARNESS_VALUES_H
#define TCP_HARNESS_VALUES_H

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <string>

#include "tcp_harness.h"
#include "tcp_numeric.h"

// Returns the base, a power of two: an element represents 0 .. base - 1 exactly.
inline int64_t harness_base_of(tcp_element element) {
    switch (element) {
    case TCP_U8:
    case TCP_B8: return 256;
    case TCP_S8: return 128;
    case TCP_U16:
    case TCP_B16: return 65536;
    case TCP_S16: return 32768;
    case TCP_F16: return 2048;
    case TCP_BF16: return 256;
    case TCP_F8E4M3: return 16;
    case TCP_F8E5M2: return 8;
    case TCP_F32: return (int64_t)1 << 24;
    case TCP_U32:
    case TCP_S32:
    case TCP_B32: return (int64_t)1 << 31;
    default: return (int64_t)1 << 53;
    }
}

// Stores "number" at "to" as an element of type "element".
inline void harness_put_number(tcp_element element, int64_t number, unsigned char *to) {
    uint64_t word[2] = {(uint64_t)number, ~(uint64_t)number};
    const float single = (float)number;
    const double twice = (double)number;
    switch (element) {
    case TCP_F16: word[0] = tcp_f16_of(twice).bits; break;
    case TCP_BF16: word[0] = tcp_bf16_of(twice).bits; break;
    case TCP_F8E4M3: word[0] = tcp_f8e4m3_of(twice).bits; break;
    case TCP_F8E5M2: word[0] = tcp_f8e5m2_of(twice).bits; break;
    case TCP_F32: memcpy(word, &single, sizeof single); break;
    case TCP_F64: memcpy(word, &twice, sizeof twice); break;
    default: break;
    }
    switch (tcp_element_bytes(element)) {  // a copy of known size is an instruction
    case 1: memcpy(to, word, 1); break;
    case 2: memcpy(to, word, 2); break;
    case 4: memcpy(to, word, 4); break;
    case 8: memcpy(to, word, 8); break;
    default: memcpy(to, word, 16); break;
    }
}

// Returns the number in the "element" at "from"; -1 when it is not one that the harness stores.
inline int64_t harness_get_number(tcp_element element, const unsigned char *from) {
    uint64_t word = 0;
    const int bytes = tcp_element_bytes(element);
    memcpy(&word, from, (size_t)std::min(bytes, 8));
    double value = 0;
    float single;
    switch (element) {
    case TCP_F16: value = tcp_f16_value({(uint16_t)word}); break;
    case TCP_BF16: value = tcp_bf16_value({(uint16_t)word}); break;
    case TCP_F8E4M3: value = tcp_f8e4m3_value({(uint8_t)word}); break;
    case TCP_F8E5M2: value = tcp_f8e5m2_value({(uint8_t)word}); break;
    case TCP_F32: memcpy(&single, from, 4), value = single; break;
    case TCP_F64: memcpy(&value, from, 8); break;
    default: return word < (uint64_t)harness_base_of(element) ? (int64_t)word : -1;
    }
    if (!(value >= 0 && value < (double)harness_base_of(element))) return -1;
    return (double)(int64_t)value == value ? (int64_t)value : -1;
}

// Returns the number of coordinates of "v".
inline int64_t harness_view_size(const tcp_harness_view &v) {
    int64_t n = v.rank > 0 ? 1 : 0;
    for (int i = 0; i < v.rank; ++i) n *= v.shape[i];
    return n;
}

// Returns the storage element at coordinate number "index", where the first mode varies fastest.
inline int64_t harness_view_at(const tcp_harness_view &v, int64_t index) {
    if (!v.stride) return v.offset[index];
    int64_t e = v.origin;
    for (int i = 0; i < v.rank; ++i) {
        e += index % v.shape[i] * v.stride[i];
        index /= v.shape[i];
    }
    return e;
}

// Returns the coordinate of storage element "e" in "v" as text, or "" when it has none.
inline std::string harness_place_of(const tcp_harness_view &v, int64_t e) {
    const int64_t n = harness_view_size(v);
    for (int64_t c = 0; c < n; ++c) {
        if (harness_view_at(v, c) != e) continue;
        std::string text = " at (";
        int64_t rest = c;
        for (int i = 0; i < v.rank; ++i) {
            text += (i ? "," : "") + std::to_string(rest % v.shape[i]);
            rest /= v.shape[i];
        }
        return text + ")";
    }
    return "";
}

inline std::string harness_hex(const unsigned char *at, int bytes) {
    std::string text = "0x";
    char two[4];
    for (int i = bytes; i-- > 0;) {
        snprintf(two, sizeof two, "%02x", at[i]);
        text += two;
    }
    return text;
}

// Returns the number in the element at "at" as text, or its bits.
inline std::string harness_shown(tcp_element element, const unsigned char *at,
                                 unsigned char poison) {
    const int bytes = tcp_element_bytes(element);
    if (std::all_of(at, at + bytes, [=](unsigned char b) { return b == poison; })) return "poison";
    const int64_t number = harness_get_number(element, at);
    return number >= 0 ? std::to_string(number) : harness_hex(at, bytes);
}

#endif
