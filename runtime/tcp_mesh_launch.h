// For launchers of kernels over a mesh: TCP_MESH_LAUNCH is TCP_LAUNCH with the end of the mesh after
// the stream. On a GPU it is the same. On a CPU the launch runs when all devices have launched, so
// it keeps the arguments.
#ifndef TCP_MESH_LAUNCH_H
#define TCP_MESH_LAUNCH_H

#include "tcp_launch.h"
#include "tcp_mesh.h"

// A device without blocks would let all others wait.
inline tcp_status tcp_mesh_check_grid(const char *kernel, tcp_grid grid) {
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) return TCP_OK;
    return tcp_fail(TCP_ERR_GRID,
                    "%s: the grid has no blocks, but a kernel over a mesh has one on each device",
                    kernel);
}

#ifdef __CUDACC__

template <typename... P>
inline tcp_status tcp_mesh_launch(const char *name, void (*kernel)(P...), tcp_grid grid,
                                  int threads, int64_t shared_bytes, tcp_stream stream,
                                  typename tcp_as<P>::type... args) {
    TCP_CHECK(tcp_mesh_check_grid(name, grid));
    return tcp_launch(name, kernel, grid, threads, shared_bytes, stream, args...);
}

#define TCP_MESH_LAUNCH(kernel, grid, threads, shared_bytes, stream, end, ...)                     \
    tcp_mesh_launch(#kernel, kernel, grid, threads, shared_bytes, stream, ##__VA_ARGS__)

#else

// A launch that waits for the other devices. In host/tcp_host_mesh_ends.cpp.
struct tcp_host_pending {
    const char *name;
    tcp_grid grid;
    int threads;
    int64_t shared_bytes;
    void (*entry)(void *);
    void *context;
    void (*drop)(void *);  // frees "context"
};
tcp_status tcp_host_mesh_launch(tcp_mesh *end, const tcp_host_pending &launch);

template <typename F> inline void tcp_host_drop(void *call) {
    delete (F *)call;
}

template <typename... P>
inline tcp_status tcp_mesh_launch(const char *name, void (*kernel)(P...), tcp_grid grid,
                                  int threads, int64_t shared_bytes, tcp_mesh *end,
                                  typename tcp_as<P>::type... args) {
    TCP_CHECK(tcp_mesh_check_grid(name, grid));
    TCP_CHECK(tcp_check_grid(name, grid, threads));
    auto call = [=]() { kernel(args...); };
    typedef decltype(call) F;
    return tcp_host_mesh_launch(end, {name, grid, threads, shared_bytes, tcp_host_entry<F>,
                                      new F(call), tcp_host_drop<F>});
}

#define TCP_MESH_LAUNCH(kernel, grid, threads, shared_bytes, stream, end, ...)                     \
    ((void)(stream),                                                                               \
     tcp_mesh_launch(#kernel, kernel, grid, threads, shared_bytes, end, ##__VA_ARGS__))

#endif
#endif
