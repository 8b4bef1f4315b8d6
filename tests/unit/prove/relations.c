// How instances of two sets are compared: what is the same, equal, or greater, as rows of a system and by isl, against all pairs of instances; an
// element that is found in a few steps is one.  And sums of columns as fractions.
//
// usage: relations [COUNT [SEED]]
#include "ask.h"
#include "brute.h"
#include "drawn.h"
#include "prove/private.h"

enum { MOST_INSTANCES = 1200 };

struct instance {
    int64_t var[MOST_VARS], out[MOST_OUTS];
};

struct instances {
    int n;
    struct instance at[MOST_INSTANCES];
};

static struct instances a, b;

static void find(const struct set *s, struct values *v, int i, struct instances *to) {
    if (i < s->nvars) {
        int64_t end = value_of(s->end[i], v);
        for (int64_t n = value_of(s->begin[i], v); n < end; ++n) {
            v->of[(int)s->name[i]] = n;
            find(s, v, i + 1, to);
        }
        return;
    }
    if ((*s->cond && value_of(s->cond, v) < 0) || to->n == MOST_INSTANCES) return;
    struct instance *x = &to->at[to->n++];
    for (int k = 0; k < s->nvars; ++k) x->var[k] = v->of[(int)s->name[k]];
    for (int k = 0; k < s->nouts; ++k) x->out[k] = value_of(s->out[k], v);
}

// What is asked of a pair: variable "x" of the first is variable "y" of the second, or "least" more.
struct relation {
    bool same, equal, exceeds;
    int x, y, least;
};

static bool are_related(const struct relation *r, const struct instance *p,
                        const struct instance *q, int nouts) {
    bool ok = !r->same || memcmp(p->out, q->out, (size_t)nouts * sizeof *p->out) == 0;
    ok = ok && (!r->equal || p->var[r->x] == q->var[r->y]);
    return ok && (!r->exceeds || p->var[r->x] >= q->var[r->y] + r->least);
}

static bool some_pair(const struct set set[2], const struct params *p, const struct relation *r,
                      bool *all) {
    struct values v = {{0}};
    bool some = false;
    *all = true;
    for (int i = 0; i < p->n; ++i) v.of[(int)p->name[i]] = p->lo[i];
    do {
        struct values mine = v;
        a.n = b.n = 0;
        find(&set[0], &mine, 0, &a);
        find(&set[1], &mine, 0, &b);
        *all = *all && a.n < MOST_INSTANCES && b.n < MOST_INSTANCES;
        for (int i = 0; i < a.n && !some; ++i)
            for (int k = 0; k < b.n && !some; ++k)
                some = are_related(r, &a.at[i], &b.at[k], set[0].nouts);
    } while (next_params(p, &v));
    return some;
}

static struct ask x;
static struct question q;
static int nthere;

static bool has_product(void) {
    bool has = false;
    for (int i = 0; i < q.nparams; ++i) {
        struct lay_int v = q.param[i].value;
        has = has || (lay_int_valid(v) && v.nsyms > 1);
    }
    return has;
}

