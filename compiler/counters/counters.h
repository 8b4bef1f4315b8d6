// Predicts what the profiler counts for a kernel's launch. The machine executes one block of each
// class of blocks that cost the same (classes.h), and each instruction of each warp costs what
// cost/warp.h says.
#ifndef TCPC_COUNTERS_COUNTERS_H
#define TCPC_COUNTERS_COUNTERS_H

#include "cost/warp.h"
#include "kernel/kernel_ir.h"

enum counter {
    COUNT_REQUESTS_LD,  // global memory; cp.async counts as a load
    COUNT_REQUESTS_ST,
    COUNT_SECTORS_LD,
    COUNT_SECTORS_ST,
    COUNT_WAVEFRONTS_LD,     // shared memory; ldmatrix counts as a load
    COUNT_WAVEFRONTS_ST,     // stmatrix counts as a store
    COUNT_WAVEFRONTS_ASYNC,  // cp.async
    N_COUNTERS
};

// The counter's name in Nsight Compute, without the unit.
const char *counter_metric(enum counter c);

struct counters {
    const struct kir_kernel *variant;  // the variant launched; NULL: none is
    int64_t grid[3];
    struct cost_range of[N_COUNTERS];
    const char *why;  // why nothing was counted, as a sentence; NULL: it was
};

// The most operations of threads that are executed to count a launch, which takes several seconds.
#define COUNTERS_OPERATIONS ((int64_t)1 << 28)

// The variant of kernel "k" that a launch takes, whose tensors start at multiples of 256 bytes, with its
// grid.  NULL: there is nothing to launch, or, with "*why", no launch.
const struct kir_kernel *counters_variant(struct session *s, const struct kir_kernel *k,
                                          const int64_t *sym, int64_t grid[3], const char **why);

// Counts a launch of kernel "k", whose variants follow it, on architecture "arch" (90). "sym" has
// the params' values by lay_sym.id; tensors start at multiples of 256 bytes. Calls of extern
// functions count nothing. Executes at most "most" operations.
void counters_of_launch(struct session *s, const struct kir_kernel *k, int arch, const int64_t *sym,
                        int64_t most, struct counters *out);

#endif
