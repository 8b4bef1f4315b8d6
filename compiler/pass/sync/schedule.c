// Makes schedules of kernels (see schedule.h).
#include "pass/sync/schedule.h"

#include <string.h>

#include "base/session.h"

enum { TIME = 2 * INSTANCE_LOOPS + 4 };
enum phase { AT_WAIT, AT_BARRIER, AT_ITSELF, AT_COMMIT, PHASES };

struct walk {
    struct schedule *x;
    struct around around;
    const struct ix *time[TIME];
    int ntime, most;
    const struct stmt *pipe;  // the pipeline with roles around, and the number of the role
    int role, roles;          // .. and how many roles a manual kernel had before
    bool loads;               // it waits for its groups before it says that they are there
    int64_t first;            // the first of its threads
};

static void push(struct walk *w, const struct ix *e) {
    if (w->ntime == TIME) {
        w->x->full = true;
        return;
    }
    w->time[w->ntime++] = e;
    if (w->ntime > w->most) w->most = w->ntime;
}

// The event at place "place" of its list, phase "phase", for all iterations of the loops around.
static struct prove_set event(struct walk *w, int place, enum phase phase) {
    struct session *s = w->x->s;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, TIME);
    instances_begin(s, w->x->k, &w->around, false, x);
    push(w, ix_int(s, PHASES * place + phase));
    for (int i = 0; i < TIME; ++i)
        out[i] = i < w->ntime ? instances_step(s, &w->around, w->time[i]) : ix_int(s, 0);
    --w->ntime;
    if (x->full) w->x->full = true;
    return (struct prove_set){x->var, x->nvars, x->cond, x->nconds, out, TIME};
}

// -- accesses -------------------------------------------------------------------------------------

// Whether accesses to "t" must be ordered.
static bool is_shared(const struct kernel *k, const struct tensor *t) {
    const struct formal *f = kernel_formal(k, t);
    return space_is_shared(t->space) || (t->space == MEM_GLOBAL && f && f->dir == ARG_INOUT);
}

static void add_access(struct walk *w, const struct stmt *st, const struct copy *c,
                       const struct view *v, bool write, int place) {
    struct schedule *x = w->x;
    struct session *s = x->s;
    if (!is_shared(x->k, v->base)) return;
    if (x->program.naccesses == SCHEDULE_ACCESSES) {
        x->full = true;
        return;
    }
    int i = x->program.naccesses++;
    struct prove_access *a = &x->program.access[i];
    struct schedule_access *b = &x->access[i];
    *b = (struct schedule_access){c,      st, v, w->around, ARENA_NEW(&s->arena, struct instances),
                                  w->pipe};
    *a = (struct prove_access){.when = event(w, place, AT_ITSELF),
                               .write = write,
                               .once = v->base->space == MEM_GLOBAL,
                               .role = w->role,
                               .buffer =
                                   v->base->space == MEM_GLOBAL ? -1 - v->base->id : v->base->id};
    if (!c) {
        instances_begin(s, x->k, &w->around, false, b->x);
        instances_of(b->x, NULL, v);
        a->what = instances_settled(b->x, &w->around, v);
    } else {
        struct instances *t = ARENA_NEW(&s->arena, struct instances);
        a->what = instances_access(s, x->k, &w->around, c, !write, false, b->x);
        a->by_thread = instances_by_thread(s, x->k, &w->around, c, !write, t);
        // a collective access moves elements that another lane addresses
        a->threads = !t->full && !atom_is_collective(copy_atom(c)->row);
        a->first = w->first;
        a->proxy = copy_by_proxy(c, write);
        a->late = write && copy_atom(c)->row->reads_late;
        a->async = c->facts.async && !w->loads && !stmt_counted(st);
        a->all = a->async && x->k->all_wait;
    }
    x->full = x->full || b->x->full;
}

static void add_sync(struct walk *w, const struct stmt *st, struct arrival *at, int place,
                     enum phase phase) {
    struct schedule *x = w->x;
    if (x->program.nsyncs == SCHEDULE_SYNCS) {
        x->full = true;
        return;
    }
    int i = x->program.nsyncs++;
    x->sync[i] = (struct schedule_sync){at, phase == AT_BARRIER, st};
    x->program.sync[i] = (struct prove_sync){.when = event(w, place, phase), .role = w->role};
}

