// Rows at any address: rows of narrow elements that begin at addresses which are no multiples of a
// word.  On both sides the fast modes of a tile that are contiguous form a run (see runs.h).
//
// The source is one row of all its elements.  Each run of a tile is copied to shared memory by
// aligned accesses, from the one that has its first element on.  So the run begins there a few
// elements late, by a number that differs from run to run and is known at run time.
//
// In the destination, a run has a window that begins at its first element at a multiple of an
// access.  Rows along mode "turn" whose numbers have the same remainder modulo "classes" have
// windows that begin at the same distance.  A thread has an access of a window in "held" rows of a
// class, so that it computes the places of its elements in shared memory once.  The elements before
// the windows are copied one by one.
#ifndef TCPC_PLANNER_SHIFT_H
#define TCPC_PLANNER_SHIFT_H

#include "planner/runs.h"

struct shifted {
    struct choice c;       // the tile: what a block writes; threads and values are not used
    struct modes x, y;     // the runs of the source and the destination
    int load, store;       // elements of an access
    int turn;              // the mode along which a thread has several rows, one of x
    int64_t classes;       // of these
    bool windows;          // the destination's windows begin at any element
    bool late;             // the runs of the source begin at any element
    int64_t more;          // elements along the last mode of y that a block reads beyond its tile
    int64_t words, side;   // accesses of a window, and threads side by side along it
    int64_t fold;          // the first mode of y is split into parts of so many in shared memory
    int64_t lanes, times;  // threads side by side along a run of the source, one access each time
    int64_t rounds;        // runs of the source that a thread reads, one after the other
    int64_t groups;        // threads along classes, other modes and parts of "turn"
    int64_t held;          // rows of a thread at a time
    int64_t room;          // elements for a run in shared memory
    int64_t place[RELAYOUT_MODES];  // strides there, besides x; of the parts if split
    int64_t rows[RELAYOUT_MODES];   // their extents there
    int64_t memory, cost;           // as in struct runs
};

// Sets "list" to the cheapest tiles, at most "most".  Returns their number.
int shift_choose(const struct relayout *r, struct shifted list[], int most);
// Modes that are in y and not in x, and those in x besides "turn" that are not in y; fastest first.
struct modes shift_rows(const struct shifted *k);
struct modes shift_others(const struct shifted *k);

#endif
