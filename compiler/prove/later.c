// Is all that a statement writes read before it is written again?
//
// Pairs of a write and a later read of the same element are removed where another write is between
// them.  The writes of the pairs that are left are read; the question is whether these are all.
#include "base/session.h"
#include "prove/private.h"

struct later {
    struct question q;
    int64_t param[MOST_PARAMS], dim[MOST_DIMS];
    const struct prove_step *step;
    const struct qset *set, *own;  // own: of the writes that are asked about
};

static int common(const struct prove_step *a, const struct prove_step *b) {
    int n = 0;
    while (n < a->nloops && n < b->nloops && a->loop[n] == b->loop[n]) ++n;
    return n;
}

// Whether step "b" may come after step "a" with equal values of exactly the first "level" loops.
static bool may_follow(const struct later *x, int a, int b, int level) {
    int n = common(&x->step[a], &x->step[b]);
    return level < n || (level == n && b > a);
}

// Requires that "b", at "db", comes after "a" in that way.
static void follows(struct system *y, const struct later *x, int a, const int *da, int b,
                    const int *db, int level) {
    for (int i = 0; i < level; ++i) system_equal(y, da[i], db[i]);
    if (level < common(&x->step[a], &x->step[b])) system_exceeds(y, db[level], da[level], 1);
}

// The pairs of a write "w" and a later read "r" between which step "k" writes the element.
static isl_set *between(struct later *x, int w, int r, int level, int k, isl_set *all) {
    const struct qset *set = x->set, *own = x->own;
    int dw[MOST_DIMS], dr[MOST_DIMS], dk[MOST_DIMS], n = own->ndims + set[r].ndims;
    question_sequence(dw, own->ndims, 0);
    question_sequence(dr, set[r].ndims, own->ndims);
    question_sequence(dk, set[k].ndims, n);
    for (int i = 0; i <= common(&x->step[w], &x->step[k]); ++i) {
        for (int j = 0; j <= common(&x->step[k], &x->step[r]); ++j) {
            if (!may_follow(x, w, k, i) || !may_follow(x, k, r, j)) continue;
            struct system *y = ARENA_ROOM(&x->q.s->arena, struct system, 1);
            system_init(y, &x->q, n + set[k].ndims);
            system_instances(y, own, dw);
            system_instances(y, &set[r], dr);
            system_instances(y, &set[k], dk);
            system_same(y, own, dw, &set[r], dr);
            system_same(y, own, dw, &set[k], dk);
            follows(y, x, w, dw, r, dr, level);
            follows(y, x, w, dw, k, dk, i);
            follows(y, x, k, dk, r, dr, j);
            isl_set *one = isl_set_from_basic_set(system_basic(y));
            one = isl_set_project_out(one, isl_dim_set, (unsigned)n, (unsigned)set[k].ndims);
            all = isl_set_subtract(all, question_divs(&x->q, one));
        }
    }
    return all;
}

// The instances of "w" that "r" reads, with equal values of the first "level" loops.
static isl_set *seen(struct later *x, int w, int r, int level, int n) {
    const struct qset *set = x->set, *own = x->own;
    int dw[MOST_DIMS], dr[MOST_DIMS];
    question_sequence(dw, own->ndims, 0);
    question_sequence(dr, set[r].ndims, own->ndims);
    struct system *y = ARENA_ROOM(&x->q.s->arena, struct system, 1);
    system_init(y, &x->q, own->ndims + set[r].ndims);
    system_instances(y, own, dw);
    system_instances(y, &set[r], dr);
    system_same(y, own, dw, &set[r], dr);
    follows(y, x, w, dw, r, dr, level);
    isl_set *all = isl_set_from_basic_set(system_basic(y));
    for (int k = 0; k < n; ++k)
        if (x->step[k].write) all = between(x, w, r, level, k, all);
    all = isl_set_project_out(all, isl_dim_set, (unsigned)own->ndims, (unsigned)set[r].ndims);
    return question_divs(&x->q, all);
}

static enum prove_answer is_read(struct prover *p, const struct prove_step *step, int n, int at,
                                 const struct prove_set *those, struct prove_witness *w) {
    struct later *x = ARENA_ROOM(&p->s->arena, struct later, 1);
    struct question *q = &x->q;
    struct prove_set *given = ARENA_ARRAY(&p->s->arena, struct prove_set, n + 1);
    struct qset *set = ARENA_ARRAY(&p->s->arena, struct qset, n + 1);
    bool exact = true;
    question_init(q, p);
    q->nshared = 0;
    x->step = step;
    x->set = set;
    x->own = &set[n];
    for (int i = 0; i <= n; ++i)
        rewrite_set(q, i < n ? &step[i].set : those, false, &given[i], &set[i]);
    rewrite_split(q, given, n + 1, false);
    for (int i = 0; i <= n; ++i) {
        question_set(q, &given[i], &set[i]);
        exact = exact && set[i].exact;
    }
    question_close(q);
    int dims[MOST_DIMS];
    question_sequence(dims, x->own->ndims, 0);
    struct system *y = ARENA_ROOM(&p->s->arena, struct system, 1);
    system_init(y, q, x->own->ndims);
    system_context(y);
    system_instances(y, x->own, dims);
    isl_set *left = isl_set_from_basic_set(system_basic(y));
    for (int r = 0; r < n && exact; ++r)
        for (int level = 0; step[r].read && level <= common(&step[at], &step[r]); ++level)
            if (may_follow(x, at, r, level))
                left = isl_set_subtract(left, seen(x, at, r, level, n));
    enum prove_answer a = question_empty(q, left, x->param, x->dim);
    const int64_t *dim[] = {x->dim};
    if (a == PROVE_NO && (!exact || !question_witness(q, x->param, dim, &x->own, 1, w)))
        a = question_unknown(q);
    if (a == PROVE_NO) question_named(q, those, w);
    question_release(q);
    return a;
}

RECALL_SIZE(struct prove_step, 320);

// The number of a loop: where it comes first.
static int loop_number(const struct prove_step *step, const void *loop) {
    for (int number = 0;; ++step)
        for (int i = 0; i < step->nloops; ++i, ++number)
            if (step->loop[i] == loop) return number;
}

enum prove_answer prove_read(struct prover *p, const struct prove_step *step, int n, int at,
                             const struct prove_set *those, struct prove_witness *w) {
    enum prove_answer r;
    struct recall *x = &p->recall;
    if (!recall_begin(p, RECALL_READ, w)) return is_read(p, step, n, at, those, w);
    recall_int(x, n);
    for (int i = 0; i < n; ++i) {
        recall_set(x, &step[i].set);
        recall_int(x, step[i].nloops);
        for (int k = 0; k < step[i].nloops; ++k) recall_int(x, loop_number(step, step[i].loop[k]));
        recall_int(x, step[i].read);
        recall_int(x, step[i].write);
    }
    recall_int(x, at);
    recall_set(x, those);
    return recall_find(p, &r, w) ? r : recall_keep(p, is_read(p, step, n, at, those, w), w);
}
