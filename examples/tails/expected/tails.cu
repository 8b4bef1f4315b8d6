// Made by tcpc from tails.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel straight, tails.tcp:13
//   grid (ceil_div(M,64),ceil_div(N,64),1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
straight_kernel(const tcp_f16 *__restrict__ A, tcp_f16 *__restrict__ B, int M, int N, int64_t ld) {
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid % 8;  // along mode 1, by 8
    // copy local_tile(A, (64,64), (block.x, block.y)) -> local_tile(B, (64,64), (block.x, block.y))
    //   tails.tcp:14
    //   tile    (64,64) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    1 x f16 = 16 bit, where
    //           64*block.x + tid / 8 < M along mode 0 of both sides
    //           64*block.y + 8*(tid % 8) < N along mode 1 of both sides
    const int64_t at_A_B = 64 * ld * block_x + 64 * block_y + ld * t0 + 8 * t1;
    const bool whole = 64 * block_x + 63 < M && 64 * block_y + 63 < N;
    if (whole) {
        tcp_b128 v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = tcp_ld_global_nc_128(&A[at_A_B + 16 * ld * i]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_global_128(&B[at_A_B + 16 * ld * i], v[i]);
        }
    } else {
        const int coord0 = 64 * block_x + t0;
        const int coord1 = 64 * block_y + 8 * t1;
        tcp_b16 v[32];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (coord0 + 16 * i < M && coord1 + j < N) {
                    v[8 * i + j] = tcp_ld_global_nc_16(&A[at_A_B + 16 * ld * i + j]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (coord0 + 16 * i < M && coord1 + j < N) {
                    tcp_st_global_16(&B[at_A_B + 16 * ld * i + j], v[8 * i + j]);
                }
            }
        }
    }
}

// kernel through_shared, tails.tcp:18
//   grid (ceil_div(M,64),ceil_div(N,64),1), 128 threads, 8192 bytes of shared memory
static __global__ void __launch_bounds__(128)
through_shared_kernel(const tcp_f16 *__restrict__ A, tcp_f16 *__restrict__ B, int M, int N,
        int64_t ld) {
    TCP_SHARED_BUFFER(smem);
    tcp_f16 *const s = (tcp_f16 *)smem;  // (64,64):(64,1)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid % 8;  // along mode 1, by 8
    const int64_t at_A_B = 64 * ld * block_x + 64 * block_y + ld * t0 + 8 * t1;
    const int at_s = 8 * tid;
    const bool whole = 64 * block_x + 63 < M && 64 * block_y + 63 < N;
    // copy local_tile(A, (64,64), (block.x, block.y)) -> s        tails.tcp:20
    //   tile    (64,64) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    1 x f16 = 16 bit, where
    //           64*block.x + tid / 8 < M along mode 0 of A
    //           64*block.y + 8*(tid % 8) < N along mode 1 of A
    if (whole) {
        tcp_b128 v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = tcp_ld_global_nc_128(&A[at_A_B + 16 * ld * i]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_shared_128(&s[at_s + 1024 * i], v[i]);
        }
    } else {
        const int coord0 = 64 * block_x + t0;
        const int coord1 = 64 * block_y + 8 * t1;
        tcp_b16 v[32];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (coord0 + 16 * i < M && coord1 + j < N) {
                    v[8 * i + j] = tcp_ld_global_nc_16(&A[at_A_B + 16 * ld * i + j]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (coord0 + 16 * i < M && coord1 + j < N) {
                    tcp_st_shared_16(&s[at_s + 1024 * i + j], v[8 * i + j]);
                }
            }
        }
    }
    // copy s -> local_tile(B, (64,64), (block.x, block.y))        tails.tcp:21
    //   tile    (64,64) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   order   no barrier: no thread reads what another one wrote
    //   edge    1 x f16 = 16 bit, where
    //           64*block.x + tid / 8 < M along mode 0 of B
    //           64*block.y + 8*(tid % 8) < N along mode 1 of B
    if (whole) {
        tcp_b128 v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = tcp_ld_shared_128(&s[at_s + 1024 * i]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_global_128(&B[at_A_B + 16 * ld * i], v[i]);
        }
    } else {
        const int coord0 = 64 * block_x + t0;
        const int coord1 = 64 * block_y + 8 * t1;
        tcp_b16 v[32];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (coord0 + 16 * i < M && coord1 + j < N) {
                    v[8 * i + j] = tcp_ld_shared_16(&s[at_s + 1024 * i + j]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                if (coord0 + 16 * i < M && coord1 + j < N) {
                    tcp_st_global_16(&B[at_A_B + 16 * ld * i + j], v[8 * i + j]);
                }
            }
        }
    }
}

