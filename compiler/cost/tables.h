// The counting rules of an architecture: one table, in a file of its own (sm_90.c), for each one
// that was measured.  warp.c implements the rules.
#ifndef TCPC_COST_TABLES_H
#define TCPC_COST_TABLES_H

#include "cost/warp.h"

enum cost_rule {
    RULE_NONE,
    RULE_SECTORS,   // global memory: each 32 bytes that lanes touch, counted once
    RULE_BANKS,     // shared memory: a group of lanes at a time
    RULE_MERGED,    // the same, two groups at once if neighbours share addresses
    RULE_MATRICES,  // one matrix, 8 rows of 16 bytes, at a time
    RULE_CACHED,    // from banks of the L1 cache to banks of shared memory
    RULE_LINES,     // from lines of the L2 cache to lines of shared memory
};

struct cost_table {
    int arch;  // 90 for sm_90
    struct {
        enum cost_rule global, shared;
    } rule[N_COST_CLASSES];
};

extern const struct cost_table cost_table_sm_90;

// The table of "arch"; that of sm_90 if "arch" was not measured.
const struct cost_table *cost_table_of(int arch);

#endif
