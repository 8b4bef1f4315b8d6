// Chooses tiles of runs (see runs.h).
#include "planner/runs.h"

#include <string.h>

enum {
    MOST_HELD = 256,  // bytes of a thread's fragment
    MOST_THREADS = 640,
    MOST_TURNS = 16,
    MOST_LOADS = 40,    // by each thread
    MOST_ROUNDS = 64,   // the same, if gathered
    MOST_GATHER = 384,  // threads
    MOST_TAKEN = 192,   // bytes that a thread takes from shared memory before it writes them
    LEAST_THREADS = 64,
    SIDE_BY_SIDE = 128,  // bytes of a run that threads access side by side
    LEAST_TILE = 4096,   // bytes
    SHORT = 96,          // bytes of a run
    MOST_PARTS = 160,    // of a side to try
    MOST_TILES = 1024,
    TRIED = 24,  // of each way, tiles whose accesses are looked at
    ASYNC = 80   // the first architecture with cp.async
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

// Divides the accesses of a run, of "width" elements, and the other modes among at most "threads"
// threads, so that they need few rounds and access enough of the run side by side.  A warp that has
// parts of two rows costs more.  Returns the rounds.
static int64_t share_run(const struct relayout *r, const struct modes *run, const int64_t tile[],
                         bool src, int width, int threads, struct among *out) {
    int64_t units = runs_length(run, tile) / width, bytes = width * bytes_of(r, src);
    int64_t best = INT64_MAX, least = INT64_MAX;
    int order[RELAYOUT_MODES];
    order_of(r, src, order);
    for (int64_t rounds = 1; rounds <= units; ++rounds) {
        int64_t down = (units + rounds - 1) / rounds, left = threads / down, all = rounds;
        int64_t other[RELAYOUT_MODES] = {0};
        if (left == 0) continue;
        if (rounds > 1 && down * bytes < SIDE_BY_SIDE) break;
        for (int i = 0; i < r->rank; ++i) {
            int m = order[i];
            other[m] = 1;
            if (runs_has(run, m)) continue;
            int64_t d = tile[m] < left ? tile[m] : left, times = (tile[m] + d - 1) / d;
            other[m] = (tile[m] + times - 1) / times;
            left /= other[m];
            all *= times;
        }
        int64_t torn = down % LANES == 0 ? 0 : down < LANES ? LANES / 2 : LANES * LANES / down / 2;
        if (all * (LANES + torn) >= least) continue;
        least = all * (LANES + torn);
        best = all;
        out->along = down;
        memcpy(out->beside, other, sizeof other);
    }
    return best;
}

static int all_threads(const struct relayout *r, const struct among *x) {
    int64_t n = x->along;
    for (int m = 0; m < r->rank; ++m) n *= x->beside[m];
    return (int)n;
}

// What cost_of needs to know: products of threads and values.
static void set_shares(const struct relayout *r, struct runs *k, int64_t read, int64_t rounds) {
    for (int m = 0; m < r->rank; ++m)
        k->c.rd.thr[m] = k->c.rd.val[m] = k->c.wr.thr[m] = k->c.wr.val[m] = 1;
    k->c.rd.vector = k->load;
    k->c.wr.vector = k->store;
    k->c.rd.val[0] = read;
    int64_t size = 1;
    for (int m = 0; m < r->rank; ++m) size *= k->c.tile[m];
    k->c.wr.thr[0] = (size / k->store + rounds - 1) / rounds;
}

// Divides the tile among threads that read: the longest blocks, then most threads.
static bool share_turned(const struct relayout *r, struct runs *k) {
    int es = held_bytes(r), best = 0;
    const int64_t *tile = k->c.tile;
    int64_t units = runs_length(&k->x, tile) / k->load, rows = runs_length(&k->rows, tile);
    k->turns = 1;
    while (k->turns <= MOST_TURNS && (units % k->turns || units / k->turns > MOST_THREADS))
        ++k->turns;
    if (k->turns > MOST_TURNS) return false;
    k->readers.along = units / k->turns;
    for (int64_t v = 1;
         v <= rows && v * k->load * k->turns * es <= MOST_HELD && v * k->turns <= MOST_LOADS; ++v) {
        if (rows % v || k->readers.along * (rows / v) > MOST_THREADS) continue;
        int block = block_of(k, v, WIDE / es);
        if (block <= best) continue;
        best = block;
        k->values = v;
    }
    if (best == 0) return false;
    k->c.block = best;
    k->c.threads = k->c.rd.threads = (int)(k->readers.along * (rows / k->values));
    if (k->c.threads < LEAST_THREADS) return false;
    int64_t rounds = share_run(r, &k->y, tile, false, k->store, k->c.threads, &k->writers);
    if (rounds == INT64_MAX) return false;
    k->c.wr.threads = all_threads(r, &k->writers);
    set_shares(r, k, k->load * k->turns * k->values, rounds);
    return true;
}

static int64_t part_of(int64_t n, int64_t most) {
    int64_t d = n < most ? n : most;
    while (d > 1 && n % d) --d;
    return d < 1 ? 1 : d;
}

// Divides the tile among threads that write.
static bool share_gathered(const struct relayout *r, struct runs *k) {
    const int64_t *tile = k->c.tile;
    int64_t units = runs_length(&k->y, tile) / k->store, es = held_bytes(r);
    k->along = runs_has(&k->y, k->x.of[0]) ? -1 : k->x.of[0];
    k->others.n = 0;
    for (int i = 0; i < r->rank; ++i) {
        int m = r->order[0][i];
        if (tile[m] > 1 && m != k->along && !runs_has(&k->y, m)) k->others.of[k->others.n++] = m;
    }
    k->again = 1;
    while (units % k->again || units / k->again > MOST_GATHER) ++k->again;
    k->writers.along = units / k->again;
    k->apart = part_of(runs_length(&k->others, tile), MOST_GATHER / k->writers.along);
    int64_t beside =
        k->along < 0 ? 1 : part_of(tile[k->along], MOST_GATHER / (k->writers.along * k->apart));
    for (int m = 0; m < r->rank; ++m) k->writers.beside[m] = m == k->along ? beside : 1;
    int64_t taken = k->along < 0 ? 1 : tile[k->along] / beside;
    k->pieces = taken / part_of(taken, MOST_TAKEN / (k->store * es));
    taken /= k->pieces;
    k->values =
        part_of(runs_length(&k->others, tile) / k->apart, MOST_TAKEN / (taken * k->store * es));
    k->c.threads = k->c.wr.threads = (int)(k->writers.along * k->apart * beside);
    if (k->c.threads < LEAST_THREADS || k->again > MOST_LOADS) return false;
    int64_t rounds = share_run(r, &k->x, tile, true, k->load, k->c.threads, &k->readers);
    if (rounds > MOST_ROUNDS) return false;
    k->async = k->load * bytes_of(r, true) >= 8 && r->arch >= ASYNC;
    k->c.rd.threads = all_threads(r, &k->readers);
    k->c.block = k->load;
    int64_t size = runs_length(&k->x, tile) * runs_length(&k->rows, tile);
    set_shares(r, k, rounds * k->load, size / k->store / k->c.threads);
    return true;
}

void runs_insert(void *list, size_t size, int *n, int most, int at, const void *x) {
    if (at == most) return;
    if (*n < most) ++*n;
    char *place = (char *)list + (size_t)at * size;
    memmove(place + size, place, size * (size_t)(*n - 1 - at));
    memcpy(place, x, size);
}

static void keep(struct runs list[], int *n, int most, const struct runs *k) {
    int at = *n;
    while (at > 0 && list[at - 1].cost > k->cost) --at;
    runs_insert(list, sizeof *k, n, most, at, k);
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
        for (int64_t t = 2; t <= e && run * t * held_bytes(r) <= RUNS_SHARED; ++t) {
            bool even = t % 8 == 0 && t <= 256 && ((e + t - 1) / t * t - e) * 8 <= e;
            if (e % t && !even) continue;
            if (n == MOST_PARTS) return n;
            p.tile[m] = t;
            list[n++] = p;
        }
        p.tile[m] = e;
        run *= e;
        if (run * held_bytes(r) > RUNS_SHARED) break;
    }
    return n;
}

