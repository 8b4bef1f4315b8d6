// Skewed tiles: where rows of the destination begin at any element, each row of a tile has a window
// of its own, which begins at the row's first aligned element in the tile.  So all writes are wide.
//
// Rows whose numbers leave the same rest by "step" begin equally far from an aligned element: they
// are a class.  A warp has rows of one class at a time, so that what it writes is a rectangle.  The
// tile in shared memory holds "step" elements a row more than a window, and its rows are as far
// from alignment as those of the destination.  What comes before the first window of a row is
// written element by element.
//
// Rows of the source may be read by words in the same way: a warp has rows of one class there, too,
// and reads "fetched" elements of each from its first aligned one on, of which a tile is a part.
// The first columns, which come before all tiles, are then copied element by element.
#ifndef TCPC_PLANNER_SKEW_H
#define TCPC_PLANNER_SKEW_H

#include "planner/flat.h"

enum { SKEW_PIECES = 2 };  // in which a warp reads its rows by words

struct skewed {
    int x, y;                // the fast modes of the source and the destination
    int64_t across, window;  // elements of a tile along x, and of a window along y
    int step;                // windows begin at multiples of so many elements
    int vector, load;        // elements of a write and of a read
    int64_t fetched;         // elements that are read of a row of the source
    int64_t first;           // columns before all tiles
    int threads, columns;    // and those that read side by side along x
    bool async;              // words go to shared memory as they are, without registers
    int64_t pitch;           // from row to row in shared memory, elements
    int64_t cost;
};

// Elements along y that a tile reads.
static inline int64_t skew_rows(const struct skewed *k) {
    return k->window + k->step;
}

// A warp writes every so many-th row at a time, all of one class.
static inline int64_t skew_apart(const struct skewed *k) {
    int64_t warps = k->threads / 32;
    return warps > k->step ? warps : k->step;
}

// How many tiles there are along x and y.
static inline int64_t skew_tiles_x(const struct relayout *r, const struct skewed *k) {
    return (r->mode[k->x].extent - k->first + k->across - 1) / k->across;
}

static inline int64_t skew_tiles_y(const struct relayout *r, const struct skewed *k) {
    return (r->mode[k->y].extent + k->window - 1) / k->window;
}

// How many lanes of a warp write a window side by side.
static inline int64_t skew_lanes(const struct skewed *k) {
    int64_t n = k->window / k->vector, lanes = n < 32 ? n : 32;
    while (k->async && n % lanes) --lanes;
    return lanes;
}

// The best one by cost; false where none fits, or all rows are aligned.
// "flat": the rows of the source are not as far apart as it says, so elements are read one by one.
bool skew_choose(const struct relayout *r, bool flat, struct skewed *out);
// Makes of it the tile whose words go to shared memory by cp.async, from where threads take single
// elements; false where there is none.  So a thread keeps nothing while it waits, and reads single
// bytes instead of writing them.
bool skew_async(const struct relayout *r, struct skewed *k);
// Whether it costs less than that choice of a tile that is not skewed.
bool skew_pays(const struct skewed *k, const struct cost *other);
// The choice in words.
void skew_reasons(const struct relayout *r, const struct skewed *k, struct buf *out);
// The extents of the grid, and the rest of a kernel after its arguments.  All names that it makes
// end in "end".
void skew_grid(const struct relayout *r, const struct skewed *k, struct buf *out);
// "flat": of modes that it puts in a row; NULL: of none.
void skew_write(const struct relayout *r, const struct flat *flat, const struct relayout_names *n,
                const struct skewed *k, const char *end, struct buf *out);

#endif
