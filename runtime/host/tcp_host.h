// The CPU's versions of the device functions. The threads of a block are fibers. Every access is
// checked for alignment, bounds and races; a failure is reported with its place in the emitted
// file.
//
// Only tcp_device.cuh includes this. The interface for tests and the harness is tcp_host_run.h.
#ifndef TCP_HOST_H
#define TCP_HOST_H

#include <string.h>

#include "tcp_runtime.h"

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define TCP_DEVICE inline

struct tcp_host_index {
    unsigned x, y, z;
};

// The running thread, as the emitted text uses it.
struct tcp_host_thread {
    tcp_host_index thread, block, threads, blocks;
    unsigned char *shared;
};
extern tcp_host_thread *tcp_host_self;

#define threadIdx (tcp_host_self->thread)
#define blockIdx  (tcp_host_self->block)
#define blockDim  (tcp_host_self->threads)
#define gridDim   (tcp_host_self->blocks)

#define TCP_SHARED_BUFFER(name) unsigned char *const name = tcp_host_self->shared

enum tcp_host_space { TCP_HOST_GLOBAL, TCP_HOST_CONSTANT, TCP_HOST_SHARED, TCP_HOST_FRAG };

// The place of an instruction in the emitted file. The compiler fills it in as a default argument.
struct tcp_host_place {
    const char *file;
    int line;
};
#define TCP_HOST_AT tcp_host_place at = {__builtin_FILE(), __builtin_LINE()}

// These are defined in host/tcp_host_memory.cpp, host/tcp_host_shared.cpp and
// host/tcp_host_run.cpp.
void tcp_host_load(tcp_host_space space, const void *from, void *to, int bytes, tcp_host_place at);
void tcp_host_store(tcp_host_space space, void *to, const void *from, int bytes, tcp_host_place at);
void tcp_host_sync(tcp_host_place at);
void tcp_host_sync_warp(tcp_host_place at);
void tcp_host_named(int id, int threads, bool waits, tcp_host_place at);
void tcp_host_wrote(const void *p, int bytes);
void tcp_host_cp_async(void *shared, const void *global, int bytes, int read, tcp_host_place at);
void tcp_host_cp_async_commit();
void tcp_host_cp_async_wait(int pending, tcp_host_place at);
void tcp_host_ldmatrix(void *to, const void *row, int count, bool trans, tcp_host_place at);
void tcp_host_stmatrix(void *row, const void *from, int count, bool trans, tcp_host_place at);

#define TCP_LOAD_ROW(name, space, bits)                                                            \
    inline tcp_b##bits tcp_ld_##name##_##bits(const void *from, TCP_HOST_AT) {                     \
        tcp_b##bits value;                                                                         \
        tcp_host_load(space, from, &value, bits / 8, at);                                          \
        return value;                                                                              \
    }
#define TCP_STORE_ROW(name, space, bits)                                                           \
    inline void tcp_st_##name##_##bits(void *to, tcp_b##bits value, TCP_HOST_AT) {                 \
        tcp_host_store(space, to, &value, bits / 8, at);                                           \
    }
#define TCP_WIDTH_ROWS(bits)                                                                       \
    TCP_LOAD_ROW(global, TCP_HOST_GLOBAL, bits)                                                    \
    TCP_LOAD_ROW(global_nc, TCP_HOST_CONSTANT, bits)                                               \
    template <int>                                                                                 \
    TCP_LOAD_ROW(global, TCP_HOST_GLOBAL, bits)                                                    \
    template <int>                                                                                 \
    TCP_LOAD_ROW(global_nc, TCP_HOST_CONSTANT, bits)                                               \
    TCP_LOAD_ROW(shared, TCP_HOST_SHARED, bits) TCP_LOAD_ROW(frag, TCP_HOST_FRAG, bits)            \
        TCP_STORE_ROW(global, TCP_HOST_GLOBAL, bits) template <int>                                \
        TCP_STORE_ROW(global, TCP_HOST_GLOBAL, bits)                                               \
        TCP_STORE_ROW(shared, TCP_HOST_SHARED, bits)                                               \
            TCP_STORE_ROW(frag, TCP_HOST_FRAG, bits) inline tcp_b##bits tcp_zero_##bits() {        \
        return tcp_b##bits{};                                                                      \
    }
TCP_WIDTH_ROWS(8)
TCP_WIDTH_ROWS(16)
TCP_WIDTH_ROWS(32)
TCP_WIDTH_ROWS(64)
TCP_WIDTH_ROWS(128)

inline void tcp_sync(TCP_HOST_AT) {
    tcp_host_sync(at);
}

inline void tcp_sync_warp(TCP_HOST_AT) {
    tcp_host_sync_warp(at);
}

inline void tcp_named_sync(int id, int threads, TCP_HOST_AT) {
    tcp_host_named(id, threads, true, at);
}

inline void tcp_named_meet(int id, int threads, TCP_HOST_AT) {
    tcp_host_named(id, threads, true, at);
}

inline void tcp_named_arrive(int id, int threads, TCP_HOST_AT) {
    tcp_host_named(id, threads, false, at);
}

template <typename T> inline T *tcp_out(T *p, int n) {
    tcp_host_wrote(p, n * (int)sizeof(T));
    return p;
}

#define TCP_CP_ASYNC_ROW(cache, bytes)                                                             \
    template <int = 0>                                                                             \
    inline void tcp_cp_async_##cache##_##bytes(void *shared, const void *global, TCP_HOST_AT) {    \
        tcp_host_cp_async(shared, global, bytes, bytes, at);                                       \
    }                                                                                              \
    template <int = 0>                                                                             \
    inline void tcp_cp_async_##cache##_zfill_##bytes(void *shared, const void *global, int read,   \
                                                     TCP_HOST_AT) {                                \
        tcp_host_cp_async(shared, global, bytes, read, at);                                        \
    }
TCP_CP_ASYNC_ROW(ca, 4)
TCP_CP_ASYNC_ROW(ca, 8)
TCP_CP_ASYNC_ROW(ca, 16)
TCP_CP_ASYNC_ROW(cg, 16)

inline void tcp_cp_async_commit() {
    tcp_host_cp_async_commit();
}

template <int N> inline void tcp_cp_async_wait(TCP_HOST_AT) {
    tcp_host_cp_async_wait(N, at);
}

#define TCP_MATRIX_ROW(count, suffix, trans)                                                       \
    inline void tcp_ldmatrix_x##count##suffix(void *to, const void *row, TCP_HOST_AT) {            \
        tcp_host_ldmatrix(to, row, count, trans, at);                                              \
    }                                                                                              \
    inline void tcp_stmatrix_x##count##suffix(void *row, const void *from, TCP_HOST_AT) {          \
        tcp_host_stmatrix(row, from, count, trans, at);                                            \
    }
TCP_MATRIX_ROW(1, , false)
TCP_MATRIX_ROW(2, , false)
TCP_MATRIX_ROW(4, , false)
TCP_MATRIX_ROW(1, _trans, true)
TCP_MATRIX_ROW(2, _trans, true)
TCP_MATRIX_ROW(4, _trans, true)

#undef TCP_LOAD_ROW
#undef TCP_STORE_ROW
#undef TCP_WIDTH_ROWS
#undef TCP_CP_ASYNC_ROW
#undef TCP_MATRIX_ROW

#include "tcp_hints.h"

#endif
