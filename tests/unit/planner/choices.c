// What the planner chooses for random relayouts: each tile is read, kept in shared memory and written once, within the limits of a block; its
// lines and passes are those of all addresses, counted one by one; what is left out by a lower bound would not have been better.
#include <stdint.h>
#include <stdlib.h>

#include "base/session.h"
#include "check.h"
#include "planner/private.h"

enum { RELAYOUTS = 200, MOST = 12, WARP = 32, LINE_BYTES = 128, ALL_WARPS = 5, TIMES = 16 };

static uint32_t state = 20261128;

static int draw(int n) {  // of 0 .. n - 1
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static const char *words(const struct relayout *r, const struct choice *c) {
    static char text[400];
    int n = sprintf(text, "%s, %s:", r->type->name, c->way == WAY_STAGED ? "staged" : "straight");
    for (int m = 0; m < r->rank; ++m)
        n += sprintf(text + n, " %d of %d (%d -> %d)", (int)c->tile[m], (int)r->mode[m].extent,
                     (int)r->mode[m].src, (int)r->mode[m].dst);
    return text;
}

// -- random relayouts -----------------------------------------------------------------------------

static void strides(struct relayout *r, bool src) {
    bool used[4] = {false};
    int64_t stride = 1;
    for (int i = 0; i < r->rank; ++i) {
        int m = draw(r->rank);
        while (used[m]) m = (m + 1) % r->rank;
        used[m] = true;
        *(src ? &r->mode[m].src : &r->mode[m].dst) = stride;
        stride *= r->mode[m].extent;
        if (draw(5) == 0) stride += draw(2) ? 8 : 1;
    }
    if (src && r->rank > 2 && draw(6) == 0) r->mode[draw(r->rank)].src = 0;
}

static void draw_relayout(struct relayout *r) {
    static const char *const types[] = {"u8", "f16", "f32", "f64", "b128"};
    static const int extents[] = {3, 8, 16, 17, 31, 32, 48, 64, 96, 100, 128, 200, 256};
    static const int aligns[] = {16, 16, 16, 4};
    *r = (struct relayout){.rank = 2 + draw(3), .arch = 90, .shared = 227 * 1024};
    r->type = elem_type_find(types[draw(5)]);
    int align = aligns[draw(4)], es = r->type->bits / 8;
    r->src_align = r->dst_align = align < es ? es : align;
    for (int m = 0; m < r->rank; ++m) r->mode[m].extent = extents[draw(13)];
    strides(r, true);
    strides(r, false);
}

// -- addresses, one by one ------------------------------------------------------------------------

static int64_t place(const struct relayout *r, const struct choice *c, int space, int m,
                     int64_t k) {
    if (space < 2) return k * (space ? r->mode[m].dst : r->mode[m].src);
    if (m != c->split) return k * c->room[m];
    return k / c->part * c->rest + k % c->part * c->room[m];
}

// The byte at which thread "t" begins, of the source (0), the destination (1) or shared memory (2).
static int64_t address(const struct relayout *r, const struct choice *c, const struct share *s,
                       bool by_src, int space, int t) {
    int64_t at = 0;
    int order[RELAYOUT_MODES];
    order_of(r, by_src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        at += place(r, c, space, m, t % s->thr[m] * s->val[m]);
        t /= (int)s->thr[m];
    }
    return at * (r->type->bits / 8);
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int distinct(int64_t *x, int n) {
    int found = 0;
    qsort(x, (size_t)n, sizeof *x, compare);
    for (int i = 0; i < n; ++i) found += i == 0 || x[i] != x[i - 1];
    return found;
}

// Lines that the lanes of a warp touch where all is "phase" bytes further.
static int lines_of(const int64_t *at, int lanes, int bytes, int phase) {
    int64_t line[WARP * 16];
    int n = 0;
    for (int l = 0; l < lanes; ++l)
        for (int b = 0; b < bytes; ++b) {
            int64_t x = (at[l] + phase + b) / LINE_BYTES;
            if (b == 0 || x != line[n - 1]) line[n++] = x;
        }
    return distinct(line, n);
}

// The most words that lanes "from" .. "end" want of one bank.
static int passes_of(const int64_t *at, int from, int end, int bytes) {
    int most = 1;
    for (int bank = 0; bank < 32; ++bank) {
        int64_t word[WARP * 16];
        int n = 0;
        for (int l = from; l < end; ++l)
            for (int b = 0; b < bytes; ++b)
                if ((at[l] + b) / 4 % 32 == bank) word[n++] = (at[l] + b) / 4;
        n = distinct(word, n);
        most = n > most ? n : most;
    }
    return most;
}

static int64_t step_of(const struct relayout *r, const struct choice *c, bool src) {
    int64_t step = LINE_BYTES, align = src ? r->src_align : r->dst_align;
    for (int m = 0; m < r->rank; ++m)
        if (c->tile[m] < r->mode[m].extent)
            step = lay_gcd(step, c->tile[m] * (src ? r->mode[m].src : r->mode[m].dst) *
                                     (r->type->bits / 8));
    return align < 16 ? lay_gcd(step, align) : step;
}

// The lines of all warps together, at least and at most of all places where a tile may begin.
static void lines_between(const struct relayout *r, const struct choice *c, const struct share *s,
                          bool by_src, bool src, int vector, int64_t *least, int64_t *most) {
    int bytes = vector * r->type->bits / 8, step = (int)step_of(r, c, src);
    *least = *most = 0;
    for (int w = 0; w < s->threads; w += WARP) {
        int64_t at[WARP];
        int lanes = s->threads - w < WARP ? s->threads - w : WARP, lo = INT32_MAX, hi = 0;
        for (int l = 0; l < lanes; ++l) at[l] = address(r, c, s, by_src, src ? 0 : 1, w + l);
        for (int phase = 0; phase < LINE_BYTES; phase += step) {
            int n = lines_of(at, lanes, bytes, phase);
            lo = n < lo ? n : lo;
            hi = n > hi ? n : hi;
        }
        *least += lo;
        *most += hi;
    }
}

static int64_t all_passes(const struct relayout *r, const struct choice *c, const struct share *s,
                          bool by_src, int vector) {
    int bytes = vector * r->type->bits / 8, together = bytes <= 4 ? WARP : WARP * 4 / bytes;
    int64_t n = 0;
    for (int w = 0; w < s->threads; w += WARP) {
        int64_t at[WARP];
        int lanes = s->threads - w < WARP ? s->threads - w : WARP;
        for (int l = 0; l < lanes; ++l) at[l] = address(r, c, s, by_src, 2, w + l);
        for (int l = 0; l < lanes; l += together)
            n += passes_of(at, l, l + together < lanes ? l + together : lanes, bytes);
    }
    return n;
}

static int64_t average(int64_t n, const struct share *s) {
    return TIMES * n * WARP / s->threads;
}

// -- one choice -----------------------------------------------------------------------------------

static void check_side(const struct relayout *r, const struct choice *c, const struct share *s,
                       bool by_src, bool src, int vector, int64_t got) {
    int64_t least, most;
    if (s->threads > ALL_WARPS * WARP) return;  // of more warps some are counted
    lines_between(r, c, s, by_src, src, vector, &least, &most);
    CHECK(average(least, s) <= got && got <= average(most, s),
          "%s: %d sixteenths of lines a warp; it is between %d and %d", words(r, c), (int)got,
          (int)average(least, s), (int)average(most, s));
}

static void check_traffic(const struct relayout *r, const struct choice *c) {
    struct traffic t, low;
    struct cost with, without, bound;
    bool staged = c->way == WAY_STAGED;
    const struct share *wr = staged ? &c->wr : &c->rd;
    traffic_of_memory(r, c, &t);
    check_side(r, c, &c->rd, staged, true, c->rd.vector, t.read.lines);
    check_side(r, c, wr, false, false, wr->vector, t.write.lines);
    if (staged) {
        traffic_of_put(r, c, &t);
        traffic_of_get(r, c, &t);
        if (c->rd.threads <= ALL_WARPS * WARP)
            CHECK(t.put.passes == average(all_passes(r, c, &c->rd, true, c->block), &c->rd),
                  "%s: %d sixteenths of passes", words(r, c), (int)t.put.passes);
        if (wr->threads <= ALL_WARPS * WARP)
            CHECK(t.get.passes == average(all_passes(r, c, wr, false, wr->vector), wr),
                  "%s: %d sixteenths of passes", words(r, c), (int)t.get.passes);
        traffic_least(r, c, &low);
        CHECK(low.read.lines <= t.read.lines && low.write.lines <= t.write.lines &&
                  low.put.passes <= t.put.passes && low.get.passes <= t.get.passes,
              "%s: less than the least", words(r, c));
        cost_of(r, c, &low, &bound);
    }
    cost_of(r, c, &t, &with);
    cost_of(r, c, NULL, &without);
    CHECK(without.total <= with.total && (!staged || bound.total <= with.total),
          "%s: it costs less than its bounds", words(r, c));
    int64_t reads = 1, blocks = 1, writes = 1;
    for (int m = 0; m < r->rank; ++m) {
        reads *= c->tile[m];
        blocks *= (r->mode[m].extent + c->tile[m] - 1) / c->tile[m];
    }
    writes = reads / wr->vector;
    reads /= c->rd.vector;
    CHECK(with.blocks == blocks, "%s: %d blocks", words(r, c), (int)with.blocks);
    CHECK(with.lines == (t.read.lines * reads + t.write.lines * writes) / (TIMES * WARP),
          "%s: %d lines", words(r, c), (int)with.lines);
    int64_t bytes = c->shared * r->type->bits / 8 + 1024;
    CHECK(with.per_sm >= 1 && with.per_sm <= 32 &&
              with.per_sm * ((c->threads + 31) / 32 * 32) <= 2048 &&
              (!staged || with.per_sm * bytes <= 227 * 1024),
          "%s: %d blocks at a time", words(r, c), (int)with.per_sm);
}

// Each element of the tile has a place of its own in what the block takes of shared memory.
static void check_room(const struct relayout *r, const struct choice *c, int64_t size) {
    char *taken = calloc((size_t)c->shared + 1, 1);
    bool apart = true;
    for (int64_t i = 0; i < size && apart; ++i) {
        int64_t at = 0, rest = i;
        for (int m = 0; m < r->rank; ++m) {
            at += place(r, c, 2, m, rest % c->tile[m]);
            rest /= c->tile[m];
        }
        apart = at >= 0 && at < c->shared && !taken[at]++;
    }
    CHECK(apart, "%s: two elements at one place, or one outside", words(r, c));
    free(taken);
}

static void check_choice(const struct relayout *r, const struct choice *c, bool flat) {
    int64_t size = 1, rd = 1, wr = 1, each = 1;
    bool staged = c->way == WAY_STAGED, even = true;
    for (int m = 0; m < r->rank; ++m) {
        size *= c->tile[m];
        rd *= c->rd.thr[m];
        each *= c->rd.val[m];
        even = even && c->rd.thr[m] * c->rd.val[m] == c->tile[m];
        if (staged) wr *= c->wr.thr[m];
        if (staged) even = even && c->tile[m] % c->wr.thr[m] == 0;
    }
    CHECK(even && rd == c->rd.threads && (!staged || wr == c->wr.threads),
          "%s: threads do not divide the tile", words(r, c));
    CHECK(each % c->rd.vector == 0 && c->threads <= 1024 && c->threads >= c->rd.threads &&
              (!staged || (c->threads >= c->wr.threads && size % (wr * c->wr.vector) == 0)),
          "%s: %d threads", words(r, c), c->threads);
    CHECK(each * r->type->bits / 8 <= 256, "%s: a thread holds %d elements", words(r, c),
          (int)each);
    if (staged) {
        CHECK(c->shared * r->type->bits / 8 <= r->shared && c->shared >= size, "%s: %d in shared",
              words(r, c), (int)c->shared);
        CHECK(!flat || c->rd.threads >= c->wr.threads, "%s: not all read", words(r, c));
        check_room(r, c, size);
    }
    CHECK(!flat || staged, "%s", words(r, c));
    check_traffic(r, c);
}

// Whether two choices differ in what a program has.
static bool differ(const struct relayout *r, const struct choice *a, const struct choice *b) {
    if (a->way != b->way || a->block != b->block || memcmp(&a->grid, &b->grid, sizeof a->grid))
        return true;
    for (int m = 0; m < r->rank; ++m)
        if (a->tile[m] != b->tile[m] || a->rd.thr[m] != b->rd.thr[m] ||
            a->wr.thr[m] != b->wr.thr[m])
            return true;
    return false;
}

// -- all choices ----------------------------------------------------------------------------------

static int without;

static void check_relayout(const struct relayout *r, bool flat) {
    struct chosen list[MOST], first[1];
    int n = choose(r, flat, list, MOST), one = choose(r, flat, first, 1);
    CHECK((n > 0) == (one == 1), "%d choices, and %d of one", n, one);
    without += n == 0;
    if (n == 0) return;
    CHECK(first[0].cost.total == list[0].cost.total,
          "%s: the best one costs %lld, and alone is not found", words(r, &list[0].c),
          (long long)list[0].cost.total);
    for (int i = 0; i < n; ++i) {
        check_choice(r, &list[i].c, flat);
        CHECK(i == 0 || list[i - 1].cost.total <= list[i].cost.total, "%s: not in order",
              words(r, &list[i].c));
        for (int k = 0; k < i; ++k)
            CHECK(differ(r, &list[i].c, &list[k].c), "%s: twice", words(r, &list[i].c));
    }
}

// -- blocks at a time -----------------------------------------------------------------------------

// An SM has 2048 threads, 32 blocks, 65536 registers and 227 KB of shared memory.  A thread has 32 registers, or of 24 and more that it
// holds those and 14, in a ragged tile 22, rounded up to 8, at most 88.  A block takes 1 KB of shared memory besides its own.
static const struct resident {
    int threads, each, shared;  // elements of 4 bytes
    bool ragged;
    int blocks;
} residents[] = {
    {128, 4, 0, false, 16},    // 2048 / 128
    {32, 1, 0, false, 32},     // 32
    {33, 1, 0, false, 32},     // two warps: 2048 / 64
    {96, 1, 0, false, 21},     // 2048 / 96
    {128, 23, 0, true, 16},    // 32 registers
    {128, 24, 0, true, 10},    // 48 registers: 65536 / 6144
    {128, 24, 0, false, 12},   // 40 registers: 65536 / 5120
    {128, 40, 0, true, 8},     // 64 registers: 65536 / 8192
    {128, 40, 0, false, 9},    // 56 registers: 65536 / 7168
    {128, 63, 0, true, 5},     // 88 registers: 65536 / 11264
    {128, 200, 0, false, 5},   // no more than that
    {1024, 40, 0, true, 1},    // 65536 / 65536
    {96, 1, 4096, false, 13},  // 232448 / 17408
    {96, 1, 57600, false, 1},  // 232448 / 231424
    {96, 1, 58112, false, 0},  // no room
    {1024, 66, 0, true, 0},    // 88 registers
};

static void check_residents(void) {
    for (int i = 0; i < (int)(sizeof residents / sizeof *residents); ++i) {
        const struct resident *x = &residents[i];
        int tile = x->threads * x->each;
        struct relayout r = {.rank = 1, .arch = 90, .shared = 227 * 1024};
        struct choice c = {.way = WAY_STRAIGHT, .split = -1, .grid.lead = -1};
        struct cost cost;
        r.type = elem_type_find("f32");
        r.src_align = r.dst_align = 16;
        r.mode[0] = (struct relayout_mode){.extent = 1000 * tile + x->ragged, .src = 1, .dst = 1};
        c.tile[0] = tile;
        c.rd = (struct share){.thr = {x->threads}, .val = {x->each}, .vector = 1};
        c.rd.threads = c.threads = x->threads;
        c.shared = x->shared;
        cost_of(&r, &c, NULL, &cost);
        CHECK(cost.per_sm == x->blocks, "%d threads of %d: %d blocks at a time, not %d", x->threads,
              x->each, (int)cost.per_sm, x->blocks);
        CHECK((cost.total == INT64_MAX) == (x->blocks == 0), "what it costs");
    }
    // what a thread of a staged tile writes is held, too: 16 rounds of 4 elements, 88 registers
    struct relayout r = {
        .rank = 1, .arch = 90, .shared = 227 * 1024, .src_align = 16, .dst_align = 16};
    struct choice c = {
        .way = WAY_STAGED, .split = -1, .grid.lead = -1, .tile = {4096}, .shared = 4096};
    struct cost cost;
    r.type = elem_type_find("f32");
    r.mode[0] = (struct relayout_mode){.extent = 4096 * 9 + 1, .src = 1, .dst = 1};
    c.rd = (struct share){{256}, {16}, 4, 256};
    c.wr = (struct share){{64}, {4}, 4, 64};
    c.threads = 256;
    c.block = 1;
    cost_of(&r, &c, NULL, &cost);
    HOLDS(cost.per_sm == 2 && cost.blocks == 10);
}

// A large block takes little more than its bytes do at 18 bytes a clock, and START besides; twice as many blocks take twice as long.
static void check_bytes(void) {
    struct choice c = {.way = WAY_STRAIGHT, .split = -1, .grid.lead = -1, .tile = {16384}};
    struct relayout r = {.rank = 1, .arch = 90, .src_align = 16, .dst_align = 16};
    struct cost cost[2];
    int64_t clocks = (int64_t)2 * 65536 * 256 / 18;
    r.type = elem_type_find("f32");
    c.rd = (struct share){{256}, {64}, 4, 256};
    c.threads = 256;
    for (int twice = 0; twice < 2; ++twice) {
        r.mode[0] = (struct relayout_mode){.extent = 16384ll * 1320 << twice, .src = 1, .dst = 1};
        cost_of(&r, &c, NULL, &cost[twice]);
    }
    CHECK(cost[0].total >= 10 * (1024 + clocks) && cost[0].total <= 15 * (1024 + clocks),
          "%lld for 10 waves of %lld", (long long)cost[0].total, (long long)clocks);
    HOLDS(cost[1].total == 2 * cost[0].total);
}

// Whether the two sides have different fast modes, as all have of which elements are put in a row.
static bool is_turned(const struct relayout *r) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    order_of(r, true, src);
    order_of(r, false, dst);
    return src[0] != dst[0];
}

int main(void) {
    check_residents();
    check_bytes();
    for (int i = 0; i < RELAYOUTS; ++i) {
        struct session s;
        struct relayout r;
        session_init(&s);
        draw_relayout(&r);
        if (!relayout_coalesce(&s, &r)) check_relayout(&r, i % 4 == 3 && is_turned(&r));
        session_release(&s);
    }
    CHECK(without < RELAYOUTS / 10, "%d relayouts without a choice", without);
    return check_done();
}
