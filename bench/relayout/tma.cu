// Relayouts by TMA, by hand: boxes come by TMA, and blocks are turned in registers and stored by 128
// bits, or turned into shared memory and stored by TMA; rows go by TMA both ways. What no box can
// bring, or whose rows are no multiple of 16 bytes, is left out.
#include <algorithm>
#include <cuda_runtime.h>
#include <map>
#include <tuple>

#include "relayout.h"
#include "tcp_tma.cuh"
#include "tcp_tma_launch.h"
#include "turn.cuh"

namespace {

__device__ void commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int N> __device__ void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

__device__ void wait_all() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <int R>
__device__ void load(void *to, const tcp_tensor_map &m, tcp_mbarrier *full, const int *x) {
    if constexpr (R == 2)
        tcp_tma_load(to, m, full, x[0], x[1]);
    else if constexpr (R == 3)
        tcp_tma_load(to, m, full, x[0], x[1], x[2]);
    else
        tcp_tma_load(to, m, full, x[0], x[1], x[2], x[3], x[4]);
}

template <int R> __device__ void store(const tcp_tensor_map &m, const void *from, const int *x) {
    const unsigned at = tcp_shared_address(from);
    if constexpr (R == 2)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
                     " [%0, {%2, %3}], [%1];" ::"l"(&m),
                     "r"(at), "r"(x[0]), "r"(x[1])
                     : "memory");
    else if constexpr (R == 3)
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
                     " [%0, {%2, %3, %4}], [%1];" ::"l"(&m),
                     "r"(at), "r"(x[0]), "r"(x[1]), "r"(x[2])
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group"
                     " [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&m),
                     "r"(at), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4])
                     : "memory");
}

// Modes p (fast in the source) and q (fast in the destination; of rows: the second of a box), then the
// others.
struct shape {
    int extent[5], tiles[5], box[5], order[5];  // order: the mode whose tile changes first
    long long to[5];
    int total;
};

template <int R> __device__ void place(const shape &s, int t, int *x) {
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int m = s.order[i], n = s.tiles[m], r = t / n, v = (t - r * n) * s.box[m];
#pragma unroll
        for (int k = 0; k < R; ++k)
            if (k == m) x[k] = v;
        t = r;
    }
}

