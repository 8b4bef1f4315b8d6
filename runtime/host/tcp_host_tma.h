// The CPU's versions of the functions of tcp_tma.cuh, which includes this.
#ifndef TCP_HOST_TMA_H
#define TCP_HOST_TMA_H

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
void tcp_host_tma_store(const tcp_tensor_map &map, const void *shared, const int *x, int rank,
                        tcp_host_place at);
void tcp_host_bulk_store(void *global, const void *shared, int bytes, tcp_host_place at);
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

#define TCP_TMA_ROW(rank, parameters, ...)                                                         \
    inline void tcp_tma_store(const tcp_tensor_map &map, const void *shared,                       \
                              TCP_TMA_EACH parameters, TCP_HOST_AT) {                              \
        const int at_modes[] = {__VA_ARGS__};                                                      \
        tcp_host_tma_store(map, shared, at_modes, rank, at);                                       \
    }
TCP_TMA_ROW(1, (int x), x)
TCP_TMA_ROW(2, (int x, int y), x, y)
TCP_TMA_ROW(3, (int x, int y, int z), x, y, z)
TCP_TMA_ROW(4, (int x, int y, int z, int u), x, y, z, u)
TCP_TMA_ROW(5, (int x, int y, int z, int u, int v), x, y, z, u, v)
#undef TCP_TMA_EACH
#undef TCP_TMA_ROW
inline void tcp_bulk_store(void *global, const void *shared, int bytes, TCP_HOST_AT) {
    tcp_host_bulk_store(global, shared, bytes, at);
}
inline void tcp_bulk_commit() {
    tcp_host_bulk_commit();
}
template <int Pending> inline void tcp_bulk_wait_read() {
    tcp_host_bulk_wait(Pending, true);
}

inline void tcp_fence_async() {
    tcp_host_fence_async();
}
inline bool tcp_elect(TCP_HOST_AT) {
    return tcp_host_elect(at);
}

#endif
