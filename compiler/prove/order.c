// Are two accesses in order?
//
// Asked in stages, since most pairs are decided by the first ones: when does the later access come
// without a barrier in between (loops alone); do the two meet then (elements); are they of
// different threads.  What an asynchronous access does lasts until the first wait that completes
// it: the one before which enough groups were committed after its own (groups.c).
#include "base/session.h"
#include "prove/order_private.h"

// -- the program ----------------------------------------------------------------------------------

static void make(struct question *q, const struct prove_set *in, struct qset *out) {
    question_set(q, in, out);
}

// The number of the thread: the variable that comes after the "loops" ones.
static struct lin thread_of(struct question *q, const struct prove_set *in, struct qset *set,
                            int loops) {
    q->set = set;
    struct lin r = lin_of(q, ix_var(q->s, in->var[loops].var));
    q->set = NULL;
    return r;
}

struct prove_order *prove_order_new(struct prover *p, const struct prove_program *x) {
    struct arena *a = &p->s->arena;
    struct prove_order *o = ARENA_NEW(a, struct prove_order);
    struct question *q = &o->q;
    int n = 0, most = 3 * x->naccesses + x->ncommits + x->nsyncs;
    struct prove_set *all = ARENA_ARRAY(a, struct prove_set, most + 1);
    o->program = x;
    o->access = ARENA_ARRAY(a, struct order_access, x->naccesses + 1);
    o->commit = ARENA_ARRAY(a, struct qset, x->ncommits + 1);
    o->sync = ARENA_ARRAY(a, struct qset, x->nsyncs + 1);
    question_init(q, p);
    for (int i = 0; i < x->naccesses; ++i) {
        all[n++] = x->access[i].when;
        all[n++] = x->access[i].what;
        if (x->access[i].threads) all[n++] = x->access[i].by_thread;
    }
    for (int i = 0; i < x->ncommits; ++i) all[n++] = x->commit[i];
    for (int i = 0; i < x->nsyncs; ++i) all[n++] = x->sync[i].when;
    rewrite_split(q, all, n, false);
    for (int i = 0; i < x->naccesses; ++i) {
        make(q, &x->access[i].when, &o->access[i].when);
        make(q, &x->access[i].what, &o->access[i].what);
        if (x->access[i].threads) {
            const struct prove_set *in = &x->access[i].by_thread;
            make(q, in, &o->access[i].by_thread);
            o->access[i].thread =
                thread_of(q, in, &o->access[i].by_thread, x->access[i].when.nvars);
        }
        if (x->access[i].when.nouts > o->ntime) o->ntime = x->access[i].when.nouts;
        // loops whose bounds are not affine have no times that could be compared
        o->access[i].odd = o->access[i].when.ndims != x->access[i].when.nvars;
    }
    for (int i = 0; i < x->ncommits; ++i) make(q, &x->commit[i], &o->commit[i]);
    for (int i = 0; i < x->nsyncs; ++i) make(q, &x->sync[i].when, &o->sync[i]);
    question_close(q);
    // a point in time
    o->point.ndims = o->point.nouts = o->ntime;
    o->point.exact = true;
    o->point.out = ARENA_ARRAY(a, struct lin, o->ntime + 1);
    for (int i = 0; i < o->ntime; ++i) {
        o->point.out[i] = (struct lin){1, ARENA_NEW(a, struct lin_term), 0, 1};
        o->point.out[i].term[0] = (struct lin_term){COL_DIM, i, 1};
    }
    o->bad = q->failed;
    return o;
}

void prove_order_free(struct prove_order *o) {
    for (int i = 0; i < o->program->naccesses; ++i) {
        isl_set_free(o->access[i].first_wait);
        for (int k = 0; k < o->access[i].ncommitted; ++k) isl_set_free(o->access[i].committed[k]);
    }
    for (struct order_cover *c = o->covers; c; c = c->next) isl_set_free(c->set);
    question_release(&o->q);
}

// -- before ---------------------------------------------------------------------------------------