static void check_pair(const struct set set[2], const struct params *p) {
    char text[2][TEXT] = {"", ""};
    struct qset of[2] = {{0}};
    int da[MOST_DIMS], db[MOST_DIMS], n;
    struct relation r = {.same = draw(2),
                         .equal = draw(2),
                         .exceeds = draw(2),
                         .x = draw(set[0].nvars),
                         .y = draw(set[1].nvars),
                         .least = draw(5) - 1};
    bool all, some = some_pair(set, p, &r, &all);
    ask_begin(&x, p->text);
    question_init(&q, x.prover);
    for (int i = 0; i < 2; ++i) {
        put_set(text[i], &set[i]);
        struct prove_set in = ask_set(&x, text[i]);
        question_set(&q, &in, &of[i]);
    }
    question_close(&q);
    if (all && !q.failed && of[0].exact && of[1].exact) {
        n = of[0].ndims + of[1].ndims;
        question_sequence(da, of[0].ndims, 0);
        question_sequence(db, of[1].ndims, of[0].ndims);
        struct system *y = ARENA_ROOM(&x.s.arena, struct system, 1);
        system_init(y, &q, n);
        system_context(y);
        system_instances(y, &of[0], da);
        system_instances(y, &of[1], db);
        isl_basic_set *by_isl = system_basic(y);
        if (r.equal) by_isl = question_equal(by_isl, da[r.x], db[r.y]);
        if (r.same) by_isl = question_same(&q, by_isl, &of[0], da, &of[1], db);
        if (r.equal) system_equal(y, da[r.x], db[r.y]);
        if (r.exceeds) system_exceeds(y, da[r.x], db[r.y], r.least);
        if (r.same) system_same(y, &of[0], da, &of[1], db);
        isl_set *rows = isl_set_from_basic_set(system_basic(y));
        // of a product only bounds are known, so that there may seem to be one
        bool none = isl_set_is_empty(rows), none_by_isl = isl_basic_set_is_empty(by_isl);
        CHECK(none == !some || (!some && has_product()), "%s; %s; %s: %s in rows", p->text, text[0],
              text[1], none ? "none" : "one");
        CHECK(r.exceeds || none_by_isl == !some || (!some && has_product()),
              "%s; %s; %s: %s by isl", p->text, text[0], text[1], none_by_isl ? "none" : "one");
        bool found = sample_found(&x.s, rows);
        CHECK(!none || !found, "%s; %s; %s: one is found", p->text, text[0], text[1]);
        nthere += some;
        isl_set_free(rows);
        isl_basic_set_free(by_isl);
    }
    question_release(&q);
    ask_end(&x);
}

// -- in a few steps -------------------------------------------------------------------------------

enum { UNKNOWNS = 11, VALUES = 3, MOST_SUMS = 5 };

struct sum {
    bool equal;
    int64_t constant, coef[UNKNOWNS];
};

static bool has_values(const struct sum *sum, int n) {
    int64_t value[UNKNOWNS] = {0};
    for (;;) {
        bool all = true;
        for (int i = 0; i < n && all; ++i) {
            int64_t s = sum[i].constant;
            for (int k = 0; k < UNKNOWNS; ++k) s += sum[i].coef[k] * value[k];
            all = sum[i].equal ? s == 0 : s >= 0;
        }
        if (all) return true;
        int k = 0;
        while (k < UNKNOWNS && ++value[k] == VALUES) value[k++] = 0;
        if (k == UNKNOWNS) return false;
    }
}

static void add_sum(struct system *y, const struct sum *sum) {
    struct system_row *to = system_row(y, sum->equal, sum->constant);
    for (int k = 0; k < UNKNOWNS; ++k) system_term(y, to, COL_DIM, k, sum->coef[k]);
}

// Of many unknowns an element is found in a few steps most often where there is one.
static void check_few_steps(void) {
    int there = 0, found = 0;
    ask_begin(&x, "");
    question_init(&q, x.prover);
    question_close(&q);
    for (int n = 0; n < 150; ++n) {
        struct sum sum[MOST_SUMS] = {{0}};
        int nsums = 1 + draw(MOST_SUMS);
        struct system *y = ARENA_ROOM(&x.s.arena, struct system, 1);
        system_init(y, &q, UNKNOWNS);
        for (int i = 0; i < nsums; ++i) {
            sum[i].equal = draw(2);
            sum[i].constant = draw(21) - 10;
            for (int k = 0; k < UNKNOWNS; ++k)
                if (draw(2)) sum[i].coef[k] = draw(9) - 4;
            add_sum(y, &sum[i]);
        }
        for (int k = 0; k < UNKNOWNS; ++k) {
            struct sum low = {.coef = {0}}, high = {.constant = VALUES - 1};
            low.coef[k] = 1;
            high.coef[k] = -1;
            add_sum(y, &low);
            add_sum(y, &high);
        }
        isl_set *set = isl_set_from_basic_set(system_basic(y));
        bool has = has_values(sum, nsums), is = sample_found(&x.s, set);
        CHECK(has || !is, "system %d has no values, and one is found", n);
        isl_set_free(set);
        there += has;
        found += is;
    }
    CHECK(found * 4 > there * 3, "%d of %d are found", found, there);
    question_release(&q);
    ask_end(&x);
}

