// Prepares a program of accesses, waits and barriers for questions about their order (order.c).
#include "base/session.h"
#include "prove/order_private.h"

// The number of the thread: the variable after those of the "loops" loops.
static struct lin thread_of(struct question *q, const struct prove_set *in, struct qset *set,
                            int loops) {
    q->set = set;
    struct lin r = lin_of(q, ix_var(q->s, in->var[loops].var));
    q->set = NULL;
    return r;
}

static void split_all(struct question *q, const struct prove_program *x) {
    int n = 0, most = 3 * x->naccesses + x->ncommits + x->nsyncs;
    struct prove_set *all = ARENA_ARRAY(&q->s->arena, struct prove_set, most + 1);
    for (int i = 0; i < x->naccesses; ++i) {
        all[n++] = x->access[i].when;
        all[n++] = x->access[i].what;
        if (x->access[i].threads) all[n++] = x->access[i].by_thread;
    }
    for (int i = 0; i < x->ncommits; ++i) all[n++] = x->commit[i];
    for (int i = 0; i < x->nsyncs; ++i) all[n++] = x->sync[i].when;
    rewrite_split(q, all, n, false);
}

static bool speaks_beyond(const struct question *q, struct lin e, int ndims) {
    for (int i = 0; i < e.n; ++i) {
        const struct lin_term *t = &e.term[i];
        if (t->kind == COL_DIM && t->at >= ndims) return true;
        if (t->kind == COL_DIV && speaks_beyond(q, q->quotient[t->at].of, ndims)) return true;
    }
    return false;
}

// Removes bounds of loops that are not affine.  "set" then has too many instances, and is not
// exact.
static void loosen(const struct question *q, struct qset *set) {
    int kept = 0;
    if (set->ndims == set->nvars) return;
    for (int i = 0; i < set->nconds; ++i)
        if (!speaks_beyond(q, set->cond[i], set->nvars)) set->cond[kept++] = set->cond[i];
    set->nconds = kept;
    set->ndims = set->nvars;
}

static void make_access(struct prove_order *o, int i) {
    struct question *q = &o->q;
    const struct prove_access *in = &o->program->access[i];
    struct order_access *x = &o->access[i];
    question_set(q, &in->when, &x->when);
    question_set(q, &in->what, &x->what);
    if (in->threads) {
        question_set(q, &in->by_thread, &x->by_thread);
        x->thread = thread_of(q, &in->by_thread, &x->by_thread, in->when.nvars);
    }
    if (in->when.nouts > o->ntime) o->ntime = in->when.nouts;
    loosen(q, &x->when);
}

// The first access that touches the same elements as "i", by the same threads.
static int first_alike(const struct prove_program *x, int i) {
    const struct prove_access *a = &x->access[i];
    for (int j = 0; j < i; ++j) {
        const struct prove_access *b = &x->access[j];
        if (a->threads != b->threads || !draft_alike(&a->what, &b->what)) continue;
        if (!a->threads) return j;
        if (a->when.nvars == b->when.nvars && draft_alike(&a->by_thread, &b->by_thread)) return j;
    }
    return i;
}

// That access if isl sees the same numbers for it, otherwise "i".
static int first_same(const struct prove_order *o, int i) {
    const struct order_access *a = &o->access[i], *b = &o->access[a->alike];
    bool same = a->when.ndims == b->when.ndims && order_same(&a->what, &b->what);
    if (o->program->access[i].threads)
        same = same && order_same(&a->by_thread, &b->by_thread) &&
               order_same_sum(a->thread, b->thread);
    return same ? a->alike : i;
}

// Makes all that questions to isl need.
void order_build(struct prove_order *o) {
    struct prover *p = o->p;
    struct arena *a = &p->s->arena;
    const struct prove_program *x = o->program;
    struct question *q = &o->q;
    o->built = true;
    o->access = ARENA_ARRAY(a, struct order_access, x->naccesses + 1);
    o->commit = ARENA_ARRAY(a, struct qset, x->ncommits + 1);
    o->sync = ARENA_ARRAY(a, struct qset, x->nsyncs + 1);
    o->step = ARENA_ARRAY(a, struct qset, x->nsteps + 1);
    o->meet = ARENA_ARRAY(a, isl_basic_set *, 4 * x->naccesses * x->naccesses + 1);
    o->shape = ARENA_ARRAY(a, const struct qset *, x->naccesses + x->nsyncs + 1);
    o->sync_shape = ARENA_ARRAY(a, int, x->nsyncs + 1);
    o->ever = ARENA_ARRAY(a, signed char, 4 * x->naccesses * x->naccesses + 1);
    for (int i = 0; i < x->naccesses; ++i) order_times(p->s, &x->access[i].when);
    for (int i = 0; i < x->ncommits; ++i) order_times(p->s, &x->commit[i]);
    for (int i = 0; i < x->nsyncs; ++i) order_times(p->s, &x->sync[i].when);
    question_init(q, p);
    split_all(q, x);
    for (int i = 0; i < x->naccesses; ++i) {
        make_access(o, i);
        o->access[i].alike = first_alike(x, i);
        o->access[i].same = first_same(o, i);
        o->access[i].shape = order_shape(o, &o->access[i].when);
    }
    for (int i = 0; i < x->ncommits; ++i) question_set(q, &x->commit[i], &o->commit[i]);
    for (int i = 0; i < x->nsteps; ++i) question_set(q, &x->step[i], &o->step[i]);
    order_step_loops(o);
    for (int i = 0; i < x->nsyncs; ++i) {
        question_set(q, &x->sync[i].when, &o->sync[i]);
        loosen(q, &o->sync[i]);
        o->sync_shape[i] = order_shape(o, &o->sync[i]);
    }
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
}

struct prove_order *prove_order_new(struct prover *p, const struct prove_program *x) {
    struct prove_order *o = ARENA_NEW(&p->s->arena, struct prove_order);
    o->p = p;
    o->program = x;
    if (p->s->options.kept)
        order_past_begin(o);
    else
        order_build(o);
    return o;
}

void prove_order_free(struct prove_order *o) {
    const struct prove_program *x = o->program;
    order_past_end(o);
    if (!o->built) return;
    for (int i = 0; i < x->naccesses; ++i) {
        struct order_access *a = &o->access[i];
        for (struct order_first *f = a->firsts; f; f = f->next) isl_set_free(f->set);
        for (int k = 0; k < a->ncommitted; ++k) isl_set_free(a->committed[k]);
        isl_basic_set_free(a->when.basic);
        isl_basic_set_free(a->what.basic);
        isl_basic_set_free(a->by_thread.basic);
    }
    for (int i = 0; i < x->ncommits; ++i) isl_basic_set_free(o->commit[i].basic);
    for (int i = 0; i < x->nsyncs; ++i) isl_basic_set_free(o->sync[i].basic);
    for (int i = 0; i < x->nsteps; ++i) isl_basic_set_free(o->step[i].basic);
    for (int i = 0; i < 4 * x->naccesses * x->naccesses; ++i) isl_basic_set_free(o->meet[i]);
    for (int i = 0; i < ORDER_COVERS; ++i)
        for (struct order_cover *c = o->covers[i]; c; c = c->next) isl_set_free(c->set);
    order_forget_counts(o);
    order_forget_opens(o);
    isl_basic_set_free(o->point.basic);
    question_release(&o->q);
}
