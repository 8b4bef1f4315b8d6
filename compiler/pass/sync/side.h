// Shared by side.c and phases.c: the graph of the roles of a manual kernel.
#ifndef TCPC_PASS_SYNC_SIDE_H
#define TCPC_PASS_SYNC_SIDE_H

#include "live/live.h"
#include "pass/sync/private.h"

struct side {
    const struct schedule *x;
    const struct stmt *st;  // the "roles"
    struct live_graph g;
    const struct stmt *of[LIVE_NODES];  // the statement of a node, or the part that begins there
    bool comes[LIVE_NODES];             // it comes to a barrier; otherwise it has passed it
    const struct barrier *over[LIVE_NODES];  // of a phase of one in memory, which ends there
};

// side.c
// Whether "x" names a barrier.  random_sync.c leaves out some, to see that this is noticed.
bool side_named(const struct stmt *x);
// The node where "of" comes to its barrier, or has passed it; the last one of "x".
int side_node(const struct side *d, const struct stmt *of, bool comes);
int side_last(const struct side *d, const struct stmt *x);
// Such as "'sync full of n' in 'use'".
const char *side_text(const struct side *d, const struct stmt *x);

// phases.c
// Adds the ends of phases of barriers in memory: after all arrivals, and before each wait.
void side_add_phases(struct side *d);
// The node where a phase of "b" ends.
int side_over(const struct side *d, const struct barrier *b);
// Whether each wait for a barrier in memory can tell its phase from the next one by parity, and nobody arrives
// in a phase, or issues copies for it, before the last one of the same barrier is over; reports it if not.
bool side_phases_apart(struct side *d);

#endif
