// The rules (see warp.h).  The table of an architecture says which ones it has (tables.h).
#include "cost/warp.h"

#include <string.h>

#include "cost/tables.h"
#include "hw/sizes.h"

const char *cost_class_name(enum cost_class c) {
    static const char *const name[N_COST_CLASSES] = {
        [COST_LD_GLOBAL] = "ld.global",
        [COST_ST_GLOBAL] = "st.global",
        [COST_LD_SHARED] = "ld.shared",
        [COST_ST_SHARED] = "st.shared",
        [COST_CP_ASYNC_CA] = "cp.async.ca",
        [COST_CP_ASYNC_CG] = "cp.async.cg",
        [COST_BULK] = "bulk",
        [COST_LDMATRIX] = "ldmatrix",
        [COST_STMATRIX] = "stmatrix",
    };
    return name[c];
}

// -- common ---------------------------------------------------------------------------------------

static bool on(const struct warp_access *a, int lane) {
    return a->lanes >> lane & 1;
}

// Inserts "x" into a hash table; false if it is already there.
static bool distinct_put(int64_t *slot, uint64_t *used, int64_t x) {
    unsigned at = (unsigned)((uint64_t)x * 0x9e3779b97f4a7c15 >> 58);
    while (*used >> at & 1) {
        if (slot[at] == x) return false;
        at = (at + 1) % (2 * LANES);
    }
    *used |= (uint64_t)1 << at;
    slot[at] = x;
    return true;
}

// The number of different values among "n" (at most 32).
static int distinct(const int64_t *value, int n) {
    int64_t slot[2 * LANES], most = INT64_MIN;
    uint64_t used = 0;
    int k = 0;
    for (int i = 0; i < n; ++i) {
        if (value[i] <= most && !used) {  // the values have been ascending up to here
            for (int j = 0; j < i; ++j) distinct_put(slot, &used, value[j]);
        }
        if (used || value[i] <= most) {
            k += distinct_put(slot, &used, value[i]);
            continue;
        }
        most = value[i];
        ++k;
    }
    return k;
}

static struct cost_range exactly(int64_t n) {
    return (struct cost_range){n, n};
}

static void add(struct cost_range *to, int64_t least, int64_t most) {
    to->least += least;
    to->most += most;
}

// The number of lanes that access together: those that move 128 bytes.
static int group_of(const struct warp_access *a) {
    return a->bits <= 32 ? LANES : LINE * 8 / a->bits;
}

// -- global memory --------------------------------------------------------------------------------

static int sectors(const struct warp_access *a) {
    int64_t at[LANES];
    int n = 0;
    for (int l = 0; l < LANES; ++l)
        if (on(a, l)) at[n++] = a->global[l] / SECTOR;
    return distinct(at, n);
}

// -- banks of shared memory -----------------------------------------------------------------------

// The largest number of different words that one bank must deliver to lanes "begin" .. "end" - 1.
static int conflict(const struct warp_access *a, int begin, int end) {
    int64_t word[BANKS][LANES];
    int n[BANKS] = {0}, most = 0, words = a->bits <= 32 ? 1 : a->bits / 32;
    for (int l = begin; l < end; ++l) {
        for (int k = 0; on(a, l) && k < words; ++k) {
            int64_t w = a->shared[l] / WORD + k;
            word[w % BANKS][n[w % BANKS]++] = w;
        }
    }
    for (int b = 0; b < BANKS; ++b) {
        int d = distinct(word[b], n[b]);
        if (d > most) most = d;
    }
    return most;
}

enum merging { APART, PERHAPS, TOGETHER };

// Whether all pairs of lanes with the distance "apart" share addresses.  If one lane of a pair
// takes no part, the rule is not known.
static enum merging share(const struct warp_access *a, int begin, int end, int apart) {
    enum merging m = TOGETHER;
    for (int l = begin; l < end; ++l) {
        int other = l ^ apart;
        if (on(a, l) && on(a, other) && a->shared[l] != a->shared[other]) return APART;
        if (on(a, l) != on(a, other)) m = PERHAPS;
    }
    return m;
}

