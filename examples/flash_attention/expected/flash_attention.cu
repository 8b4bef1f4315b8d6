// Made by tcpc from flash_attention.tcp for sm_90: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

#include "mma.cuh"      // extern
#include "softmax.cuh"  // extern
// TCP_DEVICE void multiply_qk(int tid, float *s, const tcp_f16 *q, const tcp_f16 *k, int64_t mm,
//     int64_t nn);
// TCP_DEVICE void multiply_pv(int tid, float *acc, const tcp_f16 *p, const tcp_f16 *v_, int64_t mm,
//     int64_t nn);
// TCP_DEVICE void softmax(int tid, float *s, float *acc, float *most, float *sum, tcp_f16 *p,
//     int64_t left, int64_t mm, int64_t nn, int64_t dd);
// TCP_DEVICE void softmax_causal(int tid, float *s, float *acc, float *most, float *sum,
//     tcp_f16 *p, int64_t left, int64_t ahead, int64_t mm, int64_t nn, int64_t dd);
// TCP_DEVICE void divide(int tid, float *acc, const float *sum, int64_t mm, int64_t dd);

// kernel flash_attention, flash_attention.tcp:49
//   grid (H,ceil_div(M,128),1), 128 threads, 81920 bytes of shared memory
static __global__ void __launch_bounds__(128)
flash_attention_kernel(const tcp_f16 *__restrict__ Q, const tcp_f16 *__restrict__ K,
        const tcp_f16 *__restrict__ V, tcp_f16 *__restrict__ O, int M, int N) {
    TCP_SHARED_BUFFER(smem);
    // ((8,16),(64,1)):((64,512),(1,0)), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sQ = (tcp_f16 *)smem;
    // ((8,16),(64,1),2):((64,512),(1,0),8192), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sK = (tcp_f16 *)(smem + 16384);
    // ((8,16),(64,1),2):((64,512),(1,0),8192), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sV = (tcp_f16 *)(smem + 49152);
    alignas(16) float acc[64];  // ((2,2),2,8):((1,2),4,8)
    alignas(16) float most[4];  // (2,2):(1,2)
    alignas(16) float sum[4];  // (2,2):(1,2)
    alignas(16) float s[128];  // ((2,2),2,16):((1,2),4,8)
    alignas(16) tcp_f16 p[128];  // ((2,2,2),2,8):((1,2,4),8,16)
    alignas(16) tcp_f16 q[16];  // ((2,2,2),2,1):((1,2,4),8,0)
    alignas(16) tcp_f16 k[64];  // ((2,2),16,1):((1,2),4,0)
    alignas(16) tcp_f16 v_[32];  // ((2,2),8,1):((1,2),4,0)
    alignas(16) tcp_f16 h[64];  // ((2,2),2,8):((1,2),4,8)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid / 32;  // along mode 0, by 16
    const int t2 = tid % 16;  // sQ: along mode 0; sV: along mode 1
    // sQ: along mode 1, by 8; sK: along mode 0, by 8; sQ: along mode 0, by 64
    const int t3 = tid / 16 % 2;
    const int t4 = tid % 8;  // along mode 0
    const int t5 = tid / 8 % 2;  // along mode 1, by 8
    // fill acc = 0                                                flash_attention.tcp:56
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        tcp_st_frag_128(&acc[4 * i], tcp_zero_128());
    }
    // fill most = -3e38                                           flash_attention.tcp:57
    tcp_st_frag_128(most, tcp_b128{0xff61b1e6, 0xff61b1e6, 0xff61b1e6, 0xff61b1e6});
    // fill sum = 0                                                flash_attention.tcp:58
    tcp_st_frag_128(sum, tcp_zero_128());
    const int64_t at_Q_O = 8 * (int64_t)tid + 64 * (int64_t)M * block_x + 8192 * block_y;
    const int at_sQ_sK_sV = 8 * tid;
    const bool whole0 = 128 * block_y + 127 < M;
    // copy local_tile(Q(block.x, _, _), (BM,D), (block.y, 0)) -> sQ  flash_attention.tcp:59
    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*block.y + tid / 8 < M along mode 1 of Q
    //           else 0
    if (whole0) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_cp_async_cg_16(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                    &Q[at_Q_O + 1024 * i]);
        }
    } else {
        const int coord0 = 128 * block_y + t0;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_cp_async_cg_zfill_16(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                    &Q[at_Q_O + 1024 * i], coord0 + 16 * i < M ? 16 : 0);
        }
    }
    tcp_cp_async_commit();
    {
        const int n_end = ((int64_t)N + 127) / 128;
        // prologue: the loads of the first step
        {
            const int n_load = 0;
            const int load_slot = 0;
            const int64_t at_K_V = 8 * (int64_t)tid + 64 * (int64_t)N * block_x + 8192 * n_load;
            const bool whole1 = 128 * n_load + 127 < N;
            // copy local_tile(K(block.x, _, _), (BN,D), (n,0)) -> sK      flash_attention.tcp:62
            //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
            //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
            //   vector  8 x f16 = 128 bit
            //   edge    8 x f16 = 128 bit, where
            //           128*n_load + tid / 8 < N along mode 1 of K
            //           else 0
            if (whole1) {
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_16(
                            &sK[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &K[at_K_V + 1024 * i]);
                }
            } else {
                const int coord0 = 128 * n_load + t0;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_zfill_16(
                            &sK[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &K[at_K_V + 1024 * i], coord0 + 16 * i < N ? 16 : 0);
                }
            }
            tcp_cp_async_commit();
            // copy local_tile(V(block.x, _, _), (BN,D), (n,0)) -> sV      flash_attention.tcp:63
            //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
            //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
            //   vector  8 x f16 = 128 bit
            //   edge    8 x f16 = 128 bit, where
            //           128*n_load + tid / 8 < N along mode 1 of V
            //           else 0
            if (whole1) {
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_16(
                            &sV[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &V[at_K_V + 1024 * i]);
                }
            } else {
                const int coord0 = 128 * n_load + t0;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_zfill_16(
                            &sV[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &V[at_K_V + 1024 * i], coord0 + 16 * i < N ? 16 : 0);
                }
            }
            tcp_cp_async_commit();
        }
        // steady state: load the next step, use this one; the last only uses
        int64_t at_K_V_ahead = 8 * (int64_t)tid + 64 * (int64_t)N * block_x + 8192;
        for (int n = 0; n < n_end; ++n) {
            const int slot = n % 2;
            tcp_cp_async_wait<1>();
            tcp_sync();
            {
                const int n_load = n + 1;
                const int load_slot = (n + 1) % 2;
                if (n_load < n_end) {
                    // copy local_tile(K(block.x, _, _), (BN,D), (n,0)) -> sK
                    //   flash_attention.tcp:62
                    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
                    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
                    //   vector  8 x f16 = 128 bit
                    //   edge    8 x f16 = 128 bit, where
                    //           128*n_load + tid / 8 < N along mode 1 of K
                    //           else 0
                    const bool whole = 128 * n_load + 127 < N;
                    if (whole) {
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_16(
                                    &sK[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                                    &K[at_K_V_ahead + 1024 * i]);
                        }
                    } else {
                        const int coord0 = 128 * n_load + t0;
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_zfill_16(
                                    &sK[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)], &K[at_K_V_ahead + 1024 * i],
                                    coord0 + 16 * i < N ? 16 : 0);
                        }
                    }
                }
                tcp_cp_async_commit();
                if (n_load < n_end) {
                    // copy local_tile(V(block.x, _, _), (BN,D), (n,0)) -> sV
                    //   flash_attention.tcp:63
                    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
                    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
                    //   vector  8 x f16 = 128 bit
                    //   edge    8 x f16 = 128 bit, where
                    //           128*n_load + tid / 8 < N along mode 1 of V
                    //           else 0
                    const bool whole = 128 * n_load + 127 < N;
                    if (whole) {
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_16(
                                    &sV[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                                    &V[at_K_V_ahead + 1024 * i]);
                        }
                    } else {
                        const int coord0 = 128 * n_load + t0;
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_zfill_16(
                                    &sV[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)], &V[at_K_V_ahead + 1024 * i],
                                    coord0 + 16 * i < N ? 16 : 0);
                        }
                    }
                }
                tcp_cp_async_commit();
            }
            // fill s = 0                                                  flash_attention.tcp:68
