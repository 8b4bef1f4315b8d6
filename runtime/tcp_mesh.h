// Several devices that launch one kernel together: a mesh, its memory, and what went wrong. C99.
//
//   tcp_mesh *end[4];
//   tcp_mesh_local(end, 4, devices);            // one process; or tcp_mesh_join, one device a process
//   tcp_mesh_prepare(end, 4, bytes);            // the pool grows by so much on each device
//   out[d] = tcp_mesh_alloc(end[d], bytes);     // what peers write comes from the pool
//   NAME_launch(in[d], out[d], end[d], stream[d]);
//   tcp_mesh_status(end[d], &device);           // after the stream
//
// A tcp_mesh is the end of a mesh that one device holds. A call with an array of ends is collective:
// all devices make it, in the same order, with the ends that their process has. The functions are in
// tcp_mesh.cu, or in host/ for a CPU, where a launch runs when all devices have launched, or when
// somebody asks for its status or waits.
//
// After an error the mesh is dead: launches are refused, or do nothing, until tcp_mesh_reset.
#ifndef TCP_MESH_H
#define TCP_MESH_H

#include "tcp_mesh_call.h"
#include "tcp_runtime.h"

typedef struct tcp_mesh tcp_mesh;

// Gathers "bytes" of each process into "all", by rank. Returns 0, or nonzero when it failed. It is
// an all-gather of MPI, NCCL or what else started the processes.
typedef int (*tcp_mesh_gather)(void *context, const void *mine, void *all, size_t bytes);

// Makes the ends of a mesh of "size" devices in this process. "devices" has the number of each in
// CUDA, any device once; NULL: 0, 1 .. On failure makes none.
TCP_EXTERN_C tcp_status tcp_mesh_local(tcp_mesh **ends, int size, const int *devices);
// Makes this process's end of a mesh, on the current device of CUDA. "gather" is kept.
TCP_EXTERN_C tcp_status tcp_mesh_join(tcp_mesh **end, int rank, int size, tcp_mesh_gather gather,
                                      void *context);
// Lets the pool of each device grow by "bytes", which may differ between them. Collective; waits.
TCP_EXTERN_C tcp_status tcp_mesh_prepare(tcp_mesh *const *ends, int count, size_t bytes);
// Clears an error. Collective; all launches have ended. Waits.
TCP_EXTERN_C tcp_status tcp_mesh_reset(tcp_mesh *const *ends, int count);
// Frees the ends and the pools. All launches have ended.
TCP_EXTERN_C tcp_status tcp_mesh_destroy(tcp_mesh *const *ends, int count);

TCP_EXTERN_C int tcp_mesh_rank(const tcp_mesh *end);
TCP_EXTERN_C int tcp_mesh_size(const tcp_mesh *end);
// For how long a launch waits for the others: 10 s unless set.
TCP_EXTERN_C void tcp_mesh_set_timeout(tcp_mesh *end, double seconds);

// Returns memory of the pool, aligned to 256 bytes, or NULL with a message for tcp_last_error().
TCP_EXTERN_C void *tcp_mesh_alloc(tcp_mesh *end, size_t bytes);
TCP_EXTERN_C tcp_status tcp_mesh_free(tcp_mesh *end, void *memory);

// Returns TCP_OK, or TCP_ERR_DEVICE with a message for tcp_last_error() if a launch failed; "*device"
// is then the one that did not come or disagreed, unless NULL. It neither waits nor clears.
TCP_EXTERN_C tcp_status tcp_mesh_status(tcp_mesh *end, int *device);

// For launchers: fills "*call". Refuses a dead mesh, and one of another size than "size", if that
// is not 0.
TCP_EXTERN_C tcp_status tcp_mesh_enter(const char *kernel, tcp_mesh *end, int size,
                                       tcp_mesh_call *call);
// Says where tensor "t" is, "bytes" from "at". Refuses one outside of the pool. In the order 0, 1 ..
TCP_EXTERN_C tcp_status tcp_mesh_tensor(const char *kernel, const char *tensor, tcp_mesh *end,
                                        tcp_mesh_call *call, const void *at, size_t bytes);

// Adds "value" to the hash of the call: what has to be equal on all devices.
static inline void tcp_mesh_mix(tcp_mesh_call *call, uint64_t value) {
    uint64_t x = ((uint64_t)call->hash << 32 | call->hash) ^ value;
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    call->hash = (uint32_t)x == TCP_MESH_GAVE_UP ? 0 : (uint32_t)x;
}

#endif
