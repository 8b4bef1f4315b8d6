// What is seen without isl to have no integers has none: random systems, each gone through by all
// values of its unknowns.
#include "base/session.h"
#include "check.h"
#include "prove/private.h"

enum { SYSTEMS = 4000, UNKNOWNS = 4, MOST_TEST_ROWS = 4 };

struct row {
    bool equal;
    int64_t coef[UNKNOWNS], constant;
};

static uint32_t state = 20261123;

static int draw(int n) {  // of 0 .. n - 1
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static bool holds(const struct row *r, const int64_t *value) {
    int64_t sum = r->constant;
    for (int i = 0; i < UNKNOWNS; ++i) sum += r->coef[i] * value[i];
    return r->equal ? sum == 0 : sum >= 0;
}

static bool has_values(const struct row *row, int nrows, const int64_t *extent) {
    int64_t value[UNKNOWNS] = {0};
    for (;;) {
        bool all = true;
        for (int i = 0; i < nrows && all; ++i) all = holds(&row[i], value);
        if (all) return true;
        int i = 0;
        while (i < UNKNOWNS && ++value[i] == extent[i]) value[i++] = 0;
        if (i == UNKNOWNS) return false;
    }
}

static void add(struct system *y, const struct row *r) {
    struct system_row *to = system_row(y, r->equal, r->constant);
    for (int i = 0; i < UNKNOWNS; ++i) system_term(y, to, COL_DIM, i, r->coef[i]);
}

// Whether the system is seen to have none by "bounds", or without.
static bool never(struct question *q, const struct row *row, int nrows, const int64_t *extent,
                  bool bounds) {
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    system_init(y, q, UNKNOWNS);
    for (int i = 0; i < nrows; ++i) add(y, &row[i]);
    for (int i = 0; i < UNKNOWNS; ++i) {
        struct row lo = {.coef = {0}}, hi = {.constant = extent[i] - 1};
        lo.coef[i] = 1;
        hi.coef[i] = -1;
        add(y, &lo);
        add(y, &hi);
    }
    return system_never(y, bounds);
}

static void random_systems(struct question *q) {
    int none = 0, seen[2] = {0};
    for (int n = 0; n < SYSTEMS; ++n) {
        struct row row[MOST_TEST_ROWS];
        int64_t extent[UNKNOWNS];
        int nrows = 1 + draw(MOST_TEST_ROWS);
        for (int i = 0; i < UNKNOWNS; ++i) extent[i] = 1 + draw(6);
        for (int i = 0; i < nrows; ++i) {
            row[i] = (struct row){.equal = draw(3) > 0, .constant = draw(41) - 20};
            for (int j = 0; j < UNKNOWNS; ++j)
                if (draw(2)) row[i].coef[j] = (draw(13) - 6) * (draw(3) ? 1 : 8);
        }
        struct arena_mark mark = arena_mark(&q->s->arena);
        bool has = has_values(row, nrows, extent);
        none += !has;
        for (int bounds = 0; bounds < 2; ++bounds) {
            bool is = never(q, row, nrows, extent, bounds);
            CHECK(!is || !has, "system %d has values, by %s", n, bounds ? "bounds" : "equations");
            seen[bounds] += is;
        }
        arena_rewind(&q->s->arena, mark);
    }
    CHECK(seen[0] > none / 10, "equations show %d of %d", seen[0], none);
    CHECK(seen[1] > none / 2, "bounds show %d of %d", seen[1], none);
}

static bool seen(struct question *q, struct row row, struct row other) {
    const int64_t extent[UNKNOWNS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const struct row rows[] = {row, other};
    return never(q, rows, 2, extent, false);
}

static void known(struct question *q) {
    struct row same = {true, {1, -1}, 0};
    // 3*i + 64*a + 1 and 5*j + 64*b + 2, where i is j
    HOLDS(seen(q, (struct row){true, {3, -5, 64, -64}, -1}, same));
    HOLDS(!seen(q, (struct row){true, {3, -5, 64, -64}, -2}, same));
    // of two equations, neither of which decides it
    HOLDS(seen(q, (struct row){true, {1, 1, 0, 0}, -1}, (struct row){true, {1, -1, 2, 0}, 0}));
    // too large to be looked at
    HOLDS(!seen(q, (struct row){true, {INT64_MAX, 2, 0, 0}, 1},
                (struct row){true, {3, INT64_MAX, 0, 0}, 1}));
    HOLDS(!seen(q, (struct row){true, {-1, 0, 0, 0}, INT64_MIN}, same));
    const int64_t extent[UNKNOWNS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const struct row huge = {false, {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MIN}, INT64_MAX};
    HOLDS(!never(q, &huge, 1, extent, true));
}

int main(void) {
    struct session s;
    session_init(&s);
    struct prover *p = prover_new(&s, NULL, 0);
    struct question *q = ARENA_ROOM(&s.arena, struct question, 1);
    question_init(q, p);
    known(q);
    random_systems(q);
    question_release(q);
    prover_free(p);
    session_release(&s);
    return check_done();
}
