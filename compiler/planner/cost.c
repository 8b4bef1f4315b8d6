// The cost of a choice, in integers, so that each machine chooses the same.  The formula and its
// numbers were fitted to 2800 choices for 132 relayouts, timed on one H200, then to 1004 choices for
// 48, and to 3350 for 111 (bench/results/relayout-cost.md).  They serve to rank choices.
#include "planner/private.h"

enum {
    SM_THREADS = 2048,
    SM_BLOCKS = 32,
    SM_REGISTERS = 65536,
    SM_MEMORY = 256,      // KB of L1 cache and shared memory together
    BLOCK_SHARED = 1024,  // bytes of shared memory that each block takes besides its own
    GRAIN = 64,           // bytes that memory reads and writes at once
    ONE = COST_CLOCK,     // all following numbers are in this unit

    // For a run, in relation to its bytes: the cost of beginning it, and of beginning or ending
    // inside a grain.  If the neighbour comes late, the rest of the grain is not in the cache any
    // more.
    READ_BEGIN = 7,
    READ_SHORT = 32,  // for a run of one grain; an eighth of it for two
    BEGIN_FAR = 28,   // if rows are multiples of 4 KB apart, which use few channels
    WRITE_BEGIN = 16,
    READ_CUT = 39,
    READ_CUT_LATE = 77,
    READ_LATE = 150,  // MB read and written in between
    WRITE_CUT = 200,
    WRITE_NOT_NEXT = 26,  // if it is not the next block
    WRITE_LATE = 180,
    // clocks
    WRITE_LINE = 791,  // for a line that a warp touches
    WRITE = 150,       // for an access of a warp
    PASS = 12,         // for a pass of shared memory
    PASS_ALONE = 60,   // the same, in parallel with everything else
    LOAD = 3021,       // for each of a thread's loads, one after the other
    LOADS_HELD = 64,   // this many loads of a thread cost twice as much, because of their registers
    LOADS = 1275,      // like LOAD, for the warps of a block
    PHASE = 58,        // part of the memory time of a block that only others can use
    START = 1024,      // for beginning a block
    MEETS = 10240,     // .. between devices, which counts the blocks that have ended
    TURN = 6,          // part of all that, for going through shared memory
    L1_SCARCE = 10,    // the same, for each L1 cache that the reads in flight would fill
    L1_LESS_SCARCE = 4,       // the same, without shared memory or along runs
    FEW_IN_FLIGHT = 10,       // the same, for each STEP of bytes in flight on an SM below ENOUGH
    ENOUGH = 40 << 10,        // bytes
    ENOUGH_ALONG = 64 << 10,  // .. if its accesses are along runs
    STEP = 8 << 10,           // bytes
    MUCH_HELD = 12,           // the same, if a thread holds HELD_MOST; 0 up to HELD
    HELD = 128,               // bytes
    HELD_MOST = 192,          // bytes
    LEAD_TILES = 16,
    FAR_ROWS = 128 << 10,  // bytes, see rows_are_far
    FAR_TENSOR = 512 << 20
};

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t product(const struct relayout *r, const int64_t *of) {
    int64_t n = 1;
    for (int i = 0; i < r->rank; ++i) n *= of[i];
    return n;
}

int64_t root_of(int64_t n) {
    int64_t x = n, y = (x + 1) / 2;
    while (y < x) {
        x = y;
        y = (x + n / x) / 2;
    }
    return x;
}

// The bytes of a tile that exist, on average over all tiles and both sides.
static int64_t tile_bytes(const struct relayout *r, const struct choice *c) {
    int64_t n = product(r, c->tile) * (bytes_of(r, true) + bytes_of(r, false)) / 2;
    for (int m = 0; m < r->rank; ++m) {
        int64_t tiles = tiles_along(r, c, m);
        if (tiles < 4096) n = ceil_div(n * r->mode[m].extent, c->tile[m] * tiles);
    }
    return greatest(n, 1);
}

