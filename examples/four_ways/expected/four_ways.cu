// Made by tcpc from four_ways.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel mapped, four_ways.tcp:15
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
mapped_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ dst) {
    alignas(16) tcp_f16 r[8];  // (8):(1)
    const int tid = (int)threadIdx.x;
    // ld: copy src -> r                                           four_ways.tcp:17
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
    // st: copy r -> dst                                           four_ways.tcp:18
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit
    tcp_st_global_128(&dst[8 * tid], tcp_ld_frag_128(r));
}

// kernel algebra, four_ways.tcp:25
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
algebra_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ dst) {
    alignas(16) tcp_f16 r[8];  // (8):(1)
    const int tid = (int)threadIdx.x;
    // ld: copy from(_,_,tid) -> r                                 four_ways.tcp:31
    //   values  (8) f16   threads 128   atom auto(128)
    //   vector  8 x f16 = 128 bit
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
    // st: copy r -> to(_,_,tid)                                   four_ways.tcp:32
    //   values  (8) f16   threads 128   atom auto(128)
    //   vector  8 x f16 = 128 bit
    tcp_st_global_128(&dst[8 * tid], tcp_ld_frag_128(r));
}

// kernel composed, four_ways.tcp:38
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
composed_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ dst) {
    alignas(16) tcp_f16 r[8];  // (8):(1)
    const int tid = (int)threadIdx.x;
    // ld: copy from(tid,_) -> r                                   four_ways.tcp:42
    //   values  (8) f16   threads 128   atom universal(128)
    //   vector  8 x f16 = 128 bit
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
    // st: copy r -> to(tid,_)                                     four_ways.tcp:43
    //   values  (8) f16   threads 128   atom universal(128)
    //   vector  8 x f16 = 128 bit
    tcp_st_global_128(&dst[8 * tid], tcp_ld_frag_128(r));
}

// kernel tiled, four_ways.tcp:51
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
tiled_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ dst) {
    alignas(16) tcp_f16 r[8];  // (8):(1)
    const int tid = (int)threadIdx.x;
    // ld: copy src -> r                                           four_ways.tcp:53
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
    // st: copy r -> dst                                           four_ways.tcp:54
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit
    tcp_st_global_128(&dst[8 * tid], tcp_ld_frag_128(r));
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write src, or read or write dst.
TCP_EXTERN_C tcp_status mapped_launch(const tcp_f16 *src, tcp_f16 *dst, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("mapped", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("mapped", "dst", dst, 16));
    TCP_CHECK(tcp_check_distinct("mapped", "src", src, 0, 2048, "dst", dst, 0, 2048));
    return TCP_LAUNCH(mapped_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, dst);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write src, or read or write dst.
TCP_EXTERN_C tcp_status algebra_launch(const tcp_f16 *src, tcp_f16 *dst, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("algebra", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("algebra", "dst", dst, 16));
    TCP_CHECK(tcp_check_distinct("algebra", "src", src, 0, 2048, "dst", dst, 0, 2048));
    return TCP_LAUNCH(algebra_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, dst);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write src, or read or write dst.
TCP_EXTERN_C tcp_status composed_launch(const tcp_f16 *src, tcp_f16 *dst, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("composed", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("composed", "dst", dst, 16));
    TCP_CHECK(tcp_check_distinct("composed", "src", src, 0, 2048, "dst", dst, 0, 2048));
    return TCP_LAUNCH(composed_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, dst);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write src, or read or write dst.
TCP_EXTERN_C tcp_status tiled_launch(const tcp_f16 *src, tcp_f16 *dst, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("tiled", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("tiled", "dst", dst, 16));
    TCP_CHECK(tcp_check_distinct("tiled", "src", src, 0, 2048, "dst", dst, 0, 2048));
    return TCP_LAUNCH(tiled_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, dst);
}

#endif
