// Chooses tiles of runs (see runs.h).
#include "planner/runs.h"

#include <string.h>

enum {
    MOST_HELD = 256,          // bytes of a thread's fragment
    MOST_THREADS = 640,
    MOST_TURNS = 16,
    MOST_SHARED = 72 * 1024,  // bytes of a tile
    LEAST_TILE = 4096,
    MOST_PARTS = 160,         // of a side to try
    MOST_TILES = 1024,
    TRIED = 24,               // tiles whose accesses are looked at
    PADS = 9,
    WARPS = 3,                // .. of how many warps
};

bool runs_has(const struct modes *modes, int m) {
    for (int i = 0; i < modes->n; ++i)
        if (modes->of[i] == m) return true;
    return false;
}

int64_t runs_length(const struct modes *modes, const int64_t tile[]) {
    int64_t n = 1;
    for (int i = 0; i < modes->n; ++i) n *= tile[modes->of[i]];
    return n;
}

static int64_t stride_of(const struct relayout *r, int m, bool src) {
    return src ? r->mode[m].src : r->mode[m].dst;
}

static struct modes run_of(const struct relayout *r, const int64_t tile[], bool src) {
    int order[RELAYOUT_MODES];
    struct modes run = {0};
    int64_t n = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (stride_of(r, m, src) != n || tile[m] == 1) break;
        run.of[run.n++] = m;
        n *= r->mode[m].extent;
        if (tile[m] < r->mode[m].extent) break;
    }
    return run;
}

// The widest access of a run.
static int width_of(const struct relayout *r, const struct modes *run, const int64_t tile[],
                    bool src) {
    int es = bytes_of(r, src), v = WIDE / es;
    int64_t all = runs_length(run, tile);
    for (int i = 0; i < run->n; ++i) all = lay_gcd(all, all);
    while (v > 1 && ((src ? r->src_align : r->dst_align) % (v * es) || all % v)) v /= 2;
    int64_t extent = 1;
    for (int i = 0; i < run->n; ++i) extent *= r->mode[run->of[i]].extent;
    while (v > 1 && extent % v) v /= 2;
    for (int m = 0; m < r->rank; ++m)
        while (v > 1 && !runs_has(run, m) && stride_of(r, m, src) % v) v /= 2;
    return v;
}

// -- threads --------------------------------------------------------------------------------------

static int block_of(const struct runs *k, int64_t values, int most) {
    int b = most;
    while (b > 1 && (values % b || k->held % b)) b /= 2;
    return b;
}

// Divides the tile among threads that read: the longest blocks, then most threads.
static bool share_reads(const struct relayout *r, struct runs *k) {
    int es = held_bytes(r), best = 0;
    int64_t units = runs_length(&k->x, k->c.tile) / k->load, rows = runs_length(&k->rows, k->c.tile);
    k->turns = 1;
    while (k->turns <= MOST_TURNS && (units % k->turns || units / k->turns > MOST_THREADS))
        ++k->turns;
    if (k->turns > MOST_TURNS) return false;
    k->across = units / k->turns;
    for (int64_t v = 1; v <= rows && v * k->load * k->turns * es <= MOST_HELD; ++v) {
        if (rows % v || k->across * (rows / v) > MOST_THREADS) continue;
        int block = block_of(k, v, WIDE / es);
        if (block <= best) continue;
        best = block;
        k->values = v;
    }
    if (best == 0) return false;
    k->c.block = best;
    k->c.rd.threads = (int)(k->across * (rows / k->values));
    return k->c.rd.threads >= 64;
}

