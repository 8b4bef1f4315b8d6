// Groups of asynchronous copies in the race checker: each role has its own, since a thread commits and
// waits for itself alone.
#ifndef TCPC_CHECK_GROUPS_H
#define TCPC_CHECK_GROUPS_H

#include "machine/machine.h"

// When something was complete for a role.
struct group_end {
    int32_t epoch;  // -1: it is not
    int by;         // the role that waited
    int32_t time;   // .. and its time
};

struct group {
    int role;        // of the machine
    int32_t number;  // among those of the role; -1: not ended
    int32_t older;   // the one of the role that ended before; 0: none
    // by whether the wait is one until copies out of shared memory have also written
    struct group_end end[2];
    struct group_end there;         // for the first role that passed its barrier in memory
    int32_t passed[MACHINE_ROLES];  // .. when each did, from 1 on; 0: it did not
    // copies that no bytes count arrive there if they were issued before this time of the role
    int32_t counted;
};

struct groups {
    struct group *at;  // entry 0 means "none"
    int32_t n, cap;
    int32_t open[MACHINE_ROLES], last[MACHINE_ROLES];  // by role
};

void groups_init(struct groups *g);
void groups_release(struct groups *g);
// The group of an asynchronous copy of the present role.
int32_t groups_join(struct groups *g, const struct machine *m);
// The present role has ended a group, or with role 0 all roles have.
void groups_commit(struct groups *g, const struct machine *m);
// .. waits by "a" in "epoch"; "time" is that of each role, whose threads wait for their own groups.
void groups_wait(struct groups *g, const struct machine *m, struct arrival a, int32_t epoch,
                 const int32_t *time);
// Each thread of the present role arrives in memory when its copies before "time" are there.
void groups_count(struct groups *g, const struct machine *m, int32_t time);
// The present role passes a barrier in memory: group m->arrived of role m->arrived_by is there.
void groups_arrived(struct groups *g, const struct machine *m, struct group_end done);
// How many groups ended after group "i"; -1: it did not end itself.
int groups_younger(const struct groups *g, const struct machine *m, int32_t i);

#endif
