// The search: tries tiles by the length of their runs on both sides, with threads and values for
// each, and keeps those with the least cost.

#include "planner/private.h"

enum {
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_LOADS = 40,          // by each thread
    MOST_STRAIGHT = 4,        // the same, if elements go straight through registers
    MOST_SHARED = 66 * 1024,  // bytes of a tile
    MOST_TILES = 1024,        // tried
    ROW = 64,                 // bytes that threads write side by side
    LONG_ROW = 512,           // bytes of a row that need no other rows beside them
    PADS = 9,
    STYLES = 6
};

struct search {
    const struct relayout *r;
    int es;          // bytes of an element in fragments and shared memory
    int64_t shared;  // most bytes of a tile
    bool flat;       // all threads read
    // modes, the fastest one first
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    int x, y;             // the fast modes
    int load, store;      // elements of a vector along them
    struct chosen *list;  // the best choices so far
    int n, most;
};

static int64_t round_up(int64_t a, int64_t b) {
    return (a + b - 1) / b * b;
}

// How much of extent "e" a tile takes if "want" is wanted, in multiples of "unit".  It is all of
// "e" if that is near; otherwise, depending on "style", equal tiles, a divisor, or exactly "want".
// Further styles round equal tiles up to multiples of 2, 4 and 8, even beyond the extent, so that
// threads divide them.
static int64_t pick(int64_t e, int64_t want, int64_t unit, int style) {
    if (style > 2 && e > 8 && want > 4) {
        int64_t step = unit > 1 << (style - 2) ? unit : 1 << (style - 2);
        int64_t n = want * 3 / 2 >= e ? 1 : (e + want - 1) / want;
        return round_up((e + n - 1) / n, step);
    }
    if (want * 3 / 2 >= e) return e;
    want = round_up(want, unit);
    if (want >= e) return e;
    int64_t n = (e + want - 1) / want, even = round_up((e + n - 1) / n, unit);
    if (style == 2) return want;
    if (style == 1)
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

// Whether two choices differ only in what the cost alone decides: where the tile is padded.
static bool alike(const struct search *q, const struct choice *a, const struct choice *b) {
    if (a->way != b->way || a->block != b->block || a->grid.by_src != b->grid.by_src ||
        a->grid.lead != b->grid.lead || a->grid.lead_tiles != b->grid.lead_tiles)
        return false;
    for (int m = 0; m < q->r->rank; ++m)
        if (a->tile[m] != b->tile[m] || a->rd.thr[m] != b->rd.thr[m] ||
            a->wr.thr[m] != b->wr.thr[m])
            return false;
    return true;
}

// Whether its text would be accepted.  If params give an extent, no tile may be completely inside:
// then every access is guarded, and vectors have to divide the extents by promise.
static bool compiles(const struct search *q, const struct choice *c) {
    const struct relayout *r = q->r;
    bool inside = true, divide = true;
    if (!r->usual) return true;
    for (int m = 0; m < r->rank; ++m) {
        int64_t lo, hi;
        lay_int_range(exactly(&r->mode[m], RELAYOUT_EXTENT), &lo, &hi);
        inside &= hi >= c->tile[m];
    }
    int load = c->rd.vector, store = c->way == WAY_STAGED ? c->wr.vector : load;
    if (vector_proven(r, load, true))
        divide = divisor_of(r, exactly(&r->mode[q->x], RELAYOUT_EXTENT)) % load == 0;
    if (vector_proven(r, store, false))
        divide &= divisor_of(r, exactly(&r->mode[q->y], RELAYOUT_EXTENT)) % store == 0;
    return inside || divide;
}

// Whether it is worse than everything in the full list.
static bool behind(const struct search *q, const struct choice *c, const struct traffic *t,
                   struct cost *cost) {
    cost_of(q->r, c, t, cost);
    return cost->blocks > INT32_MAX || cost->total == INT64_MAX ||
           (q->n == q->most && cost->total >= q->list[q->n - 1].cost.total);
}

static void keep(struct search *q, const struct choice *c, const struct traffic *t) {
    struct cost cost;
    bool full = q->n == q->most;
    if (behind(q, c, t, &cost) || !compiles(q, c)) return;
    int at = q->n;
    for (int i = 0; i < q->n; ++i)
        if (alike(q, c, &q->list[i].c)) at = i;
    if (at < q->n && cost.total >= q->list[at].cost.total) return;
    if (at == q->n && full) --at;
    if (at == q->n) ++q->n;
    for (; at > 0 && q->list[at - 1].cost.total > cost.total; --at) q->list[at] = q->list[at - 1];
    q->list[at] = (struct chosen){*c, cost};
}

// -- straight -------------------------------------------------------------------------------------

static void straight(struct search *q, int vector, int threads, int style) {
    const struct relayout *r = q->r;
    struct choice c = {.way = WAY_STRAIGHT, .split = -1, .block = 1, .grid.lead = -1};
    int64_t left = threads;
    for (int m = 0; m < r->rank; ++m) c.tile[m] = c.rd.thr[m] = c.rd.val[m] = 1;
    c.rd.val[q->y] = c.rd.vector = vector;
    for (int i = 0; i < r->rank; ++i) {
        int m = q->dst[i];
        // whole vectors; the rest at the end of a ragged extent is the edge of another tile
        int64_t units = r->mode[m].extent / c.rd.val[m];
        int64_t want = left < units ? pick(units, left, 1, style) : units;
        c.rd.thr[m] = want > left ? left : want;
        c.tile[m] = c.rd.thr[m] * c.rd.val[m];
        left /= c.rd.thr[m];
        if (left <= 1) break;
    }
    c.rd.threads = c.threads = (int)tile_size(q, &c) / vector;
    choose_grid(r, &c);
    struct traffic t;
    traffic_of_memory(r, &c, &t);
    keep(q, &c, &t);
}

static void try_straight(struct search *q, int vector) {
    for (int threads = 256; threads >= 64; threads /= 2)
        for (int style = 0; style < STYLES; ++style) straight(q, vector, threads, style);
}

// -- staged ---------------------------------------------------------------------------------------

// Enlarges the tile until it has runs of so many bytes on a side.
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

// Divides the tile among at most "threads" threads that read.  Each has a vector along x and
// "block" values along y, and more values along modes other than x if there are not enough threads.
static bool share_reads(const struct search *q, struct choice *c, int block, int threads) {
    const struct relayout *r = q->r;
    bool straight = c->way == WAY_STRAIGHT;
    int64_t units[RELAYOUT_MODES] = {0}, size = tile_size(q, c);
    c->rd.vector = straight && q->store < q->load ? q->store : q->load;
    for (int m = 0; m < r->rank; ++m) {
        int64_t val = m == q->x ? c->rd.vector : m == q->y ? block : 1;
        if (c->tile[m] % val) return false;
        units[m] = c->tile[m] / val;
    }
    int64_t row = units[q->x];
    if (row > threads) return false;
    units[q->x] = 1;
    c->rd.threads = (int)row * share_units(r->rank, straight ? q->dst : q->src, units,
                                           threads / (int)row, c->rd.thr);
    c->rd.thr[q->x] = row;
    for (int m = 0; m < r->rank; ++m) c->rd.val[m] = c->tile[m] / c->rd.thr[m];
    return size / c->rd.threads * q->es <= MOST_HELD &&
           size / c->rd.threads <= (straight ? MOST_STRAIGHT : MOST_LOADS) * c->rd.vector;
}

// The mode after which shared memory is padded: the source's fastest mode in the tile that is not
// the destination's fast mode; -1: none.
static int padded_mode(const struct search *q, const struct choice *c) {
    for (int i = 0; i < q->r->rank; ++i)
        if (q->src[i] != q->y && c->tile[q->src[i]] > 1) return q->src[i];
    return -1;
}

// Uses as many threads as possible, up to "threads", with rows of the destination of 64 bytes (or
// all of a shorter one), and a multiple of "times" threads along mode "m".  Keeps the larger number
// in c->wr.
static void share_rows(const struct search *q, struct choice *c, const int64_t units[], int threads,
                       int m, int64_t times, int64_t val) {
    int rank = q->r->rank;
    int64_t left[RELAYOUT_MODES], thr[RELAYOUT_MODES];
    int64_t row = units[q->y] * (m == q->y ? times : 1);
    for (int i = 0; i < rank; ++i) left[i] = units[i];
    left[q->y] = 1;
    int64_t step = m == q->y ? times : 1, other = m == q->y ? 1 : times;
    for (int64_t d = row; d >= 1; --d) {
        bool wide = d == row || d * q->store * q->es >= ROW;
        if (row % d || d % step || !wide || d * other > threads) continue;
        int n = (int)(d * other) * share_units(rank, q->dst, left, threads / (int)(d * other), thr);
        if (n <= c->wr.threads) continue;
        c->wr.threads = n;
        for (int i = 0; i < rank; ++i) c->wr.thr[i] = thr[i];
        c->wr.thr[q->y] = d;
        if (m >= 0 && m != q->y) c->wr.thr[m] *= times;
        if (m >= 0) c->wr.val[m] = val;
    }
}

// Divides the tile among at most "threads" threads that write.  What they do not write at once they
// write in further rounds of the same size.  In a mode split into (part, rest), threads have rows
// of one part, complete parts in each round, or one part each.
static bool share_writes(const struct search *q, struct choice *c, int threads) {
    const struct relayout *r = q->r;
    int padded = padded_mode(q, c);
    int64_t units[RELAYOUT_MODES];
    c->wr.vector = q->store;
    c->wr.threads = 0;
    for (int m = 0; m < r->rank; ++m) {
        c->wr.val[m] = m == q->y ? q->store : 1;
        units[m] = c->tile[m] / c->wr.val[m];
    }
    int64_t part = padded < 0 ? 1 : c->rd.val[padded];
    share_rows(q, c, units, threads, -1, 1, 1);
    if (part == 1 || c->wr.threads == 0 || c->wr.thr[padded] % part == 0 ||
        part % c->wr.thr[padded] == 0)
        return c->wr.threads > 0;
    c->wr.threads = 0;
    units[padded] = part;
    share_rows(q, c, units, threads, padded, 1, 1);
    units[padded] = c->tile[padded] / part;
    share_rows(q, c, units, threads, padded, part, 1);
    share_rows(q, c, units, threads, padded, 1, part);
    return c->wr.threads > 0;
}

// Places the tile in shared memory in the order of the destination, with "pad" elements after each
// step of the source's fastest other mode.
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
    int most = WIDE / q->es;
    if (!share_reads(q, &c, block, threads)) return;
    if (!share_writes(q, &c, threads)) return;
    if (q->flat && c.rd.threads < c.wr.threads) return;
    c.threads = c.rd.threads > c.wr.threads ? c.rd.threads : c.wr.threads;
    c.block = 1;
    while (c.block < most && c.rd.val[q->y] % (2 * c.block) == 0) c.block *= 2;
    int64_t step = c.block > q->store ? c.block : q->store;
    struct cost cost;
    struct traffic t;
    place_tile(q, &c, 0);
    traffic_least(q->r, &c, &t);
    if (behind(q, &c, &t, &cost)) return;
    traffic_of_memory(q->r, &c, &t);
    traffic_of_shared_least(q->r, &c, &t);
    if (behind(q, &c, &t, &cost)) return;
    for (int pad = 0; pad < PADS; ++pad) {
        place_tile(q, &c, pad * step);
        if (c.shared * q->es > q->shared) return;
        traffic_of_shared_least(q->r, &c, &t);
        if (behind(q, &c, &t, &cost)) continue;
        traffic_of_put(q->r, &c, &t);
        if (behind(q, &c, &t, &cost)) continue;
        traffic_of_get(q->r, &c, &t);
        keep(q, &c, &t);
    }
}

