// The CPU's versions of the functions of tcp_tma.cuh, which includes this.
#ifndef TCP_HOST_TMA_H
#define TCP_HOST_TMA_H

#include "tcp_numeric.h"

#define __grid_constant__

// In host/tcp_host_mbarrier.cpp and host/tcp_host_tma.cpp.
void tcp_host_mbarrier_init(tcp_b64 *barrier, int arrivals, tcp_host_place at);
void tcp_host_mbarrier_init_fence();
void tcp_host_mbarrier_arrive(tcp_b64 *barrier, int bytes, bool cp_async, tcp_host_place at);
void tcp_host_mbarrier_wait(tcp_b64 *barrier, int parity, tcp_host_place at);
void tcp_host_bulk_load(void *shared, const void *global, int bytes, tcp_b64 *barrier,
                        tcp_host_place at);
void tcp_host_tma_load(void *shared, const tcp_tensor_map &map, tcp_b64 *barrier, const int *x,
                       int rank, tcp_host_place at);
// In host/tcp_host_tma_store.cpp.
// "op": 0 stores, '+', '<' and '>' add, take the least and the most.
void tcp_host_tma_store(const tcp_tensor_map &map, const void *shared, const int *x, int rank,
                        int op, tcp_host_place at);
void tcp_host_bulk_store(void *global, const void *shared, int bytes, tcp_host_place at);
// "join" makes one element, of so many bytes, of it and another one; NULL: it is overwritten.
void tcp_host_bulk_reduce(void *global, const void *shared, int bytes,
                          void (*join)(void *, const void *), int element, tcp_host_place at);
void tcp_host_bulk_commit();
void tcp_host_bulk_wait(int pending, bool read);
void tcp_host_fence_async();
bool tcp_host_elect(tcp_host_place at);

inline void tcp_mbarrier_init(tcp_mbarrier *barrier, int arrivals, TCP_HOST_AT) {
    tcp_host_mbarrier_init(barrier, arrivals, at);
}
inline void tcp_mbarrier_init_fence() {
    tcp_host_mbarrier_init_fence();
}
inline void tcp_mbarrier_arrive(tcp_mbarrier *barrier, TCP_HOST_AT) {
    tcp_host_mbarrier_arrive(barrier, 0, false, at);
}
inline void tcp_mbarrier_expect(tcp_mbarrier *barrier, int bytes, TCP_HOST_AT) {
    tcp_host_mbarrier_arrive(barrier, bytes, false, at);
}
inline void tcp_mbarrier_arrive_cp_async(tcp_mbarrier *barrier, TCP_HOST_AT) {
    tcp_host_mbarrier_arrive(barrier, 0, true, at);
}
inline void tcp_mbarrier_wait(tcp_mbarrier *barrier, int parity, TCP_HOST_AT) {
    tcp_host_mbarrier_wait(barrier, parity, at);
}
template <int Hints = 0>
inline void tcp_bulk_load(void *shared, const void *global, int bytes, tcp_mbarrier *barrier,
                          TCP_HOST_AT) {
    tcp_host_bulk_load(shared, global, bytes, barrier, at);
}

// The place is the last argument, so each rank has a function.
#define TCP_TMA_ROW(rank, parameters, ...)                                                         \
    template <int Hints = 0>                                                                       \
    inline void tcp_tma_load(void *shared, const tcp_tensor_map &map, tcp_mbarrier *barrier,       \
                             TCP_TMA_EACH parameters, TCP_HOST_AT) {                               \
        const int at_modes[] = {__VA_ARGS__};                                                      \
        tcp_host_tma_load(shared, map, barrier, at_modes, rank, at);                               \
    }
#define TCP_TMA_EACH(...) __VA_ARGS__
TCP_TMA_ROW(1, (int x), x)
TCP_TMA_ROW(2, (int x, int y), x, y)
TCP_TMA_ROW(3, (int x, int y, int z), x, y, z)
TCP_TMA_ROW(4, (int x, int y, int z, int u), x, y, z, u)
TCP_TMA_ROW(5, (int x, int y, int z, int u, int v), x, y, z, u, v)
#undef TCP_TMA_ROW

