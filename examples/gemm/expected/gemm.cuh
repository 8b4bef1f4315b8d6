// Made by tcpc from gemm.tcp for sm_90: change the plan, not this file.
#pragma once

#include "tcp_device.cuh"

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// device load_tiles, gemm.tcp:30
//   The caller guarantees that:
//     - threads 0 .. 127 of a block call it, each with its own number as 'tid'
//     - A is in global memory, f16 (M,K):(K,1), aligned to 16 bytes
//     - B is in global memory, f16 (N,K):(K,1), aligned to 16 bytes
//     - sA is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0)), 8192
//       elements, aligned to 16 bytes
//     - sB is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0)), 8192
//       elements, aligned to 16 bytes
//     - sA, which the function writes, overlaps no other argument
//     - sB, which the function writes, overlaps no other argument
//     - no other code writes A while the kernel runs: the loads may miss such writes (readonly)
//     - no other code writes B while the kernel runs: the loads may miss such writes (readonly)
//     - M is in 1 .. 2000000000
//     - N is in 1 .. 2000000000
//     - K is a multiple of 8 in 8 .. 2000000000
//     - m >= 0
//     - n >= 0
//     - k >= 0
//     - a barrier separates this call from what other threads do with the shared memory, before and
//       after it
//   It contains no barrier. When it returns, one group of cp.async is committed and in flight,
//   which counts as load_tiles_GROUPS for tcp_cp_async_wait. The shared arguments hold the data
//   after a wait for this group and a barrier. The wait may leave later groups in flight.
//   Each thread counts its groups of cp.async. Copies that the caller has not committed become part
//   of the first group here.
//   load_tiles_SMEM_BYTES is the size of its shared arguments, and load_tiles_ALIGN the alignment
//   of each, in bytes.
enum : int {
    load_tiles_THREADS = 128,
    load_tiles_SMEM_BYTES = 32768,
    load_tiles_ALIGN = 16,
    load_tiles_GROUPS = 1,
};
TCP_DEVICE void load_tiles(int tid, const tcp_f16 *__restrict__ A, const tcp_f16 *__restrict__ B,
        tcp_f16 *sA, tcp_f16 *sB, int64_t m, int64_t n, int64_t k, int M, int N, int K) {
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid % 8;  // along mode 1, by 8
    const int at_sA_sB = 8 * tid;
    // copy local_tile(A, (128,64), (m,k)) -> sA                   gemm.tcp:32
    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*m + tid / 8 < M along mode 0 of A
    //           64*k + 8*(tid % 8) < K along mode 1 of A
    //           else 0
    {
        const int64_t at_A = 128 * (int64_t)K * m + 64 * k + (int64_t)K * t0 + 8 * t1;
        const bool whole = 128 * m + 127 < M && 64 * k + 63 < K;
        if (whole) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                tcp_cp_async_cg_16(&sA[1024 * i + tcp_swizzle<3, 3, 3>(at_sA_sB)],
                        &A[at_A + 16 * (int64_t)K * i]);
            }
        } else {
            const int64_t coord0 = 128 * m + t0;
            const int64_t coord1 = 64 * k + 8 * t1;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                tcp_cp_async_cg_zfill_16(&sA[1024 * i + tcp_swizzle<3, 3, 3>(at_sA_sB)],
                        &A[at_A + 16 * (int64_t)K * i], coord0 + 16 * i < M && coord1 < K ? 16 : 0);
            }
        }
    }
    // copy local_tile(B, (128,64), (n,k)) -> sB                   gemm.tcp:33
    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*n + tid / 8 < N along mode 0 of B
    //           64*k + 8*(tid % 8) < K along mode 1 of B
    //           else 0
    {
        const int64_t at_B = 128 * (int64_t)K * n + 64 * k + (int64_t)K * t0 + 8 * t1;
        const bool whole = 128 * n + 127 < N && 64 * k + 63 < K;
        if (whole) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                tcp_cp_async_cg_16(&sB[1024 * i + tcp_swizzle<3, 3, 3>(at_sA_sB)],
                        &B[at_B + 16 * (int64_t)K * i]);
            }
        } else {
            const int64_t coord0 = 128 * n + t0;
            const int64_t coord1 = 64 * k + 8 * t1;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                tcp_cp_async_cg_zfill_16(&sB[1024 * i + tcp_swizzle<3, 3, 3>(at_sA_sB)],
                        &B[at_B + 16 * (int64_t)K * i], coord0 + 16 * i < N && coord1 < K ? 16 : 0);
            }
        }
    }
    tcp_cp_async_commit();
}

