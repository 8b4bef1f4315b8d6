// Made by tcpc from four_ways.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#include "tcp_runtime.h"

#if TCP_RUNTIME_VERSION != 1
#error "this file needs version 1 of the tcpc runtime"
#endif

// kernel mapped, four_ways.tcp:18
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
    mapped_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ by_map) {
    alignas(16) tcp_f16 r[8];
    const int tid = (int)threadIdx.x;
    // ld: copy src -> r                                           four_ways.tcp:20
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 20 "four_ways.tcp"
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
#line 22 "four_ways.cu"
    // st: copy r -> by_map                                        four_ways.tcp:21
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 21 "four_ways.tcp"
    tcp_st_global_128(&by_map[8 * tid], tcp_ld_frag_128(r));
#line 29 "four_ways.cu"
}

TCP_EXTERN_C tcp_status mapped_launch(const tcp_f16 *src, tcp_f16 *by_map, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("mapped", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("mapped", "by_map", by_map, 16));
    TCP_CHECK(tcp_check_distinct("mapped", "src", src, 0, 2048, "by_map", by_map, 0, 2048));
    return TCP_LAUNCH(mapped_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, by_map);
}

// kernel algebra, four_ways.tcp:28
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
    algebra_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ by_algebra) {
    alignas(16) tcp_f16 r[8];
    const int tid = (int)threadIdx.x;
    // ld: copy from(_,_,tid) -> r                                 four_ways.tcp:34
    //   values  (8) f16   threads 128   atom auto(128)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 34 "four_ways.tcp"
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
#line 50 "four_ways.cu"
    // st: copy r -> to(_,_,tid)                                   four_ways.tcp:35
    //   values  (8) f16   threads 128   atom auto(128)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 35 "four_ways.tcp"
    tcp_st_global_128(&by_algebra[8 * tid], tcp_ld_frag_128(r));
#line 56 "four_ways.cu"
}

TCP_EXTERN_C tcp_status algebra_launch(const tcp_f16 *src, tcp_f16 *by_algebra, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("algebra", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("algebra", "by_algebra", by_algebra, 16));
    TCP_CHECK(
        tcp_check_distinct("algebra", "src", src, 0, 2048, "by_algebra", by_algebra, 0, 2048));
    return TCP_LAUNCH(algebra_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, by_algebra);
}

// kernel composed, four_ways.tcp:41
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
    composed_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ by_tv) {
    alignas(16) tcp_f16 r[8];
    const int tid = (int)threadIdx.x;
    // ld: copy from(tid,_) -> r                                   four_ways.tcp:45
    //   values  (8) f16   threads 128   atom universal(128)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 45 "four_ways.tcp"
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
#line 78 "four_ways.cu"
    // st: copy r -> to(tid,_)                                     four_ways.tcp:46
    //   values  (8) f16   threads 128   atom universal(128)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 46 "four_ways.tcp"
    tcp_st_global_128(&by_tv[8 * tid], tcp_ld_frag_128(r));
#line 84 "four_ways.cu"
}

TCP_EXTERN_C tcp_status composed_launch(const tcp_f16 *src, tcp_f16 *by_tv, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("composed", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("composed", "by_tv", by_tv, 16));
    TCP_CHECK(tcp_check_distinct("composed", "src", src, 0, 2048, "by_tv", by_tv, 0, 2048));
    return TCP_LAUNCH(composed_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, by_tv);
}

// kernel tiled, four_ways.tcp:54
//   grid (1,1,1), 128 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(128)
    tiled_kernel(const tcp_f16 *__restrict__ src, tcp_f16 *__restrict__ by_tile) {
    alignas(16) tcp_f16 r[8];
    const int tid = (int)threadIdx.x;
    // ld: copy src -> r                                           four_ways.tcp:56
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 56 "four_ways.tcp"
    tcp_st_frag_128(r, tcp_ld_global_nc_128(&src[8 * tid]));
#line 106 "four_ways.cu"
    // st: copy r -> by_tile                                       four_ways.tcp:57
    //   tile    (8,128) f16   threads 128   atom universal(128)
    //   tiler   (8,128)   rounds (1,1)   TV ((16,8),8):((64,1),8)
    //   vector  8 x f16 = 128 bit  (limited by: atom)
#line 57 "four_ways.tcp"
    tcp_st_global_128(&by_tile[8 * tid], tcp_ld_frag_128(r));
#line 113 "four_ways.cu"
}

TCP_EXTERN_C tcp_status tiled_launch(const tcp_f16 *src, tcp_f16 *by_tile, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("tiled", "src", src, 16));
    TCP_CHECK(tcp_check_tensor("tiled", "by_tile", by_tile, 16));
    TCP_CHECK(tcp_check_distinct("tiled", "src", src, 0, 2048, "by_tile", by_tile, 0, 2048));
    return TCP_LAUNCH(tiled_kernel, tcp_blocks(1, 1, 1), 128, 0, stream, src, by_tile);
}
