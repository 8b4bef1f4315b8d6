// Columns of indices against plain evaluation, thread by thread: random expressions over variables
// that random statements change, far more of them than the table begins with; and what is kept.
#include "machine/columns.h"

#include <stdlib.h>

#include "base/session.h"
#include "check.h"

enum { THREADS = 24, VARS = 6, EXPRS = 300, STEPS = 40000 };

struct test {
    struct session s;
    struct columns *c;
    uint64_t seed;
    struct ix_var var[VARS];  // the first is the thread's number
    int64_t value[VARS][THREADS];
    int64_t sym[8];
    const struct ix *expr[EXPRS];
    int n;
    bool off[THREADS];
};

static int64_t below(struct test *x, int64_t n) {
    x->seed = x->seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((x->seed >> 33) % (uint64_t)n);
}

static void begin(struct test *x, uint64_t seed) {
    *x = (struct test){.seed = seed};
    session_init(&x->s);
    for (int i = 0; i < VARS; ++i) {
        x->var[i] = (struct ix_var){.kind = i ? IX_LOOP : IX_TID,
                                    .name = "v",
                                    .c_name = "v",
                                    .id = x->s.next_var++,
                                    .lo = lay_int(INT64_MIN),
                                    .end = LAY_INT_INVALID};
    }
    x->c = columns_new(&x->s, THREADS, x->sym);
}

static void end(struct test *x) {
    columns_free(x->c);
    session_release(&x->s);
}

static const struct ix *of(struct test *x, int v) {
    return ix_var(&x->s, &x->var[v]);
}

// -- random expressions ---------------------------------------------------------------------------

static const struct ix *draw(struct test *x, const struct lay_int *param) {
    struct session *s = &x->s;
    const struct ix *a = x->n > VARS ? x->expr[below(x, x->n)] : of(x, (int)below(x, VARS));
    const struct ix *b = x->n > VARS ? x->expr[below(x, x->n)] : of(x, (int)below(x, VARS));
    struct lay_int k = lay_int(1 + below(x, 9));
    if (below(x, 4) == 0) k = *param;
    switch (below(x, 8)) {
    case 0: return ix_div(s, a, k);
    case 1: return ix_mod(s, a, k);
    case 2: return ix_swizzle(s, ix_mod(s, a, lay_int(64)), (struct lay_swizzle){2, 1, 3});
    case 3: return ix_scale(s, a, lay_int(-3));
    case 4: return ix_scale(s, a, k);
    case 5: return ix_add(s, a, ix_int(s, below(x, 200) - 100));
    default: return ix_add(s, a, ix_scale(s, b, k));
    }
}

// What the columns say of "e" is what each thread that goes on has.
static bool compare(struct test *x, const struct ix *e, int64_t active, const bool *off) {
    struct column got;
    int64_t want[THREADS];
    bool all = true;
    for (int64_t t = 0; t < active; ++t) {
        int64_t var[VARS];
        struct ix_env env = {var, x->sym};
        for (int v = 0; v < VARS; ++v) var[v] = x->value[v][t];
        if (!(off && off[t])) all = ix_eval(e, &env, &want[t]) && all;
    }
    bool has = columns_eval(x->c, e, active, off, &got);
    // without an overflow on the way there is a value
    if (!CHECK(has || !all, "%s has no value", ix_text(&x->s, e))) return false;
    for (int64_t t = 0; t < active && all; ++t) {
        if (off && off[t]) continue;
        if (!CHECK(column_value(&got, t) == want[t], "%s: thread %d has %lld, not %lld",
                   ix_text(&x->s, e), (int)t, (long long)column_value(&got, t), (long long)want[t]))
            return false;
    }
    for (int64_t t = 0; t < THREADS && has && got.at; ++t)
        if (!CHECK(got.at[t] >= got.lo && got.at[t] <= got.hi, "the bounds")) return false;
    return true;
}

static const bool *some_off(struct test *x) {
    if (below(x, 3)) return NULL;
    for (int t = 0; t < THREADS; ++t) x->off[t] = below(x, 3) == 0;
    return x->off;
}

