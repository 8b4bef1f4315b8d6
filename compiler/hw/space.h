// The memory spaces of tensors and buffers.
#ifndef TCPC_HW_SPACE_H
#define TCPC_HW_SPACE_H

#include <stdbool.h>

enum space {
    MEM_GLOBAL,
    MEM_SHARED,
    MEM_FRAG,  // registers of a tensor
    MEM_STAGE  // registers between the loads and the stores of a batch; of no tensor
};

// Whether the threads of a block share it, and it is the block's own.
static inline bool space_is_shared(enum space s) {
    return s == MEM_SHARED;
}

// Its word in a plan.
static inline const char *space_name(enum space s) {
    static const char *const names[] = {
        [MEM_GLOBAL] = "global", [MEM_SHARED] = "shared", [MEM_FRAG] = "frag"};
    return names[s];
}

// The place of tensors in "s", for messages.
static inline const char *space_place(enum space s) {
    static const char *const places[] = {[MEM_GLOBAL] = "in global memory",
                                         [MEM_SHARED] = "in shared memory",
                                         [MEM_FRAG] = "in registers"};
    return places[s];
}

#endif
