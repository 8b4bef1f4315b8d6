// The cost of one instruction of one warp: sectors and requests of global memory, and wavefronts of
// shared memory.
//
// Each class of instructions has measured rules.  bench/calibrate runs accesses of one warp under
// the profiler.  tests/cost/probes.tsv has its counts for sm_90, and a test compares this model
// with every line of it.  Each measured architecture has a table file, such as sm_90.c.
// docs/hardware.md describes the rules.
#ifndef TCPC_COST_WARP_H
#define TCPC_COST_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/classes.h"
#include "hw/sizes.h"

// One instruction of one warp.  Addresses are in bytes and multiples of the width.  Those of shared
// memory count from its beginning, those of global memory from a multiple of 128.
struct warp_access {
    enum cost_class class;
    int bits;  // of a lane's access: 8, 16, 32, 64 or 128; for matrices of a row: 128
    // ldmatrix and stmatrix: 1, 2 or 4; lane 8j + i has the address of row i of matrix j
    int matrices;
    uint32_t lanes;  // lanes that take part; for matrices all of them
    int64_t shared[LANES], global[LANES];
};

// If the rule is certain, least == most.  Otherwise the count is in this range.
struct cost_range {
    int64_t least, most;
};

struct warp_cost {
    struct cost_range requests, sectors;  // of global memory; 0 for an instruction without any
    struct cost_range wavefronts;         // of shared memory; likewise
};

// The cost of "a" on architecture "arch" (90 for sm_90).
void cost_of_warp(int arch, const struct warp_access *a, struct warp_cost *out);

// The minimum for these lanes if their data could be placed freely, with shared addresses staying
// shared.
void cost_least(int arch, const struct warp_access *a, struct warp_cost *out);

// The architecture whose rules "arch" uses: itself if it was measured, otherwise 90.
int cost_rules_of(int arch);
bool cost_calibrated(int arch);

// The name in the probes: "ld.shared", "cp.async.cg".
const char *cost_class_name(enum cost_class c);

#endif
