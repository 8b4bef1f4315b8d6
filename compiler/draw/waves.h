// Assigns the lanes of an access to the wavefronts that cost_of_warp counts.
#ifndef TCPC_DRAW_WAVES_H
#define TCPC_DRAW_WAVES_H

#include "cost/warp.h"

// Sets "wave" to the wavefront of each lane of "a", -1 for lanes that take no part.  Returns the
// number of wavefronts: that of cost_of_warp, or one in its range.  In one wavefront, no bank of
// shared memory delivers or takes two words.
int waves_of(const struct warp_access *a, int wave[LANES]);

// Whether the lanes of a quarter or half of the warp are served together with the next ones because
// some share addresses.
bool waves_merge(const struct warp_access *a);

#endif
