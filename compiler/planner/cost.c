// What a choice costs, in integers, so that each machine chooses the same.  The numbers are of one
// H200; what they are for is the order of choices, no prediction.
#include "planner/private.h"

enum {
    SMS = 132,
    SM_THREADS = 2048,
    SM_BLOCKS = 32,
    SM_REGISTERS = 65536,
    SM_SHARED = 227 * 1024,
    BLOCK_SHARED = 1024,  // that each block takes besides its own
    SECTOR = 32,          // bytes
    LONG_RUN = 256,
    LINE = 128,               // bytes that the L1 cache looks up at once
    BYTES_A_CLOCK = 18,       // of an SM, read and written, when all go to memory
    ISSUE = 4,                // instructions a clock
    STRAIGHT_LATENCY = 1100,  // clocks from a block's begin to its end
    STAGED_LATENCY = 1900,
    ACCESS_LATENCY = 30,  // of each further access of a thread
    BLOCK_START = 16,
    BASE_REGISTERS = 28,
    ONE = 256  // a clock
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

// The elements of a tile that follow one another on a side, and whether each such run begins at a
// sector.
static int64_t run_of(const struct relayout *r, const struct choice *c, bool src, bool *aligned) {
    int order[RELAYOUT_MODES], es = bytes_of(r, src);
    int64_t run = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        const struct relayout_mode *m = &r->mode[order[i]];
        if ((src ? m->src : m->dst) != run) break;
        run *= c->tile[order[i]];
        if (c->tile[order[i]] < m->extent) break;
    }
    *aligned = (src ? r->src_align : r->dst_align) >= 16;
    for (int i = 0; i < r->rank; ++i) {
        int64_t stride = src ? r->mode[i].src : r->mode[i].dst;
        if (stride >= run && stride % SECTOR * es % SECTOR) *aligned = false;
        if (stride < run && c->tile[i] < r->mode[i].extent &&
            stride % SECTOR * (c->tile[i] % SECTOR) * es % SECTOR)
            *aligned = false;
    }
    return run;
}

static int64_t elements(const struct relayout *r, const struct choice *c, bool src) {
    int64_t n = 1;
    for (int i = 0; i < r->rank; ++i)
        if (!src || r->mode[i].src != 0) n *= c->tile[i];
    return n;
}

// Half sectors of a tile on a side.  A run shorter than 256 bytes costs a sector more than it has,
// since memory likes long ones, and so does one that shares sectors with its neighbours.
static int64_t half_sectors(const struct relayout *r, const struct choice *c, bool src) {
    bool aligned;
    int64_t run = run_of(r, c, src, &aligned), bytes = run * bytes_of(r, src);
    int64_t runs = elements(r, c, src) / run;
    return runs * (2 * ceil_div(bytes, SECTOR) + (bytes < LONG_RUN ? 2 : 0) + (aligned ? 0 : 2));
}

static int64_t product(const struct relayout *r, const int64_t *of) {
    int64_t n = 1;
    for (int i = 0; i < r->rank; ++i) n *= of[i];
    return n;
}

// Passes of the L1 cache for "accesses" of a warp with so many elements a lane.
static int64_t lines(const struct relayout *r, const struct choice *c, bool src, int vector,
                     int64_t accesses) {
    bool aligned;
    int64_t es = bytes_of(r, src), run = run_of(r, c, src, &aligned) * es;
    int64_t bytes = 32 * vector * es;
    return accesses * greatest(1, ceil_div(bytes, least(run, LINE)) + (aligned ? 0 : 1));
}

static int64_t modes_in(const struct relayout *r, const int64_t *of) {
    int64_t n = 0;
    for (int i = 0; i < r->rank; ++i) n += of[i] > 1;
    return n;
}

