// The search: tiles by the runs that they have on both sides, threads and values for each, and the
// least cost.
#include <string.h>

#include "planner/private.h"

enum {
    MOST_THREADS = 1024,
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_LOADS = 32,          // of a thread
    MOST_SHARED = 66 * 1024,  // bytes of a tile
    PADS = 9,
    STYLES = 3
};

struct search {
    const struct relayout *r;
    int es;                                        // bytes of an element on its way
    int64_t shared;                                // bytes that a tile may take
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];  // modes, the fastest one first
    int x, y;                                      // the fast modes
    int load, store;                               // elements of a vector along them
    struct choice *best;
    struct cost *cost;
};

static int64_t round_up(int64_t a, int64_t b) {
    return (a + b - 1) / b * b;
}

// How much of extent "e" a tile takes that wants "want", in multiples of "unit": all of it where
// that is near; else, by style, equal tiles, a divisor, or just that.
static int64_t pick(int64_t e, int64_t want, int64_t unit, int style) {
    if (want * 3 / 2 >= e) return e;
    want = round_up(want, unit);
    if (want >= e) return e;
    int64_t n = (e + want - 1) / want, even = round_up((e + n - 1) / n, unit);
    if (style == 2) return want;
    if (style == 0) return even;
    for (int64_t off = 0; off <= want / 2; ++off)
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t d = want + sign * off;
            if (d >= unit && d % unit == 0 && e % d == 0) return d;
        }
    return even;
}

static int64_t tile_size(const struct search *q, const struct choice *c) {
    int64_t n = 1;
    for (int m = 0; m < q->r->rank; ++m) n *= c->tile[m];
    return n;
}

static void consider(struct search *q, const struct choice *c) {
    struct cost cost;
    cost_of(q->r, c, 0, &cost);  // at the least
    if (cost.blocks > INT32_MAX || cost.total >= q->cost->total) return;
    if (c->way == WAY_STAGED) cost_of(q->r, c, conflicts_of(q->r, c), &cost);
    if (cost.total >= q->cost->total) return;
    *q->best = *c;
    *q->cost = cost;
}

// -- straight -------------------------------------------------------------------------------------

static void straight(struct search *q, int vector, int threads, int style) {
    const struct relayout *r = q->r;
    struct choice c = {.way = WAY_STRAIGHT, .split = -1, .block = 1};
    int64_t left = threads;
    for (int m = 0; m < r->rank; ++m) c.tile[m] = c.rd.thr[m] = c.rd.val[m] = 1;
    c.rd.val[q->y] = c.rd.vector = vector;
    for (int i = 0; i < r->rank; ++i) {
        int m = q->dst[i];
        // whole vectors: what is left at the end of a ragged extent is the edge of another tile
        int64_t units = r->mode[m].extent / c.rd.val[m];
        int64_t want = left < units ? pick(units, left, 1, style) : units;
        c.rd.thr[m] = want > left ? left : want;
        c.tile[m] = c.rd.thr[m] * c.rd.val[m];
        left /= c.rd.thr[m];
        if (left <= 1) break;
    }
    c.rd.threads = c.threads = (int)tile_size(q, &c) / vector;
    consider(q, &c);
}

// -- staged ---------------------------------------------------------------------------------------

// Makes the tile hold runs of so many bytes on a side.
static void grow_run(const struct search *q, struct choice *c, bool src, int64_t bytes,
                     const int64_t *unit, int style) {
    int64_t run = bytes_of(q->r, src);
    for (int i = 0; i < q->r->rank && run < bytes; ++i) {
        int m = src ? q->src[i] : q->dst[i];
        int64_t e = q->r->mode[m].extent;
        if (src && q->r->mode[m].src == 0) return;
        int64_t t = pick(e, (bytes + run - 1) / run, unit[m], style);
        if (t > c->tile[m]) c->tile[m] = t;
        run *= c->tile[m];
        if (c->tile[m] < e) return;
    }
}

static void grow_tile(const struct search *q, struct choice *c, int64_t bytes, const int64_t *unit,
                      int style) {
    for (int i = 0; i < q->r->rank; ++i) {
        int m = q->dst[i];
        int64_t e = q->r->mode[m].extent;
        while (tile_size(q, c) * q->es < bytes && c->tile[m] < e) {
            int64_t t = pick(e, 2 * c->tile[m], unit[m], style);
            if (t <= c->tile[m]) break;
            c->tile[m] = t;
        }
    }
}

// Divides the tile among up to "threads" threads that read: "block" values along y, a vector along
// x, and as many values more along the slowest modes of the source as are left over.
static bool share_reads(const struct search *q, struct choice *c, int block, int threads) {
    const struct relayout *r = q->r;
    int64_t units = 1;
    c->rd.vector = q->load;
    for (int m = 0; m < r->rank; ++m) {
        c->rd.val[m] = m == q->x ? q->load : m == q->y ? block : 1;
        if (c->tile[m] % c->rd.val[m]) return false;
        c->rd.thr[m] = c->tile[m] / c->rd.val[m];
        units *= c->rd.thr[m];
    }
    for (int i = r->rank - 1; i > 0 && units > threads; --i) {
        int m = q->src[i];
        int64_t d = (units + threads - 1) / threads;
        if (d > c->rd.thr[m]) d = c->rd.thr[m];
        while (c->rd.thr[m] % d) ++d;
        c->rd.val[m] *= d;
        c->rd.thr[m] /= d;
        units /= d;
    }
    c->rd.threads = c->threads = (int)units;
    return units <= threads && tile_size(q, c) / units * q->es <= MOST_HELD &&
           tile_size(q, c) / units <= MOST_LOADS * q->load;
}

