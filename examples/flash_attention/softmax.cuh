// The softmax of FlashAttention-2 (Dao 2023, "FlashAttention-2: Faster Attention with Better
// Parallelism and Work Partitioning", algorithm 1) on fragments of mma.sync.m16n8k16.
//
// In instruction (m,n) of S, values 0 and 1 of a thread are in row tid % 32 / 4, in column
// 2 * (tid % 4) and the next one.  Values 2 and 3 are eight rows below.  Four threads share a row.
// For row (half,m), "most" is the greatest score so far, and "sum" is this thread's part of the sum
// of powers.
#pragma once

#include "tcp_device.cuh"

#ifdef __CUDACC__
#define SOFTMAX          static __device__ __forceinline__
#define SOFTMAX_INFINITY __int_as_float(0x7f800000)  // NVRTC has no header for it

SOFTMAX float softmax_power(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// The "x" of the lane whose number differs in bit "by".
SOFTMAX float softmax_other(int tid, float x, int by) {
    (void)tid;
    return __shfl_xor_sync(0xffffffffu, x, by);
}

SOFTMAX float softmax_greater(float x, float y) {
    return fmaxf(x, y);
}

SOFTMAX void softmax_pair(tcp_f16 *to, float x, float y) {
    tcp_b32 pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(y), "f"(x));
    *(tcp_any32 *)to = pair;
}

#else
#include "tcp_numeric.h"

#define SOFTMAX          static inline
#define SOFTMAX_INFINITY __builtin_inff()

SOFTMAX float softmax_power(float x) {
    return __builtin_exp2f(x);
}

SOFTMAX float softmax_other(int tid, float x, int by) {
    static float all[1024];
    all[tid] = x;
    tcp_sync_warp();
    x = all[tid ^ by];
    tcp_sync_warp();
    return x;
}

SOFTMAX float softmax_greater(float x, float y) {
    return x > y ? x : y;
}

SOFTMAX void softmax_pair(tcp_f16 *to, float x, float y) {
    to[0] = tcp_f16_of(x);
    to[1] = tcp_f16_of(y);
}

#endif

// The GPU has an instruction for powers of 2: exp(x / sqrt(D)) = 2^(x * this).
SOFTMAX float softmax_scale(int dd) {
    return 1.44269504f * (dd == 8 ? 0.125f : 0.0883883476f);  // D = 64, D = 128
}

SOFTMAX void softmax_step(int tid, float *s, float *acc, float *most, float *sum, tcp_f16 *p,
                          int mm, int nn, int dd) {
    const float scale = softmax_scale(dd);
#pragma unroll
    for (int m = 0; m < mm; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = half + 2 * m;
            float top = most[row];
#pragma unroll
            for (int n = 0; n < nn; ++n) {
                const float *const x = s + 4 * (m + mm * n) + 2 * half;
                top = softmax_greater(top, softmax_greater(x[0], x[1]));
            }
            top = softmax_greater(top, softmax_other(tid, top, 1));
            top = softmax_greater(top, softmax_other(tid, top, 2));
            const float shrink = softmax_power((most[row] - top) * scale), base = top * scale;
            float total = 0;
#pragma unroll
            for (int n = 0; n < nn; ++n) {
                float *const x = s + 4 * (m + mm * n) + 2 * half;
                x[0] = softmax_power(x[0] * scale - base);
                x[1] = softmax_power(x[1] * scale - base);
                total += x[0] + x[1];
            }
            most[row] = top;
            sum[row] = sum[row] * shrink + total;
#pragma unroll
            for (int n = 0; n < dd; ++n) {
                acc[4 * (m + mm * n) + 2 * half] *= shrink;
                acc[4 * (m + mm * n) + 2 * half + 1] *= shrink;
            }
        }
        // two neighbouring instructions of S are one of P, as operand A
#pragma unroll
    for (int n = 0; n < nn; ++n)
#pragma unroll
        for (int m = 0; m < mm; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float *const x = s + 4 * (m + mm * n) + 2 * half;
                softmax_pair(p + 2 * half + 4 * (n % 2) + 8 * (m + mm * (n / 2)), x[0], x[1]);
            }
}

// Columns from "left" on are beyond the last row of K.
TCP_DEVICE void softmax(int tid, float *s, float *acc, float *most, float *sum, tcp_f16 *p,
                        int64_t left, int64_t mm, int64_t nn, int64_t dd) {
    if (left < 8 * nn) {
#pragma unroll
        for (int n = 0; n < nn; ++n)
#pragma unroll
            for (int m = 0; m < mm; ++m)
#pragma unroll
                for (int v = 0; v < 4; ++v)
                    if (8 * n + 2 * (tid % 4) + v % 2 >= (int)left)
                        s[v + 4 * (m + (int)mm * n)] = -SOFTMAX_INFINITY;
    }
    softmax_step(tid, s, acc, most, sum, p, (int)mm, (int)nn, (int)dd);
}

// Row r of the block's Q uses the columns up to r + "ahead".
TCP_DEVICE void softmax_causal(int tid, float *s, float *acc, float *most, float *sum, tcp_f16 *p,
                               int64_t left, int64_t ahead, int64_t mm, int64_t nn, int64_t dd) {
    if (ahead < 8 * nn - 1 || left < 8 * nn) {
        const int warps = (int)blockDim.x / 32, first = 16 * (tid / 32) + tid % 32 / 4;
#pragma unroll
        for (int n = 0; n < nn; ++n)
#pragma unroll
            for (int m = 0; m < mm; ++m)
#pragma unroll
                for (int v = 0; v < 4; ++v) {
                    const int row = first + 8 * (v / 2) + 16 * warps * m;
                    const int column = 8 * n + 2 * (tid % 4) + v % 2;
                    if (column >= (int)left || column > row + (int)ahead)
                        s[v + 4 * (m + (int)mm * n)] = -SOFTMAX_INFINITY;
                }
    }
    softmax_step(tid, s, acc, most, sum, p, (int)mm, (int)nn, (int)dd);
}

TCP_DEVICE void divide(int tid, float *acc, const float *sum, int64_t mm, int64_t dd) {
#pragma unroll
    for (int m = 0; m < mm; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float total = sum[half + 2 * m];
            total += softmax_other(tid, total, 1);
            total += softmax_other(tid, total, 2);
            const float by = 1 / total;
#pragma unroll
            for (int n = 0; n < dd; ++n) {
                acc[4 * (m + (int)mm * n) + 2 * half] *= by;
                acc[4 * (m + (int)mm * n) + 2 * half + 1] *= by;
            }
        }
}
