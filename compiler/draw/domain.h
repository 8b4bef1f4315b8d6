// The coordinates that a grid runs over: the modes of a shape, each counted through, the first two
// as rows and columns, the others as one grid for each of their coordinates.
#ifndef TCPC_DRAW_DOMAIN_H
#define TCPC_DRAW_DOMAIN_H

#include "draw/picture.h"
#include "oracle/oracle.h"

enum { DOMAIN_MOST = INT32_MAX };

struct domain {
    int rank;
    int64_t extent[LAY_MAX_RANK];
    int64_t inner[LAY_MAX_RANK];  // the extent of the first leaf of a mode, 0 when it has no other
    int64_t size, rows, columns, slices;
    const char *const *names;  // of the modes, NULL for one that has none; NULL: none has
};

// One mode of the top level of "l"; "l" itself when that is a single leaf.
struct lay domain_mode(const struct lay *l, int i);

// Fills "d" with the modes of "shape" for "sym_values".  Returns false when an extent has no value,
// or there are more than DOMAIN_MOST coordinates.
bool domain_of(const struct lay_tuple *shape, const int64_t *sym_values, struct domain *d);
// Where it returns false: whether that is since there are more.
bool domain_too_large(const struct lay_tuple *shape, const int64_t *sym_values);

// Adds the grids of "d" ("what" is the subject of a note) with headings and axes.
const char *domain_grids(struct picture *p, const char *what, const struct domain *d);

// The linear coordinate of a cell.
static inline int64_t domain_at(const struct domain *d, int slice, int row, int column) {
    return row + d->rows * (column + d->columns * (int64_t)slice);
}

// "16 x 8"
const char *domain_text(const struct picture *p, const struct domain *d);

// "(3,0)": the coordinate with linear index "i".
void domain_coord(const struct domain *d, int64_t i, char *text, size_t size);

// Notes the values of the plan's params, on which the drawing rests.
void note_values(struct picture *p, const struct plan *plan, const int64_t *sym_values);

#endif