// The mode behind which each step of a block in shared memory is padded: the source's fastest one
// of the tile that is not the destination's fast mode; -1: none.
static int padded_mode(const struct search *q, const struct choice *c) {
    for (int i = 0; i < q->r->rank; ++i)
        if (q->src[i] != q->y && c->tile[q->src[i]] > 1) return q->src[i];
    return -1;
}

static int64_t divisor_up_to(int64_t n, int64_t most) {
    int64_t d = most < n ? most : n;
    while (n % d) --d;
    return d;
}

// Divides the tile among the same threads that write.  What they do not reach at once they reach in
// further rounds, which have to come out even.  In a mode that is cut into (part, rest) threads
// take parts as a whole, or rows within one.
static void share_writes(const struct search *q, struct choice *c) {
    const struct relayout *r = q->r;
    int64_t n = 1;
    int padded = padded_mode(q, c);
    c->wr.vector = q->store;
    for (int i = 0; i < r->rank; ++i) {
        int m = q->dst[i];
        c->wr.val[m] = m == q->y ? q->store : 1;
        int64_t units = c->tile[m] / c->wr.val[m], most = c->threads / n, part = c->rd.val[m];
        int64_t d = divisor_up_to(units, most);
        if (m == padded && d % part && part % d) {
            int64_t whole = divisor_up_to(units / part, most);
            int64_t many = most < part ? 0 : part * divisor_up_to(units / part, most / part);
            if (many < whole) {
                c->wr.val[m] = part;
                d = whole;
            } else {
                d = many;
            }
        }
        c->wr.thr[m] = d;
        n *= d;
    }
    c->wr.threads = (int)n;
}

// Places the tile in shared memory in the order of the destination, "pad" elements behind each step
// of the source's fastest other mode.
static void place_tile(const struct search *q, struct choice *c, int64_t pad) {
    const struct relayout *r = q->r;
    int64_t at = 1;
    int padded = padded_mode(q, c);
    c->split = -1;
    for (int i = 0; i < r->rank; ++i) {
        int m = q->dst[i];
        c->room[m] = c->tile[m] > 1 ? at : 0;
        if (m == padded && c->rd.val[m] > 1 && c->rd.val[m] < c->tile[m]) {
            c->split = m;
            c->part = c->rd.val[m];
            c->rest = at * c->part + pad;
            at = c->rest * (c->tile[m] / c->part);
        } else {
            if (m == padded) c->room[m] = at += i ? pad : 0;
            at *= c->tile[m];
        }
    }
    c->shared = at;
}

static void staged(struct search *q, const struct choice *tile, int block, int threads) {
    struct choice c = *tile;
    int most = 16 / q->es;
    if (!share_reads(q, &c, block, threads)) return;
    share_writes(q, &c);
    c.block = 1;
    while (c.block < most && c.rd.val[q->y] % (2 * c.block) == 0) c.block *= 2;
    int64_t step = c.block > q->store ? c.block : q->store;
    for (int pad = 0; pad < PADS; ++pad) {
        place_tile(q, &c, pad * step);
        if (c.shared * q->es > q->shared) return;
        consider(q, &c);
    }
}

static void stage_tiles(struct search *q, int64_t src_bytes, int64_t dst_bytes, int64_t bytes,
                        int style) {
    const struct relayout *r = q->r;
    int most = 16 / q->es;
    struct choice c = {.way = WAY_STAGED, .split = -1};
    int64_t unit[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) c.tile[m] = unit[m] = 1;
    unit[q->y] = q->x == q->y ? (q->load > q->store ? q->load : q->store) : style ? most : q->store;
    if (q->x != q->y) unit[q->x] = q->load;
    grow_run(q, &c, true, src_bytes, unit, style);
    grow_run(q, &c, false, dst_bytes, unit, style);
    grow_tile(q, &c, bytes, unit, style);
    if (tile_size(q, &c) * q->es > q->shared) return;
    for (int threads = 128; threads <= 512; threads *= 2) {
        if (q->x == q->y) {
            staged(q, &c, q->load, threads);
            continue;
        }
        for (int block = most; block >= 1; block /= 2) staged(q, &c, block, threads);
    }
}

bool choose(const struct relayout *r, struct choice *out, struct cost *cost) {
    struct search q = {.r = r, .es = held_bytes(r), .best = out, .cost = cost};
    q.shared = r->shared < MOST_SHARED ? r->shared : MOST_SHARED;
    order_of(r, true, q.src);
    order_of(r, false, q.dst);
    q.x = q.src[0];
    q.y = q.dst[0];
    q.load = vector_along(r, q.x, true);
    q.store = vector_along(r, q.y, false);
    cost->total = INT64_MAX;

    int along = vector_along(r, q.y, true);
    if (along > q.store) along = q.store;
    for (int threads = 256; threads >= 64; threads /= 2)
        for (int style = 0; style < STYLES; ++style) straight(&q, along, threads, style);
    if (r->rank == 1) return cost->total < INT64_MAX;

    while (r->mode[q.x].extent % q.load) q.load /= 2;
    while (r->mode[q.y].extent % q.store) q.store /= 2;
    for (int64_t src = 64; src <= 1024; src *= 2)
        for (int64_t dst = 64; dst <= 1024; dst *= 2)
            for (int64_t bytes = 4096; bytes <= 32768; bytes *= 2)
                for (int style = 0; style < STYLES; ++style)
                    stage_tiles(&q, src, dst, bytes, style);
    return cost->total < INT64_MAX;
}