// What a byte costs, roughly: accesses, and runs that are short or begin inside sectors.
static int64_t roughly(const struct relayout *r, const struct runs *k) {
    int64_t es = held_bytes(r), cost = 1024;
    int64_t x = runs_length(&k->x, k->c.tile) * es, y = runs_length(&k->y, k->c.tile) * es;
    int block = k->gathered ? k->load : block_of(k, WIDE / (int)es, WIDE / (int)es);
    int get = k->gathered ? 1 : k->store;
    int wide[] = {k->load * (int)es, block * (int)es, get * (int)es, k->store * (int)es};
    for (int i = 0; i < 4; ++i) cost += 256 / (wide[i] < 8 ? wide[i] : 8);
    return cost + 1024 * SECTOR / x + 2048 * SECTOR / y;
}

// Whether a run is too short for its accesses.
static bool is_short(const struct relayout *r, const struct modes *run, const int64_t tile[],
                     int width, bool src) {
    int64_t es = bytes_of(r, src);
    return width * es < WIDE && runs_length(run, tile) * es < SHORT;
}

// Keeps a tile among those to try, "turned" or not.
static void consider(const struct relayout *r, struct runs k, bool gathered, struct runs try[],
                     int *tried) {
    k.gathered = gathered;
    if (!gathered && k.store * bytes_of(r, false) == 1) return;
    if (is_short(r, &k.x, k.c.tile, k.load, true) || is_short(r, &k.y, k.c.tile, k.store, false))
        return;
    k.held = 1;
    for (int p = 0; !gathered && p < k.y.n && !runs_has(&k.x, k.y.of[p]); ++p) {
        k.rows.of[k.rows.n++] = k.y.of[p];
        k.held *= k.c.tile[k.y.of[p]];
    }
    for (int p = 0; p < r->rank; ++p) {
        int m = r->order[!gathered][p];
        if (k.c.tile[m] > 1 && !runs_has(&k.x, m) && !runs_has(&k.rows, m))
            k.rows.of[k.rows.n++] = m;
    }
    k.c.way = WAY_STAGED;
    k.c.along_runs = true;
    k.c.split = -1;
    k.cost = roughly(r, &k);
    keep(try, tried, TRIED, &k);
}

