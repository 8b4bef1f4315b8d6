// CuTe's kernel with TMA as a peer of the harness; -DSTAGES=1 .. 4.
#include "cute_tma.cuh"
#include "peer.h"

static const char *launch(const void *a, float *p, int rows, int columns, int parts, int shared,
                          cudaStream_t stream) {
    return cute_tma_launch((const cute::half_t *)a, p, rows, columns, parts, shared, stream);
}
extern const peer PEER_NAME(cute_tma_peer_, STAGES);
const peer PEER_NAME(cute_tma_peer_, STAGES) = {"CuTe TMA",
                                                STAGES,
                                                (const void *)cute_tma_kernel<STAGES, cute_tma_map>,
                                                cute_tma_colsum<STAGES>::shared,
                                                128,
                                                launch};
