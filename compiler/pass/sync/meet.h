// Decides whether two accesses of a kernel touch the same elements, and whether the same thread
// does.
#ifndef TCPC_PASS_SYNC_MEET_H
#define TCPC_PASS_SYNC_MEET_H

#include "plan/plan.h"

struct access {
    const struct copy *copy;       // the copy that accesses; or NULL:
    const struct tensor *arg;      // a shared argument of a call, which any thread may access
    const struct plan_call *call;  // that call, or an equivalent earlier one
    bool write;
    const struct tensor *buffer;  // result of meet_buffer, kept
    // if a slot of this pipeline's buffer is accessed: its step is "ahead" steps after the used one
    const struct pipeline *pipe;
    int ahead;
    const struct pipeline *by;  // in a role of it
    int64_t first;              // number in the block of the first of the threads that make it
    int slot;                   // of a buffer with stages, from 1 on; 0: not known
    int loops;  // this many outer loops are still in the same iteration as at the access
};

enum meet {
    MEET_NOT,    // they have no element in common
    MEET_OWN,    // each common element is touched by the same thread both times
    MEET_OTHERS  // different threads touch an element, or that is not known
};

// The tensor whose accesses must be ordered: shared memory, or a tensor that the kernel both reads
// and writes.  NULL for other tensors.
const struct tensor *meet_buffer(const struct kernel *k, struct access a);

// Caches which elements the accesses of a kernel touch.
enum { MEET_MAPS = 251 };
struct meet_maps {
    struct meet_map *first[MEET_MAPS];
    int64_t spent, room;  // steps of work so far, with a limit per kernel; elements that are kept
    bool more;            // the limit was reached: some answers MEET_OTHERS were given unexamined
};
void meet_free(struct meet_maps *m);
// Compares two accesses to one buffer, in any iterations of the loops around them.  "differs", if
// not NULL, is the variable of a loop around both: then in different iterations of that loop.
enum meet meet(struct session *s, const struct kernel *k, struct meet_maps *m, struct access a,
               struct access b, const struct ix_var *differs);

#endif
