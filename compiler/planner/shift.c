// Chooses tiles for rows at any address (see shift.h).
#include "planner/shift.h"

#include <string.h>

enum {
    WORD_BYTES = 4,
    MOST_THREADS = 512,
    LEAST_THREADS = 128,
    MOST_ROUNDS = 64,  // accesses of a thread to the source
    MOST_TIMES = 8,
    MOST_TAKEN = 32,   // elements that a thread takes from shared memory before it writes them
    LEAST_RUN = 48,    // bytes of a run
    LEAST_PART = 240,  // bytes of a part of a row that is written
    PADS = 4,
    ASYNC = 80,    // the first architecture with cp.async
    CONFLICT = 4,  // passes that cost as much as an access
    MUCH = 1000,   // bytes of a thread that make it take twice as long
    RUN_STEP = 8,
    MOST_STEP = 8,
    LEAST_TILE = 4096,
    MOST_SHARED = 40 * 1024,  // bytes of a tile; larger ones were slower
    SM_SHARED = 227 * 1024,
    BLOCK_SHARED = 1024,
    SM_WARPS = 64,
    LEAST_WARPS = 40  // on an SM
};

struct modes shift_rows(const struct shifted *k) {
    struct modes out = {0};
    for (int i = 0; i < k->y.n; ++i)
        if (!runs_has(&k->x, k->y.of[i])) out.of[out.n++] = k->y.of[i];
    return out;
}

struct modes shift_others(const struct shifted *k) {
    struct modes out = {0};
    for (int i = 0; i < k->x.n; ++i) {
        int m = k->x.of[i];
        if (m != k->turn && k->c.tile[m] > 1 && !runs_has(&k->y, m)) out.of[out.n++] = m;
    }
    return out;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t c = a % b;
        a = b;
        b = c;
    }
    return a;
}

static void keep(struct shifted list[], int *n, int most, const struct shifted *k) {
    int at = *n;
    while (at > 0 && list[at - 1].cost > k->cost) --at;
    runs_insert(list, sizeof *k, n, most, at, k);
}

static bool is_packed(const struct relayout *r) {
    int order[RELAYOUT_MODES];
    int64_t n = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        if (r->mode[order[i]].src != n) return false;
        n *= r->mode[order[i]].extent;
    }
    return true;
}

// Whether rows besides the run begin at other places than multiples of "by" elements.
static bool is_torn(const struct relayout *r, const struct modes *run, const int64_t tile[],
                    bool src, int64_t by) {
    for (int m = 0; m < r->rank; ++m) {
        int64_t stride = src ? r->mode[m].src : r->mode[m].dst;
        bool last = runs_has(run, m);  // its tiles
        if (r->mode[m].extent > (last ? tile[m] : 1) && stride * (last ? tile[m] : 1) % by)
            return true;
    }
    return false;
}

// Places the runs in shared memory, with "pad" accesses after the parts of the first mode of y, or
// after each run.
static bool place(const struct relayout *r, struct shifted *k, int64_t pad) {
    struct modes rows = shift_rows(k);
    int64_t at = k->room, all = 1, of_round = k->c.threads / k->lanes;
    memset(k->place, 0, sizeof k->place);
    if (k->fold == 1) at += pad * k->load;
    for (int i = 0; i < rows.n; ++i) {
        int m = rows.of[i];
        k->rows[m] = k->c.tile[m] + (m == k->y.of[k->y.n - 1] ? k->more : 0);
        if (i == 0) k->rows[m] = (k->rows[m] + k->fold - 1) / k->fold * k->fold;
        all *= k->rows[m];
    }
    k->rounds = (all + of_round - 1) / of_round;
    if (rows.n > 0) {  // the last one has what the last round reads
        int m = rows.of[rows.n - 1];
        int64_t others = all / k->rows[m], now = (k->rounds * of_round + others - 1) / others;
        k->rows[m] = (now + k->fold - 1) / k->fold * k->fold;
        if (rows.n > 1) k->rows[m] = now;
        while (rows.n == 1 && k->rounds * of_round > k->rows[m]) ++k->rows[m];
    } else if (k->rounds * of_round > 1)
        return false;
    for (int i = 0; i < rows.n; ++i) {
        int m = rows.of[i];
        if (i == 0 && k->fold > 1) {
            k->place[m] = k->fold * at + pad * k->load;
            at = k->place[m] * (k->rows[m] / k->fold);
        } else {
            k->place[m] = at;
            at *= k->rows[m];
        }
    }
    k->c.shared = at;
    int64_t bytes = at * held_bytes(r), warps = (k->c.threads + LANES - 1) / LANES;
    int64_t blocks = SM_SHARED / (bytes + BLOCK_SHARED), fit = SM_WARPS / warps;
    return bytes <= MOST_SHARED && bytes <= r->shared &&
           (blocks < fit ? blocks : fit) * warps >= LEAST_WARPS;
}

