// Shared by the files of pass "partition".
#ifndef TCPC_PASS_PARTITION_PARTITION_H
#define TCPC_PASS_PARTITION_PARTITION_H

#include "pass/partition/modes.h"
#include "plan/plan.h"

// One side of a copy, divided among threads.
struct cut {
    struct part part;
    struct lay access;  // a thread's elements of one access; valid only for a collective atom
    struct lay val, rest;
};

// map.c: copies with an index map that is not a layout of the tile or of a side.
//
// Whether "c" is such a copy.  Warns if the map is a layout of its tile.
bool map_is_needed(struct session *s, const struct copy *c);
// Sets the iterations of the accesses of "c", each with "run" values.
void map_set_run(struct session *s, struct copy *c, int64_t run);
// Divides "v".  Sets "fits" to false if "run" values from a multiple of it on are not always one
// layout.
bool map_cut(struct session *s, const struct kernel *k, const struct copy *c, const struct view *v,
             struct cut *out, bool *fits);
// Divides "l" like tile_cut: "thr" is the tile, "val" the values of a run.  map_at is the offset of
// a thread's run in the tile, which has the shape "shape" and the strides "stride".
bool map_tile_cut(struct session *s, const struct copy *c, struct lay l, struct tile_cut *out,
                  bool *fits);
const struct ix *map_at(struct session *s, const struct kernel *k, const struct copy *c,
                        const struct lay_tuple *shape, const struct lay_tuple *stride);
// Removes the run from the values of a fragment, which are in "out".
bool map_cut_frag(struct session *s, const struct copy *c, struct cut *out, bool *fits);

#endif
