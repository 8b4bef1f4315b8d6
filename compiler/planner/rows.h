// Rows to rows: both sides have the same fast mode, and one of them is not read or written by 16
// bytes.  A block has a window of one row.  A thread reads its elements by accesses of "load", all
// of them before it writes any, and writes them by "store".
//
// Where rows of the destination begin at any element, a row's first window begins at the row's
// first element at a multiple of "step"; what comes before it is copied element by element.
//
// Staged, the source is read by wide accesses in windows of its own: each is a step longer than
// that of the destination, and begins at most an access before it.  From shared memory elements are
// taken one by one.  What comes before the first window then has a step more.
#ifndef TCPC_PLANNER_ROWS_H
#define TCPC_PLANNER_ROWS_H

#include "planner/private.h"

struct rows {
    int f;            // the fast mode of both sides
    int load, store;  // elements of an access
    int step;         // what windows begin at multiples of; 1: at the same columns of each row
    int threads;      // that write
    int times;        // stores of a thread
    bool staged;      // through shared memory
};

// Elements that a block writes, and that it reads.
static inline int64_t rows_window(const struct rows *k) {
    return (int64_t)k->threads * k->store * k->times;
}

static inline int64_t rows_read(const struct rows *k) {
    return rows_window(k) + (k->staged ? k->step : 0);
}

// The most elements before a row's first window, and the least.
static inline int64_t rows_most_before(const struct rows *k) {
    return k->staged ? 2 * k->step - 1 : k->step - 1;
}

static inline int64_t rows_least_before(const struct rows *k) {
    return k->staged ? k->step : 0;
}

// How many windows a row has.
static inline int64_t rows_windows(const struct relayout *r, const struct rows *k) {
    int64_t n = r->mode[k->f].extent - rows_least_before(k);
    return (n + rows_window(k) - 1) / rows_window(k);
}

// Threads of a block, and accesses of one that reads.
static inline int rows_loads(const struct rows *k) {
    return k->store * k->times / k->load;
}

static inline int rows_threads(const struct rows *k) {
    return k->staged ? (int)(rows_read(k) / k->load / rows_loads(k)) : k->threads;
}

// Which coordinate of a block each mode has.  Digits of one number might be put together again in an
// offset, and what a window begins with would no more cancel out: so rows that have windows of their
// own share the first coordinate with those along one mode alone.  False where the grid has no room.
bool rows_axes(const struct relayout *r, const struct rows *k, int axis[]);
// False where it is not the way for this relayout.
bool rows_choose(const struct relayout *r, struct rows *out);
// The choice in words.
void rows_reasons(const struct relayout *r, const struct rows *k, struct buf *out);
// The extents of the grid, and the rest of a kernel after its arguments.  All names that it makes
// end in "end".
void rows_grid(const struct relayout *r, const struct rows *k, struct buf *out);
void rows_write(const struct relayout *r, const struct relayout_names *n, const struct rows *k,
                const char *end, struct buf *out);

#endif
