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
};

// Chooses for each buffer of the plan that says `swizzle auto`, in the order of the text: its
// function is compiled up to the widths of accesses with each candidate, and the one is taken with
// the fewest wavefronts of all accesses to the buffer, then the fewest requests of global memory,
// then the least memory, then the first.  Puts what is chosen into the tree, as the layout's
// expression, so that everything after it sees an ordinary buffer.  Errors are the session's.
bool swizzles_choose(struct compiled *c);

#endif
