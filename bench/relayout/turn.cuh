// Blocks turned in registers, and what else the kernels by hand and those in CuTe share.
#pragma once
#include <cstdint>

#include "relayout.h"

// V rows of V elements, V = 16 bytes / size: rows become columns.
template <int SIZE> struct block {
    static constexpr int V = 16 / SIZE;
    uint32_t w[V][4];

    __device__ void turn() {
        if constexpr (SIZE == 4) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < i; ++j) {
                    const uint32_t t = w[i][j];
                    w[i][j] = w[j][i];
                    w[j][i] = t;
                }
        } else {
            block r;
            if constexpr (SIZE == 2) {
#pragma unroll
                for (int j = 0; j < 8; ++j)
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        r.w[j][k] = __byte_perm(w[2 * k][j / 2], w[2 * k + 1][j / 2],
                                                j % 2 ? 0x7632 : 0x5410);
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j)
#pragma unroll
                    for (int k = 0; k < 4; ++k) {
                        const uint32_t lo01 = __byte_perm(w[4 * k][j], w[4 * k + 1][j], 0x5140);
                        const uint32_t hi01 = __byte_perm(w[4 * k][j], w[4 * k + 1][j], 0x7362);
                        const uint32_t lo23 = __byte_perm(w[4 * k + 2][j], w[4 * k + 3][j], 0x5140);
                        const uint32_t hi23 = __byte_perm(w[4 * k + 2][j], w[4 * k + 3][j], 0x7362);
                        r.w[4 * j][k] = __byte_perm(lo01, lo23, 0x5410);
                        r.w[4 * j + 1][k] = __byte_perm(lo01, lo23, 0x7632);
                        r.w[4 * j + 2][k] = __byte_perm(hi01, hi23, 0x5410);
                        r.w[4 * j + 3][k] = __byte_perm(hi01, hi23, 0x7632);
                    }
            }
            *this = r;
        }
    }
};

// ---- what both have

static inline int launched() {
    return cudaGetLastError() == cudaSuccess ? LAUNCHED : FAILED;
}

static inline bool dense_source(const relayout_case &c) {
    long long n = 1;
    for (int m = c.rank - 1; m >= 0; n *= c.extent[m--])
        if (c.src[m] != n) return false;
    return c.skip == 0;
}