static void straight_tile(struct search *q, const struct choice *tile, int threads) {
    struct choice c = *tile;
    struct traffic t;
    c.way = WAY_STRAIGHT;
    c.block = 1;
    if (!share_reads(q, &c, 1, threads)) return;
    c.threads = c.rd.threads;
    traffic_of_memory(q->r, &c, &t);
    keep(q, &c, &t);
}

// Whether rows with one fast mode are short and begin inside sectors on a side.  A warp with
// several consecutive rows on each side then splits fewer sectors.
static bool rows_share_sectors(const struct search *q) {
    bool share = false;
    for (int m = 0; m < q->r->rank; ++m)
        if (m != q->x)
            share |= q->r->mode[m].src * bytes_of(q->r, true) % SECTOR != 0 ||
                     q->r->mode[m].dst * bytes_of(q->r, false) % SECTOR != 0;
    return share && q->r->mode[q->x].extent * q->es < LONG_ROW;
}

static void ways_of(struct search *q, const struct choice *tile) {
    for (int threads = 128; threads <= 512; threads += 64)
        if (q->x == q->y) {
            if (rows_share_sectors(q))
                staged(q, tile, q->load, threads);
            else
                straight_tile(q, tile, threads);
        } else {
            for (int block = WIDE / q->es; block >= 1; block /= 2) staged(q, tile, block, threads);
        }
}

