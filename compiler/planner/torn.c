// Chooses a torn tile (see torn.h).
#include "planner/torn.h"

#include <string.h>

enum {
    THREADS = 256,
    WARPS = THREADS / LANES,
    FEWEST = 4,           // tiles along both fast modes, for some params
    FEW_BLOCKS = 8,       // for each SM: fewer wait for one another
    MOST_BLOCKS = 65535,  // along the second and the third axis
    HUGE = 40             // 2^40 elements: the cost might not fit 64 bits
};

// The shape of a tile by the bytes of an element, and the share of memcpy that it reached in percent
// (bench/results/relayout-params.md).
static const struct {
    int window, columns, percent;
} shapes[] = {[1] = {256, 112, 77}, [2] = {256, 56, 88}, [4] = {128, 64, 91}};

static bool is_long(const struct relayout *r, int m, int64_t tile) {
    int64_t lo, hi;
    if (!r->usual)
        return r->mode[m].extent >= tile + tile / 4;  // few of the last tile are not read by words
    lay_int_range(exactly(&r->mode[m], RELAYOUT_EXTENT), &lo, &hi);
    return hi >= FEWEST * tile && r->mode[m].extent >= tile;
}

// Whether a stride is a sum of params: begins of rows would not cancel out.
static bool has_sums(const struct relayout *r) {
    bool any = false;
    for (int m = 0; m < r->rank; ++m)
        for (int k = RELAYOUT_SRC; k <= RELAYOUT_DST; ++k) {
            struct lay_int x = exactly(&r->mode[m], k);
            for (int i = 0; i < x.nsyms; ++i)
                any |= x.syms[i]->name && strchr(x.syms[i]->name, ' ');
        }
    return any;
}

// Whether, by numbers, rows of the source begin at multiples of a part of a word: the compiler then knows
// guards of such parts, which a word cannot have.
static bool has_parts(const struct relayout *r, const struct torn *k) {
    bool any = false;
    for (int m = 0; m < r->rank; ++m) {
        int64_t d = lay_gcd(r->mode[m].src, k->load);
        any |= m != k->x && d > 1 && d < k->load;
    }
    return !r->usual && any;
}

// Whether "r" is by numbers and too large for a cost.
static bool is_huge(const struct relayout *r) {
    int64_t n = 1;
    for (int m = 0; m < r->rank && n >> HUGE == 0; ++m)
        if (__builtin_mul_overflow(n, r->mode[m].extent, &n)) n = INT64_MAX;
    return !r->usual && n >> HUGE > 0;
}

bool torn_choose(const struct relayout *r, struct torn *k) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = bytes_of(r, true);
    if (r->to || r->several || r->rank < 2 || es > WORD) return false;
    if (r->src_align % WORD || r->dst_align % WIDE) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    *k = (struct torn){.x = src[0], .y = dst[0], .load = WORD / es, .store = WIDE / es};
    if (k->x == k->y || r->mode[k->x].src != 1 || r->mode[k->y].dst != 1) return false;
    if (r->mode[k->y].src == 0 || has_sums(r)) return false;
    if (is_huge(r) || has_parts(r, k)) return false;
    int64_t window = shapes[es].window, across = shapes[es].columns, blocks = 1;
    if (!is_long(r, k->y, window) || !is_long(r, k->x, across)) return false;
    k->rows = window + (k->store > WARPS ? k->store : WARPS);
    // a word more in each row, where the row does not begin at one
    k->columns = (across + k->load - 1 + LANES * k->load - 1) / (LANES * k->load) * LANES * k->load;
    // neighbours in a row of the destination are in different banks, and so are those in a column
    int64_t words = k->columns / k->load + 1, part = k->rows / k->store * words;
    part += (BANKS / k->store + BANKS - part % BANKS) % BANKS;
    k->pitch = words * k->load;
    k->part = part * k->load;
    for (int m = 0; m < r->rank; ++m) k->c.tile[m] = m == k->y ? window : m == k->x ? across : 1;
    k->c.threads = THREADS;
    k->c.grid.lead = -1;
    if (k->part * k->store * es > r->shared) return false;
    // other modes have axes of their own: digits of one number might be recombined in an offset, so that the
    // begin of a window would not cancel out
    int others = 0;
    for (int m = 0; m < r->rank; ++m) {
        if (m == k->x || m == k->y || !is_tiled(r, &k->c, m)) continue;
        bool number = !lay_int_valid(r->mode[m].run[RELAYOUT_EXTENT]);
        if (++others == AXES || (number && r->mode[m].extent > MOST_BLOCKS)) return false;
    }
    for (int m = 0; m < r->rank; ++m) blocks *= tiles_along(r, &k->c, m);
    k->few = !r->usual && blocks < FEW_BLOCKS * SMS;
    int64_t bytes = 2 * blocks * window * across * es;
    k->cost = bytes * COST_CLOCK / COST_BYTES / SMS * COST_FASTER / shapes[es].percent;
    return true;
}
