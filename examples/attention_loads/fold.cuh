// What stands for the compute of attention: each element of O becomes a number that depends on its
// element of Q and on the elements of its column in all rows of K and V, in their order; integers,
// so that the result is exact.  fold_step and fold_value are what check.cu computes too.
//
// A thread has rows t / 8 + 16 * i of O and Q, columns 8 * (t % 8) + c of each 64, and of eight
// rows of K or V the same columns.  "left" is how many of those rows there are.  Every index is
// known when the loops are unrolled, without which a frag would lie in local memory.
#pragma once

#include "tcp_device.cuh"

#ifdef __CUDACC__
#define FOLD static __host__ __device__ __forceinline__
#else
#define FOLD static inline
#endif

FOLD uint32_t fold_key(uint32_t sum, uint32_t q, uint32_t k) {
    return (sum ^ k) * 0x01000193u + q;
}

FOLD uint32_t fold_value(uint32_t sum, uint32_t v) {
    return (sum << 5 | sum >> 27) + v;
}

FOLD uint16_t fold_end(uint32_t sum) {
    return (uint16_t)(sum ^ sum >> 16);
}

TCP_DEVICE void fold_k(int tid, uint32_t *acc, const tcp_f16 *q, const tcp_f16 *k, int64_t left,
                       int64_t halves) {
    (void)tid;
    for (int h = 0; h < halves; ++h)
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            if (r >= left) continue;
            for (int i = 0; i < 8; ++i)
                for (int c = 0; c < 8; ++c) {
                    const int at = c + 8 * i + 64 * h;
                    acc[at] = fold_key(acc[at], q[at].bits, k[c + 8 * r + 64 * h].bits);
                }
        }
}

TCP_DEVICE void fold_v(int tid, uint32_t *acc, const tcp_f16 *v, int64_t left, int64_t halves) {
    (void)tid;
    for (int h = 0; h < halves; ++h)
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            if (r >= left) continue;
            for (int i = 0; i < 8; ++i)
                for (int c = 0; c < 8; ++c) {
                    const int at = c + 8 * i + 64 * h;
                    acc[at] = fold_value(acc[at], v[c + 8 * r + 64 * h].bits);
                }
        }
}

TCP_DEVICE void finish(int tid, tcp_f16 *o, const uint32_t *acc, int64_t halves) {
    (void)tid;
    for (int at = 0; at < 64 * halves; ++at) o[at].bits = fold_end(acc[at]);
}
