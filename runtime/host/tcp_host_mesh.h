// The CPU's versions of the words through which the devices of a mesh meet (tcp_mesh_atomics.cuh). They
// keep what a thread knows of other devices by release and acquire, as far as the scopes reach.
#ifndef TCP_HOST_MESH_H
#define TCP_HOST_MESH_H

#include "host/tcp_host.h"

enum tcp_host_order { TCP_HOST_RELAXED, TCP_HOST_ORDERED };
enum tcp_host_scope { TCP_HOST_GPU, TCP_HOST_SYS };

// host/tcp_host_mesh.cpp
uint64_t tcp_host_mesh_load(const uint64_t *from, tcp_host_order order, tcp_host_scope scope);
void tcp_host_mesh_store(uint64_t *to, uint64_t value, tcp_host_order order, tcp_host_scope scope);
// Adds, or stores "value" if the word is "*old"; returns the value before.
uint64_t tcp_host_mesh_change(uint64_t *at, uint64_t value, const uint64_t *old,
                              tcp_host_order order);
bool tcp_host_mesh_all(bool mine, tcp_host_place at);
uint64_t tcp_host_mesh_time();
void tcp_host_mesh_pause(tcp_host_place at);

inline uint64_t tcp_mesh_load_relaxed_sys(const uint64_t *from) {
    return tcp_host_mesh_load(from, TCP_HOST_RELAXED, TCP_HOST_SYS);
}
inline uint64_t tcp_mesh_load_acquire_gpu(const uint64_t *from) {
    return tcp_host_mesh_load(from, TCP_HOST_ORDERED, TCP_HOST_GPU);
}
inline uint64_t tcp_mesh_load_acquire_sys(const uint64_t *from) {
    return tcp_host_mesh_load(from, TCP_HOST_ORDERED, TCP_HOST_SYS);
}
inline void tcp_mesh_store_relaxed_sys(uint64_t *to, uint64_t value) {
    tcp_host_mesh_store(to, value, TCP_HOST_RELAXED, TCP_HOST_SYS);
}
inline void tcp_mesh_store_release_gpu(uint64_t *to, uint64_t value) {
    tcp_host_mesh_store(to, value, TCP_HOST_ORDERED, TCP_HOST_GPU);
}
inline void tcp_mesh_store_release_sys(uint64_t *to, uint64_t value) {
    tcp_host_mesh_store(to, value, TCP_HOST_ORDERED, TCP_HOST_SYS);
}
inline uint64_t tcp_mesh_add_relaxed_gpu(uint64_t *at, uint64_t more) {
    return tcp_host_mesh_change(at, more, nullptr, TCP_HOST_RELAXED);
}
inline uint64_t tcp_mesh_add_acq_rel_gpu(uint64_t *at, uint64_t more) {
    return tcp_host_mesh_change(at, more, nullptr, TCP_HOST_ORDERED);
}
inline uint64_t tcp_mesh_cas_acq_rel_gpu(uint64_t *at, uint64_t old, uint64_t value) {
    return tcp_host_mesh_change(at, value, &old, TCP_HOST_ORDERED);
}
inline bool tcp_mesh_all(bool mine, TCP_HOST_AT) {
    return tcp_host_mesh_all(mine, at);
}
inline uint64_t tcp_mesh_time() {
    return tcp_host_mesh_time();
}
inline void tcp_mesh_pause(TCP_HOST_AT) {
    tcp_host_mesh_pause(at);
}
inline unsigned tcp_mesh_blocks() {
    return gridDim.x * gridDim.y * gridDim.z;
}

#endif
