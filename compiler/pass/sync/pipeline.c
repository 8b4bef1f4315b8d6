// Pipelines in pass "sync".  They are walked in the order of their schedule (see lower/pipeline.c):
// first the loads of the first steps, then the parts in order, with loads some steps ahead.
//
// An access to a slot is described by how many steps it is ahead of the step in use.  Two accesses
// are to the same slot if these numbers differ by a multiple of the stages.  A "load" part has its
// own wait and barrier before it: its copies are also in the prologue, where they may need none.
// If the step is known, so is the slot, also for other pipelines and for statements between them.
#include "base/session.h"
#include "pass/coverage/coverage.h"
#include "pass/sync/private.h"

// The slot, counted from 1, that "v" has outside of pipelines; 0 if it has none, or not a fixed
// one.
static int fixed_slot(struct session *s, const struct view *v) {
    const struct ix *lo, *hi;
    int64_t first, last;
    if (!lay_valid(v->coord)) return 0;
    view_reach(s, v, lay_tuple_leaves(v->base->layout.shape) - 1, &lo, &hi);
    return ix_static(lo, &first) && ix_static(hi, &last) && first == last ? 1 + (int)first : 0;
}

void sync_place(const struct walk *w, const struct view *v, struct access *a) {
    for (const struct where *here = w->here; here; here = here->outer) {
        const struct pipeline *p = here->pipe;
        if (p->stages == 1) continue;
        if (!ix_depends_on(v->offset, p->slot) && !ix_depends_on(v->offset, p->load_slot)) continue;
        a->pipe = p;
        a->ahead = here->ahead;
        if (here->step >= 0) a->slot = 1 + (int)((here->step + here->ahead) % p->stages);
        return;
    }
    if (v->base->stages > 1) a->slot = fixed_slot(w->s, v);
}

bool sync_apart(struct access a, struct access b) {
    if (a.slot && b.slot && a.slot != b.slot) return true;
    return a.pipe && a.pipe == b.pipe && (a.ahead - b.ahead) % a.pipe->stages != 0;
}

// Advances to the next step.
static void next_step(struct state *st, const struct pipeline *pipe) {
    for (int i = 0; i < st->n; ++i) {
        struct access *a = &st->at[i].a;
        if (a->pipe != pipe) continue;
        int back = a->ahead - 1;
        a->ahead = back < 0 ? back + (int)pipe->stages : back;
    }
}

// Leaves the pipeline after "trips" steps.  What was ahead of the step after the last one is ahead
// of the first step when the pipeline is entered again.  "trips" -1: not known.
static void leave_steps(struct state *st, const struct pipeline *pipe, int64_t trips) {
    for (int i = 0; i < st->n; ++i) {
        struct access *a = &st->at[i].a;
        if (a->pipe != pipe) continue;
        st->mixed = true;
        if (trips < 0) a->pipe = NULL;
        a->ahead = trips < 0 ? 0 : (int)((a->ahead + trips) % pipe->stages);
        if (trips >= 0) a->slot = 1 + a->ahead;
    }
}

static void run_part(struct walk *w, struct stmt *part, const struct pipeline *pipe, int ahead,
                     int64_t step, struct state *st) {
    struct where here = {pipe, ahead, step, w->here};
    w->here = &here;
    for (struct stmt *x = part->body; x; x = x->next) {
        sync_statement(w, x, st);
        if (x->commit_after) sync_commit(st);
    }
    w->here = here.outer;
}

// Adds to "need" what the "load" part must wait for.
static void ask_part(struct walk *w, const struct stmt *part, const struct pipeline *pipe,
                     int ahead, int64_t step, const struct state *st, struct need *need) {
    struct where here = {pipe, ahead, step, w->here};
    w->here = &here;
    sync_ask(w, st, part->body, need);
    w->here = here.outer;
}

// Ends the groups of a "load" part that has nothing left to load.
static void commit_nothing(const struct stmt *part, struct state *st) {
    for (const struct stmt *x = part->body; x; x = x->next) {
        if (x->commit_after || (x->kind == STMT_COPY && x->copy->facts.commit_after))
            sync_commit(st);
    }
}

// The pipeline has at least "steps" steps.  If these are fewer than loads are ahead, the remaining
// loads do nothing but end their groups.
static void run_prologue(struct walk *w, struct stmt *st, int64_t steps, struct state *state) {
    struct pipeline *pipe = st->pipe;
    struct need need = sync_need(w, &st->before);
    if (pipe->stages == 1) return;
    int ahead = (int)pipeline_ahead(pipe);
    for (int step = 0; step < ahead && step < steps; ++step) {
        for (struct stmt *part = st->body; part; part = part->next)
            if (part->load) ask_part(w, part, pipe, step, 0, state, &need);
    }
    sync_satisfy(w, state, &need, &st->before);
    sync_enter(w, NULL);
    for (int step = 0; step < ahead; ++step) {
        for (struct stmt *part = st->body; part; part = part->next) {
            if (part->load && step < steps) run_part(w, part, pipe, step, 0, state);
            if (part->load && step >= steps) commit_nothing(part, state);
        }
        sync_next(w, state);
    }
    sync_leave(w);
}

