// Prints the plan for --emit=plan and --dump-after: in a notation close to the language, in a fixed
// order, with the facts known so far.
#ifndef TCPC_PLAN_PRINT_H
#define TCPC_PLAN_PRINT_H

#include "plan/plan.h"

struct buf;
struct predicate;

void plan_print(struct session *s, const struct plan *p, struct buf *b);
// Prints "offset" + "l".  With a swizzle: Sw<b,m,s> o offset o shape:stride, as the offset is added
// before it.
void plan_print_layout(struct session *s, const struct ix *offset, struct lay l, struct buf *b);
// "l" with the names of its modes (or NULL), as in declarations: (r=8,c=32):(32,1).
const char *plan_named_layout(struct session *s, struct lay l, const char *const *names);
// The conditions for the elements of a copy whose tiles reach beyond its tensors, such as
// "64*block.x + tid / 8 < M"; NULL if there are none.
const char *plan_edge_text(struct session *s, const struct copy *c);
const char *plan_condition_text(struct session *s, const struct predicate *p);

// The boxes that "c" consists of: "2 of 16x64 along mode 0, mode 1 of A, swizzled by 128 bytes".
const char *plan_boxes_text(struct session *s, const struct copy *c);
// How many they are.
int64_t plan_nboxes(const struct copy_boxes *b);

// "tc" in the notation of plans: "tile(universal(128), tv=.., tile=(64,64))".
const char *plan_tiled_text(struct session *s, const struct tiled_copy *tc);
// The TV layout of "tc"; for a collective atom both, as "L read, L written".
const char *plan_tv_text(struct session *s, const struct tiled_copy *tc);

const char *plan_named_shape(struct session *s, const struct lay_tuple *shape,
                             const char *const *names);
#endif