int runs_choose(const struct relayout *given, int64_t memory, struct runs list[], int most) {
    struct relayout ordered = *given;
    const struct relayout *r = &ordered;
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], n = 0, tried[2] = {0}, seen = 0;
    if (r->usual || r->to || r->rank < 2 || held_bytes(r) > 2) return 0;
    order_of(r, true, src);
    order_of(r, false, dst);
    ordered.order[0] = src;
    ordered.order[1] = dst;
    static const struct runs none;
    struct trials {
        struct part from[MOST_PARTS], to[MOST_PARTS];
        struct runs of[2][TRIED];
        uint64_t key[MOST_TILES];
    } *try = memory_new(sizeof *try);  // too large for a stack
    int froms = parts_of(r, true, try->from), tos = parts_of(r, false, try->to);
    int load = vector_along(r, src[0], true), store = vector_along(r, dst[0], false);
    for (int i = 0; i < froms; ++i)
        for (int j = 0; j < tos; ++j) {
            struct runs k = none;
            int64_t size = held_bytes(r);
            uint64_t key = 0;
            for (int m = 0; m < r->rank; ++m) {
                int64_t a = try->from[i].tile[m], b = try->to[j].tile[m];
                size *= k.c.tile[m] = a > b ? a : b;
                key = key * 0x9e3779b97f4a7c15u + (uint64_t)k.c.tile[m];
            }
            if (size > RUNS_SHARED || size < LEAST_TILE) continue;
            k.x = run_of(r, k.c.tile, true);
            k.y = run_of(r, k.c.tile, false);
            k.load = width_of(r, &k.x, k.c.tile, true);
            k.store = width_of(r, &k.y, k.c.tile, false);
            if (k.load < load || k.store < store || k.load + k.store == load + store) continue;
            int at = 0;
            while (at < seen && try->key[at] != key) ++at;
            if (at < seen || seen == MOST_TILES) continue;
            try->key[seen++] = key;
            for (int way = 0; way < 2; ++way) consider(r, k, way, try->of[way], &tried[way]);
        }
    for (int way = 0; way < 2; ++way)
        for (int i = 0; i < tried[way]; ++i) {
            struct runs *k = &try->of[way][i];
            if (!(way ? share_gathered : share_turned)(r, k)) continue;
            choose_grid(r, &k->c);
            if (runs_place(r, k, memory)) keep(list, &n, most, k);
        }
    memory_free(try);
    return n;
}
