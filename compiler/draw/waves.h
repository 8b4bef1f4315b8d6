// Which wavefront serves which lane: an order of those that cost_of_warp counts.
#ifndef TCPC_DRAW_WAVES_H
#define TCPC_DRAW_WAVES_H

#include "cost/warp.h"

// Fills in the wavefront of each lane of "a", -1 for those that take no part, and returns how many
// there are: as many as cost_of_warp says, one of those that it allows where that is a range.  No
// bank of shared memory gives, or takes, two words in one of them.
int waves_of(const struct warp_access *a, int wave[COST_LANES]);

// Whether the lanes of a quarter or half of the warp go with those of the next, as some share
// their addresses.
bool waves_merge(const struct warp_access *a);

#endif