// Passes of shared memory for the elements that a warp takes for an access, on average.
static int64_t get_passes(const struct relayout *r, const struct shifted *k) {
    int64_t at[LANES], es = held_bytes(r), passes = 0;
    for (int i = 0; i < k->store; ++i) {
        for (int l = 0; l < LANES; ++l) {
            int64_t e = l * k->store + i, run = 0, from = 0, times = 1;
            at[l] = 0;
            for (int j = 0; j < k->y.n; ++j) {
                int m = k->y.of[j];
                int64_t n = j + 1 < k->y.n ? k->c.tile[m] : INT64_MAX, digit = e % n;
                e /= n;
                from += digit * r->mode[m].src;
                if (runs_has(&k->x, m))
                    run += digit * r->mode[m].src;
                else if (times++ == 1 && k->fold > 1)
                    at[l] += digit % k->fold * k->room + digit / k->fold * k->place[m];
                else
                    at[l] += digit * k->place[m];
            }
            at[l] = (at[l] + run + (from - run) % k->load) * es;
        }
        passes += AVERAGE * warp_passes(at, LANES, (int)es);
    }
    return passes;
}

// The same for what a warp reads.
static int64_t put_passes(const struct relayout *r, const struct shifted *k) {
    int64_t at[LANES], es = held_bytes(r);
    struct modes rows = shift_rows(k);
    for (int l = 0; l < LANES; ++l) {
        int64_t row = l / k->lanes, n = rows.n > 0 ? k->rows[rows.of[0]] / k->fold : 1;
        at[l] = (l % k->lanes * k->load + row % k->fold * k->room) * es;
        row /= k->fold;
        if (rows.n > 0) at[l] += row % n * k->place[rows.of[0]] * es;
        if (rows.n > 1) at[l] += row / n * k->place[rows.of[1]] * es;
    }
    return AVERAGE * warp_passes(at, LANES, k->load * (int)es);
}

static void set_cost(const struct relayout *r, struct shifted *k, struct shifted *best) {
    int64_t size = 1, at[LANES], es = bytes_of(r, false);
    struct traffic t = {0};
    struct cost cost;
    struct choice *c = &k->c;
    for (int m = 0; m < r->rank; ++m) {
        size *= c->tile[m];
        c->rd.thr[m] = c->rd.val[m] = c->wr.thr[m] = c->wr.val[m] = 1;
    }
    // nothing is held while elements are copied to shared memory, as if each access had a thread
    int64_t reads = k->rounds * k->times * c->threads, taken = k->held * k->store;
    c->rd.vector = c->rd.val[0] = k->load;
    c->rd.threads = (int)reads;
    c->wr.vector = k->store;
    c->wr.thr[0] = size / k->store / taken;
    if (c->wr.thr[0] < 1) c->wr.thr[0] = 1;
    c->wr.threads = (int)c->wr.thr[0];
    c->block = k->load;
    for (int l = 0; l < LANES; ++l)
        at[l] = (l % k->lanes * k->load + l / k->lanes * (1 << 20)) * es;
    t.read.lines = warp_lines(r, c, at, LANES, k->load * (int)es, true);
    for (int l = 0; l < LANES; ++l) at[l] = l * k->store * es;
    t.write.lines = warp_lines(r, c, at, LANES, k->store * (int)es, false);
    t.put.passes = put_passes(r, k);
    t.get.passes = get_passes(r, k);
    cost_of(r, c, &t, &cost);
    if (cost.total == INT64_MAX) return;
    k->memory = cost.total;
    // what a warp does
    int64_t words = size / k->store * k->side / k->words / LANES + 1, turns = words / k->held + 1;
    int64_t single = words * k->store, passes = words * t.get.passes / AVERAGE;
    int64_t accesses =
        reads / LANES + words + single + (passes > single ? (passes - single) / CONFLICT : 0);
    int64_t instructions = reads / LANES * 14 + turns * (12 + 14 * k->store) + 2 * single +
                           words * (k->windows ? 6 : 3);
    k->cost = runs_work(r, c, cost.total, accesses, instructions * AVERAGE);
    k->cost += k->cost / MUCH * (size * es / c->threads);
    if (k->cost < best->cost) *best = *k;
}

