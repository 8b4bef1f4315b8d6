// D += A * B of mma.sync.m16n8k16 for the fragments of a warp: f16, summed in f32.
//
// Fragments are as the plan declares them: (values of one instruction, instructions along M, along
// N), so that instruction (m,n) has A at 8 * m, B at 4 * n and D at 4 * (m + mm * n).  "mm" and
// "nn" are known when the loops are unrolled; else the fragments would lie in local memory.
#pragma once

#include "tcp_device.cuh"

static __device__ __forceinline__ void multiply_one(float *d, const tcp_f16 *a, const tcp_f16 *b) {
    const tcp_any32 *const x = (const tcp_any32 *)a, *const y = (const tcp_any32 *)b;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

static __device__ __forceinline__ void multiply_all(float *d, const tcp_f16 *a, const tcp_f16 *b,
                                                    int mm, int nn) {
#pragma unroll
    for (int n = 0; n < nn; ++n)
#pragma unroll
        for (int m = 0; m < mm; ++m) multiply_one(d + 4 * (m + mm * n), a + 8 * m, b + 4 * n);
}

TCP_DEVICE void multiply_qk(int tid, float *s, const tcp_f16 *q, const tcp_f16 *k, int64_t mm,
                            int64_t nn) {
    (void)tid;
    multiply_all(s, q, k, (int)mm, (int)nn);
}

TCP_DEVICE void multiply_pv(int tid, float *acc, const tcp_f16 *p, const tcp_f16 *v, int64_t mm,
                            int64_t nn) {
    (void)tid;
    multiply_all(acc, p, v, (int)mm, (int)nn);
}
