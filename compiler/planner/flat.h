// Flat tiles: a tile has a part of several modes of the destination that follow one another there, put
// in a row, from any element of them on.  That is no layout on the source's side, so each thread works
// out the coordinates of what it reads.  They are the digits of its place in the row.
#ifndef TCPC_PLANNER_FLAT_H
#define TCPC_PLANNER_FLAT_H

#include "planner/private.h"

struct flat {
    struct relayout
        r;    // with the row as one mode, which has the source's stride of its fastest part
    int row;  // which one that is
    int of[RELAYOUT_MODES];  // which mode of the relayout each other mode is
    int parts,
        part[RELAYOUT_MODES];  // modes of the relayout that the row is made of, fastest first
    int64_t step;              // what their strides in the source are multiples of
};

// False where it is not the way for this relayout.
bool flat_of(const struct relayout *r, struct flat *out);
// What a choice costs whose coordinates are worked out, once a load.
int64_t flat_cost(const struct flat *f, const struct chosen *k);
// What caches are told of a choice.
struct hints flat_hints(const struct flat *f, const struct choice *c);
// "SRC(e / 8 % 4, e % 8, _)": the source at the coordinates of place "e" of the row, which may be
// "beyond" its end, and all of its other modes.
void flat_slice(const struct relayout *r, const struct flat *f, bool beyond, const char *src,
                const char *end, struct buf *out);
// "Modes 0 and 1 follow one another in the destination. ..".
void flat_row(const struct flat *f, struct buf *out);
// The choice in words.
void flat_reasons(const struct relayout *r, const struct flat *f, const struct chosen *k,
                  struct buf *out);
// What is in the kernel.  All names that it makes end in "end".
void flat_write(const struct relayout *r, const struct relayout_names *n, const struct flat *f,
                const struct choice *c, const char *end, struct buf *out);

#endif
