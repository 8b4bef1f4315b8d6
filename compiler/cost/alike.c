// Instructions that cost the same (see alike.h).
#include "cost/alike.h"

#include <string.h>

enum { SECTOR = 32, WORD = 4 };

void alike_begin(struct alike *x, const struct accesses *a, enum cost_class class) {
    bool global = class == COST_LD_GLOBAL || class == COST_ST_GLOBAL;
    bool shared = class == COST_LD_SHARED || class == COST_ST_SHARED;
    memset(x, 0, sizeof *x);
    if ((!global && !shared) || (global && a->sw.b) || a->group || a->nlimits || a->neach != 1)
        return;
    if (a->elem_bytes & (a->elem_bytes - 1) || a->bytes & (a->bytes - 1)) return;
    x->a = a;
    x->multiple = global ? SECTOR : a->bytes > WORD ? a->bytes : WORD;
}

void alike_warp(struct alike *x, int64_t warp) {
    const struct accesses *a = x->a;
    const int64_t first = warp * COST_LANES;
    if (!a || first >= a->threads) return;
    const int64_t left = a->threads - first, n = left < COST_LANES ? left : COST_LANES;
    int64_t apart[COST_LANES] = {0}, differ = 0, at = accesses_lane(a, first);
    for (int l = 0; a->sw.b && l < n; ++l) differ |= accesses_lane(a, first + l) ^ at;
    for (int l = 0; l < n; ++l) {
        int64_t lane = accesses_lane(a, first + l);
        apart[l] = a->sw.b ? lane & differ : lane - at;
    }
    uint32_t there = n == COST_LANES ? UINT32_MAX : ((uint32_t)1 << n) - 1;
    if (there != x->there || differ != x->differ || memcmp(apart, x->apart, sizeof apart) != 0)
        for (int i = 0; i < ALIKE_PLACES; ++i) x->one[i].known = false;
    x->there = there;
    x->differ = differ;
    x->rest = at & ~differ;
    memcpy(x->apart, apart, sizeof apart);
}

// What moves all lanes in access "n": under the swizzle and after it, as far as it matters.  False
// where it does not move all alike.
static bool begins(const struct alike *x, int64_t n, int64_t shift, int64_t *began, int64_t *from) {
    const struct accesses *a = x->a;
    int64_t under = x->rest + accesses_under(a, n, shift);
    if (under < 0 || under & x->differ) return false;
    *began = accesses_swizzled(a, under) * a->elem_bytes;
    *from = accesses_behind(a, shift) & (x->multiple - 1);
    if (a->sw.b) {  // within a word it matters only to what is added
        *began &= (*from ? x->multiple : a->bytes) - 1;
        return true;
    }
    *began = (*began + *from) & (x->multiple - 1);
    *from = 0;
    return true;
}

static int place_of(int64_t began, int64_t from) {
    return (int)(((uint64_t)began ^ (uint64_t)from) % ALIKE_PLACES);
}

const struct alike_one *alike_find(const struct alike *x, int64_t n, int64_t shift) {
    int64_t began, from;
    if (!x->a || !begins(x, n, shift, &began, &from)) return NULL;
    const struct alike_one *o = &x->one[place_of(began, from)];
    return o->known && o->began == began && o->from == from ? o : NULL;
}

void alike_note(struct alike *x, int64_t n, int64_t shift, bool ok, uint32_t lanes,
                const struct warp_cost *cost, const struct warp_cost *least) {
    int64_t began, from;
    if (x->a && begins(x, n, shift, &began, &from))
        x->one[place_of(began, from)] =
            (struct alike_one){true, ok, began, from, lanes, *cost, *least};
}
