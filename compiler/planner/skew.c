// Chooses a skewed tile: tries all shapes that threads and warps divide, by their costs.
#include "planner/skew.h"

enum {

    LONG = 96,                // least bytes of a window
    FEW = 16,                 // blocks on an SM: the last ones matter
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_NARROW = 64,         // most elements of it that are narrower than a register
    MOST_LOADS = 40,          // for each thread
    MOST_SHARED = 72 * 1024,  // bytes of a tile
    MOST_OUTER = 65535,       // most blocks along the second and third coordinate
    PITCHES = 8,              // numbers of pitches to try
    ASYNC = 80,               // the first architecture with cp.async
    HEAD = 300,               // cost of an element before the first window of a row
    PERCENT = 100,
    BY_ELEMENTS = 93,     // percent of the cost, if the source is read element by element
    BLOCKS_DIFFER = 142,  // the same, if blocks begin at different places in a word
    BESIDE_TILES = 112    // the same, where it is compared with other tiles
};

// Whether each window begins inside its row, some tile is completely inside the tensors, and the
// reads of the source begin inside its rows.
static bool fits(const struct relayout *r, const struct skewed *k) {
    int64_t y = r->mode[k->y].extent, x = r->mode[k->x].extent;
    int64_t last = (skew_tiles_y(r, k) - 1) * k->window;
    int64_t most = r->mode[k->x].dst % k->step == 1 ? k->step : k->step - 1;
    return skew_tiles_x(r, k) * skew_tiles_y(r, k) <= INT32_MAX && last + most <= y &&
           skew_rows(k) <= y && k->first + k->fetched <= x;
}

static bool divides(int64_t a, int64_t b) {
    return a > 0 && b % a == 0;
}

static int lanes(int64_t n) {
    return n > LANES ? LANES : (int)n;
}

// Whether threads and warps divide their work equally, within the limits.
static bool comes_out_even(const struct relayout *r, const struct skewed *k) {
    int64_t warps = k->threads / LANES, values = skew_rows(k) * k->fetched / k->threads;
    int64_t across = k->window / k->vector;
    if (r->type->bits < 8 * WORD && (values > MOST_NARROW || k->threads > 256)) return false;
    if (values / k->load > MOST_LOADS || values * r->type->bits / 8 > MOST_HELD) return false;
    if (!divides(k->vector, k->window) || !divides(skew_lanes(k), across)) return false;
    if (warps > k->step ? !divides(k->step, warps) : !divides(warps, k->step)) return false;
    if (!divides(skew_apart(k), k->across)) return false;
    if (k->load == 1)
        return divides(k->columns, k->threads) && divides(k->columns, k->across) &&
               divides(k->threads / k->columns, skew_rows(k));
    // more classes than warps would be too much to prove
    int64_t words = k->fetched / k->load;
    return k->step <= warps && divides(k->load, warps) && divides(warps, skew_rows(k)) &&
           divides(lanes(words), words) && divides(lanes(words), LANES) &&
           divides(SKEW_PIECES * warps * LANES / lanes(words), skew_rows(k));
}

// Whether blocks begin at different places in a word.
static bool blocks_differ(const struct relayout *r, const struct skewed *k) {
    bool differ = false;
    for (int m = 0; m < r->rank; ++m)
        if (m != k->x && m != k->y)
            differ |= r->mode[m].src % k->load != 0 || r->mode[m].dst % k->step != 0;
    return differ;
}

// How many rows of a class the lanes of a warp write at a time, with "across" lanes for each row.
static int rows_at_once(const struct skewed *k, int across) {
    int64_t rows = k->across / skew_apart(k);
    int down = 1;
    for (int d = 1; d <= LANES / across; ++d)
        if (rows % d == 0) down = d;
    return down;
}

static int64_t puts_of(const struct relayout *r, const struct skewed *k) {
    int64_t es = r->type->bits / 8, at[LANES], n = 0;
    int64_t words = lanes(k->fetched / k->load), held = skew_rows(k) * k->columns / k->threads;
    for (int l = 0; l < LANES; ++l)
        at[l] = es * (k->load > 1 ? l % words * k->load * k->pitch + l / words * k->threads / LANES
                                  : l % k->columns * k->pitch + l / k->columns * held);
    int together = es > WORD ? LANES / 2 : LANES;
    for (int l = 0; l < LANES; l += together) n += bank_passes(at, l, l + together, (int)es);
    return n * skew_rows(k) * k->fetched / LANES;
}

static int64_t gets_of(const struct relayout *r, const struct skewed *k, int across, int down) {
    int64_t es = r->type->bits / 8, at[LANES], n = 0;
    int wide = (int)es * k->vector, together = LANES * WORD / wide, all = across * down;
    for (int l = 0; l < all; ++l)
        at[l] = es * (l / across * skew_apart(k) * k->pitch + l % across * k->vector);
    for (int l = 0; l < all; l += together)
        n += bank_passes(at, l, l + together < all ? l + together : all, wide);
    return n * k->window * k->across / (all * k->vector);
}

