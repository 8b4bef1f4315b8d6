// Parts of a kernel's text that several forms share.
#ifndef TCPC_PLANNER_TEXT_H
#define TCPC_PLANNER_TEXT_H

#include "planner/private.h"

// Writes the numbers of all modes: "(1,8,4)".
void text_numbers(struct buf *b, const struct relayout *r, const int64_t *n);
// Writes "NAME : f32 global (..):(..) align 16".
void text_formal(struct buf *b, const struct relayout *r, const char *name, bool src);
// Writes "tile(universal(128), thr=..:.., val=..:..)".  Threads and values are numbered along the
// side's fast modes first; the values of a vector come before all others.
void text_tiled(struct buf *b, const struct relayout *r, const struct share *s, bool src,
                const char *atom, int bits, const char *hints);
// Writes the block's tile: "local_tile(NAME, (..), (..))".
void text_part(struct buf *b, const struct relayout *r, const struct choice *c, const char *name,
               const char *end);
// Writes "let c0 = ..": the coordinates of a block's tile, if no params give the number of tiles.
void text_coordinates(struct buf *b, const struct relayout *r, const struct choice *c,
                      const char *end);
// Writes "shared s : ..".
void text_shared(struct buf *b, const struct relayout *r, const struct choice *c, const char *end);

#endif
