// tcpc's kernel as a peer of the harness: the emitted colsum.cu of one number of stages, its
// launcher with room for more shared memory; -DSTAGES=1 .. 4, -DHINT=0 or 128, or roles, tma or tma_roles,
// -Dcolsum_launch=a name of its own, -DRING_BYTES=the bytes that barriers in memory take.
#include "peer.h"
#include "tcp_device.cuh"
#include "tcp_launch.h"

#ifndef RING_BYTES
#define RING_BYTES 0
#endif

static int more_shared;
#undef TCP_LAUNCH
#define TCP_LAUNCH(kernel, grid, threads, bytes, stream, ...)                                      \
    tcp_launch(#kernel, kernel, grid, threads, (bytes) + more_shared, stream, ##__VA_ARGS__)

#define colsum_prepare PEER_NAME(PEER_NAME(colsum_prepare_, STAGES), PEER_NAME(_, HINT))
#include "colsum.cu"

static const char *launch(const void *a, float *p, int rows, int columns, int parts, int shared,
                          cudaStream_t stream) {
    more_shared = shared;
    return colsum_launch((const tcp_f16 *)a, p, rows, columns, parts, stream) == TCP_OK
               ? nullptr
               : tcp_last_error();
}
extern const peer PEER_NAME(PEER_NAME(tcpc_peer_, STAGES), PEER_NAME(_, HINT));
const peer PEER_NAME(PEER_NAME(tcpc_peer_, STAGES), PEER_NAME(_, HINT)) = {
    "tcpc",  STAGES, (const void *)colsum_kernel, STAGES * 128 * 64 * 2 + RING_BYTES,
    THREADS, launch};
