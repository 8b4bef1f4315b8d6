// Roles of manual kernels in pass "sync": that they come to their end, and that the accesses of
// different ones are in order.
//
// The graph of live.h has a node for the begin of a step of each role, and for each place where a role
// comes to a named barrier or has passed it.  All distances are numbers of at least 0 (sema sees to
// that), so a path from step g to step g + d stays between these two, and none of its arrivals and
// waits is one of those that are left out (struct barrier).
#include <inttypes.h>

#include "base/session.h"
#include "pass/sync/side.h"

bool side_named(const struct stmt *x) {
    return x->barrier && arrival_is(x->arrival);
}

static int add_node(struct side *d, const struct stmt *of, bool comes) {
    int i = live_node(&d->g);
    d->of[i] = of;
    d->comes[i] = comes;
    return i;
}

int side_node(const struct side *d, const struct stmt *of, bool comes) {
    for (int i = 0; i < d->g.nnodes; ++i)
        if (d->of[i] == of && d->comes[i] == comes) return i;
    BUG("a statement without a node");
}

// The first node of "x": it has come to its barrier.
static int first_node(const struct side *d, const struct stmt *x) {
    return side_node(d, x, !(x->kind == STMT_WAIT && x->barrier->ring));
}
int side_last(const struct side *d, const struct stmt *x) {
    return side_node(d, x, x->kind != STMT_WAIT);
}

static void make_graph(struct side *d) {
    for (const struct stmt *part = d->st->body; part; part = part->next) {
        int begin = add_node(d, part, false), last = begin;
        for (const struct stmt *x = part->body; x; x = x->next) {
            if (!side_named(x)) continue;
            bool only_waits = x->kind == STMT_WAIT && x->barrier->ring;
            int comes = add_node(d, x, !only_waits);
            live_edge(&d->g, last, comes, 0);
            last = comes;
            if (x->kind != STMT_WAIT || only_waits) continue;
            last = add_node(d, x, false);
            live_edge(&d->g, comes, last, 0);
        }
        live_edge(&d->g, last, begin, 1);
    }
    for (int from = 0; from < d->g.nnodes; ++from)
        for (int to = 0; d->comes[from] && to < d->g.nnodes; ++to) {
            const struct stmt *a = d->of[from], *b = d->of[to];
            if (a == b || d->comes[to] || !b->barrier || b->barrier != a->barrier) continue;
            live_edge(&d->g, from, to, a->of - b->of);
        }
}

// -- do they come to their end? -------------------------------------------------------------------

