// The type of tensor maps. A kernel takes one as "const __grid_constant__ tcp_tensor_map"; the launcher
// makes it (tcp_tma_launch.h). 128 bytes, aligned to 128: CUDA 13's CUtensorMap, and enough for CUDA
// 12's, which is aligned to 64.
#ifndef TCP_TENSOR_MAP_H
#define TCP_TENSOR_MAP_H

#include "tcp_types.h"

struct alignas(128) tcp_tensor_map {
    tcp_b64 opaque[16];
};
static_assert(sizeof(tcp_tensor_map) == 128, "a CUtensorMap");

// Swizzles of boxes in shared memory. The chunk of 16 bytes that an element is in is xored with bits of
// the absolute address: TCP_TMA_SWIZZLE_128 is Swizzle<3,4,3> of bytes in a buffer that is aligned to
// 1024; 64 is Swizzle<2,4,3> and needs 512, 32 is Swizzle<1,4,3> and needs 256. The rows of a swizzled box have 128,
// 64 or 32 bytes.
enum tcp_tma_swizzle {
    TCP_TMA_SWIZZLE_NONE,
    TCP_TMA_SWIZZLE_32,
    TCP_TMA_SWIZZLE_64,
    TCP_TMA_SWIZZLE_128
};

// What a reduction takes an element for: CUtensorMapDataType. Loads and stores move bits, whatever they are.
enum tcp_tma_type {
    TCP_TMA_BITS = 0,
    TCP_TMA_U32 = 2,
    TCP_TMA_S32,
    TCP_TMA_U64,
    TCP_TMA_S64,
    TCP_TMA_F16,
    TCP_TMA_F32,
    TCP_TMA_F64,
    TCP_TMA_BF16
};

// What a map says. Modes are listed with the contiguous one first.
struct tcp_tma_box {
    const void *address;  // of the element at coordinates 0
    int rank;             // 1 .. 5
    int bytes;            // of an element: 1, 2, 4 or 8
    int64_t extent[5];    // in elements: 1 .. 2^32
    int64_t stride[5];    // in bytes; stride[0] is not looked at
    int box[5];           // in elements: 1 .. 256
    enum tcp_tma_swizzle swizzle;
    int l2 = 128;          // bytes that the L2 cache fetches together: 64, 128 or 256
    bool written = false;  // the kernel stores to the tensor
    enum tcp_tma_type type = TCP_TMA_BITS;
};

#endif