#define TCP_TMA_STORE(name, op, rank, parameters, ...)                                             \
    inline void name(const tcp_tensor_map &map, const void *shared, TCP_TMA_EACH parameters,       \
                     TCP_HOST_AT) {                                                                \
        const int at_modes[] = {__VA_ARGS__};                                                      \
        tcp_host_tma_store(map, shared, at_modes, rank, op, at);                                   \
    }
#define TCP_TMA_ROW(...)                                                                           \
    TCP_TMA_STORE(tcp_tma_store, 0, __VA_ARGS__)                                                   \
    TCP_TMA_STORE(tcp_tma_add, '+', __VA_ARGS__)                                                   \
    TCP_TMA_STORE(tcp_tma_min, '<', __VA_ARGS__)                                                   \
    TCP_TMA_STORE(tcp_tma_max, '>', __VA_ARGS__)
TCP_TMA_ROW(1, (int x), x)
TCP_TMA_ROW(2, (int x, int y), x, y)
TCP_TMA_ROW(3, (int x, int y, int z), x, y, z)
TCP_TMA_ROW(4, (int x, int y, int z, int u), x, y, z, u)
TCP_TMA_ROW(5, (int x, int y, int z, int u, int v), x, y, z, u, v)
#undef TCP_TMA_EACH
#undef TCP_TMA_ROW
#undef TCP_TMA_STORE
inline void tcp_bulk_store(void *global, const void *shared, int bytes, TCP_HOST_AT) {
    tcp_host_bulk_store(global, shared, bytes, at);
}
inline double tcp_host_number(tcp_f16 x) {
    return tcp_f16_value(x);
}
inline double tcp_host_number(tcp_bf16 x) {
    return tcp_bf16_value(x);
}
template <typename T> inline T tcp_host_number(T x) {
    return x;
}
template <typename V> inline void tcp_host_set(tcp_f16 *to, V x) {
    *to = tcp_f16_of(x);
}
template <typename V> inline void tcp_host_set(tcp_bf16 *to, V x) {
    *to = tcp_bf16_of(x);
}
template <typename T, typename V> inline void tcp_host_set(T *to, V x) {
    *to = (T)x;
}
// Integers wrap, as on the GPU.
template <typename T> inline T tcp_host_sum(T a, T b) {
    return a + b;
}
inline int32_t tcp_host_sum(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}
// Makes "one" of elements "one" and "two", by "op" as above.
template <typename T, char Op> inline void tcp_host_join(void *one, const void *two) {
    const auto a = tcp_host_number(*(T *)one), b = tcp_host_number(*(const T *)two);
    tcp_host_set((T *)one, Op == '+' ? tcp_host_sum(a, b) : (Op == '<') == (a < b) ? a : b);
}
#define TCP_REDUCE_ROW(op, sign)                                                                   \
    template <typename T>                                                                          \
    inline void tcp_bulk_##op(T *global, const void *shared, int bytes, TCP_HOST_AT) {             \
        tcp_host_bulk_reduce(global, shared, bytes, tcp_host_join<T, sign>, (int)sizeof(T), at);   \
    }
TCP_REDUCE_ROW(add, '+')
TCP_REDUCE_ROW(min, '<')
TCP_REDUCE_ROW(max, '>')
#undef TCP_REDUCE_ROW
inline void tcp_bulk_commit() {
    tcp_host_bulk_commit();
}
template <int Pending> inline void tcp_bulk_wait_read() {
    tcp_host_bulk_wait(Pending, true);
}
template <int Pending> inline void tcp_bulk_wait() {
    tcp_host_bulk_wait(Pending, false);
}

inline void tcp_fence_async() {
    tcp_host_fence_async();
}
inline void tcp_fence_async_all() {
    tcp_host_fence_async();
}
inline bool tcp_elect(TCP_HOST_AT) {
    return tcp_host_elect(at);
}

#endif
