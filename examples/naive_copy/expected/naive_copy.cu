// Made by tcpc from naive_copy.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel scalar, naive_copy.tcp:11
//   grid (1,1,1), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
scalar_kernel(const float *__restrict__ A, float *__restrict__ B) {
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;
    const int t1 = tid % 8;
    // copy local_partition(a, (8,32), tid) -> local_partition(b, (8,32), tid)  naive_copy.tcp:14
    //   values  (16,8) f32   threads 256   atom universal(32)
    //   vector  1 x f32 = 32 bit
    const int at_A_B = 128 * t0 + t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b32 v[64];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                v[16 * j + k] = tcp_ld_global_nc_32(&A[at_A_B + 16384 * i + 4096 * j + 8 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                tcp_st_global_32(&B[at_A_B + 16384 * i + 4096 * j + 8 * k], v[16 * j + k]);
            }
        }
    }
}

// kernel asked_64, naive_copy.tcp:16
//   grid (1,1,1), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
asked_64_kernel(const float *__restrict__ A, float *__restrict__ B) {
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;
    const int t1 = tid % 8;
    // copy local_partition(a, (8,32), tid) -> local_partition(b, (8,32), tid)  naive_copy.tcp:19
    //   values  (16,8) f32   threads 256   atom auto(64)
    //   vector  1 x f32 = 32 bit  (limited by: contiguous run of the source)
    const int at_A_B = 128 * t0 + t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b32 v[64];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                v[16 * j + k] = tcp_ld_global_nc_32(&A[at_A_B + 16384 * i + 4096 * j + 8 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                tcp_st_global_32(&B[at_A_B + 16384 * i + 4096 * j + 8 * k], v[16 * j + k]);
            }
        }
    }
}

// kernel asked_128, naive_copy.tcp:21
//   grid (1,1,1), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
asked_128_kernel(const float *__restrict__ A, float *__restrict__ B) {
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;
    const int t1 = tid % 8;
    // copy local_partition(a, (8,32), tid) -> local_partition(b, (8,32), tid)  naive_copy.tcp:24
    //   values  (16,8) f32   threads 256   atom auto(128)
    //   vector  1 x f32 = 32 bit  (limited by: contiguous run of the source)
    const int at_A_B = 128 * t0 + t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b32 v[64];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                v[16 * j + k] = tcp_ld_global_nc_32(&A[at_A_B + 16384 * i + 4096 * j + 8 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                tcp_st_global_32(&B[at_A_B + 16384 * i + 4096 * j + 8 * k], v[16 * j + k]);
            }
        }
    }
}

// kernel wide_64, naive_copy.tcp:28
//   grid (1,1,1), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
wide_64_kernel(const float *__restrict__ A, float *__restrict__ B) {
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;  // along mode 1
    const int t1 = tid % 8;  // along mode 0, by 2
    // ld: copy A(_, _, block.x) -> B(_, _, block.x)               naive_copy.tcp:29
    //   tile    (128,256) f32   threads 256   atom auto(64)
    //   tiler   (16,32)   rounds (8,8)   TV (256,2):(2,1)
    //   vector  2 x f32 = 64 bit
    const int at_A_B = 128 * t0 + 2 * t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b64 v[32];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                v[8 * j + k] = tcp_ld_global_nc_64(&A[at_A_B + 16384 * i + 4096 * j + 16 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                tcp_st_global_64(&B[at_A_B + 16384 * i + 4096 * j + 16 * k], v[8 * j + k]);
            }
        }
    }
}

// kernel wide_128, naive_copy.tcp:32
//   grid (1,1,1), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
wide_128_kernel(const float *__restrict__ A, float *__restrict__ B) {
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 8;  // along mode 1
    const int t1 = tid % 8;  // along mode 0, by 4
    // ld: copy A(_, _, block.x) -> B(_, _, block.x)               naive_copy.tcp:33
    //   tile    (128,256) f32   threads 256   atom auto(128)
    //   tiler   (32,32)   rounds (4,8)   TV (256,4):(4,1)
    //   vector  4 x f32 = 128 bit
    const int at_A_B = 128 * t0 + 4 * t1;
    for (int i = 0; i < 2; ++i) {
        tcp_b128 v[16];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                v[4 * j + k] = tcp_ld_global_nc_128(&A[at_A_B + 16384 * i + 4096 * j + 32 * k]);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                tcp_st_global_128(&B[at_A_B + 16384 * i + 4096 * j + 32 * k], v[4 * j + k]);
            }
        }
    }
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status scalar_launch(const float *A, float *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("scalar", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("scalar", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("scalar", "A", A, 0, 131072, "B", B, 0, 131072));
    return TCP_LAUNCH(scalar_kernel, tcp_blocks(1, 1, 1), 256, 0, stream, A, B);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status asked_64_launch(const float *A, float *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("asked_64", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("asked_64", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("asked_64", "A", A, 0, 131072, "B", B, 0, 131072));
    return TCP_LAUNCH(asked_64_kernel, tcp_blocks(1, 1, 1), 256, 0, stream, A, B);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status asked_128_launch(const float *A, float *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("asked_128", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("asked_128", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("asked_128", "A", A, 0, 131072, "B", B, 0, 131072));
    return TCP_LAUNCH(asked_128_kernel, tcp_blocks(1, 1, 1), 256, 0, stream, A, B);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status wide_64_launch(const float *A, float *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("wide_64", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("wide_64", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("wide_64", "A", A, 0, 131072, "B", B, 0, 131072));
    return TCP_LAUNCH(wide_64_kernel, tcp_blocks(1, 1, 1), 256, 0, stream, A, B);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status wide_128_launch(const float *A, float *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("wide_128", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("wide_128", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("wide_128", "A", A, 0, 131072, "B", B, 0, 131072));
    return TCP_LAUNCH(wide_128_kernel, tcp_blocks(1, 1, 1), 256, 0, stream, A, B);
}

#endif