#pragma unroll
            for (int i = 0; i < 32; ++i) {
                tcp_st_frag_128(&s[4 * i], tcp_zero_128());
            }
            for (int i = 0; i < 4; ++i) {
                // copy local_tile(sQ, (BM,16), (0,i)) -> q
                //   flash_attention.tcp:72
                //   tile    ((8,16),16) f16   threads 128   atom ldmatrix.x4
                //   tiler   (128,16)   rounds (1,1)   TV ((16,2,4),(8,2)):((1,1024,16),(128,64))
                //           read, ((4,8,4),((2,2,2),2)):((256,1,16),((128,8,1024),64)) written
                //   vector  8 x f16 = 128 bit
                {
                    const int at_sQ = 16 * i + 1024 * t1 + 64 * t2 + 8 * t3;
#pragma unroll
                    for (int j = 0; j < 2; ++j) {
                        tcp_ldmatrix_x4(&q[8 * j], &sQ[4096 * j + tcp_swizzle<3, 3, 3>(at_sQ)]);
                    }
                }
                // copy local_tile(sK, (BN,16), (0,i)) -> k
                //   flash_attention.tcp:73
                //   tile    ((8,16),16) f16   threads 128   atom ldmatrix.x4
                //   tiler   (128,16)   rounds (1,1)   TV ((8,2,2,4),(8,8)):((1,1024,8,0),(128,16))
                //           read, ((4,8,4),((2,2,2),8)):((256,1,0),((128,1024,8),16)) written
                //   vector  8 x f16 = 128 bit
                //   order   no barrier: no thread reads what another one wrote since the last one
                {
                    const int at_sK = 16 * i + 512 * t3 + 64 * t4 + 8 * t5;
#pragma unroll
                    for (int j = 0; j < 8; ++j) {
                        tcp_ldmatrix_x4(&k[8 * j],
                                &sK[8192 * slot + 1024 * j + tcp_swizzle<3, 3, 3>(at_sK)]);
                    }
                }
                multiply_qk(tid, s, q, k, 2, 16);
            }
            softmax(tid, s, acc, most, sum, p, -128 * n + N, 2, 16, 8);
            tcp_cp_async_wait<2>();
            tcp_sync();
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                // copy select(local_tile(sV, (16,D), (i,0)), (1,0)) -> v
                //   flash_attention.tcp:79
                //   tile    (64,(8,2)) f16   threads 128   atom ldmatrix.x4.trans
                //   tiler   (64,16)   rounds (1,1)   TV ((16,2,4),(8,4)):((64,8,0),(1,16)) read,
                //           ((4,8,4),((2,2,2),4)):((128,1,0),((64,512,8),16)) written
                //   vector  8 x f16 = 128 bit
                {
                    const int at_sV = 64 * t2 + 8 * t3;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        tcp_ldmatrix_x4_trans(&v_[8 * j],
                                &sV[8192 * slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sV + 16 * j)]);
                    }
                }
                multiply_pv(tid, acc, &p[16 * i], v_, 2, 8);
            }
            at_K_V_ahead += 8192;
        }
    }
    divide(tid, acc, sum, 2, 8);
    // copy acc -> h                                               flash_attention.tcp:86
    //   values  ((2,2),2,8) f16   threads 128   atom auto(128)
    //   vector  4 x f32 = 128 bit -> 4 x f16 = 64 bit  (limited by: conversion)
    {
        tcp_b128 v[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            v[i] = tcp_ld_frag_128(&acc[4 * i]);
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            tcp_st_frag_64(&h[4 * i], tcp_convert<tcp_f16, float>(v[i]));
        }
    }
    // copy h -> sQ                                                flash_attention.tcp:87
    //   tile    ((8,16),(64,1)) f16   threads 128   atom stmatrix.x4
    //   tiler   (128,64)   rounds (1,1)   TV ((4,8,4),((2,2,2),8)):((256,1,16),((128,8,64),1024))
    //           read, ((16,2,4),(8,8)):((1,64,16),(128,1024)) written
    //   vector  8 x f16 = 128 bit
    {
        const int at_sQ = 1024 * t1 + 64 * t2 + 4096 * t3;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_stmatrix_x4(&sQ[tcp_swizzle<3, 3, 3>(at_sQ + 8 * i)], &h[8 * i]);
        }
    }
    tcp_sync();
    // copy sQ -> local_tile(O(block.x, _, _), (BM,D), (block.y, 0))  flash_attention.tcp:88
    //   tile    ((8,16),(64,1)) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*block.y + tid / 8 < M along mode 1 of O
    if (whole0) {
        tcp_b128 v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            v[i] = tcp_ld_shared_128(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_st_global_128(&O[at_Q_O + 1024 * i], v[i]);
        }
    } else {
        const int coord0 = 128 * block_y + t0;
        tcp_b128 v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (coord0 + 16 * i < M) {
                v[i] = tcp_ld_shared_128(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)]);
            }
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (coord0 + 16 * i < M) {
                tcp_st_global_128(&O[at_Q_O + 1024 * i], v[i]);
            }
        }
    }
}

