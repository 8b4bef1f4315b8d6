// The device functions of compiled plans: each inline function is one instruction.
//
// An emitted file compiles with nvcc, and as C++17 for a CPU (g++ or clang++ -x c++, with
// -Wno-unknown-pragmas for g++, which does not know "#pragma unroll"). The CPU's versions of these
// functions are in host/. Device code includes no header of the C or C++ library, so that NVRTC
// compiles an emitted file unchanged, without its launchers, which include tcp_launch.h.
//
// An emitted file may use these names and no others:
//
//   TCP_RUNTIME_VERSION, the types and statuses of tcp_runtime.h, the checks and TCP_LAUNCH of tcp_launch.h
//   static __global__ void __launch_bounds__(N) NAME_kernel(...)   threadIdx   blockIdx   blockDim   gridDim
//   TCP_DEVICE void f(...)                       a device function: inlined
//   TCP_LAUNCH(NAME_kernel, tcp_blocks(x, y, z), threads, shared_bytes, stream, arguments...)
//   TCP_SHARED_BUFFER(smem);                     unsigned char *const smem: the block's shared memory, aligned to 1024 bytes
//   (float *)(smem + offset)                     a shared tensor
//   alignas(16) float r[8];                      a fragment
//
//   tcp_b{8,16,32,64,128}                        so many bits: what a load gives and a store takes
//   tcp_ld_{global,global_nc,shared,frag}_{8,16,32,64,128}(const void *from)
//   tcp_st_{global,shared,frag}_{8,16,32,64,128}(void *to, tcp_b{8,..} v)
//   tcp_sync();   tcp_sync_warp();               __syncthreads, __syncwarp
//   tcp_named_sync(id, n);                       waits at named barrier "id" until n threads have come to it
//   tcp_named_meet(id, n);                       the same, where threads that wait execute it at several places
//   tcp_named_arrive(id, n);                     comes to it without waiting
//   tcp_cp_async_ca_{4,8,16}(void *shared, const void *global), tcp_cp_async_cg_16
//   tcp_cp_async_ca_zfill_{4,8,16}(void *shared, const void *global, int bytes), tcp_cp_async_cg_zfill_16
//                                                reads "bytes" (0: none at all), fills the rest with 0
//   tcp_ld_global_128<HINTS>(..)                 and of the other widths, tcp_ld_global_nc_.., tcp_st_global_.., tcp_cp_async_..:
//                                                with cache hints (tcp_hints.h)
//   tcp_cp_async_commit();                       ends the group of the copies since the last commit
//   tcp_cp_async_wait<N>();                      waits until at most the N newest groups are pending
//   tcp_ldmatrix_x{1,2,4}[_trans](void *words, const void *shared_row);
//   tcp_stmatrix_x{1,2,4}[_trans](void *shared_row, const void *words);
//   tcp_zero_{8,16,32,64,128}()                  a value of zeros
//   tcp_swizzle<B, M, S>(x)                      x ^ ((x & yyy) >> S), CuTe's Swizzle<B,M,S>, of an element index
//   tcp_out(p, n)                                p, the argument of a function of others that writes n elements of shared memory
//   tcp_clamp(x, least, most)                    x, but no less than least and no more than most
//   tcp_convert<To, From>(tcp_b{8,..} of From)   the same elements as To (tcp_convert.h)
//   tcp_gather_{16,32,64,128}<Bits, Steps...>(const void *frag, int at)
//   tcp_scatter_{16,32,64,128}<Bits, Steps...>(void *frag, int at, tcp_b{16,..} v);
//                                                elements of Bits that are apart in registers (tcp_gather.h)
//
// "global_nc" reads memory that nobody writes during the launch (ld.global.nc). Loads and stores
// are plain vector accesses that the compiler may move and schedule; an instruction with a side
// effect beyond its operands is volatile. To add an instruction, add a function here, its CPU
// version in host/tcp_host.h and a row in the compiler's atom table.
#ifndef TCP_DEVICE_CUH
#define TCP_DEVICE_CUH