isl_set *order_before(struct prove_order *o, isl_basic_set *base, const struct qset *a,
                      const int *da, const struct qset *b, const int *db) {
    struct question *q = &o->q;
    isl_set *all = isl_set_empty(isl_basic_set_get_space(base));
    isl_local_space *ls = isl_local_space_from_space(isl_basic_set_get_space(base));
    for (int i = 0; i < a->nouts && i < b->nouts; ++i) {
        struct lin x = a->out[i], y = b->out[i];
        if (x.n == 0 && y.n == 0) {
            int64_t d = y.constant - x.constant;
            if (d == 0) continue;
            if (d > 0) all = isl_set_union(all, isl_set_from_basic_set(isl_basic_set_copy(base)));
            break;
        }
        isl_aff *d = isl_aff_sub(question_aff(q, ls, y, db), question_aff(q, ls, x, da));
        isl_basic_set *less = isl_basic_set_add_constraint(
            isl_basic_set_copy(base),
            isl_inequality_from_aff(isl_aff_add_constant_si(isl_aff_copy(d), -1)));
        all = isl_set_union(all, isl_set_from_basic_set(less));
        base = isl_basic_set_add_constraint(base, isl_equality_from_aff(d));
    }
    isl_local_space_free(ls);
    isl_basic_set_free(base);
    return all;
}

// Instances of both in a space of "n" dimensions.
static isl_basic_set *both(struct prove_order *o, int n, const struct qset *a, const int *da,
                           const struct qset *b, const int *db) {
    isl_basic_set *x = question_universe(&o->q, n);
    return question_instances(&o->q, question_instances(&o->q, x, a, da), b, db);
}

static isl_set *in_context(struct prove_order *o, isl_set *x) {
    return isl_set_intersect_params(x, isl_set_copy(o->q.context));
}

// -- what lies in between -------------------------------------------------------------------------

// Pairs of instances of "a" and "b" between which barrier "sync" comes; with "first", between what
// that has, by instances of "a" and a point in time, and "b".
static isl_set *between(struct prove_order *o, const struct qset *a, isl_set *first,
                        const struct qset *b, const struct qset *sync) {
    int na = a->ndims, nb = b->ndims, np = first ? o->ntime : 0, ns = sync->ndims;
    int da[MOST_DIMS], db[MOST_DIMS], dp[MOST_DIMS], ds[MOST_DIMS], n = na + nb + np + ns;
    question_sequence(da, na, 0);
    question_sequence(db, nb, na);
    question_sequence(dp, np, na + nb);
    question_sequence(ds, ns, na + nb + np);
    isl_basic_set *base = question_instances(&o->q, both(o, n, a, da, b, db), sync, ds);
    isl_set *x = first ? order_before(o, isl_basic_set_copy(base), &o->point, dp, sync, ds)
                       : order_before(o, isl_basic_set_copy(base), a, da, sync, ds);
    x = isl_set_intersect(x, order_before(o, base, sync, ds, b, db));
    if (first) {
        isl_set *f = isl_set_insert_dims(isl_set_copy(first), isl_dim_set, (unsigned)na,
                                         (unsigned)nb);
        f = isl_set_add_dims(f, isl_dim_set, (unsigned)ns);
        x = isl_set_intersect(x, f);
    }
    x = isl_set_project_out(in_context(o, x), isl_dim_set, (unsigned)(na + nb),
                            (unsigned)(np + ns));
    return isl_set_compute_divs(x);
}

// Pairs of which "b" comes after the point in time that "first" gives each instance of "a".
static isl_set *behind(struct prove_order *o, const struct qset *a, isl_set *first,
                       const struct qset *b) {
    int na = a->ndims, nb = b->ndims, da[MOST_DIMS], db[MOST_DIMS], dp[MOST_DIMS];
    question_sequence(da, na, 0);
    question_sequence(db, nb, na);
    question_sequence(dp, o->ntime, na + nb);
    isl_set *x = order_before(o, both(o, na + nb + o->ntime, a, da, b, db), &o->point, dp, b, db);
    isl_set *f = isl_set_insert_dims(isl_set_copy(first), isl_dim_set, (unsigned)na, (unsigned)nb);
    x = isl_set_intersect(in_context(o, x), f);
    x = isl_set_project_out(x, isl_dim_set, (unsigned)(na + nb), (unsigned)o->ntime);
    return isl_set_compute_divs(x);
}

