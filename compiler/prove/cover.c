// Questions about elements: whether a set has instances, whether they name different elements, and
// whether they name all elements.
//
// If a question consists of parts that share no variable, like the modes of most tensors, each part
// is asked separately.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

enum { BOTH = 2 * MOST_DIMS };

struct asked {
    struct question q;
    struct qset set[2];
    int64_t param[MOST_PARAMS], dim[BOTH];
};

static struct asked *ask(struct prover *p) {
    struct asked *a = ARENA_ROOM(&p->s->arena, struct asked, 1);
    question_init(&a->q, p);
    for (int i = 0; i < 2; ++i) a->set[i].replaced = NULL;
    return a;
}

// A refutation counts only if its witness is true of the plan; otherwise the answer is unknown.
static enum prove_answer told(struct asked *a, enum prove_answer r, int nsets,
                              struct prove_witness *w) {
    if (r != PROVE_NO || !w) return r;
    const int64_t *dim[] = {a->dim, a->dim + MOST_DIMS};
    const struct qset *set[] = {&a->set[0], &a->set[1]};
    if (question_witness(&a->q, a->param, dim, set, nsets, w)) return r;
    return question_unknown(&a->q);
}

// -- none, at least -------------------------------------------------------------------------------

static enum prove_answer empty(struct prover *p, const struct prove_set *set,
                               struct prove_witness *w) {
    struct asked *a = ask(p);
    struct question *q = &a->q;
    struct prove_set x;
    int dim[MOST_DIMS];
    rewrite_set(q, set, true, &x, &a->set[0]);
    rewrite_split(q, &x, 1, true);
    question_set(q, &x, &a->set[0]);
    question_close(q);
    int n = a->set[0].ndims;
    question_sequence(dim, n, 0);
    struct system *y = ARENA_ROOM(&p->s->arena, struct system, 1);
    system_init(y, q, n);
    system_context(y);
    system_instances(y, &a->set[0], dim);
    enum prove_answer r = told(a, system_empty(y, a->param, w ? a->dim : NULL), 1, w);
    if (r == PROVE_NO && w) question_named(q, set, w);
    question_release(q);
    return r;
}

enum prove_answer cover_none(struct prover *p, const struct prove_set *set,
                             struct prove_witness *w) {
    enum prove_answer r = PROVE_UNKNOWN;
    while (prover_asks(p, r)) r = empty(p, set, w);
    return r;
}

// -- once -----------------------------------------------------------------------------------------

// How many dimensions distinguish instances: those of variables, which come first.
static int variables(const struct qset *set) {
    int n = 0;
    while (n < set->ndims && set->dim[n].place >= 0) ++n;
    return n;
}

// Sets "range" to the largest difference of each variable between two instances of "set".  Returns
// false unless each variable has bounds that are the same for all instances.  Two instances name
// the same element if, for each coordinate, the sum of coef * difference is 0. They collide only if
// there are such differences, the first of which that is not 0 ("at") is positive.  Other
// conditions are ignored, so a collision found in this way proves nothing.
static bool ranges(struct question *q, const struct qset *set, struct lin *range) {
    struct lin low[MOST_DIMS] = {0}, high[MOST_DIMS] = {0};
    for (int i = 0; i < set->nconds; ++i) {
        struct lin e = set->cond[i];
        int at = -1, dims = 0;
        int64_t coef = 0;
        for (int j = 0; j < e.n; ++j) {
            if (e.term[j].kind == COL_PARAM) continue;
            if (e.term[j].kind == COL_DIV) dims = 2;
            at = e.term[j].at;
            coef = e.term[j].coef;
            ++dims;
        }
        if (dims != 1 || e.den != 1 || (coef != 1 && coef != -1)) continue;
        *(coef > 0 ? &low[at] : &high[at]) = e;
    }
    for (int i = 0; i < set->ndims; ++i) {
        if (!lin_ok(low[i]) || !lin_ok(high[i])) return false;
        range[i] = lin_add(q, low[i], high[i], 1);  // high - x + x - low
        if (!lin_ok(range[i])) return false;
    }
    for (int i = 0; i < set->nouts; ++i)
        for (int j = 0; j < set->out[i].n; ++j)
            if (set->out[i].term[j].kind == COL_DIV) return false;
    return true;
}

