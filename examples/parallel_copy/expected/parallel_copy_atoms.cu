// Made by tcpc from parallel_copy_atoms.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel parallel_copy, parallel_copy_atoms.tcp:12
//   grid (1,1,1), 32 threads, 512 bytes of shared memory
static __global__ void __launch_bounds__(32)
parallel_copy_kernel(const float *__restrict__ src, float *__restrict__ result) {
    TCP_SHARED_BUFFER(smem);
    float *const dst = (float *)smem;  // (16,8):(1,16)
    const int tid = (int)threadIdx.x;
    // copy src -> dst                                             parallel_copy_atoms.tcp:13
    //   tile    (16,8) f32   threads 32   atom universal(128)
    //   tiler   (16,8)   rounds (1,1)   TV (32,4):(4,1)
    //   vector  4 x f32 = 128 bit
    tcp_st_shared_128(&dst[4 * tid], tcp_ld_global_nc_128(&src[4 * tid]));
    // copy dst -> result                                          parallel_copy_atoms.tcp:14
    //   tile    (16,8) f32   threads 32   atom universal(128)
    //   tiler   (16,8)   rounds (1,1)   TV (32,4):(4,1)
    //   vector  4 x f32 = 128 bit
    //   order   no barrier: no thread reads what another one wrote
    tcp_st_global_128(&result[4 * tid], tcp_ld_shared_128(&dst[4 * tid]));
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write src, or read or write result.
TCP_EXTERN_C tcp_status parallel_copy_launch(const float *src, float *result, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("parallel_copy", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("parallel_copy", "result", result, 16));
    TCP_CHECK(tcp_check_distinct("parallel_copy", "src", src, 0, 512, "result", result, 0, 512));
    return TCP_LAUNCH(parallel_copy_kernel, tcp_blocks(1, 1, 1), 32, 512, stream, src, result);
}

#endif
