// Made by tcpc from rounds.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#include "tcp_runtime.h"

#if TCP_RUNTIME_VERSION != 1
#error "this file needs version 1 of the tcpc runtime"
#endif

// kernel in_rounds, rounds.tcp:11
//   grid (1,1,1), 32 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(32)
    in_rounds_kernel(const float *__restrict__ src, float *__restrict__ result) {
    const int tid = (int)threadIdx.x;
    const int t0 = tid / 4;
    const int t1 = tid % 4;
    // ld: copy src -> result                                      rounds.tcp:12
    //   tile    (32,16) f32   threads 32   atom universal(128)
    //   tiler   (16,8)   rounds (2,2)   TV (32,4):(4,1)
    //   vector  4 x f32 = 128 bit  (limited by: atom)
    {
        const int from = 32 * t0 + 4 * t1;
        const int to = 32 * t0 + 4 * t1;
        tcp_b128 v[4];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                v[2 * i + j] = tcp_ld_global_nc_128(&src[from + 256 * i + 16 * j]);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                tcp_st_global_128(&result[to + 256 * i + 16 * j], v[2 * i + j]);
            }
        }
    }
}

TCP_EXTERN_C tcp_status in_rounds_launch(const float *src, float *result, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("in_rounds", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("in_rounds", "result", result, 16));
    TCP_CHECK(tcp_check_distinct("in_rounds", "src", src, 0, 2048, "result", result, 0, 2048));
    return TCP_LAUNCH(in_rounds_kernel, tcp_blocks(1, 1, 1), 32, 0, stream, src, result);
}
