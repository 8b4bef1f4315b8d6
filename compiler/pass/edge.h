// The accesses at the edge of a copy: how wide they may be, and the loops around them.  A part of
// pass "vectorize".
#ifndef TCPC_PASS_EDGE_H
#define TCPC_PASS_EDGE_H

#include "plan/plan.h"

// Fills facts.pred_vec and why_pred of a copy with predicates.
void edge_granularity(struct session *s, struct copy *c);
// Fills facts.edge_mode, nedge, edge_vec, edge_bits and the predicates' edge_stride, once vec is
// known.
void edge_modes(struct session *s, struct copy *c);

#endif
