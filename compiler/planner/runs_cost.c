// Where a tile of runs is in shared memory, and what it costs (see runs.h).
#include "planner/runs.h"

enum {
    PADS = 9,
    WARPS = 3,    // that are looked at
    ACCESS = 13,  // clocks for ten accesses
    ISSUE = 2,    // .. and for ten instructions
    DIGIT = 5,    // instructions
    SINGLE = 92,  // percent
    ALONE = 6,    // writes of single elements of two bytes cost a part in so many more
    ONE = COST_CLOCK
};

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

// The reads, or if "shared" their puts into shared memory, of some warps.
static struct access look_at_reads(const struct relayout *r, const struct runs *k, bool shared) {
    int64_t at[LANES], es = shared ? held_bytes(r) : bytes_of(r, true), all = 0;
    int64_t stride[RELAYOUT_MODES], left;
    int warps = (k->c.rd.threads + LANES - 1) / LANES, next = warps < WARPS ? 1 : warps / WARPS;
    struct access out = {0};
    for (int m = 0; m < r->rank; ++m) stride[m] = shared ? k->place[m] : r->mode[m].src;
    for (int w = 0; w < warps; w += next)
        for (int i = 0;
             i<(shared && !k->gathered ? k->load : 1); i += k->load> 4 ? k->load / 4 : 1) {
            int n = 0;
            for (int t = w * LANES; t < k->c.rd.threads && n < LANES; ++t, ++n) {
                at[n] = 0;
                add(&k->x, k->c.tile, t % k->readers.along * k->load + i, stride, &at[n]);
                if (!k->gathered) {
                    add(&k->rows, k->c.tile, t / k->readers.along * k->values, stride, &at[n]);
                } else {
                    left = t / k->readers.along;
                    for (int m = 0; m < r->rank; ++m) {
                        at[n] += left % k->readers.beside[m] * stride[m];
                        left /= k->readers.beside[m];
                    }
                }
                at[n] *= es;
                if (shared) at[n] = swizzled(k, at[n], granule(r, k));
            }
            all += n;
            if (shared)
                out.passes += AVERAGE * warp_passes(at, n, k->c.block * (int)es);
            else
                out.lines += warp_lines(r, &k->c, at, n, k->load * (int)es, true);
        }
    out.lines = out.lines * LANES / all;
    out.passes = out.passes * LANES / all;
    return out;
}

static void look_at_writes(const struct relayout *r, const struct runs *k, struct access *out,
                           struct access *get) {
    int64_t at[LANES], from[LANES], es = bytes_of(r, false);
    int n = 0;
    for (int t = 0; t < k->c.wr.threads && n < LANES; ++t, ++n) {
        int64_t left = t / k->writers.along;
        at[n] = from[n] = t % k->writers.along * k->store;
        for (int m = 0; m < r->rank; ++m) {
            at[n] += left % k->writers.beside[m] * r->mode[m].dst;
            from[n] += left % k->writers.beside[m] * k->place[m];
            left /= k->writers.beside[m];
        }
        at[n] *= es;
        from[n] = swizzled(k, from[n] * held_bytes(r), granule(r, k));
    }
    out->lines = warp_lines(r, &k->c, at, n, k->store * (int)es, false) * LANES / n;
    if (!k->gathered)
        get->passes = AVERAGE * warp_passes(from, n, k->store * held_bytes(r)) * LANES / n;
}

// What it takes to gather the elements of an access to the destination.
static struct access look_at_gathers(const struct relayout *r, const struct runs *k) {
    int64_t at[LANES], es = held_bytes(r), all = 0;
    int warps = (k->c.threads + LANES - 1) / LANES, next = warps < WARPS ? 1 : warps / WARPS;
    int64_t values = runs_length(&k->others, k->c.tile) / k->apart;
    struct access out = {0};
    for (int w = 0; w < warps; w += next)
        for (int i = 0; i<k->store; i += k->store> 2 ? k->store / 2 : 1) {
            int n = 0;
            for (int t = w * LANES; t < k->c.threads && n < LANES; ++t, ++n) {
                int64_t left = t / k->writers.along;
                at[n] = 0;
                add(&k->y, k->c.tile, t % k->writers.along * k->store + i, k->place, &at[n]);
                add(&k->others, k->c.tile, left % k->apart * values, k->place, &at[n]);
                if (k->along >= 0)
                    at[n] += left / k->apart * (k->c.tile[k->along] / k->writers.beside[k->along]);
                at[n] *= es;
            }
            all += n;
            out.passes += AVERAGE * warp_passes(at, n, (int)es);
        }
    out.passes = out.passes * LANES / all * k->store;
    return out;
}