// SIZE, TM rows of mode q, NB boxes of 128 bytes of mode p.
template <int R, int SIZE, int TM, int NB, int STAGES, bool STORE, int THREADS>
__global__ void __launch_bounds__(THREADS)
    turn(const __grid_constant__ tcp_tensor_map src, const __grid_constant__ tcp_tensor_map dst,
         char *to, const shape s) {
    constexpr int V = 16 / SIZE, TN = NB * 128 / SIZE, MI = TM / V, BYTES = TM * NB * 128;
    extern __shared__ __align__(1024) char memory[];
    char *out = memory + STAGES * BYTES;
    __shared__ tcp_mbarrier full[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) tcp_mbarrier_init(full + i, 1);
        tcp_mbarrier_init_fence();
    }
    __syncthreads();
    const auto fetch = [&](int t, int slot) {
        int x[R];
        place<R>(s, t, x);
        tcp_mbarrier_expect(full + slot, BYTES);
        for (int b = 0; b < NB; ++b) {
            load<R>(memory + slot * BYTES + b * TM * 128, src, full + slot, x);
            x[0] += 128 / SIZE;
        }
    };
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) {
            const int t = blockIdx.x + i * gridDim.x;
            if (t < s.total) fetch(t, i);
        }
    int slot = 0, parity = 0, half = 0;
    for (int t = blockIdx.x; t < s.total; t += gridDim.x) {
        const char *in = memory + slot * BYTES;
        int x[R];
        place<R>(s, t, x);
        if (STORE) {
            if (threadIdx.x == 0) wait_read<1>();
            __syncthreads();
        }
        tcp_mbarrier_wait(full + slot, parity);
        constexpr int BLOCKS = (TM / V) * NB * 8;
        static_assert(BLOCKS % THREADS == 0, "even");
        long long base = 0;
        if (!STORE) {
#pragma unroll
            for (int i = 0; i < R; ++i) base += x[i] * s.to[i];
        }
#pragma unroll(SIZE == 1 ? 1 : 2)
        for (int i = 0; i < BLOCKS / THREADS; ++i) {
            const int b = i * THREADS + threadIdx.x;
            int c, mi, box;
            if (STORE) {
                c = b % 8, mi = b / 8 % 8, mi = (mi + c) % 8;
                const int rest = b / 64;
                mi += rest % (MI / 8) * 8, box = rest / (MI / 8);
            } else {
                constexpr int CL = SIZE == 4 ? 4 : 8;
                c = b % CL, mi = b / CL % MI;
                const int rest = b / CL / MI;
                c += rest % (8 / CL) * CL, box = rest / (8 / CL);
            }
            block<SIZE> v;
#pragma unroll
            for (int r = 0; r < V; ++r) {
                const int m = mi * V + r;
                const uint4 w = *(const uint4 *)(in + box * TM * 128 + m * 128 + (c ^ m & 7) * 16);
                v.w[r][0] = w.x, v.w[r][1] = w.y, v.w[r][2] = w.z, v.w[r][3] = w.w;
            }
            v.turn();
            if (STORE) {
#pragma unroll
                for (int j = 0; j < V; ++j) {
                    const int n = (box * 8 + c) * V + j;
                    *(uint4 *)(out + half * BYTES + mi / 8 * (TN * 128) + n * 128 +
                               (mi % 8 ^ n & 7) * 16) =
                        make_uint4(v.w[j][0], v.w[j][1], v.w[j][2], v.w[j][3]);
                }
            } else {
                const int n0 = (box * 8 + c) * V;
                char *at = to + (base + n0 * s.to[0] + mi * V) * SIZE;
                if (x[1] + mi * V < s.extent[1]) {
#pragma unroll
                    for (int j = 0; j < V; ++j)
                        if (x[0] + n0 + j < s.extent[0])
                            __stcs((uint4 *)(at + j * s.to[0] * SIZE),
                                   make_uint4(v.w[j][0], v.w[j][1], v.w[j][2], v.w[j][3]));
                }
            }
        }
        if (STORE) tcp_fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            if (STORE) {
                int y[R];
#pragma unroll
                for (int i = 0; i < R; ++i) y[i] = x[i];
                y[0] = x[1], y[1] = x[0];
                for (int b = 0; b < TM * SIZE / 128; ++b) {
                    store<R>(dst, out + half * BYTES + b * TN * 128, y);
                    y[0] += 128 / SIZE;
                }
                commit();
            }
            const int next = t + STAGES * gridDim.x;
            if (next < s.total) fetch(next, slot);
        }
        half ^= 1;
        if (++slot == STAGES) slot = 0, parity ^= 1;
    }
    if (STORE && threadIdx.x == 0) wait_all();
}

// Boxes loaded and stored as they are; one warp.
template <int R, int STAGES>
__global__ void __launch_bounds__(32)
    rows(const __grid_constant__ tcp_tensor_map src, const __grid_constant__ tcp_tensor_map dst,
         int bytes, const shape s) {
    extern __shared__ __align__(1024) char memory[];
    __shared__ tcp_mbarrier full[STAGES];
    if (threadIdx.x) return;
    for (int i = 0; i < STAGES; ++i) tcp_mbarrier_init(full + i, 1);
    tcp_mbarrier_init_fence();
    const auto fetch = [&](int t, int slot) {
        int x[R];
        place<R>(s, t, x);
        tcp_mbarrier_expect(full + slot, bytes);
        load<R>(memory + slot * bytes, src, full + slot, x);
    };
    for (int i = 0; i < (STAGES > 1 ? STAGES - 1 : 1); ++i) {
        const int t = blockIdx.x + i * gridDim.x;
        if (t < s.total) fetch(t, i);
    }
    int slot = 0, parity = 0;
    for (int t = blockIdx.x; t < s.total; t += gridDim.x) {
        int x[R];
        place<R>(s, t, x);
        tcp_mbarrier_wait(full + slot, parity);
        store<R>(dst, memory + slot * bytes, x);
        commit();
        const int next = t + (STAGES - 1) * gridDim.x;
        if (STAGES > 1 && next < s.total) {
            wait_read<1>();
            fetch(next, slot == 0 ? STAGES - 1 : slot - 1);
        }
        if (++slot == STAGES) slot = 0, parity ^= 1;
    }
    wait_all();
}

bool make(tcp_tensor_map *m, int size, int rank, const void *at, const long long *extent,
          const long long *stride, const int *box, bool swizzle) {
    tcp_tma_box b = {
        at, rank, size, {}, {}, {}, swizzle ? TCP_TMA_SWIZZLE_128 : TCP_TMA_SWIZZLE_NONE};
    for (int i = 0; i < rank; ++i) {
        b.extent[i] = extent[i];
        b.stride[i] = extent[i] == 1 ? 16 : stride[i] * size;
        b.box[i] = box[i];
    }
    return tcp_make_map("tma", "a side", &b, m) == TCP_OK;
}