// After how many blocks the neighbour along mode "m" comes.
static int64_t blocks_until(const struct relayout *r, const struct choice *c, int m) {
    int order[RELAYOUT_MODES];
    int64_t n = 1;
    if (c->grid.lead == m) return 1;
    order_of(r, c->grid.by_src, order);
    if (c->grid.lead >= 0) n = c->grid.lead_tiles;
    for (int i = 0; i < r->rank && order[i] != m; ++i) {
        int64_t tiles = tiles_along(r, c, order[i]);
        if (order[i] == c->grid.lead) tiles /= c->grid.lead_tiles;
        if (__builtin_mul_overflow(n, tiles, &n)) return INT32_MAX;
    }
    return least(n, INT32_MAX);
}

// How many MB are moved between a tile and its neighbour along mode "m".
static int64_t megabytes_until(const struct relayout *r, const struct choice *c, int m,
                               int64_t bytes) {
    return least(blocks_until(r, c, m) * (2 * bytes / 256) / 4096, 1 << 20);
}

// The mode at which the contiguous runs of a tile end on a side; -1: none.
static int cut_of(const struct relayout *r, const struct choice *c, bool src, int64_t *run) {
    int order[RELAYOUT_MODES], cut = -1;
    *run = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank && cut < 0; ++i) {
        int m = order[i];
        if ((src ? r->mode[m].src : r->mode[m].dst) == *run)
            *run *= least(c->tile[m], r->mode[m].extent);
        else
            cut = m;
        if (c->tile[m] < r->mode[m].extent) cut = m;
    }
    return cut;
}

int64_t source_gap(const struct relayout *r, const struct choice *c) {
    int64_t run;
    int cut = cut_of(r, c, true, &run);
    return cut < 0 ? 0 : megabytes_until(r, c, cut, tile_bytes(r, c));
}

// The cost of a tile on a side besides its bytes, in relation to them, times ONE.
static int64_t cuts_of(const struct relayout *r, const struct choice *c, bool src, int64_t bytes) {
    int es = bytes_of(r, src);
    int64_t run, step = GRAIN;
    int cut = cut_of(r, c, src, &run);
    bool far = true;
    for (int m = 0; m < r->rank; ++m) {
        int64_t stride = src ? r->mode[m].src : r->mode[m].dst;
        far &= stride < run || stride % 4096 * es % 4096 == 0;
    }
    int64_t begin = (far ? BEGIN_FAR : src ? READ_BEGIN : WRITE_BEGIN) * GRAIN / (run * es);
    int64_t n = least(run * es, 16 * GRAIN);  // longer runs are not short
    if (src) begin += least(READ_SHORT * GRAIN * GRAIN * GRAIN / (n * n * n), ONE);
    if (cut < 0) return begin;
    for (int m = 0; m < r->rank; ++m) {
        int64_t stride = src ? r->mode[m].src : r->mode[m].dst;
        int64_t times = m == cut && stride < run ? c->tile[m] : 1;
        if (stride < run && m != cut) continue;
        stride = step_along(&r->mode[m], src);
        while (stride % GRAIN * es * (times % GRAIN) % step) step /= 2;
    }
    int align = src ? r->src_align : r->dst_align;
    if (align < 16) step = least(step, align);
    int64_t besides = (GRAIN - step) * ONE / (run * es), d = megabytes_until(r, c, cut, bytes);
    int64_t part = src ? READ_CUT + READ_CUT_LATE * d * d / (d * d + READ_LATE * READ_LATE)
                       : WRITE_CUT + least(d * d * ONE / (WRITE_LATE * WRITE_LATE), 16 * ONE);
    if (!src && blocks_until(r, c, cut) > 1) part += WRITE_NOT_NEXT;
    return begin + besides * part / ONE;
}

// The clocks for which a tile keeps the memory busy.  Sets "cuts" to what runs add on both sides.
static int64_t memory_of(const struct relayout *r, const struct choice *c, int64_t bytes,
                         int64_t cuts[2]) {
    cuts[0] = cuts_of(r, c, true, bytes);
    cuts[1] = cuts_of(r, c, false, bytes);
    return 2 * bytes * (ONE + cuts[0] + cuts[1]) / COST_BYTES;
}

