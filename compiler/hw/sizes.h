// Sizes that all architectures have in common.
#ifndef TCPC_HW_SIZES_H
#define TCPC_HW_SIZES_H

enum {
    LANES = 32,   // of a warp
    BANKS = 32,   // of shared memory
    WORD = 4,     // bytes of a bank
    SECTOR = 32,  // bytes that a cache reads at once
    LINE = 128,   // bytes of a cache
    WIDE = 16     // most bytes of an access
};

#endif