static struct cost_range banks(const struct warp_access *a, bool merges) {
    struct cost_range r = {0, 0};
    int n = group_of(a);
    if (n == LANES) {
        int k = conflict(a, 0, LANES);
        return exactly(k > 1 ? k : a->lanes != 0);
    }
    for (int i = 0; i < LANES; i += 2 * n) {
        int apart = conflict(a, i, i + n) + conflict(a, i + n, i + 2 * n);
        int at_once = conflict(a, i, i + 2 * n);
        enum merging one = share(a, i, i + 2 * n, 1), two = share(a, i, i + 2 * n, 2);
        enum merging m = !merges ? APART : one > two ? one : two;
        if (m == TOGETHER)
            add(&r, at_once, at_once);
        else
            add(&r, m == PERHAPS && at_once < apart ? at_once : apart, apart);
    }
    return r;
}

static struct cost_range matrices(const struct warp_access *a) {
    struct cost_range r = {0, 0};
    for (int m = 0; m < a->matrices; ++m) {
        int64_t chunk[8][8];
        int n[8] = {0}, most = 0;
        for (int l = 8 * m; l < 8 * m + 8; ++l) {
            int64_t c = a->shared[l] / WIDE;
            chunk[c % 8][n[c % 8]++] = c;
        }
        for (int b = 0; b < 8; ++b) {
            int d = distinct(chunk[b], n[b]);
            if (d > most) most = d;
        }
        add(&r, most, most);
    }
    return r;
}

// -- cp.async -------------------------------------------------------------------------------------

// Through the L1 cache: in each wavefront, a bank delivers to one lane and a bank takes from one
// lane. If both sides have conflicts, the count depends on an unknown order.
static struct cost_range cached(const struct warp_access *a) {
    struct cost_range r = {0, 0};
    int n = group_of(a), width = a->bits / 8, places = LINE / width;
    for (int i = 0; i < LANES; i += n) {
        int src[LANES] = {0}, dst[LANES] = {0}, x = 0, y = 0;
        for (int l = i; l < i + n; ++l) {
            if (!on(a, l)) continue;
            int s = ++src[a->global[l] / width % places], d = ++dst[a->shared[l] / width % places];
            if (s > x) x = s;
            if (d > y) y = d;
        }
        add(&r, x > y ? x : y, x <= 1 ? y : y <= 1 ? x : (int64_t)x * y);
    }
    return r;
}

// Past the L1 cache: what moves from one line of global memory to one line of shared memory is
// moved together, by sectors.  A wavefront writes whole sectors, or the same half of each, with all
// halves either in the source's order or exchanged.
struct sector_move {
    int from, to;  // sector numbers in their lines, 0 .. 3
    bool exchanged;
    int halves;  // the written halves of the sector, as bits
};

// An upper bound for the wavefronts of these sectors.  Sectors are always moved together if all are
// rotated by the same distance in the line, or all XORed with the same number; other combinations
// only sometimes.
static int moves_most(const struct sector_move *m, int n) {
    int sets[8] = {0}, k = 0;
    for (int i = 0; i < n; ++i) {
        sets[(m[i].to - m[i].from) & 3] |= 1 << i;
        sets[4 + (m[i].to ^ m[i].from)] |= 1 << i;
    }
    for (k = 1; k < n; ++k) {  // the fewest of the 8 sets that contain all
        for (int pick = 0; pick < 256; ++pick) {
            int all = 0;
            if (__builtin_popcount((unsigned)pick) != k) continue;
            for (int i = 0; i < 8; ++i)
                if (pick >> i & 1) all |= sets[i];
            if (all == (1 << n) - 1) return k;
        }
    }
    return n;
}

// A lower bound: a wavefront reads and writes no sector twice, and does not write two sectors of
// equal parity from the same half of the source's line.
static int moves_least(const struct sector_move *m, int n) {
    int read[4] = {0}, written[4] = {0}, between[4] = {0}, most = 0;
    for (int i = 0; i < n; ++i) {
        int r = ++read[m[i].from], w = ++written[m[i].to];
        int b = ++between[m[i].from / 2 * 2 + m[i].to % 2];
        if (r > most) most = r;
        if (w > most) most = w;
        if (b > most) most = b;
    }
    return most;
}

