// What a tensor map holds on the CPU: the launcher's description, in the same 128 bytes.
#ifndef TCP_HOST_TMA_MAP_H
#define TCP_HOST_TMA_MAP_H

#include <string.h>

#include "tcp_tensor_map.h"

struct tcp_host_map {
    const unsigned char *address;
    int64_t extent[5], stride[5];
    int16_t box[5];
    int8_t rank, bytes, swizzle, type;
};
static_assert(sizeof(tcp_host_map) <= sizeof(tcp_tensor_map), "it has room");

inline tcp_host_map tcp_host_map_of(const tcp_tensor_map &map) {
    tcp_host_map m;
    memcpy(&m, &map, sizeof m);
    return m;
}

inline void tcp_host_map_set(tcp_tensor_map *map, const tcp_tma_box *b) {
    tcp_host_map m = {};
    m.address = (const unsigned char *)b->address;
    m.rank = (int8_t)b->rank;
    m.bytes = (int8_t)b->bytes;
    m.swizzle = (int8_t)b->swizzle;
    m.type = (int8_t)b->type;
    for (int i = 0; i < b->rank; ++i) {
        m.extent[i] = b->extent[i];
        m.stride[i] = i ? b->stride[i] : b->bytes;
        m.box[i] = (int16_t)b->box[i];
    }
    memset(map, 0, sizeof *map);
    memcpy(map, &m, sizeof m);
}

#endif
