// Flat tiles: a tile is a part of a row, into which several modes that are contiguous in the
// destination are combined.  It may begin at any element of the row.  It has no layout in the
// source, so each thread computes the coordinates of what it reads: the digits of its place in the
// row.
#ifndef TCPC_PLANNER_FLAT_H
#define TCPC_PLANNER_FLAT_H

#include "planner/text.h"

struct flat {
    // with the row as one mode, which has the source's stride of its fastest part
    struct relayout r;
    int row;                 // the mode that is the row
    int of[RELAYOUT_MODES];  // the relayout's mode for each other mode
    // modes of the relayout that form the row, fastest first
    int parts, part[RELAYOUT_MODES];
    int64_t step;  // a divisor of their strides in the source
};

// Returns false if a flat tile does not suit this relayout.
bool flat_of(const struct relayout *r, struct flat *out);
// The cost of a choice, including one computation of coordinates for each load.
int64_t flat_cost(const struct flat *f, const struct chosen *k);
// The cache hints for a choice.
struct hints flat_hints(const struct flat *f, const struct choice *c);
// For the reasons: hole "modes" is flat_modes, "0, 1 and 2".
#define FLAT_ROW                                                                                   \
    "// Modes <modes> follow one another in the destination. A tile is a part of the row that "    \
    "they form together.\n"
const char *flat_modes(const struct text *t);

#endif