struct ready {
    bool ok = false, turned = false, each = false;
    tcp_tensor_map src, dst;
    shape s;
    int R, bytes;
    void *kernel = nullptr;
    int grid, threads, shared;
};
struct modes {
    int rank;
    long long e[12], a[12], b[12];
};

modes merged(const relayout_case &c) {
    modes m{0};
    for (int i = c.rank - 1; i >= 0; --i) {  // fastest of the source first
        if (c.extent[i] == 1) continue;
        const int k = m.rank;
        if (k && c.src[i] == m.e[k - 1] * m.a[k - 1] && c.dst[i] == m.e[k - 1] * m.b[k - 1]) {
            m.e[k - 1] *= c.extent[i];
            continue;
        }
        m.e[k] = c.extent[i], m.a[k] = c.src[i], m.b[k] = c.dst[i], ++m.rank;
    }
    return m;
}

template <int R, int SIZE, int TM, int NB, int STAGES, bool STORE> void pick(ready &r) {
    constexpr int BLOCKS = TM / (16 / SIZE) * NB * 8, THREADS = BLOCKS < 256 ? BLOCKS : 256;
    r.kernel = (void *)turn<R, SIZE, TM, NB, STAGES, STORE, THREADS>;
    r.bytes = TM * NB * 128;
    r.shared = r.bytes * (STAGES + (STORE ? 2 : 0));
    r.threads = THREADS;
    r.s.box[0] = NB * 128 / SIZE, r.s.box[1] = TM;
    for (int i = 2; i < 5; ++i) r.s.box[i] = 1;
}

template <int R, int SIZE> bool choose(ready &r, int v) {
    constexpr int A = SIZE == 4 ? 64 : SIZE == 2 ? 128 : 256, B = 2 * A;
    switch (v) {
    case 0: pick<R, SIZE, A, 2, 2, false>(r); break;
    case 1: pick<R, SIZE, B, 1, 2, false>(r); break;
    case 2: pick<R, SIZE, B, 2, 2, false>(r); break;
    case 3: pick<R, SIZE, B, 2, 3, false>(r); break;
    case 4: pick<R, SIZE, B, 1, 4, false>(r); break;
    case 5: pick<R, SIZE, 128, 1, 2, true>(r); break;
    case 6: pick<R, SIZE, 128, 2, 2, true>(r); break;
    case 7: pick<R, SIZE, 128, 1, 3, true>(r); break;
    case 8:
        if constexpr (SIZE < 4)
            pick<R, SIZE, 256, 1, 2, true>(r);
        else
            pick<R, SIZE, 64, 2, 2, true>(r);
        break;
    case 9: pick<R, SIZE, A, 2, 1, false>(r); break;
    case 10: pick<R, SIZE, B, 1, 1, false>(r); break;
    case 11: pick<R, SIZE, A, 1, 1, false>(r); break;
    case 12: pick<R, SIZE, 128, 1, 1, true>(r); break;
    case 13: pick<R, SIZE, 128, 2, 1, true>(r); break;
    default: return false;
    }
    r.each = v >= 9;
    return true;
}

