// Fixes for the cost of a copy, as notes with fix-its.  Fix-its are tried before they are shown.
#ifndef TCPC_PASS_LINT_ADVICE_H
#define TCPC_PASS_LINT_ADVICE_H

#include "cost/copy.h"

// What was tried for the buffers of one kernel.  Each buffer is tried only once, even if several of
// its copies get a warning.
struct all_tried {
    struct tried *first;
    int64_t work;  // accesses of warps examined so far
};

// A side of copy "c", the one with this number in "k", that costs too much.
struct costly {
    struct session *s;
    const struct plan *p;
    struct kernel *k;
    const struct copy *c;
    int number;
    bool src;
    const struct side_cost *cost;
    struct all_tried *tried;
};

// Offers another order of the threads of the copy that suits the side.
void advise_order(const struct costly *a);

// Offers a tiled copy in place of a copy between slices of which each thread has one.  Its threads are
// along the contiguous mode of the side.
void advise_slices(const struct costly *a);

// Adds the claim to the last note that it lowers the cost of the side.
void advice_claim(const struct costly *a, bool proven);

// Offers an arrangement of the tiled copy of "c", number "number" in "k", in which more threads of the
// block take part.
void advise_threads(struct session *s, const struct kernel *k, const struct copy *c, int number);

// Offers a swizzle or a padding of the shared tensor of the side.  Returns whether a swizzle removes
// all conflicts.
bool advise_layout(const struct costly *a);

// The shared tensor of the side with its rows further apart, or by another number of words.
void advise_padding(const struct costly *a);

// Says what else would fix it, for a copy that takes "times" the wavefronts that it need: how narrow
// elements are turned in blocks, or, unless a layout is "free" of conflicts, which copy keeps so many
// together.
void advise_last(const struct costly *a, int64_t times, bool free);

#endif
