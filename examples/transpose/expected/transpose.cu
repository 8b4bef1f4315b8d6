// Made by tcpc from transpose.tcp for sm_90: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel transpose_f32, transpose.tcp:23
//   grid (N/64,M/64,1), 256 threads, 16384 bytes of shared memory
static __global__ void __launch_bounds__(256)
transpose_f32_kernel(const float *__restrict__ A32, float *__restrict__ B32, int64_t M, int64_t N) {
    TCP_SHARED_BUFFER(smem);
    float *const s = (float *)smem;  // (64,64):(64,1), offset bits 8-10 xored into bits 2-4
    alignas(16) float r[16];  // (16,1,1):(1,0,0)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 16;  // along mode 0, by 4
    const int t1 = tid % 16;  // along mode 1, by 4
    // rd: copy local_tile(A32, (64,64), (block.y, block.x)) -> r  transpose.tcp:26
    //   tile    (64,64) f32   threads 256   atom universal(128)
    //   tiler   (64,64)   rounds (1,1)   TV ((16,16),(4,4)):((256,4),(64,1))
    //   vector  4 x f32 = 128 bit
    {
        const int64_t at_A32 = 64 * (int64_t)block_x + 64 * N * block_y + 4 * N * t0 + 4 * t1;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_frag_128(&r[4 * i], tcp_ld_global_nc_128(&A32[at_A32 + N * i]));
        }
    }
    // turn: copy r -> select(s, (1,0))                            transpose.tcp:27
    //   tile    (64,64) f32   threads 256   atom universal(128)
    //   tiler   (64,64)   rounds (1,1)   TV ((16,16),(4,4)):((256,4),(64,1))
    //   vector  4 x f32 = 128 bit
    //   gather  4 x f32 of r, 4 apart
    {
        const int at_s = 4 * t0 + 256 * t1;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_shared_128(&s[tcp_swizzle<3, 2, 6>(at_s + 64 * i)],
                    tcp_gather_128<32, 4, 8>(r, i));
        }
    }
    tcp_sync();
    // wr: copy s -> local_tile(B32, (64,64), (block.x, block.y))  transpose.tcp:28
    //   tile    (64,64) f32   threads 256   atom universal(128)
    //   tiler   (64,64)   rounds (1,1)   TV ((16,16),(4,4)):((256,4),(64,1))
    //   vector  4 x f32 = 128 bit
    {
        const int at_s = 256 * t0 + 4 * t1;
        const int64_t at_B32 = 64 * M * block_x + 64 * (int64_t)block_y + 4 * M * t0 + 4 * t1;
        tcp_b128 v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = tcp_ld_shared_128(&s[tcp_swizzle<3, 2, 6>(at_s + 64 * i)]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_global_128(&B32[at_B32 + M * i], v[i]);
        }
    }
}

