// Are two accesses in order?
//
// The question is asked in stages, because the first ones decide most pairs.  Do the places of the
// statements put them in order (places.c)?  Do the two ever touch the same element?  When does the
// later one come without a barrier between them (only loops matter)?  Do they meet then?  Are they
// made by different threads?  An asynchronous access lasts until a wait completes it (groups.c).
//
// A set that is subtracted from one with bounded params needs no bounds itself.
#include "base/session.h"
#include "prove/order_private.h"

// -- whether they meet ----------------------------------------------------------------------------

enum threads { ANY_THREADS, SAME_THREAD, LESS_THREAD, GREATER_THREAD };

// The pairs of instances of "a" and "b" that name the same element.
static isl_basic_set *meeting(struct prove_order *o, int a, int b, enum threads threads) {
    struct question *q = &o->q;
    isl_basic_set **kept = &o->meet[4 * (a * o->program->naccesses + b) + threads];
    if (*kept) return isl_basic_set_copy(*kept);
    struct qset *x = threads ? &o->access[a].by_thread : &o->access[a].what;
    struct qset *y = threads ? &o->access[b].by_thread : &o->access[b].what;
    int da[MOST_DIMS], db[MOST_DIMS];
    question_sequence(da, x->ndims, 0);
    question_sequence(db, y->ndims, x->ndims);
    isl_basic_set *base = isl_basic_set_flat_product(question_basic(q, x), question_basic(q, y));
    base = isl_basic_set_intersect(base, question_context(q, x->ndims + y->ndims));
    base = question_same(q, base, x, da, y, db);
    if (threads) {
        isl_local_space *ls = isl_local_space_from_space(isl_basic_set_get_space(base));
        isl_aff *d = isl_aff_sub(question_aff(q, ls, o->access[b].thread, db),
                                 question_aff(q, ls, o->access[a].thread, da));
        isl_local_space_free(ls);
        if (threads == GREATER_THREAD) d = isl_aff_neg(d);
        if (threads != SAME_THREAD) d = isl_aff_add_constant_si(d, -1);
        base =
            isl_basic_set_add_constraint(base, threads == SAME_THREAD ? isl_equality_from_aff(d)
                                                                      : isl_inequality_from_aff(d));
    }
    *kept = base;
    return isl_basic_set_copy(base);
}

// Whether "x" is empty even if the params are unconstrained.  This avoids most of isl's work.
static bool empty_for_any_params(struct question *q, isl_set *x) {
    unsigned n = (unsigned)isl_set_dim(x, isl_dim_param);
    if (n == 0) return false;
    isl_set *all = isl_set_copy(x);
    all = isl_set_drop_constraints_involving_dims(all, isl_dim_param, 0, n);
    bool is = !sample_found(q->s, all) && isl_set_is_empty(all) == isl_bool_true;
    isl_set_free(all);
    return is;
}

// Whether a quick test shows that the two never meet, or an earlier question did.
static bool known_apart(struct prove_order *o, int a, int b) {
    a = o->access[a].alike;
    b = o->access[b].alike;
    signed char *ever = &o->ever[4 * (a * o->program->naccesses + b) + ANY_THREADS];
    if (*ever == 0 && order_apart(o, a, b, NULL)) *ever = -1;
    return *ever < 0;
}

// The set "when", extended to all dimensions of "x" and "y".  "when" has the first "la" and "lb" of
// them.
static isl_set *spread(const struct order_open *when, const struct qset *x, int la,
                       const struct qset *y, int lb) {
    isl_set *w = isl_set_insert_dims(isl_set_copy(when->set), isl_dim_set, (unsigned)la,
                                     (unsigned)(x->ndims - la));
    return isl_set_add_dims(w, isl_dim_set, (unsigned)(y->ndims - lb));
}

struct meeting {
    struct question *q;
    isl_basic_set *all;
    enum prove_answer none;
};

static isl_stat meet_in_part(isl_basic_set *part, void *user) {
    struct meeting *m = user;
    part = isl_basic_set_intersect(part, isl_basic_set_copy(m->all));
    m->none = question_empty(m->q, isl_set_from_basic_set(part), NULL, NULL);
    return m->none == PROVE_YES ? isl_stat_ok : isl_stat_error;
}

