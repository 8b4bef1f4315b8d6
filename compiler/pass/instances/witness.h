// A counterexample for a layout if pass "coverage" cannot prove that each coordinate is an element
// of its own.  It is found by trying small values of the params.  Without one, nothing is added.
// Other witnesses come from proofs (text.c).
#ifndef TCPC_PASS_INSTANCES_WITNESS_H
#define TCPC_PASS_INSTANCES_WITNESS_H

#include "plan/plan.h"

// Adds a note to the last error: two coordinates of tensor "t" that are the same element, or
// otherwise where "t" is declared.
void witness_layout(struct session *s, const struct plan *p, const struct tensor *t);

// The two coordinates in words; NULL: none were found.
const char *witness_meet(struct session *s, const struct plan *p, const struct tensor *t);

#endif