// Whether a tile reads rows so far apart, from so large a tensor, that the blocks in flight should
// have few of them.  In the order of the destination, blocks read a piece of every row.  In the
// order of the source, they write pieces all over the destination, which nobody waits for
// (bench/results/relayout_order.md).
static bool rows_are_far(const struct relayout *r, const struct choice *c) {
    int order[RELAYOUT_MODES], es = bytes_of(r, true), i = 0;
    int64_t run = 1, bytes = es;
    order_of(r, true, order);
    for (int m = 0; m < r->rank; ++m)
        if (__builtin_mul_overflow(bytes, r->mode[m].extent, &bytes)) bytes = INT64_MAX / 32;
    while (i < r->rank && r->mode[order[i]].src == run) {
        int m = order[i++];
        run *= c->tile[m];
        if (c->tile[m] < r->mode[m].extent) break;
    }
    for (; i < r->rank; ++i)
        if (c->tile[order[i]] > 1)
            return bytes >= FAR_TENSOR && r->mode[order[i]].src >= FAR_ROWS / es;
    return false;
}

// The fastest mode of a side with several tiles; -1: none.
static int first_tiled(const struct relayout *r, const struct choice *c, bool src) {
    int order[RELAYOUT_MODES];
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i)
        if (tiles_along(r, c, order[i]) > 1) return order[i];
    return -1;
}

// A few tiles along the destination, then along the source.  Without these few first, some tiles
// are slower than along the destination.
static struct grid along_source(const struct relayout *r, const struct choice *c) {
    int lead = first_tiled(r, c, false);
    struct grid grid = {.by_src = true, .lead = -1};
    if (lead < 0 || lead == first_tiled(r, c, true)) return grid;
    for (int64_t n = LEAD_TILES / 4; n <= LEAD_TILES && grid.lead < 0; ++n)
        if (tiles_along(r, c, lead) % n == 0) grid = (struct grid){true, lead, n};
    return grid;
}

void choose_grid(const struct relayout *r, struct choice *c) {
    int64_t bytes = tile_bytes(r, c), best = INT64_MAX;
    struct grid grid = {.lead = -1};
    for (int by_src = 0; by_src < 2; ++by_src) {
        int order[RELAYOUT_MODES], lead = 0;
        order_of(r, !by_src, order);
        while (lead < r->rank && tiles_along(r, c, order[lead]) == 1) ++lead;
        int64_t tiles = lead < r->rank ? tiles_along(r, c, order[lead]) : 1;
        for (int64_t n = 1; n <= LEAD_TILES && n <= tiles; ++n) {
            if (tiles % n || (n > 1 && n != tiles && n < LEAD_TILES / 4)) continue;
            c->grid = (struct grid){by_src, n > 1 ? order[lead] : -1, n};
            int64_t cuts[2], memory = memory_of(r, c, bytes, cuts);
            if (memory >= best) continue;
            best = memory;
            grid = c->grid;
        }
    }
    if (whole_lines(r, c) && rows_are_far(r, c)) grid = along_source(r, c);
    c->grid = grid;
}

// The number of blocks on an SM at a time.
static int64_t per_sm(const struct relayout *r, const struct choice *c, int64_t rounds,
                      bool ragged) {
    int64_t es = held_bytes(r), warps = ceil_div(c->threads, 32);
    int64_t held = ceil_div(product(r, c->rd.val) * es, 4);
    if (c->way == WAY_STAGED) held = greatest(held, rounds * ceil_div(c->wr.vector * es, 4));
    int64_t registers = 32;
    if (held >= 24) registers = ceil_div(least(88, held + (ragged ? 22 : 14)), 8) * 8;
    int64_t n = least(SM_BLOCKS, SM_THREADS / (32 * warps));
    n = least(n, SM_REGISTERS / (32 * warps * registers));
    if (c->shared) n = least(n, 227 * 1024 / (c->shared * es + BLOCK_SHARED));
    return n;
}

