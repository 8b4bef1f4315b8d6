// What a plan asks for and nobody needs: the parts of pass "waste".
#ifndef TCPC_PASS_WASTE_WASTE_H
#define TCPC_PASS_WASTE_WASTE_H

#include "plan/plan.h"

struct session;

// Blocks and steps of loops that are outside every tensor, for each size.
void waste_blocks(struct session *s, const struct kernel *k);
// Copies and fills whose elements nobody reads.
void waste_writes(struct session *s, const struct kernel *k);

// Copies that convert an integer to a type that does not hold it, or a float to an integer.
void waste_digits(struct session *s, const struct kernel *k);

// Floats that go to their own type again through a buffer of a narrower one.
void waste_rounding(struct session *s, const struct kernel *k);

// Inputs of which all blocks read one part, where an output of the shape is written by parts.
void waste_tiles(struct session *s, const struct kernel *k);

// A block with more threads than any of its tiled copies has, where it does nothing else.
void waste_block(struct session *s, const struct kernel *k);

// A block of half a warp or less, where there is work for more threads.
void waste_lanes(struct session *s, const struct kernel *k);

// Fragments that are larger than a thread's registers.
void waste_registers(struct session *s, const struct kernel *k);

// Copies whose sides are cut by the same threads in different orders.
void waste_threads(struct session *s, const struct kernel *k);

// Arguments that no statement of "k", or of one of its other cases, names.
void waste_arguments(struct session *s, const struct kernel *k);

// Loops of "k" without statements, and stages that are not used.
void waste_declared(struct session *s, const struct kernel *k);

#endif
