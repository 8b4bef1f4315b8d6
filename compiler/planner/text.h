// Parts of a kernel's text that several forms have.
#ifndef TCPC_PLANNER_TEXT_H
#define TCPC_PLANNER_TEXT_H

#include "planner/private.h"

// "(1,8,4)", of all modes.
void text_numbers(struct buf *b, const struct relayout *r, const int64_t *n);
// "NAME : f32 global (..):(..) align 16".
void text_formal(struct buf *b, const struct relayout *r, const char *name, bool src);
// "tile(universal(128), thr=..:.., val=..:..)": threads are numbered along the side's fast modes
// first, and so are values, those of a vector before all.
void text_tiled(struct buf *b, const struct relayout *r, const struct share *s, bool src,
                const char *atom, int bits, const char *hints);
// "local_tile(NAME, (..), (..))": the block's tile.
void text_part(struct buf *b, const struct relayout *r, const struct choice *c, const char *name,
               const char *end);
// "let c0 = ..": which tile a block has, where no params say how many there are.
void text_coordinates(struct buf *b, const struct relayout *r, const struct choice *c,
                      const char *end);
// "shared s : ..".
void text_shared(struct buf *b, const struct relayout *r, const struct choice *c, const char *end);

#endif