// kernel flash_attention_causal, flash_attention.tcp:92
//   grid (H,ceil_div(M,128),1), 128 threads, 81920 bytes of shared memory
static __global__ void __launch_bounds__(128)
flash_attention_causal_kernel(const tcp_f16 *__restrict__ Q, const tcp_f16 *__restrict__ K,
        const tcp_f16 *__restrict__ V, tcp_f16 *__restrict__ O, int M, int N) {
    TCP_SHARED_BUFFER(smem);
    // ((8,16),(64,1)):((64,512),(1,0)), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sQ = (tcp_f16 *)smem;
    // ((8,16),(64,1),2):((64,512),(1,0),8192), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sK = (tcp_f16 *)(smem + 16384);
    // ((8,16),(64,1),2):((64,512),(1,0),8192), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sV = (tcp_f16 *)(smem + 49152);
    alignas(16) float acc[64];  // ((2,2),2,8):((1,2),4,8)
    alignas(16) float most[4];  // (2,2):(1,2)
    alignas(16) float sum[4];  // (2,2):(1,2)
    alignas(16) float s[128];  // ((2,2),2,16):((1,2),4,8)
    alignas(16) tcp_f16 p[128];  // ((2,2,2),2,8):((1,2,4),8,16)
    alignas(16) tcp_f16 q[16];  // ((2,2,2),2,1):((1,2,4),8,0)
    alignas(16) tcp_f16 k[64];  // ((2,2),16,1):((1,2),4,0)
    alignas(16) tcp_f16 v_[32];  // ((2,2),8,1):((1,2),4,0)
    alignas(16) tcp_f16 h[64];  // ((2,2),2,8):((1,2),4,8)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid / 32;  // along mode 0, by 16
    const int t2 = tid % 16;  // sQ: along mode 0; sV: along mode 1
    // sQ: along mode 1, by 8; sK: along mode 0, by 8; sQ: along mode 0, by 64
    const int t3 = tid / 16 % 2;
    const int t4 = tid % 8;  // along mode 0
    const int t5 = tid / 8 % 2;  // along mode 1, by 8
    // fill acc = 0                                                flash_attention.tcp:99
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        tcp_st_frag_128(&acc[4 * i], tcp_zero_128());
    }
    // fill most = -3e38                                           flash_attention.tcp:100
    tcp_st_frag_128(most, tcp_b128{0xff61b1e6, 0xff61b1e6, 0xff61b1e6, 0xff61b1e6});
    // fill sum = 0                                                flash_attention.tcp:101
    tcp_st_frag_128(sum, tcp_zero_128());
    const int64_t at_Q_O = 8 * (int64_t)tid + 64 * (int64_t)M * block_x + 8192 * block_y;
    const int at_sQ_sK_sV = 8 * tid;
    const bool whole0 = 128 * block_y + 127 < M;
    // copy local_tile(Q(block.x, _, _), (BM,D), (block.y, 0)) -> sQ  flash_attention.tcp:102
    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*block.y + tid / 8 < M along mode 1 of Q
    //           else 0
    if (whole0) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_cp_async_cg_16(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                    &Q[at_Q_O + 1024 * i]);
        }
    } else {
        const int coord0 = 128 * block_y + t0;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_cp_async_cg_zfill_16(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                    &Q[at_Q_O + 1024 * i], coord0 + 16 * i < M ? 16 : 0);
        }
    }
    tcp_cp_async_commit();
    {
        const int n_end = block_y + 1;
        // prologue: the loads of the first step
        {
            const int n_load = 0;
            const int load_slot = 0;
            const int64_t at_K_V = 8 * (int64_t)tid + 64 * (int64_t)N * block_x + 8192 * n_load;
            const bool whole1 = 128 * n_load + 127 < N;
            // copy local_tile(K(block.x, _, _), (BN,D), (n,0)) -> sK      flash_attention.tcp:105
            //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
            //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
            //   vector  8 x f16 = 128 bit
            //   edge    8 x f16 = 128 bit, where
            //           128*n_load + tid / 8 < N along mode 1 of K
            //           else 0
            if (whole1) {
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_16(
                            &sK[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &K[at_K_V + 1024 * i]);
                }
            } else {
                const int coord0 = 128 * n_load + t0;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_zfill_16(
                            &sK[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &K[at_K_V + 1024 * i], coord0 + 16 * i < N ? 16 : 0);
                }
            }
            tcp_cp_async_commit();
            // copy local_tile(V(block.x, _, _), (BN,D), (n,0)) -> sV      flash_attention.tcp:106
            //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
            //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
            //   vector  8 x f16 = 128 bit
            //   edge    8 x f16 = 128 bit, where
            //           128*n_load + tid / 8 < N along mode 1 of V
            //           else 0
            if (whole1) {
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_16(
                            &sV[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &V[at_K_V + 1024 * i]);
                }
            } else {
                const int coord0 = 128 * n_load + t0;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    tcp_cp_async_cg_zfill_16(
                            &sV[8192 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &V[at_K_V + 1024 * i], coord0 + 16 * i < N ? 16 : 0);
                }
            }
            tcp_cp_async_commit();
        }
        // steady state: load the next step, use this one; the last only uses
        int64_t at_K_V_ahead = 8 * (int64_t)tid + 64 * (int64_t)N * block_x + 8192;
        for (int n = 0; n < n_end; ++n) {
            const int slot = n % 2;
            tcp_cp_async_wait<1>();
            tcp_sync();
            {
                const int n_load = n + 1;
                const int load_slot = (n + 1) % 2;
                if (n_load < n_end) {
                    // copy local_tile(K(block.x, _, _), (BN,D), (n,0)) -> sK
                    //   flash_attention.tcp:105
                    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
                    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
                    //   vector  8 x f16 = 128 bit
                    //   edge    8 x f16 = 128 bit, where
                    //           128*n_load + tid / 8 < N along mode 1 of K
                    //           else 0
                    const bool whole = 128 * n_load + 127 < N;
                    if (whole) {
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_16(
                                    &sK[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                                    &K[at_K_V_ahead + 1024 * i]);
                        }
                    } else {
                        const int coord0 = 128 * n_load + t0;
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_zfill_16(
                                    &sK[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)], &K[at_K_V_ahead + 1024 * i],
                                    coord0 + 16 * i < N ? 16 : 0);
                        }
                    }
                }
                tcp_cp_async_commit();
                if (n_load < n_end) {
                    // copy local_tile(V(block.x, _, _), (BN,D), (n,0)) -> sV
                    //   flash_attention.tcp:106
                    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
                    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
                    //   vector  8 x f16 = 128 bit
                    //   edge    8 x f16 = 128 bit, where
                    //           128*n_load + tid / 8 < N along mode 1 of V
                    //           else 0
                    const bool whole = 128 * n_load + 127 < N;
                    if (whole) {
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_16(
                                    &sV[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                                    &V[at_K_V_ahead + 1024 * i]);
                        }
                    } else {
                        const int coord0 = 128 * n_load + t0;
#pragma unroll
                        for (int i = 0; i < 8; ++i) {
                            tcp_cp_async_cg_zfill_16(
                                    &sV[8192 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)], &V[at_K_V_ahead + 1024 * i],
                                    coord0 + 16 * i < N ? 16 : 0);
                        }
                    }
                }
                tcp_cp_async_commit();
            }
            // fill s = 0                                                  flash_attention.tcp:111
