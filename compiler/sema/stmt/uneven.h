// Copies between devices with parts that are not equal.  For mesh.c.
#ifndef TCPC_SEMA_STMT_UNEVEN_H
#define TCPC_SEMA_STMT_UNEVEN_H

#include "sema/stmt/stmt.h"

// A mode that is cut into parts of which the last ones are shorter, with the strides of an element of a
// part and of a part on both sides, the source first.
struct uneven {
    struct lay_int each, all, stride[2], apart[2];
    int64_t parts;
};

// The extent of "mode", one of those of "t", in the plan.
struct lay_int uneven_whole(struct sema *c, const struct tensor *t, struct lay mode);
// Sets "side" to the layouts of both sides of "y", the source first, with the same parts of each mode, and adds
// the modes whose last parts are shorter to "list".  Returns NULL, or why it cannot.
const char *uneven_sides(struct sema *c, const struct copy *y, struct lay side[2],
                         struct uneven list[MESH_CUTS], int *count);

#endif
