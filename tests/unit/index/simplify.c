// Simplified expressions against plain evaluation: random sums, quotients and remainders over
// variables and params, among them params that are multiples of a number.
#include <stdlib.h>

#include "base/session.h"
#include "check.h"
#include "index/ix.h"

enum { VARS = 3, SYMS = 4, POOL = 40, ROUNDS = 4000, POINTS = 12, MOST_LEAVES = 12 };

struct point {
    int64_t var[VARS], sym[SYMS];
};

struct item {
    const struct ix *e;
    int size;  // leaves
    int64_t value[POINTS];
};

struct test {
    struct session s;
    uint64_t seed;
    struct ix_var var[VARS];
    struct lay_int sym[SYMS];
    struct point point[POINTS];
    struct item item[POOL];
    int n;
};

static int64_t below(struct test *x, int64_t n) {
    x->seed = x->seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((x->seed >> 33) % (uint64_t)n);
}

static void begin(struct test *x, uint64_t seed) {
    const int64_t mul[SYMS] = {1, 1, 4, 12};
    const char *name[SYMS] = {"N", "M", "P", "Q"};
    *x = (struct test){.seed = seed};
    session_init(&x->s);
    for (int i = 0; i < VARS; ++i)
        x->var[i] = (struct ix_var){.kind = IX_LOOP,
                                    .name = "v",
                                    .c_name = "v",
                                    .id = x->s.next_var++,
                                    .lo = lay_int(0),
                                    .end = lay_int(20)};
    for (int i = 0; i < SYMS; ++i)
        x->sym[i] = lay_int_sym(&x->s.lay, lay_param(&x->s.lay, name[i], mul[i], mul[i], 60));
    for (int p = 0; p < POINTS; ++p) {
        for (int i = 0; i < VARS; ++i) x->point[p].var[i] = below(x, 20);
        for (int i = 0; i < SYMS; ++i)
            x->point[p].sym[x->sym[i].syms[0]->id] = mul[i] * (1 + below(x, 60 / mul[i]));
    }
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

static void keep(struct test *x, struct item y) {
    int64_t most = 0;
    for (int p = 0; p < POINTS; ++p)
        if (llabs(y.value[p]) > most) most = llabs(y.value[p]);
    if (!y.e || most > 1 << 24) return;
    // those of one leaf stay
    x->item[x->n < POOL ? x->n++ : VARS + SYMS + (int)below(x, POOL - VARS - SYMS)] = y;
}

// The value of a product of params, or part of one, by which is multiplied or divided.
static struct lay_int factor(struct test *x, int64_t value[POINTS]) {
    struct lay_int by = lay_int(1 + below(x, 6));
    for (int64_t n = below(x, 3); n > 0; --n)
        by = lay_int_mul(&x->s.lay, by, x->sym[below(x, SYMS)]);
    if (below(x, 3) == 0) {
        const char *before = x->s.lay.error;
        struct lay_int part = lay_int_div(&x->s.lay, by, lay_int(2 + below(x, 3)));
        x->s.lay.error = before;
        if (lay_int_valid(part)) by = part;
    }
    for (int p = 0; p < POINTS; ++p)
        if (!lay_int_eval(by, x->point[p].sym, &value[p])) return LAY_INT_INVALID;
    return by;
}

static void step(struct test *x) {
    struct item y = {0};
    const struct item *a = &x->item[below(x, x->n)], *b = &x->item[below(x, x->n)];
    int64_t by[POINTS], how = below(x, 5);
    struct lay_int k = factor(x, by);
    y.size = how < 2 ? a->size + b->size : a->size + 1;
    if (y.size > MOST_LEAVES) return;
    if (!lay_int_valid(k)) return;
    y.e = how == 0   ? ix_add(&x->s, a->e, b->e)
          : how == 1 ? ix_sub(&x->s, a->e, b->e)
          : how == 2 ? ix_scale(&x->s, a->e, k)
          : how == 3 ? ix_div(&x->s, a->e, k)
                     : ix_mod(&x->s, a->e, k);
    for (int p = 0; p < POINTS; ++p) {
        int64_t v = a->value[p], w = b->value[p];
        y.value[p] = how == 0   ? v + w
                     : how == 1 ? v - w
                     : how == 2 ? v * by[p]
                     : how == 3 ? floor_div(v, by[p])
                                : v - floor_div(v, by[p]) * by[p];
        int64_t got;
        struct ix_env env = {x->point[p].var, x->point[p].sym};
        if (!y.e || !ix_eval(y.e, &env, &got)) continue;
        CHECK(got == y.value[p], "%s is %lld, not %lld", ix_text(&x->s, y.e), (long long)got,
              (long long)y.value[p]);
        CHECK(y.e->lo <= got && got <= y.e->hi, "%s is %lld, outside its range",
              ix_text(&x->s, y.e), (long long)got);
    }
    keep(x, y);
}

static void random_expressions(uint64_t seed) {
    struct test x;
    begin(&x, seed);
    for (int i = 0; i < VARS + SYMS; ++i) {
        struct item y = {
            i < VARS ? ix_var(&x.s, &x.var[i]) : ix_lay(&x.s, x.sym[i - VARS]), 1, {0}};
        for (int p = 0; p < POINTS; ++p)
            y.value[p] = i < VARS ? x.point[p].var[i] : x.point[p].sym[x.sym[i - VARS].syms[0]->id];
        keep(&x, y);
    }
    for (int i = 0; i < ROUNDS; ++i) step(&x);
    session_release(&x.s);
}

// What a quotient and its divisor have in common is left out.
static void common_factors(void) {
    struct test x;
    begin(&x, 1);
    struct lay_ctx *l = &x.s.lay;
    struct lay_int np = lay_int_mul(l, x.sym[0], x.sym[2]);
    const struct ix *part =
        ix_lay(&x.s, lay_int_div(l, lay_int_mul(l, lay_int(3), np), lay_int(4)));
    CHECK_STR(ix_text(&x.s, part), "3*N*P/4");
    CHECK_STR(ix_text(&x.s, ix_div(&x.s, part, x.sym[2])), "3*N / 4");
    CHECK_STR(ix_text(&x.s, ix_mod(&x.s, part, x.sym[2])), "P/4*(3*N % 4)");
    CHECK_STR(ix_text(&x.s, ix_div(&x.s, part, x.sym[1])), "3*N*P/4 / (M)");
    session_release(&x.s);
}

int main(void) {
    for (uint64_t seed = 1; seed <= 8; ++seed) random_expressions(seed);
    common_factors();
    return check_done();
}