// Asks for each part of "when" separately, which is faster than for all at once.
static enum prove_answer none_in_parts(struct question *q, isl_set *when, isl_basic_set *all) {
    struct meeting m = {q, all, PROVE_YES};
    isl_stat r = isl_set_foreach_basic_set(when, meet_in_part, &m);
    if (r != isl_stat_ok && m.none == PROVE_YES) m.none = question_unknown(q);
    isl_basic_set_free(all);
    isl_set_free(when);
    return m.none;
}

// Asks whether instances of "a" and "b" ever meet: PROVE_YES if they never do.
static enum prove_answer meet_ever(struct prove_order *o, int a, int b, enum threads threads) {
    struct question *q = &o->q;
    a = o->access[a].alike;
    b = o->access[b].alike;
    // the same question with exchanged roles
    if (a == b && threads == GREATER_THREAD) threads = LESS_THREAD;
    signed char *ever = &o->ever[4 * (a * o->program->naccesses + b) + threads];
    if (*ever) return *ever > 0 ? PROVE_NO : PROVE_YES;
    ++o->asked;
    isl_set *all = isl_set_from_basic_set(meeting(o, a, b, threads));
    bool none = threads > SAME_THREAD && !q->failed && empty_for_any_params(q, all) &&
                !prover_gave_up(q->p);
    enum prove_answer r = PROVE_YES;
    if (none)
        isl_set_free(all);
    else
        r = question_empty(q, all, NULL, NULL);
    *ever = r == PROVE_YES ? -1 : 1;
    return r;
}

// The same for the instances in "when".
static enum prove_answer meet(struct prove_order *o, int a, int b, struct order_open *when,
                              enum threads threads, struct prove_fault *f) {
    struct question *q = &o->q;
    const struct order_key key = {
        when, NULL, {o->access[a].same, o->access[b].same, (int)threads, OF_MEETING}};
    const struct order_memo *kept = order_find(o, &key);
    if (kept && (!f || kept->answer == PROVE_YES)) return kept->answer;
    if (!kept && order_apart(o, a, b, when)) {
        order_keep(o, &key, NULL, PROVE_YES);
        return PROVE_YES;
    }
    if (!f) {
        a = o->access[a].same;
        b = o->access[b].same;
    }
    const struct qset *x = threads ? &o->access[a].by_thread : &o->access[a].what;
    const struct qset *y = threads ? &o->access[b].by_thread : &o->access[b].what;
    ++o->asked;
    isl_basic_set *all = meeting(o, a, b, threads);
    isl_set *open = spread(when, x, o->access[a].when.ndims, y, o->access[b].when.ndims);
    o->asked += order_worth(open);
    int64_t param[MOST_PARAMS], value[2 * MOST_DIMS];
    enum prove_answer r =
        f ? question_empty(q, isl_set_intersect(open, isl_set_from_basic_set(all)), param, value)
          : none_in_parts(q, open, all);
    if (r != PROVE_UNKNOWN && !kept) order_keep(o, &key, NULL, r);
    if (r != PROVE_NO || !f) return r;
    const int64_t *dim[] = {value, value + x->ndims};
    const struct qset *set[] = {x, y};
    f->threads = threads != ANY_THREADS;
    if (!x->exact || !y->exact) return question_unknown(q);
    if (!question_witness(q, param, dim, set, 2, &f->at)) return question_unknown(q);
    const struct prove_set *out =
        threads ? &o->program->access[a].by_thread : &o->program->access[a].what;
    question_named(q, out, &f->at);
    return r;
}

// -- a pair ---------------------------------------------------------------------------------------

static bool is_void(const struct prove_order *o, struct order_open *x) {
    if (x->empty) return x->empty > 0;
    isl_bool is = isl_set_is_empty(x->set);
    if (is == isl_bool_error || prover_gave_up(o->q.p)) return false;
    x->empty = is == isl_bool_true ? 1 : -1;
    return x->empty > 0;
}

