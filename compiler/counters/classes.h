// Groups the blocks of a launch into classes that cost the same, so that one block of each class
// has to be executed.
//
// The cost of a warp's access to global memory depends on its addresses only up to a common
// multiple of the line size. So facts about a block's coordinates decide its class: what they add
// to each address, as a remainder; whether a condition holds for all threads, for none, or how far
// it is from that; and everything that a loop's range or an address in shared memory depends on.
#ifndef TCPC_COUNTERS_CLASSES_H
#define TCPC_COUNTERS_CLASSES_H

#include "kernel/kernel_ir.h"

struct classes;

// Prepares the classes of the blocks of "k" with the values "sym" of the params. NULL: nothing is
// known about its blocks. The result lives in the session's memory.
struct classes *classes_new(struct session *s, const struct kir_kernel *k, const int64_t *sym);

// The period along "axis": blocks that are so many coordinates apart have the same facts. 0:
// unknown; 1: all blocks do.
int64_t classes_period(const struct classes *x, int axis);

enum { CLASS_FACTS = 64 };
// Stores the facts of "block", at most CLASS_FACTS, in "fact". Returns their number; -1: they are
// unknown.
int classes_facts(const struct classes *x, const int64_t block[3], int64_t fact[CLASS_FACTS]);

#endif
