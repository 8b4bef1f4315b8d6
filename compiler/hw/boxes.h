// Boxes of a tensor map, which one instruction copies (PTX: cp.async.bulk.tensor).
#ifndef TCPC_HW_BOXES_H
#define TCPC_HW_BOXES_H

#include <stdint.h>

enum { BOX_RANK = 5, BOX_LOOPS = 8 };  // of a tensor map; around the boxes of a copy

// A loop over boxes: each begins "step" coordinates further along dimension "dim" of the map, and "dst"
// elements further in shared memory.
struct box_loop {
    int64_t extent, step, dst;
    int dim;
};

#endif
