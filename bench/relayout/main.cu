// Planned relayouts beside cudaMemcpyAsync of the same bytes.
//
// Each case gets fresh random elements, and a destination that is poisoned; each element is
// compared with where its coordinate says that it comes from.  Then both run in turns, on two pairs
// of buffers.  It prints a line of CSV a case: GB/s read plus written, the medians of the rounds,
// their share, and the least share of a round; at the end the geometric mean and the least share.
//
// usage: relayout [PART OF A NAME]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { MODES = 12, ROUNDS = 5, WARM = 2, MINIMUM_MS = 8, PAIRS = 2 };

struct relayout_case {
    const char *name;
    int size, rank;
    long long extent[MODES], src[MODES], dst[MODES];
    int (*launch)(const void *, void *, void *);
};

#include "cases.h"

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        const cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                               \
            std::printf("%s: %s\n", #call, cudaGetErrorString(status));                            \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

static __device__ uint32_t mixed(uint64_t x) {
    x = (x ^ x >> 31) * 0x7fb5d329728ea185ull;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44dull;
    return (uint32_t)(x ^ x >> 33);
}

static __global__ void fill(uint32_t *to, long long words, uint64_t seed) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < words;
         i += (long long)gridDim.x * blockDim.x)
        to[i] = mixed(i + (seed << 40));
}

// Counts the bytes that are not what they should be.
static __global__ void compare(const relayout_case c, const uint8_t *from, const uint8_t *to,
                               long long elements, unsigned long long *wrong) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < elements;
         i += (long long)gridDim.x * blockDim.x) {
        long long rest = i, src = 0, dst = 0;
        for (int m = c.rank - 1; m >= 0; --m) {
            const long long x = rest % c.extent[m];
            rest /= c.extent[m];
            src += x * c.src[m];
            dst += x * c.dst[m];
        }
        int bad = 0;
        for (int b = 0; b < c.size; ++b) bad += from[src * c.size + b] != to[dst * c.size + b];
        if (bad) atomicAdd(wrong, (unsigned long long)bad);
    }
}

struct buffers {
    uint8_t *from[PAIRS], *to[PAIRS];
};

static void launch(const relayout_case &c, const buffers &b, int pair, bool copy, size_t bytes) {
    if (copy) {
        CUDA(cudaMemcpyAsync(b.to[pair], b.from[pair], bytes, cudaMemcpyDeviceToDevice, 0));
    } else if (c.launch(b.from[pair], b.to[pair], nullptr) != 0) {
        std::printf("%s: the launcher refuses\n", c.name);
        std::exit(1);
    }
}

// Milliseconds of one launch, over as many as take MINIMUM_MS.
static double time_of(const relayout_case &c, const buffers &b, bool copy, size_t bytes, int n) {
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin));
    for (int i = 0; i < n; ++i) launch(c, b, i % PAIRS, copy, bytes);
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    float ms;
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    return ms / n;
}

static bool right(const relayout_case &c, const buffers &b, long long elements, uint64_t seed) {
    unsigned long long *wrong, n = 0;
    const size_t bytes = (size_t)elements * c.size;
    CUDA(cudaMalloc(&wrong, sizeof n));
    CUDA(cudaMemset(wrong, 0, sizeof n));
    for (int p = 0; p < PAIRS; ++p) {
        fill<<<1024, 256>>>((uint32_t *)b.from[p], (long long)(bytes + 3) / 4, seed + p);
        CUDA(cudaMemset(b.to[p], 0xcd, bytes));
        launch(c, b, p, false, bytes);
        compare<<<1024, 256>>>(c, b.from[p], b.to[p], elements, wrong);
    }
    CUDA(cudaMemcpy(&n, wrong, sizeof n, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(wrong));
    if (n) std::printf("%s: %llu bytes are wrong\n", c.name, n);
    return n == 0;
}

static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// The share of memcpy's speed; 0 when the case is wrong.
static double measure(const relayout_case &c, uint64_t seed) {
    long long elements = 1;
    for (int m = 0; m < c.rank; ++m) elements *= c.extent[m];
    const size_t bytes = (size_t)elements * c.size;
    buffers b;
    for (int p = 0; p < PAIRS; ++p) {
        CUDA(cudaMalloc(&b.from[p], bytes + 4));
        CUDA(cudaMalloc(&b.to[p], bytes + 4));
    }
    double share = 0;
    if (right(c, b, elements, seed)) {
        std::vector<double> copies, ours, shares;
        const int n = std::max(2, (int)(MINIMUM_MS / time_of(c, b, true, bytes, WARM)));
        time_of(c, b, false, bytes, WARM);
        for (int r = 0; r < ROUNDS; ++r) {
            copies.push_back(2e-6 * bytes / time_of(c, b, true, bytes, n));
            ours.push_back(2e-6 * bytes / time_of(c, b, false, bytes, n));
            shares.push_back(ours[r] / copies[r]);
        }
        share = median(ours) / median(copies);
        std::printf("%s,%d,%zu,%.0f,%.0f,%.3f,%.3f\n", c.name, c.size, bytes, median(copies),
                    median(ours), share, *std::min_element(shares.begin(), shares.end()));
        std::fflush(stdout);
    }
    for (int p = 0; p < PAIRS; ++p) {
        CUDA(cudaFree(b.from[p]));
        CUDA(cudaFree(b.to[p]));
    }
    return share;
}

int main(int argc, char **argv) {
    double logs = 0, least = 1e9;
    int n = 0, wrong = 0;
    uint64_t seed = 1;
    std::printf("case,element bytes,bytes,memcpy GB/s,tcpc GB/s,share,least share\n");
    for (const relayout_case &c : cases) {
        if (argc > 1 && !std::strstr(c.name, argv[1])) continue;
        const double share = measure(c, seed += 16);
        if (share == 0) {
            ++wrong;
            continue;
        }
        logs += std::log(share);
        least = std::min(least, share);
        ++n;
    }
    std::printf("# %d cases, geometric mean %.3f, least %.3f; %d wrong\n", n,
                n ? std::exp(logs / n) : 0.0, least, wrong);
    return wrong > 0;
}
