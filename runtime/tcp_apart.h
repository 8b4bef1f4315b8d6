// Whether two tensors in memory share no element, although their address ranges overlap: columns
// of one matrix do not. Launchers and the compiler, which can evaluate a launch itself, share
// this. C99 and C++.
#ifndef TCP_APART_H
#define TCP_APART_H

#include <stdint.h>

// A mode of a tensor: its extent, and its stride in bytes. Elements of bytes, such as {1, 4}
// elements of 4 bytes, need no mode.
typedef struct tcp_mode {
    int64_t extent, stride;
} tcp_mode;

// A tensor: the address and the bytes of its first element, and its modes.
typedef struct tcp_area {
    uint64_t at;
    int64_t bytes;
    const tcp_mode *mode;
    int modes;
} tcp_area;

// Divides the modes of "x" at the stride "least". Sets "pitch" to a common divisor of itself and of
// the larger strides, and [first, end) to the bytes of the others. Returns 0 if they are too many.
static inline int tcp_area_divide(const tcp_area *x, int64_t least, int64_t *pitch, int64_t *first,
                                  int64_t *end) {
    *first = 0;
    *end = x->bytes;
    for (int i = 0; i < x->modes; ++i) {
        int64_t stride = x->mode[i].stride, span;
        if (x->mode[i].extent <= 1 || stride == 0) continue;
        if (stride == INT64_MIN) return 0;
        int64_t step = stride < 0 ? -stride : stride;
        if (step >= least) {
            while (step != 0) {
                int64_t rest = *pitch % step;
                *pitch = step;
                step = rest;
            }
            continue;
        }
        if (__builtin_mul_overflow(x->mode[i].extent - 1, stride, &span)) return 0;
        if (__builtin_add_overflow(stride < 0 ? *first : *end, span, stride < 0 ? first : end))
            return 0;
    }
    return 1;
}

// Whether "a" and "b" share no byte at "least": if all larger strides are multiples of a pitch, and
// what the other modes span are different parts of it.
static inline int tcp_apart_at(const tcp_area *a, const tcp_area *b, int64_t least) {
    int64_t pitch = 0, first_a, end_a, first_b, end_b, wide_a, wide_b;
    if (!tcp_area_divide(a, least, &pitch, &first_a, &end_a) ||
        !tcp_area_divide(b, least, &pitch, &first_b, &end_b) ||
        __builtin_sub_overflow(end_a, first_a, &wide_a) ||
        __builtin_sub_overflow(end_b, first_b, &wide_b) || pitch <= 0 || wide_a > pitch ||
        wide_b > pitch) {
        return 0;
    }
    const uint64_t x = a->at + (uint64_t)first_a, y = b->at + (uint64_t)first_b;
    const uint64_t p = (uint64_t)pitch;
    // how far "b" begins behind "a", in a pitch
    const uint64_t behind = y >= x ? (y - x) % p : (p - (x - y) % p) % p;
    return (uint64_t)wide_a <= behind && (uint64_t)wide_b <= p - behind;
}

// Whether "a" and "b", which have elements, are known to share no byte. Tries each stride. The work
// depends on the number of modes only.
static inline int tcp_apart(const tcp_area *a, const tcp_area *b) {
    for (int k = 0; k < 2; ++k) {
        const tcp_area *x = k == 0 ? a : b;
        for (int i = 0; i < x->modes; ++i) {
            const int64_t stride = x->mode[i].stride;
            if (x->mode[i].extent <= 1 || stride == 0 || stride == INT64_MIN) continue;
            if (tcp_apart_at(a, b, stride < 0 ? -stride : stride)) return 1;
        }
    }
    return 0;
}

#endif
