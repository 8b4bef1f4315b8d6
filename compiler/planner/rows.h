// Rows to rows: both sides have the same fast mode, and one of them cannot be accessed by 16 bytes.
// A block has a window of one row.  A thread first reads all its elements, by accesses of "load"
// elements, and then writes them by "store".
//
// If rows of the destination begin at any element, a row's first window begins at its first element
// that is a multiple of "step".  The elements before it are copied one by one.
//
// If staged, the source is read by wide accesses in windows of its own.  Each of these is one step
// longer than that of the destination, and begins up to an access before it.  Elements are taken
// from shared memory one by one.  The part before the first window is then one step longer.
#ifndef TCPC_PLANNER_ROWS_H
#define TCPC_PLANNER_ROWS_H

#include "planner/private.h"

struct rows {
    int f;            // the fast mode of both sides
    int load, store;  // elements of an access
    int step;         // windows begin at its multiples; 1: at the same columns of each row
    int threads;      // those that write
    int times;        // stores by each thread
    bool staged;      // through shared memory
};

// The number of elements that a block writes, and reads.
static inline int64_t rows_window(const struct rows *k) {
    return (int64_t)k->threads * k->store * k->times;
}

static inline int64_t rows_read(const struct rows *k) {
    return rows_window(k) + (k->staged ? k->step : 0);
}

// The maximum and minimum number of elements before a row's first window.
static inline int64_t rows_most_before(const struct rows *k) {
    return k->staged ? 2 * k->step - 1 : k->step - 1;
}

static inline int64_t rows_least_before(const struct rows *k) {
    return k->staged ? k->step : 0;
}

// The number of windows in a row.
static inline int64_t rows_windows(const struct relayout *r, const struct rows *k) {
    int64_t n = r->mode[k->f].extent - rows_least_before(k);
    return (n + rows_window(k) - 1) / rows_window(k);
}

// Accesses of a thread that reads, and the threads of a block.
static inline int rows_loads(const struct rows *k) {
    return k->store * k->times / k->load;
}

static inline int rows_threads(const struct rows *k) {
    return k->staged ? (int)(rows_read(k) / k->load / rows_loads(k)) : k->threads;
}

// Sets "axis" to the coordinate of a block for each mode.  The digits of one number might be
// recombined in an offset, so that the begin of a window would not cancel out.  So rows with their
// own windows share the first coordinate only with rows along one mode.  False if the grid has no
// room.
bool rows_axes(const struct relayout *r, const struct rows *k, int axis[]);
enum { ROWS_MOST = 4 };
// Sets "list" to the shapes that may be the fastest, the best first, and returns their number; 0: this form
// does not suit the relayout.
int rows_choose(const struct relayout *r, struct rows list[ROWS_MOST]);

#endif
