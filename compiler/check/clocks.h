// Clocks of roles.  An access of a role has its role's time, which goes on when the role arrives at a
// named barrier.  Who passes the barrier knows the times of all who arrived (Lamport; Mattern).
#ifndef TCPC_CHECK_CLOCKS_H
#define TCPC_CHECK_CLOCKS_H

#include "machine/machine.h"

enum { CLOCKS_ROLES = 9, CLOCKS_NAMED = 16 };  // of roles, 0 stands for all threads

// What a role, or a named barrier, knows of each role: accesses of earlier times are complete.
struct clock {
    int32_t of[CLOCKS_ROLES];
};

struct clocks {
    int64_t parted;  // of the machine: the roles for which these are
    int32_t time[CLOCKS_ROLES];
    struct clock knows[CLOCKS_ROLES], named[CLOCKS_NAMED];
};

// The time of the role that executes now.
int32_t clocks_now(struct clocks *c, const struct machine *m);
// That role arrives at named barrier "id", as the first one or not; it passes the barrier.
void clocks_arrive(struct clocks *c, const struct machine *m, int id, bool first);
void clocks_pass(struct clocks *c, const struct machine *m, int id);
// Whether it comes after what "role" did at "time".
bool clocks_after(const struct clocks *c, const struct machine *m, int role, int32_t time);

#endif
