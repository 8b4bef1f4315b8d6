// acc += a * b by mma.sync.m16n8k16, f16 summed in f32, for the fragments of a warp.
//
// Fragments are (values of one instruction, instructions along M, along N): mma_M of 8 values in
// a, mma_N of 4 in b, and mma_M x mma_N of 4 in acc.
#pragma once

#include "tcp_device.cuh"

enum : int { mma_M = 4, mma_N = 8 };

#ifdef __CUDACC__

__device__ __forceinline__ void mma_one(float *d, const tcp_f16 *a, const tcp_f16 *b) {
    const tcp_any32 *const x = (const tcp_any32 *)a, *const y = (const tcp_any32 *)b;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

// Every other column runs upwards, so that consecutive instructions share an operand.
__device__ __forceinline__ void mma_multiply(int tid, float *acc, const tcp_f16 *a,
                                             const tcp_f16 *b) {
    (void)tid;
#pragma unroll
    for (int n = 0; n < mma_N; ++n)
#pragma unroll
        for (int i = 0; i < mma_M; ++i) {
            const int m = n % 2 ? mma_M - 1 - i : i;
            mma_one(acc + 4 * (m + mma_M * n), a + 8 * m, b + 4 * n);
        }
}

#else

#include <string.h>

#include "tcp_numeric.h"

// The same for a CPU: PTX's table of operands says what lane 4 * (row % 8) + k % 8 / 2 has.
inline void mma_multiply(int tid, float *acc, const tcp_f16 *a, const tcp_f16 *b) {
    static tcp_f16 all_a[32][32][8 * mma_M], all_b[32][32][4 * mma_N];
    const int warp = tid / 32, lane = tid % 32;
    memcpy(all_a[warp][lane], a, sizeof all_a[warp][lane]);
    memcpy(all_b[warp][lane], b, sizeof all_b[warp][lane]);
    tcp_sync_warp();
    for (int m = 0; m < mma_M; ++m)
        for (int n = 0; n < mma_N; ++n)
            for (int v = 0; v < 4; ++v)
                for (int k = 0; k < 16; ++k) {
                    const int row = lane / 4, column = 2 * (lane % 4) + v % 2, pair = k % 8 / 2;
                    const tcp_f16 *const x = all_a[warp][4 * row + pair] + 8 * m + 2 * (v / 2);
                    const tcp_f16 *const y = all_b[warp][4 * column + pair] + 4 * n;
                    acc[4 * (m + mma_M * n) + v] += (float)tcp_f16_value(x[k % 2 + 4 * (k / 8)]) *
                                                    (float)tcp_f16_value(y[k % 2 + 2 * (k / 8)]);
                }
    tcp_sync_warp();
}

#endif
