// ldmatrix.x4 from shared memory, by what tcpc emits and by CuTe's copy: a tile of 64x64 elements
// of f16 to operand A of four warps, many times over.
//
// Both give what the table of the PTX ISA says ("Matrix Fragments for mma.m16n8k16"), element by
// element, or the program fails.  Then they run in turns; it prints a line of CSV a layout, from
// the median of each one's rounds: GB/s of all SMs, and cycles a pass of the SM that is slowest.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cute/tensor.hpp>

#include <cute/atom/copy_atom.hpp>
#include <cute/atom/mma_atom.hpp>

#include "smem.cuh"

enum {
    THREADS = 128,
    EACH = 32,
    WORDS = EACH / 2,
    ROUNDS = 21,
    PASSES = 20001,
    BLOCKS = 4,
    ROOM = 64 * 72
};

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        const cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                               \
            std::printf("%s: %s\n", #call, cudaGetErrorString(status));                            \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

// -- layouts, and who loads from them -------------------------------------------------------------
struct plain {
    static constexpr const char *name = "plain";
    static __device__ int at(int row, int column) {
        return 64 * row + column;
    }
    static __device__ void load(int tid, const tcp_f16 *s, tcp_f16 *r) {
        load_plain(tid, s, r);
    }
    static __device__ auto layout() {
        return cute::Layout<cute::Shape<cute::_64, cute::_64>, cute::Stride<cute::_64, cute::_1>>{};
    }
};
struct padded {
    static constexpr const char *name = "padded";
    static __device__ int at(int row, int column) {
        return 72 * row + column;
    }
    static __device__ void load(int tid, const tcp_f16 *s, tcp_f16 *r) {
        load_padded(tid, s, r);
    }
    static __device__ auto layout() {
        return cute::Layout<cute::Shape<cute::_64, cute::_64>,
                            cute::Stride<cute::Int<72>, cute::_1>>{};
    }
};
struct swizzled {
    static constexpr const char *name = "swizzled";
    static __device__ int at(int row, int column) {
        return (64 * row + column) ^ row % 8 * 8;
    }
    static __device__ void load(int tid, const tcp_f16 *s, tcp_f16 *r) {
        load_swizzled(tid, s, r);
    }
    static __device__ auto layout() {
        using piece =
            cute::Layout<cute::Shape<cute::_8, cute::_64>, cute::Stride<cute::_64, cute::_1>>;
        return cute::tile_to_shape(cute::composition(cute::Swizzle<3, 3, 3>{}, piece{}),
                                   cute::Shape<cute::_64, cute::_64>{});
    }
};

// "pass" is called with the words that a thread has after each load of the tile.
template <class L> struct ours {
    template <class F> static __device__ void repeat(const tcp_f16 *s, int passes, F pass) {
        const int tid = (int)threadIdx.x;
#pragma unroll 1
        for (int i = 0; i < passes; ++i) {
            alignas(16) tcp_f16 r[EACH];
            L::load(tid, s, r);
            pass((const tcp_any32 *)r);
        }
    }
};
template <class L> struct cutes {
    template <class F> static __device__ void repeat(const tcp_f16 *s, int passes, F pass) {
        using namespace cute;
        const auto mma = make_tiled_mma(MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{},
                                        Layout<Shape<_4, _1, _1>>{}, Tile<_64, _8, _64>{});
        const auto tile = make_tensor(make_smem_ptr((const half_t *)s), L::layout());
        const auto copier = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
        const auto from = copier.get_slice(threadIdx.x).partition_S(tile);
#pragma unroll 1
        for (int i = 0; i < passes; ++i) {
            auto r = mma.get_slice(threadIdx.x).partition_fragment_A(tile);
            copy(copier, from, copier.get_slice(threadIdx.x).retile_D(r));
            pass((const tcp_any32 *)&r(0));
        }
    }
};

// -- kernels --------------------------------------------------------------------------------------
// Element (row, column) of the tile is its number.
template <class L> static __device__ void fill(tcp_f16 *s) {
    for (int i = (int)threadIdx.x; i < 64 * 64; i += THREADS)
        s[L::at(i / 64, i % 64)].bits = (uint16_t)i;
    __syncthreads();
}

template <class L, class Who> static __global__ void once(uint32_t *out) {
    __shared__ __align__(1024) tcp_f16 s[ROOM];
    fill<L>(s);
    Who::repeat(s, 1, [&](const tcp_any32 *word) {
#pragma unroll
        for (int i = 0; i < WORDS; ++i) out[WORDS * threadIdx.x + i] = word[i];
    });
}

// The words of all passes go into one, which nothing can be left out of.
template <class L, class Who>
static __global__ void __launch_bounds__(THREADS)
    many(uint32_t *out, long long *cycles, int passes) {
    __shared__ __align__(1024) tcp_f16 s[ROOM];
    fill<L>(s);
    uint32_t sum = 0;
    const long long begin = clock64();
    Who::repeat(s, passes, [&](const tcp_any32 *word) {
#pragma unroll
        for (int i = 0; i < WORDS; ++i) sum ^= word[i];
    });
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
}

// -- the program ----------------------------------------------------------------------------------
// Values 2 * i and 2 * i + 1 of thread "tid", as the PTX ISA has operand A.
static uint32_t want(int tid, int i) {
    const int lane = tid % 32, value = 2 * i % 8, step = 2 * i / 8;
    const int row = 16 * (tid / 32) + lane / 4 + 8 * (value / 2 % 2);
    const int column = 16 * step + lane % 4 * 2 + 8 * (value / 4);
    const uint32_t first = (uint32_t)(64 * row + column);
    return first | (first + 1) << 16;
}

template <class L, class Who> static bool right(const char *who, uint32_t *out) {
    std::vector<uint32_t> got(THREADS * WORDS);
    CUDA(cudaMemset(out, 0xff, got.size() * 4));
    once<L, Who><<<1, THREADS>>>(out);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; ++t)
        for (int i = 0; i < WORDS; ++i)
            if (got[WORDS * t + i] != want(t, i)) {
                std::printf("%s, %s: word %d of thread %d is %08x, not %08x\n", L::name, who, i, t,
                            got[WORDS * t + i], want(t, i));
                return false;
            }
    return true;
}

