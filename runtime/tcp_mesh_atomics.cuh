// The words through which the devices of a mesh meet: loads and stores with an order and a scope.
// PTX ISA 6.0: ld.acquire, st.release, atom.acq_rel; "gpu" orders the threads of one device, "sys" those
// of all. The CPU's versions are in host/tcp_host_mesh.h; they check that each access to memory of
// a peer is ordered.
#ifndef TCP_MESH_ATOMICS_CUH
#define TCP_MESH_ATOMICS_CUH

#include "tcp_device.cuh"
#include "tcp_mesh_call.h"

#ifndef __CUDACC__
#include "host/tcp_host_mesh.h"
#else

#define TCP_MESH_LOAD(name, how)                                                                   \
    TCP_INSTRUCTION uint64_t tcp_mesh_load_##name(const uint64_t *from) {                          \
        unsigned long long value;                                                                  \
        asm volatile("ld." how ".global.u64 %0, [%1];"                                             \
                     : "=l"(value)                                                                 \
                     : "l"(__cvta_generic_to_global(from))                                         \
                     : "memory");                                                                  \
        return value;                                                                              \
    }
TCP_MESH_LOAD(relaxed_sys, "relaxed.sys")
TCP_MESH_LOAD(acquire_gpu, "acquire.gpu")
TCP_MESH_LOAD(acquire_sys, "acquire.sys")

#define TCP_MESH_STORE(name, how)                                                                  \
    TCP_INSTRUCTION void tcp_mesh_store_##name(uint64_t *to, uint64_t value) {                     \
        asm volatile("st." how ".global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),        \
                     "l"((unsigned long long)value)                                                \
                     : "memory");                                                                  \
    }
TCP_MESH_STORE(relaxed_sys, "relaxed.sys")
TCP_MESH_STORE(release_gpu, "release.gpu")
TCP_MESH_STORE(release_sys, "release.sys")
#undef TCP_MESH_LOAD
#undef TCP_MESH_STORE

// Returns the value before.
#define TCP_MESH_ADD(name, how)                                                                    \
    TCP_INSTRUCTION uint64_t tcp_mesh_add_##name(uint64_t *at, uint64_t more) {                    \
        unsigned long long before;                                                                 \
        asm volatile("atom." how ".global.add.u64 %0, [%1], %2;"                                   \
                     : "=l"(before)                                                                \
                     : "l"(__cvta_generic_to_global(at)), "l"((unsigned long long)more)            \
                     : "memory");                                                                  \
        return before;                                                                             \
    }
TCP_MESH_ADD(relaxed_gpu, "relaxed.gpu")
TCP_MESH_ADD(acq_rel_gpu, "acq_rel.gpu")
#undef TCP_MESH_ADD

TCP_INSTRUCTION uint64_t tcp_mesh_cas_acq_rel_gpu(uint64_t *at, uint64_t old, uint64_t value) {
    unsigned long long before;
    asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(before)
                 : "l"(__cvta_generic_to_global(at)), "l"((unsigned long long)old),
                   "l"((unsigned long long)value)
                 : "memory");
    return before;
}

// A barrier of the block. Returns whether "mine" holds in all of its threads.
TCP_INSTRUCTION bool tcp_mesh_all(bool mine) {
    return __syncthreads_and(mine);
}

// The time, ns.
TCP_INSTRUCTION uint64_t tcp_mesh_time() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// A moment of a thread that waits for a peer.
TCP_INSTRUCTION void tcp_mesh_pause() {}

// The block's threads, their number, and the same for the grid's blocks.
TCP_INSTRUCTION unsigned tcp_mesh_blocks() {
    return gridDim.x * gridDim.y * gridDim.z;
}

#endif
#endif