// A tile with these runs and so many bytes, in the given style.
static struct choice tile_of(const struct search *q, int64_t src_bytes, int64_t dst_bytes,
                             int64_t bytes, int style) {
    const struct relayout *r = q->r;
    int most = WIDE / q->es;
    struct choice c = {.way = WAY_STAGED, .split = -1, .grid.lead = -1};
    int64_t unit[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) c.tile[m] = unit[m] = 1;
    unit[q->y] = q->x == q->y ? (q->load > q->store ? q->load : q->store) : style ? most : q->store;
    if (q->x != q->y) unit[q->x] = q->load;
    grow_run(q, &c, true, src_bytes, unit, style);
    grow_run(q, &c, false, dst_bytes, unit, style);
    grow_tile(q, &c, bytes, unit, style);
    return c;
}

static void try_tiles(struct search *q) {
    uint64_t seen[MOST_TILES];
    int n = 0;
    for (int64_t src = 64; src <= 2048; src *= 2)
        for (int64_t dst = 64; dst <= 2048; dst *= 2)
            for (int64_t bytes = 4096; bytes <= 65536; bytes *= 2)
                for (int style = 0; style < STYLES; ++style) {
                    struct choice c = tile_of(q, src, dst, bytes, style);
                    uint64_t key = 0;
                    int at = 0;
                    for (int m = 0; m < q->r->rank; ++m)
                        key = key * 0x9e3779b97f4a7c15u + (uint64_t)c.tile[m];
                    while (at < n && seen[at] != key) ++at;
                    if (at < n || n == MOST_TILES || tile_size(q, &c) * q->es > q->shared) continue;
                    seen[n++] = key;
                    choose_grid(q->r, &c);
                    ways_of(q, &c);
                }
}