// One statement that gives a variable other than the thread's number a value, or the number anew.
static bool change(struct test *x) {
    int v = 1 + (int)below(x, VARS - 1);
    int64_t *value = x->value[v];
    const bool *off = some_off(x);
    const struct ix *e = x->expr[below(x, x->n)];
    struct column by;
    switch (below(x, 5)) {
    case 0: {
        int64_t n = below(x, 100) == 0 ? INT64_MAX / 5 : below(x, 400) - 200;
        columns_set(x->c, &x->var[v], n);
        for (int t = 0; t < THREADS; ++t) value[t] = n;
        return true;
    }
    case 1:
        columns_set_thread(x->c, &x->var[v]);
        for (int t = 0; t < THREADS; ++t) value[t] = t;
        return true;
    case 2: e = of(x, (int)below(x, VARS)); break;
    default: break;
    }
    if (!columns_eval(x->c, e, THREADS, off, &by)) return true;
    int64_t now[THREADS];
    bool adds = below(x, 3) == 0, fits = true;
    for (int t = 0; t < THREADS; ++t) {
        int64_t n = column_value(&by, t);
        now[t] = value[t];
        if (off && off[t]) continue;
        if (adds)
            fits &= !__builtin_add_overflow(now[t], n, &now[t]);
        else
            now[t] = n;
    }
    if (!adds) {
        columns_let(x->c, &x->var[v], &by, off);
    } else if (!CHECK(columns_add(x->c, &x->var[v], &by, off) == fits, "an overflow")) {
        return false;
    } else if (!fits) {
        columns_set(x->c, &x->var[v], 7);
        for (int t = 0; t < THREADS; ++t) now[t] = 7;
    }
    memcpy(value, now, sizeof now);
    return true;
}

static void test_random(uint64_t seed) {
    struct test x;
    begin(&x, seed);
    const struct lay_sym *p = lay_param(&x.s.lay, "P", 1, 1, 9);
    const struct lay_int param = lay_int_sym(&x.s.lay, p);
    x.sym[p->id] = 5;
    columns_set_thread(x.c, &x.var[0]);
    for (int t = 0; t < THREADS; ++t) x.value[0][t] = t;
    for (int i = 0; i < VARS; ++i) x.expr[x.n++] = of(&x, i);
    for (int i = 0; i < STEPS; ++i) {
        const struct ix *e = x.n < EXPRS && i % 20 == 0 ? draw(&x, &param) : NULL;
        if (e && e->nterms < 12) x.expr[x.n++] = e;
        if (below(&x, 3) == 0 && !change(&x)) break;
        columns_set_thread(x.c, &x.var[0]);  // as each block does
        int64_t active = below(&x, 3) ? THREADS : 1 + below(&x, THREADS);
        if (!compare(&x, x.expr[below(&x, x.n)], active, some_off(&x))) break;
    }
    HOLDS(x.n == EXPRS);
    end(&x);
}

// -- what is kept ---------------------------------------------------------------------------------

static struct column eval(struct test *x, const struct ix *e) {
    struct column c = {0};
    HOLDS(columns_eval(x->c, e, THREADS, NULL, &c));
    return c;
}

