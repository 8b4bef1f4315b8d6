// Adds what thread "tid" of 128 reads of a (128,64) f16 tile, Sw<3,3,3> o 0 o (8,64):(64,1) tiled
// row-wise, to its eight column sums: the same source for tcpc's kernel, CuTe's, and the host.
// Thread t takes eight columns of eight rows that lie 16 apart; another warp copied them, so that a
// missing barrier would show in the sums.  Eight rows are added in f16, as pairs, and the rest in
// f32.
#pragma once

#ifdef __CUDACC__
static __device__ __forceinline__ unsigned fold_add(unsigned a, unsigned b) {
    unsigned sum;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
static __device__ __forceinline__ uint4 fold_add(uint4 a, uint4 b) {
    return make_uint4(fold_add(a.x, b.x), fold_add(a.y, b.y), fold_add(a.z, b.z),
                      fold_add(a.w, b.w));
}
static __device__ __forceinline__ void fold_pair(float *sums, unsigned pair) {
    float low, high;
    asm("{\n.reg .f16 l, h;\nmov.b32 {l, h}, %2;\ncvt.f32.f16 %0, l;\ncvt.f32.f16 %1, h;\n}"
        : "=f"(low), "=f"(high)
        : "r"(pair));
    sums[0] += low;
    sums[1] += high;
}
template <typename T>
static __device__ __forceinline__ void fold_tile(int tid, float *sums, const T *tile) {
    const int row = (tid / 8) ^ 4,
              chunk = tid % 8;  // row + 16 * i, and row % 8 is the same for all i
    const uint4 *from = (const uint4 *)tile + 8 * row + (chunk ^ row % 8);
    uint4 v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = from[128 * i];
    const uint4 sum = fold_add(fold_add(fold_add(v[0], v[1]), fold_add(v[2], v[3])),
                               fold_add(fold_add(v[4], v[5]), fold_add(v[6], v[7])));
    fold_pair(sums, sum.x);
    fold_pair(sums + 2, sum.y);
    fold_pair(sums + 4, sum.z);
    fold_pair(sums + 6, sum.w);
}
#else
#include "tcp_device.cuh"
#include "tcp_numeric.h"
// Reads with the runtime's function, so that the host sees what is read, and whether it may be.
static inline void fold_tile(int tid, float *sums, const tcp_f16 *tile) {
    const int row = (tid / 8) ^ 4, chunk = tid % 8;
    const tcp_f16 *from = tile + 64 * row + 8 * (chunk ^ row % 8);
    for (int i = 0; i < 8; ++i) {
        tcp_f16 v[8];
        tcp_st_frag_128(v, tcp_ld_shared_128(&from[1024 * i]));
        for (int j = 0; j < 8; ++j) sums[j] += (float)tcp_f16_value(v[j]);
    }
}
#endif