#pragma unroll
            for (int i = 0; i < 32; ++i) {
                tcp_st_frag_128(&s[4 * i], tcp_zero_128());
            }
            for (int i = 0; i < 4; ++i) {
                // copy local_tile(sQ, (BM,16), (0,i)) -> q
                //   flash_attention.tcp:115
                //   tile    ((8,16),16) f16   threads 128   atom ldmatrix.x4
                //   tiler   (128,16)   rounds (1,1)   TV ((16,2,4),(8,2)):((1,1024,16),(128,64))
                //           read, ((4,8,4),((2,2,2),2)):((256,1,16),((128,8,1024),64)) written
                //   vector  8 x f16 = 128 bit
                {
                    const int at_sQ = 16 * i + 1024 * t1 + 64 * t2 + 8 * t3;
#pragma unroll
                    for (int j = 0; j < 2; ++j) {
                        tcp_ldmatrix_x4(&q[8 * j], &sQ[4096 * j + tcp_swizzle<3, 3, 3>(at_sQ)]);
                    }
                }
                // copy local_tile(sK, (BN,16), (0,i)) -> k
                //   flash_attention.tcp:116
                //   tile    ((8,16),16) f16   threads 128   atom ldmatrix.x4
                //   tiler   (128,16)   rounds (1,1)   TV ((8,2,2,4),(8,8)):((1,1024,8,0),(128,16))
                //           read, ((4,8,4),((2,2,2),8)):((256,1,0),((128,1024,8),16)) written
                //   vector  8 x f16 = 128 bit
                //   order   no barrier: no thread reads what another one wrote since the last one
                {
                    const int at_sK = 16 * i + 512 * t3 + 64 * t4 + 8 * t5;
#pragma unroll
                    for (int j = 0; j < 8; ++j) {
                        tcp_ldmatrix_x4(&k[8 * j],
                                &sK[8192 * slot + 1024 * j + tcp_swizzle<3, 3, 3>(at_sK)]);
                    }
                }
                multiply_qk(tid, s, q, k, 2, 16);
            }
            softmax_causal(tid, s, acc, most, sum, p, -128 * n + N, 128 * block_y - 128 * n, 2, 16,
                    8);
            tcp_cp_async_wait<2>();
            tcp_sync();
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                // copy select(local_tile(sV, (16,D), (i,0)), (1,0)) -> v
                //   flash_attention.tcp:122
                //   tile    (64,(8,2)) f16   threads 128   atom ldmatrix.x4.trans
                //   tiler   (64,16)   rounds (1,1)   TV ((16,2,4),(8,4)):((64,8,0),(1,16)) read,
                //           ((4,8,4),((2,2,2),4)):((128,1,0),((64,512,8),16)) written
                //   vector  8 x f16 = 128 bit
                {
                    const int at_sV = 64 * t2 + 8 * t3;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        tcp_ldmatrix_x4_trans(&v_[8 * j],
                                &sV[8192 * slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sV + 16 * j)]);
                    }
                }
                multiply_pv(tid, acc, &p[16 * i], v_, 2, 8);
            }
            at_K_V_ahead += 8192;
        }
    }
    divide(tid, acc, sum, 2, 8);
    // copy acc -> h                                               flash_attention.tcp:129
    //   values  ((2,2),2,8) f16   threads 128   atom auto(128)
    //   vector  4 x f32 = 128 bit -> 4 x f16 = 64 bit  (limited by: conversion)
    {
        tcp_b128 v[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            v[i] = tcp_ld_frag_128(&acc[4 * i]);
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            tcp_st_frag_64(&h[4 * i], tcp_convert<tcp_f16, float>(v[i]));
        }
    }
    // copy h -> sQ                                                flash_attention.tcp:130
    //   tile    ((8,16),(64,1)) f16   threads 128   atom stmatrix.x4
    //   tiler   (128,64)   rounds (1,1)   TV ((4,8,4),((2,2,2),8)):((256,1,16),((128,8,64),1024))
    //           read, ((16,2,4),(8,8)):((1,64,16),(128,1024)) written
    //   vector  8 x f16 = 128 bit
    {
        const int at_sQ = 1024 * t1 + 64 * t2 + 4096 * t3;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_stmatrix_x4(&sQ[tcp_swizzle<3, 3, 3>(at_sQ + 8 * i)], &h[8 * i]);
        }
    }
    tcp_sync();
    // copy sQ -> local_tile(O(block.x, _, _), (BM,D), (block.y, 0))  flash_attention.tcp:131
    //   tile    ((8,16),(64,1)) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*block.y + tid / 8 < M along mode 1 of O
    if (whole0) {
        tcp_b128 v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            v[i] = tcp_ld_shared_128(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_st_global_128(&O[at_Q_O + 1024 * i], v[i]);
        }
    } else {
        const int coord0 = 128 * block_y + t0;
        tcp_b128 v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (coord0 + 16 * i < M) {
                v[i] = tcp_ld_shared_128(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)]);
            }
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (coord0 + 16 * i < M) {
                tcp_st_global_128(&O[at_Q_O + 1024 * i], v[i]);
            }
        }
    }
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write Q, K, V, or read or write O.
TCP_EXTERN_C tcp_status flash_attention_launch(const tcp_f16 *Q, const tcp_f16 *K, const tcp_f16 *V,
        tcp_f16 *O, int64_t H, int64_t M, int64_t N, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("flash_attention", "H", H, 1, 65535));
    TCP_CHECK(tcp_check_range("flash_attention", "M", M, 1, 10000000));
    TCP_CHECK(tcp_check_range("flash_attention", "N", N, 1, 10000000));
    TCP_CHECK(tcp_check_tensor("flash_attention", "Q", Q, 16));
    TCP_CHECK(tcp_check_tensor("flash_attention", "K", K, 16));
    TCP_CHECK(tcp_check_tensor("flash_attention", "V", V, 16));
    TCP_CHECK(tcp_check_tensor("flash_attention", "O", O, 16));
    TCP_CHECK(tcp_check_distinct("flash_attention", "Q", Q, 0, 128 * H * M, "O", O, 0,
            128 * H * M));
    TCP_CHECK(tcp_check_distinct("flash_attention", "K", K, 0, 128 * H * N, "O", O, 0,
            128 * H * M));
    TCP_CHECK(tcp_check_distinct("flash_attention", "V", V, 0, 128 * H * N, "O", O, 0,
            128 * H * M));
    return TCP_LAUNCH(flash_attention_kernel, tcp_blocks(H, (M + 127) / 128, 1), 128, 81920, stream,
            Q, K, V, O, (int)M, (int)N);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write Q, K, V, or read or write O.