// -- sums of columns ------------------------------------------------------------------------------

static int64_t at_columns(struct lin e, const int64_t *value) {
    int64_t n = e.constant;
    for (int i = 0; i < e.n; ++i) n += e.term[i].coef * value[e.term[i].at];
    return n;
}

static struct lin draw_lin(void) {
    struct lin e = lin_int(&q, draw(21) - 10);
    for (int i = 0; i < 3; ++i)
        if (draw(2)) e = lin_add(&q, e, lin_col(&q, COL_DIM, i), draw(13) - 6);
    return lin_scale(&q, e, 1, 1 + draw(6));
}

static void check_sums(void) {
    ask_begin(&x, "");
    question_init(&q, x.prover);
    for (int n = 0; n < 2000; ++n) {
        const int64_t value[] = {draw(9) - 4, draw(9) - 4, draw(9) - 4};
        struct lin e = draw_lin(), f = draw_lin();
        int64_t times = draw(9) - 4, num = draw(25) - 12, den = 1 + draw(12);
        struct lin sum = lin_add(&q, e, f, times), part = lin_scale(&q, e, num, den);
        int64_t ve = at_columns(e, value), vf = at_columns(f, value);
        CHECK(lin_ok(sum) && at_columns(sum, value) * e.den * f.den ==
                                 (ve * f.den + times * vf * e.den) * sum.den,
              "%d / %d + %d * %d / %d", (int)ve, (int)e.den, (int)times, (int)vf, (int)f.den);
        CHECK(lin_ok(part) && at_columns(part, value) * e.den * den == ve * num * part.den,
              "%d / %d * %d / %d", (int)ve, (int)e.den, (int)num, (int)den);
        for (int i = 0; i < sum.n; ++i) HOLDS(sum.term[i].coef != 0);
    }
    // up to 2^62, and not beyond
    const int64_t most = ((int64_t)1 << 62) - 1;
    struct lin one = lin_col(&q, COL_DIM, 0), large = lin_scale(&q, one, most, 1);
    const int64_t signs[] = {-1, 1};
    for (int i = 0; i < 2; ++i) {
        int64_t sign = signs[i];
        HOLDS(lin_ok(lin_scale(&q, one, sign * most, 1)));
        HOLDS(!lin_ok(lin_scale(&q, one, sign * (most + 1), 1)));
        HOLDS(lin_ok(lin_add(&q, lin_int(&q, sign * (most - 1)), lin_int(&q, sign), 1)));
        HOLDS(!lin_ok(lin_add(&q, lin_int(&q, sign * most), lin_int(&q, sign), 1)));
        HOLDS(!lin_ok(lin_add(&q, large, one, 1)));
        HOLDS(lin_ok(lin_add(&q, large, one, -1)));
        HOLDS(!lin_ok(lin_add(&q, one, large, sign * 2)));
    }
    HOLDS(lin_ok(lin_scale(&q, one, 1, most)) && !lin_ok(lin_scale(&q, one, 1, most + 1)));
    HOLDS(!lin_ok(lin_scale(&q, one, 1, 0)));
    question_release(&q);
    ask_end(&x);
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 500;
    state = argc > 2 ? (uint32_t)atoi(argv[2]) : 20261128;
    check_sums();
    check_few_steps();
    for (int i = 0; i < count; ++i) {
        struct params p;
        struct set set[2];
        draw_params(&p);
        int nouts = 1 + draw(2);
        for (int k = 0; k < 2; ++k) {
            struct set with;
            const char *names = k ? "uvwx" : "ijkl";
            draw_set(&with, &p, names, NULL, 0, nouts);
            draw_set(&set[k], &p, names, &with, draw(2) ? with.nvars : 0, nouts);
        }
        check_pair(set, &p);
    }
    CHECK(nthere * 8 > count && nthere * 8 < 7 * count, "%d of %d are there", nthere, count);
    return check_done();
}