bool prepare(ready &r, const relayout_case &c, const void *from, void *to, int variant) {
    const modes m = merged(c);
    if (c.skip || m.rank > 5 || m.rank < 1) return true;
    int p = -1, q = -1;
    for (int i = 0; i < m.rank; ++i) {
        if (m.a[i] == 1) p = i;
        if (m.b[i] == 1) q = i;
    }
    if (p < 0 || q < 0 || c.size > 8) return true;
    const int order = variant % 2;
    long long e[5] = {1, 1, 1, 1, 1}, a[5] = {0}, b[5] = {0};
    int k = 0, list[5];
    list[k++] = p;
    if (p != q) list[k++] = q;
    for (int i = 0; i < m.rank; ++i)
        if (i != p && i != q) list[k++] = i;
    r.turned = p != q;
    if (!r.turned &&
        k > 2) {  // the second of the box: the next of the source, or of the destination
        for (int i = 1; i < k; ++i)
            if (variant / 2 % 2 ? m.b[list[i]] < m.b[list[1]] : m.a[list[i]] < m.a[list[1]])
                std::swap(list[i], list[1]);
    }
    for (int i = 0; i < k; ++i) e[i] = m.e[list[i]], a[i] = m.a[list[i]], b[i] = m.b[list[i]];
    for (int i = 0; i < 5; ++i)
        if (e[i] > 2000000000ll) return true;
    r.R = k <= 2 ? 2 : k == 3 ? 3 : 5;
    const int size = c.size;
    if (r.turned) {
        if (size == 8 || e[1] * size % 16 || e[0] * size % 16) return true;
        const int v = variant / 2;
        bool there = false;
#define SIZES(RANK)                                                                                \
    there = size == 4   ? choose<RANK, 4>(r, v)                                                    \
            : size == 2 ? choose<RANK, 2>(r, v)                                                    \
                        : choose<RANK, 1>(r, v)
        if (r.R == 2)
            SIZES(2);
        else if (r.R == 3)
            SIZES(3);
        else
            SIZES(5);
        if (!there) return false;
    } else {
        if (e[0] * size % 16) return true;
        static const int budgets[] = {8192, 16384, 32768};
        if (variant / 4 >= 9) return false;
        int left = budgets[variant / 4 % 3] / size;
        for (int i = 0; i < 5; ++i) {
            r.s.box[i] = 1;
            if (i > 1) continue;
            r.s.box[i] = (int)std::min<long long>(std::min(left, 256), e[i]);
            if (i == 0 && r.s.box[0] * size % 16) return true;
            left /= r.s.box[i];
        }
        r.bytes = size;
        for (int i = 0; i < 5; ++i) r.bytes *= r.s.box[i];
        r.bytes = (r.bytes + 127) / 128 * 128 == r.bytes ? r.bytes : 0;
        if (!r.bytes) return true;
        const int deep = variant / 12;
        r.each = deep == 2;
        r.shared = r.bytes * (deep == 2 ? 1 : deep ? 6 : 4);
        r.threads = 32;
#define ROWS(RANK)                                                                                 \
    r.kernel = deep == 2 ? (void *)rows<RANK, 1>                                                   \
               : deep    ? (void *)rows<RANK, 6>                                                   \
                         : (void *)rows<RANK, 4>
        if (r.R == 2)
            ROWS(2);
        else if (r.R == 3)
            ROWS(3);
        else
            ROWS(5);
    }
    if (r.shared > 227 * 1024 - 1024) return true;
    long long total = 1;
    for (int i = 0; i < 5; ++i) {
        r.s.extent[i] = (int)e[i], r.s.to[i] = b[i];
        r.s.tiles[i] = (int)((e[i] + r.s.box[i] - 1) / r.s.box[i]);
        total *= r.s.tiles[i];
    }
    r.s.total = (int)total;
    for (int i = 0; i < 5; ++i) r.s.order[i] = i;
    if (order && k > 1) r.s.order[0] = 1, r.s.order[1] = 0;
    int box[5];
    for (int i = 0; i < 5; ++i) box[i] = r.s.box[i];
    if (r.turned) box[0] = 128 / size;
    if (!make(&r.src, size, r.R, from, e, a, box, r.turned)) return true;
    if (r.turned) {
        std::swap(e[0], e[1]), std::swap(b[0], b[1]);
        box[0] = 128 / size, box[1] = r.s.box[0];
        if (box[1] > 256) return true;
    }
    if (!make(&r.dst, size, r.R, to, e, b, box, r.turned)) return true;
    if (cudaFuncSetAttribute(r.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, r.shared) !=
        cudaSuccess) {
        cudaGetLastError();
        return true;
    }
    int n = 0, sms = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, r.kernel, r.threads, r.shared);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    r.grid = r.each ? r.s.total : std::min(r.s.total, n * sms);
    r.ok = n > 0;
    return true;
}
}  // namespace

extern "C" int tma_launch(const relayout_case *c, const void *from, void *to, int variant) {
    static std::map<std::tuple<const void *, const void *, void *, int, long long, long long>,
                    ready>
        cache;
    if (variant > 35) return NO_KERNEL;
    auto key = std::make_tuple((const void *)c, from, to, variant, c->extent[0], c->dst[0]);
    auto at = cache.find(key);
    if (at == cache.end()) {
        ready r;
        if (!prepare(r, *c, from, to, variant)) return NO_KERNEL;
        at = cache.emplace(key, r).first;
    }
    ready &r = at->second;
    if (!r.ok) return FAILED;
    if (r.turned) {
        void *args[] = {&r.src, &r.dst, &to, &r.s};
        cudaLaunchKernel(r.kernel, dim3(r.grid), dim3(r.threads), args, r.shared, 0);
    } else {
        void *args[] = {&r.src, &r.dst, &r.bytes, &r.s};
        cudaLaunchKernel(r.kernel, dim3(r.grid), dim3(r.threads), args, r.shared, 0);
    }
    return launched();
}
