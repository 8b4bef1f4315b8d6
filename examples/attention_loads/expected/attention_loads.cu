// Made by tcpc from attention_loads.tcp for sm_90: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

#include "fold.cuh"  // extern
// TCP_DEVICE void fold_qk(int tid, uint32_t *s, const tcp_f16 *q, const tcp_f16 *k);
// TCP_DEVICE void settle(int tid, tcp_f16 *p, const uint32_t *s, int64_t left);
// TCP_DEVICE void fold_pv(int tid, uint32_t *acc, const tcp_f16 *p, const tcp_f16 *v_, int64_t d);
// TCP_DEVICE void finish(int tid, tcp_f16 *h, const uint32_t *acc, int64_t d);

// kernel attention_loads, attention_loads.tcp:40
//   grid (ceil_div(M,128),1,1), 128 threads, 49152 bytes of shared memory
static __global__ void __launch_bounds__(128)
attention_loads_kernel(const tcp_f16 *__restrict__ Q, const tcp_f16 *__restrict__ K,
        const tcp_f16 *__restrict__ V, tcp_f16 *__restrict__ O, int M, int N) {
    TCP_SHARED_BUFFER(smem);
    // ((8,16),(64,1)):((64,512),(1,0)), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sQ = (tcp_f16 *)smem;
    // ((8,8),(64,1),2):((64,512),(1,0),4096), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sK = (tcp_f16 *)(smem + 16384);
    // ((8,8),(64,1),2):((64,512),(1,0),4096), offset bits 6-8 xored into bits 3-5
    tcp_f16 *const sV = (tcp_f16 *)(smem + 32768);
    alignas(16) uint32_t acc[64];  // ((2,2),2,8):((1,2),4,8)
    alignas(16) uint32_t s[64];  // ((2,2),2,8):((1,2),4,8)
    alignas(16) tcp_f16 p[64];  // ((2,2,2),2,4):((1,2,4),8,16)
    alignas(16) tcp_f16 q[16];  // ((2,2,2),2,1):((1,2,4),8,0)
    alignas(16) tcp_f16 k[32];  // ((2,2),8,1):((1,2),4,0)
    alignas(16) tcp_f16 v_[32];  // ((2,2),8,1):((1,2),4,0)
    alignas(16) tcp_f16 h[64];  // ((2,2),2,8):((1,2),4,8)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int t0 = tid / 8;  // along mode 0
    const int t1 = tid / 32;  // along mode 0, by 16
    const int t2 = tid % 16;  // sQ: along mode 0; sV: along mode 1
    // sQ: along mode 1, by 8; sK: along mode 0, by 8; sQ: along mode 0, by 64
    const int t3 = tid / 16 % 2;
    const int t4 = tid % 8;  // along mode 0
    const int t5 = tid / 8 % 2;  // along mode 1, by 8
    // fill acc = 0                                                attention_loads.tcp:45
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        tcp_st_frag_128(&acc[4 * i], tcp_zero_128());
    }
    const int at_Q_O = 8 * tid + 8192 * block_x;
    const int at_sQ_sK_sV = 8 * tid;
    const bool whole0 = 128 * block_x + 127 < M;
    // ldQ: copy local_tile(Q, (128,D), (block.x, 0)) -> sQ        attention_loads.tcp:46
    //   tile    (128,64) f16   threads 128   atom cp_async.cg(16)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*block.x + tid / 8 < M along mode 0 of Q
    //           else 0
    if (whole0) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_cp_async_cg_16(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                    &Q[at_Q_O + 1024 * i]);
        }
    } else {
        const int coord0 = 128 * block_x + t0;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_cp_async_cg_zfill_16(&sQ[1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                    &Q[at_Q_O + 1024 * i], coord0 + 16 * i < M ? 16 : 0);
        }
    }
    tcp_cp_async_commit();
    {
        const int n_end = ((int64_t)N + 63) / 64;
        // prologue: the loads of the first step
        {
            const int n_load = 0;
            const int load_slot = 0;
            const int at_K_V = 8 * tid + 4096 * n_load;
            const bool whole1 = 64 * n_load + 63 < N;
            // ldK: copy local_tile(K, (64,D), (n,0)) -> sK                attention_loads.tcp:49
            //   tile    (64,64) f16   threads 128   atom cp_async.cg(16)
            //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
            //   vector  8 x f16 = 128 bit
            //   edge    8 x f16 = 128 bit, where
            //           64*n_load + tid / 8 < N along mode 0 of K
            //           else 0
            if (whole1) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    tcp_cp_async_cg_16(
                            &sK[4096 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &K[at_K_V + 1024 * i]);
                }
            } else {
                const int coord0 = 64 * n_load + t0;
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    tcp_cp_async_cg_zfill_16(
                            &sK[4096 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &K[at_K_V + 1024 * i], coord0 + 16 * i < N ? 16 : 0);
                }
            }
            tcp_cp_async_commit();
            // ldV: copy local_tile(V, (64,D), (n,0)) -> sV                attention_loads.tcp:50
            //   tile    (64,64) f16   threads 128   atom cp_async.cg(16)
            //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
            //   vector  8 x f16 = 128 bit
            //   edge    8 x f16 = 128 bit, where
            //           64*n_load + tid / 8 < N along mode 0 of V
            //           else 0
            if (whole1) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    tcp_cp_async_cg_16(
                            &sV[4096 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &V[at_K_V + 1024 * i]);
                }
            } else {
                const int coord0 = 64 * n_load + t0;
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    tcp_cp_async_cg_zfill_16(
                            &sV[4096 * load_slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                            &V[at_K_V + 1024 * i], coord0 + 16 * i < N ? 16 : 0);
                }
            }
            tcp_cp_async_commit();
        }
        // steady state: load the next step, use this one; the last only uses
        int at_K_V_ahead = 8 * tid + 4096;
        for (int n = 0; n < n_end; ++n) {
            const int slot = n % 2;
            tcp_cp_async_wait<1>();
            tcp_sync();
            {
                const int n_load = n + 1;
                const int load_slot = (n + 1) % 2;
                if (n_load < n_end) {
                    // ldK: copy local_tile(K, (64,D), (n,0)) -> sK
                    //   attention_loads.tcp:49
                    //   tile    (64,64) f16   threads 128   atom cp_async.cg(16)
                    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
                    //   vector  8 x f16 = 128 bit
                    //   edge    8 x f16 = 128 bit, where
                    //           64*n_load + tid / 8 < N along mode 0 of K
                    //           else 0
                    const bool whole = 64 * n_load + 63 < N;
                    if (whole) {
#pragma unroll
                        for (int i = 0; i < 4; ++i) {
                            tcp_cp_async_cg_16(
                                    &sK[4096 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                                    &K[at_K_V_ahead + 1024 * i]);
                        }
                    } else {
                        const int coord0 = 64 * n_load + t0;
#pragma unroll
                        for (int i = 0; i < 4; ++i) {
                            tcp_cp_async_cg_zfill_16(
                                    &sK[4096 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)], &K[at_K_V_ahead + 1024 * i],
                                    coord0 + 16 * i < N ? 16 : 0);
                        }
                    }
                }
                tcp_cp_async_commit();
                if (n_load < n_end) {
                    // ldV: copy local_tile(V, (64,D), (n,0)) -> sV
                    //   attention_loads.tcp:50
                    //   tile    (64,64) f16   threads 128   atom cp_async.cg(16)
                    //   tiler   (16,64)   rounds (4,1)   TV ((8,16),8):((128,1),16)
                    //   vector  8 x f16 = 128 bit
                    //   edge    8 x f16 = 128 bit, where
                    //           64*n_load + tid / 8 < N along mode 0 of V
                    //           else 0
                    const bool whole = 64 * n_load + 63 < N;
                    if (whole) {
#pragma unroll
                        for (int i = 0; i < 4; ++i) {
                            tcp_cp_async_cg_16(
                                    &sV[4096 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)],
                                    &V[at_K_V_ahead + 1024 * i]);
                        }
                    } else {
                        const int coord0 = 64 * n_load + t0;
#pragma unroll
                        for (int i = 0; i < 4; ++i) {
                            tcp_cp_async_cg_zfill_16(
                                    &sV[4096 * load_slot + 1024 * i +
                                    tcp_swizzle<3, 3, 3>(at_sQ_sK_sV)], &V[at_K_V_ahead + 1024 * i],
                                    coord0 + 16 * i < N ? 16 : 0);
                        }
                    }
                }
                tcp_cp_async_commit();
            }
            // fill s = 0                                                  attention_loads.tcp:55
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                tcp_st_frag_128(&s[4 * i], tcp_zero_128());
            }
            for (int i = 0; i < 4; ++i) {
                // copy local_tile(sQ, (128,16), (0,i)) -> q
                //   attention_loads.tcp:59
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
                // copy local_tile(sK, (64,16), (0,i)) -> k
                //   attention_loads.tcp:60
                //   tile    ((8,8),16) f16   threads 128   atom ldmatrix.x4
                //   tiler   (64,16)   rounds (1,1)   TV ((8,2,2,4),(8,4)):((1,512,8,0),(64,16))
                //           read, ((4,8,4),((2,2,2),4)):((128,1,0),((64,512,8),16)) written
                //   vector  8 x f16 = 128 bit
                //   order   no barrier: no thread reads what another one wrote since the last one
                {
                    const int at_sK = 16 * i + 512 * t3 + 64 * t4 + 8 * t5;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        tcp_ldmatrix_x4(&k[8 * j],
                                &sK[4096 * slot + 1024 * j + tcp_swizzle<3, 3, 3>(at_sK)]);
                    }
                }
                fold_qk(tid, s, q, k);
            }
            settle(tid, p, s, -64 * n + N);
            tcp_cp_async_wait<2>();
            tcp_sync();
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                // copy select(local_tile(sV, (16,D), (i,0)), (1,0)) -> v
                //   attention_loads.tcp:66
                //   tile    (64,(8,2)) f16   threads 128   atom ldmatrix.x4.trans
                //   tiler   (64,16)   rounds (1,1)   TV ((16,2,4),(8,4)):((64,8,0),(1,16)) read,
                //           ((4,8,4),((2,2,2),4)):((128,1,0),((64,512,8),16)) written
                //   vector  8 x f16 = 128 bit
                {
                    const int at_sV = 64 * t2 + 8 * t3;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        tcp_ldmatrix_x4_trans(&v_[8 * j],
                                &sV[4096 * slot + 1024 * i + tcp_swizzle<3, 3, 3>(at_sV + 16 * j)]);
                    }
                }
                fold_pv(tid, acc, &p[16 * i], v_, 8);
            }
            at_K_V_ahead += 4096;
        }
    }
    finish(tid, h, acc, 8);
    // copy h -> sQ                                                attention_loads.tcp:73
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
    // stO: copy sQ -> local_tile(O, (128,D), (block.x, 0))        attention_loads.tcp:74
    //   tile    ((8,16),(64,1)) f16   threads 128   atom universal(128)
    //   tiler   (16,64)   rounds (8,1)   TV ((8,16),8):((128,1),16)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           128*block.x + tid / 8 < M along mode 0 of O
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
        const int coord0 = 128 * block_x + t0;
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
TCP_EXTERN_C tcp_status attention_loads_launch(const tcp_f16 *Q, const tcp_f16 *K, const tcp_f16 *V,
        tcp_f16 *O, int64_t M, int64_t N, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("attention_loads", "M", M, 1, 1000000));
    TCP_CHECK(tcp_check_range("attention_loads", "N", N, 1, 1000000));
    TCP_CHECK(tcp_check_tensor("attention_loads", "Q", Q, 16));
    TCP_CHECK(tcp_check_tensor("attention_loads", "K", K, 16));
    TCP_CHECK(tcp_check_tensor("attention_loads", "V", V, 16));
    TCP_CHECK(tcp_check_tensor("attention_loads", "O", O, 16));
    TCP_CHECK(tcp_check_distinct("attention_loads", "Q", Q, 0, 128 * M, "O", O, 0, 128 * M));
    TCP_CHECK(tcp_check_distinct("attention_loads", "K", K, 0, 128 * N, "O", O, 0, 128 * M));
    TCP_CHECK(tcp_check_distinct("attention_loads", "V", V, 0, 128 * N, "O", O, 0, 128 * M));
    return TCP_LAUNCH(attention_loads_kernel, tcp_blocks((M + 127) / 128, 1, 1), 128, 49152, stream,
            Q, K, V, O, (int)M, (int)N);
}

#endif
