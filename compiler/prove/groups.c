// Groups of asynchronous copies: when has an access been waited for?
//
// A wait that leaves "n" groups under way completes an access when n + 1 commits stand between the
// two, the first of which ends the access's own group.  The next commit after each instance is a
// lexicographic minimum, the one after that another; likewise the first wait behind the last one.
//
// Separate from order.c, which takes the point in time when an access is complete as given.
#include "base/session.h"
#include "prove/order_private.h"

// "x", by "na" dimensions and a point in time: of each the earliest.
static isl_set *earliest(isl_set *x, int na, int ntime) {
    isl_map *m = isl_map_from_range(x);
    m = isl_map_move_dims(m, isl_dim_in, 0, isl_dim_out, 0, (unsigned)na);
    m = isl_map_lexmin(m);
    m = isl_map_move_dims(m, isl_dim_out, 0, isl_dim_in, 0, (unsigned)na);
    (void)ntime;
    return isl_set_coalesce(isl_map_range(m));
}

// When "event" comes after what "from" has (instances of "a" and a point in time; NULL: the
// instances themselves): instances of "a" and the time of "event".
static isl_set *after(struct prove_order *o, const struct qset *a, isl_set *from,
                      const struct qset *event) {
    struct question *q = &o->q;
    int na = a->ndims, nt = o->ntime, ne = event->ndims, np = from ? nt : 0;
    int da[MOST_DIMS], dt[MOST_DIMS], dp[MOST_DIMS], de[MOST_DIMS];
    question_sequence(da, na, 0);
    question_sequence(dt, nt, na);
    question_sequence(dp, np, na + nt);
    question_sequence(de, ne, na + nt + np);
    isl_basic_set *base = question_universe(q, na + nt + np + ne);
    base = question_instances(q, question_instances(q, base, a, da), event, de);
    base = question_same(q, base, &o->point, dt, event, de);
    isl_set *x = from ? order_before(o, base, &o->point, dp, event, de)
                      : order_before(o, base, a, da, event, de);
    if (from) {
        isl_set *f = isl_set_insert_dims(isl_set_copy(from), isl_dim_set, (unsigned)na,
                                         (unsigned)nt);
        x = isl_set_intersect(x, isl_set_add_dims(f, isl_dim_set, (unsigned)ne));
    }
    x = isl_set_intersect_params(x, isl_set_copy(q->context));
    return isl_set_project_out(x, isl_dim_set, (unsigned)(na + nt), (unsigned)(np + ne));
}

static isl_set *nothing(struct prove_order *o, const struct qset *a) {
    isl_basic_set *b = question_universe(&o->q, a->ndims + o->ntime);
    isl_set *x = isl_set_empty(isl_basic_set_get_space(b));
    isl_basic_set_free(b);
    return x;
}

// The ("n" + 1)-th commit after each instance of access "a".
static isl_set *committed(struct prove_order *o, int a, int n) {
    struct order_access *x = &o->access[a];
    for (; x->ncommitted <= n; ++x->ncommitted) {
        int k = x->ncommitted;
        isl_set *next = nothing(o, &x->when);
        for (int i = 0; i < o->program->ncommits; ++i) {
            isl_set *from = k ? x->committed[k - 1] : NULL;
            next = isl_set_union(next, after(o, &x->when, from, &o->commit[i]));
        }
        x->committed[k] = earliest(next, x->when.ndims, o->ntime);
    }
    return x->committed[n];
}

static bool have_changed(struct prove_order *o, const struct order_access *x) {
    bool changed = x->first_wait == NULL;
    for (int i = 0; i < o->program->nsyncs; ++i) {
        const struct prove_sync *s = &o->program->sync[i];
        int now = s->wait && s->on ? s->pending : -1;
        if (s->wait && x->waits[i] != now) changed = true;
    }
    return changed;
}

void order_first_wait(struct prove_order *o, int a) {
    struct order_access *x = &o->access[a];
    if (!x->waits) x->waits = ARENA_ARRAY(&o->q.s->arena, int, o->program->nsyncs + 1);
    if (!have_changed(o, x)) return;
    isl_set *all = nothing(o, &x->when);
    // of commits that may not be there nothing is known
    bool exact = x->when.exact;
    for (int i = 0; i < o->program->ncommits; ++i) exact = exact && o->commit[i].exact;
    for (int i = 0; i < o->program->nsyncs; ++i) {
        const struct prove_sync *s = &o->program->sync[i];
        x->waits[i] = s->wait && s->on ? s->pending : -1;
        if (!s->wait || !s->on || s->pending + 1 >= ORDER_GROUPS || !exact || !o->sync[i].exact)
            continue;
        all = isl_set_union(all, after(o, &x->when, committed(o, a, s->pending), &o->sync[i]));
    }
    isl_set_free(x->first_wait);
    x->first_wait = earliest(all, x->when.ndims, o->ntime);
    ++x->version;
}
