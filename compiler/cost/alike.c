// Instructions with the same cost (see alike.h).
#include "cost/alike.h"
#include "hw/sizes.h"

#include <string.h>

static bool suits(const struct accesses *a) {
    return a->neach == 1 && !(a->elem_bytes & (a->elem_bytes - 1)) && !(a->bytes & (a->bytes - 1));
}

void alike_begin(struct alike *x, const struct accesses *global, const struct accesses *shared,
                 enum cost_class class) {
    memset(x, 0, sizeof *x);
    if (global && (!suits(global) || global->sw.b)) return;
    if (shared && !suits(shared)) return;
    x->any = true;
    x->side[0].a = global;
    x->side[1].a = shared;
    x->whole = class == COST_LDMATRIX || class == COST_STMATRIX;
    x->lines = class == COST_CP_ASYNC_CG;
    x->side[0].multiple = x->lines ? LINE : SECTOR;
    if (shared) x->side[1].multiple = x->lines ? LINE : shared->bytes > WORD ? shared->bytes : WORD;
}

// Returns false if the lanes do not have the same distances as those of the warp before.
static bool begin_side(struct alike_side *x, int64_t first, int n) {
    const struct accesses *a = x->a;
    int64_t apart[LANES] = {0}, differ = 0, at = accesses_lane(a, first);
    int64_t least = at, most = at;
    for (int l = 0; a->sw.b && l < n; ++l) differ |= accesses_lane(a, first + l) ^ at;
    for (int l = 0; l < n; ++l) {
        int64_t lane = accesses_lane(a, first + l);
        if (lane < least) least = lane;
        if (lane > most) most = lane;
        apart[l] = a->sw.b ? lane & differ : lane - at;
    }
    bool same = differ == x->differ && memcmp(apart, x->apart, sizeof apart) == 0;
    x->first = least;
    x->span = most - least;
    x->differ = differ;
    x->rest = at & ~differ;
    memcpy(x->apart, apart, sizeof apart);
    return same;
}

void alike_warp(struct alike *x, int64_t warp) {
    const struct accesses *any = x->side[x->side[0].a == NULL].a;
    const int64_t first = warp * LANES;
    if (!x->any || first >= any->threads) return;
    const int64_t left = any->threads - first;
    const int n = left < LANES ? (int)left : LANES;
    uint32_t there = n == LANES ? UINT32_MAX : ((uint32_t)1 << n) - 1;
    bool same = there == x->there;
    for (int i = 0; i < 2; ++i)
        if (x->side[i].a) same &= begin_side(&x->side[i], first, n);
    for (int i = 0; !same && i < ALIKE_PLACES; ++i) x->one[i].known = false;
    x->there = there;
    x->warp = warp;
    x->n = -1;
}

// Sets "key" to what moves all lanes in access "n", before and after the swizzle, as far as it
// matters. False if it does not move all alike.
static bool side_begins(const struct alike *x, int side, int64_t n, int64_t shift,
                        struct alike_key *key) {
    const struct alike_side *y = &x->side[side];
    const struct accesses *a = y->a;
    int64_t moved = accesses_under(a, n, shift), under = y->rest + moved;
    if (under < 0) return false;
    if (under & y->differ) {
        int64_t end = 1;
        under = y->first + moved;
        while (y->span + (under & (end - 1)) >= end) end *= 2;
        key->low[side] = (under & (end - 1)) + 1;
        under &= ~(end - 1);
    }
    int64_t began = accesses_swizzled(a, under) * a->elem_bytes;
    int64_t from = accesses_behind(a, shift) & (y->multiple - 1);
    if (!a->sw.b) {
        began = (began + from) & (y->multiple - 1);
        from = 0;
    } else if (!from) {  // otherwise the addition carries differently for each lane
        began &= (x->lines ? LINE : a->bytes) - 1;
    }
    key->began[side] = began;
    key->from[side] = from;
    return true;
}

static bool begins(struct alike *x, int64_t n, int64_t shift, struct alike_key *key) {
    const struct accesses *global = x->side[0].a;
    int64_t of_global = global ? accesses_shifts(global) : 1;
    memset(key, 0, sizeof *key);
    if (!x->any) return false;
    if (x->n != n) {
        x->n = n;
        x->n_lanes = x->there;
        for (int i = 0; i < 2; ++i)
            if (x->side[i].a) x->n_lanes &= accesses_there(x->side[i].a, x->warp, n);
    }
    key->lanes = x->n_lanes;
    return (!x->whole || x->n_lanes == UINT32_MAX) &&
           (!global || side_begins(x, 0, n, shift % of_global, key)) &&
           (!x->side[1].a || side_begins(x, 1, n, shift / of_global, key));
}

static unsigned place_of(const struct alike_key *k) {
    uint64_t h = k->lanes;
    for (int i = 0; i < 2; ++i)
        h = (h ^ (uint64_t)k->began[i] ^ (uint64_t)k->low[i] << 10 ^ (uint64_t)k->from[i] << 20) *
            0x9e3779b97f4a7c15;
    return (unsigned)(h >> 40) % ALIKE_PLACES;
}

const struct alike_one *alike_find(struct alike *x, int64_t n, int64_t shift) {
    struct alike_key key;
    if (!begins(x, n, shift, &key)) return NULL;
    const struct alike_one *o = &x->one[place_of(&key)];
    return o->known && memcmp(&o->key, &key, sizeof key) == 0 ? o : NULL;
}

void alike_note(struct alike *x, int64_t n, int64_t shift, bool ok, uint32_t lanes,
                const struct warp_cost *cost, const struct warp_cost *least) {
    struct alike_key key;
    if (begins(x, n, shift, &key))
        x->one[place_of(&key)] = (struct alike_one){true, ok, key, lanes, *cost, *least};
}
