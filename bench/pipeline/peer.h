// What the harness knows of a peer: one kernel with one number of stages, built as a source of its
// own.
#ifndef PEER_H
#define PEER_H

#include <cuda_runtime_api.h>

// Partial column sums of the row-major f16 matrix "a" (rows x columns) go to "p" (16 * parts x
// columns, f32); "shared" are bytes of shared memory a block, beyond what the kernel needs, that
// keep blocks off a multiprocessor.  Returns what went wrong, or NULL.
typedef const char *peer_launch(const void *a, float *p, int rows, int columns, int parts,
                                int shared, cudaStream_t stream);

struct peer {
    const char *name;
    int stages;
    const void *kernel;
    int shared;  // bytes a block that the kernel needs
    int threads;
    peer_launch *launch;
};

#define PEER_PASTE(a, b)          a##b
#define PEER_NAME(prefix, stages) PEER_PASTE(prefix, stages)

#endif