// The pairs of instances in which "b" comes later.
static struct order_open *later(struct prove_order *o, int a, int b) {
    struct qset *x = &o->access[a].when, *y = &o->access[b].when;
    struct order_key key = {NULL, NULL, {o->access[a].shape, o->access[b].shape, 0, OF_SHAPES}};
    bool known = order_relation(x, y, &key.of[2]);
    const struct order_memo *kept = known ? order_find(o, &key) : NULL;
    if (kept) return kept->open;
    int da[MOST_DIMS], db[MOST_DIMS];
    question_sequence(da, x->ndims, 0);
    question_sequence(db, y->ndims, x->ndims);
    isl_basic_set *base =
        isl_basic_set_flat_product(question_basic(&o->q, x), question_basic(&o->q, y));
    struct order_open *open = order_open_of(o, order_before(o, base, x, da, y, db));
    if (known) order_keep(o, &key, open, PROVE_UNKNOWN);
    return open;
}

// "open" minus "cover"; "open" itself if the two are disjoint.
static struct order_open *without(struct prove_order *o, struct order_open *open, isl_set *cover) {
    const struct order_key key = {open, cover, {0, 0, 0, OF_COVER}};
    const struct order_memo *kept = order_find(o, &key);
    if (kept) return kept->open;
    struct order_open *left = open;
    bool apart = isl_set_is_disjoint(open->set, cover) == isl_bool_true && !prover_gave_up(o->q.p);
    if (!apart) {
        isl_set *set = isl_set_subtract(isl_set_copy(open->set), isl_set_copy(cover));
        left = order_open_of(o, isl_set_coalesce(set));
    }
    order_keep(o, &key, left, PROVE_UNKNOWN);
    return left;
}

// "open" without the pairs that "wait" and "barrier" put in order.
static struct order_open *close_by(struct prove_order *o, struct order_open *open, int a, int b,
                                   int wait, int barrier, bool *used) {
    struct order_open *left = without(o, open, order_covered(o, a, b, wait, barrier));
    if (left == open) return open;
    if (barrier >= 0) used[barrier] = true;
    if (wait >= 0) used[wait] = true;
    return left;
}

// Whether "i" is a barrier that may be between "a" and "b".
static bool is_barrier(const struct prove_order *o, int i, int a, int b) {
    const struct prove_program *p = o->program;
    const struct prove_sync *x = &p->sync[i];
    return arrival_row(x->arrival)->joins && order_is_for(p, i, a, b) &&
           !order_outside(&x->when, &p->access[a].when, &p->access[b].when);
}

// "open" without the pairs that "wait" (-1: no wait is needed) puts in order, together with any
// barrier, or with "own" without one.
static struct order_open *close_by_wait(struct prove_order *o, struct order_open *open, int a,
                                        int b, int wait, bool own, bool *used) {
    if (own) return close_by(o, open, a, b, wait, -1, used);
    for (int i = o->program->nsyncs - 1; i >= 0 && !is_void(o, open); --i)
        if (is_barrier(o, i, a, b)) open = close_by(o, open, a, b, wait, i, used);
    return open;
}

// Whether a small part of the allowed operations is enough to prove that the instances in "open" do
// not meet.
static bool soon_apart(struct prove_order *o, int a, int b, struct order_open *open,
                       enum threads threads) {
    struct prover *p = o->q.p;
    const char *why = p->why;
    if (prover_gave_up(p)) return false;
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, p->limit / 8);
    bool apart = meet(o, a, b, open, threads, NULL) == PROVE_YES;
    if (isl_ctx_last_error(p->ctx) == isl_error_alloc) memory_out();
    isl_ctx_reset_error(p->ctx);
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, p->limit);
    p->why = why;
    return apart;
}

