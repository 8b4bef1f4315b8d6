// Costs of instructions counted before (see seen.h).
#include "cost/seen.h"
#include "hw/sizes.h"

#include <string.h>

void cost_normalize(int64_t *address, uint32_t lanes) {
    int64_t least = INT64_MAX;
    for (int l = 0; l < LANES; ++l)
        if (lanes >> l & 1 && address[l] < least) least = address[l];
    for (int l = 0; l < LANES; ++l)
        address[l] = lanes >> l & 1 ? address[l] - least / LINE * LINE : 0;
}

// Sectors do not depend on which lane has which address.
static void put_first(struct warp_access *a) {
    int n = 0;
    for (int l = 0; l < LANES; ++l)
        if (a->lanes >> l & 1) a->global[n++] = a->global[l];
    for (int l = n; l < LANES; ++l) a->global[l] = 0;
    a->lanes = (uint32_t)(((uint64_t)1 << n) - 1);
}

// The newer of two entries in a slot replaces the older one, so the slots limit the number of
// entries.
static unsigned slot_of(const struct warp_access *a) {
    uint64_t mixed = a->lanes;
    for (int l = 0; l < LANES; ++l) {
        uint64_t lane = (uint64_t)a->shared[l] ^ (uint64_t)a->global[l] << 20;
        mixed = (mixed ^ lane) * 0x9e3779b97f4a7c15;
    }
    return (unsigned)(mixed >> 40) % COST_SEEN;
}

void cost_seen_nothing(struct cost_seen *m) {
    m->counted = 0;
    memset(m->used, 0, sizeof m->used);
}

struct warp_cost cost_of_seen(struct cost_seen *m, int arch, struct warp_access *a,
                              struct warp_cost *least) {
    struct warp_access first, *x = a;
    bool global = a->class == COST_LD_GLOBAL || a->class == COST_ST_GLOBAL;
    bool shared = a->class == COST_LD_SHARED || a->class == COST_ST_SHARED;
    if (!global) cost_normalize(a->shared, a->lanes);
    if (!shared) cost_normalize(a->global, a->lanes);
    if (global) {
        first = *a;
        put_first(&first);
        x = &first;
    }
    unsigned i = slot_of(x);
    if (!m->used[i] || memcmp(&m->slot[i].a, x, sizeof *x) != 0) {
        m->used[i] = true;
        ++m->counted;
        m->slot[i].a = *x;
        cost_of_warp(arch, x, &m->slot[i].cost);
        cost_least(arch, x, &m->slot[i].least);
    }
    *least = m->slot[i].least;
    return m->slot[i].cost;
}
