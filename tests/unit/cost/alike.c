// What 'alike' takes from another instruction is what the rules count of its own addresses: random
// accesses of one side or both, with swizzles of all forms and places, widths and shifts.
#include "cost/alike.h"

#include "../check.h"
#include "layout/lay.h"

enum { CASES = 500, ROUNDS = 16, THREADS = 96, SHIFTS = 64 };

static uint64_t seed = 20261123;

static int draw(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

struct drawn {
    enum cost_class class;
    bool global, shared;  // which sides there are
    struct side {
        struct accesses a;
        int64_t lane[THREADS], round[ROUNDS];
        int group[THREADS];
        struct lane_limit limit;
    } side[2];
};

static void draw_side(struct side *x, bool global, int width, int threads) {
    int elem = 1 << draw(4), row = 1 << (3 + draw(5));
    if (elem > width) elem = width;
    int each = width / elem, across = 1 << draw(6), odd = draw(4) ? 0 : draw(5);
    for (int t = 0; t < THREADS; ++t) {
        x->lane[t] = t % across * each + t / across * (row + odd * each);
        x->group[t] = t / across;
    }
    for (int n = 0; n < ROUNDS; ++n)
        x->round[n] = (int64_t)n * each * (1 << draw(3)) * (draw(2) ? row : 1);
    struct lay_swizzle sw = {0, 0, 0};
    if (!global && draw(5)) {
        sw.b = (int8_t)(1 + draw(4));
        sw.m = (int8_t)draw(5);
        sw.s = (int8_t)((sw.b + draw(4)) * (draw(6) ? 1 : -1));
    }
    x->limit = (struct lane_limit){x->lane, x->round, 1 + draw(row * ROUNDS)};
    int inner = each * (1 << draw(5)), shifts = 1 << draw(4), outer = 1 << draw(3);
    x->a = (struct accesses){.sw = sw,
                             .elem_bytes = elem,
                             .bytes = width,
                             .threads = threads,
                             .neach = 1,
                             .nrounds = ROUNDS,
                             .lane = x->lane,
                             .group = draw(4) ? NULL : x->group,
                             .round = x->round,
                             .limit = &x->limit,
                             .nlimits = draw(4) == 0,
                             .base = draw(3) ? 128 * draw(4) : 2 * draw(64),
                             .inner = inner,
                             .inner_end = (int64_t)inner * shifts,
                             .outer = 128 / outer,
                             .outer_end = 128};
}

static void draw_one(struct drawn *x) {
    static const enum cost_class classes[] = {COST_LD_SHARED,   COST_ST_SHARED,   COST_LD_SHARED,
                                              COST_LD_GLOBAL,   COST_ST_GLOBAL,   COST_LDMATRIX,
                                              COST_CP_ASYNC_CA, COST_CP_ASYNC_CG, COST_CP_ASYNC_CA};
    x->class = classes[draw(9)];
    bool both = x->class == COST_CP_ASYNC_CA || x->class == COST_CP_ASYNC_CG;
    int width = 1 << draw(5), threads = THREADS - (x->class == COST_LDMATRIX ? 0 : draw(40));
    if (both) width = 4 << draw(3);
    if (x->class == COST_CP_ASYNC_CG || x->class == COST_LDMATRIX) width = 16;
    x->global = both || x->class == COST_LD_GLOBAL || x->class == COST_ST_GLOBAL;
    x->shared = both || !x->global;
    for (int i = 0; i < 2; ++i) draw_side(&x->side[i], i == 0, width, threads);
}

static int64_t shifts_of(const struct drawn *x) {
    return (x->global ? accesses_shifts(&x->side[0].a) : 1) *
           (x->shared ? accesses_shifts(&x->side[1].a) : 1);
}

// What access "n" of warp "w" costs by its addresses; false: it cannot be there.
static bool count(const struct drawn *x, int64_t w, int64_t n, int64_t shift, uint32_t *lanes,
                  struct warp_cost *cost, struct warp_cost *least) {
    const struct accesses *side[] = {&x->side[0].a, &x->side[1].a};
    struct warp_access a = {.class = x->class, .bits = side[0]->bytes * 8, .matrices = 4};
    int64_t of_global = x->global ? accesses_shifts(side[0]) : 1;
    uint32_t of[2] = {UINT32_MAX, UINT32_MAX};
    if (x->global) accesses_get(side[0], w, n, shift % of_global, -1, a.global, &of[0]);
    if (x->shared) accesses_get(side[1], w, n, shift / of_global, -1, a.shared, &of[1]);
    a.lanes = of[0] & of[1];
    if (x->class == COST_LDMATRIX && a.lanes) a.lanes = UINT32_MAX;
    *lanes = a.lanes;
    for (int l = 0; l < LANES; ++l)
        if (a.lanes >> l & 1 && (a.global[l] % side[0]->bytes || a.shared[l] % side[1]->bytes))
            return false;
    cost_of_warp(90, &a, cost);
    cost_least(90, &a, least);
    return true;
}

static bool same(const struct warp_cost *a, const struct warp_cost *b) {
    return a->requests.most == b->requests.most && a->sectors.least == b->sectors.least &&
           a->sectors.most == b->sectors.most && a->wavefronts.least == b->wavefronts.least &&
           a->wavefronts.most == b->wavefronts.most;
}

int main(void) {
    int64_t taken = 0, swizzled = 0, all = 0, of_class[N_COST_CLASSES] = {0};
    static struct drawn x;
    for (int i = 0; i < CASES; ++i) {
        struct alike like;
        draw_one(&x);
        alike_begin(&like, x.global ? &x.side[0].a : NULL, x.shared ? &x.side[1].a : NULL, x.class);
        int64_t warps = (x.side[0].a.threads + LANES - 1) / LANES;
        int64_t all_shifts = shifts_of(&x), shifts = all_shifts < SHIFTS ? all_shifts : SHIFTS;
        for (int64_t w = 0; w < warps; ++w) {
            alike_warp(&like, w);
            for (int64_t n = 0; n < ROUNDS * shifts; ++n) {
                struct warp_cost cost = {0}, least = {0};
                uint32_t lanes;
                int64_t round = n / shifts, shift = n % shifts * (all_shifts / shifts);
                bool ok = count(&x, w, round, shift, &lanes, &cost, &least);
                ++all;
                const struct alike_one *one = alike_find(&like, round, shift);
                if (one) {
                    ++taken;
                    swizzled += x.shared && x.side[1].a.sw.b > 0;
                    ++of_class[x.class];
                    CHECK(one->ok == ok && one->lanes == lanes, "case %d warp %d access %d", i,
                          (int)w, (int)n);
                    CHECK(!ok || (same(&cost, &one->cost) && same(&least, &one->least)),
                          "case %d warp %d access %d: %d, not %d", i, (int)w, (int)n,
                          (int)one->cost.wavefronts.most, (int)cost.wavefronts.most);
                } else {
                    alike_note(&like, round, shift, ok, lanes, &cost, &least);
                }
            }
        }
    }
    for (int i = COST_NONE + 1; i < N_COST_CLASSES; ++i)
        CHECK(i == COST_STMATRIX || i == COST_BULK || of_class[i] * 128 > all,
              "%d of %d are of class %s", (int)of_class[i], (int)all,
              cost_class_name((enum cost_class)i));
    CHECK(taken * 4 > all && swizzled * 32 > all, "%d of %d taken, %d of them swizzled", (int)taken,
          (int)all, (int)swizzled);
    return check_done();
}
