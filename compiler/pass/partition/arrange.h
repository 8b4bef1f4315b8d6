// Part of pass "partition": the order of the values in a fragment.
#ifndef TCPC_PASS_PARTITION_ARRANGE_H
#define TCPC_PASS_PARTITION_ARRANGE_H

#include "plan/plan.h"

// Whether "v" is a complete fragment, register by register.
bool arrange_is_whole(struct session *s, const struct view *v);
// Sets tensor.holds if a fragment takes its order from another one or from a function.  Checks that
// all copies and functions that use a fragment have the same order.  @pre all copies are cut
bool arrange(struct session *s, struct plan *p);

#endif