// KB of an SM's memory that remain besides the shared memory of so many blocks.
static int64_t l1_beside(int64_t blocks, int64_t shared) {
    static const int taken[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    int64_t need = shared ? ceil_div(blocks * (shared + BLOCK_SHARED), 1024) : 0;
    for (unsigned i = 0; i < sizeof taken / sizeof taken[0]; ++i)
        if (taken[i] >= need) return SM_MEMORY - taken[i];
    return SM_MEMORY - 228;
}

// The additional cost of a block that goes through shared memory, in relation to its other cost,
// times ONE.  It does not read while it writes, so few bytes in flight do not keep memory busy.
// What a thread holds until all its loads have arrived takes registers from other threads.
static int64_t waits_of(const struct relayout *r, const struct choice *c, int64_t in_flight) {
    int64_t held = product(r, c->rd.val) * held_bytes(r), part = 0;
    int64_t enough = c->along_runs ? ENOUGH_ALONG : ENOUGH;
    if (in_flight < enough) part += (enough - in_flight) * FEW_IN_FLIGHT / STEP;
    if (held > HELD) part += MUCH_HELD * (least(held, HELD_MOST) - HELD) / (HELD_MOST - HELD);
    return part;
}

void cost_of(const struct relayout *r, const struct choice *c, const struct traffic *t,
             struct cost *out) {
    int64_t es = held_bytes(r);
    bool staged = c->way == WAY_STAGED, ragged = false;
    out->blocks = 1;
    out->total = INT64_MAX;
    for (int m = 0; m < r->rank; ++m) {
        if (__builtin_mul_overflow(out->blocks, tiles_along(r, c, m), &out->blocks))
            out->blocks = INT64_MAX / 2;
        ragged |= r->mode[m].extent % c->tile[m] != 0;
    }
    int64_t loads = product(r, c->rd.val) / c->rd.vector * ceil_div(c->rd.threads, 32);
    int64_t rounds = 0, stores = loads;
    if (staged) {
        rounds = product(r, c->tile) / (product(r, c->wr.thr) * c->wr.vector);
        stores = rounds * ceil_div(c->wr.threads, 32);
    }
    out->per_sm = per_sm(r, c, rounds, ragged);
    if (out->per_sm < 1) return;
    int64_t blocks = out->blocks;
    if (r->pieces && __builtin_mul_overflow(blocks, r->pieces, &blocks)) blocks = INT64_MAX / 2;
    // with few blocks, no SM has more than its share
    int64_t busy = least(out->per_sm, ceil_div(blocks, SMS));

    int64_t bytes = tile_bytes(r, c), memory = memory_of(r, c, bytes, out->cuts);
    int64_t caches = 0, shared = 0, flying = 0;
    out->lines = out->conflict = 0;
    if (t) {
        int64_t reads = product(r, c->rd.val) / c->rd.vector * c->rd.threads;
        int64_t writes = staged ? rounds * c->wr.threads : reads;
        out->lines = (t->read.lines * reads + t->write.lines * writes) / (AVERAGE * LANES);
        int64_t puts = staged ? product(r, c->rd.val) / c->block * ceil_div(c->rd.threads, 32) : 0;
        int64_t passes = t->put.passes * puts + t->get.passes * stores;
        if (staged)
            out->conflict =
                greatest(0, passes / AVERAGE - puts * greatest(1, c->block * es * 32 / LINE) -
                                stores * greatest(1, c->wr.vector * es * 32 / LINE));
        shared = passes * PASS_ALONE / AVERAGE;
        caches = (t->write.lines * stores * WRITE_LINE + passes * PASS) / AVERAGE + stores * WRITE;
        flying = busy * t->read.lines * loads / AVERAGE * LINE / 1024;
    }
    int64_t own = product(r, c->rd.val) / c->rd.vector;
    own += own * own / LOADS_HELD;
    int64_t phases = (own * LOAD + loads * LOADS + (memory + caches) * PHASE / ONE) / busy;
    out->part[COST_MEMORY] = memory;
    out->part[COST_CACHES] = caches;
    out->part[COST_SHARED] = shared;
    out->part[COST_PHASES] = phases;
    out->copied = bytes / LINE * WRITE_LINE + bytes / (LANES * WIDE) * WRITE;
    int64_t one = root_of(memory * memory + caches * caches + shared * shared + phases * phases);
    one += r->pieces ? MEETS : START;
    int64_t scarce = staged && !c->along_runs ? L1_SCARCE : L1_LESS_SCARCE;
    one += one * flying * scarce / l1_beside(busy, c->shared * es) / ONE;
    if (staged) one += one * TURN / ONE;
    if (staged) one += one * waits_of(r, c, out->per_sm * bytes) / ONE;
    int64_t waves = ceil_div(blocks, SMS);  // with one block on each SM
    if (__builtin_mul_overflow(one, waves, &out->total)) out->total = INT64_MAX;
}
