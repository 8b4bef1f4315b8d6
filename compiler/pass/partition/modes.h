// Splits layouts with one domain into common modes, and divides a layout by the tile of a tiled
// copy.  Pass "partition" does this to the sides of a copy, "predicate" to their coordinates.
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

// Appends common modes to "out", fastest first, in which all "n" layouts "side" traverse their
// domain.  Returns false and leaves "out" unchanged if their extents have no common refinement.
bool modes_join(struct session *s, const struct lay *side, int n, bool rest, struct joint *out);

// The strides along basis "mode" as numbers; the others become 0.
const struct lay_tuple *modes_along(struct session *s, const struct lay_tuple *stride, int mode);

// "l" divided into ((thr),(val)),(rest); the last tile along a mode may reach beyond it.
struct tile_cut {
    struct lay both;  // ((thr),(val))
    struct lay thr, val, rest;
};
// Divides "l" for the source or the destination; false if the algebra has no result.
bool tile_cut(struct session *s, const struct tiled_copy *tc, bool src, struct lay l,
              struct tile_cut *out);

// Why the last operation of the algebra or on indices had no result, for messages.
const char *modes_why(const struct session *s);

#endif