// Divides the work among threads, and places the tile in shared memory.
static void share(const struct relayout *r, struct shifted *k, struct shifted *best) {
    struct modes others = shift_others(k);
    int64_t run = runs_length(&k->x, k->c.tile), q = runs_length(&others, k->c.tile);
    int64_t need = (run + (k->late ? 2 * k->load - 2 : k->load - 1)) / k->load;
    int64_t steps = k->c.tile[k->turn] / k->classes, most = MOST_TAKEN / k->store;
    k->held = steps < most ? steps : most;
    while (steps % k->held) --k->held;
    int64_t pairs = q * (steps / k->held);
    for (k->groups = 1; k->groups * k->side <= MOST_THREADS; k->groups *= 2) {
        if (k->groups > k->classes && pairs % (k->groups / k->classes)) break;
        k->c.threads = (int)(k->groups * k->side);
        if (k->c.threads < LEAST_THREADS) continue;
        for (k->times = 1; k->times <= MOST_TIMES; ++k->times) {
            k->lanes = (need + k->times - 1) / k->times;
            while (k->lanes <= k->c.threads &&
                   (k->c.threads % k->lanes || k->c.threads / k->lanes % k->fold))
                ++k->lanes;
            if (k->lanes < RUN_STEP || k->lanes > k->c.threads) continue;
            if (k->lanes * k->times * 10 > need * 12 + 10) continue;  // too many beyond the run
            k->room = k->lanes * k->times * k->load;
            for (int64_t pad = 0; pad < PADS; ++pad)
                if (place(r, k, pad) && k->rounds * k->times <= MOST_ROUNDS) set_cost(r, k, best);
        }
    }
}

// The fast modes of a side that are contiguous, the last one with "last" elements.
static struct modes run_of(const struct relayout *r, bool src, int modes, int64_t last,
                           int64_t tile[]) {
    struct modes out = {0};
    int64_t n = 1;
    for (int i = 0; i < modes; ++i) {
        int m = r->order[!src][i];
        if ((src ? r->mode[m].src : r->mode[m].dst) != n) return (struct modes){0};
        tile[m] = i + 1 < modes ? r->mode[m].extent : last;
        n *= r->mode[m].extent;
        out.of[out.n++] = m;
    }
    return out;
}

// With the destination's run given, tries that of the source with "d" elements of its last mode.
// Returns false if it is none.
static bool try_source(const struct relayout *r, struct shifted t, int modes, int64_t d,
                       struct shifted list[], int *n, int most) {
    int64_t tile[RELAYOUT_MODES], size = held_bytes(r);
    struct shifted best = {.cost = INT64_MAX};
    memcpy(tile, t.c.tile, sizeof tile);
    t.x = run_of(r, true, modes, d, tile);
    if (t.x.n == 0) return false;
    if (runs_has(&t.y, t.turn)) return true;
    for (int i = 0; i < t.x.n; ++i)
        if (runs_has(&t.y, t.x.of[i]) && tile[t.x.of[i]] != t.c.tile[t.x.of[i]]) return true;
    memcpy(t.c.tile, tile, sizeof tile);
    struct modes rows = shift_rows(&t);
    for (int m = 0; m < r->rank; ++m) size *= tile[m];
    if (rows.n == 0 || size > MOST_SHARED || size < LEAST_TILE) return true;
    if (!t.windows && !is_torn(r, &t.x, tile, true, t.store)) return true;  // not needed
    t.late = is_torn(r, &t.x, tile, true, t.load);
    bool split = rows.of[0] == t.y.of[0] && (t.y.n == 1 || tile[rows.of[0]] % t.store == 0);
    t.fold = split ? t.store : 1;
    choose_grid(r, &t.c);
    share(r, &t, &best);
    if (best.cost < INT64_MAX) keep(list, n, most, &best);
    return true;
}

