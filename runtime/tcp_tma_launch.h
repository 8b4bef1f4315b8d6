// Tensor maps, made by launchers. Every rule of the driver is checked and named here, since
// cuTensorMapEncodeTiled says no more than "invalid value" (CUDA Driver API, Tensor Map Object
// Management).
#ifndef TCP_TMA_LAUNCH_H
#define TCP_TMA_LAUNCH_H

#include <string.h>

#include "tcp_launch.h"
#include "tcp_tensor_map.h"

#ifndef __CUDACC__
#include "host/tcp_host_tma_map.h"
#endif

// Whether the tensor has no element: all that a box reads of it is 0.
inline bool tcp_map_is_empty(const tcp_tma_box *b) {
    bool empty = false;
    for (int i = 0; i < b->rank && i < 5; ++i) empty |= b->extent[i] == 0;
    return empty;
}

// Checks that "b" can be a map, which reads tensor "tensor" of kernel "kernel".
inline tcp_status tcp_check_map(const char *kernel, const char *tensor, const tcp_tma_box *b) {
    static const int span[] = {0, 32, 64, 128};
    int64_t bytes = b->bytes;  // of a box
    if (b->rank < 1 || b->rank > 5)
        return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_RANK, kernel, tensor, b->rank);
    if (b->bytes < 1 || b->bytes > 8 || (b->bytes & (b->bytes - 1)) != 0)
        return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_ELEMENT, kernel, tensor, b->bytes);
    const bool empty = tcp_map_is_empty(b);  // what it has no element of may be anywhere
    if (!empty && !b->address) return tcp_fail(TCP_ERR_NULL, TCP_SAYS_NULL, kernel, tensor);
    if (!empty && (uintptr_t)b->address % 16 != 0)
        return tcp_fail(TCP_ERR_ALIGNMENT, TCP_SAYS_MAP_ADDRESS, kernel, tensor, b->address,
                        (int)((uintptr_t)b->address % 16));
    for (int i = 0; i < b->rank; ++i) {
        if (b->extent[i] < 0 || b->extent[i] > (int64_t)1 << 32)
            return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_EXTENT, kernel, tensor, i,
                            (long long)b->extent[i]);
        if (b->box[i] < 1 || b->box[i] > 256)
            return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_BOX, kernel, tensor, b->box[i], i);
        bytes *= b->box[i];
        if (i == 0 || empty) continue;
        if (b->stride[i] % 16 != 0)
            return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_STRIDE, kernel, tensor, i,
                            (long long)b->stride[i], (long long)(b->stride[i] + 15) / 16 * 16);
        if (b->stride[i] < 0 || b->stride[i] >= (int64_t)1 << 40)
            return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_FAR, kernel, tensor, i,
                            (long long)b->stride[i]);
    }
    const int inner = b->box[0] * b->bytes;
    if (bytes > TCP_MAP_BOX_BYTES)
        return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_BYTES, kernel, tensor, (long long)bytes,
                        TCP_MAP_BOX_BYTES);
    if (inner % 16 != 0)
        return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_INNER, kernel, tensor, inner);
    if (b->swizzle != TCP_TMA_SWIZZLE_NONE && inner != span[b->swizzle])
        return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MAP_SWIZZLE, kernel, tensor, inner,
                        span[b->swizzle]);
    return TCP_OK;
}

#ifdef __CUDACC__

#include <cuda_runtime_api.h>

// What the map of a tensor without elements reads, and where it writes: a map has one element at least,
// and a store at least 16 bytes.
static __device__ tcp_b64 tcp_map_zeros[2], tcp_map_written[2];

// cuTensorMapEncodeTiled, without the header of the driver and without linking it.
typedef int (*tcp_map_encode)(tcp_tensor_map *map, int type, uint32_t rank, void *address,
                              const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                              const uint32_t *steps, int interleave, int swizzle, int l2, int fill);

// The driver's function, or NULL: drivers before CUDA 12, and GPUs that have none.
inline tcp_map_encode tcp_find_map_encode() {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult what = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                               12000, cudaEnableDefault, &what);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &what);
#endif
    if (error != cudaSuccess) cudaGetLastError();
    // it may succeed with a null pointer
    return error == cudaSuccess && what == cudaDriverEntryPointSuccess ? (tcp_map_encode)found
                                                                       : nullptr;
}

