// Mends of what a copy costs, as notes with fix-its, which are tried before they are shown.
#ifndef TCPC_PASS_COSTS_MEND_H
#define TCPC_PASS_COSTS_MEND_H

#include "cost/copy.h"

// Another order of the threads of copy number "number" of "k", by the side "src" of it.
void mend_order(struct session *s, const struct kernel *k, const struct copy *c, int number,
                bool src);

// A tiled copy in the place of "c", between slices that each thread has one of, with its threads
// along the contiguous mode of side "src".
void mend_slices(struct session *s, const struct kernel *k, const struct copy *c, int number,
                 bool src);

// Promises that the note before it makes less of what side "src" of the copy costs.
void mend_claim(struct session *s, const struct kernel *k, const struct copy *c, int number,
                bool src, bool proven);

// An arrangement of the tiled copy in which more threads of the block take part.
void mend_threads(struct session *s, const struct kernel *k, const struct copy *c, int number);

// What was tried for the buffers of one kernel: each is tried once, whichever of its copies are
// warned of.
struct mends {
    struct mended *first;
    int64_t work;  // accesses of warps that were looked at
};

// A swizzle or a padding of the shared tensor of side "src".  Whether a swizzle takes all conflicts
// away.
bool mend_layout(struct session *s, const struct plan *p, struct kernel *k, const struct copy *c,
                 int number, bool src, struct mends *all);

// The shared tensor of side "src" with its rows further apart, or by another number of words.
void mend_padding(struct session *s, const struct kernel *k, const struct copy *c, int number,
                  bool src);

// Says what else would fix it, for "c", which takes "times" the wavefronts that it need: how
// narrow elements are turned in blocks, or, unless a layout is "free" of conflicts, which copy keeps
// so many together.
void mend_last(struct session *s, struct kernel *k, const struct copy *c, int number, bool src,
               int64_t times, bool free);

#endif