// With the destination's run given, tries those of the source.
static void try_sources(const struct relayout *r, struct shifted k, struct shifted list[], int *n,
                        int most) {
    int64_t es = held_bytes(r), inner = 1;
    for (int modes = 1; modes <= r->rank; ++modes) {
        int last = r->order[0][modes - 1];
        int64_t extent = r->mode[last].extent;
        k.turn = last;
        k.classes = k.windows ? k.store / gcd(r->mode[last].dst, k.store) : 1;
        bool whole = false;
        for (int64_t words = RUN_STEP; !whole && words <= 32 * RUN_STEP; words += RUN_STEP) {
            int64_t most_rows = ((words - 1) * k.load + 1) / inner, before = 0;
            whole = most_rows >= extent;
            for (int64_t by = k.classes; by <= MOST_STEP * k.classes; by *= 2) {
                int64_t d = whole ? (extent + by - 1) / by * by : most_rows / by * by;
                if (whole && (d - extent) * 8 > extent && by > k.classes) continue;
                if (d == before || (inner * d * es < LEAST_RUN && !whole)) continue;
                before = d;
                if (!try_source(r, k, modes, d, list, n, most)) return;
            }
        }
        inner *= extent;
    }
}

int shift_choose(const struct relayout *given, struct shifted list[], int most) {
    struct relayout ordered = *given;
    const struct relayout *r = &ordered;
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], n = 0;
    int64_t es = held_bytes(r), inner = 1;
    int store = WORD_BYTES / (int)es;
    if (r->usual || r->to || r->rank < 2 || es > 2 || r->arch < ASYNC || !is_packed(r)) return 0;
    if (r->begin[0].text || r->begin[1].text || r->src_align % WIDE || r->dst_align % WIDE)
        return 0;
    order_of(r, true, src);
    order_of(r, false, dst);
    ordered.order[0] = src;
    ordered.order[1] = dst;
    if (src[0] == dst[0] && r->mode[src[0]].extent * es > LEAST_RUN) return 0;
    for (int modes = 1; modes <= r->rank; ++modes) {
        int64_t extent = r->mode[dst[modes - 1]].extent, parts = 1;
        for (; parts <= extent && inner * extent / parts * es >= 2 * LEAST_RUN;
             parts += parts / 4 + 1) {
            int64_t d = (extent + parts - 1) / parts;
            while (parts > 1 && inner * d % store) ++d;
            if (d >= extent && parts > 1) continue;
            struct shifted k = {.store = store};
            for (int m = 0; m < r->rank; ++m) k.c.tile[m] = 1;
            k.y = run_of(r, false, modes, d, k.c.tile);
            if (k.y.n == 0) return n;
            k.windows = is_torn(r, &k.y, k.c.tile, false, store);
            if (!k.windows && inner * d % store) continue;
            int64_t tiles = (extent + d - 1) / d;
            if (k.windows && parts > 1) {
                if (inner * d * es < LEAST_PART) break;
                if (tiles * d * inner < extent * inner + store) continue;
                k.more = inner >= store ? 1 : store;
            }
            k.words = (inner * d + store - 1) / store + (k.windows && parts == 1);
            k.c.way = WAY_STAGED;
            k.c.along_runs = true;
            k.c.split = -1;
            for (int whole = 0; whole < (k.windows && parts == 1 ? 2 : 1); ++whole) {
                k.side = whole ? (k.words + LANES - 1) / LANES * LANES : k.words;
                if (k.side > MOST_THREADS) continue;
                for (int load = WORD_BYTES; load <= WIDE; load *= 2) {
                    k.load = load / (int)es;
                    try_sources(r, k, list, &n, most);
                }
            }
        }
        inner *= extent;
    }
    return n;
}
