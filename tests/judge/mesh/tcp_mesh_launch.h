// The judge's mesh: what launchers of kernels between devices call. A launch runs at once, for its device alone.
#ifndef TCP_MESH_LAUNCH_H
#define TCP_MESH_LAUNCH_H

#include "tcp_launch.h"
#include "tcp_mesh.cuh"

inline tcp_status tcp_mesh_enter(const char *, tcp_mesh *end, int size, tcp_mesh_call *out) {
    ++end->calls;
    if (size != end->size) end->wrong = "the launcher is of another number of devices";
    *out = tcp_mesh_call{(unsigned)end->rank, end};
    return TCP_OK;
}

inline tcp_status tcp_mesh_tensor(const char *, const char *, tcp_mesh *end, tcp_mesh_call *,
                                  const void *at, size_t bytes) {
    if (at != end->seen[end->rank] || bytes != end->bytes)
        end->wrong = "the launcher tells of other memory, or of more or less";
    end->told = true;
    return TCP_OK;
}

inline void tcp_mesh_mix(tcp_mesh_call *call, uint64_t value) {
    call->end->hash = call->end->hash * 1099511628211u + value;
}

#define TCP_MESH_LAUNCH(kernel, grid, threads, shared_bytes, stream, end, ...)                     \
    ((void)(end), tcp_launch(#kernel, kernel, grid, threads, shared_bytes, stream, ##__VA_ARGS__))

#endif