#include "tcp_types.h"

#ifndef __CUDACC__
#include "host/tcp_host.h"
#else

#ifdef __CUDACC_RTC__
#pragma nv_diag_suppress 177  // kernels are static, and their launchers are not there
#endif

#define TCP_DEVICE      __device__ __forceinline__
#define TCP_INSTRUCTION __device__ __forceinline__

#define TCP_SHARED_BUFFER(name)                                                                    \
    extern __shared__ __align__(1024) unsigned char tcp_shared_buffer[];                           \
    unsigned char *const name = tcp_shared_buffer

// The access types may alias everything: a fragment is an array of elements and is moved as
// vectors.
typedef uint8_t tcp_any8;
typedef uint16_t __attribute__((may_alias)) tcp_any16;
typedef uint32_t __attribute__((may_alias)) tcp_any32;
typedef unsigned long long __attribute__((may_alias)) tcp_any64;

// The address of "shared" in the shared state space, which instructions expect.
TCP_INSTRUCTION unsigned tcp_shared_address(const void *shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

#define TCP_SCALAR_ROW(space, bits)                                                                \
    TCP_INSTRUCTION tcp_b##bits tcp_ld_##space##_##bits(const void *from) {                        \
        return *(const tcp_any##bits *)from;                                                       \
    }                                                                                              \
    TCP_INSTRUCTION void tcp_st_##space##_##bits(void *to, tcp_b##bits value) {                    \
        *(tcp_any##bits *)to = value;                                                              \
    }
#define TCP_SPACE_ROWS(space)                                                                      \
    TCP_SCALAR_ROW(space, 8)                                                                       \
    TCP_SCALAR_ROW(space, 16)                                                                      \
    TCP_SCALAR_ROW(space, 32)                                                                      \
    TCP_SCALAR_ROW(space, 64)
TCP_SPACE_ROWS(global)
TCP_SPACE_ROWS(shared)

// 128 bits are moved as one integer: nvcc splits a type with members, even uint4, and does not
// always merge the parts into one store again (seen with nvcc 13.0: four st.global.u32 when the
// stride is a param). NVRTC has no such integer unless its caller asks for it by -device-int128.
#if !defined(__CUDACC_RTC__) || defined(__CUDACC_RTC_INT128__)
typedef unsigned __int128 __attribute__((may_alias)) tcp_any128;

TCP_INSTRUCTION tcp_b128 tcp_parts_of(tcp_any128 whole) {
    return tcp_b128{(unsigned)whole, (unsigned)(whole >> 32), (unsigned)(whole >> 64),
                    (unsigned)(whole >> 96)};
}
TCP_INSTRUCTION void tcp_st_global_128(void *to, tcp_b128 v) {
    const tcp_b64 low = (tcp_b64)v.y << 32 | v.x, high = (tcp_b64)v.w << 32 | v.z;
    *(tcp_any128 *)to = (tcp_any128)high << 64 | low;
}
#else
struct __attribute__((may_alias, aligned(16))) tcp_any128 {
    tcp_b32 x, y, z, w;
};

TCP_INSTRUCTION tcp_b128 tcp_parts_of(tcp_any128 v) {
    return tcp_b128{v.x, v.y, v.z, v.w};
}
TCP_INSTRUCTION void tcp_st_global_128(void *to, tcp_b128 v) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                 "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
#endif
TCP_INSTRUCTION tcp_b128 tcp_ld_global_128(const void *from) {
    return tcp_parts_of(*(const tcp_any128 *)from);
}
TCP_INSTRUCTION tcp_b128 tcp_ld_shared_128(const void *from) {
    return tcp_parts_of(*(const tcp_any128 *)from);
}
// Not as an integer: after that, nvcc takes registers with which fewer blocks or too many share an
// SM (0.74 and 0.81 of memcpy for 0.91 and 0.95).
TCP_INSTRUCTION void tcp_st_shared_128(void *to, tcp_b128 v) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(tcp_shared_address(to)), "r"(v.x),
                 "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

// Fragments are read and written word by word. Otherwise a fragment accessed with several widths,
// as at the edge of a tensor, would not stay in registers.
TCP_SCALAR_ROW(frag, 8)
TCP_SCALAR_ROW(frag, 16)
TCP_SCALAR_ROW(frag, 32)
TCP_INSTRUCTION tcp_b64 tcp_ld_frag_64(const void *from) {
    const tcp_any32 *const word = (const tcp_any32 *)from;
    return (tcp_b64)word[1] << 32 | word[0];
}
TCP_INSTRUCTION void tcp_st_frag_64(void *to, tcp_b64 value) {
    tcp_any32 *const word = (tcp_any32 *)to;
    word[0] = (tcp_b32)value;
    word[1] = (tcp_b32)(value >> 32);
}
TCP_INSTRUCTION tcp_b128 tcp_ld_frag_128(const void *from) {
    const tcp_any32 *const word = (const tcp_any32 *)from;
    return tcp_b128{word[0], word[1], word[2], word[3]};
}
TCP_INSTRUCTION void tcp_st_frag_128(void *to, tcp_b128 value) {
    tcp_any32 *const word = (tcp_any32 *)to;
    word[0] = value.x;
    word[1] = value.y;
    word[2] = value.z;
    word[3] = value.w;
}

#define TCP_CACHED_ROW(bits, type)                                                                 \
    TCP_INSTRUCTION tcp_b##bits tcp_ld_global_nc_##bits(const void *from) {                        \
        return __ldg((const type *)from);                                                          \
    }
