// Assigns lanes to wavefronts (see waves.h) by the rules of cost/warp.c, which counts them.
#include "draw/waves.h"
#include "hw/sizes.h"

enum { SETS = 8 };

static bool on(const struct warp_access *a, int lane) {
    return a->lanes >> lane & 1;
}

// The number of lanes that access together.
static int group_of(const struct warp_access *a) {
    return a->bits <= 32 ? LANES : LINE * 8 / a->bits;
}

static bool share(const struct warp_access *a, int begin, int end, int apart) {
    for (int l = begin; l < end; ++l)
        if (on(a, l) != on(a, l ^ apart) || (on(a, l) && a->shared[l] != a->shared[l ^ apart]))
            return false;
    return true;
}

static bool merge(const struct warp_access *a, int begin, int end) {
    return a->class == COST_LD_SHARED && (share(a, begin, end, 1) || share(a, begin, end, 2));
}

bool waves_merge(const struct warp_access *a) {
    int n = group_of(a);
    for (int i = 0; n < LANES && i < LANES; i += 2 * n)
        if (merge(a, i, i + 2 * n)) return true;
    return false;
}

// Lanes "begin" .. "end" - 1: two whose pieces of "bytes" are at the same place of their lines need
// different wavefronts.  "first": the first wavefront; returns the one after the last.
static int by_place(const struct warp_access *a, int begin, int end, int bytes, int first,
                    int *wave) {
    int places = LINE / bytes, next = first;
    for (int l = begin; l < end; ++l) {
        int64_t x = a->shared[l] / bytes;
        if (!on(a, l)) continue;
        wave[l] = first;
        for (int k = begin; k < l; ++k) {
            int64_t y = a->shared[k] / bytes;
            if (on(a, k) && y == x) {
                wave[l] = wave[k];
                break;
            }
            if (on(a, k) && y % places == x % places && wave[k] >= wave[l]) wave[l] = wave[k] + 1;
        }
        if (wave[l] >= next) next = wave[l] + 1;
    }
    return next;
}

static int banks(const struct warp_access *a, int *wave) {
    int n = group_of(a), bytes = a->bits <= 32 ? WORD : a->bits / 8, next = 0;
    for (int i = 0; i < LANES; i += n) {
        bool both = i % (2 * n) == 0 && n < LANES && merge(a, i, i + 2 * n);
        next = by_place(a, i, i + (both ? 2 * n : n), bytes, next, wave);
        i += both ? n : 0;
    }
    return next;
}

static int matrices(const struct warp_access *a, int *wave) {
    int next = 0;
    for (int m = 0; m < a->matrices; ++m) next = by_place(a, 8 * m, 8 * m + 8, WIDE, next, wave);
    return next;
}

// A lane is served when both the bank that delivers and the one that takes are free.
static int cached(const struct warp_access *a, int *wave) {
    int n = group_of(a), bytes = a->bits / 8, places = LINE / bytes, first = 0, next = 0;
    for (int i = 0; i < LANES; i += n, first = next) {
        for (int l = i; l < i + n; ++l) {
            if (!on(a, l)) continue;
            wave[l] = first;
            for (int k = i; k < l; ++k) {
                if (!on(a, k) || wave[k] != wave[l] ||
                    (a->global[k] / bytes % places != a->global[l] / bytes % places &&
                     a->shared[k] / bytes % places != a->shared[l] / bytes % places))
                    continue;
                ++wave[l];
                k = i - 1;
            }
            if (wave[l] >= next) next = wave[l] + 1;
        }
    }
    return next;
}

// -- past the L1 cache ----------------------------------------------------------------------------

// Source and destination of 16 bytes of a lane.
struct move {
    int from, to;  // sector numbers in their lines
    bool exchanged;
    int halves;
};

// The sets of moves that go together, as bits: rotated by the same distance, or XORed with the same
// number.
static int sets_of(const struct move *m) {
    return 1 << ((m->to - m->from) & 3) | 1 << (4 + (m->to ^ m->from));
}

static bool alike(const struct move *m, const struct move *n) {
    return m->halves == n->halves && m->exchanged == n->exchanged;
}

// The smallest choice of sets that contains all moves of "m" like "like".
static int choose_sets(const struct move *m, const int *lane, int n, const struct move *like) {
    for (int k = 1; k < SETS; ++k) {
        for (int pick = 0; pick < 1 << SETS; ++pick) {
            bool all = __builtin_popcount((unsigned)pick) == k;
            for (int i = 0; all && i < n; ++i)
                all = !alike(&m[lane[i]], like) || sets_of(&m[lane[i]]) & pick;
            if (all) return pick;
        }
    }
    return (1 << SETS) - 1;
}

// The "n" lanes that move data from one line to another.
static int line_to_line(struct move *m, const int *lane, int n, int first, int *wave) {
    for (int i = 0; i < n; ++i) {
        struct move *x = &m[lane[i]];
        x->halves = 0;
        for (int k = 0; k < n; ++k) {
            const struct move *y = &m[lane[k]];
            if (y->from / 2 == x->from / 2 && y->to / 2 == x->to / 2 &&
                y->exchanged == x->exchanged)
                x->halves |= 1 << (y->to & 1);
        }
    }
    for (int i = 0; i < n; ++i) {
        m[lane[i]].from /= 2;
        m[lane[i]].to /= 2;
    }
    for (int i = 0; i < n; ++i) {
        if (wave[lane[i]] >= 0) continue;
        int pick = choose_sets(m, lane, n, &m[lane[i]]);
        for (int k = i; k < n; ++k) {
            if (!alike(&m[lane[k]], &m[lane[i]])) continue;
            int set = __builtin_ctz((unsigned)(sets_of(&m[lane[k]]) & pick));
            wave[lane[k]] = first + __builtin_popcount((unsigned)(pick & ((1 << set) - 1)));
        }
        first += __builtin_popcount((unsigned)pick);
    }
    return first;
}

static int lines(const struct warp_access *a, int *wave) {
    struct move m[LANES];
    int next = 0;
    for (int l = 0; l < LANES; ++l) {
        int from = (int)(a->global[l] / WIDE % 8), to = (int)(a->shared[l] / WIDE % 8);
        m[l] = (struct move){from, to, (from ^ to) & 1, 0};
    }
    for (int l = 0; l < LANES; ++l) {
        int lane[LANES], n = 0;
        if (!on(a, l) || wave[l] >= 0) continue;
        for (int k = l; k < LANES; ++k)
            if (on(a, k) && a->global[k] / LINE == a->global[l] / LINE &&
                a->shared[k] / LINE == a->shared[l] / LINE)
                lane[n++] = k;
        next = line_to_line(m, lane, n, next, wave);
    }
    return next;
}

int waves_of(const struct warp_access *a, int wave[LANES]) {
    for (int l = 0; l < LANES; ++l) wave[l] = -1;
    switch (a->class) {
    case COST_LD_SHARED:
    case COST_ST_SHARED: return banks(a, wave);
    case COST_LDMATRIX:
    case COST_STMATRIX: return matrices(a, wave);
    case COST_CP_ASYNC_CA: return cached(a, wave);
    case COST_CP_ASYNC_CG: return lines(a, wave);
    case COST_LD_GLOBAL:
    case COST_ST_GLOBAL:
    case COST_BULK:
    case COST_NONE:
    case N_COST_CLASSES: break;
    }
    return 0;
}
