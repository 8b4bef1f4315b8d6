// Made for sm_80 by: tcpc relayout f32 '(100,64):(1,64)' '(100,64):(1,100)'
// The same with --emit=plan-text writes the plan, whose lines are named here.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel relayout, plan:7
//   grid (6,1,1), 150 threads, 5360 bytes of shared memory
static __global__ void __launch_bounds__(150)
    relayout_kernel(const float *__restrict__ A, float *__restrict__ B) {
    TCP_SHARED_BUFFER(smem);
    float *const s = (float *)smem;  // ((2,6),100):((100,228),1)
    alignas(16) float r[8];          // (8,1,1):(1,0,0)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int c0 = block_x;
    const int t0 = tid / 25;  // A: along mode 0, by 2; B: along mode 0
    const int t1 = tid % 25;  // along mode 1, by 4
    const int t2 = tid / 50;  // along mode 0, by 2
    const int t3 = tid % 50;
    const bool whole = 12 * c0 + 11 < 64;
    // copy local_tile(A, (12,100), (c0, 0)) -> r                  plan:15
    //   tile    (12,100) f32   threads 150   atom universal(128)
    //   tiler   (12,100)   rounds (1,1)   TV ((25,6),(4,2)):((48,2),(12,1))
    //   vector  4 x f32 = 128 bit
    //   edge    4 x f32 = 128 bit, where
    //           12*block.x + 2*(tid / 25) < 64 along mode 0 of A
    //           else 0
    {
        const int at_A = 768 * c0 + 128 * t0 + 4 * t1;
        if (whole) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                tcp_st_frag_128(&r[4 * i], tcp_ld_global_nc_128(&A[at_A + 64 * i]));
            }
        } else {
            const int coord0 = 12 * c0 + 2 * t0;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if (coord0 + i < 64) {
                    tcp_st_frag_128(&r[4 * i], tcp_ld_global_nc_128(&A[at_A + 64 * i]));
                } else {
                    tcp_st_frag_128(&r[4 * i], tcp_zero_128());
                }
            }
        }
    }
    // copy r -> s                                                 plan:16
    //   tile    ((2,6),100) f32   threads 150   atom universal(128)
    //   tiler   (12,100)   rounds (1,1)   TV ((25,6),(4,2)):((48,2),(12,1))
    //   vector  4 x f32 = 128 bit
    {
        const int at_s = 228 * t0 + 4 * t1;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            tcp_st_shared_128(&s[at_s + 100 * i], tcp_ld_frag_128(&r[4 * i]));
        }
    }
    tcp_sync();
    // copy s -> local_tile(B, (12,100), (c0, 0))                  plan:17
    //   tile    ((2,6),100) f32   threads 150   atom universal(128)
    //   tiler   (6,100)   rounds (2,1)   TV ((25,6),4):((24,1),6)
    //   vector  4 x f32 = 128 bit
    //   edge    4 x f32 = 128 bit, where
    //           12*block.x + tid / 25 < 64 along mode 0 of B
    {
        const int at_s = 228 * t2 + 4 * t3;
        const int at_B = 4 * tid + 1200 * c0;
        if (whole) {
            tcp_b128 v[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                v[i] = tcp_ld_shared_128(&s[at_s + 684 * i]);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                tcp_st_global_128(&B[at_B + 600 * i], v[i]);
            }
        } else {
            const int coord0 = 12 * c0 + t0;
            tcp_b128 v[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if (coord0 + 6 * i < 64) {
                    v[i] = tcp_ld_shared_128(&s[at_s + 684 * i]);
                }
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if (coord0 + 6 * i < 64) {
                    tcp_st_global_128(&B[at_B + 600 * i], v[i]);
                }
            }
        }
    }
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status relayout_launch(const float *A, float *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("relayout", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("relayout", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("relayout", "A", A, 0, 16528, "B", B, 0, 25600, 4,
                                 {{64, 256}, {100, 4}}, 4, {{64, 400}, {100, 4}}));
    return TCP_LAUNCH(relayout_kernel, tcp_blocks(6, 1, 1), 150, 5360, stream, A, B);
}

#endif