// device load_slice, gemm.tcp:37
//   The caller guarantees that:
//     - threads 0 .. 127 of a block call it, each with its own number as 'tid'
//     - sA is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0)), 8192
//       elements, aligned to 16 bytes
//     - sB is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0)), 8192
//       elements, aligned to 16 bytes
//     - a is an array of each thread, f16 ((2,2,2),4,1):((1,2,4),8,0), 32 elements, aligned to 16
//       bytes
//     - b is an array of each thread, f16 ((2,2),8,1):((1,2),4,0), 32 elements, aligned to 16 bytes
//     - a, which the function writes, overlaps no other argument
//     - b, which the function writes, overlaps no other argument
//     - i >= 0
//     - 16*i + 16 <= 64
//     - a barrier separates this call from what other threads do with the shared memory, before and
//       after it
//   It contains no barrier. When it returns, this thread's accesses are complete.
//   load_slice_SMEM_BYTES is the size of its shared arguments, and load_slice_ALIGN the alignment
//   of each, in bytes.
enum : int {
    load_slice_THREADS = 128,
    load_slice_SMEM_BYTES = 32768,
    load_slice_ALIGN = 16,
};
TCP_DEVICE void load_slice(int tid, const tcp_f16 *sA, const tcp_f16 *sB, tcp_f16 *a, tcp_f16 *b,
        int i) {
    const int t0 = tid % 16;  // along mode 0
    const int t1 = tid / 16 % 2;  // sA: along mode 1, by 8; sB: along mode 0, by 16
    const int t2 = tid / 32 % 2;  // along mode 0, by 16
    const int t3 = tid / 64;  // along mode 0, by 8
    const int t4 = tid % 8;  // along mode 0
    const int t5 = tid / 8 % 2;  // along mode 1, by 8
    // copy local_tile(sA, (128,16), (0,i)) -> a                   gemm.tcp:40
    //   tile    ((8,16),16) f16   threads 128   atom ldmatrix.x4
    //   tiler   (128,16)   rounds (1,1)   TV ((16,2,2,2),(8,4)):((1,1024,16,0),(128,32)) read,
    //           ((4,8,2,2),((2,2,2),4)):((256,1,16,0),((128,8,1024),32)) written
    //   vector  8 x f16 = 128 bit
    {
        const int at_sA = 16 * i + 64 * t0 + 8 * t1 + 1024 * t2;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            tcp_ldmatrix_x4(&a[8 * j], &sA[2048 * j + tcp_swizzle<3, 3, 3>(at_sA)]);
        }
    }
    // copy local_tile(sB, (128,16), (0,i)) -> b                   gemm.tcp:41
    //   tile    ((8,16),16) f16   threads 128   atom ldmatrix.x4
    //   tiler   (128,16)   rounds (1,1)   TV ((8,2,2,2,2),(8,4)):((1,1024,16,0,8),(128,32)) read,
    //           ((4,8,2,2),((2,2,2),4)):((256,1,0,8),((128,1024,16),32)) written
    //   vector  8 x f16 = 128 bit
    {
        const int at_sB = 16 * i + 1024 * t1 + 512 * t3 + 64 * t4 + 8 * t5;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            tcp_ldmatrix_x4(&b[8 * j], &sB[2048 * j + tcp_swizzle<3, 3, 3>(at_sB)]);
        }
    }
}

