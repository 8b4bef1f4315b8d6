// Was every element that is read written before?
//
// Starts with all reads and removes those that some write precedes: first writes in the same
// iteration of all common loops, then those in an earlier one of the innermost loop, and so on
// outwards, until nothing is left.  If there are few instances, they are listed instead.

#include "base/session.h"
#include "prove/private.h"

struct asked {
    struct question q;
    struct qset read;
    int64_t param[MOST_PARAMS], dim[MOST_DIMS];
};

// Gives non-affine dimensions of the write the value of the read if they depend only on loops in
// the same iteration.  Returns false if one may have another value: then nothing is known of the
// write.
static bool share(const struct qset *read, const struct qset *write, int equal, int *dw) {
    for (int i = equal; i < write->ndims; ++i) {
        const struct ix *e = write->dim[i].opaque;
        if (!e) continue;
        for (int v = equal; v < write->nvars; ++v)
            if (ix_depends_on(e, write->var[v].var)) return false;
        int j = 0;
        while (j < read->ndims && !(read->dim[j].opaque && ix_equal(read->dim[j].opaque, e))) ++j;
        if (j == read->ndims) return false;
        dw[i] = j;
    }
    return true;
}

// The reads that "write" precedes in the same iteration of its first "equal" common loops, and with
// "earlier" in an earlier iteration of the next one.
static isl_set *preceded(struct question *q, const struct qset *read, const struct qset *write,
                         int equal, bool earlier) {
    int n = read->ndims, dr[MOST_DIMS], dw[MOST_DIMS];
    question_sequence(dr, n, 0);
    question_sequence(dw, equal, 0);
    question_sequence(dw + equal, write->ndims - equal, n);
    if (!share(read, write, equal, dw)) {
        isl_basic_set *b = question_universe(q, n);
        isl_set *x = isl_set_empty(isl_basic_set_get_space(b));
        isl_basic_set_free(b);
        return x;
    }
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    system_init(y, q, n + write->ndims - equal);
    system_instances(y, read, dr);
    system_instances(y, write, dw);
    system_same(y, read, dr, write, dw);
    if (earlier) system_exceeds(y, dr[equal], dw[equal], 1);
    isl_set *all = isl_set_from_basic_set(system_basic(y));
    all = isl_set_project_out(all, isl_dim_set, (unsigned)n, (unsigned)(write->ndims - equal));
    return question_divs(q, all);
}

static int most_common(const struct prove_write *write, int n) {
    int most = 0;
    for (int i = 0; i < n; ++i)
        if (write[i].common > most) most = write[i].common;
    return most;
}

// A question about stale elements: see prove_not_stale.
struct stale {
    const enum prove_role *role;
    int loops;
};

// Removes from "left" the reads that some write precedes: first in the same iteration of all common
// loops, then in an earlier one of the loop "at".
static isl_set *not_written(struct question *q, isl_set *left, const struct qset *read,
                            const struct prove_write *write, const struct qset *each, int n) {
    isl_bool empty = isl_bool_false;
    int most = most_common(write, n);
    for (int at = most; at >= 0; --at) {
        for (int i = 0; i < n && empty == isl_bool_false; ++i) {
            int equal = at == most ? write[i].common : at;
            if (at == most && !write[i].before) continue;
            if (at < most && (at >= write[i].common || at < write[i].equal)) continue;
            left = isl_set_subtract(left, preceded(q, read, &each[i], equal, at < most));
            empty = isl_set_is_empty(left);
        }
    }
    if (empty != isl_bool_error) return left;
    isl_set_free(left);  // isl gave up before all written elements were removed
    return NULL;
}

// The reads of which "write" names the element in the same step, before the read.
static isl_set *in_step(struct question *q, const struct qset *read,
                        const struct prove_write *write, const struct qset *set, int loops,
                        isl_set *all) {
    if (write->before) all = isl_set_union(all, preceded(q, read, set, write->common, false));
    for (int at = write->common - 1; at >= loops; --at)
        all = isl_set_union(all, preceded(q, read, set, at, true));
    return all;
}

static isl_set *only_stale(struct question *q, isl_set *left, const struct qset *read,
                           const struct prove_write *write, const struct qset *each, int n,
                           const struct stale *x) {
    isl_set *meant = isl_set_empty(isl_set_get_space(left)), *earlier = isl_set_copy(meant);
    for (int i = 0; i < n; ++i) {
        if (x->role[i] == PROVE_WOULD_WRITE) {
            meant = in_step(q, read, &write[i], &each[i], x->loops, meant);
            continue;
        }
        isl_set *now =
            in_step(q, read, &write[i], &each[i], x->loops, isl_set_empty(isl_set_get_space(left)));
        left = isl_set_subtract(left, now);
        isl_set *past = preceded(q, read, &each[i], x->loops - 1, true);
        if (x->role[i] == PROVE_COPIES)
            earlier = isl_set_union(earlier, past);
        else
            left = isl_set_subtract(left, past);
    }
    return isl_set_intersect(isl_set_intersect(left, meant), earlier);
}

