// Do two accesses of a kernel touch the same elements, and are those each one thread's own?
#ifndef TCPC_PASS_SYNC_MEET_H
#define TCPC_PASS_SYNC_MEET_H

#include "plan/plan.h"

struct access {
    const struct copy *copy;       // or, when NULL:
    const struct tensor *arg;      // a shared argument of a call, touched by who knows which thread
    const struct plan_call *call;  // that one, or an earlier one that is as far back
    bool write;
    const struct tensor *buffer;  // as meet_buffer says; kept
    // of a slot of this pipeline's buffers: that of the step "ahead" after the one that is used
    const struct pipeline *pipe;
    int ahead;
    int slot;   // of a buffer with stages, counted from 1; 0: not known
    int loops;  // so many of the loops around what comes next are in the iteration that it was in
};

enum meet {
    MEET_NOT,    // no element in common
    MEET_OWN,    // what they have in common each thread touches both times itself
    MEET_OTHERS  // a thread touches what another one does, or nobody can tell
};

// What is accessed, when that has to be in order: shared memory, and what a kernel both reads and
// writes; else NULL.
const struct tensor *meet_buffer(const struct kernel *k, struct access a);

// Which elements the accesses of a kernel touch, as far as they were asked for.
enum { MEET_MAPS = 251 };
struct meet_maps {
    struct meet_map *first[MEET_MAPS];
    int64_t spent, room;  // steps of the work that a kernel may take; elements that are kept
    bool more;            // it would take more: MEET_OTHERS was answered without a look
};
void meet_free(struct meet_maps *m);
// Of two accesses to one buffer, in any iterations of the loops around them.
// With "differs", the variable of a loop around both: in different iterations of that one.
enum meet meet(struct session *s, const struct kernel *k, struct meet_maps *m, struct access a,
               struct access b, const struct ix_var *differs);

#endif