// Divides the tile among at most as many threads, so that they need the fewest rounds.
static void share_writes(const struct relayout *r, struct runs *k) {
    int64_t units = runs_length(&k->y, k->c.tile) / k->store, best = INT64_MAX;
    int order[RELAYOUT_MODES];
    order_of(r, false, order);
    for (int64_t rounds = 1; rounds <= 64; ++rounds) {
        int64_t down = (units + rounds - 1) / rounds, left = k->c.rd.threads / down, all = rounds;
        int64_t beside[RELAYOUT_MODES];
        if (left == 0) continue;
        for (int i = 0; i < r->rank; ++i) {
            int m = order[i];
            int64_t d = 1;
            if (!runs_has(&k->y, m))
                for (d = k->c.tile[m] < left ? k->c.tile[m] : left; k->c.tile[m] % d;) --d;
            beside[m] = d;
            left /= d;
            if (!runs_has(&k->y, m)) all *= k->c.tile[m] / d;
        }
        if (all >= best) continue;
        best = all;
        k->down = down;
        memcpy(k->beside, beside, sizeof beside);
    }
    k->c.wr.threads = (int)k->down;
    for (int m = 0; m < r->rank; ++m) k->c.wr.threads *= (int)k->beside[m];
    k->c.threads = k->c.rd.threads;
    // for cost_of, which only needs products
    for (int m = 0; m < r->rank; ++m)
        k->c.rd.thr[m] = k->c.rd.val[m] = k->c.wr.thr[m] = k->c.wr.val[m] = 1;
    k->c.rd.vector = k->load;
    k->c.wr.vector = k->store;
    k->c.rd.val[0] = k->load * k->turns * k->values;
    k->c.wr.thr[0] = runs_length(&k->y, k->c.tile) / k->store;
    for (int m = 0; m < r->rank; ++m)
        if (!runs_has(&k->y, m)) k->c.wr.thr[0] *= k->c.tile[m];
    k->c.wr.thr[0] = (k->c.wr.thr[0] + best - 1) / best;
}

// -- costs ----------------------------------------------------------------------------------------

// Adds the offset of element "i" of these modes to "*at".
static void add(const struct modes *modes, const int64_t tile[], int64_t i, const int64_t stride[],
                int64_t *at) {
    for (int k = 0; k < modes->n; ++k) {
        int m = modes->of[k];
        *at += i % tile[m] * stride[m];
        i /= tile[m];
    }
}

static int64_t swizzled(const struct runs *k, int64_t at, int base) {
    return k->bits ? at ^ (at >> (base + k->shift) & ((1 << k->bits) - 1)) << base : at;
}

static int log2_of(int64_t n) {
    int b = 0;
    while ((int64_t)1 << b < n) ++b;
    return b;
}

// Bytes that an access of shared memory does not tear, as a power of 2.
static int granule(const struct relayout *r, const struct runs *k) {
    return log2_of((k->store > k->c.block ? k->store : k->c.block) * held_bytes(r));
}

// The traffic of an element "i" of the reads for each lane of some warps; "space" NULL: of the
// source.
static void look_at_reads(const struct relayout *r, const struct runs *k, const int64_t stride[],
                          bool shared, struct access *out) {
    int64_t at[LANES], es = shared ? held_bytes(r) : bytes_of(r, true), all = 0;
    int warps = (k->c.threads + LANES - 1) / LANES, next = warps < WARPS ? 1 : warps / WARPS;
    *out = (struct access){0};
    for (int w = 0; w < warps; w += next)
        for (int i = 0; i < (shared ? k->load : 1); i += k->load > 4 ? k->load / 4 : 1) {
            int n = 0;
            for (int t = w * LANES; t < k->c.threads && n < LANES; ++t, ++n) {
                at[n] = 0;
                add(&k->x, k->c.tile, t % k->across * k->load + i, stride, &at[n]);
                add(&k->rows, k->c.tile, t / k->across * k->values, stride, &at[n]);
                at[n] *= es;
                if (shared) at[n] = swizzled(k, at[n], granule(r, k));
            }
            all += n;
            if (shared)
                out->passes += AVERAGE * warp_passes(at, n, k->c.block * (int)es);
            else
                out->lines += warp_lines(r, &k->c, at, n, k->load * (int)es, true);
        }
    out->lines = out->lines * LANES / all;
    out->passes = out->passes * LANES / all;
}