// kernel padded, tails.tcp:25
//   grid (ceil_div(M,64),ceil_div(N,64),1), 128 threads, 8192 bytes of shared memory
static __global__ void __launch_bounds__(128)
padded_kernel(const tcp_f16 *__restrict__ A, tcp_f16 *__restrict__ tiles, int M, int N,
        int64_t ld) {
    TCP_SHARED_BUFFER(smem);
    tcp_f16 *const s = (tcp_f16 *)smem;  // (64,64):(64,1)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid % 8;  // along mode 1, by 8
    const int at_s = 8 * tid;
    // copy local_tile(A, (64,64), (block.x, block.y)) -> s        tails.tcp:27
    //   tile    (64,64) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    1 x f16 = 16 bit, where
    //           64*block.x + tid / 8 < M along mode 0 of A
    //           64*block.y + 8*(tid % 8) < N along mode 1 of A
    //           else 0
    {
        const int64_t at_A = 64 * ld * block_x + 64 * block_y + ld * t0 + 8 * t1;
        const bool whole = 64 * block_x + 63 < M && 64 * block_y + 63 < N;
        if (whole) {
            tcp_b128 v[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                v[i] = tcp_ld_global_nc_128(&A[at_A + 16 * ld * i]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                tcp_st_shared_128(&s[at_s + 1024 * i], v[i]);
            }
        } else {
            const int coord0 = 64 * block_x + t0;
            const int coord1 = 64 * block_y + 8 * t1;
            tcp_b16 v[32];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    if (coord0 + 16 * i < M && coord1 + j < N) {
                        v[8 * i + j] = tcp_ld_global_nc_16(&A[at_A + 16 * ld * i + j]);
                    } else {
                        v[8 * i + j] = tcp_zero_16();
                    }
                }
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    tcp_st_shared_16(&s[at_s + 1024 * i + j], v[8 * i + j]);
                }
            }
        }
    }
    // copy s -> tiles(_,_,block.x,block.y)                        tails.tcp:28
    //   tile    (64,64) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   order   no barrier: no thread reads what another one wrote
    {
        const int64_t at_tiles = 8 * (int64_t)tid + 4096 * block_x +
                4096 * (((int64_t)M + 63) / 64) * block_y;
        tcp_b128 v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = tcp_ld_shared_128(&s[at_s + 1024 * i]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            tcp_st_global_128(&tiles[at_tiles + 1024 * i], v[i]);
        }
    }
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status straight_launch(const tcp_f16 *A, tcp_f16 *B, int64_t M, int64_t N,
        int64_t ld, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("straight", "M", M, 0, 1000000));
    TCP_CHECK(tcp_check_range("straight", "N", N, 0, 1000000));
    TCP_CHECK(tcp_check_range("straight", "ld", ld, 8, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("straight", "ld", ld, 8));
    TCP_CHECK(tcp_check_relation("straight", "ld >= N", ld >= N, ld, N));
    if (M == 0) return TCP_OK;
    if (N == 0) return TCP_OK;
    TCP_CHECK(tcp_check_tensor("straight", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("straight", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("straight", "A", A, 0, 2 * (N + (M - 1) * ld), "B", B, 0,
            2 * (N + (M - 1) * ld), 2, {{M, 2 * ld}, {N, 2}}, 2, {{M, 2 * ld}, {N, 2}}));
    return TCP_LAUNCH(straight_kernel, tcp_blocks((M + 63) / 64, (N + 63) / 64, 1), 128, 0, stream,
            A, B, (int)M, (int)N, ld);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status through_shared_launch(const tcp_f16 *A, tcp_f16 *B, int64_t M, int64_t N,
        int64_t ld, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("through_shared", "M", M, 0, 1000000));
    TCP_CHECK(tcp_check_range("through_shared", "N", N, 0, 1000000));
    TCP_CHECK(tcp_check_range("through_shared", "ld", ld, 8, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("through_shared", "ld", ld, 8));
    TCP_CHECK(tcp_check_relation("through_shared", "ld >= N", ld >= N, ld, N));
    if (M == 0) return TCP_OK;
    if (N == 0) return TCP_OK;
    TCP_CHECK(tcp_check_tensor("through_shared", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("through_shared", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("through_shared", "A", A, 0, 2 * (N + (M - 1) * ld), "B", B, 0,
            2 * (N + (M - 1) * ld), 2, {{M, 2 * ld}, {N, 2}}, 2, {{M, 2 * ld}, {N, 2}}));
    return TCP_LAUNCH(through_shared_kernel, tcp_blocks((M + 63) / 64, (N + 63) / 64, 1), 128, 8192,
            stream, A, B, (int)M, (int)N, ld);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write tiles.
TCP_EXTERN_C tcp_status padded_launch(const tcp_f16 *A, tcp_f16 *tiles, int64_t M, int64_t N,
        int64_t ld, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("padded", "M", M, 0, 1000000));
    TCP_CHECK(tcp_check_range("padded", "N", N, 0, 1000000));
    TCP_CHECK(tcp_check_range("padded", "ld", ld, 8, 1LL << 40));
    TCP_CHECK(tcp_check_multiple("padded", "ld", ld, 8));
    TCP_CHECK(tcp_check_relation("padded", "ld >= N", ld >= N, ld, N));
    if (M == 0) return TCP_OK;
    if (N == 0) return TCP_OK;
    TCP_CHECK(tcp_check_tensor("padded", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("padded", "tiles", tiles, 16));
    TCP_CHECK(tcp_check_distinct("padded", "A", A, 0, 2 * (N + (M - 1) * ld), "tiles", tiles, 0,
            8192 * ((M + 63) / 64) * ((N + 63) / 64), 2, {{M, 2 * ld}, {N, 2}}, 2,
            {{64, 128}, {64, 2}, {(M + 63) / 64, 8192}, {(N + 63) / 64, 8192 * ((M + 63) / 64)}}));
    return TCP_LAUNCH(padded_kernel, tcp_blocks((M + 63) / 64, (N + 63) / 64, 1), 128, 8192, stream,
            A, tiles, (int)M, (int)N, ld);
}

#endif