static bool differ_by_range(struct question *q, const struct qset *set, int nequal) {
    struct lin range[MOST_DIMS];
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    int dim[MOST_DIMS];
    if (!ranges(q, set, range)) return false;
    question_sequence(dim, set->ndims, 0);
    struct lin *sum = ARENA_ARRAY(&q->s->arena, struct lin, set->nouts + 1);
    for (int i = 0; i < set->nouts; ++i) {
        struct lin *e = &sum[i];
        *e = (struct lin){0, ARENA_ARRAY(&q->s->arena, struct lin_term, set->out[i].n + 1), 0, 1};
        for (int j = 0; j < set->out[i].n; ++j)
            if (set->out[i].term[j].kind == COL_DIM) e->term[e->n++] = set->out[i].term[j];
    }
    for (int at = nequal; at < variables(set); ++at) {
        system_init(y, q, set->ndims);
        system_context(y);
        for (int i = 0; i < set->ndims; ++i) {
            struct lin self = {1, ARENA_NEW(&q->s->arena, struct lin_term), 0, 1};
            self.term[0] = (struct lin_term){COL_DIM, i, 1};
            if (i < at) {
                system_is_0(y, self, dim);
                continue;
            }
            struct lin least = lin_add(q, self, lin_int(q, 1), -1);
            system_at_least_0(y, i == at ? least : lin_add(q, range[i], self, 1), dim);
            system_at_least_0(y, lin_add(q, range[i], self, -1), dim);
        }
        for (int i = 0; i < set->nouts; ++i) system_is_0(y, sum[i], dim);
        if (!system_none(y)) return false;
    }
    return true;
}

// Whether no two instances of "set" with equal first "nequal" dimensions name the same element.
static enum prove_answer collide(struct asked *a, const struct qset *set, int nequal,
                                 bool witness) {
    struct question *q = &a->q;
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    int n = set->ndims, first[MOST_DIMS], second[MOST_DIMS];
    if (!q->failed && differ_by_range(q, set, nequal)) return PROVE_YES;
    question_sequence(first, n, 0);
    question_sequence(second, n, n);
    enum prove_answer r = PROVE_YES;
    int64_t value[BOTH];
    for (int at = nequal; at < variables(set) && r == PROVE_YES; ++at) {
        system_init(y, q, 2 * n);
        system_context(y);
        system_instances(y, set, first);
        system_instances(y, set, second);
        system_same(y, set, first, set, second);
        for (int i = 0; i < at; ++i) system_equal(y, second[i], first[i]);
        system_exceeds(y, second[at], first[at], 1);
        r = system_empty(y, a->param, witness ? value : NULL);
    }
    if (r != PROVE_NO || !witness) return r;
    memcpy(a->dim, value, sizeof *value * (size_t)n);
    memcpy(a->dim + MOST_DIMS, value + n, sizeof *value * (size_t)n);
    return r;
}

static enum prove_answer once(struct prover *p, const struct prove_set *set, int nequal,
                              struct prove_witness *w) {
    struct asked *a = ask(p);
    struct question *q = &a->q;
    struct prove_set x;
    q->nshared = nequal;
    rewrite_set(q, set, nequal == 0, &x, &a->set[0]);
    question_names(q, &x, 1);
    rewrite_split(q, &x, 1, true);
    question_set(q, &x, &a->set[0]);
    question_close(q);
    int equal = question_dims(&a->set[0], nequal), place[MOST_DIMS];
    struct parts *parts = ARENA_NEW(&p->s->arena, struct parts);
    struct qset *part = ARENA_NEW(&p->s->arena, struct qset);
    parts_find(q, &a->set[0], parts);
    enum prove_answer r = PROVE_YES;
    for (int i = 0; i < parts->n && r == PROVE_YES; ++i) {
        int kept = 0;
        parts_take(q, &a->set[0], parts, i, part, place);
        for (int j = 0; j < equal; ++j) kept += place[j] >= 0;
        r = collide(a, part, kept, w);
    }
    // a part may have two such instances although another part has none
    if (r != PROVE_YES) r = collide(a, &a->set[0], equal, w);
    a->set[1] = a->set[0];
    r = told(a, r, 2, w);
    if (r == PROVE_NO && w) question_named(&a->q, set, w);
    question_release(q);
    return r;
}

enum prove_answer cover_once(struct prover *p, const struct prove_set *set, int nequal,
                             struct prove_witness *w) {
    enum prove_answer r = PROVE_UNKNOWN;
    while (prover_asks(p, r)) r = once(p, set, nequal, w);
    return r;
}

// -- apart ----------------------------------------------------------------------------------------