struct timed {
    std::vector<double> ms, cycles;
};

template <class L, class Who>
static void time(timed &t, int blocks, uint32_t *out, long long *cycles,
                 std::vector<uint32_t> &sums) {
    cudaEvent_t from, to;
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    CUDA(cudaEventRecord(from));
    many<L, Who><<<blocks, THREADS>>>(out, cycles, PASSES);
    CUDA(cudaEventRecord(to));
    CUDA(cudaEventSynchronize(to));
    float ms;
    CUDA(cudaEventElapsedTime(&ms, from, to));
    std::vector<long long> each(blocks);
    CUDA(cudaMemcpy(each.data(), cycles, blocks * sizeof each[0], cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(sums.data(), out, sums.size() * 4, cudaMemcpyDeviceToHost));
    t.ms.push_back(ms);
    t.cycles.push_back((double)*std::max_element(each.begin(), each.end()) / PASSES);
    CUDA(cudaEventDestroy(from));
    CUDA(cudaEventDestroy(to));
}

static double median(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

template <class L> static bool compare(int blocks, uint32_t *out, long long *cycles) {
    if (!right<L, ours<L>>("tcpc", out) || !right<L, cutes<L>>("CuTe", out)) return false;
    std::vector<uint32_t> a(blocks * THREADS), b(blocks * THREADS);
    timed mine, peer;
    for (int i = -2; i < ROUNDS; ++i) {  // the first two are not counted
        if (i == 0) mine = peer = timed();
        if (i % 2 == 0) time<L, ours<L>>(mine, blocks, out, cycles, a);
        time<L, cutes<L>>(peer, blocks, out, cycles, b);
        if (i % 2 != 0) time<L, ours<L>>(mine, blocks, out, cycles, a);
        if (a != b) {
            std::printf("%s: the sums differ\n", L::name);
            return false;
        }
    }
    const double bytes = 2.0 * 64 * 64 * PASSES * blocks;
    const double x = median(mine.ms), y = median(peer.ms);
    std::printf("%s,%.1f,%.1f,%.4f,%.1f,%.1f\n", L::name, bytes / x / 1e6, bytes / y / 1e6, y / x,
                median(mine.cycles), median(peer.cycles));
    return true;
}

int main() {
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    const int blocks = BLOCKS * device.multiProcessorCount;
    uint32_t *out;
    long long *cycles;
    CUDA(cudaMalloc(&out, sizeof *out * THREADS * std::max<int>(WORDS, blocks)));
    CUDA(cudaMalloc(&cycles, sizeof *cycles * blocks));
    std::printf("# %s, %d blocks of %d threads on each SM, %d passes, %d rounds in turns\n",
                device.name, BLOCKS, THREADS, PASSES, ROUNDS);
    std::printf("layout,tcpc GB/s,CuTe GB/s,tcpc/CuTe,tcpc cycles a pass,CuTe cycles a pass\n");
    return compare<plain>(blocks, out, cycles) && compare<padded>(blocks, out, cycles) &&
                   compare<swizzled>(blocks, out, cycles)
               ? 0
               : 1;
}
