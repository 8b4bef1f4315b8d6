// This replaces the computation of attention, with fragments in the order of mma.sync.m16n8k16.  It
// uses integers, so the result is exact.  fold_mma replaces the instruction: each element of C in a
// lane combines all elements of A and B in this lane, with their places and their step.  check.cu
// also calls fold_mma and fold_end.
//
// Fragments are as the plan declares them: (values of one instruction, instructions along M, along
// N).  A warp has two instructions along M.  The loops are unrolled, so every index is known when
// compiling; otherwise a fragment would be in local memory.
#pragma once

#include "tcp_device.cuh"

#ifdef __CUDACC__
#define FOLD static __host__ __device__ __forceinline__
#else
#define FOLD static inline
#endif

FOLD uint32_t fold_step(uint32_t sum, uint32_t x) {
    return ((sum << 5 | sum >> 27) ^ x) * 0x01000193u + 1u;
}

FOLD void fold_mma(uint32_t *c, const tcp_f16 *a, const tcp_f16 *b) {
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t sum = fold_step(c[i], i);
#pragma unroll
        for (int j = 0; j < 8; ++j) sum = fold_step(sum, a[j].bits);
#pragma unroll
        for (int j = 0; j < 4; ++j) sum = fold_step(sum, b[j].bits);
        c[i] = sum;
    }
}

FOLD uint16_t fold_end(uint32_t sum) {
    return (uint16_t)(sum ^ sum >> 16);
}

TCP_DEVICE void fold_qk(int tid, uint32_t *s, const tcp_f16 *q, const tcp_f16 *k) {
    (void)tid;
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
        for (int m = 0; m < 2; ++m) fold_mma(s + 4 * (m + 2 * n), q + 8 * m, k + 4 * n);
}

// P from S, where "left" rows of K are left.  Two neighbouring instructions of C along N become one
// instruction of A along K: their elements are in the same lane.
TCP_DEVICE void settle(int tid, tcp_f16 *p, const uint32_t *s, int64_t left) {
    const int column = 2 * (tid % 4);
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                p[4 * (n % 2) + i + 8 * (m + 2 * (n / 2))].bits =
                    8 * n + column + i % 2 < left ? fold_end(s[i + 4 * (m + 2 * n)]) : (uint16_t)0;
}

TCP_DEVICE void fold_pv(int tid, uint32_t *acc, const tcp_f16 *p, const tcp_f16 *v, int64_t d) {
    (void)tid;
#pragma unroll
    for (int n = 0; n < (int)d; ++n)
#pragma unroll
        for (int m = 0; m < 2; ++m) fold_mma(acc + 4 * (m + 2 * n), p + 8 * m, v + 4 * n);
}

TCP_DEVICE void finish(int tid, tcp_f16 *h, const uint32_t *acc, int64_t d) {
    (void)tid;
#pragma unroll
    for (int at = 0; at < 8 * (int)d; ++at) h[at].bits = fold_end(acc[at]);
}
