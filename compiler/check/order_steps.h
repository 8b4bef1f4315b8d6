// How much of a block the race checker goes through.
//
// A loop whose variable no address depends on takes a few iterations: the third finds what the
// second did.  The block is gone through in several turns, one for each number of steps that a
// pipeline of S stages is tried with: 0, 1, S and S + 2 or 3, as far as it can have so many.  One
// that is within another one takes another of these numbers in each turn, so that nested ones
// multiply few steps, and each is seen with many.  A turn ends after OPERATIONS, and what it has
// not reached is left: how much is executed depends on the Kernel IR alone.
#ifndef TCPC_CHECK_ORDER_STEPS_H
#define TCPC_CHECK_ORDER_STEPS_H

#include "machine/machine.h"

enum { ORDER_TURNS = 4 };  // see steps_in

struct order_steps {
    int turn;
    bool beyond;  // see order_check
    bool *same;   // the turns before this one that go through the same steps, as far as is known;
                  // NULL: as in order_confirm, with no turns and no step left out
    struct session *s;
};

// How often the block is gone through for the sake of its pipelines.
int order_turns(const struct kir_node *list);

// Of turn "steps".
struct schedule order_schedule(struct session *s, struct order_steps *steps);

// Whether accesses to "b" have to be in order: shared memory, and what is both read and written.
bool order_tracks(const struct kir_buffer *b);

#endif
