// The coordinates that a grid shows.  The first two modes of a shape are rows and columns, and
// there is one grid for each coordinate of the others.
#ifndef TCPC_DRAW_DOMAIN_H
#define TCPC_DRAW_DOMAIN_H

#include "draw/picture.h"
#include "oracle/oracle.h"

enum { DOMAIN_MOST = INT32_MAX };

struct domain {
    int rank;
    int64_t extent[LAY_MAX_RANK];
    int64_t inner[LAY_MAX_RANK];  // extent of the first leaf of a nested mode; 0 for a leaf
    int64_t size, rows, columns, slices;
    // of the modes, NULL for one without; NULL: no mode has a name
    const char *const *names;
};

// Fills "d" with the modes of "shape" for "sym_values".  Returns false if an extent has no value,
// or if there are more than DOMAIN_MOST coordinates.
bool domain_of(const struct lay_tuple *shape, const int64_t *sym_values, struct domain *d);
// If domain_of returned false: whether there are too many coordinates.
bool domain_too_large(const struct lay_tuple *shape, const int64_t *sym_values);

// Adds the grids of "d" with headings and axes; "what" is the subject of a note.  Returns NULL, or
// why there is no room.
const char *domain_grids(struct picture *p, const char *what, const struct domain *d);

// The linear coordinate of a cell.
static inline int64_t domain_at(const struct domain *d, int slice, int row, int column) {
    return row + d->rows * (column + d->columns * (int64_t)slice);
}

// The extents as text: "16 x 8".
const char *domain_text(const struct picture *p, const struct domain *d);

// Writes the coordinate with linear index "i" to "text": "(3,0)".
void domain_coord(const struct domain *d, int64_t i, char *text, size_t size);

// Notes the values of the plan's params, on which the drawing depends.
void note_values(struct picture *p, const struct plan *plan, const int64_t *sym_values);

#endif
