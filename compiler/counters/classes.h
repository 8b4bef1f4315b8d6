// Blocks that cost the same: those whose coordinates change nothing that the counts depend on.
//
// What a warp's access to global memory costs depends on its addresses but for multiples of a line
// that all of them have in common.  So a block is told from others by facts: what its coordinates
// add to each address, as a remainder; whether a condition holds for all threads, for none, or how
// far it is from that; and all that a loop or an address of shared memory depends on.
#ifndef TCPC_COUNTERS_CLASSES_H
#define TCPC_COUNTERS_CLASSES_H

#include "kernel/kernel_ir.h"

struct classes;

// NULL: nothing is known of its blocks.  In the session's memory.
struct classes *classes_new(struct session *s, const struct kir_kernel *k, const int64_t *sym);

// Blocks that are this far apart along "axis" are alike; 0: that is not known, 1: all are.
int64_t classes_period(const struct classes *x, int axis);

enum { CLASS_FACTS = 64 };
// The facts of a block, at most CLASS_FACTS; how many, -1: it is not known.
int classes_facts(const struct classes *x, const int64_t block[3], int64_t fact[CLASS_FACTS]);

#endif