// kernel transpose_f16, transpose.tcp:34
//   grid (N/128,M/128,1), 256 threads, 32768 bytes of shared memory
static __global__ void __launch_bounds__(256)
transpose_f16_kernel(const tcp_f16 *__restrict__ A16, tcp_f16 *__restrict__ B16, int64_t M,
        int64_t N) {
    TCP_SHARED_BUFFER(smem);
    tcp_f16 *const s = (tcp_f16 *)smem;  // (128,128):(128,1), offset bits 10-12 xored into bits 3-5
    alignas(16) tcp_f16 r[64];  // (64,1,1):(1,0,0)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 16;  // along mode 0, by 8
    const int t1 = tid % 16;  // along mode 1, by 8
    // rd: copy local_tile(A16, (128,128), (block.y, block.x)) -> r  transpose.tcp:37
    //   tile    (128,128) f16   threads 256   atom universal(128)
    //   tiler   (128,128)   rounds (1,1)   TV ((16,16),(8,8)):((1024,8),(128,1))
    //   vector  8 x f16 = 128 bit
    {
        const int64_t at_A16 = 128 * (int64_t)block_x + 128 * N * block_y + 8 * N * t0 + 8 * t1;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_st_frag_128(&r[8 * i], tcp_ld_global_nc_128(&A16[at_A16 + N * i]));
        }
    }
    // turn: copy r -> select(s, (1,0))                            transpose.tcp:38
    //   tile    (128,128) f16   threads 256   atom universal(128)
    //   tiler   (128,128)   rounds (1,1)   TV ((16,16),(8,8)):((1024,8),(128,1))
    //   vector  8 x f16 = 128 bit
    //   gather  8 x f16 of r, 8 apart
    {
        const int at_s = 8 * t0 + 1024 * t1;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_st_shared_128(&s[tcp_swizzle<3, 3, 7>(at_s + 128 * i)],
                    tcp_gather_128<16, 8, 16, 32>(r, i));
        }
    }
    tcp_sync();
    // wr: copy s -> local_tile(B16, (128,128), (block.x, block.y))  transpose.tcp:39
    //   tile    (128,128) f16   threads 256   atom universal(128)
    //   tiler   (128,128)   rounds (1,1)   TV ((16,16),(8,8)):((1024,8),(128,1))
    //   vector  8 x f16 = 128 bit
    {
        const int at_s = 1024 * t0 + 8 * t1;
        const int64_t at_B16 = 128 * M * block_x + 128 * (int64_t)block_y + 8 * M * t0 + 8 * t1;
        tcp_b128 v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            v[i] = tcp_ld_shared_128(&s[tcp_swizzle<3, 3, 7>(at_s + 128 * i)]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_st_global_128(&B16[at_B16 + M * i], v[i]);
        }
    }
}

