// Part of pass "partition": in which order a fragment has its values.
#ifndef TCPC_PASS_PARTITION_ARRANGE_H
#define TCPC_PASS_PARTITION_ARRANGE_H

#include "plan/plan.h"

// Whether "v" is all of a fragment, register by register.
bool arrange_is_whole(struct session *s, const struct view *v);
// Fills tensor.holds where a fragment takes its order from another one or from a function, and
// checks that all who move it or get it have the same.  @pre all copies are cut
bool arrange(struct session *s, struct plan *p);

#endif