// device convert_sums, gemm.tcp:45
//   The caller guarantees that:
//     - threads 0 .. 127 of a block call it, each with its own number as 'tid'
//     - acc is an array of each thread, f32 ((2,2),4,8):((1,2),4,16), 128 elements, aligned to 16
//       bytes
//     - sC is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192)), 16384
//       elements, aligned to 16 bytes
//     - a barrier separates this call from what other threads do with the shared memory, before and
//       after it
//   It contains no barrier. When it returns, this thread's accesses are complete.
//   convert_sums_SMEM_BYTES is the size of its shared arguments, and convert_sums_ALIGN the
//   alignment of each, in bytes.
enum : int {
    convert_sums_THREADS = 128,
    convert_sums_SMEM_BYTES = 32768,
    convert_sums_ALIGN = 16,
};
TCP_DEVICE void convert_sums(int tid, const float *acc, tcp_f16 *sC) {
    alignas(16) tcp_f16 h[128];  // ((2,2),4,8):((1,2),4,16)
    const int t0 = tid / 64;  // along mode 1, by 8
    const int t1 = tid % 16;  // along mode 0
    const int t2 = tid / 16 % 2;  // along mode 0, by 32
    const int t3 = tid / 32 % 2;  // along mode 0, by 16
    // copy acc -> h                                               gemm.tcp:47
    //   values  ((2,2),4,8) f16   threads 128   atom auto(128)
    //   vector  4 x f32 = 128 bit -> 4 x f16 = 64 bit  (limited by: conversion)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        tcp_b128 v[16];
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            v[j] = tcp_ld_frag_128(&acc[64 * i + 4 * j]);
        }
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            tcp_st_frag_64(&h[64 * i + 4 * j], tcp_convert<tcp_f16, float>(v[j]));
        }
    }
    // copy h -> sC                                                gemm.tcp:48
    //   tile    ((8,16),(64,2)) f16   threads 128   atom stmatrix.x4
    //   tiler   (128,128)   rounds (1,1)   TV
    //           ((4,8,2,2),((2,2,2),(2,8))):((256,1,16,1024),((128,8,32),(64,2048))) read,
    //           ((16,2,2,2),(8,(2,8))):((1,32,16,1024),(128,(64,2048))) written
    //   vector  8 x f16 = 128 bit
    {
        const int at_sC = 8 * t0 + 64 * t1 + 2048 * t2 + 1024 * t3;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    tcp_stmatrix_x4(&sC[8192 * i + 4096 * k + tcp_swizzle<3, 3, 3>(at_sC + 16 * j)],
                            &h[64 * i + 16 * j + 8 * k]);
                }
            }
        }
    }
}

// device store_tile, gemm.tcp:50
//   The caller guarantees that:
//     - threads 0 .. 127 of a block call it, each with its own number as 'tid'
//     - sC is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192)), 16384
//       elements, aligned to 16 bytes
//     - C8 is in global memory, f16 (M,N8):(N8,1), aligned to 16 bytes
//     - M is in 1 .. 2000000000
//     - N8 is a multiple of 8 in 8 .. 2000000000
//     - m >= 0
//     - n >= 0
//     - a barrier separates this call from what other threads do with its tensors, before and after
//       it; reads need none between them
//   It contains no barrier. When it returns, this thread's accesses are complete.
//   store_tile_SMEM_BYTES is the size of its shared arguments, and store_tile_ALIGN the alignment
//   of each, in bytes.
enum : int {
    store_tile_THREADS = 128,
    store_tile_SMEM_BYTES = 32768,
    store_tile_ALIGN = 16,
};
TCP_DEVICE void store_tile(int tid, const tcp_f16 *sC, tcp_f16 *C8, int64_t m, int64_t n, int M,
        int N8) {
    const int t0 = tid / 16;  // along mode 0
    const int t1 = tid % 8;  // along mode 1, by 8
    const int t2 = tid / 8 % 2;  // along mode 1, by 64
    const int t3 = tid % 16;  // along mode 1, by 8
    // copy sC -> local_tile(C8, (128,128), (m,n))                 gemm.tcp:51
    //   tile    ((8,16),(64,2)) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (16,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*m + tid / 16 < M along mode 0 of C8
    //           128*n + 8*(tid % 16) < N8 along mode 1 of C8
    const int at_sC = 64 * t0 + 8 * t1 + 8192 * t2;
    const int64_t at_C8 = 128 * (int64_t)N8 * m + 128 * n + (int64_t)N8 * t0 + 8 * t3;
    const bool whole = 128 * m + 127 < M && 128 * n + 127 < N8;
    if (whole) {
        tcp_b128 v[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            v[i] = tcp_ld_shared_128(&sC[512 * i + tcp_swizzle<3, 3, 3>(at_sC)]);
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            tcp_st_global_128(&C8[at_C8 + 8 * (int64_t)N8 * i], v[i]);
        }
    } else {
        const int64_t coord0 = 128 * m + t0;
        const int64_t coord1 = 128 * n + 8 * t3;
        tcp_b128 v[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (coord0 + 8 * i < M && coord1 < N8) {
                v[i] = tcp_ld_shared_128(&sC[512 * i + tcp_swizzle<3, 3, 3>(at_sC)]);
            }
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (coord0 + 8 * i < M && coord1 < N8) {
                tcp_st_global_128(&C8[at_C8 + 8 * (int64_t)N8 * i], v[i]);
            }
        }
    }
}

