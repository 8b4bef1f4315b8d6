// Two warps wait at one named barrier, each at a place of its own. PTX wants this without ".aligned", and synccheck of
// compute-sanitizer 2025.3 finds nothing then. With ALIGNED the values are right, too, and synccheck reports it.
#include <cstdio>
#include <cuda_runtime.h>

#include "tcp_launch.h"  // run.sh links each program with the harness, which asks for the last error

#ifdef ALIGNED
#define FORM ".aligned"
#else
#define FORM ""
#endif
#define MEET(id) asm volatile("barrier.sync" FORM " " #id ", 64;" ::: "memory")

enum { STEPS = 8, LANES = 32 };

__global__ void places(int *out) {
    __shared__ int slot[LANES];
    const int lane = threadIdx.x % LANES;
    if (threadIdx.x < LANES) {
        for (int n = 0; n < STEPS; ++n) {
            MEET(1);
            out[n * LANES + lane] = slot[LANES - 1 - lane];
            MEET(2);
        }
    } else {
        for (int n = 0; n < STEPS; ++n) {
            slot[lane] = n + lane;
            MEET(1);
            MEET(2);
        }
    }
}

int main() {
    static int host[STEPS * LANES];
    int *out, wrong = 0;
    cudaMalloc(&out, sizeof host);
    places<<<1, 2 * LANES>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int i = 0; i < STEPS * LANES; ++i) wrong += host[i] != i / LANES + LANES - 1 - i % LANES;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
