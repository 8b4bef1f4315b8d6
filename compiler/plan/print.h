// The plan as text, for --emit=plan and --dump-after: near the language, in a fixed order, with the
// facts that passes have found so far.
#ifndef TCPC_PLAN_PRINT_H
#define TCPC_PLAN_PRINT_H

#include "plan/plan.h"

struct buf;

void plan_print(struct session *s, const struct plan *p, struct buf *b);
// "offset" + "l"; with a swizzle, which the offset is under, Sw<b,m,s> o offset o shape:stride.
void plan_print_layout(struct session *s, const struct ix *offset, struct lay l, struct buf *b);
// "l" with the names of its modes (NULL: none), as tensors are declared: (r=8,c=32):(32,1).
const char *plan_named_layout(struct session *s, struct lay l, const char *const *names);
// Where the elements of a copy end that tiles reach beyond, "64*block.x + tid / 8 < M"; NULL: they
// do not.
const char *plan_edge_text(struct session *s, const struct copy *c);

// The TV layout of "tc", or both of a collective atom: "L read, L written".
const char *plan_tv_text(struct session *s, const struct tiled_copy *tc);

const char *plan_named_shape(struct session *s, const struct lay_tuple *shape,
                             const char *const *names);
// One copy in one line, without its facts.
void plan_print_copy(struct session *s, const struct copy *c, struct buf *b);

#endif