static void add_syncs(struct walk *w, struct stmt *st, int place) {
    add_sync(w, st, &st->before.wait.copies, place, AT_WAIT);
    add_sync(w, st, &st->before.wait.threads, place, AT_BARRIER);
}

static void add_step(struct walk *w, struct prove_set c) {
    struct prove_program *p = &w->x->program;
    if (p->nsteps == SCHEDULE_SYNCS)
        w->x->full = true;
    else
        p->step_role[p->nsteps] = w->role, p->step[p->nsteps++] = c;
}

static void add_commit(struct walk *w, struct prove_set c) {
    struct prove_program *p = &w->x->program;
    if (p->ncommits == SCHEDULE_SYNCS)
        w->x->full = true;
    else
        p->commit_role[p->ncommits] = w->role, p->commit[p->ncommits++] = c;
}

static void add_one_commit(struct walk *w, int place, enum phase phase) {
    struct prove_set c = event(w, place, phase);
    add_commit(w, c);
    add_step(w, c);
}

// -- statements -----------------------------------------------------------------------------------

static void walk_list(struct walk *w, struct stmt *list, const struct stmt *load);

static void enter(struct walk *w, const struct stmt *st) {
    if (w->around.n == INSTANCE_LOOPS)
        w->x->full = true;
    else
        w->around.stmt[w->around.n++] = st;
}

static void leave(struct walk *w, int ntime) {
    if (w->around.n) --w->around.n;
    w->ntime = ntime;
}

// The commits of a "load" part of pipeline "st".  There is one for each step, also if nothing is
// left to load.  Those of the first steps are before the loop.
static void commit_ahead(struct walk *w, const struct stmt *st, int place) {
    struct session *s = w->x->s;
    const struct ix *begin = instances_step(s, &w->around, st->begin);
    const struct ix *end = instances_step(s, &w->around, st->end);
    const struct ix *ahead = ix_int(s, pipeline_ahead(st->pipe)), *first = ix_add(s, begin, ahead);
    for (int which = 0; which < 3; ++which) {  // the first steps, the others, and all of them
        struct prove_set c = event(w, place, AT_COMMIT);
        for (int i = 0; i < c.nvars; ++i) {
            if (c.var[i].var != st->var) continue;
            struct prove_var *v = (struct prove_var *)&c.var[i];
            v->begin = which == 1 ? first : begin;
            v->end = which == 0 ? first : ix_add(s, end, ahead);
        }
        if (which < 2)
            add_commit(w, c);
        else
            add_step(w, c);
    }
}

// The barriers at which the threads of a role wait before each step: for "full", and for "empty", in
// all but the first steps if it is the only pipeline of its ring.  At a barrier in memory they do not
// wait for each other.
static void wait_together(struct walk *w, struct stmt *st, bool load) {
    struct schedule *x = w->x;
    int n = x->program.nsyncs;
    if (!pipeline_meets(st->pipe, load)) return;
    add_sync(w, st, &x->together, 0, AT_BARRIER);
    if (!load || st->pipe->handover.goes_on || n == x->program.nsyncs) return;
    struct prove_set *when = &x->program.sync[n].when;
    const struct ix *begin = instances_step(x->s, &w->around, st->begin);
    for (int i = 0; i < when->nvars; ++i)
        if (when->var[i].var == st->var)
            ((struct prove_var *)when->var)[i].begin =
                ix_add(x->s, begin, ix_int(x->s, st->pipe->stages));
}

// The roles execute their steps side by side.  Pairs of accesses of two of them are asked about by
// sync_consumers_apart, if at all.
static void walk_roles(struct walk *w, struct stmt *st, int place) {
    const struct pipeline *pipe = st->pipe;
    int before = w->ntime;
    add_syncs(w, st, place);
    push(w, ix_int(w->x->s, PHASES * place + AT_ITSELF));
    enter(w, st);
    push(w, ix_var(w->x->s, st->var));
    w->pipe = st;
    for (int side = 0; side < pipeline_sides(pipe); ++side) {
        int q = 0;
        w->role = (MOST_CONSUMERS + 1) * (pipe->handover.ring - 1) + 1 + side;
        w->first = pipeline_first(pipe, side);
        w->loads = side == pipe->nuses;
        wait_together(w, st, w->loads);
        for (struct stmt *part = st->body; part; part = part->next, ++q) {
            if (stmt_side(part) != side) continue;
            push(w, ix_int(w->x->s, PHASES * q + AT_ITSELF));
            enter(w, part);
            walk_list(w, part->body, NULL);
            leave(w, before + 2);
        }
    }
    w->pipe = NULL;
    w->role = 0;
    w->first = 0;
    w->loads = false;
    leave(w, before);
}

