// Lines: both sides have the same fast mode, and the destination has no gaps. A block has a range
// of all elements, beginning anywhere, and writes it by wide accesses. Rows may begin and end
// anywhere in it. Each thread computes the coordinates of what it reads.
#ifndef TCPC_PLANNER_LINE_H
#define TCPC_PLANNER_LINE_H

#include "planner/private.h"

struct line {
    int order[RELAYOUT_MODES];  // modes of the relayout, the destination's fastest one first
    int64_t extent;             // of all modes together
    int load, store;            // elements of an access
    int threads;
    int times;  // stores by each thread
};

enum { LINES = 3 };
// Sets "list" to the possible choices, at most LINES, the best one first. Returns their number.
int line_choose(const struct relayout *r, struct line list[]);

static inline int64_t line_elements(const struct line *k) {
    return (int64_t)k->threads * k->store * k->times;
}

#endif
