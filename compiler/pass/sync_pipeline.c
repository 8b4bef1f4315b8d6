// Pipelines in pass "sync": they are gone through in the order of their schedule (see
// kernel/lower_pipeline.c), the loads of the first steps, then the parts in order, where loads are
// stages - 1 steps ahead.
//
// Accesses to a slot are known by how many steps they are ahead of the step that is used: they are
// of the same slot when these differ by a multiple of the stages.  A "load" part has a wait and a
// barrier of its own before it, since its copies stand in the prologue too, where they may need
// none.
#include "base/session.h"
#include "pass/sync_private.h"

void sync_place(const struct walk *w, const struct view *v, struct access *a) {
    for (const struct where *here = w->here; here; here = here->outer) {
        const struct pipeline *p = here->pipe;
        if (p->stages == 1) continue;
        if (!ix_depends_on(v->offset, p->slot) && !ix_depends_on(v->offset, p->load_slot)) continue;
        a->pipe = p;
        a->ahead = here->ahead;
        return;
    }
}

bool sync_apart(struct access a, struct access b) {
    return a.pipe && a.pipe == b.pipe && (a.ahead - b.ahead) % a.pipe->stages != 0;
}

// The step after has begun, or with "all" the pipeline is left.
static void next_step(struct state *st, const struct pipeline *pipe, bool all) {
    for (int i = 0; i < st->n; ++i) {
        struct access *a = &st->at[i].a;
        if (a->pipe != pipe) continue;
        if (all) a->pipe = NULL;
        int back = a->ahead - 1;
        a->ahead = all ? 0 : back < 0 ? back + (int)pipe->stages : back;
    }
}

static void run_part(struct walk *w, struct stmt *part, const struct pipeline *pipe, int ahead,
                     struct state *st) {
    struct where here = {pipe, ahead, w->here};
    w->here = &here;
    for (struct stmt *x = part->body; x; x = x->next) {
        sync_statement(w, x, st);
        if (x->commit_after) sync_commit(st);
    }
    w->here = here.outer;
}

// What the "load" parts from "part" on (one of them, without "all") have to wait for.
static struct need needs(struct walk *w, const struct stmt *part, const struct pipeline *pipe,
                         int ahead, bool all, const struct state *st) {
    struct need need = {.wait = -1};
    struct where here = {pipe, ahead, w->here};
    w->here = &here;
    for (; part; part = all ? part->next : NULL)
        if (part->load) sync_ask(w, st, part->body, &need);
    w->here = here.outer;
    return need;
}

static void run_prologue(struct walk *w, struct stmt *st, struct state *state) {
    struct pipeline *pipe = st->pipe;
    for (int step = 0; step < pipe->stages - 1; ++step) {
        if (step == 0) {
            struct need need = needs(w, st->body, pipe, 0, true, state);
            sync_satisfy(w, state, &need, &pipe->wait_before, &pipe->barrier_before);
        }
        for (struct stmt *part = st->body; part; part = part->next)
            if (part->load) run_part(w, part, pipe, step, state);
    }
}

static void run_step(struct walk *w, struct stmt *st, struct state *state) {
    struct pipeline *pipe = st->pipe;
    for (struct stmt *part = st->body; part; part = part->next) {
        int ahead = part->load ? (int)pipe->stages - 1 : 0;
        if (part->load) {
            struct need need = needs(w, part, pipe, ahead, false, state);
            sync_satisfy(w, state, &need, &part->wait_before, &part->barrier_before);
        }
        run_part(w, part, pipe, ahead, state);
    }
    next_step(state, pipe, false);
}

void sync_pipeline(struct walk *w, struct stmt *st, struct state *state) {
    struct state *enter = ARENA_NEW(&w->s->arena, struct state);
    struct state *leave = ARENA_NEW(&w->s->arena, struct state);
    const struct ix *trips = ix_sub(w->s, st->end, st->begin);
    bool once = trips && trips->lo >= 1;
    *enter = *state;
    run_prologue(w, st, enter);
    if (!once) {
        next_step(enter, st->pipe, true);
        sync_merge(w->k, state, enter);
        *enter = *state;
        run_prologue(w, st, enter);
    }
    do {
        *leave = *enter;
        run_step(w, st, leave);
    } while (sync_merge(w->k, enter, leave));
    next_step(leave, st->pipe, true);
    if (once)
        *state = *leave;
    else
        sync_merge(w->k, state, leave);
}

// -- one barrier for both -------------------------------------------------------------------------

// The first thing in "list" that waits for other threads too.
static bool first_wait(struct stmt *list, int **wait, bool **barrier) {
    for (struct stmt *x = list; x; x = x->next) {
        *wait = &x->wait_before;
        *barrier = &x->barrier_before;
        if (x->kind == STMT_COPY) {
            *wait = &x->copy->facts.wait_before;
            *barrier = &x->copy->facts.barrier_before;
        } else if (x->kind == STMT_CALL) {
            *wait = &x->call->wait_before;
            *barrier = &x->call->barrier_before;
        } else if (x->kind != STMT_FOR) {
            return false;
        }
        if (**wait >= 0 && **barrier) return true;
        if (x->kind == STMT_FOR && first_wait(x->body, wait, barrier)) return true;
    }
    return false;
}

static void hoist(struct walk *w, struct stmt *part) {
    int *wait;
    bool *barrier, found = false;
    for (struct stmt *use = part->next; use && !use->load && !found; use = use->next)
        found = first_wait(use->body, &wait, &barrier);
    if (!found) return;
    int wait_was = *wait, own_was = part->wait_before;
    *wait = -1;
    *barrier = false;
    part->wait_before = 0;
    if (!sync_enough(w)) {
        *wait = wait_was;
        *barrier = true;
        part->wait_before = own_was;
        return;
    }
    while (part->wait_before < SYNC_WAIT) {
        ++part->wait_before;
        if (sync_enough(w)) continue;
        --part->wait_before;
        return;
    }
}

void sync_hoist(struct walk *w, struct stmt *list) {
    for (struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_PART && x->load && x->barrier_before) hoist(w, x);
        if (stmt_nests(x)) sync_hoist(w, x->body);
    }
}