void cost_of(const struct relayout *r, const struct choice *c, int64_t conflict, struct cost *out) {
    out->conflict = conflict;
    int es = held_bytes(r);
    int64_t tile = product(r, c->tile), warps = ceil_div(c->threads, 32), ragged = 0, tiled = 0;
    out->blocks = 1;
    for (int m = 0; m < r->rank; ++m) {
        int64_t n = tiles_along(r, c, m);
        if (__builtin_mul_overflow(out->blocks, n, &out->blocks)) out->blocks = INT64_MAX / 2;
        ragged += r->mode[m].extent % c->tile[m] != 0;
        tiled += n > 1;
    }
    out->src_sectors = half_sectors(r, c, true);
    out->dst_sectors = half_sectors(r, c, false);

    int64_t latency = c->way == WAY_STRAIGHT ? STRAIGHT_LATENCY : STAGED_LATENCY;
    int64_t values = product(r, c->rd.val), loads = values / c->rd.vector;
    int64_t held = values * es / 4 + (es < 4);  // registers
    int64_t fixed = 16 + 6 * modes_in(r, c->rd.thr) + 6 * tiled + 12 * ragged,
            each = 2 * loads + (r->to ? values : 0);
    out->lsu = lines(r, c, true, c->rd.vector, loads * warps);
    if (c->way == WAY_STRAIGHT) {
        each += 2 * loads;
        out->lsu += lines(r, c, false, c->rd.vector, loads * warps);
    } else {
        int64_t put = values / c->block;
        int64_t wr_warps = ceil_div(c->wr.threads, 32);
        int64_t rounds = tile / (product(r, c->wr.thr) * c->wr.vector);
        int64_t turned = es < 4 && c->block > 1 && c->rd.vector > 1 ? values * es / 2 : 0;
        if (es < 4 && c->block < 4 / es) turned += put;  // parts of registers
        latency += ACCESS_LATENCY * rounds;
        fixed += 20 + 6 * modes_in(r, c->wr.thr);
        each += put + turned + 3 * rounds * wr_warps / warps;
        out->lsu += lines(r, c, false, c->wr.vector, rounds * wr_warps);
        out->lsu += put * warps * greatest(1, c->block * es * 32 / LINE);
        out->lsu += rounds * wr_warps * greatest(1, c->wr.vector * es * 32 / LINE);
        held = greatest(held, rounds * greatest(1, c->wr.vector * es / 4));
    }
    out->instructions = warps * (fixed + each);

    int64_t shared = c->shared * es;
    out->per_sm = least(SM_BLOCKS, SM_THREADS / (32 * warps));
    out->per_sm = least(out->per_sm, SM_REGISTERS / (32 * warps * (BASE_REGISTERS + held)));
    if (shared) out->per_sm = least(out->per_sm, SM_SHARED / (shared + BLOCK_SHARED));
    if (out->per_sm < 1) {
        out->total = INT64_MAX;
        return;
    }
    // where there are few blocks, no SM has more than its part of them
    int64_t busy = least(out->per_sm, ceil_div(out->blocks, SMS));
    latency += ACCESS_LATENCY * loads;
    int64_t memory = (out->src_sectors + out->dst_sectors) * (SECTOR / 2) * ONE / BYTES_A_CLOCK;
    // what a block reads before it writes leaves the memory idle unless others fill in
    if (c->way == WAY_STAGED) memory += memory / (2 * busy);
    // and few warps do not ask for enough
    memory += memory * (SM_THREADS / 32 - busy * warps) / 512 + memory * loads / 256;
    memory = greatest(memory, latency * ONE / busy);
    int64_t lsu = (out->lsu + out->conflict) * ONE, issue = out->instructions * ONE / ISSUE;
    int64_t one =
        greatest(memory, greatest(lsu, issue)) + (memory + lsu + issue) / 8 + BLOCK_START * ONE;
    // a last wave that is not full takes as long as one that is
    int64_t wave = SMS * busy, n = out->blocks;
    if (n < 16 * wave) n = ceil_div(n, wave) * wave;
    if (__builtin_mul_overflow(one, ceil_div(n, SMS), &out->total)) out->total = INT64_MAX;
}
