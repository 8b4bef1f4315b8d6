// The accesses at the edge of a copy: how wide they may be, and the loops around them.  A part of
// pass "vectorize".
#ifndef TCPC_PASS_PARTITION_EDGE_H
#define TCPC_PASS_PARTITION_EDGE_H

#include "pass/vectorize/assume.h"

// Fills pred_vec and why_pred in "f", of copy "c", which has predicates.  Where no tile is
// whole, what is not promised is as "a" assumes.  "sized": the elements of an access that reads as
// many of them as it is told to and fills with zeros, so that one predicate may cut it (may_cut,
// uncut); 0: it does not.
void edge_granularity(const struct assumption *a, const struct copy *c, struct copy_facts *f,
                      int64_t sized);
// Fills edge_mode, nedge, edge_vec, edge_bits, edge_step and the predicates' edge_stride and cuts,
// once vec is known.
void edge_modes(struct session *s, const struct copy *c, struct copy_facts *f);

#endif
