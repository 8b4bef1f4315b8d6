// The accesses at the edge of a copy: their width, and the loops around them.  Part of pass
// "vectorize".
#ifndef TCPC_PASS_PARTITION_EDGE_H
#define TCPC_PASS_PARTITION_EDGE_H

#include "pass/vectorize/assume.h"

// Sets pred_vec and why_pred in "f", the facts of copy "c", which has predicates.  If no tile is
// whole, unpromised facts are assumed as in "a".  "sized": most elements of an access that reads as
// many of them as it is told to and fills the rest with zeros; one predicate may then cut it
// (may_cut, uncut).  0: there is no such access.
void edge_granularity(const struct assumption *a, const struct copy *c, struct copy_facts *f,
                      int64_t sized);
// Sets edge_mode, nedge, edge_vec, edge_bits, edge_step and the predicates' edge_stride and cuts.
// @pre "vec" is known
void edge_modes(struct session *s, const struct copy *c, struct copy_facts *f);

#endif
