// Fixes for the cost of a copy, as notes with fix-its.  Fix-its are tried before they are shown.
#ifndef TCPC_PASS_LINT_ADVICE_H
#define TCPC_PASS_LINT_ADVICE_H

#include "cost/copy.h"

// Offers another order of the threads of copy "c", number "number" in "k", that suits side "src".
void advise_order(struct session *s, const struct kernel *k, const struct copy *c, int number,
                  bool src);

// Offers a tiled copy in place of "c", a copy between slices of which each thread has one.  Its
// threads are along the contiguous mode of side "src".
void advise_slices(struct session *s, const struct kernel *k, const struct copy *c, int number,
                   bool src);

// Adds the claim to the last note that it lowers the cost of side "src" of the copy.
void advice_claim(struct session *s, const struct kernel *k, const struct copy *c, int number,
                  bool src, bool proven);

// Offers an arrangement of the tiled copy in which more threads of the block take part.
void advise_threads(struct session *s, const struct kernel *k, const struct copy *c, int number);

// What was tried for the buffers of one kernel.  Each buffer is tried only once, even if several of
// its copies get a warning.
struct all_tried {
    struct tried *first;
    int64_t work;  // accesses of warps examined so far
};

// Offers a swizzle or a padding of the shared tensor of side "src".  Returns whether a swizzle
// removes all conflicts.
bool advise_layout(struct session *s, const struct plan *p, struct kernel *k, const struct copy *c,
                   int number, bool src, struct all_tried *all);

// The shared tensor of side "src" with its rows further apart, or by another number of words.
void advise_padding(struct session *s, const struct kernel *k, const struct copy *c, int number,
                    bool src);

// Says what else would fix it, for "c", which takes "times" the wavefronts that it need: how
// narrow elements are turned in blocks, or, unless a layout is "free" of conflicts, which copy keeps
// so many together.
void advise_last(struct session *s, struct kernel *k, const struct copy *c, int number, bool src,
                 int64_t times, bool free);

#endif