// device store_tile_narrow, gemm.tcp:53
//   The caller guarantees that:
//     - threads 0 .. 127 of a block call it, each with its own number as 'tid'
//     - sC is in shared memory, f16 Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192)), 16384
//       elements, aligned to 2 bytes
//     - C is in global memory, f16 (M,N):(N,1), aligned to 16 bytes
//     - M is in 1 .. 2000000000
//     - N is in 1 .. 2000000000
//     - m >= 0
//     - n >= 0
//     - a barrier separates this call from what other threads do with its tensors, before and after
//       it; reads need none between them
//   It contains no barrier. When it returns, this thread's accesses are complete.
//   store_tile_narrow_SMEM_BYTES is the size of its shared arguments, and store_tile_narrow_ALIGN
//   the alignment of each, in bytes.
enum : int {
    store_tile_narrow_THREADS = 128,
    store_tile_narrow_SMEM_BYTES = 32768,
    store_tile_narrow_ALIGN = 2,
};
TCP_DEVICE void store_tile_narrow(int tid, const tcp_f16 *sC, tcp_f16 *C, int64_t m, int64_t n,
        int M, int N) {
    const int t0 = tid / 64;  // along mode 0
    const int t1 = tid % 64;  // along mode 1
    // copy sC -> local_tile(C, (128,128), (m,n))                  gemm.tcp:54
    //   tile    ((8,16),(64,2)) f16   threads 128   atom universal(16)
    //   tiler   (2,64)   rounds (64,2)   TV ((64,2),1):((2,1),0)
    //   vector  1 x f16 = 16 bit
    //   edge    1 x f16 = 16 bit, where
    //           128*m + tid / 64 < M along mode 0 of C
    //           128*n + tid % 64 < N along mode 1 of C
    const int64_t at_C = 128 * (int64_t)N * m + 128 * n + N * t0 + t1;
    const bool whole = 128 * m + 127 < M && 128 * n + 127 < N;
    if (whole) {
        for (int i = 0; i < 2; ++i) {
            tcp_b16 v[64];
#pragma unroll
            for (int j = 0; j < 64; ++j) {
                v[j] = tcp_ld_shared_16(&sC[8192 * i + tcp_swizzle<3, 3, 3>(tid + 128 * j)]);
            }
#pragma unroll
            for (int j = 0; j < 64; ++j) {
                tcp_st_global_16(&C[at_C + 64 * i + 2 * (int64_t)N * j], v[j]);
            }
        }
    } else {
        const int64_t coord0 = 128 * m + t0;
        const int64_t coord1 = 128 * n + t1;
        for (int i = 0; i < 2; ++i) {
            tcp_b16 v[64];
#pragma unroll
            for (int j = 0; j < 64; ++j) {
                if (coord0 + 2 * j < M && coord1 + 64 * i < N) {
                    v[j] = tcp_ld_shared_16(&sC[8192 * i + tcp_swizzle<3, 3, 3>(tid + 128 * j)]);
                }
            }
#pragma unroll
            for (int j = 0; j < 64; ++j) {
                if (coord0 + 2 * j < M && coord1 + 64 * i < N) {
                    tcp_st_global_16(&C[at_C + 64 * i + 2 * (int64_t)N * j], v[j]);
                }
            }
        }
    }
}