const char *side_text(const struct side *d, const struct stmt *x) {
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
                       side_text(d, b), side_text(d, a), before_text(s, e->distance));
            diag_page(s, "barrier");
        } else {
            diag_note(s, b->at, "%s waits for %s, %s", side_text(d, b), side_text(d, a),
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
            if (a == b || !d->comes[from] || a->barrier != b->barrier || a->barrier->ring) continue;
            int stages = a->barrier->stages;
            if (live_path(&d->g, from, to) <= stages + a->of - b->of) continue;
            diag_error(
                d->x->s, b->at,
                "%s may come %d step%s later, to the same barrier, before %s has come: with "
                "%d stage%s these are one barrier; let '%s' wait for '%s', or give '%s' more "
                "stages",
                side_text(d, b), stages, stages == 1 ? "" : "s", side_text(d, a), stages,
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

// The "expect" that counts the bytes of access "a", which are there when its phase is over; or NULL.
static const struct stmt *counted_at(const struct side *d, int a) {
    const struct stmt *st = d->x->access[a].stmt;
    return d->x->access[a].copy && d->x->program.access[a].write ? stmt_counted(st) : NULL;
}

// The first statement from "z" on where threads come to a barrier, or with "fence" do so after a fence.
static const struct stmt *arriving(const struct stmt *z, bool fence) {
    while (z && !(side_named(z) && (!fence || z->arrival.fence))) z = z->next;
    return z;
}

// How many steps after access "a" it is certain that "b" comes later; LIVE_NONE: never.  With "fence", as copies
// see it that threads have not issued themselves: only who has fenced is known to be done.
static int64_t steps_after(const struct side *d, int a, int b, bool fence) {
    const struct stmt *x = place_of(d, a), *y = place_of(d, b), *part = x->up;
    const struct stmt *counted = counted_at(d, a);
    if (d->x->program.access[a].async && !(x = stmt_completed(d->x->access[a].stmt)))
        return LIVE_NONE;
    int from = side_node(d, part, false), to = side_node(d, y->up, false);
    int64_t more = 1;  // it may come to no barrier in the rest of its step
    const struct stmt *arrives = arriving(x->next, fence);
    if (arrives) more = 0;
    if (!arrives && fence && !(arrives = arriving(part->body, true))) return LIVE_NONE;
    if (arrives) from = first_node(d, arrives);
    if (counted) {
        from = side_over(d, counted->barrier);
        more = counted->of;
    }
    for (const struct stmt *z = y->up->body; z != y; z = z->next)
        if (side_named(z)) to = side_last(d, z);
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

// Whether "b" is of a copy that does not see what threads do as "a", unless they fence.
static bool overtakes(const struct side *d, int a, int b) {
    return d->x->program.access[b].proxy && !d->x->program.access[a].proxy;
}

static void report_fence(const struct side *d, int a, int b, const struct prove_witness *w) {
    const struct schedule *x = d->x;
    struct session *s = x->s;
    const struct view *va = x->access[a].view, *vb = x->access[b].view;
    const struct stmt *role = place_of(d, a)->up, *arrives = arriving(place_of(d, a)->next, false);
    int id = d->st->var->id;
    struct prove_witness element = *w;
    --element.nouts;
    diag_error(
        s, vb->at,
        "%sstep %" PRId64 " of '%s' copies %selement %s of '%s', which step %" PRId64
        " of '%s' %s without a fence behind it, so that the copy may overtake it: before %s a "
        "'fence;' is missing",
        instances_params(s, x->plan, x->k, w), w->var[1][id], place_of(d, b)->up->role->name,
        x->program.access[b].write ? "to " : "", instances_element(s, &element), va->base->name,
        w->var[0][id], role->role->name, verb(&x->program.access[a]),
        arrives ? side_text(d, arrives) : "its next arrival");
    diag_page(s, "barrier");
    diag_note(s, va->at, "'%s' %s it here", role->role->name, verb(&x->program.access[a]));
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
    bool turned = u == g && steps_after(d, b, a, false) == 0;
    struct prove_witness element = *w;
    --element.nouts;
    diag_error(s, vb->at,
               "%sstep %" PRId64 " of '%s' %s element %s of '%s', which step %" PRId64
               " of '%s' %s %s",
               instances_params(s, x->plan, x->k, w), g, in_b, verb(pb),
               instances_element(s, &element), va->base->name, u, in_a, verb(pa),
               turned ? "only after it: put the role that comes first in a step above the other"
               : in_a == in_b
                   ? "perhaps at the same time: between them it waits for nobody who waited "
                     "for these bytes"
                   : "perhaps at the same time: neither waits for the other");
    diag_page(s, "barrier");
    diag_note(s, va->at, "'%s' %s it here", in_a, verb(pa));
}

// Notes which barriers of the two roles nobody else comes to: a role that waits there waits for nobody.
static void note_alone(const struct side *d, const struct stmt *one, const struct stmt *other) {
    for (const struct stmt *x = d->st->body; x; x = stmt_next(d->st->body, x)) {
        bool alone = x->kind == STMT_WAIT && side_named(x) && (x->up == one || x->up == other);
        for (int i = 0; i < d->g.nnodes; ++i)
            alone &=
                !d->of[i] || !d->of[i]->barrier || d->of[i] == x || d->of[i]->barrier != x->barrier;
        if (alone)
            diag_note(d->x->s, x->at, "no other role comes to '%s', so '%s' waits for nobody here",
                      x->barrier->name, x->up->role->name);
    }
}

// Whether a copy in a loop fills an element twice in one step: two copies of one thread have no order.
static bool fills_twice(const struct side *d, int a, int around) {
    const struct schedule *x = d->x;
    const struct prove_access *pa = &x->program.access[a];
    struct prove_witness w;
    if (!counted_at(d, a) || pa->when.nvars <= around + 1) return false;
    enum prove_answer answer = prove_once(x->prover, &pa->what, around + 1, &w);
    if (answer == PROVE_YES) return false;
    diag_error(x->s, x->access[a].stmt->at,
               "%s'%s' %s element %s of '%s' twice in one step: copies that one thread issues have "
               "no order",
               answer == PROVE_NO ? instances_params(x->s, x->plan, x->k, &w) : "",
               place_of(d, a)->up->role->name, answer == PROVE_NO ? "fills" : "may fill an",
               answer == PROVE_NO ? instances_element(x->s, &w) : "",
               x->access[a].view->base->name);
    diag_page(x->s, "barrier");
    return true;
}

// Whether no element is named by "a" and by "b" in a step that is 1 - before to later - 1 steps after that of "a".
static enum prove_answer apart_in(const struct side *d, int a, int b, int64_t before, int64_t later,
                                  struct prove_witness *w) {
    const struct schedule *x = d->x;
    struct session *s = x->s;
    const struct prove_access *pa = &x->program.access[a], *pb = &x->program.access[b];
    int around = 0;  // loops: of one round of the roles in them
    for (const struct stmt *up = d->st->up; up; up = up->up) around += stmt_loops(up);
    const struct ix *trips = ix_sub(s, d->st->end, d->st->begin), *one = ix_int(s, 1);
    struct ix_var *by = ARENA_NEW(&s->arena, struct ix_var);
    *by = (struct ix_var){IX_NAMED, "by", "by", s->next_var++, LAY_INT_INVALID, LAY_INT_INVALID};
    if (!trips) return PROVE_UNKNOWN;
    if (later < 1 && before == 1) return PROVE_YES;
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
    return prove_apart(x->prover, &from, &to, around, 0, w);
}

// Whether accesses "a" and "b", of which "a" is in the role above, or copies in the same one, are in order.
static bool in_order(const struct side *d, int a, int b) {
    const struct schedule *x = d->x;
    const struct stmt *st = x->access[a].stmt, *other = x->access[b].stmt;
    bool own = x->program.access[a].role == x->program.access[b].role;
    int64_t later = steps_after(d, a, b, false), before = steps_after(d, b, a, false);
    struct prove_witness w;
    if (before < 1) before = 1;
    // of one thread: what stands above is issued before
    if (own) before = st->at.begin < other->at.begin ? 1 : 0;
    enum prove_answer answer = apart_in(d, a, b, before, later, &w);
    if (answer != PROVE_YES) {
        report(d, a, b, answer, &w);
        note_alone(d, place_of(d, a)->up, place_of(d, b)->up);
        return false;
    }
    for (int turned = 0; turned < 2 && !own; ++turned) {
        int p = turned ? b : a, q = turned ? a : b;
        if (!overtakes(d, p, q)) continue;
        int64_t fenced = steps_after(d, p, q, true);
        answer = apart_in(d, p, q, turned ? later : before, fenced, &w);
        if (answer == PROVE_YES) continue;
        if (answer == PROVE_NO)
            report_fence(d, p, q, &w);
        else
            report(d, a, b, answer, &w);
        return false;
    }
    return true;
}

static bool all_in_order(const struct side *d) {
    const struct prove_program *p = &d->x->program;
    for (int a = 0; a < p->naccesses; ++a)
        for (int b = 0; b < p->naccesses; ++b) {
            const struct prove_access *x = &p->access[a], *y = &p->access[b];
            if (d->x->access[a].pipe != d->st || d->x->access[b].pipe != d->st) continue;
            bool own = x->role == y->role && counted_at(d, a);
            if ((x->role >= y->role && !own) || x->buffer != y->buffer) continue;
            if (!(x->write || y->write)) continue;
            if (x->write && y->write && x->once) continue;
            if (!in_order(d, a, b)) return false;
        }
    int around = 0;
    for (const struct stmt *up = d->st->up; up; up = up->up) around += stmt_loops(up);
    for (int a = 0; a < p->naccesses; ++a)
        if (d->x->access[a].pipe == d->st && fills_twice(d, a, around)) return false;
    return true;
}

// -- the roles of a kernel ------------------------------------------------------------------------

// Whether a copy of the roles fills what their threads touch.
static bool any_overtakes(const struct side *d) {
    const struct prove_program *p = &d->x->program;
    for (int a = 0; a < p->naccesses; ++a)
        for (int b = 0; b < p->naccesses; ++b)
            if (d->x->access[a].pipe == d->st && d->x->access[b].pipe == d->st &&
                p->access[a].buffer == p->access[b].buffer && overtakes(d, a, b))
                return true;
    return false;
}

// Whether all threads meet between two rounds of roles in a loop, whose barriers begin again then.
static bool meets_between(const struct side *d) {
    struct session *s = d->x->s;
    const struct stmt *st = d->st, *sync = NULL;
    if (!st->up) return true;
    for (const struct stmt *x = st->up->body; x; x = x->next)
        if (x->kind == STMT_WAIT && x->arrival.kind == ARRIVAL_BLOCK && (!sync || x->arrival.fence))
            sync = x;
    if (sync && (sync->arrival.fence || !any_overtakes(d))) return true;
    if (sync) {
        diag_error(
            s, sync->at,
            "copies of the next round of 'roles' may overtake what threads did in the last steps "
            "of this one, whose arrivals are left out: a 'fence;' is missing before this "
            "'sync;'");
        diag_page(s, "barrier");
        return false;
    }
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
        ok = meets_between(d) && sync_bytes_agree(x, st) && comes_to_end(d);
        if (!ok) break;
        side_add_phases(d);
        ok = all_in_order(d) && comes_once(d) && side_phases_apart(d);
    }
    return ok;
}
