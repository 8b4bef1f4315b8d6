// Clocks of roles.  An access of a role has its role's time, which goes on when the role arrives at a
// barrier, a named one or one in memory.  Who passes the barrier knows the times of all who arrived (Lamport; Mattern).
#ifndef TCPC_CHECK_CLOCKS_H
#define TCPC_CHECK_CLOCKS_H

#include "machine/machine.h"

// What a role, or a named barrier, knows of each role: accesses of earlier times are complete.
struct clock {
    int32_t of[MACHINE_ROLES];
};

// Named barriers, then those in memory of all rings.
enum { CLOCKS_BARRIERS = MACHINE_NAMED + ARRIVAL_RINGS * ARRIVAL_BARRIERS };

struct clocks {
    int32_t time[MACHINE_ROLES];
    // of a named barrier: of those who came since it last opened, and of those who came before that
    struct clock knows[MACHINE_ROLES], named[CLOCKS_BARRIERS], before[CLOCKS_BARRIERS];
    struct clock passed
        [CLOCKS_BARRIERS];  // of those who passed one in memory, how much must be known of them
    // up to when accesses are fenced, too, as each role knows; and as who arrived at a barrier knew
    struct clock fenced[MACHINE_ROLES], fenced_at[CLOCKS_BARRIERS];
    struct clock
        reads[MACHINE_ROLES];  // .. and up to when reads are, for the copies that a role issues
};

// The time of the role that executes now.
int32_t clocks_now(const struct clocks *c, const struct machine *m);
// That role arrives at barrier "id" by node m->node, as the first one or not; it passes the barrier.  Returns
// false if the role may come before others have come, or passed one in memory, for the last time, in some
// order of execution.
bool clocks_arrive(struct clocks *c, const struct machine *m, int id, bool first);
void clocks_pass(struct clocks *c, const struct machine *m, int id);
// All threads of the block meet, or with "fence" fence before.
void clocks_meet(struct clocks *c, bool fence);
// The thread of the present role that issues copies fences.
void clocks_fence(struct clocks *c, const struct machine *m);
// Whether copies that the present role issues come after what "role" did at "time": it has fenced since; or if
// that was a "read", this role did when it knew of it.
bool clocks_fenced(const struct clocks *c, const struct machine *m, int role, int32_t time,
                   bool read);
// Whether it comes after what "role" did at "time".
bool clocks_after(const struct clocks *c, const struct machine *m, int role, int32_t time);

#endif