// Places the tile in the order of the destination, with "pad" elements before the source's fastest
// mode that is not in y; if gathered, in the order of the source and after each run.
static void place(const struct relayout *r, struct runs *k, int64_t pad) {
    const struct modes *run = k->gathered ? &k->x : &k->y;
    const int *order = r->order[!k->gathered];
    int64_t at = 1;
    int padded = -1;
    for (int i = r->rank - 1; i >= 0; --i)
        if (!runs_has(run, r->order[0][i]) && k->c.tile[r->order[0][i]] > 1)
            padded = r->order[0][i];
    for (int i = 0; i < run->n; ++i) {
        k->place[run->of[i]] = at;
        at *= k->c.tile[run->of[i]];
    }
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (runs_has(run, m)) continue;
        if (m == padded) at += pad;
        k->place[m] = k->c.tile[m] > 1 ? at : 0;
        at *= k->c.tile[m];
    }
    k->c.shared = at;
}

// They run in parallel to memory, but not completely.  The weights were found with 60 tiles of
// bytes and halves.
int64_t runs_work(const struct relayout *r, const struct choice *c, int64_t cost, int64_t accesses,
                  int64_t instructions) {
    int64_t bytes = bytes_of(r, true) + bytes_of(r, false);
    for (int m = 0; m < r->rank; ++m) bytes *= c->tile[m];
    int64_t memory = bytes * ONE / COST_BYTES;
    int64_t a = accesses * ONE * ACCESS / 10, i = instructions / AVERAGE * ONE * ISSUE / 10;
    int64_t all = root_of(memory * memory + a * a + i * i);
    return cost / ONE * (all * ONE / memory);
}

// The digits to compute for an element of a row of these modes, times AVERAGE, if "step" elements
// are taken at once.
static int64_t digits_of(const struct modes *modes, const int64_t tile[], int64_t step) {
    int n = 0;
    for (int i = 0; i < modes->n; ++i) n += tile[modes->of[i]] > 1;
    if (n < 2) return 0;
    return n * AVERAGE / (tile[modes->of[0]] % step == 0 ? step : 1);
}

// The instructions for "n" elements, times AVERAGE.
static int64_t instructions_of(const struct runs *k, int64_t n) {
    const int64_t *tile = k->c.tile;
    int64_t all = AVERAGE * (k->gathered ? 2 : 1) + 4 * AVERAGE / k->load + 3 * AVERAGE / k->store;
    if (k->gathered) {
        int64_t taken =
            k->along < 0 ? 1 : tile[k->along] / (k->writers.beside[k->along] * k->pieces);
        all += DIGIT * digits_of(&k->y, tile, k->store) / (k->values * taken);
    } else {
        all += 2 * AVERAGE / k->c.block;
        all += 2 * DIGIT * digits_of(&k->x, tile, k->load) / k->values;
        all += DIGIT * digits_of(&k->rows, tile, k->values) / k->load;
    }
    return n * all;
}

bool runs_place(const struct relayout *r, struct runs *k, int64_t memory) {
    struct runs best = {.cost = INT64_MAX};
    struct traffic t = {0};
    int64_t es = held_bytes(r), size = 1;
    int step = k->gathered ? k->load : k->store > k->c.block ? k->store : k->c.block;
    for (int m = 0; m < r->rank; ++m) size *= k->c.tile[m];
    size = (size + LANES - 1) / LANES;  // of a lane
    t.read = look_at_reads(r, k, false);
    int room = log2_of(LINE) - granule(r, k);
    int64_t work = instructions_of(k, size);
    // single bytes are written faster by tiles with more of them side by side
    if (k->store * bytes_of(r, false) == 1) memory = memory / 100 * SINGLE;
    for (int way = 0; way < PADS + 3; ++way) {
        k->bits = way < PADS ? 0 : room;
        k->shift = room + (way < PADS ? 0 : way - PADS);
        if (k->gathered && way >= PADS) break;
        place(r, k, way < PADS ? way * step : 0);
        if (k->c.shared * es > RUNS_SHARED || k->c.shared * es > r->shared) continue;
        t.put = look_at_reads(r, k, true);
        look_at_writes(r, k, &t.write, &t.get);
        if (k->gathered) t.get = look_at_gathers(r, k);
        struct cost cost;
        cost_of(r, &k->c, &t, &cost);
        if (cost.total > memory) continue;
        int64_t stores = size / k->store, puts = size / k->c.block;
        int64_t accesses =
            size / k->load + stores + (puts * t.put.passes + stores * t.get.passes) / AVERAGE;
        k->memory = cost.total;
        k->of = cost;
        k->cost = runs_work(r, &k->c, cost.total, accesses, work);
        if (k->store == 1 && es > 1) k->cost += k->cost / ALONE;
        if (k->cost < best.cost) best = *k;
    }
    *k = best;
    return best.cost < INT64_MAX;
}

int64_t runs_cost(const struct relayout *r, const struct choice *c, int64_t cost, int parts) {
    int64_t n = 1, load = c->rd.vector, store = c->wr.vector, put = c->block;
    for (int m = 0; m < r->rank; ++m) n *= c->tile[m];
    n = (n + LANES - 1) / LANES;
    if (c->way == WAY_STRAIGHT) return runs_work(r, c, cost, 2 * n / load, 8 * AVERAGE * n / load);
    return runs_work(r, c, cost, n / load + n / put + 2 * n / store,
                     n * (AVERAGE + (4 + 7 * parts) * AVERAGE / load + 2 * AVERAGE / put +
                          3 * AVERAGE / store));
}