// A "sync" of a named barrier orders the accesses of its role, except in the steps that leave it out.
static void add_named(struct walk *w, struct stmt *st, int place) {
    struct schedule *x = w->x;
    int n = x->program.nsyncs;
    if (st->barrier->ring) return;  // threads that wait for one in memory do not meet there
    add_sync(w, st, &st->arrival, place, AT_BARRIER);
    if (n == x->program.nsyncs || st->barrier->skip == 0) return;
    struct prove_set *when = &x->program.sync[n].when;
    const struct stmt *roles = st->barrier->roles;
    for (int i = 0; i < when->nvars; ++i)
        if (when->var[i].var == roles->var)
            ((struct prove_var *)when->var)[i].begin =
                ix_add(x->s, roles->begin, ix_int(x->s, st->barrier->skip));
}

// The roles of a manual kernel; side.c asks about pairs of accesses of two of them.
static void walk_manual_roles(struct walk *w, struct stmt *st, int place) {
    int before = w->ntime, q = 0;
    push(w, ix_int(w->x->s, PHASES * place + AT_ITSELF));
    enter(w, st);
    push(w, ix_var(w->x->s, st->var));
    w->pipe = st;
    for (struct stmt *part = st->body; part; part = part->next, ++q) {
        w->role = ++w->roles;
        w->first = part->role->first;
        push(w, ix_int(w->x->s, PHASES * q + AT_ITSELF));
        enter(w, part);
        walk_list(w, part->body, NULL);
        leave(w, before + 2);
    }
    w->pipe = NULL;
    w->role = 0;
    w->first = 0;
    leave(w, before);
}

static void walk_pipeline(struct walk *w, struct stmt *st, int place) {
    if (st->pipe->nroles > 0) {
        walk_manual_roles(w, st, place);
        return;
    }
    if (pipeline_has_roles(st->pipe)) {
        walk_roles(w, st, place);
        return;
    }
    struct session *s = w->x->s;
    struct pipeline *pipe = st->pipe;
    int before = w->ntime, q = 0;
    if (pipe->stages > 1) add_syncs(w, st, place);
    push(w, ix_int(s, PHASES * place + AT_ITSELF));
    enter(w, st);
    const struct ix *step = ix_var(s, st->var);
    const struct ix *ahead = ix_sub(s, step, ix_int(s, pipeline_ahead(pipe)));
    for (struct stmt *part = (struct stmt *)stmt_first_part(st); part;
         part = (struct stmt *)stmt_part_after(part), ++q) {
        push(w, step);
        add_syncs(w, part, q);
        w->time[w->ntime - 1] = part->load ? ahead : step;
        push(w, ix_int(s, PHASES * q + AT_ITSELF));
        enter(w, part);
        walk_list(w, part->body, part->load ? st : NULL);
        leave(w, before + 1);
    }
    push(w, step);
    add_sync(w, st, &st->behind.wait.threads, q, AT_BARRIER);
    leave(w, before);
}

static void walk_loop(struct walk *w, struct stmt *st, int place) {
    struct session *s = w->x->s;
    int before = w->ntime;
    add_syncs(w, st, place);
    push(w, ix_int(s, PHASES * place + AT_ITSELF));
    enter(w, st);
    push(w, ix_var(s, st->var));
    walk_list(w, st->body, NULL);
    leave(w, before);
}

static void walk_copy(struct walk *w, struct stmt *st, int place) {
    add_syncs(w, st, place);
    add_access(w, st, st->copy, &st->copy->src, false, place);
    add_access(w, st, st->copy, &st->copy->dst, true, place);
}

