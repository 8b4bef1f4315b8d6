// Which skewed tile: all shapes that threads and warps divide, and the cost of each.
#include "planner/skew.h"

#include "image/elem.h"

enum {
    WARP = 32,
    WIDE = 16,  // bytes of a write
    WORD = 4,   // of a read
    SECTOR = 32,
    LINE = 128,
    LONG = 96,                // bytes of a window, at the least
    ONE = 16,                 // a clock
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_LOADS = 40,          // of a thread
    MOST_SHARED = 66 * 1024,  // bytes of a tile
    MOST_OUTER = 65535,       // blocks along the second and third coordinate
    PITCHES = 8               // that are tried
};

// Whether each window begins within its row, some tile lies wholly in the tensors, and what is read
// of the source begins within its rows.
static bool fits(const struct relayout *r, const struct skewed *k) {
    int64_t y = r->mode[k->y].extent, x = r->mode[k->x].extent;
    int64_t last = (skew_tiles_y(r, k) - 1) * k->window;
    return skew_tiles_x(r, k) * skew_tiles_y(r, k) <= INT32_MAX && last + k->step <= y &&
           skew_rows(k) <= y && k->first + k->fetched + k->beyond <= x;
}

static bool divides(int64_t a, int64_t b) {
    return a > 0 && b % a == 0;
}

static int lanes(int64_t n) {
    return n > WARP ? WARP : (int)n;
}

// Whether threads and warps divide what they have, and it is not too much.
static bool comes_out_even(const struct relayout *r, const struct skewed *k) {
    int64_t warps = k->threads / WARP, values = skew_rows(k) * k->fetched / k->threads;
    int64_t across = k->window / k->vector;
    if (values / k->load > MOST_LOADS || values * r->type->bits / 8 > MOST_HELD) return false;
    if (!divides(k->vector, k->window) || !divides(lanes(across), across)) return false;
    if (warps > k->step ? !divides(k->step, warps) : !divides(warps, k->step)) return false;
    if (!divides(warps > k->step ? warps : k->step, k->across)) return false;
    if (k->load == 1)
        return divides(k->columns, k->threads) && divides(k->columns, k->across) &&
               divides(k->threads / k->columns, skew_rows(k));
    int64_t words = k->fetched / k->load;
    return divides(k->load, warps) && divides(warps, skew_rows(k)) &&
           divides(lanes(words), words) && divides(lanes(words), WARP) &&
           divides(warps * WARP / lanes(words), skew_rows(k));
}

// Passes of shared memory for one element that goes through it, times 32 * ONE.
static int64_t passes(const struct relayout *r, const struct skewed *k) {
    int64_t es = r->type->bits / 8, put[WARP], got[WARP], gets = 0, puts = 0;
    int64_t across = lanes(k->window / k->vector), words = lanes(k->fetched / k->load);
    int64_t held = skew_rows(k) * k->columns / k->threads, warps = k->threads / WARP;
    int64_t apart = warps > k->step ? warps : k->step;
    int wide = (int)es * k->vector, together = WARP * WORD / wide, half = es > WORD ? 16 : WARP;
    for (int l = 0; l < WARP; ++l) {
        put[l] = k->load > 1 ? l % words * k->load * k->pitch + l / words * warps
                             : l % k->columns * k->pitch + l / k->columns * held;
        got[l] = l / across * apart * k->pitch + l % across * k->vector;
        put[l] *= es;
        got[l] *= es;
    }
    for (int l = 0; l < WARP; l += together) gets += bank_passes(got, l, l + together, wide);
    for (int l = 0; l < WARP; l += half) puts += bank_passes(put, l, l + half, (int)es);
    int64_t read = skew_rows(k) * k->fetched, written = k->window * k->across;
    return ONE * (puts * read / written) + ONE * gets / k->vector;
}

static void set_cost(const struct relayout *r, struct skewed *k) {
    int64_t es = r->type->bits / 8, rows = skew_rows(k), written = k->window * k->across;
    bool torn = k->step * es % SECTOR != 0;  // sectors at the ends of windows
    // half sectors of a tile: each row of the source begins within one
    int64_t memory = rows * (2 * k->fetched * es / SECTOR + 2) +
                     k->across * (2 * k->window * es / SECTOR + (torn ? 4 : 0));
    memory = memory * ONE / 2;
    int64_t lsu = rows * (k->fetched * es / LINE + 1) + k->across * (k->window * es / LINE + 1);
    lsu = lsu * ONE + passes(r, k) * written / WARP;
    // "fits" has seen that these numbers are small
    k->cost = (memory + lsu) * skew_tiles_x(r, k) * skew_tiles_y(r, k);
}

