// The classes of instructions whose accesses the hardware counts in its own way.  cost/warp.h has
// their rules.
#ifndef TCPC_HW_CLASSES_H
#define TCPC_HW_CLASSES_H

enum cost_class {
    COST_NONE,  // of an instruction's row: by the space, a load or a store
    COST_LD_GLOBAL,
    COST_ST_GLOBAL,
    COST_LD_SHARED,
    COST_ST_SHARED,
    COST_CP_ASYNC_CA,  // through the L1 cache
    COST_CP_ASYNC_CG,  // past it; 16 bytes a lane
    COST_BULK,         // by the engine for bulk copies; not measured
    COST_LDMATRIX,     // with or without .trans
    COST_STMATRIX,
    N_COST_CLASSES
};

#endif