// The pairs that nothing puts in order.  With "own" it asks for accesses of the same thread, for
// which the completion of an asynchronous access is enough; otherwise for other threads.  The
// result depends on the last waits and barriers that suffice, because callers try to remove the
// first ones first.  Waits before "b" are tried first, as they suffice most often.
static struct order_open *open_pairs(struct prove_order *o, int a, int b, bool own,
                                     enum threads threads, bool *used) {
    const struct prove_program *p = o->program;
    struct order_open *open = later(o, a, b);
    int tried = 0;
    own |= p->access[a].all;
    if (!p->access[a].async) return close_by_wait(o, open, a, b, -1, own, used);
    for (int behind = 0; behind < 2; ++behind) {
        for (int w = p->nsyncs - 1; w >= 0 && !is_void(o, open); --w) {
            int relation;
            if (!arrival_row(p->sync[w].arrival)->completes) continue;
            bool before =
                order_relation(&o->sync[w], &o->access[b].when, &relation) && relation > 0;
            if (before == behind || !order_first_wait(o, a, w)) continue;
            open = close_by_wait(o, open, a, b, w, own, used);
            if (++tried >= 8 || (tried & (tried - 1)) != 0) continue;
            if (soon_apart(o, a, b, open, threads))
                return order_open_of(o, isl_set_empty(isl_set_get_space(open->set)));
        }
    }
    return open;
}

// Whether earlier questions showed that each element that both access belongs to one thread.
static bool known_own(const struct prove_order *o, int a, int b) {
    int x = o->access[a].alike, y = o->access[b].alike;
    const signed char *ever = &o->ever[4 * (x * o->program->naccesses + y)];
    return ever[LESS_THREAD] < 0 && (x == y || ever[GREATER_THREAD] < 0);
}

static enum prove_answer check_threads(struct prove_order *o, int a, int b, bool *used,
                                       bool threads, struct prove_fault *f) {
    if (threads && known_own(o, a, b)) return PROVE_YES;
    struct order_open *open = open_pairs(o, a, b, false, ANY_THREADS, used);
    enum prove_answer r = PROVE_YES;
    if (f) f->missing = PROVE_BARRIER;
    if (!open->set) return question_unknown(&o->q);
    if (!is_void(o, open)) r = meet(o, a, b, open, ANY_THREADS, threads ? NULL : f);
    for (enum threads t = LESS_THREAD; r != PROVE_YES && threads; t = GREATER_THREAD) {
        // each common element may belong to one thread
        r = meet_ever(o, a, b, t);
        if (r != PROVE_YES) r = meet(o, a, b, open, t, f);
        if (t == GREATER_THREAD || r != PROVE_YES) break;
        r = PROVE_UNKNOWN;
    }
    return r;
}

// Checks accesses of the same thread to an element that it has in flight.
static enum prove_answer check_own(struct prove_order *o, int a, int b, bool *used, bool threads,
                                   struct prove_fault *f) {
    enum threads whose = threads ? SAME_THREAD : ANY_THREADS;
    struct order_open *open = open_pairs(o, a, b, true, whose, used);
    enum prove_answer r = PROVE_YES;
    if (f) f->missing = PROVE_WAIT;
    if (!open->set) return question_unknown(&o->q);
    if (!is_void(o, open)) r = meet(o, a, b, open, whose, f);
    return r;
}

static enum prove_answer check_async(struct prove_order *o, int a, int b, bool *used, bool threads,
                                     struct prove_fault *f) {
    enum prove_answer r = check_threads(o, a, b, used, threads, f);
    // pairs ordered for other threads have a wait; it may be missing only for the same thread
    struct prove_fault own = {.missing = PROVE_WAIT};
    enum prove_answer done = PROVE_YES;
    if (r != PROVE_YES || threads)
        done = check_own(o, a, b, used, threads && r == PROVE_YES, f ? &own : NULL);
    if (done == PROVE_YES) return r;
    if (f) *f = own;
    if (f && done == PROVE_NO) f->younger = order_younger(o, a, b, &f->at);
    return done;
}

// Whether the two never meet; then no sync is "used".
static bool never_meet(struct prove_order *o, int a, int b, bool *used) {
    const char *why = o->q.p->why;
    prover_again(o->q.p);
    if (meet_ever(o, a, b, ANY_THREADS) != PROVE_YES) {
        o->q.p->why = why;
        return false;
    }
    for (int i = 0; i < o->program->nsyncs; ++i) used[i] = false;
    return true;
}