static void look_at_writes(const struct relayout *r, const struct runs *k, struct access *out,
                           struct access *get) {
    int64_t at[LANES], from[LANES], es = bytes_of(r, false);
    int n = 0;
    for (int t = 0; t < k->c.wr.threads && n < LANES; ++t, ++n) {
        int64_t left = t / k->down;
        at[n] = from[n] = t % k->down * k->store;
        for (int m = 0; m < r->rank; ++m) {
            at[n] += left % k->beside[m] * r->mode[m].dst;
            from[n] += left % k->beside[m] * k->place[m];
            left /= k->beside[m];
        }
        at[n] *= es;
        from[n] = swizzled(k, from[n] * held_bytes(r), granule(r, k));
    }
    out->lines = warp_lines(r, &k->c, at, n, k->store * (int)es, false) * LANES / n;
    get->passes = AVERAGE * warp_passes(from, n, k->store * held_bytes(r)) * LANES / n;
}

// Places the tile in the order of the destination, with "pad" elements before the source's fastest
// mode that is not in y.
static void place(const struct relayout *r, struct runs *k, int64_t pad) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], padded = -1;
    int64_t at = 1;
    order_of(r, true, src);
    order_of(r, false, dst);
    for (int i = r->rank - 1; i >= 0; --i)
        if (!runs_has(&k->y, src[i]) && k->c.tile[src[i]] > 1) padded = src[i];
    for (int i = 0; i < k->y.n; ++i) {
        k->place[k->y.of[i]] = at;
        at *= k->c.tile[k->y.of[i]];
    }
    for (int i = 0; i < r->rank; ++i) {
        int m = dst[i];
        if (runs_has(&k->y, m)) continue;
        if (m == padded) at += pad;
        k->place[m] = k->c.tile[m] > 1 ? at : 0;
        at *= k->c.tile[m];
    }
    k->c.shared = at;
}

static void keep(struct runs list[], int *n, int most, const struct runs *k) {
    int at = *n;
    while (at > 0 && list[at - 1].cost > k->cost) --at;
    if (at == most) return;
    if (*n < most) ++*n;
    memmove(&list[at + 1], &list[at], sizeof *list * (size_t)(*n - 1 - at));
    list[at] = *k;
}

// Tries all places of a tile in shared memory.
static void try_places(const struct relayout *r, struct runs *k, struct runs list[], int *n,
                       int most) {
    struct runs best = {.cost = INT64_MAX};
    struct traffic t = {0};
    int64_t stride[RELAYOUT_MODES], es = held_bytes(r);
    int step = k->store > k->c.block ? k->store : k->c.block;
    for (int m = 0; m < r->rank; ++m) stride[m] = r->mode[m].src;
    look_at_reads(r, k, stride, false, &t.read);
    int room = log2_of(LINE) - granule(r, k);
    for (int way = 0; way < PADS + 3; ++way) {
        k->bits = way < PADS ? 0 : room;
        k->shift = room + (way < PADS ? 0 : way - PADS);
        place(r, k, way < PADS ? way * step : 0);
        if (k->c.shared * es > MOST_SHARED || k->c.shared * es > r->shared) continue;
        look_at_reads(r, k, k->place, true, &t.put);
        look_at_writes(r, k, &t.write, &t.get);
        struct cost cost;
        cost_of(r, &k->c, &t, &cost);
        k->cost = cost.total;
        if (k->cost < best.cost) best = *k;
    }
    if (best.cost < INT64_MAX) keep(list, n, most, &best);
}

// -- tiles ----------------------------------------------------------------------------------------

struct part {
    int64_t tile[RELAYOUT_MODES];
};

// Tiles with a run on one side: the whole of its fast modes, and a part of the next one.
static int parts_of(const struct relayout *r, bool src, struct part list[]) {
    int order[RELAYOUT_MODES], n = 0;
    int64_t run = 1;
    struct part p;
    order_of(r, src, order);
    for (int m = 0; m < r->rank; ++m) p.tile[m] = 1;
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        int64_t e = r->mode[m].extent;
        if (stride_of(r, m, src) != run) break;
        for (int64_t t = 2; t <= e && run * t * held_bytes(r) <= MOST_SHARED; ++t) {
            bool even = t % 8 == 0 && t <= 256 && ((e + t - 1) / t * t - e) * 8 <= e;
            if (e % t && !even) continue;
            if (n == MOST_PARTS) return n;
            p.tile[m] = t;
            list[n++] = p;
        }
        p.tile[m] = e;
        run *= e;
        if (run * held_bytes(r) > MOST_SHARED) break;
    }
    return n;
}

