// Witnesses for what pass "coverage" refuses: the first element that is written twice or never, for
// values of the params that keep what is promised.  Found by executing the plan's meaning; where
// that would take long, nothing is said.
#ifndef TCPC_PASS_WITNESS_H
#define TCPC_PASS_WITNESS_H

#include "plan/plan.h"

// Adds a note to the last error: who writes an element of kernel "k" twice, or which nobody writes.
void witness_writes(struct session *s, const struct plan *p, const struct kernel *k,
                    struct range at);

// Adds a note to the last error: two coordinates of tensor "t" that are one element, or else where
// it is declared.
void witness_layout(struct session *s, const struct plan *p, const struct tensor *t);

#endif