TCP_CACHED_ROW(8, unsigned char)
TCP_CACHED_ROW(16, unsigned short)
TCP_CACHED_ROW(32, unsigned int)
TCP_CACHED_ROW(64, unsigned long long)
TCP_INSTRUCTION tcp_b128 tcp_ld_global_nc_128(const void *from) {
    const uint4 v = __ldg((const uint4 *)from);
    return tcp_b128{v.x, v.y, v.z, v.w};
}

TCP_INSTRUCTION void tcp_sync() {
    __syncthreads();
}

TCP_INSTRUCTION void tcp_sync_warp() {
    __syncwarp();
}

template <typename T> TCP_DEVICE T *tcp_out(T *p, int) {
    return p;
}

#include "tcp_hints.h"

TCP_INSTRUCTION void tcp_named_sync(int id, int threads) {
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

TCP_INSTRUCTION void tcp_named_meet(int id, int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

TCP_INSTRUCTION void tcp_named_arrive(int id, int threads) {
    asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

TCP_INSTRUCTION void tcp_cp_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> TCP_INSTRUCTION void tcp_cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Registers hold the words of a fragment, whatever its elements are.
#define TCP_MATRIX_ROWS(suffix, ptx)                                                               \
    TCP_INSTRUCTION void tcp_ldmatrix_x1##suffix(void *to, const void *row) {                      \
        tcp_any32 *const word = (tcp_any32 *)to;                                                   \
        tcp_b32 a;                                                                                 \
        asm volatile("ldmatrix.sync.aligned.m8n8.x1" ptx ".shared.b16 {%0}, [%1];"                 \
                     : "=r"(a)                                                                     \
                     : "r"(tcp_shared_address(row))                                                \
                     : "memory");                                                                  \
        word[0] = a;                                                                               \
    }                                                                                              \
    TCP_INSTRUCTION void tcp_ldmatrix_x2##suffix(void *to, const void *row) {                      \
        tcp_any32 *const word = (tcp_any32 *)to;                                                   \
        tcp_b32 a, b;                                                                              \
        asm volatile("ldmatrix.sync.aligned.m8n8.x2" ptx ".shared.b16 {%0, %1}, [%2];"             \
                     : "=r"(a), "=r"(b)                                                            \
                     : "r"(tcp_shared_address(row))                                                \
                     : "memory");                                                                  \
        word[0] = a;                                                                               \
        word[1] = b;                                                                               \
    }                                                                                              \
    TCP_INSTRUCTION void tcp_ldmatrix_x4##suffix(void *to, const void *row) {                      \
        tcp_any32 *const word = (tcp_any32 *)to;                                                   \
        tcp_b32 a, b, c, d;                                                                        \
        asm volatile("ldmatrix.sync.aligned.m8n8.x4" ptx ".shared.b16 {%0, %1, %2, %3}, [%4];"     \
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                          \
                     : "r"(tcp_shared_address(row))                                                \
                     : "memory");                                                                  \
        word[0] = a;                                                                               \
        word[1] = b;                                                                               \
        word[2] = c;                                                                               \
        word[3] = d;                                                                               \
    }
