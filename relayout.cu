// Made by tcpc from relayout.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel relayout, relayout.tcp:7
//   grid (202,1,1), 64 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(64)
    relayout_kernel(const tcp_bf16 *__restrict__ A, tcp_bf16 *__restrict__ B) {
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    // copy local_tile(A, (64,1), (c0, c1)) -> local_tile(B, (64,1), (c0, c1))  relayout.tcp:12
    //   tile    (64,1) bf16   threads 64   atom universal(16)
    //   tiler   (64,1)   rounds (1,1)   TV (64,1):(1,0)
    //   vector  1 x bf16 = 16 bit  (limited by: atom)
    //   edge    1 x bf16 = 16 bit  (tid + 64*(block.x % 2) < 100 along mode 0 of both sides)
    {
        const int from = 101 * tid + block_x / 2 + 6464 * (block_x % 2);
        const int to = tid + 100 * (block_x / 2) + 64 * (block_x % 2);
        if (tid + 64 * (block_x % 2) < 100) {
#line 12 "relayout.tcp"
            tcp_st_global_16(&B[to], tcp_ld_global_nc_16(&A[from]));
#line 29 "relayout.cu"
        }
    }
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write A, or read or write B.
TCP_EXTERN_C tcp_status relayout_launch(const tcp_bf16 *A, tcp_bf16 *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("relayout", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("relayout", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("relayout", "A", A, 0, 20200, "B", B, 0, 20200));
    return TCP_LAUNCH(relayout_kernel, tcp_blocks(202, 1, 1), 64, 0, stream, A, B);
}

#endif
