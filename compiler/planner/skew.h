// Skewed tiles: if rows of the destination begin at any element, each row of a tile has a window of
// its own, which begins at the row's first aligned element in the tile.  So all writes are wide.
//
// Rows whose numbers have the same remainder modulo "step" begin at the same distance from an
// aligned element: they form a class.  A warp has rows of one class at a time, so that it writes a
// rectangle.  The tile in shared memory has "step" more elements in each row than a window, and its
// rows have the same misalignment as those of the destination.  The elements before the first
// window of a row are written one by one.
//
// Rows of the source may be read by words in the same way.  A warp then reads "fetched" elements of
// each row of a class, from its first aligned one on; a tile is a part of these.  The first
// columns, before all tiles, are copied element by element.
#ifndef TCPC_PLANNER_SKEW_H
#define TCPC_PLANNER_SKEW_H

#include "planner/flat.h"

enum { SKEW_PIECES = 2 };  // a warp reads its rows by words in so many pieces

struct skewed {
    int x, y;                // the fast modes of the source and the destination
    int64_t across, window;  // elements of a tile along x, and of a window along y
    int step;                // windows begin at multiples of this many elements
    int vector, load;        // elements of a write, and of a read
    int64_t fetched;         // elements read from a row of the source
    int64_t first;           // number of columns before all tiles
    int threads, columns;    // threads, and how many of them read side by side along x
    bool async;              // words are copied to shared memory by cp.async, without registers
    int64_t pitch;           // distance of rows in shared memory, in elements
    int64_t cost;
};

// How many elements a tile reads along y.
static inline int64_t skew_rows(const struct skewed *k) {
    return k->window + k->step;
}

// The distance of the rows that a warp writes at a time, all of one class.
static inline int64_t skew_apart(const struct skewed *k) {
    int64_t warps = k->threads / LANES;
    return warps > k->step ? warps : k->step;
}

// The number of tiles along x and y.
static inline int64_t skew_tiles_x(const struct relayout *r, const struct skewed *k) {
    return (r->mode[k->x].extent - k->first + k->across - 1) / k->across;
}

static inline int64_t skew_tiles_y(const struct relayout *r, const struct skewed *k) {
    return (r->mode[k->y].extent + k->window - 1) / k->window;
}

// The number of lanes of a warp that write a window side by side.
static inline int64_t skew_lanes(const struct skewed *k) {
    int64_t n = k->window / k->vector, lanes = n < LANES ? n : LANES;
    while (k->async && n % lanes) --lanes;
    return lanes;
}

// Sets "out" to the cheapest skewed tile.  False if none fits, or if all rows are aligned.  "flat":
// the rows of the source have other distances than "r" says, so elements are read one by one.
bool skew_choose(const struct relayout *r, bool flat, struct skewed *out);
// Changes "k" to a tile whose words are copied to shared memory by cp.async, from where threads
// take single elements; false if there is none.  A thread then holds nothing while it waits, and
// reads single bytes instead of writing them.
bool skew_async(const struct relayout *r, struct skewed *k);
// What it costs, to be compared with the cost of tiles that are not skewed.
int64_t skew_cost(const struct skewed *k);

#endif
