// Rows through registers: both sides have the same fast mode, and one of them is not read or
// written by 16 bytes.  A block has a window of one row.  A thread reads its elements by accesses
// of "load", all of them before it writes any, and writes them by "store".
//
// Where rows of the destination begin at any element, a row's first window begins at the row's
// first element at a multiple of "step"; what stands before it is copied element by element.
#ifndef TCPC_PLANNER_ROWS_H
#define TCPC_PLANNER_ROWS_H

#include "planner/private.h"

struct rows {
    int f;            // the fast mode of both sides
    int load, store;  // elements of an access
    int step;         // what windows begin at multiples of; 1: at the same columns of each row
    int threads;
    int times;  // stores of a thread
};

static inline int64_t rows_window(const struct rows *k) {
    return (int64_t)k->threads * k->store * k->times;
}

// How many windows a row has.
static inline int64_t rows_windows(const struct relayout *r, const struct rows *k) {
    return (r->mode[k->f].extent + rows_window(k) - 1) / rows_window(k);
}

// False where it is not the way for this relayout.
bool rows_choose(const struct relayout *r, struct rows *out);
// The choice in words.
void rows_reasons(const struct relayout *r, const struct rows *k, struct buf *out);
// The extents of the grid, and the rest of a kernel behind its arguments.  All names that it makes
// end in "end".
void rows_grid(const struct relayout *r, const struct rows *k, struct buf *out);
void rows_write(const struct relayout *r, const struct relayout_names *n, const struct rows *k,
                const char *end, struct buf *out);

#endif