// What all threads have in common stays out of the column, so that a loop's variable costs nothing
// more, and a column stays for as long as what it is made of.
static void test_kept(void) {
    struct test x;
    begin(&x, 1);
    struct session *s = &x.s;
    columns_set_thread(x.c, &x.var[0]);
    const struct ix *tid = of(&x, 0), *k = of(&x, 1), *v = of(&x, 2);
    const struct ix *sum = ix_add(s, ix_scale(s, tid, lay_int(8)), ix_scale(s, k, lay_int(64)));
    const struct ix *e[] = {
        sum, ix_div(s, sum, lay_int(16)), ix_div(s, sum, lay_int(20)), ix_mod(s, sum, lay_int(32)),
        ix_swizzle(s, ix_mod(s, sum, lay_int(128)), (struct lay_swizzle){2, 1, 3})};
    enum { N = sizeof e / sizeof *e };
    struct column first[N];
    columns_set(x.c, &x.var[1], 0);
    for (int i = 0; i < N; ++i) first[i] = eval(&x, e[i]);
    for (int64_t n = 320; n < 9600; n += 320) {
        columns_set(x.c, &x.var[1], n);
        for (int i = 0; i < N; ++i) {
            struct column now = eval(&x, e[i]);
            CHECK(now.at && now.at == first[i].at && now.version == first[i].version,
                  "%s is made anew", ix_text(s, e[i]));
        }
    }
    HOLDS(eval(&x, sum).base == 64 * 9280 && eval(&x, e[1]).base == 4 * 9280);
    HOLDS(eval(&x, ix_add(s, tid, k)).at == eval(&x, tid).at);
    HOLDS(!eval(&x, k).at && !eval(&x, ix_mod(s, k, lay_int(7))).at);
    HOLDS(!eval(&x, ix_swizzle(s, k, (struct lay_swizzle){2, 1, 3})).at);
    columns_set(x.c, &x.var[1], 0);
    HOLDS(!eval(&x, ix_swizzle(s, k, (struct lay_swizzle){2, 1, 3})).at);
    // a column of a variable that has it already
    struct column eight = eval(&x, ix_scale(s, tid, lay_int(8)));
    columns_let(x.c, &x.var[2], &eight, NULL);
    int64_t version = eval(&x, v).version;
    eight.base = 5;
    columns_let(x.c, &x.var[2], &eight, NULL);
    HOLDS(eval(&x, v).version == version && eval(&x, v).base == 5);
    // the thread's number, once more and after something else
    version = eval(&x, tid).version;
    columns_set_thread(x.c, &x.var[0]);
    HOLDS(eval(&x, tid).version == version);
    columns_let(x.c, &x.var[0], &eight, NULL);
    columns_set_thread(x.c, &x.var[0]);
    struct column now = eval(&x, tid);
    for (int t = 0; t < THREADS; ++t) HOLDS(column_value(&now, t) == t);
    end(&x);
}

// What was had thread by thread, for some of them, is no column for all of them.
static void test_one_by_one(void) {
    struct test x;
    begin(&x, 1);
    struct session *s = &x.s;
    bool off[THREADS] = {false};
    int64_t huge[THREADS] = {0};
    struct column wide = {.at = huge, .version = 1};
    columns_set_thread(x.c, &x.var[0]);
    const struct ix *four = ix_scale(s, of(&x, 1), lay_int(4)), *e = ix_add(s, of(&x, 0), four);
    const struct ix *seventh = ix_div(s, e, lay_int(7));
    struct column got;
    off[5] = true;
    for (int i = 0; i < 3; ++i) {
        // a column of its own in the variable, then one that is too far in a thread
        huge[5] = i == 1 ? INT64_MAX / 2 : 30;
        wide.hi = huge[5];
        bool none[THREADS] = {false};
        columns_let(x.c, &x.var[1], &wide, none);
        for (int of_sum = 0; of_sum < 2; ++of_sum) {
            const struct ix *which = of_sum ? e : seventh;
            HOLDS(columns_eval(x.c, which, THREADS, off, &got));
            HOLDS(column_value(&got, 6) == (of_sum ? 6 : 0));
            bool has = columns_eval(x.c, which, THREADS, NULL, &got);
            HOLDS(has == (i != 1));
            if (has) HOLDS(column_value(&got, 5) == (of_sum ? 125 : 17));
            HOLDS(columns_eval(x.c, which, 5, NULL, &got));
        }
        HOLDS(columns_eval(x.c, four, THREADS, NULL, &got) == (i != 1));
    }
    // ends of the numbers: a value where there is one, and none where there is none
    columns_set(x.c, &x.var[1], 0);
    columns_set(x.c, &x.var[2], INT64_MAX - THREADS + 1);
    HOLDS(columns_eval(x.c, ix_add(s, of(&x, 0), of(&x, 2)), THREADS, NULL, &got));
    HOLDS(column_value(&got, THREADS - 1) == INT64_MAX);
    columns_set(x.c, &x.var[2], INT64_MAX - THREADS + 2);
    HOLDS(!columns_eval(x.c, ix_add(s, of(&x, 0), of(&x, 2)), THREADS, NULL, &got));
    HOLDS(columns_eval(x.c, ix_add(s, of(&x, 0), of(&x, 2)), THREADS - 1, NULL, &got));
    columns_set(x.c, &x.var[2], INT64_MIN + THREADS - 1);
    HOLDS(columns_eval(x.c, ix_sub(s, of(&x, 2), of(&x, 0)), THREADS, NULL, &got));
    HOLDS(column_value(&got, THREADS - 1) == INT64_MIN);
    columns_set(x.c, &x.var[2], INT64_MIN + THREADS - 2);
    HOLDS(!columns_eval(x.c, ix_sub(s, of(&x, 2), of(&x, 0)), THREADS, NULL, &got));
    HOLDS(!columns_eval(x.c, NULL, THREADS, NULL, &got));
    // a swizzle of a negative number is that of its two's complement
    const struct ix *swizzled = ix_swizzle(s, of(&x, 3), (struct lay_swizzle){2, 1, 3});
    columns_set(x.c, &x.var[3], -1);
    HOLDS(columns_eval(x.c, swizzled, THREADS, NULL, &got) && column_value(&got, 0) == -7);
    columns_set(x.c, &x.var[3], 16);
    HOLDS(columns_eval(x.c, swizzled, THREADS, NULL, &got) && column_value(&got, 0) == 18);
    for (int t = 0; t < THREADS; ++t) huge[t] = t == 5 ? -1 : 16;
    wide = (struct column){.at = huge, .lo = -1, .hi = 16, .version = 1};
    bool none[THREADS] = {false};
    columns_let(x.c, &x.var[3], &wide, none);
    HOLDS(columns_eval(x.c, swizzled, THREADS, NULL, &got) && column_value(&got, 5) == -7);
    HOLDS(columns_eval(x.c, swizzled, THREADS, off, &got) && column_value(&got, 6) == 18);
    // the ends of a quotient's dividend, which one thread that is left out has
    for (int low = 0; low < 2; ++low) {
        for (int t = 0; t < THREADS; ++t) huge[t] = 16;
        huge[5] = low ? INT64_MIN + 1 : INT64_MAX;
        columns_let(x.c, &x.var[3], &wide, none);
        const struct ix *third = ix_div(s, ix_add(s, of(&x, 3), ix_int(s, 2)), lay_int(3));
        HOLDS(columns_eval(x.c, third, THREADS, off, &got) && column_value(&got, 6) == 6);
        HOLDS(columns_eval(x.c, third, THREADS, NULL, &got) == (low == 1));
    }
    end(&x);
}

