// Which skewed tile: shapes that have been seen to be fast, and the cost of each.
#include "planner/skew.h"

#include "image/elem.h"

enum {
    WARP = 32,
    BANKS = 32,
    WIDE = 16,  // bytes of a write
    SECTOR = 32,
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_LOADS = 40,          // of a thread
    MOST_SHARED = 66 * 1024,  // bytes of a tile
};

static int64_t tiles(int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
}

// Whether each window begins within its row, and at least one lies wholly in it.
static bool windows_fit(const struct relayout *r, const struct skewed *k) {
    int64_t extent = r->mode[k->y].extent, last = (tiles(extent, k->window) - 1) * k->window;
    return last + k->step - 1 <= extent && k->window + k->step - 1 <= extent &&
           k->across <= r->mode[k->x].extent;
}

// Whether threads and warps divide what they have, and it is not too much.
static bool shared_evenly(const struct relayout *r, const struct skewed *k) {
    int64_t rows = k->window + k->step, warps = k->threads / WARP;
    int64_t parts = warps > k->step ? warps / k->step : 1, across = k->window / k->vector;
    if (warps > k->step ? warps % k->step : k->step % warps) return false;
    if (k->threads % k->columns || k->across % k->columns || rows % (k->threads / k->columns))
        return false;
    if (k->across % (k->step * parts) || k->window % k->vector) return false;
    if (across > WARP && across % WARP) return false;
    int64_t values = rows * k->across / k->threads;
    return values <= MOST_LOADS && values * r->type->bits / 8 <= MOST_HELD;
}

static int lanes_across(const struct skewed *k) {
    int64_t n = k->window / k->vector;
    return n > WARP ? WARP : (int)n;
}

// Passes of shared memory beyond those without conflicts, of all accesses of a tile.
static int64_t conflicts(const struct relayout *r, const struct skewed *k) {
    int64_t es = r->type->bits / 8, put[WARP], got[WARP], n = 0;
    int64_t rows = k->window + k->step, across = lanes_across(k), together = WARP * 4 / WIDE;
    for (int l = 0; l < WARP; ++l) {
        put[l] =
            (l % k->columns * k->pitch + l / k->columns * (rows * k->columns / k->threads)) * es;
        got[l] = (l / across * k->step * k->pitch + l % across * k->vector) * es;
    }
    int64_t stores = bank_passes(put, 0, WARP, (int)es) - 1;
    for (int l = 0; l < WARP; l += (int)together)
        n += bank_passes(got, l, l + (int)together, (int)es * k->vector) - 1;
    return rows * k->across / WARP * stores + k->window * k->across / (WARP * k->vector) * n;
}

// The cost of the same tile where rows are aligned, and of the elements that it reads besides.
static void set_cost(const struct relayout *r, struct skewed *k) {
    struct relayout aligned = *r;
    struct choice c = {.way = WAY_STAGED, .split = -1, .block = 1, .threads = k->threads};
    int64_t rows = k->window + k->step, down = k->threads / k->columns;
    for (int m = 0; m < r->rank; ++m) {
        c.tile[m] = c.rd.thr[m] = c.rd.val[m] = c.wr.thr[m] = c.wr.val[m] = 1;
        if (m != k->y) aligned.mode[m].dst = (r->mode[m].dst + SECTOR - 1) / SECTOR * SECTOR;
    }
    c.tile[k->x] = k->across;
    c.tile[k->y] = k->window;
    c.rd.thr[k->x] = k->columns;
    c.rd.thr[k->y] = down;
    c.rd.val[k->x] = k->across / k->columns;
    c.rd.val[k->y] = rows / down;
    c.rd.vector = 1;
    c.rd.threads = c.wr.threads = k->threads;
    c.wr.vector = k->vector;
    c.wr.thr[k->y] = lanes_across(k);
    c.wr.thr[k->x] = k->threads / lanes_across(k);
    c.shared = k->pitch * k->across;
    cost_of(&aligned, &c, conflicts(r, k), &k->cost);
}

static void try_pitches(const struct relayout *r, struct skewed *k, struct skewed *best) {
    int64_t need = k->window + 2 * k->step, rest = r->mode[k->x].dst % k->vector;
    int64_t most = r->shared < MOST_SHARED ? r->shared : MOST_SHARED, es = r->type->bits / 8;
    k->pitch = need + (rest - need % k->vector + k->vector) % k->vector;
    for (int i = 0; i < 8; ++i, k->pitch += k->vector) {
        if (k->pitch * k->across * es > most) return;
        set_cost(r, k);
        if (k->cost.total < best->cost.total && k->cost.blocks <= INT32_MAX) *best = *k;
    }
}

bool skew_choose(const struct relayout *r, struct skewed *best) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = r->type->bits / 8;
    best->cost.total = INT64_MAX;
    if (r->rank < 2 || es > 4 || r->dst_align % WIDE) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    struct skewed k = {.x = src[0], .y = dst[0], .vector = WIDE / es};
    if (k.x == k.y || r->mode[k.x].src != 1 || r->mode[k.y].dst != 1) return false;
    if (r->mode[k.x].dst % k.vector == 0) return false;
    for (k.step = k.vector; k.step * es <= SECTOR; k.step *= 2)
        for (int64_t rows = 32; rows <= 256; rows *= 2)
            for (int trim = 0; trim < 2; ++trim)
                for (k.across = 32; k.across <= 128; k.across *= 2)
                    for (k.threads = 128; k.threads <= 512; k.threads *= 2)
                        for (k.columns = 32; k.columns <= k.across; k.columns *= 2) {
                            k.window = trim ? rows - k.step : rows;
                            if (k.window < k.vector || !windows_fit(r, &k) || !shared_evenly(r, &k))
                                continue;
                            try_pitches(r, &k, best);
                        }
    return best->cost.total < INT64_MAX;
}
