// `swizzle auto`: a shared buffer is arranged as its copies cost least.
#ifndef TCPC_COMPILE_SWIZZLES_H
#define TCPC_COMPILE_SWIZZLES_H

#include <stdbool.h>
#include <stdint.h>

struct compiled;

// How a buffer is arranged.  Both zero: as its layout says.
struct swizzle_choice {
    int b, m, s;       // Sw<b,m,s> before the layout; b == 0: none
    const char *text;  // a layout in its place, with padding; NULL: the layout itself
    int pad;           // bytes of that padding; 0: none
};

// Chooses for each buffer of the plan that says `swizzle auto`, in the order of the text: the
// candidate with the fewest wavefronts of all accesses to the buffer, then the fewest requests of
// global memory, then the least memory, then the first.  The plan is compiled once, up to the
// widths of accesses, and for each candidate only the buffer's own copies are worked out again
// (rearrange.h); what asks for layouts is asked for all buffers at once (asked.h).  Where more
// depends on a buffer, its function is compiled with each.  Puts what is chosen into the tree, as the
// layout's expression, so that everything after it sees an ordinary buffer.  Errors are the session's.
bool swizzles_choose(struct compiled *c);

#endif
