// What is kept of a count is taken for accesses that are the same up to whole lines, and for no others:
// random accesses of one side, and the same with all lanes moved and mostly nothing else.
#include "cost/memo.h"

#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "layout/lay.h"

enum { CASES = 1000, ROUNDS = 16, THREADS = 96 };

static uint64_t seed = 20261123;

static int draw(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

struct drawn {
    struct accesses a;
    enum cost_class class;
    int64_t lane[THREADS], round[ROUNDS];
};

static void draw_one(struct drawn *x) {
    static const enum cost_class classes[] = {COST_LD_SHARED, COST_ST_SHARED, COST_LD_SHARED,
                                              COST_LD_GLOBAL, COST_ST_GLOBAL};
    int elem = 1 << draw(4), width = elem << draw(3), row = 1 << (3 + draw(5));
    x->class = classes[draw(5)];
    bool global = x->class == COST_LD_GLOBAL || x->class == COST_ST_GLOBAL;
    if (width > 16) width = 16;
    if (elem > width) elem = width;
    int each = width / elem, across = 1 << draw(6), odd = draw(4) ? 0 : draw(5);
    for (int t = 0; t < THREADS; ++t)
        x->lane[t] = t % across * each + t / across * (row + odd * each);
    for (int n = 0; n < ROUNDS; ++n)
        x->round[n] = (int64_t)n * each * (1 << draw(3)) * (draw(2) ? row : 1);
    struct lay_swizzle sw = {0, 0, 0};
    if (!global && draw(5)) {
        sw.b = (int8_t)(1 + draw(4));
        sw.m = (int8_t)draw(5);
        sw.s = (int8_t)((sw.b + draw(4)) * (draw(6) ? 1 : -1));
    }
    int inner = each * (1 << draw(5)), shifts = 1 << draw(4), outer = 1 << draw(3);
    x->a = (struct accesses){.sw = sw,
                             .elem_bytes = elem,
                             .bytes = width,
                             .threads = THREADS - draw(40),
                             .neach = 1,
                             .nrounds = ROUNDS,
                             .lane = x->lane,
                             .round = x->round,
                             .base = draw(3) ? 128 * draw(4) : 2 * draw(64),
                             .inner = inner,
                             .inner_end = (int64_t)inner * shifts,
                             .outer = 128 / outer,
                             .outer_end = 128};
}

// What access "n" of warp "w" costs by its addresses; false: it cannot be there.
static bool count(const struct drawn *x, int64_t w, int64_t n, int64_t shift, uint32_t *lanes,
                  struct warp_cost *cost, struct warp_cost *least) {
    bool global = x->class == COST_LD_GLOBAL || x->class == COST_ST_GLOBAL;
    struct warp_access a = {.class = x->class, .bits = x->a.bytes * 8};
    int64_t *at = global ? a.global : a.shared;
    accesses_get(&x->a, w, n, shift, -1, at, &a.lanes);
    *lanes = a.lanes;
    for (int l = 0; l < LANES; ++l)
        if (a.lanes >> l & 1 && at[l] % x->a.bytes) return false;
    cost_of_warp(90, &a, cost);
    cost_least(90, &a, least);
    return true;
}

static bool same(const struct warp_cost *a, const struct warp_cost *b) {
    return a->requests.most == b->requests.most && a->sectors.least == b->sectors.least &&
           a->sectors.most == b->sectors.most && a->wavefronts.least == b->wavefronts.least &&
           a->wavefronts.most == b->wavefronts.most;
}

// "x" with all lanes moved, and mostly nothing else that matters.
static void move(const struct drawn *x, struct drawn *y) {
    struct lay_swizzle sw = x->a.sw;
    int64_t unit = sw.b ? (int64_t)1 << (sw.m + sw.b + abs(sw.s)) : 1;
    int64_t by = (unit > 128 ? unit : 128) * draw(9) + (draw(3) ? 0 : draw(256));
    *y = *x;
    y->a.lane = y->lane;
    y->a.round = y->round;
    for (int t = 0; t < THREADS; ++t) y->lane[t] += by;
    y->a.base += draw(4) ? 128 * draw(3) : draw(128);
    if (draw(8) == 0) y->lane[draw((int)y->a.threads)] += 1 << draw(6);
    if (draw(8) == 0) y->round[draw(ROUNDS)] += 1 << draw(6);
    if (draw(8) == 0) y->a.bytes = y->a.elem_bytes;
    if (draw(8) == 0) y->a.threads -= 1;
    if (draw(8) == 0) y->a.sw.b ^= 1;
}

static bool same_costs(const struct drawn *x, const struct drawn *y) {
    int64_t warps = (x->a.threads + LANES - 1) / LANES, shifts = accesses_shifts(&x->a);
    if (x->a.threads != y->a.threads || shifts != accesses_shifts(&y->a)) return false;
    for (int64_t i = 0; i < warps * ROUNDS * shifts; ++i) {
        struct warp_cost cost[2] = {{{0}}}, least[2] = {{{0}}};
        uint32_t lanes[2];
        int64_t w = i / shifts / ROUNDS, n = i / shifts % ROUNDS, shift = i % shifts;
        bool ok = count(x, w, n, shift, &lanes[0], &cost[0], &least[0]);
        if (count(y, w, n, shift, &lanes[1], &cost[1], &least[1]) != ok || lanes[0] != lanes[1])
            return false;
        if (ok && (!same(&cost[0], &cost[1]) || !same(&least[0], &least[1]))) return false;
    }
    return true;
}

static void check_kept(void) {
    static struct drawn x, y;
    static struct cost_counted counted;
    int found = 0, others = 0;
    for (int i = 0; i < CASES; ++i) {
        draw_one(&x);
        move(&x, &y);
        struct cost_memo *m = cost_memo_new();
        struct cost_asked q = {.arch = 90, .class = x.class, .lanes = UINT32_MAX};
        q.side[0] = &x.a;
        CHECK(!cost_memo_find(m, &q), "case %d: found before it was kept", i);
        counted.work = i;
        cost_memo_keep(m, &counted);
        const struct cost_counted *again = cost_memo_find(m, &q);
        CHECK(again && again->work == i, "case %d: kept and not found", i);
        q.side[0] = &y.a;
        again = cost_memo_find(m, &q);
        bool like = same_costs(&x, &y);
        found += again != NULL;
        others += !like;
        CHECK(!again || like, "case %d: taken for one that costs something else", i);
        q.side[0] = &x.a;
        q.enough = 1;
        CHECK(!cost_memo_find(m, &q), "case %d: found where less is enough", i);
        cost_memo_free(m);
    }
    CHECK(found > CASES / 8 && others > CASES / 8, "%d found, %d others", found, others);
}

int main(void) {
    check_kept();
    return check_done();
}
