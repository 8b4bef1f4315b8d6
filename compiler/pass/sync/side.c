// Roles of manual kernels in pass "sync": that they come to their end, and that the accesses of
// different ones are in order.
//
// The graph of live.h has a node for the begin of a step of each role, and for each place where a role
// comes to a named barrier or has passed it.  All distances are numbers of at least 0 (sema sees to
// that), so a path from step g to step g + d stays between these two, and none of its arrivals and
// waits is one of those that are left out (struct barrier).
#include <inttypes.h>

#include "base/session.h"
#include "live/live.h"
#include "pass/sync/private.h"

struct side {
    const struct schedule *x;
    const struct stmt *st;  // the "roles"
    struct live_graph g;
    const struct stmt *of[LIVE_NODES];  // the statement of a node, or the part that begins there
    bool comes[LIVE_NODES];             // it comes to a barrier; otherwise it has passed it
};

// Whether "x" names a barrier.  random_sync.c leaves out some, to see that this is noticed.
static bool is_named(const struct stmt *x) {
    return x->barrier && arrival_is(x->arrival);
}

static int add_node(struct side *d, const struct stmt *of, bool comes) {
    int i = live_node(&d->g);
    d->of[i] = of;
    d->comes[i] = comes;
    return i;
}

// The node where "of" comes to its barrier, or has passed it.
static int node_of(const struct side *d, const struct stmt *of, bool comes) {
    for (int i = 0; i < d->g.nnodes; ++i)
        if (d->of[i] == of && d->comes[i] == comes) return i;
    BUG("a statement without a node");
}

static void make_graph(struct side *d) {
    for (const struct stmt *part = d->st->body; part; part = part->next) {
        int begin = add_node(d, part, false), last = begin;
        for (const struct stmt *x = part->body; x; x = x->next) {
            if (!is_named(x)) continue;
            int comes = add_node(d, x, true);
            live_edge(&d->g, last, comes, 0);
            last = comes;
            if (x->kind != STMT_WAIT) continue;
            last = add_node(d, x, false);
            live_edge(&d->g, comes, last, 0);
        }
        live_edge(&d->g, last, begin, 1);
    }
    for (int from = 0; from < d->g.nnodes; ++from)
        for (int to = 0; d->comes[from] && to < d->g.nnodes; ++to) {
            const struct stmt *a = d->of[from], *b = d->of[to];
            if (a == b || d->comes[to] || b->barrier != a->barrier) continue;
            live_edge(&d->g, from, to, a->of - b->of);
        }
}

// -- do they come to their end? -------------------------------------------------------------------

// Such as "'sync full of n' in 'use'".
static const char *named_text(const struct side *d, const struct stmt *x) {
    struct session *s = d->x->s;
    return arena_printf(&s->arena, "'%s' in '%s'", stmt_named(s, x), x->up->role->name);
}

static const char *before_text(struct session *s, int64_t steps) {
    if (steps == 0) return "of the same step";
    return arena_printf(&s->arena, "%" PRId64 " step%s before", steps, steps == 1 ? "" : "s");
}

static bool comes_to_end(struct side *d) {
    struct session *s = d->x->s;
    int cycle[LIVE_NODES], n = live_stuck(&d->g, cycle);
    const struct stmt *told = NULL;
    for (int i = 0; i < n; ++i) {
        const struct live_edge *e = &d->g.edge[cycle[i]];
        const struct stmt *a = d->of[e->from], *b = d->of[e->to];
        if (a == b || !a->barrier || a->barrier != b->barrier) continue;
        if (!told) {
            diag_error(s, b->at,
                       "the roles wait for each other for ever: %s waits for %s, %s, which comes "
                       "only after the first",
                       named_text(d, b), named_text(d, a), before_text(s, e->distance));
            diag_page(s, "barrier");
        } else {
            diag_note(s, b->at, "%s waits for %s, %s", named_text(d, b), named_text(d, a),
                      before_text(s, e->distance));
        }
        told = b;
    }
    return n == 0;
}

