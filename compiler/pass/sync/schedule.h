// A kernel as a schedule: its accesses to memory that threads share, its waits, barriers and
// commits, each with the times at which it happens (prove/prove.h).
//
// A time consists of the place in the list of statements, the iteration, the place in the body, and
// so on.  In a pipeline, the loads of step n are at step n - (stages - 1), when they run.
#ifndef TCPC_PASS_SYNC_SCHEDULE_H
#define TCPC_PASS_SYNC_SCHEDULE_H

#include "pass/instances/instances.h"

enum { SCHEDULE_ACCESSES = 256, SCHEDULE_SYNCS = 256 };

struct schedule_access {
    const struct copy *copy;  // NULL: an argument of a call
    const struct stmt *stmt;
    const struct view *view;
    struct around around;
    struct instances *x;      // the instances of its elements
    const struct stmt *pipe;  // the pipeline with roles that it is in, or NULL
};

// A place for a wait, and where pass "sync" put it.
struct schedule_sync {
    struct arrival *at;
    bool threads;  // for a wait for threads; otherwise for copies
    const struct stmt *stmt;
};

// Pairs of accesses whose order was found to depend on a wait or a barrier, in the last proof or
// before.  schedule.used says which of them still do.
struct resting {
    int *pair, n, cap;
};

struct schedule {
    struct session *s;
    const struct plan *plan;
    const struct kernel *k;
    struct prover *prover;
    struct prove_program program;
    bool full;                     // it has more accesses or syncs than fit
    bool without[SCHEDULE_SYNCS];  // left out in the next question, even if it is there
    struct prove_order *order;
    // last proof: the waits then, and which of them the order of each pair may depend on
    bool proven;
    struct arrival was[SCHEDULE_SYNCS];
    bool *used, *fresh;             // by pair, and by wait and barrier
    int *asked, nasked, cap_asked;  // the pairs to ask about
    struct resting rests[SCHEDULE_SYNCS];
    struct arrival together;  // of the threads of a role before a step
    struct arrival all;       // the wait at the end of a device function
    // as many are in use as "program" has
    struct schedule_access access[SCHEDULE_ACCESSES];
    struct schedule_sync sync[SCHEDULE_SYNCS];
};

// Why accesses of a schedule are not in order.
struct schedule_fault {
    int a, b;  // indices of the accesses; b == -1: the end of a device function
    enum prove_answer answer;
    struct prove_fault why;
    bool quiet;  // in: "why" is not needed
    bool soon;   // in: do not prove what takes long
};

// Makes the schedule.  Each question later uses the waits and barriers that are then in the plan.
void schedule_make(struct session *s, const struct plan *p, struct kernel *k, struct prover *prover,
                   struct schedule *out);
void schedule_free(struct schedule *x);
// Are all accesses in order?  After the first "yes", asks only about pairs whose order may depend
// on a wait or a barrier that was removed since.
// The caller sets "quiet" and "soon" of "fault".
bool schedule_in_order(struct schedule *x, struct schedule_fault *fault);

// pairs.c: whether only a fence is missing for fault "f": with one before each barrier the pair is in order.
bool schedule_lacks_fence(struct schedule *x, const struct schedule_fault *f);

// side.c: whether roles of a manual kernel come to their end, and their accesses are in order; reports an
// error otherwise.
bool sync_side_by_side(const struct schedule *x);

#endif