TCP_MATRIX_ROWS(, "")
TCP_MATRIX_ROWS(_trans, ".trans")

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TCP_MATRIX_STORE_ROWS(suffix, ptx)                                                         \
    TCP_INSTRUCTION void tcp_stmatrix_x1##suffix(void *row, const void *from) {                    \
        const tcp_any32 *const word = (const tcp_any32 *)from;                                     \
        asm volatile("stmatrix.sync.aligned.m8n8.x1" ptx                                           \
                     ".shared.b16 [%0], {%1};" ::"r"(tcp_shared_address(row)),                     \
                     "r"(word[0])                                                                  \
                     : "memory");                                                                  \
    }                                                                                              \
    TCP_INSTRUCTION void tcp_stmatrix_x2##suffix(void *row, const void *from) {                    \
        const tcp_any32 *const word = (const tcp_any32 *)from;                                     \
        asm volatile("stmatrix.sync.aligned.m8n8.x2" ptx                                           \
                     ".shared.b16 [%0], {%1, %2};" ::"r"(tcp_shared_address(row)),                 \
                     "r"(word[0]), "r"(word[1])                                                    \
                     : "memory");                                                                  \
    }                                                                                              \
    TCP_INSTRUCTION void tcp_stmatrix_x4##suffix(void *row, const void *from) {                    \
        const tcp_any32 *const word = (const tcp_any32 *)from;                                     \
        asm volatile("stmatrix.sync.aligned.m8n8.x4" ptx                                           \
                     ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(tcp_shared_address(row)),         \
                     "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])                        \
                     : "memory");                                                                  \
    }
TCP_MATRIX_STORE_ROWS(, "")
TCP_MATRIX_STORE_ROWS(_trans, ".trans")
#endif

TCP_INSTRUCTION tcp_b8 tcp_zero_8() {
    return 0;
}
TCP_INSTRUCTION tcp_b16 tcp_zero_16() {
    return 0;
}
TCP_INSTRUCTION tcp_b32 tcp_zero_32() {
    return 0;
}
TCP_INSTRUCTION tcp_b64 tcp_zero_64() {
    return 0;
}
TCP_INSTRUCTION tcp_b128 tcp_zero_128() {
    return tcp_b128{0, 0, 0, 0};
}

#endif
// CuTe's Swizzle<B,M,S> (cute/swizzle.hpp) of an element index. For S > 0 it xors bits [M, M+B)
// with the bits that are S higher. For S < 0 it xors those that are |S| higher with bits [M, M+B).
template <int B, int M, int S, typename T> TCP_DEVICE T tcp_swizzle(T x) {
    constexpr T mask = ((T(1) << B) - 1) << M;
    return S >= 0 ? T(x ^ ((x >> (S >= 0 ? S : 0)) & mask))
                  : T(x ^ ((x & mask) << (S < 0 ? -S : 0)));
}

template <typename T> TCP_DEVICE int tcp_clamp(T x, int least, int most) {
    return x < least ? least : x < most ? int(x) : most;
}

#include "tcp_convert.h"
#include "tcp_gather.h"

#endif
