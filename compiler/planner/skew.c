// Which skewed tile: all shapes that threads and warps divide, and the cost of each.
#include "planner/skew.h"

#include "image/elem.h"

enum {
    WARP = 32,
    BANKS = 32,
    WIDE = 16,  // bytes of a write
    WORD = 4,   // of a read
    SECTOR = 32,
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_LOADS = 40,          // of a thread
    MOST_SHARED = 66 * 1024,  // bytes of a tile
    PITCHES = 8               // that are tried
};

// Whether each window begins within its row, some tile lies wholly in the tensors, and what is read
// of the source begins within its rows.
static bool fits(const struct relayout *r, const struct skewed *k) {
    int64_t y = r->mode[k->y].extent, x = r->mode[k->x].extent;
    int64_t last = (skew_tiles_y(r, k) - 1) * k->window;
    return last + k->step - 1 <= y && skew_rows(k) <= y && k->first + k->fetched <= x;
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
    if (!divides(k->step * skew_mates(k, k->step), k->across)) return false;
    if (k->load == 1)
        return divides(k->columns, k->threads) && divides(k->columns, k->across) &&
               divides(k->threads / k->columns, skew_rows(k));
    int64_t words = k->fetched / k->load, classes = k->load * skew_mates(k, k->load);
    return divides(k->load, warps) && divides(lanes(words), words) && divides(lanes(words), WARP) &&
           divides(classes, skew_rows(k)) && divides(WARP / lanes(words), skew_rows(k) / classes);
}

// Passes of shared memory beyond those without conflicts, of all accesses of a tile.
static int64_t conflicts(const struct relayout *r, const struct skewed *k) {
    int64_t es = r->type->bits / 8, put[WARP], got[WARP], more = 0;
    int64_t across = lanes(k->window / k->vector), words = lanes(k->fetched / k->load);
    int64_t held = skew_rows(k) * k->columns / k->threads;
    int wide = (int)es * k->vector, together = WARP * WORD / wide;
    for (int l = 0; l < WARP; ++l) {
        put[l] = k->load > 1 ? l % words * k->load * k->pitch + l / words * k->load
                             : l % k->columns * k->pitch + l / k->columns * held;
        got[l] = l / across * k->step * k->pitch + l % across * k->vector;
        put[l] *= es;
        got[l] *= es;
    }
    for (int l = 0; l < WARP; l += together) more += bank_passes(got, l, l + together, wide) - 1;
    return skew_rows(k) * k->fetched / WARP * (bank_passes(put, 0, WARP, (int)es) - 1) +
           k->window * k->across / (WARP * k->vector) * more;
}

// The cost of the same tile where rows are aligned, and of the elements that it reads besides.
static void set_cost(const struct relayout *r, struct skewed *k) {
    struct relayout aligned = *r;
    struct choice c = {.way = WAY_STAGED, .split = -1, .block = 1, .threads = k->threads};
    int64_t words = lanes(k->fetched / k->load);
    int64_t columns = k->load > 1 ? words : k->columns, down = k->threads / columns;
    for (int m = 0; m < r->rank; ++m) {
        c.tile[m] = c.rd.thr[m] = c.rd.val[m] = c.wr.thr[m] = c.wr.val[m] = 1;
        if (m != k->y) aligned.mode[m].dst = (r->mode[m].dst + SECTOR - 1) / SECTOR * SECTOR;
    }
    c.tile[k->x] = k->across;
    c.tile[k->y] = k->window;
    c.rd.thr[k->x] = columns;
    c.rd.thr[k->y] = down;
    c.rd.val[k->x] = k->fetched / columns;
    c.rd.val[k->y] = skew_rows(k) / down;
    c.rd.vector = k->load;
    c.rd.threads = c.wr.threads = k->threads;
    c.wr.vector = k->vector;
    c.wr.thr[k->y] = lanes(k->window / k->vector);
    c.wr.thr[k->x] = k->threads / c.wr.thr[k->y];
    c.shared = k->pitch * (k->first + k->fetched);
    cost_of(&aligned, &c, conflicts(r, k), &k->cost);
    k->cost.blocks = skew_tiles_x(r, k) * skew_tiles_y(r, k);
    for (int m = 0; m < r->rank; ++m)
        if (m != k->x && m != k->y) k->cost.blocks *= r->mode[m].extent;
}

static void try_pitches(const struct relayout *r, struct skewed *k, struct skewed *best) {
    int64_t need = skew_rows(k) + k->step, rest = r->mode[k->x].dst % k->vector;
    int64_t most = r->shared < MOST_SHARED ? r->shared : MOST_SHARED, es = r->type->bits / 8;
    k->pitch = need + (rest - need % k->vector + k->vector) % k->vector;
    for (int i = 0; i < PITCHES; ++i, k->pitch += k->vector) {
        if (k->pitch * (k->first + k->fetched) * es > most) return;
        set_cost(r, k);
        if (k->cost.total < best->cost.total && k->cost.blocks <= INT32_MAX) *best = *k;
    }
}

// All that can be with these windows and reads.
static void try_tiles(const struct relayout *r, struct skewed *k, struct skewed *best) {
    for (k->fetched = 32; k->fetched <= 128; k->fetched *= 2)
        for (k->threads = 128; k->threads <= 512; k->threads *= 2) {
            int64_t part = k->step * skew_mates(k, k->step);
            k->first = k->load > 1 ? k->step : 0;
            k->across = k->load > 1 ? (k->fetched - k->load) / part * part : k->fetched;
            for (k->columns = WARP; k->columns <= k->fetched; k->columns *= 2) {
                if (k->across > 0 && fits(r, k) && comes_out_even(r, k)) try_pitches(r, k, best);
                if (k->load > 1) break;
            }
        }
}

bool skew_choose(const struct relayout *r, struct skewed *best) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = r->type->bits / 8;
    best->cost.total = INT64_MAX;
    if (r->rank < 2 || es > WORD || r->dst_align % WIDE) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    struct skewed k = {.x = src[0], .y = dst[0], .vector = WIDE / es};
    if (k.x == k.y || r->mode[k.x].src != 1 || r->mode[k.y].dst != 1) return false;
    if (r->mode[k.x].dst % k.vector == 0) return false;
    for (k.load = 1; k.load * es <= WORD && r->src_align % (k.load * es) == 0; k.load *= 2)
        for (k.step = k.vector; k.step * es <= SECTOR; k.step *= 2)
            for (int64_t rows = 32; rows <= 256; rows *= 2)
                for (int beyond = 0; beyond < 2; ++beyond) {
                    k.window = beyond ? rows : rows - k.step;
                    if (k.window > 0) try_tiles(r, &k, best);
                }
    return best->cost.total < INT64_MAX;
}