// The same again is not worked out again: between barrier "sync" (-1: none) and access "b".
static isl_set *cover(struct prove_order *o, int a, int b, int sync) {
    for (struct order_cover *c = o->covers; c; c = c->next)
        if (c->a == a && c->b == b && c->sync == sync && c->version == o->access[a].version)
            return isl_set_copy(c->set);
    struct order_access *x = &o->access[a], *y = &o->access[b];
    isl_set *first = o->program->access[a].async ? x->first_wait : NULL;
    struct order_cover *c = ARENA_NEW(&o->q.s->arena, struct order_cover);
    *c = (struct order_cover){a, b, sync, x->version, NULL, o->covers};
    c->set = sync < 0 ? behind(o, &x->when, first, &y->when)
                      : between(o, &x->when, first, &y->when, &o->sync[sync]);
    o->covers = c;
    return isl_set_copy(c->set);
}

// -- whether they meet ----------------------------------------------------------------------------

enum threads { ANY_THREADS, SAME_THREAD, LESS_THREAD, GREATER_THREAD };

// Whether instances of "a" and "b" that "when" has meet.  Takes "when".
static enum prove_answer meet(struct prove_order *o, int a, int b, isl_set *when,
                              enum threads threads, struct prove_fault *f) {
    struct question *q = &o->q;
    const struct qset *x = threads ? &o->access[a].by_thread : &o->access[a].what;
    const struct qset *y = threads ? &o->access[b].by_thread : &o->access[b].what;
    int la = o->access[a].when.ndims, lb = o->access[b].when.ndims;
    int da[MOST_DIMS], db[MOST_DIMS], n = x->ndims + y->ndims;
    // loops of both stand first, as in "when"
    question_sequence(da, la, 0);
    question_sequence(da + la, x->ndims - la, la + lb);
    question_sequence(db, lb, la);
    question_sequence(db + lb, y->ndims - lb, lb + x->ndims);
    isl_basic_set *base = question_universe(q, n);
    base = question_instances(q, question_instances(q, base, x, da), y, db);
    base = question_same(q, base, x, da, y, db);
    if (threads) {
        isl_local_space *ls = isl_local_space_from_space(isl_basic_set_get_space(base));
        isl_aff *d = isl_aff_sub(question_aff(q, ls, o->access[b].thread, db),
                                 question_aff(q, ls, o->access[a].thread, da));
        isl_local_space_free(ls);
        if (threads == GREATER_THREAD) d = isl_aff_neg(d);
        if (threads != SAME_THREAD) d = isl_aff_add_constant_si(d, -1);
        base = isl_basic_set_add_constraint(base, threads == SAME_THREAD
                                                      ? isl_equality_from_aff(d)
                                                      : isl_inequality_from_aff(d));
    }
    when = isl_set_add_dims(when, isl_dim_set, (unsigned)(n - la - lb));
    isl_set *all = isl_set_intersect(when, question_all(q, base));
    int64_t param[MOST_PARAMS], value[2 * MOST_DIMS], va[MOST_DIMS], vb[MOST_DIMS];
    enum prove_answer r = question_empty(q, all, param, value);
    if (r != PROVE_NO) return r;
    for (int i = 0; i < x->ndims; ++i) va[i] = value[da[i]];
    for (int i = 0; i < y->ndims; ++i) vb[i] = value[db[i]];
    const int64_t *dim[] = {va, vb};
    const struct qset *set[] = {x, y};
    f->threads = threads != ANY_THREADS;
    if (!question_witness(q, param, dim, set, 2, &f->at)) return question_unknown(q);
    const struct prove_set *out =
        threads ? &o->program->access[a].by_thread : &o->program->access[a].what;
    struct ix_env env = {f->at.var[0], f->at.sym};
    f->at.nouts = out->nouts;
    f->at.out = ARENA_ARRAY(&q->s->arena, int64_t, out->nouts + 1);
    for (int i = 0; i < out->nouts; ++i)
        if (!ix_eval(out->out[i], &env, &f->at.out[i])) f->at.out[i] = -1;
    return r;
}

// -- a pair ---------------------------------------------------------------------------------------

static bool is_void(isl_set *x) {
    return isl_set_is_empty(x) == isl_bool_true;
}

