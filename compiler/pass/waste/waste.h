// Finds parts of a plan that have no effect.  These are the parts of pass "waste".
#ifndef TCPC_PASS_WASTE_WASTE_H
#define TCPC_PASS_WASTE_WASTE_H

#include "plan/plan.h"

struct session;

// Warns of blocks and iterations that are outside every tensor, for every size.
void waste_blocks(struct session *s, const struct kernel *k);
// Warns of copies and fills whose elements are never read.
void waste_writes(struct session *s, const struct kernel *k);

// Warns of copies that convert an integer to a type that cannot hold it, or a float to an integer.
void waste_digits(struct session *s, const struct kernel *k);

// Warns of floats that go through a buffer of a narrower type to a tensor of their own type.
void waste_rounding(struct session *s, const struct kernel *k);

// Warns of inputs of which all blocks read the same part, if an output of that shape is written in
// parts.
void waste_tiles(struct session *s, const struct kernel *k);

// A block of half a warp or less, where there is work for more threads.
void waste_lanes(struct session *s, const struct kernel *k);

// Fragments that are larger than a thread's registers.
void waste_registers(struct session *s, const struct kernel *k);

// Copies whose sides are cut by the same threads in different orders.
void waste_threads(struct session *s, const struct kernel *k);

// Warns of arguments that no statement of "k", or of its other cases, uses.
void waste_arguments(struct session *s, const struct kernel *k);

// Warns of loops of "k" without statements, and of stages that are not used.
void waste_declared(struct session *s, const struct kernel *k);

#endif
