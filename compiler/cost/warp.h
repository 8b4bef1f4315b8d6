// What one instruction of one warp costs: sectors and requests of global memory, wavefronts of
// shared memory.
//
// The rules are by class of instruction and were measured: bench/calibrate makes accesses of one
// warp under the profiler, tests/cost/probes.tsv holds what it counted on sm_90 and a test compares
// this model with every line of it.  An architecture that was measured has a table file, sm_90.c.
// docs/hardware.md words the rules for people.
#ifndef TCPC_COST_WARP_H
#define TCPC_COST_WARP_H

#include <stdbool.h>
#include <stdint.h>

enum cost_class {
    COST_LD_GLOBAL,
    COST_ST_GLOBAL,
    COST_LD_SHARED,
    COST_ST_SHARED,
    COST_CP_ASYNC_CA,  // through the L1 cache
    COST_CP_ASYNC_CG,  // past it; 16 bytes a lane
    COST_LDMATRIX,     // with or without .trans
    COST_STMATRIX,
    N_COST_CLASSES
};

enum { COST_LANES = 32 };

// One instruction of one warp.  Addresses are bytes; those of shared memory count from its
// beginning, those of global memory from a multiple of 128.  They are multiples of the width.
struct warp_access {
    enum cost_class class;
    int bits;        // of a lane's access: 8, 16, 32, 64 or 128; of the matrices' a row's, 128
    int matrices;    // ldmatrix and stmatrix: 1, 2 or 4; row i of matrix j is lane 8j + i's address
    uint32_t lanes;  // that take part, by bit; all of the matrices'
    int64_t shared[COST_LANES], global[COST_LANES];
};

// least == most where the rule is certain.  Where it is not, the count is between the two.
struct cost_range {
    int64_t least, most;
};

struct warp_cost {
    struct cost_range requests, sectors;  // of global memory; 0 where an instruction has none
    struct cost_range wavefronts;         // of shared memory; likewise
};

// What "a" costs on architecture "arch" (90 for sm_90).
void cost_of_warp(int arch, const struct warp_access *a, struct warp_cost *out);

// The fewest that the lanes could take, wherever what each touches lay, if what is one place for
// some stays one.
void cost_least(int arch, const struct warp_access *a, struct warp_cost *out);

// Whose rules those of "arch" are: its own where it was measured, else sm_90's, 90.
int cost_rules_of(int arch);
bool cost_calibrated(int arch);

// "ld.shared", "cp.async.cg": as the probes name it.
const char *cost_class_name(enum cost_class c);

#endif
