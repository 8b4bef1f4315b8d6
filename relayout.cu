// Made by tcpc from relayout.tcp for sm_90: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel relayout, relayout.tcp:7
//   grid (320859,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
    relayout_kernel(const uint8_t *__restrict__ A, uint8_t *__restrict__ B) {
    alignas(16) uint8_t r[16];
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        // copy local_tile(A(e / 1457 % 27, e / 39339 % 29, e / 1140831 % 24, e / 47 % 31, e /
        //     27379944 % 24, _), (1), (e % 47)) -> r(_,i)
        //   relayout.tcp:14
        //   values  (1) u8   threads 128   atom universal(8)
        //   vector  1 x u8 = 8 bit  (limited by: atom)
        {
            const int from = (16 * tid + 2048 * block_x + i) % 47 +
                             1128 * ((16 * tid + 2048 * block_x + i) / 47 % 31) +
                             24337728 * ((16 * tid + 2048 * block_x + i) / 1457 % 27) +
                             839232 * ((16 * tid + 2048 * block_x + i) / 39339 % 29) +
                             34968 * ((16 * tid + 2048 * block_x + i) / 1140831 % 24) +
                             47 * ((16 * tid + 2048 * block_x + i) / 27379944 % 24);
#line 14 "relayout.tcp"
            tcp_st_frag_8(&r[i], tcp_ld_global_nc_8(&A[from]));
#line 35 "relayout.cu"
        }
    }
    // copy r -> local_tile(B, (2048), (block.x))                  relayout.tcp:16
    //   tile    (2048) u8   threads 128   atom universal(128)
    //   tiler   (2048)   rounds (1)   TV (128,(16,1)):(16,(1,2048))
    //   vector  16 x u8 = 128 bit  (limited by: atom)
    //   edge    16 x u8 = 128 bit  (16*tid + 2048*block.x < 657118656 along mode 0 of B)
    if (16 * tid + 2048 * block_x < 657118656) {
#line 16 "relayout.tcp"
        tcp_st_global_128(&B[16 * tid + 2048 * block_x], tcp_ld_frag_128(r));
#line 46 "relayout.cu"
    }
}

#ifndef __CUDACC_RTC__

// What is written overlaps no other tensor. While the kernel runs nobody else writes A, or reads or
// writes B.
TCP_EXTERN_C tcp_status relayout_launch(const uint8_t *A, uint8_t *B, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("relayout", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("relayout", "B", B, 16));
    TCP_CHECK(tcp_check_distinct("relayout", "A", A, 0, 657118656, "B", B, 0, 657118656));
    return TCP_LAUNCH(relayout_kernel, tcp_blocks(320859, 1, 1), 128, 0, stream, A, B);
}

#endif
