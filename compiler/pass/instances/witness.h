// A witness for a layout that pass "coverage" does not take for one that gives each coordinate an
// element of its own: found by trying small values of the params; where there is none, nothing is
// said.  Other witnesses are those of proofs (text.c).
#ifndef TCPC_PASS_INSTANCES_WITNESS_H
#define TCPC_PASS_INSTANCES_WITNESS_H

#include "plan/plan.h"

// Adds a note to the last error: two coordinates of tensor "t" that are one element, or else where
// it is declared.
void witness_layout(struct session *s, const struct plan *p, const struct tensor *t);

#endif