// Walks step "n"; -1: not known.  Unless "full", it is one of the last steps, which load nothing.
static void run_step(struct walk *w, struct stmt *st, struct state *state, int64_t n, bool full) {
    struct pipeline *pipe = st->pipe;
    for (struct stmt *part = (struct stmt *)stmt_first_part(st); part;
         part = (struct stmt *)stmt_part_after(part)) {
        int ahead = part->load ? (int)pipeline_ahead(pipe) : 0;
        if (part->load && !full) {
            struct need nothing = sync_need(w, &part->before);
            sync_satisfy(w, state, &nothing, &part->before);
            commit_nothing(part, state);
            continue;
        }
        if (part->load) {
            struct need need = sync_need(w, &part->before);
            ask_part(w, part, pipe, ahead, n, state, &need);
            sync_satisfy(w, state, &need, &part->before);
        }
        run_part(w, part, pipe, ahead, n, state);
    }
    struct need nothing = sync_need(w, &st->behind);
    sync_satisfy(w, state, &nothing, &st->behind);
    next_step(state, pipe);
    sync_next(w, state);
}

void sync_pipeline(struct walk *w, struct stmt *st, struct state *state) {
    if (pipeline_has_roles(st->pipe)) {
        sync_roles(w, st, state);
        return;
    }
    const struct ix *trips = ix_sub(w->s, st->end, st->begin);
    bool once = trips && trips->lo >= 1;
    int64_t count = -1;
    if (trips && !ix_static(trips, &count)) count = -1;
    if (count >= 0 && count <= SYNC_UNROLL) {
        run_prologue(w, st, count, state);
        sync_enter(w, NULL);
        for (int64_t n = 0; n < count; ++n)
            run_step(w, st, state, n, n + pipeline_ahead(st->pipe) < count);
        sync_leave(w);
        leave_steps(state, st->pipe, count);
        return;
    }
    struct state *enter = memory_zeroed(2, sizeof *enter), *leave = enter + 1;
    sync_copy(enter, state);
    run_prologue(w, st, INT64_MAX, enter);
    sync_enter(w, NULL);
    do {
        sync_copy(leave, enter);
        run_step(w, st, leave, -1, true);
    } while (sync_merge(enter, leave) && !sync_decided(w));
    // in the last steps, the loads ahead would be for steps that do not exist
    if (st->pipe->stages > 1) sync_copy(leave, enter);
    for (int64_t i = -pipeline_ahead(st->pipe); i < 0; ++i)
        run_step(w, st, leave, count < 0 ? -1 : count + i, false);
    sync_leave(w);
    leave_steps(leave, st->pipe, count);
    if (once) {
        sync_copy(state, leave);
    } else {
        run_prologue(w, st, 0, state);
        sync_merge(state, leave);
    }
    memory_free(enter);
}

// -- one barrier for both -------------------------------------------------------------------------

// The first place in "list" with both a wait and a barrier; NULL: none.
static struct sync_before *first_wait(struct stmt *list) {
    for (struct stmt *x = list; x; x = x->next) {
        if (stmt_orders(x) || x->kind == STMT_PIPELINE || x->kind == STMT_PART) return NULL;
        if (arrival_is(x->before.wait.copies) && arrival_is(x->before.wait.threads))
            return &x->before;
        struct sync_before *inner = x->kind == STMT_FOR ? first_wait(x->body) : NULL;
        if (inner) return inner;
    }
    return NULL;
}

static void hoist(struct walk *w, struct stmt *part) {
    struct sync_before *found = NULL, *own = &part->before;
    for (struct stmt *use = part->next; use && !use->load && !found; use = use->next)
        found = first_wait(use->body);
    if (!found) return;
    struct sync_before found_was = *found, own_was = *own;
    struct arrival *copies = &own->wait.copies;
    *copies = found->wait.copies;
    copies->count = 0;
    found->wait = (struct sync_wait){0};
    if (!sync_enough(w)) {
        *found = found_was;
        *own = own_was;
        return;
    }
    while (copies->count < arrival_row(*copies)->most) {
        ++copies->count;
        if (sync_enough(w)) continue;
        --copies->count;
        return;
    }
}

void sync_hoist(struct walk *w, struct stmt *list) {
    for (struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_PART && x->load && !x->up->pipe->late &&
            arrival_is(x->before.wait.threads))
            hoist(w, x);
}

// -- a barrier after the use ---------------------------------------------------------------------

// With one stage, moves the barrier between the uses of a step and the loads of the next one to the
// end of the step, if that is enough.  The computation on the values read last can then continue
// after the barrier, while other threads load.
static void turn(struct walk *w, struct stmt *st) {
    struct stmt *first = st->body;
    if (st->pipe->stages != 1 || !first || !first->load) return;
    struct arrival *before = &first->before.wait.threads, *behind = &st->behind.wait.threads;
    if (!arrival_is(*before)) return;
    *behind = *before;
    *before = arrival_none;
    if (sync_enough(w)) return;
    *before = *behind;
    *behind = arrival_none;
}

void sync_turn(struct walk *w, struct stmt *list) {
    for (struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_PIPELINE) turn(w, x);
}