// Asks first about the pairs that nothing puts in order, because there are few.  For accesses that
// meet somewhere, asking whether they ever meet is isl's most expensive question.
static enum prove_answer open_in_order(struct prove_order *o, int a, int b, bool *used,
                                       bool threads, struct prove_fault *f) {
    bool async = o->program->access[a].async;
    if (f) *f = (struct prove_fault){.missing = PROVE_BARRIER};
    o->quick = async;
    enum prove_answer r = async ? check_async(o, a, b, used, threads, NULL)
                                : check_threads(o, a, b, used, threads, f);
    o->quick = false;
    if (r == PROVE_YES || (r == PROVE_NO && !async)) return r;
    if (never_meet(o, a, b, used)) return PROVE_YES;
    if (!async || o->program->soon) return PROVE_UNKNOWN;
    return check_async(o, a, b, used, threads, f);
}

int prove_order_asked(const struct prove_order *o) {
    return o->asked;
}

bool prove_order_spent(const struct prove_order *o) {
    return o->asked > PROVE_MOST_ASKED;
}

enum prove_answer prove_order_pair(struct prove_order *o, int a, int b, bool *used,
                                   struct prove_fault *f) {
    const struct prove_access *x = &o->program->access[a], *y = &o->program->access[b];
    for (int i = 0; i < o->program->nsyncs; ++i) used[i] = false;
    if (x->buffer != y->buffer || (!x->write && !y->write)) return PROVE_YES;
    if (x->once && y->once && x->write && y->write) return PROVE_YES;
    return o->past ? order_past_pair(o, a, b, used, f) : order_ask_pair(o, a, b, used, f);
}

enum prove_answer order_ask_pair(struct prove_order *o, int a, int b, bool *used,
                                 struct prove_fault *f) {
    const struct prove_access *x = &o->program->access[a], *y = &o->program->access[b];
    if (o->bad) return question_unknown(&o->q);
    bool threads = x->threads && y->threads && x->first == y->first;
    bool own = threads && known_own(o, a, b);
    if (order_by_places(o->program, a, b, own, used)) return PROVE_YES;
    for (int i = 0; i < o->program->nsyncs; ++i) used[i] = false;
    prover_again(o->q.p);
    o->q.p->why = NULL;
    if (prove_order_spent(o)) return PROVE_UNKNOWN;
    if (known_apart(o, a, b)) return PROVE_YES;
    enum prove_answer r = open_in_order(o, a, b, used, threads, f);
    if (r != PROVE_YES && isl_ctx_last_error(o->q.p->ctx) == isl_error_alloc) memory_out();
    return r;
}

enum prove_answer prove_order_ends(struct prove_order *o, int a, struct prove_fault *f) {
    return o->past ? order_past_ends(o, a, f) : order_ask_ends(o, a, f);
}

enum prove_answer order_ask_ends(struct prove_order *o, int a, struct prove_fault *f) {
    struct order_access *x = &o->access[a];
    if (o->bad) return question_unknown(&o->q);
    prover_again(o->q.p);
    o->q.p->why = NULL;
    isl_set *open =
        isl_set_from_basic_set(isl_basic_set_intersect(question_basic(&o->q, &x->when),
                                                       question_context(&o->q, x->when.ndims)));
    for (int i = 0; i < o->program->nsyncs; ++i) {
        if (isl_set_is_empty(open) == isl_bool_true && !prover_gave_up(o->q.p)) break;
        isl_set *first = order_first_wait(o, a, i);
        if (!first) continue;
        isl_set *done = isl_set_project_out(isl_set_copy(first), isl_dim_set,
                                            (unsigned)x->when.ndims, (unsigned)o->sync[i].ndims);
        open = isl_set_subtract(open, question_divs(&o->q, done));
    }
    int64_t param[MOST_PARAMS], value[MOST_DIMS];
    enum prove_answer r = question_empty(&o->q, open, param, value);
    const int64_t *dim[] = {value};
    const struct qset *set[] = {&x->when};
    *f = (struct prove_fault){.missing = PROVE_WAIT};
    bool exact = x->when.exact;
    if (r == PROVE_NO && (!exact || !question_witness(&o->q, param, dim, set, 1, &f->at)))
        r = question_unknown(&o->q);
    return r;
}
