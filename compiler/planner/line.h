// Lines: both sides have the same fast mode, and the destination has no gaps. A block has a part of
// all its elements, from any of them on, and writes it by wide accesses. Rows begin and end anywhere
// in it. Each thread works out the coordinates of what it reads.
#ifndef TCPC_PLANNER_LINE_H
#define TCPC_PLANNER_LINE_H

#include "planner/private.h"

struct line {
    int order[RELAYOUT_MODES];  // modes of the relayout, the destination's fastest one first
    int64_t extent;             // of all
    int load, store;            // elements of an access
    int threads;
    int times;  // stores of a thread
};

enum { LINES = 3 };
// The ways to do it, up to LINES of them, the best one first. Returns how many there are.
int line_choose(const struct relayout *r, struct line list[]);

static inline int64_t line_elements(const struct line *k) {
    return (int64_t)k->threads * k->store * k->times;
}

// The choice in words.
void line_reasons(const struct relayout *r, const struct line *k, struct buf *out);
// What follows the arguments: how B is declared, the grid, and the statements. All names that
// it makes end in "end".
void line_write(const struct relayout *r, const struct relayout_names *n, const struct line *k,
                const char *end, struct buf *out);

#endif
