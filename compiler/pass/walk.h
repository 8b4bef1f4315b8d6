// Walks through the statements of a kernel, for passes that look at each copy.
#ifndef TCPC_PASS_WALK_H
#define TCPC_PASS_WALK_H

#include "plan/plan.h"

// Calls "visit" for every copy of "k" in textual order.  If a call returns false, stops and returns
// false.
typedef bool copy_visitor(struct session *s, struct kernel *k, struct copy *c, void *user);
bool walk_copies(struct session *s, struct kernel *k, copy_visitor *visit, void *user);
// Calls "visit" for every copy of every kernel, even after a call returned false.  Returns whether
// all calls returned true.
bool walk_plan(struct session *s, struct plan *p, copy_visitor *visit, void *user);

// The name of a copy in messages: "copy 'ld'" or "this copy".
const char *copy_name(struct session *s, const struct copy *c);
// Notes that the tile of the tiled copy of "c" reaches beyond the part that it copies, so that guards leave out
// what is beyond.  Returns false if it does not.
bool copy_note_beyond(struct session *s, const struct copy *c);

#endif