static enum prove_answer apart(struct prover *p, const struct prove_set *sa,
                               const struct prove_set *sb, int nequal, int ndiffer,
                               struct prove_witness *w) {
    struct asked *a = ask(p);
    struct question *q = &a->q;
    struct prove_set x[2];
    bool merge = nequal + ndiffer == 0;
    q->nshared = nequal;
    rewrite_set(q, sa, merge, &x[0], &a->set[0]);
    rewrite_set(q, sb, merge, &x[1], &a->set[1]);
    question_names(q, x, 2);
    rewrite_split(q, x, 2, true);
    question_set(q, &x[0], &a->set[0]);
    question_set(q, &x[1], &a->set[1]);
    question_close(q);
    const struct qset *sx = &a->set[0], *sy = &a->set[1];
    int da[MOST_DIMS], db[MOST_DIMS];
    int equal = question_dims(sx, nequal), differ = question_dims(sx, nequal + ndiffer) - equal;
    question_sequence(da, sx->ndims, 0);
    question_sequence(db, equal, 0);
    question_sequence(db + equal, sy->ndims - equal, sx->ndims);
    struct system *y = ARENA_ROOM(&p->s->arena, struct system, 1);
    int64_t value[BOTH];
    enum prove_answer r = PROVE_YES;
    for (int i = 0; i < (differ ? 2 * differ : 1) && r == PROVE_YES; ++i) {
        system_init(y, q, sx->ndims + sy->ndims - equal);
        system_context(y);
        system_instances(y, sx, da);
        system_instances(y, sy, db);
        system_same(y, sx, da, sy, db);
        int x0 = da[equal + i / 2], y0 = db[equal + i / 2];
        if (differ) system_exceeds(y, i % 2 ? x0 : y0, i % 2 ? y0 : x0, 1);
        r = system_empty(y, a->param, w ? value : NULL);
    }
    bool found = r == PROVE_NO && w;
    for (int i = 0; found && i < sx->ndims; ++i) a->dim[i] = value[da[i]];
    for (int i = 0; found && i < sy->ndims; ++i) a->dim[MOST_DIMS + i] = value[db[i]];
    r = told(a, r, 2, w);
    if (r == PROVE_NO && w) question_named(&a->q, sa, w);
    question_release(q);
    return r;
}

enum prove_answer cover_apart(struct prover *p, const struct prove_set *sa,
                              const struct prove_set *sb, int nequal, int ndiffer,
                              struct prove_witness *w) {
    enum prove_answer r = PROVE_UNKNOWN;
    while (prover_asks(p, r)) r = apart(p, sa, sb, nequal, ndiffer, w);
    return r;
}

// -- whole ----------------------------------------------------------------------------------------

// The elements that "set" names, as a system.
static struct system *naming(struct question *q, const struct qset *set) {
    struct arena *a = &q->s->arena;
    struct system *y = ARENA_ROOM(a, struct system, 1);
    struct qset at = {.nouts = set->nouts, .out = ARENA_ARRAY(a, struct lin, set->nouts + 1)};
    int *dim = ARENA_ARRAY(a, int, 2 * MOST_DIMS), *self = dim + MOST_DIMS;
    question_sequence(dim, set->ndims, set->nouts);
    question_sequence(self, set->nouts, 0);
    for (int i = 0; i < set->nouts; ++i) {
        at.out[i] = (struct lin){1, ARENA_NEW(a, struct lin_term), 0, 1};
        at.out[i].term[0] = (struct lin_term){COL_DIM, i, 1};
    }
    system_init(y, q, set->nouts + set->ndims);
    system_instances(y, set, dim);
    system_same(y, set, dim, &at, self);
    return y;
}

static isl_set *named(struct question *q, const struct qset *set) {
    isl_set *all = isl_set_from_basic_set(system_basic(naming(q, set)));
    all = isl_set_project_out(all, isl_dim_set, (unsigned)set->nouts, (unsigned)set->ndims);
    return question_divs(q, all);
}

// The modes that are not "wanted" must have elements.
static struct system *box(struct question *q, const struct lin *extent, const int *wanted, int n,
                          int rank) {
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    system_init(y, q, n);
    system_context(y);
    for (int i = 0; i < rank; ++i) {
        const int *dim = &wanted[i];
        struct lin self = {1, ARENA_NEW(&q->s->arena, struct lin_term), 0, 1};
        self.term[0] = (struct lin_term){COL_DIM, 0, 1};
        struct lin last = lin_add(q, extent[i], lin_int(q, 1), -1);
        y->context = wanted[i] < 0;
        if (!y->context) {
            system_at_least_0(y, self, dim);
            last = lin_add(q, last, self, -1);
        }
        system_at_least_0(y, last, dim);
    }
    return y;
}

