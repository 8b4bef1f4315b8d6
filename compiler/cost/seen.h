// What instructions of a copy cost, most of which are like another one.
#ifndef TCPC_COST_SEEN_H
#define TCPC_COST_SEEN_H

#include "cost/warp.h"

enum { COST_SEEN = 256 };

struct cost_seen {
    int64_t counted;  // that were not like another one
    bool used[COST_SEEN];
    struct {
        struct warp_access a;
        struct warp_cost cost, least;
    } slot[COST_SEEN];
};

void cost_seen_nothing(struct cost_seen *m);
// What "a", whose addresses are normalized here, costs; and in "*least" the least that it could.
struct warp_cost cost_of_seen(struct cost_seen *m, int arch, struct warp_access *a,
                              struct warp_cost *least);
// Moves the addresses by lines, so that the first one is in the first line.
void cost_normalize(int64_t *address, uint32_t lanes);

#endif
