// What the two files of pass "partition" share.
#ifndef TCPC_PASS_PARTITION_PARTITION_H
#define TCPC_PASS_PARTITION_PARTITION_H

#include "pass/partition/modes.h"
#include "plan/plan.h"

// One side of a copy as it is cut among threads.
struct cut {
    struct part part;
    struct lay access;  // a thread's elements of one access; valid with a collective atom alone
    struct lay val, rest;
};

// map.c: copies by an index map that is no layout, of the tile or of a side.
//
// Whether "c" is one; warns where the map is a layout of its tile.
bool map_is_needed(struct session *s, const struct copy *c);
// Sets what the accesses of "c" run through: "run" values at a time.
void map_set_run(struct session *s, struct copy *c, int64_t run);
// Cuts "v"; "fits" is cleared where "run" values are not one layout from each multiple of it on.
bool map_cut(struct session *s, const struct kernel *k, const struct copy *c, const struct view *v,
             struct cut *out, bool *fits);
// "l" as the tile, in "thr", the values of a run, and the rest; as tile_cut.  map_at is what a
// thread's run adds in the tile, of that shape and "stride".
bool map_tile_cut(struct session *s, const struct copy *c, struct lay l, struct tile_cut *out,
                  bool *fits);
const struct ix *map_at(struct session *s, const struct kernel *k, const struct copy *c,
                        const struct lay_tuple *shape, const struct lay_tuple *stride);
// Takes the run out of a fragment's values, which "out" holds.
bool map_cut_frag(struct session *s, const struct copy *c, struct cut *out, bool *fits);

#endif
