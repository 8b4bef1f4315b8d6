// Speed of emitted copies beside cudaMemcpy, in alternating rounds of one run; medians, GB/s of
// bytes read plus written.
//
//   tcpc copy.tcp -o copy.cu && nvcc -O2 -std=c++17 -arch=sm_90 -I ../../runtime bench.cu -o bench
//   && ./bench
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "copy.cu"

#define CHECK(call)                                                                                \
    if ((call) != 0) {                                                                             \
        std::printf("failed: %s (%s)\n", #call, tcp_last_error());                                 \
        return 1;                                                                                  \
    }

static __global__ void fill(uint16_t *a, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step)
        a[i] = (uint16_t)(i * 2654435761u >> 7);
}

static __global__ void differ(const uint16_t *a, const uint16_t *b, int64_t n, int *found) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step)
        if (a[i] != b[i]) *found = 1;
}

typedef tcp_status launcher(const tcp_f16 *, tcp_f16 *, int64_t, int64_t, tcp_stream);

int main() {
    const int64_t M = 16384, K = 16384, n = M * K, bytes = 2 * n;
    const int rounds = 21;
    struct {
        const char *name;
        launcher *run;
    } const kernels[] = {{"cudaMemcpy", nullptr},
                         {"direct, 128 bit", direct_launch},
                         {"direct, 32 bit", direct_32_launch},
                         {"by registers", by_registers_launch},
                         {"by shared memory", by_shared_launch},
                         {"direct, wide rows", direct_wide_launch},
                         {"by shared, wide", by_shared_wide_launch}};
    const int count = sizeof kernels / sizeof kernels[0];
    uint16_t *a, *b;
    int *found, here;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&found, sizeof *found));
    fill<<<4096, 256>>>(a, n);
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    std::vector<float> times[count];
    for (int round = -2; round < rounds; ++round) {
        for (int k = 0; k < count; ++k) {
            if (round == -2) CHECK(cudaMemset(b, 0xee, bytes));
            CHECK(cudaEventRecord(from));
            if (kernels[k].run) {
                CHECK(kernels[k].run((const tcp_f16 *)a, (tcp_f16 *)b, M, K, 0));
            } else {
                CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice));
            }
            CHECK(cudaEventRecord(to));
            CHECK(cudaEventSynchronize(to));
            float ms;
            CHECK(cudaEventElapsedTime(&ms, from, to));
            if (round >= 0) times[k].push_back(ms);
            if (round == -2) {
                CHECK(cudaMemset(found, 0, sizeof *found));
                differ<<<4096, 256>>>(a, b, n, found);
                CHECK(cudaMemcpy(&here, found, sizeof here, cudaMemcpyDeviceToHost));
                if (here) std::printf("%s: wrong\n", kernels[k].name);
            }
        }
    }
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    std::printf("%s, f16 %lld x %lld, median of %d\n", p.name, (long long)M, (long long)K, rounds);
    double peer = 0;
    for (int k = 0; k < count; ++k) {
        std::sort(times[k].begin(), times[k].end());
        const double speed = 2.0 * bytes / times[k][rounds / 2] / 1e6;
        if (k == 0) peer = speed;
        std::printf("%-18s %8.0f GB/s   %.3f of cudaMemcpy\n", kernels[k].name, speed,
                    speed / peer);
    }
    return 0;
}
