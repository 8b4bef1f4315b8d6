// A kernel as what happens when: its accesses to memory that threads share, the waits, barriers and
// commits that are in it, each with the times at which it happens (prove/prove.h).
//
// A time is the place in the list of statements, then the iteration, the place in the body, and so
// on.  In a pipeline the loads of step n are at step n - (stages - 1), where they run.
#ifndef TCPC_PASS_SYNC_SCHEDULE_H
#define TCPC_PASS_SYNC_SCHEDULE_H

#include "pass/instances/instances.h"

enum { SCHEDULE_ACCESSES = 256, SCHEDULE_SYNCS = 256 };

struct schedule_access {
    const struct copy *copy;  // NULL: a call's argument
    const struct stmt *stmt;
    const struct view *view;
    struct around around;
    struct instances *x;  // of its elements
};

// A wait or a barrier, and where a pass has put it.
struct schedule_sync {
    int *wait;      // of a wait: how many groups, -1: none is there
    bool *barrier;  // of a barrier
    const struct stmt *stmt;
};

// The pairs whose order was found to rest on a wait or a barrier, when they were proven last or
// before; schedule.used says which of them still do.
struct resting {
    int *pair, n, cap;
};

struct schedule {
    struct session *s;
    const struct plan *plan;
    const struct kernel *k;
    struct prover *prover;
    struct prove_program program;
    bool full;                     // more than fit
    bool without[SCHEDULE_SYNCS];  // left out in the next question, whatever the facts say
    struct prove_order *order;
    // what was proven last: for which waits and barriers, and on which each pair's order may rest
    bool proven, on[SCHEDULE_SYNCS];
    int pending[SCHEDULE_SYNCS];
    bool *used, *fresh;             // by pair, and by wait and barrier
    int *asked, nasked, cap_asked;  // the pairs that are asked for
    struct resting rests[SCHEDULE_SYNCS];
    bool written;  // what a manual function's own barrier points to
    int all;       // likewise the wait at the end of a device function
    // as many as "program" has
    struct schedule_access access[SCHEDULE_ACCESSES];
    struct schedule_sync sync[SCHEDULE_SYNCS];
};

// What two accesses of a schedule are not in order for.
struct schedule_fault {
    int a, b;  // of the schedule's accesses; b -1: the end of a device function
    enum prove_answer answer;
    struct prove_fault why;
    bool quiet;  // why is not asked for
    bool soon;   // what takes long to prove is not proven
};

// Waits and barriers are where the facts of "k" say that they are when a question is asked.
void schedule_make(struct session *s, const struct plan *p, struct kernel *k, struct prover *prover,
                   struct schedule *out);
void schedule_free(struct schedule *x);
// Are all accesses in order?  After it has said yes once, only those pairs are asked again that may
// rest on a wait or a barrier that has gone since.
// "fault" says on the way in whether it is "quiet" and "soon".
bool schedule_in_order(struct schedule *x, struct schedule_fault *fault);

#endif
