// Kernels in the form that the compiler emits: right ones, and one for each failure that the host
// runtime reports. Compiled for the host by g++ and clang++ and, where there is an nvcc, for GPUs.
#include "tcp_device.cuh"
#include "tcp_launch.h"
#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of tcp_runtime.h"
#endif

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
// The policies of the L2 cache are those that the instruction makes.
static __device__ void compare_policies() {
    unsigned long long first, last;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    if (first != tcp_l2_policy<TCP_L2_EVICT_FIRST>() || last != tcp_l2_policy<TCP_L2_EVICT_LAST>())
        __trap();
}
#endif

// 256 floats through shared memory and a fragment, transposed as (32,8) to (8,32).
static __global__ void __launch_bounds__(32)
    copy_tile_kernel(const float *__restrict__ src, float *__restrict__ out) {
    TCP_SHARED_BUFFER(smem);
    float *const dst = (float *)(smem + 0);
    const int tid = (int)threadIdx.x;
    alignas(16) float r[8];
    tcp_b128 v[2];
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    compare_policies();
#endif
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        v[i] = tcp_ld_global_nc_128(&src[(tid + 32 * i) * 4]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        tcp_st_shared_128(&dst[(tid + 32 * i) * 4], v[i]);
    }
    tcp_sync();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        tcp_st_frag_32(&r[i], tcp_ld_shared_32(&dst[i * 32 + tid]));
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        tcp_st_global_128(&out[(tid * 2 + i) * 4], tcp_ld_frag_128(&r[i * 4]));
    }
}

TCP_EXTERN_C tcp_status copy_tile_launch(const float *src, float *out, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("copy_tile", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("copy_tile", "out", out, 16));
    TCP_CHECK(tcp_check_distinct("copy_tile", "src", src, 0, 1024, "out", out, 0, 1024));
    return TCP_LAUNCH(copy_tile_kernel, tcp_blocks(1, 1, 1), 32, 1024, stream, src, out);
}

// All threads of large blocks, a barrier a round: each takes its neighbour's number, "rounds"
// times.
static __global__ void __launch_bounds__(1024)
    rotate_kernel(const tcp_b16 *__restrict__ src, tcp_b16 *__restrict__ out, int rounds) {
    TCP_SHARED_BUFFER(smem);
    tcp_b16 *const ring = (tcp_b16 *)(smem + 0);
    const int tid = (int)threadIdx.x, n = (int)blockDim.x;
    const int64_t base = (int64_t)blockIdx.x * n;
    tcp_b16 v = tcp_ld_global_16(&src[base + tid]);
    for (int i = 0; i < rounds; ++i) {
        tcp_st_shared_16(&ring[tid], v);
        tcp_sync();
        v = tcp_ld_shared_16(&ring[(tid + 1) % n]);
        tcp_sync();
    }
    tcp_st_global_16(&out[base + tid], v);
}

TCP_EXTERN_C tcp_status rotate_launch(const tcp_b16 *src, tcp_b16 *out, int64_t blocks, int threads,
                                      int rounds, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("rotate", "rounds", rounds, 0, 1000));
    TCP_CHECK(tcp_check_multiple("rotate", "threads", threads, 32));
    TCP_CHECK(
        tcp_check_relation("rotate", "threads >= rounds", threads >= rounds, threads, rounds));
    return TCP_LAUNCH(rotate_kernel, tcp_blocks(blocks, 1, 1), threads, 2 * threads, stream, src,
                      out, rounds);
}

// A 16x16 tile of 16-bit elements: cp.async into two stages, ldmatrix, stmatrix transposed, out.
// "fault" leaves out what a correct kernel needs.
template <int FAULT>
static __global__ void __launch_bounds__(32)
    matrix_kernel(const tcp_b16 *__restrict__ src, tcp_b16 *__restrict__ out) {
    TCP_SHARED_BUFFER(smem);
    tcp_b16 *const in = (tcp_b16 *)(smem + 0), *const turned = (tcp_b16 *)(smem + 512);
    const int tid = (int)threadIdx.x;
    tcp_cp_async_cg_16(&in[tid / 2 * 16 + tid % 2 * 8], &src[tid / 2 * 16 + tid % 2 * 8]);
    tcp_cp_async_commit();
    tcp_cp_async_ca_zfill_4(&turned[2 * tid], &src[2 * tid], tid % 2 ? 0 : 2);
    tcp_cp_async_commit();
    if (FAULT == 1) {
        tcp_cp_async_wait<2>();
    } else {
        tcp_cp_async_wait<1>();
    }
    if (FAULT != 2) tcp_sync();
    tcp_b32 r[4];
    tcp_ldmatrix_x4(r, &in[tid % 16 * 16 + tid / 16 * 8]);
    tcp_cp_async_wait<0>();
    tcp_sync();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    // matrices (0,0) (8,0) (0,8) (8,8) go, each transposed, to the place of their transpose
    tcp_stmatrix_x4_trans(&turned[(tid % 8 + tid / 16 * 8) * 16 + tid / 8 % 2 * 8], r);
#endif
    tcp_sync();
    tcp_st_global_128(&out[tid * 8], tcp_ld_shared_128(&turned[tid * 8]));
}