// A param as divisor: one that has no multiples, one of which all are, and another.
static void test_divisors(void) {
    struct test x;
    begin(&x, 1);
    struct session *s = &x.s;
    const struct lay_sym *p = lay_param(&s->lay, "P", 1, 1, 9);
    const struct ix *e = ix_div(s, of(&x, 0), lay_int_sym(&s->lay, p));
    for (int i = 0; i < 4; ++i) {
        struct columns *c = columns_new(s, THREADS, x.sym);
        struct column got;
        x.sym[p->id] = i;
        columns_set_thread(c, &x.var[0]);
        if (HOLDS(columns_eval(c, e, THREADS, NULL, &got) == (i > 0)) && i > 0) {
            int64_t version = got.version;
            HOLDS(column_value(&got, 23) == 23 / i);
            HOLDS(columns_eval(c, e, THREADS, NULL, &got) && got.version == version);
        }
        columns_free(c);
    }
    end(&x);
}

// As many terms as are summed as columns, and one more.
static void test_many_terms(void) {
    enum { MOST = 40 };
    struct session s;
    session_init(&s);
    struct ix_var var[MOST];
    int64_t sym[1] = {0}, want = 0;
    for (int i = 0; i < MOST; ++i)
        var[i] = (struct ix_var){.kind = IX_LOOP,
                                 .name = "v",
                                 .c_name = "v",
                                 .id = s.next_var++,
                                 .lo = lay_int(INT64_MIN),
                                 .end = LAY_INT_INVALID};
    struct columns *c = columns_new(&s, 3, sym);
    const struct ix *sum = ix_int(&s, 11);
    for (int i = 0; i < MOST; ++i) {
        struct column got;
        columns_set_thread(c, &var[i]);
        sum = ix_add(&s, sum, ix_scale(&s, ix_var(&s, &var[i]), lay_int(i + 2)));
        want += 2 * (i + 2);
        HOLDS(columns_eval(c, sum, 3, NULL, &got) && column_value(&got, 2) == want + 11);
    }
    columns_free(c);
    session_release(&s);
}

int main(void) {
    for (uint64_t seed = 1; seed <= 3; ++seed) test_random(seed);
    test_kept();
    test_one_by_one();
    test_divisors();
    test_many_terms();
    return check_done();
}