// What a byte costs, roughly: accesses, and runs that are short or begin inside sectors.
static int64_t roughly(const struct relayout *r, const struct runs *k) {
    int64_t es = held_bytes(r), cost = 1024;
    int64_t x = runs_length(&k->x, k->c.tile) * es, y = runs_length(&k->y, k->c.tile) * es;
    int block = block_of(k, WIDE / (int)es, WIDE / (int)es);
    int wide[] = {k->load * (int)es, block * (int)es, k->store * (int)es, k->store * (int)es};
    for (int i = 0; i < 4; ++i) cost += 256 / (wide[i] < 8 ? wide[i] : 8);
    return cost + 1024 * SECTOR / x + 2048 * SECTOR / y;
}

int runs_choose(const struct relayout *given, struct runs list[], int most) {
    struct relayout ordered = *given;
    const struct relayout *r = &ordered;
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], n = 0, tried = 0, seen = 0;
    if (r->usual || r->rank < 2 || held_bytes(r) > 2) return 0;
    order_of(r, true, src);
    order_of(r, false, dst);
    ordered.order[0] = src;
    ordered.order[1] = dst;
    static const struct runs none;
    struct part from[MOST_PARTS], to[MOST_PARTS];
    struct runs try[TRIED];
    uint64_t keys[MOST_TILES];
    int froms = parts_of(r, true, from), tos = parts_of(r, false, to);
    int load = vector_along(r, src[0], true), store = vector_along(r, dst[0], false);
    if (src[0] == dst[0]) return 0;
    for (int i = 0; i < froms; ++i)
        for (int j = 0; j < tos; ++j) {
            struct runs k = none;
            int64_t size = 1;
            uint64_t key = 0;
            for (int m = 0; m < r->rank; ++m) {
                int64_t a = from[i].tile[m], b = to[j].tile[m];
                size *= k.c.tile[m] = a > b ? a : b;
                key = key * 0x9e3779b97f4a7c15u + (uint64_t)k.c.tile[m];
            }
            size *= held_bytes(r);
            if (size > MOST_SHARED || size < LEAST_TILE) continue;
            k.x = run_of(r, k.c.tile, true);
            k.y = run_of(r, k.c.tile, false);
            k.load = width_of(r, &k.x, k.c.tile, true);
            k.store = width_of(r, &k.y, k.c.tile, false);
            if (k.load < load || k.store < store || k.load + k.store == load + store) continue;
            int at = 0;
            while (at < seen && keys[at] != key) ++at;
            if (at < seen || seen == MOST_TILES) continue;
            keys[seen++] = key;
            k.held = 1;
            for (int p = 0; p < k.y.n && !runs_has(&k.x, k.y.of[p]); ++p) {
                k.rows.of[k.rows.n++] = k.y.of[p];
                k.held *= k.c.tile[k.y.of[p]];
            }
            for (int p = 0; p < r->rank; ++p)
                if (k.c.tile[dst[p]] > 1 && !runs_has(&k.x, dst[p]) && !runs_has(&k.rows, dst[p]))
                    k.rows.of[k.rows.n++] = dst[p];
            k.c.way = WAY_STAGED;
            k.c.split = -1;
            k.cost = roughly(r, &k);
            keep(try, &tried, TRIED, &k);
        }
    for (int i = 0; i < tried; ++i) {
        struct runs *k = &try[i];
        if (!share_reads(r, k)) continue;
        share_writes(r, k);
        choose_grid(r, &k->c);
        try_places(r, k, list, &n, most);
    }
    return n;
}