// Whether no role comes to one of the hardware's barriers again before the others came to it.
static bool comes_once(struct side *d) {
    for (int to = 0; to < d->g.nnodes; ++to)
        for (int from = 0; d->comes[to] && from < d->g.nnodes; ++from) {
            const struct stmt *a = d->of[from], *b = d->of[to];
            if (a == b || !d->comes[from] || a->barrier != b->barrier) continue;
            int stages = a->barrier->stages;
            if (live_path(&d->g, from, to) <= stages + a->of - b->of) continue;
            diag_error(
                d->x->s, b->at,
                "%s may come %d step%s later, to the same barrier, before %s has come: with "
                "%d stage%s these are one barrier; let '%s' wait for '%s', or give '%s' more "
                "stages",
                named_text(d, b), stages, stages == 1 ? "" : "s", named_text(d, a), stages,
                stages == 1 ? "" : "s", b->up->role->name, a->up->role->name, a->barrier->name);
            diag_page(d->x->s, "barrier");
            diag_note(d->x->s, a->at, "the other one comes here");
            return false;
        }
    return true;
}

// -- are accesses in order? -----------------------------------------------------------------------

// The statement of the list of its role in which access "i" is.
static const struct stmt *place_of(const struct side *d, int i) {
    const struct stmt *x = d->x->access[i].stmt;
    while (x->up->up != d->st) x = x->up;
    return x;
}

// How many steps after access "a" it is certain that "b" comes later; LIVE_NONE: never.
static int64_t steps_after(const struct side *d, int a, int b) {
    const struct stmt *x = place_of(d, a), *y = place_of(d, b), *part = x->up;
    if (d->x->program.access[a].async && !(x = stmt_completed(d->x->access[a].stmt)))
        return LIVE_NONE;
    int from = node_of(d, part, false), to = node_of(d, y->up, false);
    int64_t more = 1;  // it may come to no barrier in the rest of its step
    for (const struct stmt *z = x->next; z && more; z = z->next) {
        if (!is_named(z)) continue;
        from = node_of(d, z, true);
        more = 0;
    }
    for (const struct stmt *z = y->up->body; z != y; z = z->next)
        if (is_named(z)) to = node_of(d, z, z->kind != STMT_WAIT);
    int64_t path = live_path(&d->g, from, to);
    return path == LIVE_NONE ? path : path + more;
}

// "a" with one output more, "step".
static struct prove_set with_step(struct session *s, const struct prove_set *a,
                                  const struct ix *step) {
    struct prove_set r = *a;
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, a->nouts + 1);
    for (int i = 0; i < a->nouts; ++i) out[i] = a->out[i];
    out[a->nouts] = step;
    r.out = out;
    r.nouts = a->nouts + 1;
    return r;
}

static const char *verb(const struct prove_access *a) {
    return a->write ? "writes" : "reads";
}

static void report(const struct side *d, int a, int b, enum prove_answer answer,
                   const struct prove_witness *w) {
    const struct schedule *x = d->x;
    struct session *s = x->s;
    const struct prove_access *pa = &x->program.access[a], *pb = &x->program.access[b];
    const struct view *va = x->access[a].view, *vb = x->access[b].view;
    const char *in_a = place_of(d, a)->up->role->name, *in_b = place_of(d, b)->up->role->name;
    if (answer == PROVE_UNKNOWN) {
        diag_error(s, vb->at, "accesses to '%s' by '%s' and '%s' are not known to be in order: %s",
                   va->base->name, in_a, in_b, prover_why(x->prover));
        diag_page(s, "barrier");
        diag_note(s, va->at, "the other one is here");
        instances_advice(s, x->prover, false, vb->at);
        return;
    }
    int id = d->st->var->id;
    int64_t u = w->var[0][id], g = w->var[1][id];
    bool turned = u == g && steps_after(d, b, a) == 0;
    struct prove_witness element = *w;
    --element.nouts;
    diag_error(s, vb->at,
               "%sstep %" PRId64 " of '%s' %s element %s of '%s', which step %" PRId64
               " of '%s' %s %s",
               instances_params(s, x->plan, x->k, w), g, in_b, verb(pb),
               instances_element(s, &element), va->base->name, u, in_a, verb(pa),
               turned ? "only after it: put the role that comes first in a step above the other"
                      : "perhaps at the same time: neither waits for the other");
    diag_page(s, "barrier");
    diag_note(s, va->at, "'%s' %s it here", in_a, verb(pa));
}

