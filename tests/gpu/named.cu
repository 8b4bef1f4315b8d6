// Right, and racecheck of compute-sanitizer 2025.3 says that it is not: a warp that writes hands a slot to
// one that reads, by the two named barriers of the PTX manual's example of a producer and a consumer.
// If racecheck finds nothing here any more, prepare.sh may let it look at pipelines with roles, too.
#include <cstdio>
#include <cuda_runtime.h>

#include "tcp_launch.h"  // run.sh links each program with the harness, which asks for the last error

enum { STEPS = 8, LANES = 32 };

__global__ void hand_over(int *out) {
    __shared__ int slot[LANES];
    const int lane = threadIdx.x % LANES;
    for (int n = 0; n < STEPS; ++n) {
        if (threadIdx.x < LANES) {
            asm volatile("barrier.sync.aligned 1, 64;" ::: "memory");
            out[n * LANES + lane] = slot[LANES - 1 - lane];
            if (n + 1 < STEPS) asm volatile("barrier.arrive.aligned 2, 64;" ::: "memory");
        } else {
            if (n > 0) asm volatile("barrier.sync.aligned 2, 64;" ::: "memory");
            slot[lane] = n + lane;
            asm volatile("barrier.arrive.aligned 1, 64;" ::: "memory");
        }
    }
}

int main() {
    static int host[STEPS * LANES];
    int *out, wrong = 0;
    cudaMalloc(&out, sizeof host);
    hand_over<<<1, 2 * LANES>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int i = 0; i < STEPS * LANES; ++i) wrong += host[i] != i / LANES + LANES - 1 - i % LANES;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
