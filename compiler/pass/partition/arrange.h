// Part of pass "partition": the order of the values in a fragment.
#ifndef TCPC_PASS_PARTITION_ARRANGE_H
#define TCPC_PASS_PARTITION_ARRANGE_H

#include "plan/plan.h"

// Whether "v" is a complete fragment, register by register.
bool arrange_is_whole(struct session *s, const struct view *v);
// Whether the tiled copy of "c" gives each value of fragment "v" the element that it has in the one
// that moved it before; says so if not.  "rest": how many tiles there are along each mode.
bool arrange_distribution(struct session *s, const struct copy *c, const struct view *v,
                          const struct lay_tuple *rest);
// Fills tensor.holds where a fragment takes its order from another one or from a function, and
// checks that all who move it or get it have the same.  @pre all copies are cut
bool arrange(struct session *s, struct plan *p);

#endif
