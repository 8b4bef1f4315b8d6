// Tiles of runs: on each side of a tile, the fast modes that are contiguous there form a run, which
// is accessed as one row.  So accesses may be wider than the fast mode of a side allows, as where
// it is short or odd.  A tile has the whole of all modes of a run but its last one.
//
// A thread reads, for several rows of the source, an access of the run each.  Its elements along
// the destination's run are put into shared memory together, where the tile is in the order of the
// destination.
#ifndef TCPC_PLANNER_RUNS_H
#define TCPC_PLANNER_RUNS_H

#include "planner/text.h"

// The modes of a run or of other rows, fastest first.
struct modes {
    int n, of[RELAYOUT_MODES];
};

struct runs {
    struct choice c;      // the tile; threads and values are not those of modes
    struct modes x, y;    // the runs of the source and the destination
    struct modes rows;    // modes besides x, those of y first
    int64_t held;         // elements along the modes of y that come first among the rows
    int load, store;      // elements of an access
    int64_t across;       // threads along x
    int64_t turns;        // accesses of a thread along x
    int64_t values;       // rows of a thread, one after the other
    int64_t place[RELAYOUT_MODES];  // strides in shared memory: of a part of y in y, or of others
    int bits, shift;      // swizzle of accesses in shared memory; 0: none
    int64_t down;         // threads that write, along y
    int64_t beside[RELAYOUT_MODES];  // .. and along other modes
    int64_t cost;
};

// Sets "list" to the cheapest such tiles with wider accesses than others, at most "most".  Returns
// their number.
int runs_choose(const struct relayout *r, struct runs list[], int most);
// Whether "modes" has mode "m".
bool runs_has(const struct modes *modes, int m);
// The elements of the tile along these modes.
int64_t runs_length(const struct modes *modes, const int64_t tile[]);

#endif
