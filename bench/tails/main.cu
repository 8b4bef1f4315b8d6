// Copies of f16 matrices with odd extents: tcpc's emitted kernels beside a kernel as one writes it
// by hand and cudaMemcpy2D, in alternating rounds of one run; medians, GB/s of bytes read plus
// written.  Prints Markdown; exits with 1 when an element is wrong or one beyond the matrix was
// written.
//
// usage: program [ROUNDS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include "tails.cu"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != 0) {                                                                         \
            std::fprintf(stderr, "failed: %s (%s)\n", #call, tcp_last_error());                    \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

// -- by hand
// ----------------------------------------------------------------------------------------

// A block copies (16,512), a thread 8 elements of every second row: one 128-bit access, or element
// by element at the right edge.
static __global__ void __launch_bounds__(128)
    by_hand_wide(const uint16_t *__restrict__ a, uint16_t *__restrict__ b, int m, int n,
                 int64_t lda) {
    const int column = 512 * blockIdx.x + 8 * (threadIdx.x % 64);
    const int row = 16 * blockIdx.y + threadIdx.x / 64;
    if (column + 8 <= n) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const int64_t at = (row + 2 * i) * lda + column;
            if (row + 2 * i < m) *(uint4 *)&b[at] = *(const uint4 *)&a[at];
        }
    } else {
        for (int i = 0; i < 8 && row + 2 * i < m; ++i) {
            for (int j = column; j < n; ++j)
                b[(row + 2 * i) * lda + j] = a[(row + 2 * i) * lda + j];
        }
    }
}

// The same tile, one element at a time.
static __global__ void __launch_bounds__(128)
    by_hand_single(const uint16_t *__restrict__ a, uint16_t *__restrict__ b, int m, int n,
                   int64_t lda) {
    for (int i = 16 * blockIdx.y; i < min(m, 16 * (int)blockIdx.y + 16); ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int column = 512 * blockIdx.x + 128 * j + threadIdx.x;
            if (column < n) b[i * lda + column] = a[i * lda + column];
        }
    }
}

// -- the harness
// ------------------------------------------------------------------------------------

static __global__ void fill(uint16_t *a, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step)
        a[i] = (uint16_t)(i * 2654435761u >> 7) | 1;
}

// In the matrix as "a", outside still 0; the last elements of "b" are beyond any matrix.
static __global__ void differ(const uint16_t *a, const uint16_t *b, int64_t all, int m, int n,
                              int64_t lda, int *found) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < all; i += step) {
        const bool inside = i / lda < m && i % lda < n;
        if (b[i] != (inside ? a[i] : 0)) *found = 1;
    }
}

static __global__ void delay(long long cycles) {
    const long long from = clock64();
    while (clock64() - from < cycles) {
    }
}

enum kind { PADDED, VECTORS, DENSE };
struct problem {
    const char *what;
    kind is;
    int m, n, lda;
};
static const problem problems[] = {
    {"tiles divide", PADDED, 16384, 16384, 16384},
    {"tiles divide, compact", VECTORS, 16384, 16384, 16384},
    {"rows of whole vectors", VECTORS, 16383, 16376, 16376},
    {"one tile more each way", VECTORS, 16385, 16392, 16392},
    {"odd, rows on 16 bytes", PADDED, 16383, 16381, 16384},
    {"odd, one element more", PADDED, 16385, 16385, 16392},
    {"odd, compact", DENSE, 16383, 16381, 16381},
};
enum { TCPC, BY_HAND, MEMCPY, WAYS };

static uint16_t *a, *b;
static int *found;

static void copy(const problem &p, int way) {
    const dim3 grid((p.n + 511) / 512, (p.m + 15) / 16);
    const tcp_f16 *from = (const tcp_f16 *)a;
    tcp_f16 *to = (tcp_f16 *)b;
    if (way == MEMCPY) {
        CHECK(
            cudaMemcpy2DAsync(b, 2 * p.lda, a, 2 * p.lda, 2 * p.n, p.m, cudaMemcpyDeviceToDevice));
    } else if (way == BY_HAND && p.is == DENSE) {
        by_hand_single<<<grid, 128>>>(a, b, p.m, p.n, p.lda);
    } else if (way == BY_HAND) {
        by_hand_wide<<<grid, 128>>>(a, b, p.m, p.n, p.lda);
    } else if (p.is == PADDED) {
        CHECK(padded_launch(from, to, p.m, p.n, p.lda, 0));
    } else if (p.is == VECTORS) {
        CHECK(vectors_launch(from, to, p.m, p.n, 0));
    } else {
        CHECK(dense_launch(from, to, p.m, p.n, 0));
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && std::strcmp(argv[1], "--starts") == 0) return 0;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
    const int64_t all = (int64_t)16400 * 16400;
    CHECK(cudaMalloc(&a, 2 * all));
    CHECK(cudaMalloc(&b, 2 * all));
    CHECK(cudaMalloc(&found, sizeof *found));
    fill<<<4096, 256>>>(a, all);
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf(
        "%s; f16, GB/s read plus written, medians of %d alternating rounds\n\n"
        "| | rows x columns, pitch | tcpc | by hand | cudaMemcpy2D | tcpc / by hand | tcpc / "
        "cudaMemcpy2D |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        device.name, rounds);
    int wrong = 0;
    for (const problem &p : problems) {
        std::vector<float> times[WAYS];
        for (int round = -2; round < rounds; ++round) {
            for (int k = 0; k < WAYS; ++k) {
                const int way = (k + round + 2) % WAYS;
                float ms;
                if (round == -2) CHECK(cudaMemset(b, 0, 2 * all));
                delay<<<1, 1>>>(60000);
                CHECK(cudaEventRecord(from));
                copy(p, way);
                CHECK(cudaEventRecord(to));
                CHECK(cudaEventSynchronize(to));
                CHECK(cudaEventElapsedTime(&ms, from, to));
                if (round >= 0) times[way].push_back(ms);
                if (round == -2) {
                    int here;
                    CHECK(cudaMemset(found, 0, sizeof *found));
                    differ<<<4096, 256>>>(a, b, all, p.m, p.n, p.lda, found);
                    CHECK(cudaMemcpy(&here, found, sizeof here, cudaMemcpyDeviceToHost));
                    if (here) std::printf("%s: way %d is WRONG\n", p.what, way);
                    wrong += here;
                }
            }
        }
        double speed[WAYS];
        for (int k = 0; k < WAYS; ++k) {
            std::sort(times[k].begin(), times[k].end());
            speed[k] = 4.0 * p.m * p.n / times[k][rounds / 2] / 1e6;
        }
        std::printf("| %s | %d x %d, %d | %.0f | %.0f | %.0f | %.3f | %.3f |\n", p.what, p.m, p.n,
                    p.lda, speed[TCPC], speed[BY_HAND], speed[MEMCPY], speed[TCPC] / speed[BY_HAND],
                    speed[TCPC] / speed[MEMCPY]);
    }
    std::printf("\n%s\n", wrong ? "WRONG" : "all right");
    return wrong != 0;
}
