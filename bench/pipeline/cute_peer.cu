// CuTe's kernel as a peer of the harness; -DSTAGES=1 .. 4.
#include "cute_colsum.cuh"
#include "peer.h"

static const char *launch(const void *a, float *p, int rows, int columns, int parts, int shared,
                          cudaStream_t stream) {
    return cute_colsum_launch((const cute::half_t *)a, p, rows, columns, parts, shared, stream);
}
extern const peer PEER_NAME(cute_peer_, STAGES);
const peer PEER_NAME(cute_peer_, STAGES) = {
    "CuTe", STAGES, (const void *)cute_colsum_kernel<STAGES>, cute_colsum<STAGES>::shared,
    128,    launch};