// Instances of the pair of which "b" comes later, and nothing puts it in order behind "a": for
// other threads, or with "own" for the same one, for which the end of an asynchronous access is
// enough.
static isl_set *open_pairs(struct prove_order *o, int a, int b, bool own, bool *used) {
    const struct qset *x = &o->access[a].when, *y = &o->access[b].when;
    int da[MOST_DIMS], db[MOST_DIMS];
    question_sequence(da, x->ndims, 0);
    question_sequence(db, y->ndims, x->ndims);
    isl_basic_set *base = both(o, x->ndims + y->ndims, x, da, y, db);
    isl_set *open = in_context(o, order_before(o, base, x, da, y, db));
    if (own) {
        if (!is_void(open)) open = isl_set_subtract(open, cover(o, a, b, -1));
        return open;
    }
    for (int i = 0; i < o->program->nsyncs && !is_void(open); ++i) {
        const struct prove_sync *s = &o->program->sync[i];
        if (s->wait || !s->on || !o->sync[i].exact) continue;
        isl_set *c = cover(o, a, b, i);
        if (!is_void(c)) {
            used[i] = true;
            open = isl_set_subtract(open, isl_set_copy(c));
        }
        isl_set_free(c);
    }
    return open;
}

static void use_waits(const struct prove_order *o, bool *used) {
    for (int i = 0; i < o->program->nsyncs; ++i) used[i] = used[i] || o->program->sync[i].wait;
}

// The same thread touches the element that it has under way.
static enum prove_answer check_own(struct prove_order *o, int a, int b, bool threads, bool *used,
                                   struct prove_fault *f) {
    isl_set *open = open_pairs(o, a, b, true, used);
    enum prove_answer r = PROVE_YES;
    f->missing = PROVE_WAIT;
    if (is_void(open))
        isl_set_free(open);
    else
        r = meet(o, a, b, open, threads ? SAME_THREAD : ANY_THREADS, f);
    return r;
}

enum prove_answer prove_order_pair(struct prove_order *o, int a, int b, bool *used,
                                   struct prove_fault *f) {
    const struct prove_access *x = &o->program->access[a], *y = &o->program->access[b];
    for (int i = 0; i < o->program->nsyncs; ++i) used[i] = false;
    if (x->buffer != y->buffer || (!x->write && !y->write)) return PROVE_YES;
    if (o->bad) return question_unknown(&o->q);
    isl_ctx_reset_operations(o->q.p->ctx);
    if (o->access[a].odd || o->access[b].odd) return question_unknown(&o->q);
    bool threads = x->threads && y->threads;
    if (x->async) {
        use_waits(o, used);
        order_first_wait(o, a);
    }
    *f = (struct prove_fault){.missing = PROVE_BARRIER};
    isl_set *open = open_pairs(o, a, b, false, used);
    enum prove_answer r = PROVE_YES;
    if (!is_void(open)) r = meet(o, a, b, isl_set_copy(open), ANY_THREADS, f);
    if (r != PROVE_YES && threads) {
        r = meet(o, a, b, isl_set_copy(open), LESS_THREAD, f);
        if (r == PROVE_YES) r = meet(o, a, b, isl_set_copy(open), GREATER_THREAD, f);
    }
    isl_set_free(open);
    if (!x->async) return r;
    // that nothing orders it may be for want of a wait
    struct prove_fault own;
    enum prove_answer done = check_own(o, a, b, threads && r == PROVE_YES, used, &own);
    if (done == PROVE_YES) return r;
    *f = own;
    return done;
}

enum prove_answer prove_order_ends(struct prove_order *o, int a, struct prove_fault *f) {
    const struct order_access *x = &o->access[a];
    int da[MOST_DIMS];
    if (o->bad || x->odd) return question_unknown(&o->q);
    isl_ctx_reset_operations(o->q.p->ctx);
    order_first_wait(o, a);
    question_sequence(da, x->when.ndims, 0);
    isl_basic_set *base = question_universe(&o->q, x->when.ndims);
    isl_set *open = question_all(&o->q, question_instances(&o->q, base, &x->when, da));
    isl_set *done = isl_set_project_out(isl_set_copy(x->first_wait), isl_dim_set,
                                        (unsigned)x->when.ndims, (unsigned)o->ntime);
    open = isl_set_subtract(open, isl_set_compute_divs(done));
    int64_t param[MOST_PARAMS], value[MOST_DIMS];
    enum prove_answer r = question_empty(&o->q, open, param, value);
    const int64_t *dim[] = {value};
    const struct qset *set[] = {&x->when};
    *f = (struct prove_fault){.missing = PROVE_WAIT};
    if (r == PROVE_NO && !question_witness(&o->q, param, dim, set, 1, &f->at))
        r = question_unknown(&o->q);
    return r;
}
