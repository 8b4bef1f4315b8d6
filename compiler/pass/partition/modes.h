// Bringing layouts with one domain to common modes, and cutting a layout by the tile of a tiled
// copy: what pass "partition" does to the sides of a copy, and "predicate" to their coordinates.
#ifndef TCPC_PASS_PARTITION_MODES_H
#define TCPC_PASS_PARTITION_MODES_H

#include "plan/plan.h"

enum { MODES_MAX = 128, MODES_SIDES = 5 };

struct joint_mode {
    int64_t extent;
    struct lay_int stride[MODES_SIDES];  // by side
    bool rest;
};

struct joint {
    int n;
    struct joint_mode at[MODES_MAX];
};

// Appends the modes with which all "n" layouts "side" run through their common domain, fastest
// first.  False, with "out" as it was, when their extents have no common refinement.
bool modes_join(struct session *s, const struct lay *side, int n, bool rest, struct joint *out);

// The strides along basis "mode" as plain numbers, the others 0.
const struct lay_tuple *modes_along(struct session *s, const struct lay_tuple *stride, int mode);

// "l" as ((thr),(val)),(rest); the last tile along a mode may reach beyond it.
struct tile_cut {
    struct lay both;  // ((thr),(val))
    struct lay thr, val, rest;
};
// Of the source or the destination; false when the algebra has no answer.
bool tile_cut(struct session *s, const struct tiled_copy *tc, bool src, struct lay l,
              struct tile_cut *out);

// Why the last question to the algebra or to indices had no answer, in words.
const char *modes_why(const struct session *s);

#endif