// Adds the moves from one line to another, grouped by what a wavefront must have in common.
// "lanes": if some lanes share a source, an upper bound for their wavefronts, as nothing else is
// known; otherwise 0.
static void add_moves(struct cost_range *r, const struct sector_move *m, int n, int lanes) {
    struct cost_range all = {0, 0};
    for (int kind = 0; kind < 8; ++kind) {
        struct sector_move same[LANES];
        int k = 0;
        for (int i = 0; i < n; ++i)
            if (m[i].halves * 2 + m[i].exchanged == kind) same[k++] = m[i];
        if (k) add(&all, moves_least(same, k), moves_most(same, k));
    }
    add(r, all.least, lanes ? lanes : all.most);
}

static struct cost_range lines(const struct warp_access *a) {
    struct cost_range r = {0, 0};
    bool done[LANES] = {false};
    for (int l = 0; l < LANES; ++l) {
        if (!on(a, l) || done[l]) continue;
        struct sector_move m[LANES];
        int64_t source[LANES];
        int n = 0, lanes = 0;
        for (int k = l; k < LANES; ++k) {
            if (!on(a, k) || a->global[k] / LINE != a->global[l] / LINE ||
                a->shared[k] / LINE != a->shared[l] / LINE)
                continue;
            int from = (int)(a->global[k] / WIDE % 8), to = (int)(a->shared[k] / WIDE % 8), i;
            bool exchanged = (from ^ to) & 1;
            done[k] = true;
            source[lanes++] = a->global[k];
            for (i = 0; i < n; ++i)
                if (m[i].from == from / 2 && m[i].to == to / 2 && m[i].exchanged == exchanged)
                    break;
            if (i == n) m[n++] = (struct sector_move){from / 2, to / 2, exchanged, 0};
            m[i].halves |= 1 << (to & 1);
        }
        add_moves(&r, m, n, distinct(source, lanes) < lanes ? lanes : 0);
    }
    return r;
}

// A sector counts once for each line that contributes to it.
static int line_sectors(const struct warp_access *a) {
    int k = 0;
    for (int l = 0; l < LANES; ++l) {
        bool first = on(a, l);
        for (int j = 0; first && j < l; ++j)
            first = !on(a, j) || a->global[j] / LINE != a->global[l] / LINE ||
                    a->shared[j] / SECTOR != a->shared[l] / SECTOR;
        k += first;
    }
    return k;
}

// -- all ------------------------------------------------------------------------------------------

void cost_of_warp(int arch, const struct warp_access *a, struct warp_cost *out) {
    const struct cost_table *t = cost_table_of(arch);
    enum cost_rule global = t->rule[a->class].global;
    memset(out, 0, sizeof *out);
    if (global != RULE_NONE) {
        out->requests = exactly(a->lanes != 0);
        out->sectors = exactly(global == RULE_LINES ? line_sectors(a) : sectors(a));
    }
    switch (t->rule[a->class].shared) {
    case RULE_BANKS: out->wavefronts = banks(a, false); break;
    case RULE_MERGED: out->wavefronts = banks(a, true); break;
    case RULE_MATRICES: out->wavefronts = matrices(a); break;
    case RULE_CACHED: out->wavefronts = cached(a); break;
    case RULE_LINES: out->wavefronts = lines(a); break;
    case RULE_NONE:
    case RULE_SECTORS: break;
    }
}

// The number of different bytes that the lanes touch at "address".
static int64_t bytes_at(const struct warp_access *a, const int64_t *address) {
    int64_t at[LANES];
    int n = 0;
    for (int l = 0; l < LANES; ++l)
        if (on(a, l)) at[n++] = address[l];
    return (int64_t)distinct(at, n) * a->bits / 8;
}

void cost_least(int arch, const struct warp_access *a, struct warp_cost *out) {
    const struct cost_table *t = cost_table_of(arch);
    enum cost_rule shared = t->rule[a->class].shared;
    memset(out, 0, sizeof *out);
    if (t->rule[a->class].global != RULE_NONE) {
        out->requests = exactly(a->lanes != 0);
        out->sectors = exactly((bytes_at(a, a->global) + SECTOR - 1) / SECTOR);
    }
    if (shared == RULE_MATRICES)
        out->wavefronts = exactly(a->matrices);
    else if (shared != RULE_NONE)
        out->wavefronts = exactly((bytes_at(a, a->shared) + LINE - 1) / LINE);
}
