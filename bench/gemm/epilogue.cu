// Times the two kernels of epilogue.tcp beside examples/gemm, and attention_loads with and without a store by TMA, in alternating rounds of
// one run; medians.  Every byte of the results is compared.  Prints Markdown; exits with 1 when a byte differs.
//
// usage: program [ROUNDS]       README.md says how it is built
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gemm.h"

typedef tcp_status (*product)(const void *, const void *, void *, int64_t, int64_t, int64_t,
                              tcp_stream);
typedef tcp_status (*attention)(const void *, const void *, const void *, void *, int64_t, int64_t,
                                tcp_stream);
TCP_EXTERN_C tcp_status by_threads_launch(const void *A, const void *B, void *C, int64_t M,
                                          int64_t N, int64_t K, tcp_stream stream);
TCP_EXTERN_C tcp_status by_tma_launch(const void *A, const void *B, void *C, int64_t M, int64_t N,
                                      int64_t K, tcp_stream stream);
TCP_EXTERN_C tcp_status attention_loads_launch(const void *Q, const void *K, const void *V, void *O,
                                               int64_t M, int64_t N, tcp_stream stream);
TCP_EXTERN_C tcp_status attention_tma_launch(const void *Q, const void *K, const void *V, void *O,
                                             int64_t M, int64_t N, tcp_stream stream);

static void must(tcp_status s) {
    if (s == TCP_OK) return;
    std::fprintf(stderr, "%s: %s\n", tcp_status_text(s), tcp_last_error());
    std::exit(2);
}

static void must(cudaError_t e) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
    std::exit(2);
}

// Small integers as f16, so that sums are the same in any order.
static __global__ void fill(uint16_t *a, int64_t n, uint64_t seed) {
    const uint16_t bits[4] = {0, 0x3c00, 0xbc00, 0x4000};
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step) {
        uint64_t x = ((uint64_t)i + seed) * 0x9e3779b97f4a7c15u;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9u;
        a[i] = bits[x >> 62];
    }
}

static __global__ void compare(const uint4 *a, const uint4 *b, int64_t n, unsigned *wrong) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step)
        if (a[i].x != b[i].x || a[i].y != b[i].y || a[i].z != b[i].z || a[i].w != b[i].w)
            atomicAdd(wrong, 1u);
}

static uint16_t *memory(int64_t elements, uint64_t seed) {
    uint16_t *p;
    must(cudaMalloc(&p, (size_t)elements * 2));
    fill<<<1024, 256>>>(p, elements, seed);
    return p;
}

enum { MOST = 3 };

// Medians of "n" functions, in microseconds, each after the others; "again" calls a measurement.
template <typename F> static void times(F call, int n, int rounds, int again, double out[MOST]) {
    std::vector<float> us[MOST];
    cudaEvent_t from, to;
    must(cudaEventCreate(&from));
    must(cudaEventCreate(&to));
    for (int r = 0; r < rounds + 1; ++r)
        for (int i = 0; i < n; ++i) {
            float ms;
            must(cudaEventRecord(from));
            for (int k = 0; k < again; ++k) call(i);
            must(cudaEventRecord(to));
            must(cudaEventSynchronize(to));
            must(cudaEventElapsedTime(&ms, from, to));
            if (r) us[i].push_back(1000 * ms / (float)again);
        }
    for (int i = 0; i < n; ++i) {
        std::sort(us[i].begin(), us[i].end());
        out[i] = us[i][us[i].size() / 2];
    }
}

static unsigned differences(uint16_t *const *c, int n, int64_t elements) {
    unsigned *wrong;
    must(cudaMallocManaged(&wrong, sizeof *wrong));
    *wrong = 0;
    for (int i = 1; i < n; ++i)
        compare<<<1024, 256>>>((const uint4 *)c[0], (const uint4 *)c[i], elements / 8, wrong);
    must(cudaDeviceSynchronize());
    const unsigned found = *wrong;
    must(cudaFree(wrong));
    return found;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    static const int64_t size[][3] = {{8192, 8192, 64},   {8192, 8192, 128},  {8192, 8192, 512},
                                      {4096, 4096, 1024}, {4096, 4096, 4096}, {8191, 8184, 128}};
    static const int64_t heads[][2] = {{131072, 64}, {131072, 256}, {16384, 4096}, {16383, 4095}};
    const product of[MOST] = {by_threads_launch, by_tma_launch, gemm_launch};
    const attention by[MOST] = {attention_loads_launch, attention_tma_launch};
    unsigned wrong = 0;
    double us[MOST];
    std::printf("| M, N, K | threads (us) | TMA (us) | TMA / threads | examples/gemm (us) |\n"
                "| --- | --- | --- | --- | --- |\n");
    for (const auto &s : size) {
        uint16_t *a = memory(s[0] * s[2], 1), *b = memory(s[1] * s[2], 2), *c[MOST];
        for (int i = 0; i < MOST; ++i) c[i] = memory(s[0] * s[1] + 8, 3 + (uint64_t)i);
        times([&](int i) { must(of[i](a, b, c[i], s[0], s[1], s[2], nullptr)); }, MOST, rounds, 5,
              us);
        const unsigned found = differences(c, MOST, s[0] * s[1]);
        wrong += found;
        std::printf("| %lld, %lld, %lld | %.1f | %.1f | %.3f | %.1f |%s\n", (long long)s[0],
                    (long long)s[1], (long long)s[2], us[0], us[1], us[1] / us[0], us[2],
                    found ? " WRONG" : "");
        for (uint16_t *p : {a, b, c[0], c[1], c[2]}) must(cudaFree(p));
    }
    std::printf("\n| attention_loads: M, N | threads (us) | TMA (us) | TMA / threads |\n"
                "| --- | --- | --- | --- |\n");
    for (const auto &s : heads) {
        uint16_t *q = memory(s[0] * 64, 1), *k = memory(s[1] * 64, 2), *v = memory(s[1] * 64, 3);
        uint16_t *o[] = {memory(s[0] * 64, 4), memory(s[0] * 64, 5)};
        times([&](int i) { must(by[i](q, k, v, o[i], s[0], s[1], nullptr)); }, 2, rounds, 5, us);
        const unsigned found = differences(o, 2, s[0] * 64);
        wrong += found;
        std::printf("| %lld, %lld | %.1f | %.1f | %.3f |%s\n", (long long)s[0], (long long)s[1],
                    us[0], us[1], us[1] / us[0], found ? " WRONG" : "");
        for (uint16_t *p : {q, k, v, o[0], o[1]}) must(cudaFree(p));
    }
    std::printf("\n%u pieces of 16 bytes differ\n", wrong);
    return wrong != 0;
}
