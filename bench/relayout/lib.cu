// What bench.py needs of the device: memory, data, comparison, events, memcpy.  Every function
// returns 0 where it succeeds.
#include <cstdint>
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include "relayout.h"

static int said(cudaError_t status, const char *what) {
    if (status != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    return status != cudaSuccess;
}

static __device__ uint32_t mixed(uint64_t x) {
    x = (x ^ x >> 31) * 0x7fb5d329728ea185ull;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44dull;
    return (uint32_t)(x ^ x >> 33);
}

static __global__ void fill(uint32_t *to, long long words, uint64_t seed, uint32_t keep,
                            uint32_t set) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < words;
         i += (long long)gridDim.x * blockDim.x)
        to[i] = (mixed(i + (seed << 40)) & keep) | set;
}

template <class Index>
static __global__ void compare(const relayout_case c, const uint8_t *from, const uint8_t *to,
                               long long elements, unsigned long long *wrong) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < elements;
         i += (long long)gridDim.x * blockDim.x) {
        Index rest = (Index)i;
        long long src = c.skip, dst = 0;
        for (int m = c.rank - 1; m >= 0; --m) {
            const Index extent = (Index)c.extent[m];
            const long long x = rest % extent;
            rest /= extent;
            src += x * c.src[m];
            dst += x * c.dst[m];
        }
        int bad = 0;
        for (int b = 0; b < c.size; ++b) bad += from[src * c.size + b] != to[dst * c.size + b];
        if (bad) atomicAdd(wrong, (unsigned long long)bad);
    }
}

static __global__ void differing(const uint8_t *p, long long n, uint8_t value,
                                 unsigned long long *wrong) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        if (p[i] != value) atomicAdd(wrong, 1ull);
}

static __global__ void sweep(const uint4 *p, long long n) {
    uint32_t all = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        all |= p[i].x;
    if (all == 0xdeadbeef) *(uint32_t *)p = all;  // the loads are needed
}

static __global__ void wait_for(long long ns) {
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}

extern "C" {

int bench_memory(void **p, long long bytes) {
    return said(cudaMalloc(p, bytes), "cudaMalloc");
}

int bench_free(void *p) {
    return said(cudaFree(p), "cudaFree");
}

// Random bits; or, where 'size' says how many bytes a number of floating point has, finite numbers
// that are not denormal.
int bench_fill(void *p, long long bytes, unsigned long long seed, int size) {
    uint32_t keep = ~0u, set = 0;
    if (size == 2) keep = 0x83ff83ff, set = 0x3c003c00;
    if (size == 4) keep = 0x807fffff, set = 0x3f800000;
    if (size == 8) keep = 0xbfefffff, set = 0x20000000;
    fill<<<1056, 256>>>((uint32_t *)p, bytes / 4, seed, keep, set);
    return said(cudaGetLastError(), "fill");
}

int bench_poison(void *p, long long bytes) {
    return said(cudaMemset(p, 0xcd, bytes), "cudaMemset");
}

// How many bytes are wrong: elements of the destination, and those of the poison in the 'guard'
// bytes behind it; -1: an error.
long long bench_wrong(const relayout_case *c, const void *from, const void *to, long long bytes,
                      long long guard) {
    long long elements = 1;
    for (int m = 0; m < c->rank; ++m) elements *= c->extent[m];
    unsigned long long *wrong, n = 0;
    if (said(cudaMalloc(&wrong, sizeof n), "cudaMalloc")) return -1;
    cudaMemset(wrong, 0, sizeof n);
    const auto kernel = elements >> 32 ? compare<unsigned long long> : compare<uint32_t>;
    kernel<<<1056, 256>>>(*c, (const uint8_t *)from, (const uint8_t *)to, elements, wrong);
    if (guard > 0) differing<<<64, 256>>>((const uint8_t *)to + bytes, guard, 0xcd, wrong);
    const int failed = said(cudaMemcpy(&n, wrong, sizeof n, cudaMemcpyDeviceToHost), "compare");
    return said(cudaFree(wrong), "cudaFree") || failed ? -1 : (long long)n;
}

int bench_event(void **event) {
    return said(cudaEventCreate((cudaEvent_t *)event), "cudaEventCreate");
}

// Fills the L2 cache with lines of 'p', which has more bytes than it holds.  They are read, so that
// none is to be written back later; and lines stay no longer than others do, whatever policy they
// were read with.
int bench_clean(void *p, long long bytes) {
    const int failed = said(cudaCtxResetPersistingL2Cache(), "persisting lines");
    for (int i = 0; i < 2; ++i) sweep<<<1056, 256>>>((const uint4 *)p, bytes / 16);
    return said(cudaGetLastError(), "sweep") || failed;
}

// Begins to measure: the device is kept busy meanwhile, so that the first launches are not waited
// for.
int bench_begin(void *event, int busy_us) {
    wait_for<<<1, 1>>>(busy_us * 1000ll);
    return said(cudaEventRecord((cudaEvent_t)event), "cudaEventRecord");
}

// Milliseconds since 'begin'; below 0: an error.
double bench_end(void *begin, void *end) {
    float ms = -1;
    if (said(cudaEventRecord((cudaEvent_t)end), "cudaEventRecord") ||
        said(cudaEventSynchronize((cudaEvent_t)end), "launches") ||
        said(cudaEventElapsedTime(&ms, (cudaEvent_t)begin, (cudaEvent_t)end),
             "cudaEventElapsedTime"))
        return -1;
    return ms;
}

// What follows is counted by a profiler, or no more.
int bench_profile(int on) {
    return said(on ? cudaProfilerStart() : cudaProfilerStop(), "the profiler");
}

int bench_wait() {
    return said(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

int memcpy_launch(const void *from, void *to, long long bytes) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0) == cudaSuccess ? LAUNCHED
                                                                                        : FAILED;
}

// Rows of contiguous elements.
int memcpy2d_launch(const relayout_case *c, const void *from, void *to, int variant) {
    if (variant > 0 || c->rank != 2 || c->src[1] != 1 || c->dst[1] != 1 ||
        c->src[0] == c->extent[1])
        return NO_KERNEL;
    const char *begin = (const char *)from + c->skip * c->size;
    return cudaMemcpy2DAsync(to, c->dst[0] * c->size, begin, c->src[0] * c->size,
                             c->extent[1] * c->size, c->extent[0], cudaMemcpyDeviceToDevice,
                             0) == cudaSuccess
               ? LAUNCHED
               : FAILED;
}

int bench_device(char *name, int size, int *driver, int *runtime) {
    cudaDeviceProp p;
    if (said(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties")) return 1;
    std::snprintf(name, size, "%s", p.name);
    return cudaDriverGetVersion(driver) != cudaSuccess ||
           cudaRuntimeGetVersion(runtime) != cudaSuccess;
}
}
