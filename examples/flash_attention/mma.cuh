// D += A * B of mma.sync.m16n8k16 for the fragments of a warp: f16, summed in f32.
//
// Fragments are as the plan declares them: (values of one instruction, instructions along M, along
// N), so that instruction (m,n) has A at 8 * m, B at 4 * n and D at 4 * (m + mm * n).  The loops are
// unrolled, so "mm" and "nn" are known; otherwise the fragments would be in local memory.
#pragma once

#include "tcp_device.cuh"

#ifdef __CUDACC__

static __device__ __forceinline__ void multiply_one(float *d, const tcp_f16 *a, const tcp_f16 *b) {
    const tcp_any32 *const x = (const tcp_any32 *)a, *const y = (const tcp_any32 *)b;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

static __device__ __forceinline__ void multiply_all(int tid, float *d, const tcp_f16 *a,
                                                    const tcp_f16 *b, int mm, int nn) {
    (void)tid;
#pragma unroll
    for (int n = 0; n < nn; ++n)
#pragma unroll
        for (int m = 0; m < mm; ++m) multiply_one(d + 4 * (m + mm * n), a + 8 * m, b + 4 * n);
}

#else

#include <string.h>

#include "tcp_numeric.h"

// The same for a CPU, where lanes read each other's fragments.  By PTX's table of operands, element
// (row,k) of A and (column,k) of B are in lane 4 * (row % 8) + k % 8 / 2.
static inline void multiply_all(int tid, float *d, const tcp_f16 *a, const tcp_f16 *b, int mm,
                                int nn) {
    enum : int { WARPS = 8, MOST_M = 2, MOST_N = 16 };
    static tcp_f16 all_a[WARPS][32][8 * MOST_M], all_b[WARPS][32][4 * MOST_N];
    const int warp = tid / 32, lane = tid % 32;
    memcpy(all_a[warp][lane], a, sizeof(tcp_f16) * 8 * mm);
    memcpy(all_b[warp][lane], b, sizeof(tcp_f16) * 4 * nn);
    tcp_sync_warp();
    for (int n = 0; n < nn; ++n)
        for (int m = 0; m < mm; ++m)
            for (int v = 0; v < 4; ++v)
                for (int k = 0; k < 16; ++k) {
                    const int row = lane / 4, column = 2 * (lane % 4) + v % 2, pair = k % 8 / 2;
                    const tcp_f16 x =
                        all_a[warp][4 * row + pair][8 * m + 2 * (v / 2) + k % 2 + 4 * (k / 8)];
                    const tcp_f16 y = all_b[warp][4 * column + pair][4 * n + k % 2 + 2 * (k / 8)];
                    d[v + 4 * (m + mm * n)] += (float)(tcp_f16_value(x) * tcp_f16_value(y));
                }
    tcp_sync_warp();
}

#endif

TCP_DEVICE void multiply_qk(int tid, float *s, const tcp_f16 *q, const tcp_f16 *k, int64_t mm,
                            int64_t nn) {
    multiply_all(tid, s, q, k, (int)mm, (int)nn);
}

TCP_DEVICE void multiply_pv(int tid, float *acc, const tcp_f16 *p, const tcp_f16 *v, int64_t mm,
                            int64_t nn) {
    multiply_all(tid, acc, p, v, (int)mm, (int)nn);
}