static enum prove_answer asked(struct prover *p, const struct prove_set *read,
                               const struct prove_write *write, int n, const struct stale *stale,
                               struct prove_witness *w) {
    struct asked *a = ARENA_ROOM(&p->s->arena, struct asked, 1);
    struct question *q = &a->q;
    struct prove_set *x = ARENA_ARRAY(&p->s->arena, struct prove_set, n + 1);
    struct qset *each = ARENA_ARRAY(&p->s->arena, struct qset, n + 1);
    int most = most_common(write, n);
    question_init(q, p);
    a->read.replaced = NULL;
    q->nshared = most;
    for (int i = 0; i < n; ++i)
        if (write[i].equal < q->nshared) q->nshared = write[i].equal;
    rewrite_set(q, read, false, &x[n], &a->read);
    for (int i = 0; i < n; ++i) rewrite_set(q, write[i].set, false, &x[i], &each[i]);
    rewrite_split(q, x, n + 1, false);
    question_set(q, &x[n], &a->read);
    bool exact = true;
    for (int i = 0; i < n; ++i) {
        question_set(q, &x[i], &each[i]);
        exact = exact && each[i].exact;
    }
    question_close(q);
    int dims[MOST_DIMS];
    question_sequence(dims, a->read.ndims, 0);
    struct system *y = ARENA_ROOM(&p->s->arena, struct system, 1);
    system_init(y, q, a->read.ndims);
    system_context(y);
    system_instances(y, &a->read, dims);
    isl_set *left = isl_set_from_basic_set(system_basic(y));
    left = stale ? only_stale(q, left, &a->read, write, each, n, stale)
                 : not_written(q, left, &a->read, write, each, n);
    enum prove_answer r = question_empty(q, left, a->param, a->dim);
    const int64_t *dim[] = {a->dim};
    const struct qset *set[] = {&a->read};
    if (r == PROVE_NO && (!exact || !question_witness(q, a->param, dim, set, 1, w)))
        r = question_unknown(q);
    if (r == PROVE_NO) question_named(q, read, w);
    question_release(q);
    return r;
}

static enum prove_answer written(struct prover *p, const struct prove_set *read,
                                 const struct prove_write *write, int n, struct prove_witness *w) {
    enum prove_answer r = PROVE_UNKNOWN;
    while (prover_asks(p, r)) r = asked(p, read, write, n, NULL, w);
    return r;
}

RECALL_SIZE(struct prove_write, 24);

static void recall_writes(struct prover *p, const struct prove_set *read,
                          const struct prove_write *write, int n) {
    struct recall *x = &p->recall;
    recall_set(x, read);
    recall_int(x, n);
    for (int i = 0; i < n; ++i) {
        recall_set(x, write[i].set);
        recall_int(x, write[i].common);
        recall_int(x, write[i].equal);
        recall_int(x, write[i].before);
    }
}

enum prove_answer prove_not_stale(struct prover *p, const struct prove_set *read,
                                  const struct prove_write *write, const enum prove_role *role,
                                  int n, int loops, struct prove_witness *w) {
    enum prove_answer r;
    struct stale x = {role, loops};
    if (!recall_begin(p, RECALL_NOT_STALE, w)) return asked(p, read, write, n, &x, w);
    recall_writes(p, read, write, n);
    recall_int(&p->recall, loops);
    for (int i = 0; i < n; ++i) recall_int(&p->recall, (int64_t)role[i]);
    return recall_find(p, &r, w) ? r : recall_keep(p, asked(p, read, write, n, &x, w), w);
}

static enum prove_answer is_written(struct prover *p, const struct prove_set *read,
                                    const struct prove_write *write, int n,
                                    struct prove_witness *w) {
    struct prove_set *reads, **x = ARENA_ARRAY(&p->s->arena, struct prove_set *, n + 1);
    int *count = ARENA_ARRAY(&p->s->arena, int, n + 1), all = 0;
    if (listed_written(p, read, write, n)) return PROVE_YES;
    enum prove_answer r = written(p, read, write, n, w);
    if (r != PROVE_UNKNOWN) return r;
    bool any = false;
    for (int i = 0; i < n; ++i) {
        any |= expand_set(p, write[i].set, &x[i], &count[i]);
        all += count[i];
    }
    struct prove_write *each = ARENA_ARRAY(&p->s->arena, struct prove_write, all + 1);
    all = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < count[i]; ++j) {
            each[all] = write[i];
            each[all++].set = &x[i][j];
        }
    }
    int nreads;
    any |= expand_set(p, read, &reads, &nreads);
    if (!any) return r;
    r = PROVE_YES;
    for (int i = 0; i < nreads && r == PROVE_YES; ++i) r = written(p, &reads[i], each, all, w);
    return r;
}

enum prove_answer prove_written(struct prover *p, const struct prove_set *read,
                                const struct prove_write *write, int n, struct prove_witness *w) {
    enum prove_answer r;
    if (!recall_begin(p, RECALL_WRITTEN, w)) return is_written(p, read, write, n, w);
    recall_writes(p, read, write, n);
    return recall_find(p, &r, w) ? r : recall_keep(p, is_written(p, read, write, n, w), w);
}