// kernel transpose_u8, transpose.tcp:45
//   grid (N/256,M/256,1), 256 threads, 65536 bytes of shared memory
static __global__ void __launch_bounds__(256)
transpose_u8_kernel(const uint8_t *__restrict__ A8, uint8_t *__restrict__ B8, int64_t M,
        int64_t N) {
    TCP_SHARED_BUFFER(smem);
    uint8_t *const s = (uint8_t *)smem;  // (256,256):(256,1), offset bits 12-14 xored into bits 4-6
    alignas(16) uint8_t r[256];  // (256,1,1):(1,0,0)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 16;  // along mode 0, by 16
    const int t1 = tid % 16;  // along mode 1, by 16
    // rd: copy local_tile(A8, (256,256), (block.y, block.x)) -> r  transpose.tcp:48
    //   tile    (256,256) u8   threads 256   atom universal(128)
    //   tiler   (256,256)   rounds (1,1)   TV ((16,16),(16,16)):((4096,16),(256,1))
    //   vector  16 x u8 = 128 bit
    {
        const int64_t at_A8 = 256 * (int64_t)block_x + 256 * N * block_y + 16 * N * t0 + 16 * t1;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            tcp_st_frag_128(&r[16 * i], tcp_ld_global_nc_128(&A8[at_A8 + N * i]));
        }
    }
    // turn: copy r -> select(s, (1,0))                            transpose.tcp:49
    //   tile    (256,256) u8   threads 256   atom universal(128)
    //   tiler   (256,256)   rounds (1,1)   TV ((16,16),(16,16)):((4096,16),(256,1))
    //   vector  16 x u8 = 128 bit
    //   gather  16 x u8 of r, 16 apart
    {
        const int at_s = 16 * t0 + 4096 * t1;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            tcp_st_shared_128(&s[tcp_swizzle<3, 4, 8>(at_s + 256 * i)],
                    tcp_gather_128<8, 16, 32, 64, 128>(r, i));
        }
    }
    tcp_sync();
    // wr: copy s -> local_tile(B8, (256,256), (block.x, block.y))  transpose.tcp:50
    //   tile    (256,256) u8   threads 256   atom universal(128)
    //   tiler   (256,256)   rounds (1,1)   TV ((16,16),(16,16)):((4096,16),(256,1))
    //   vector  16 x u8 = 128 bit
    {
        const int at_s = 4096 * t0 + 16 * t1;
        const int64_t at_B8 = 256 * M * block_x + 256 * (int64_t)block_y + 16 * M * t0 + 16 * t1;
        tcp_b128 v[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            v[i] = tcp_ld_shared_128(&s[tcp_swizzle<3, 4, 8>(at_s + 256 * i)]);
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            tcp_st_global_128(&B8[at_B8 + M * i], v[i]);
        }
    }
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A32, or read or write B32.
TCP_EXTERN_C tcp_status transpose_f32_launch(const float *A32, float *B32, int64_t M, int64_t N,
        tcp_stream stream) {
    TCP_CHECK(tcp_check_range("transpose_f32", "M", M, 256, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("transpose_f32", "M", M, 256));
    TCP_CHECK(tcp_check_range("transpose_f32", "N", N, 256, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("transpose_f32", "N", N, 256));
    TCP_CHECK(tcp_check_exact("transpose_f32", "A32", 4 * tcp_exact(M) * N));
    TCP_CHECK(tcp_check_exact("transpose_f32", "B32", 4 * tcp_exact(M) * N));
    TCP_CHECK(tcp_check_tensor("transpose_f32", "A32", A32, 16));
    TCP_CHECK(tcp_check_tensor("transpose_f32", "B32", B32, 16));
    TCP_CHECK(tcp_check_distinct("transpose_f32", "A32", A32, 0, 4 * M * N, "B32", B32, 0,
            4 * M * N));
    return TCP_LAUNCH(transpose_f32_kernel, tcp_blocks(N / 64, M / 64, 1), 256, 16384, stream, A32,
            B32, M, N);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A16, or read or write B16.
TCP_EXTERN_C tcp_status transpose_f16_launch(const tcp_f16 *A16, tcp_f16 *B16, int64_t M, int64_t N,
        tcp_stream stream) {
    TCP_CHECK(tcp_check_range("transpose_f16", "M", M, 256, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("transpose_f16", "M", M, 256));
    TCP_CHECK(tcp_check_range("transpose_f16", "N", N, 256, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("transpose_f16", "N", N, 256));
    TCP_CHECK(tcp_check_exact("transpose_f16", "A16", 2 * tcp_exact(M) * N));
    TCP_CHECK(tcp_check_exact("transpose_f16", "B16", 2 * tcp_exact(M) * N));
    TCP_CHECK(tcp_check_tensor("transpose_f16", "A16", A16, 16));
    TCP_CHECK(tcp_check_tensor("transpose_f16", "B16", B16, 16));
    TCP_CHECK(tcp_check_distinct("transpose_f16", "A16", A16, 0, 2 * M * N, "B16", B16, 0,
            2 * M * N));
    return TCP_LAUNCH(transpose_f16_kernel, tcp_blocks(N / 128, M / 128, 1), 256, 32768, stream,
            A16, B16, M, N);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A8, or read or write B8.
TCP_EXTERN_C tcp_status transpose_u8_launch(const uint8_t *A8, uint8_t *B8, int64_t M, int64_t N,
        tcp_stream stream) {
    TCP_CHECK(tcp_check_range("transpose_u8", "M", M, 256, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("transpose_u8", "M", M, 256));
    TCP_CHECK(tcp_check_range("transpose_u8", "N", N, 256, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("transpose_u8", "N", N, 256));
    TCP_CHECK(tcp_check_exact("transpose_u8", "A8", tcp_exact(M) * N));
    TCP_CHECK(tcp_check_exact("transpose_u8", "B8", tcp_exact(M) * N));
    TCP_CHECK(tcp_check_tensor("transpose_u8", "A8", A8, 16));
    TCP_CHECK(tcp_check_tensor("transpose_u8", "B8", B8, 16));
    TCP_CHECK(tcp_check_distinct("transpose_u8", "A8", A8, 0, M * N, "B8", B8, 0, M * N));
    return TCP_LAUNCH(transpose_u8_kernel, tcp_blocks(N / 256, M / 256, 1), 256, 65536, stream, A8,
            B8, M, N);
}

#endif
