// How much of a block the check of the order executes.
//
// A loop on whose variable no address depends takes a few iterations: the third finds the same as
// the second.  The block is executed in several turns, one for each number of steps to try for a
// pipeline of S stages: 0, 1, S and S + 2 or 3 (more for parities), as far as the pipeline can have that many.  A
// pipeline inside another one takes another of these numbers in each turn.  So nested pipelines
// multiply few steps, and each is tried with many.  A turn ends after OPERATIONS, and one that is alone after
// those of all turns; the rest of the block is then not executed. The amount of work depends only on the Kernel IR.
#ifndef TCPC_CHECK_ORDER_STEPS_H
#define TCPC_CHECK_ORDER_STEPS_H

#include "machine/machine.h"

enum { ORDER_TURNS = 4 };  // see steps_in

struct order_steps {
    int turn;
    bool beyond;    // see order_check
    bool alone;     // the only turn
    bool parities;  // all threads wait at barriers in memory, and tell the phases of one apart
    // [i]: earlier turn i executes the same steps, as far as known.  NULL: order_confirm, which has
    // no turns and omits no steps.
    bool *same;
    struct session *s;
};

// How many turns the block's pipelines need.
int order_turns(const struct kir_node *list);

// The schedule for turn steps->turn.
struct schedule order_schedule(struct session *s, struct order_steps *steps);

// Whether accesses to "b" must be ordered: shared memory, and what is both read and written.
bool order_tracks(const struct kir_buffer *b);
// Whether "list" reads global memory that is also written: params that give fewer steps may put
// more such accesses anywhere in it.
bool order_reads_global(const struct kir_node *list);
// At least the number of buffers that "list" names.
int order_nodes(const struct kir_node *list);
// Whether an access of "n" is of a copy that may overtake what other threads did, unless they fence before they meet.
bool order_by_copy(const struct kir_node *n, bool writes);

#endif
