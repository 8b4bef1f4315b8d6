// One warp makes one access, with the addresses of a line of a file: what the profiler counts of it
// is what one instruction costs.
//
// usage: probe FILE
//
// A line of FILE: CLASS BITS MASK S0 .. S31 G0 .. G31, where CLASS is one of the names below, BITS
// a lane's width (for ldmatrix and stmatrix how many matrices: 1, 2 or 4), MASK the lanes that take
// part, S a byte of shared memory and G a byte of global memory, both relative to a multiple of 256
// bytes.  Every line is one launch of one warp, in the file's order.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SHARED = 48 << 10, GLOBAL = 8 << 20 };

struct pattern {
    uint32_t mask, shared[32], global[32];
};

#define ADDRESS                                                                                    \
    const int lane = threadIdx.x;                                                                  \
    const uint32_t s = (uint32_t)__cvta_generic_to_shared(smem) + p.shared[lane];                  \
    char *const g = memory + p.global[lane];                                                       \
    if (!(p.mask >> lane & 1)) return;                                                             \
    (void)s, (void)g

template <int N> struct bytes;
template <> struct bytes<1> { using type = uint16_t; };  // the register that a byte comes into
template <> struct bytes<2> { using type = uint16_t; };
template <> struct bytes<4> { using type = uint32_t; };
template <> struct bytes<8> { using type = uint2; };
template <> struct bytes<16> { using type = uint4; };

// Keeps what was loaded: zeros, so that nothing is stored.
__device__ void keep(uint32_t v, char *memory) {
    if (v) *memory = 1;
}
__device__ void keep(uint2 v, char *memory) {
    keep(v.x | v.y, memory);
}
__device__ void keep(uint4 v, char *memory) {
    keep(v.x | v.y | v.z | v.w, memory);
}

extern __shared__ __align__(256) char smem[];

template <int N> __global__ void ld_global(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    typename bytes<N>::type v;
    if constexpr (N == 1) asm volatile("ld.global.u8 %0, [%1];" : "=h"(v) : "l"(g));
    if constexpr (N == 2) asm volatile("ld.global.u16 %0, [%1];" : "=h"(v) : "l"(g));
    if constexpr (N == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(g));
    if constexpr (N == 8)
        asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(g));
    if constexpr (N == 16)
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(g));
    keep(v, memory);
}
template <int N> __global__ void ld_shared(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    typename bytes<N>::type v;
    if constexpr (N == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=h"(v) : "r"(s));
    if constexpr (N == 2) asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(s));
    if constexpr (N == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(s));
    if constexpr (N == 8)
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(s));
    if constexpr (N == 16)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(s));
    keep(v, memory);
}
template <int N> __global__ void st_global(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    const uint32_t v = lane;
    if constexpr (N == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(g), "r"(v));
    if constexpr (N == 2) asm volatile("st.global.u16 [%0], %1;" ::"l"(g), "h"((uint16_t)v));
    if constexpr (N == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(g), "r"(v));
    if constexpr (N == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(g), "r"(v));
    if constexpr (N == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(g), "r"(v));
}
template <int N> __global__ void st_shared(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    const uint32_t v = lane;
    if constexpr (N == 1) asm volatile("st.shared.u8 [%0], %1;" ::"r"(s), "r"(v));
    if constexpr (N == 2) asm volatile("st.shared.u16 [%0], %1;" ::"r"(s), "h"((uint16_t)v));
    if constexpr (N == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(s), "r"(v));
    if constexpr (N == 8) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(s), "r"(v));
    if constexpr (N == 16)
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(s), "r"(v));
}
template <int N> __global__ void cp_async(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    if constexpr (N == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(s), "l"(g), "n"(N)
                     : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}
__global__ void cp_async_ca16(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}
template <int N, bool T>
__global__ void ld_matrix(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
    uint32_t v[4] = {};
    if constexpr (N == 1 && !T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(s));
    if constexpr (N == 2 && !T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(v[0]), "=r"(v[1])
                     : "r"(s));
    if constexpr (N == 4 && !T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(s));
    if constexpr (N == 1 && T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                     : "=r"(v[0])
                     : "r"(s));
    if constexpr (N == 2 && T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(v[0]), "=r"(v[1])
                     : "r"(s));
    if constexpr (N == 4 && T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(s));
    keep(make_uint4(v[0], v[1], v[2], v[3]), memory);
}
template <int N> __global__ void st_matrix(const __grid_constant__ pattern p, char *memory) {
    ADDRESS;
#if __CUDA_ARCH__ >= 900
    const uint32_t v = lane;
    if constexpr (N == 1)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(s), "r"(v));
    if constexpr (N == 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(s), "r"(v));
    if constexpr (N == 4)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(s),
                     "r"(v));
