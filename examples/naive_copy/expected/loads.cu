// Made by tcpc from loads.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel load_32, loads.tcp:8
//   grid (1,1,1), 256 threads, 131072 bytes of shared memory
static __global__ void __launch_bounds__(256)
load_32_kernel(const float *__restrict__ A) {
    TCP_SHARED_BUFFER(smem);
    float *const s = (float *)smem;  // (128,256):(1,128)
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;
    const int t1 = tid % 8;
    // copy local_partition(A(_, _, block.x), (8,32), tid) -> local_partition(s, (8,32), tid)
    //   loads.tcp:10
    //   values  (16,8) f32   threads 256   atom universal(32)
    //   vector  1 x f32 = 32 bit
    const int at_A_s = 128 * t0 + t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b32 v[64];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                v[16 * j + k] = tcp_ld_global_nc_32(&A[at_A_s + 16384 * i + 4096 * j + 8 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                tcp_st_shared_32(&s[at_A_s + 16384 * i + 4096 * j + 8 * k], v[16 * j + k]);
            }
        }
    }
}

// kernel load_64, loads.tcp:13
//   grid (1,1,1), 256 threads, 131072 bytes of shared memory
static __global__ void __launch_bounds__(256)
load_64_kernel(const float *__restrict__ A) {
    TCP_SHARED_BUFFER(smem);
    float *const s = (float *)smem;  // (128,256):(1,128)
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;  // along mode 1
    const int t1 = tid % 8;  // along mode 0, by 2
    // copy A(_, _, block.x) -> s                                  loads.tcp:15
    //   tile    (128,256) f32   threads 256   atom universal(64)
    //   tiler   (16,32)   rounds (8,8)   TV (256,2):(2,1)
    //   vector  2 x f32 = 64 bit
    const int at_A_s = 128 * t0 + 2 * t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b64 v[32];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                v[8 * j + k] = tcp_ld_global_nc_64(&A[at_A_s + 16384 * i + 4096 * j + 16 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                tcp_st_shared_64(&s[at_A_s + 16384 * i + 4096 * j + 16 * k], v[8 * j + k]);
            }
        }
    }
}

// kernel load_128, loads.tcp:17
//   grid (1,1,1), 256 threads, 131072 bytes of shared memory
static __global__ void __launch_bounds__(256)
load_128_kernel(const float *__restrict__ A) {
    TCP_SHARED_BUFFER(smem);
    float *const s = (float *)smem;  // (128,256):(1,128)
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;  // along mode 1
    const int t1 = tid % 8;  // along mode 0, by 4
    // copy A(_, _, block.x) -> s                                  loads.tcp:19
    //   tile    (128,256) f32   threads 256   atom universal(128)
    //   tiler   (32,32)   rounds (4,8)   TV (256,4):(4,1)
    //   vector  4 x f32 = 128 bit
    const int at_A_s = 128 * t0 + 4 * t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b128 v[16];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                v[4 * j + k] = tcp_ld_global_nc_128(&A[at_A_s + 16384 * i + 4096 * j + 32 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                tcp_st_shared_128(&s[at_A_s + 16384 * i + 4096 * j + 32 * k], v[4 * j + k]);
            }
        }
    }
}

// kernel load_async, loads.tcp:21
//   grid (1,1,1), 256 threads, 131072 bytes of shared memory
static __global__ void __launch_bounds__(256)
load_async_kernel(const float *__restrict__ A) {
    TCP_SHARED_BUFFER(smem);
    float *const s = (float *)smem;  // (128,256):(1,128)
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;  // along mode 1
    const int t1 = tid % 8;  // along mode 0, by 4
    // copy A(_, _, block.x) -> s                                  loads.tcp:23
    //   tile    (128,256) f32   threads 256   atom cp_async.cg(16)
    //   tiler   (32,32)   rounds (4,8)   TV (256,4):(4,1)
    //   vector  4 x f32 = 128 bit
    {
        const int at_A_s = 128 * t0 + 4 * t1;
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    tcp_cp_async_cg_16(&s[at_A_s + 16384 * i + 4096 * j + 32 * k],
                            &A[at_A_s + 16384 * i + 4096 * j + 32 * k]);
                }
            }
        }
    }
    tcp_cp_async_commit();
}

#ifndef __CUDACC_RTC__

// While the kernel runs, no other code may write A.
TCP_EXTERN_C tcp_status load_32_launch(const float *A, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("load_32", "A", A, 16));
    return TCP_LAUNCH(load_32_kernel, tcp_blocks(1, 1, 1), 256, 131072, stream, A);
}

// While the kernel runs, no other code may write A.
TCP_EXTERN_C tcp_status load_64_launch(const float *A, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("load_64", "A", A, 16));
    return TCP_LAUNCH(load_64_kernel, tcp_blocks(1, 1, 1), 256, 131072, stream, A);
}

// While the kernel runs, no other code may write A.
TCP_EXTERN_C tcp_status load_128_launch(const float *A, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("load_128", "A", A, 16));
    return TCP_LAUNCH(load_128_kernel, tcp_blocks(1, 1, 1), 256, 131072, stream, A);
}

// While the kernel runs, no other code may write A.
TCP_EXTERN_C tcp_status load_async_launch(const float *A, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("load_async", "A", A, 16));
    return TCP_LAUNCH(load_async_kernel, tcp_blocks(1, 1, 1), 256, 131072, stream, A);
}

#endif
