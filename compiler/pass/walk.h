// Walking the statements of a kernel, for passes that look at each copy.
#ifndef TCPC_PASS_WALK_H
#define TCPC_PASS_WALK_H

#include "plan/plan.h"

// Calls "visit" for every copy of "k" in the order of the text; stops and returns false when it
// does.
typedef bool copy_visitor(struct session *s, struct kernel *k, struct copy *c, void *user);
bool walk_copies(struct session *s, struct kernel *k, copy_visitor *visit, void *user);
// For every copy of every kernel, all of them, also after one has failed; the conjunction of the
// results.
bool walk_plan(struct session *s, struct plan *p, copy_visitor *visit, void *user);

// "copy 'ld'" or "this copy"
const char *copy_name(struct session *s, const struct copy *c);

#endif
