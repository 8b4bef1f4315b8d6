// Part of pass "predicate": why the source of a copy has no element for the destination.
#ifndef TCPC_PASS_PARTITION_SHIFT_H
#define TCPC_PASS_PARTITION_SHIFT_H

#include "pass/instances/instances.h"

// How the parts of the two sides differ along mode "mode" of the source's tensor, in words, where
// both tensors end at the same place; NULL: they do not.
const char *shift_text(struct session *s, const struct kernel *k, const struct around *around,
                       const struct copy *c, int mode);

#endif