static void walk_call(struct walk *w, struct stmt *st, int place) {
    struct plan_call *y = st->call;
    add_syncs(w, st, place);
    for (int i = 0; i < y->fn->nformals; ++i) {
        enum dir dir = y->fn->formal[i].dir;
        if (dir != ARG_OUT) add_access(w, st, NULL, &y->view[i], false, place);
        if (dir != ARG_IN) add_access(w, st, NULL, &y->view[i], true, place);
    }
}

static void walk_list(struct walk *w, struct stmt *list, const struct stmt *load) {
    int place = 0;
    for (struct stmt *st = list; st; st = st->next, ++place) {
        bool commit = st->commit_after;
        switch (st->kind) {
        case STMT_COPY:
            walk_copy(w, st, place);
            commit = st->copy->facts.commit_after;
            break;
        case STMT_CALL: walk_call(w, st, place); break;
        case STMT_FOR: walk_loop(w, st, place); break;
        case STMT_PIPELINE: walk_pipeline(w, st, place); break;
        case STMT_PART: BUG("a part outside a pipeline");
        case STMT_WAIT:
            if (st->barrier) {
                add_named(w, st, place);
                break;
            }
            add_sync(w, st, &st->arrival, place,
                     arrival_row(st->arrival)->completes ? AT_WAIT : AT_BARRIER);
            break;
        case STMT_ARRIVE:
            if (stmt_commits(st)) add_one_commit(w, place, AT_COMMIT);
            break;
        }
        if (!commit) continue;
        if (load && load->pipe->stages > 1)
            commit_ahead(w, load, place);
        else
            add_one_commit(w, place, AT_COMMIT);
    }
}

// -- the program ----------------------------------------------------------------------------------

static void shorten(struct prove_set *x, int n) {
    if (x->nouts > n) x->nouts = n;
}

void schedule_make(struct session *s, const struct plan *plan, struct kernel *k,
                   struct prover *prover, struct schedule *out) {
    struct walk *w = ARENA_NEW(&s->arena, struct walk);
    struct prove_program *p = &out->program;
    memset(out, 0, offsetof(struct schedule, access));
    out->s = s;
    out->plan = plan;
    out->k = k;
    out->prover = prover;
    out->together = arrival_block;
    p->access = ARENA_ROOM(&s->arena, struct prove_access, SCHEDULE_ACCESSES);
    p->commit = ARENA_ROOM(&s->arena, struct prove_set, SCHEDULE_SYNCS);
    p->step = ARENA_ROOM(&s->arena, struct prove_set, SCHEDULE_SYNCS);
    p->commit_role = ARENA_ROOM(&s->arena, int, SCHEDULE_SYNCS);
    p->step_role = ARENA_ROOM(&s->arena, int, SCHEDULE_SYNCS);
    p->sync = ARENA_ROOM(&s->arena, struct prove_sync, SCHEDULE_SYNCS);
    w->x = out;
    walk_list(w, k->body, NULL);
    int place = 0;
    for (const struct stmt *st = k->body; st; st = st->next) ++place;
    if (k->commit_last) add_one_commit(w, place, AT_WAIT);
    out->all = arrival_groups(0);
    out->all.written = k->device && k->stored;
    if (k->wait_last) add_sync(w, NULL, &out->all, place, AT_WAIT);
    for (int i = 0; i < p->naccesses; ++i) shorten(&p->access[i].when, w->most);
    for (int i = 0; i < p->ncommits; ++i) shorten(&p->commit[i], w->most);
    for (int i = 0; i < p->nsteps; ++i) shorten(&p->step[i], w->most);
    for (int i = 0; i < p->nsyncs; ++i) shorten(&p->sync[i].when, w->most);
    size_t pairs = (size_t)p->naccesses * (size_t)p->naccesses + 1;
    // rows are written when their pair is first asked about
    out->used = ARENA_ROOM(&s->arena, bool, pairs *(size_t)p->nsyncs);
    out->fresh = ARENA_ROOM(&s->arena, bool, pairs *(size_t)p->nsyncs);
    if (p->naccesses && !out->full) out->order = prove_order_new(prover, p);
}

void schedule_free(struct schedule *x) {
    if (x->order) prove_order_free(x->order);
    x->order = NULL;
}