static void try_pitches(const struct relayout *r, struct skewed *k, struct skewed *best) {
    int64_t need = skew_rows(k) + k->step, rest = r->mode[k->x].dst % k->vector;
    int64_t most = r->shared < MOST_SHARED ? r->shared : MOST_SHARED, es = r->type->bits / 8;
    k->pitch = need + (rest - need % k->vector + k->vector) % k->vector;
    for (int i = 0; i < PITCHES; ++i, k->pitch += k->vector) {
        if (k->pitch * (k->first + k->fetched + k->beyond) * es > most) return;
        set_cost(r, k);
        if (k->cost < best->cost) *best = *k;
    }
}

// All that can be with these windows and reads.
static void try_tiles(const struct relayout *r, struct skewed *k, struct skewed *best) {
    for (k->fetched = 32; k->fetched <= 128; k->fetched *= 2)
        for (k->threads = 128; k->threads <= 512; k->threads *= 2)
            for (k->beyond = 0; k->beyond < 2 * k->load; k->beyond += k->load) {
                int64_t warps = k->threads / WARP, part = warps > k->step ? warps : k->step;
                bool all = k->load == 1 || k->beyond;
                int64_t rest = r->mode[k->x].dst % k->step;
                // with others than these it would be too much to prove
                bool plain = k->step >= warps && (rest == 1 || rest == k->step - 1);
                if ((k->beyond || (k->load > 1 && k->step > warps)) && !plain) break;
                if (k->beyond && k->load == 1) break;
                k->first = k->load > 1 ? k->step : 0;
                k->across = all ? k->fetched : (k->fetched - k->load) / part * part;
                for (k->columns = WARP; k->columns <= k->fetched; k->columns *= 2) {
                    if (k->across > 0 && fits(r, k) && comes_out_even(r, k))
                        try_pitches(r, k, best);
                    if (k->load > 1) break;
                }
            }
}

// Whether blocks begin at other places of a word than others do.
static bool blocks_differ(const struct relayout *r, const struct skewed *k) {
    bool differ = false;
    for (int m = 0; m < r->rank; ++m)
        if (m != k->x && m != k->y)
            differ |= r->mode[m].src % k->load != 0 || r->mode[m].dst % k->step != 0;
    return differ;
}

// Modes besides x and y are the second and third coordinate of a block.
static bool outer_modes_fit(const struct relayout *r, const struct skewed *k) {
    for (int m = 0; m < r->rank; ++m)
        if (m != k->x && m != k->y && r->mode[m].extent > MOST_OUTER) return false;
    return r->rank <= 4;
}

bool skew_choose(const struct relayout *r, struct skewed *best) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = r->type->bits / 8;
    best->cost = INT64_MAX;
    if (r->rank < 2 || es >= WIDE || r->dst_align % WIDE) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    struct skewed k = {.x = src[0], .y = dst[0]};
    if (k.x == k.y || r->mode[k.x].src != 1 || r->mode[k.y].dst != 1) return false;
    if (!outer_modes_fit(r, &k)) return false;
    int most = es < WORD ? WORD / es : 1;
    for (k.vector = WIDE / es; k.vector * es >= WIDE / 2; k.vector /= 2)
        for (k.load = 1; k.load <= most && r->src_align % (k.load * es) == 0; k.load *= 2)
            for (k.step = k.vector; k.step * es <= SECTOR; k.step *= 2)
                for (int64_t rows = 32; rows <= 256; rows *= 2)
                    for (int beyond = 0; beyond < 2; ++beyond) {
                        k.window = beyond ? rows : rows - k.step;
                        bool torn = r->mode[k.x].dst % k.vector != 0;
                        // too much to prove
                        if (k.load > 1 && blocks_differ(r, &k)) continue;
                        if (torn && k.window * es >= LONG) try_tiles(r, &k, best);
                    }
    return best->cost < INT64_MAX;
}