// Notes which barriers of the two roles nobody else comes to: whoever waits there waits for nobody.
static void note_alone(const struct side *d, const struct stmt *one, const struct stmt *other) {
    for (const struct stmt *x = d->st->body; x; x = stmt_next(d->st->body, x)) {
        bool alone = x->kind == STMT_WAIT && is_named(x) && (x->up == one || x->up == other);
        for (int i = 0; i < d->g.nnodes; ++i)
            alone &= !d->of[i]->barrier || d->of[i] == x || d->of[i]->barrier != x->barrier;
        if (alone)
            diag_note(d->x->s, x->at, "no other role comes to '%s', so '%s' waits for nobody here",
                      x->barrier->name, x->up->role->name);
    }
}

// Whether accesses "a" and "b", of which "a" is in the role above, are in order.
static bool in_order(const struct side *d, int a, int b) {
    const struct schedule *x = d->x;
    struct session *s = x->s;
    const struct prove_access *pa = &x->program.access[a], *pb = &x->program.access[b];
    int64_t later = steps_after(d, a, b), before = steps_after(d, b, a);
    int around = 0;  // loops: of one round of the roles in them
    for (const struct stmt *up = d->st->up; up; up = up->up) around += stmt_loops(up);
    const struct ix *trips = ix_sub(s, d->st->end, d->st->begin), *one = ix_int(s, 1);
    // b is "by" steps after a: from before + 1 to later - 1, the two are side by side
    struct ix_var *by = ARENA_NEW(&s->arena, struct ix_var);
    *by = (struct ix_var){IX_NAMED, "by", "by", s->next_var++, LAY_INT_INVALID, LAY_INT_INVALID};
    if (!trips) return false;
    if (before < 1) before = 1;
    if (later < 1 && before == 1) return true;
    struct prove_var *var = ARENA_ARRAY(&s->arena, struct prove_var, pa->what.nvars + 1);
    for (int i = 0; i < pa->what.nvars; ++i) var[i] = pa->what.var[i];
    var[pa->what.nvars] =
        (struct prove_var){by, before == LIVE_NONE ? ix_sub(s, one, trips) : ix_int(s, 1 - before),
                           later == LIVE_NONE ? trips : ix_int(s, later)};
    const struct ix *step = ix_var(s, d->st->var);
    struct prove_set from = with_step(s, &pa->what, ix_add(s, step, ix_var(s, by)));
    struct prove_set to = with_step(s, &pb->what, step);
    from.var = var;
    ++from.nvars;
    struct prove_witness w;
    enum prove_answer answer = prove_apart(x->prover, &from, &to, around, 0, &w);
    if (answer == PROVE_YES) return true;
    report(d, a, b, answer, &w);
    note_alone(d, place_of(d, a)->up, place_of(d, b)->up);
    return false;
}

static bool all_in_order(const struct side *d) {
    const struct prove_program *p = &d->x->program;
    for (int a = 0; a < p->naccesses; ++a)
        for (int b = 0; b < p->naccesses; ++b) {
            const struct prove_access *x = &p->access[a], *y = &p->access[b];
            if (d->x->access[a].pipe != d->st || d->x->access[b].pipe != d->st) continue;
            if (x->role >= y->role || x->buffer != y->buffer || !(x->write || y->write)) continue;
            if (x->write && y->write && x->once) continue;
            if (!in_order(d, a, b)) return false;
        }
    return true;
}

// -- the roles of a kernel ------------------------------------------------------------------------

// Whether all threads meet between two rounds of roles in a loop, whose barriers begin again then.
static bool meets_between(struct session *s, const struct stmt *st) {
    if (!st->up) return true;
    for (const struct stmt *x = st->up->body; x; x = x->next)
        if (x->kind == STMT_WAIT && x->arrival.kind == ARRIVAL_BLOCK) return true;
    diag_error(
        s, st->at,
        "the barriers of 'roles' begin again in each round of the loop around, and a role may "
        "still be in the last one; a 'sync;' beside 'roles' is missing, at which all threads "
        "meet");
    diag_page(s, "barrier");
    return false;
}

bool sync_side_by_side(const struct schedule *x) {
    const struct kernel *k = x->k;
    bool ok = sync_fragments_stay(x->s, k);
    for (const struct stmt *st = k->body; st && ok; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_PIPELINE || st->pipe->nroles == 0) continue;
        struct side *d = ARENA_NEW(&x->s->arena, struct side);
        *d = (struct side){.x = x, .st = st};
        make_graph(d);
        ok = meets_between(x->s, st) && comes_to_end(d) && all_in_order(d) && comes_once(d);
    }
    return ok;
}