#endif
}

using kernel = void (*)(pattern, char *);
struct row {
    const char *name;
    int bits;
    kernel k;
};
static const row table[] = {
    {"ld.global", 8, ld_global<1>},
    {"ld.global", 16, ld_global<2>},
    {"ld.global", 32, ld_global<4>},
    {"ld.global", 64, ld_global<8>},
    {"ld.global", 128, ld_global<16>},
    {"st.global", 8, st_global<1>},
    {"st.global", 16, st_global<2>},
    {"st.global", 32, st_global<4>},
    {"st.global", 64, st_global<8>},
    {"st.global", 128, st_global<16>},
    {"ld.shared", 8, ld_shared<1>},
    {"ld.shared", 16, ld_shared<2>},
    {"ld.shared", 32, ld_shared<4>},
    {"ld.shared", 64, ld_shared<8>},
    {"ld.shared", 128, ld_shared<16>},
    {"st.shared", 8, st_shared<1>},
    {"st.shared", 16, st_shared<2>},
    {"st.shared", 32, st_shared<4>},
    {"st.shared", 64, st_shared<8>},
    {"st.shared", 128, st_shared<16>},
    {"cp.async", 32, cp_async<4>},
    {"cp.async", 64, cp_async<8>},
    {"cp.async", 128, cp_async<16>},
    {"cp.async.ca", 128, cp_async_ca16},
    {"ldmatrix", 1, ld_matrix<1, false>},
    {"ldmatrix", 2, ld_matrix<2, false>},
    {"ldmatrix", 4, ld_matrix<4, false>},
    {"ldmatrix.trans", 1, ld_matrix<1, true>},
    {"ldmatrix.trans", 2, ld_matrix<2, true>},
    {"ldmatrix.trans", 4, ld_matrix<4, true>},
    {"stmatrix", 1, st_matrix<1>},
    {"stmatrix", 2, st_matrix<2>},
    {"stmatrix", 4, st_matrix<4>},
};

static void check(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "probe: %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

int main(int argc, char **argv) {
    FILE *f = argc == 2 ? fopen(argv[1], "r") : nullptr;
    if (!f) return fprintf(stderr, "usage: probe FILE\n"), 2;
    char *memory, name[32];
    check(cudaMalloc(&memory, GLOBAL), "memory");
    check(cudaMemset(memory, 0, GLOBAL), "memory");
    int bits, lines = 0;
    pattern p;
    while (fscanf(f, "%31s %d %x", name, &bits, &p.mask) == 3) {
        for (int i = 0; i < 64; ++i)
            if (fscanf(f, "%u", i < 32 ? &p.shared[i] : &p.global[i - 32]) != 1)
                return fprintf(stderr, "probe: a short line\n"), 2;
        const row *r = nullptr;
        for (const row &x : table)
            if (!strcmp(x.name, name) && x.bits == bits) r = &x;
        if (!r) return fprintf(stderr, "probe: %s %d is no class\n", name, bits), 2;
        for (int i = 0; i < 32; ++i)
            if (p.shared[i] > SHARED - 16 || p.global[i] > GLOBAL - 16)
                return fprintf(stderr, "probe: an address is too large\n"), 2;
        r->k<<<1, 32, SHARED>>>(p, memory);
        ++lines;
    }
    check(cudaDeviceSynchronize(), "a launch");
    printf("%d launches\n", lines);
}