inline tcp_status tcp_encode_map(const char *kernel, const char *tensor, const tcp_tma_box *b,
                                 tcp_tensor_map *map) {
    static const tcp_map_encode encode = tcp_find_map_encode();
    // CU_TENSOR_MAP_DATA_TYPE_UINT8, 16, 32, 64: the bits move as they are
    static const int types[] = {0, 0, 1, 0, 2, 0, 0, 0, 4};
    const int type = b->type == TCP_TMA_BITS ? types[b->bytes] : (int)b->type;
    uint64_t extents[5], strides[5];
    uint32_t box[5], steps[5];
    int64_t reach = 0;
    void *address = (void *)b->address;
    const bool empty = tcp_map_is_empty(b);
    if (!encode) return tcp_fail(TCP_ERR_LAUNCH, TCP_SAYS_MAP_DRIVER, kernel, tensor);
    if (empty &&
        cudaGetSymbolAddress(&address, b->written ? tcp_map_written : tcp_map_zeros) != cudaSuccess)
        return tcp_fail(TCP_ERR_LAUNCH, TCP_SAYS_MAP_ERROR, kernel, tensor,
                        (int)cudaGetLastError());
    for (int i = 0; i < b->rank; ++i) {
        extents[i] = empty ? 1 : (uint64_t)b->extent[i];
        strides[i] = empty ? sizeof tcp_map_zeros : (uint64_t)(i ? b->stride[i] : b->bytes);
        box[i] = (uint32_t)b->box[i];
        steps[i] = 1;
        // far beyond the limit below, and no product of 64 bits is too small for it
        const int64_t size = strides[i] > 1 << 20 ? (int64_t)extents[i] << 20
                                                  : (int64_t)extents[i] * (int64_t)strides[i];
        if (size > reach) reach = size;
    }
    // CU_TENSOR_MAP_L2_PROMOTION_L2_64B, 128, 256; the last one takes a tenth of the speed
    // (bench/results/pipeline.md)
    const int l2 = b->l2 == 64 ? 1 : b->l2 == 256 ? 3 : 2, no_fill = 0;
    const int error = encode(map, type, (uint32_t)b->rank, address, extents, strides + 1, box,
                             steps, 0, (int)b->swizzle, l2, no_fill);
    if (error) return tcp_fail(TCP_ERR_LAUNCH, TCP_SAYS_MAP_ERROR, kernel, tensor, error);
    // Drivers up to 13.1 encode tensors under 128 KiB wrong; as CUTLASS 4.7 mends it.
    int driver = 0;
    if (reach < 128 * 1024 && cudaDriverGetVersion(&driver) == cudaSuccess && driver <= 13010)
        map->opaque[1] &= ~((uint64_t)1 << 21);
    return TCP_OK;
}

#else

inline tcp_status tcp_encode_map(const char *, const char *, const tcp_tma_box *b,
                                 tcp_tensor_map *map) {
    tcp_host_map_set(map, b);
    return TCP_OK;
}

#endif

// Makes "map" for "b". Each thread keeps its last 16: to encode takes microseconds.
inline tcp_status tcp_make_map(const char *kernel, const char *tensor, const tcp_tma_box *b,
                               tcp_tensor_map *map) {
    struct known {
        tcp_tma_box box;
        tcp_tensor_map map;
    };
    static thread_local known cache[16];
    static thread_local unsigned next;
    tcp_tma_box key;
    memset((void *)&key, 0, sizeof key);
    key.address = b->address;
    key.rank = b->rank;
    key.bytes = b->bytes;
    key.swizzle = b->swizzle;
    key.l2 = b->l2;
    key.written = b->written;
    key.type = b->type;
    for (int i = 0; i < b->rank && i < 5; ++i) {
        key.extent[i] = b->extent[i];
        // that of a mode with one element has no meaning
        key.stride[i] = i == 0 ? 0 : b->extent[i] == 1 ? 16 : b->stride[i];
        key.box[i] = b->box[i];
    }
    TCP_CHECK(tcp_check_map(kernel, tensor, &key));
    for (const known &k : cache) {
        if (memcmp((const void *)&k.box, (const void *)&key, sizeof key) != 0) continue;
        *map = k.map;
        return TCP_OK;
    }
    TCP_CHECK(tcp_encode_map(kernel, tensor, &key, map));
    known *const k = &cache[next++ % 16];
    memcpy((void *)&k->box, (const void *)&key, sizeof key);
    k->map = *map;
    return TCP_OK;
}

#endif