int choose(const struct relayout *given, bool flat, struct chosen list[], int most) {
    struct relayout ordered = *given;
    const struct relayout *r = &ordered;
    struct search q = {.r = r, .es = held_bytes(r), .flat = flat, .list = list, .most = most};
    q.shared = r->shared < MOST_SHARED ? r->shared : MOST_SHARED;
    order_of(r, true, q.src);
    order_of(r, false, q.dst);
    ordered.order[0] = q.src;
    ordered.order[1] = q.dst;
    q.x = q.src[0];
    q.y = q.dst[0];
    q.load = vector_along(r, q.x, true);
    q.store = vector_along(r, q.y, false);

    int along = vector_along(r, q.y, true);
    if (along > q.store) along = q.store;
    bool share = r->rank > 1 && q.x == q.y && rows_share_sectors(&q);
    if (!share && !flat) try_straight(&q, along);
    if (r->rank == 1) return q.n;

    // A transposed block has as many rows as a vector has elements. If a variant moves single
    // elements, lanes are that far apart: 0.2 of memcpy for f16, instead of 0.6 with single
    // elements only.
    while (!vector_proven(r, q.load, true)) q.load /= 2;
    while (!vector_proven(r, q.store, false)) q.store /= 2;
    while (r->mode[q.x].extent % q.load) q.load /= 2;
    while (r->mode[q.y].extent % q.store) q.store /= 2;
    try_tiles(&q);
    if (q.n == 0 && !flat) try_straight(&q, along);
    return q.n;
}