// The weights of the parts were found with 140 tiles of 8191x8193 elements, and in comparison to
// other tiles for rows of 51 to 7722 elements.
static void set_cost(const struct relayout *r, struct skewed *k) {
    int64_t es = r->type->bits / 8, n = skew_tiles_x(r, k) * skew_tiles_y(r, k);
    int across = lanes(k->window / k->vector), down = rows_at_once(k, across);
    int64_t stores = k->window * k->across / (across * down * k->vector);
    int64_t torn = k->step * es % SECTOR != 0;  // sectors at the ends of windows
    int64_t written = k->across * k->window * es, read = skew_rows(k) * k->fetched * es;
    int64_t sectors = written / SECTOR + k->across * torn;
    int64_t lines = (written + read) / LINE + k->across + skew_rows(k);
    int64_t one = 700 * written / SECTOR + 250 * sectors + 320 * stores + 120 * lines +
                  94 * (puts_of(r, k) + gets_of(r, k, across, down)) +
                  HEAD * k->step * k->across / skew_tiles_y(r, k);
    if (k->load == 1) one = one * BY_ELEMENTS / PERCENT;
    if (blocks_differ(r, k)) one = one * BLOCKS_DIFFER / PERCENT;
    for (int m = 0; m < r->rank; ++m)
        if (m != k->x && m != k->y) n *= r->mode[m].extent;
    if (n < FEW * SMS) n = (n + SMS - 1) / SMS * SMS;
    if (__builtin_mul_overflow(one, n, &k->cost)) k->cost = INT64_MAX;
}

int64_t skew_cost(const struct skewed *k) {
    return k->cost / SMS / PERCENT * BESIDE_TILES;
}

static void try_pitches(const struct relayout *r, struct skewed *k, struct skewed *best) {
    int64_t need = skew_rows(k) + (blocks_differ(r, k) ? k->step : 0),
            rest = r->mode[k->x].dst % k->vector;
    int64_t most = r->shared < MOST_SHARED ? r->shared : MOST_SHARED, es = r->type->bits / 8;
    k->pitch = need + (rest - need % k->vector + k->vector) % k->vector;
    for (int i = 0; i < PITCHES; ++i, k->pitch += k->vector) {
        if (k->pitch * (k->first + k->fetched) * es > most) return;
        set_cost(r, k);
        if (k->cost < best->cost) *best = *k;
    }
}

// Tries all tiles with these windows and reads.
static void try_tiles(const struct relayout *r, bool flat, struct skewed *k, struct skewed *best) {
    // this was measured to be the fastest for narrow elements
    int64_t fetched = k->load > 1 ? 64 : 32, most = k->load > 1 ? 64 : 128;
    int threads = k->load > 1 ? 256 : 128, most_threads = k->load > 1 ? 256 : 512;
    // if rows of the source are far apart, at least a line of each
    while (flat && fetched * r->type->bits / 8 < LINE) fetched *= 2;
    for (k->fetched = fetched; k->fetched <= most; k->fetched *= 2)
        for (k->threads = threads; k->threads <= most_threads; k->threads *= 2)
            for (k->columns = LANES; k->columns <= k->fetched; k->columns *= 2) {
                int64_t apart = skew_apart(k);
                k->first = k->load > 1 ? k->step : 0;
                k->across = k->load > 1 ? (k->fetched - k->load) / apart * apart : k->fetched;
                if (k->across > 0 && fits(r, k) && comes_out_even(r, k)) try_pitches(r, k, best);
            }
}

// Whether modes besides x and y fit the second and third coordinate of a block.
static bool outer_modes_fit(const struct relayout *r, const struct skewed *k) {
    for (int m = 0; m < r->rank; ++m)
        if (m != k->x && m != k->y && r->mode[m].extent > MOST_OUTER) return false;
    return r->rank <= 4;
}

bool skew_async(const struct relayout *r, struct skewed *k) {
    int64_t es = r->type->bits / 8, most = r->shared < MOST_SHARED ? r->shared : MOST_SHARED;
    if (es > 1 || k->load == 1 || blocks_differ(r, k) || r->arch < ASYNC) return false;
    k->async = true;
    k->vector = k->load;
    // rows have the same misalignment as those of the source
    k->pitch = k->first + k->fetched;
    while (k->pitch % k->load != r->mode[k->y].src % k->load) ++k->pitch;
    return k->pitch % 2 && skew_rows(k) * k->pitch * es <= most && comes_out_even(r, k);
}

bool skew_choose(const struct relayout *r, bool flat, struct skewed *best) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = r->type->bits / 8;
    best->cost = INT64_MAX;
    if (r->to || r->usual) return false;  // not for conversions and params
    if (r->rank < 2 || es > WORD || r->dst_align % WIDE) return false;
    if (!flat && r->src_align % WORD) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    struct skewed k = {.x = src[0], .y = dst[0]};
    if (k.x == k.y || r->mode[k.x].src != 1 || r->mode[k.y].dst != 1) return false;
    if (!outer_modes_fit(r, &k)) return false;
    k.load = flat ? 1 : WORD / es;
    for (k.vector = WIDE / es; k.vector * es >= WIDE / 2; k.vector /= 2)
        for (k.step = k.vector; k.step * es <= SECTOR; k.step *= 2)
            for (int64_t rows = 32; rows <= 256; rows *= 2)
                for (int more = 0; more < 2; ++more) {
                    k.window = more ? rows : rows - k.step;
                    bool torn = r->mode[k.x].dst % k.vector != 0;
                    // with words, it would be too much to prove
                    bool proven = k.load == 1 || !blocks_differ(r, &k);
                    if (torn && proven && k.window * es >= LONG) try_tiles(r, flat, &k, best);
                }
    return best->cost < INT64_MAX;
}
