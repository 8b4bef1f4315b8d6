// The costs of a copy's instructions, most of which are equal to another one.
#ifndef TCPC_COST_SEEN_H
#define TCPC_COST_SEEN_H

#include "cost/warp.h"

enum { COST_SEEN = 256 };

struct cost_seen {
    int64_t counted;  // number of different ones
    bool used[COST_SEEN];
    struct {
        struct warp_access a;
        struct warp_cost cost, least;
    } slot[COST_SEEN];
};

void cost_seen_nothing(struct cost_seen *m);
// The cost of "a", whose addresses are normalized here; "*least" gets its possible minimum.
struct warp_cost cost_of_seen(struct cost_seen *m, int arch, struct warp_access *a,
                              struct warp_cost *least);
// Moves the addresses by whole lines, so that the first one is in line 0.
void cost_normalize(int64_t *address, uint32_t lanes);

#endif
