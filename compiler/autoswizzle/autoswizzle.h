// `swizzle auto`: chooses the arrangement of a shared buffer that makes its copies cheapest.
#ifndef TCPC_AUTOSWIZZLE_AUTOSWIZZLE_H
#define TCPC_AUTOSWIZZLE_AUTOSWIZZLE_H

#include <stdbool.h>
#include <stdint.h>

struct compiled;

// An arrangement of a buffer. With b == 0 and text == NULL it is the layout as written.
struct swizzle_choice {
    int b, m, s;       // Sw<b,m,s> in front of the layout; b == 0: none
    const char *text;  // a padded layout instead of the written one; NULL: none
    int pad;           // bytes of padding in each row; 0: none
};

// Chooses an arrangement for each buffer of the plan that says `swizzle auto`, in the order of the
// source: the candidate with the fewest wavefronts in all accesses to the buffer, then the fewest
// requests to global memory, then the least memory, then the first one.
//
// The plan is compiled once, up to the places of its buffers in shared memory. For each candidate
// only the buffer's own copies are worked out again (rearrange.h), and what asks for layouts is
// asked about all buffers at once (asked.h). If more depends on a buffer, its function is compiled
// with each candidate.
//
// Writes each choice into the tree, as the expression of the layout, so that later steps see an
// ordinary buffer. False when errors were reported to the session.
bool swizzles_choose(struct compiled *c);

#endif