// The elements of the box that none of the "n" sets names.
static isl_set *left_over(struct question *q, const struct system *box,
                          const struct qset *const *set, int n) {
    isl_set *left = isl_set_from_basic_set(system_basic(box));
    for (int i = 0; i < n; ++i) left = isl_set_subtract(left, named(q, set[i]));
    return left;
}

// Whether "set" fills the box, even if of the context only that is known which is about its params.
static bool fills(struct question *q, const struct system *box, const struct qset *set) {
    const struct system *x = q->failed ? NULL : system_about(box, naming(q, set));
    if (!x) return false;
    int width = prover_tries(q->p, 0);
    isl_set *left = left_over(q, x, &set, 1);
    bool is = !q->failed && isl_set_is_empty(left) == isl_bool_true && !prover_gave_up(q->p);
    isl_set_free(left);
    prover_tries(q->p, width);
    return is;
}

// For one set whose parts name separate modes: each part must fill its modes.
static enum prove_answer fill_by_parts(struct asked *a, const struct qset *set,
                                       const struct lin *extent, int rank) {
    struct question *q = &a->q;
    struct parts *x = ARENA_NEW(&q->s->arena, struct parts);
    struct qset *part = ARENA_NEW(&q->s->arena, struct qset);
    const struct qset *one[] = {part};
    int place[MOST_DIMS], wanted[MOST_DIMS];
    parts_find(q, set, x);
    enum prove_answer r = PROVE_YES;
    for (int k = -1; k < x->n && r == PROVE_YES; ++k) {  // -1: modes that depend on no variable
        int n = 0;
        for (int i = 0; i < rank; ++i) wanted[i] = x->out[i] == k ? n++ : -1;
        parts_take(q, set, x, k, part, place);
        const struct system *all = box(q, extent, wanted, n, rank);
        if (!fills(q, all, part)) r = question_empty(q, left_over(q, all, one, 1), a->param, NULL);
    }
    return r;
}

static enum prove_answer whole(struct prover *p, const struct ix *const *extent, int rank,
                               const struct prove_set *set, int n, struct prove_witness *w) {
    struct asked *a = ask(p);
    struct question *q = &a->q;
    struct prove_set *x = ARENA_ARRAY(&p->s->arena, struct prove_set, n + 1);
    struct qset *qs = ARENA_ARRAY(&p->s->arena, struct qset, n + 1);
    const struct qset **each = ARENA_ARRAY(&p->s->arena, const struct qset *, n + 1);
    struct lin length[MOST_DIMS] = {0};
    int wanted[MOST_DIMS] = {0}, kept = 0;
    if (rank > MOST_DIMS) q->failed = true;
    for (int i = 0; i < n; ++i) rewrite_set(q, &set[i], true, &x[i], &qs[i]);
    if (n > 0) question_names(q, x, n);
    for (int i = 0; i < n; ++i) {
        q->group = i + 1;
        rewrite_split(q, &x[i], 1, true);
        question_set(q, &x[i], &qs[i]);
        // instances of an inexact set may not exist
        if (qs[i].exact) each[kept++] = &qs[i];
    }
    q->group = 0;
    for (int i = 0; i < rank && !q->failed; ++i) {
        length[i] = lin_of(q, extent[i]);
        wanted[i] = i;
    }
    question_close(q);
    enum prove_answer r = PROVE_UNKNOWN;
    if (n == 1 && kept == 1) r = fill_by_parts(a, each[0], length, rank);
    if (r != PROVE_YES)
        r = question_empty(q, left_over(q, box(q, length, wanted, rank, rank), each, kept),
                           a->param, w ? a->dim : NULL);
    if (r == PROVE_NO && kept < n) r = question_unknown(q);
    r = told(a, r, 0, w);
    if (r == PROVE_NO && w) {
        w->nouts = rank;
        w->out = ARENA_ARRAY(&p->s->arena, int64_t, rank + 1);
        memcpy(w->out, a->dim, sizeof *w->out * (size_t)rank);
    }
    question_release(q);
    return r;
}

enum prove_answer cover_whole(struct prover *p, const struct ix *const *extent, int rank,
                              const struct prove_set *set, int n, struct prove_witness *w) {
    enum prove_answer r = PROVE_UNKNOWN;
    while (prover_asks(p, r)) r = whole(p, extent, rank, set, n, w);
    return r;
}