TCP_EXTERN_C tcp_status matrix_launch(const tcp_b16 *src, tcp_b16 *out, int fault,
                                      tcp_stream stream) {
    if (fault == 1)
        return TCP_LAUNCH(matrix_kernel<1>, tcp_blocks(1, 1, 1), 32, 1024, stream, src, out);
    if (fault == 2)
        return TCP_LAUNCH(matrix_kernel<2>, tcp_blocks(1, 1, 1), 32, 1024, stream, src, out);
    return TCP_LAUNCH(matrix_kernel<0>, tcp_blocks(1, 1, 1), 32, 1024, stream, src, out);
}

// One failure a value of "FAULT"; 64 threads, 256 bytes of shared memory, tensors of 64 words.
template <int FAULT>
static __global__ void __launch_bounds__(64)
    fault_kernel(const tcp_b32 *__restrict__ src, tcp_b32 *__restrict__ out) {
    TCP_SHARED_BUFFER(smem);
    tcp_b32 *const s = (tcp_b32 *)(smem + 0);
    const int tid = (int)threadIdx.x;
    tcp_b32 v = tcp_ld_global_32(&src[FAULT == 1 ? tid + 1 : tid]);  // 1: past the end
    if (FAULT == 2) tcp_ld_global_128(&src[tid & 32 ? 1 : 0]);       // 2: 128 bits at 4 bytes
    tcp_st_shared_32(&s[FAULT == 3 ? tid + 1 : tid], v);             // 3: past shared memory
    if (FAULT == 4) {                                                // 4: half of the threads
        if (tid < 32) tcp_sync();
    } else if (FAULT == 5) {  // 5: warps alone
        tcp_sync_warp();
    } else if (FAULT == 12) {  // 12: a warp splits
        if (tid % 32 < 16) tcp_sync_warp();
        tcp_sync();
    } else if (FAULT != 6) {  // 6: none
        tcp_sync();
    }
    if (FAULT == 7) {  // 7 is right: the neighbour is in the same warp
        tcp_st_shared_32(&s[tid], v + 1);
        tcp_sync_warp();
        v = tcp_ld_shared_32(&s[tid ^ 1]) - 1;
    } else if (FAULT == 8) {  // 8: written while others read
        v = tcp_ld_shared_32(&s[tid ^ 1]);
        tcp_st_shared_32(&s[tid], v);
    } else {
        v = tcp_ld_shared_32(&s[63 - tid]);
    }
    tcp_st_global_32(&out[FAULT == 9 ? tid / 2 : tid], v);             // 9: twice
    if (FAULT == 10) tcp_ld_global_nc_32(&out[tid]);                   // 10: nc of what is written
    if (FAULT == 11) tcp_st_global_32((tcp_b32 *)(uintptr_t)4096, v);  // 11: nowhere near a tensor
    if (FAULT == 13) tcp_ld_shared_32(out);                            // 13: not shared memory
    if (FAULT == 14)
        tcp_st_frag_64((unsigned char *)&v + 1, tcp_b64{});  // 14: a fragment, misaligned
}

TCP_EXTERN_C tcp_status fault_launch(const tcp_b32 *src, tcp_b32 *out, int fault,
                                     tcp_stream stream) {
    void (*const kernel[])(const tcp_b32 *, tcp_b32 *) = {
        fault_kernel<0>,  fault_kernel<1>,  fault_kernel<2>,  fault_kernel<3>,  fault_kernel<4>,
        fault_kernel<5>,  fault_kernel<6>,  fault_kernel<7>,  fault_kernel<8>,  fault_kernel<9>,
        fault_kernel<10>, fault_kernel<11>, fault_kernel<12>, fault_kernel<13>, fault_kernel<14>};
    return tcp_launch("fault", kernel[fault], tcp_blocks(1, 1, 1), 64, 256, stream, src, out);
}

// Three warps read a word, and the first one writes it again behind a barrier: with "LEFT" the last of the three does
// not come to it.  128 threads.
template <bool LEFT>
static __global__ void __launch_bounds__(128)
    readers_kernel(const tcp_b32 *__restrict__ src, tcp_b32 *__restrict__ out) {
    TCP_SHARED_BUFFER(smem);
    tcp_b32 *const s = (tcp_b32 *)(smem + 0);
    const int tid = (int)threadIdx.x, warp = tid / 32;
    if (tid == 0) tcp_st_shared_32(&s[0], tcp_ld_global_32(&src[0]));
    tcp_sync();
    const tcp_b32 v = warp ? tcp_ld_shared_32(&s[0]) : 0;
    if (!LEFT || warp < 3) tcp_named_sync(1, LEFT ? 96 : 128);
    if (tid == 0) tcp_st_shared_32(&s[0], tcp_ld_global_32(&src[1]));
    if (tid % 32 == 0) tcp_st_global_32(&out[warp], v);
}

TCP_EXTERN_C tcp_status readers_launch(const tcp_b32 *src, tcp_b32 *out, int left,
                                       tcp_stream stream) {
    return tcp_launch("readers", left ? readers_kernel<true> : readers_kernel<false>,
                      tcp_blocks(1, 1, 1), 128, 256, stream, src, out);
}
