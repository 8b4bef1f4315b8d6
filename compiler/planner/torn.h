// Torn tiles: rows of both sides may begin at any element, as where params give their lengths.
//
// Each row of the destination in a tile has a window of its own.  It begins at a multiple of an
// access, at most an access before the tile, so that all writes are wide.  The windows of the next
// tile begin where these end.  A tile has one access more than a window in each row, since rows differ
// in where their windows begin.  Threads have rows whose numbers have the same remainder by the
// elements of an access: these begin equally far from one, whatever the length of rows is.
//
// Rows of the source are read by words in the same way, into rows in shared memory as they lie in the
// source.  A row begins there up to a word late, by a number that is known at run time.  From there a
// thread puts an access together from single elements.
#ifndef TCPC_PLANNER_TORN_H
#define TCPC_PLANNER_TORN_H

#include "planner/private.h"

struct torn {
    struct choice
        c;     // the tile: a window along y, columns along x; threads and values are not used
    int x, y;  // the fast modes of the source and the destination
    int load, store;        // elements of a word, and of a write
    int64_t rows, columns;  // of the tile in shared memory
    int64_t pitch,
        part;  // distance of its rows there; row i is i % store parts and i / store pitches on
    int64_t cost;
    bool few;  // too few blocks for what was measured
};

// Whether such a tile suits this relayout; sets "out".
bool torn_choose(const struct relayout *r, struct torn *out);

#endif
