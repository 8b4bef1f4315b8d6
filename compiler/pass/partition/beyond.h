// Which views may lie before or beyond their tensors.  Part of pass "predicate".
#ifndef TCPC_PASS_PARTITION_BEYOND_H
#define TCPC_PASS_PARTITION_BEYOND_H

#include "pass/instances/instances.h"
#include "plan/view.h"

// Sets "reach" to the coordinate of "v" along mode "mode" that is closest to bound "b", or outside
// of it.  Returns false if all are provably inside.
bool beyond_reaches(struct session *s, const struct view *v, int mode, struct edge_of b,
                    const struct ix **reach);
// Sets "overhang" in the sides of "c" that may have elements outside, and decides which of their
// ranges are halos.
void beyond_settle(struct session *s, struct prover *prover, const struct around *around,
                   const struct kernel *k, struct copy *c);

#endif