TCP_EXTERN_C tcp_status flash_attention_causal_launch(const tcp_f16 *Q, const tcp_f16 *K,
        const tcp_f16 *V, tcp_f16 *O, int64_t H, int64_t M, int64_t N, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("flash_attention_causal", "H", H, 1, 65535));
    TCP_CHECK(tcp_check_range("flash_attention_causal", "M", M, 1, 10000000));
    TCP_CHECK(tcp_check_range("flash_attention_causal", "N", N, 1, 10000000));
    TCP_CHECK(tcp_check_tensor("flash_attention_causal", "Q", Q, 16));
    TCP_CHECK(tcp_check_tensor("flash_attention_causal", "K", K, 16));
    TCP_CHECK(tcp_check_tensor("flash_attention_causal", "V", V, 16));
    TCP_CHECK(tcp_check_tensor("flash_attention_causal", "O", O, 16));
    TCP_CHECK(tcp_check_distinct("flash_attention_causal", "Q", Q, 0, 128 * H * M, "O", O, 0,
            128 * H * M));
    TCP_CHECK(tcp_check_distinct("flash_attention_causal", "K", K, 0, 128 * H * N, "O", O, 0,
            128 * H * M));
    TCP_CHECK(tcp_check_distinct("flash_attention_causal", "V", V, 0, 128 * H * N, "O", O, 0,
            128 * H * M));
    return TCP_LAUNCH(flash_attention_causal_kernel, tcp_blocks(H, (M + 127) / 128, 1), 128, 81920,
            stream, Q, K, V, O, (int)M, (int)N);
}

#endif
