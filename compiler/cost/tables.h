// The rules by which an architecture counts: a table for each one that was measured, in a file of
// its own (sm_90.c).  warp.c has what the rules say.
#ifndef TCPC_COST_TABLES_H
#define TCPC_COST_TABLES_H

#include "cost/warp.h"

enum cost_rule {
    RULE_NONE,
    RULE_SECTORS,   // of global memory: each 32 bytes that a lane touches, once
    RULE_BANKS,     // of shared memory: a group of lanes at a time
    RULE_MERGED,    // the same, two groups at once where neighbours share their addresses
    RULE_MATRICES,  // a matrix, which is 8 rows of 16 bytes, at a time
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

// That of "arch"; sm_90's where nobody measured "arch".
const struct cost_table *cost_table_of(int arch);

#endif
