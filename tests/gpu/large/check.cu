// Fills and compares on the device: 5 billion bytes are much for the way over the bus.
#include <stdint.h>

static __device__ uint8_t value(int64_t i) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;
    return (uint8_t)(x >> 56);
}

static __global__ void fill(uint8_t *a, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (int64_t)blockDim.x)
        a[i] = value(i);
}

static __global__ void count_wrong(const uint8_t *b, int64_t n, unsigned long long *wrong) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (int64_t)blockDim.x)
        if (b[i] != value(i)) atomicAdd(wrong, 1ull);
}

void large_fill(uint8_t *a, int64_t n) {
    fill<<<1024, 256>>>(a, n);
}
void large_count_wrong(const uint8_t *b, int64_t n, unsigned long long *wrong) {
    count_wrong<<<1024, 256>>>(b, n, wrong);
}
