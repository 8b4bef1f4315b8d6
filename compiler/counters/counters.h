// What the profiler counts of a kernel's launch: the machine executes all blocks, of those that
// cost the same (classes.h) one, and each instruction of each warp costs what cost/warp.h says.
#ifndef TCPC_COUNTERS_COUNTERS_H
#define TCPC_COUNTERS_COUNTERS_H

#include "cost/warp.h"
#include "kernel/kernel_ir.h"

enum counter {
    COUNT_REQUESTS_LD,  // of global memory; cp.async is a load of it
    COUNT_REQUESTS_ST,
    COUNT_SECTORS_LD,
    COUNT_SECTORS_ST,
    COUNT_WAVEFRONTS_LD,     // of shared memory; ldmatrix is a load
    COUNT_WAVEFRONTS_ST,     // stmatrix is a store
    COUNT_WAVEFRONTS_ASYNC,  // of cp.async
    N_COUNTERS
};

// Its name in Nsight Compute, without the unit.
const char *counter_metric(enum counter c);

struct counters {
    const struct kir_kernel *variant;  // that is launched; NULL: nothing is
    int64_t grid[3];
    struct cost_range of[N_COUNTERS];
    const char *why;  // it was not counted, as a sentence; NULL: it was
};

// Of kernel "k", whose variants follow it, on architecture "arch" (90), for the params' values
// "sym" (by lay_sym.id) and tensors that start at multiples of 256 bytes.  Calls of extern
// functions count nothing.
void counters_of_launch(struct session *s, const struct kir_kernel *k, int arch, const int64_t *sym,
                        struct counters *out);

#endif
