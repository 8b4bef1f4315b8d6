// Drawings of layouts and plans.
#ifndef TCPC_DRAW_DRAW_H
#define TCPC_DRAW_DRAW_H

#include <stdbool.h>

struct buf;
struct tiled_copy;

// Appends the ownership map of "tc" to "out": which thread ("values": and as which of its values)
// holds each coordinate of the tile.  A cell that no thread holds is "-", one that several hold
// names the first and ends in "+".  Returns NULL, or why there is no map, in which case nothing was
// appended.
const char *draw_ownership(struct buf *out, const struct tiled_copy *tc, bool values);

#endif
