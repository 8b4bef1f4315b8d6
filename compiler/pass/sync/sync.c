// Pass "sync": barriers, groups of asynchronous copies and waits for them, as few and as loose as
// possible.
//
// Requires: facts of vectorize, places in shared memory; races has rejected what barriers cannot
// order.  Fills: facts.async, commit_after, group of copies; before, behind, commit_after of
// statements; kernel.commit_last, wait_last and sync, with the accesses that each wait and barrier
// is for.
// Leaves alone: everything else.
//
// First inserts everything where it is first needed.  A later one, around a loop, may make an
// earlier one needless, so each is then removed on trial.  accesses.c proposes what each access
// needs.  It may be wrong: the proof (schedule.c) judges each function as a whole, with no knowledge
// of the proposals, and what it misses is inserted.
#include <stdlib.h>

#include "base/session.h"
#include "pass/pass.h"
#include "pass/sync/private.h"

enum { MANY_VISITS = 4000 };  // visits of statements of a kernel, above which no trials are walked

// -- what is superfluous --------------------------------------------------------------------------

// Records what is needed where each wait and barrier is reached first.  That does not depend on
// what they do themselves.
static void note_first(struct walk *w) {
    if (w->noted || w->unnoted) return;
    for (struct stmt *x = w->k->body; x; x = stmt_next(w->k->body, x))
        x->before.first.seen = x->behind.first.seen = false;
    w->notes = true;
    w->noted = sync_enough(w);
    w->unnoted = !w->noted;
    w->notes = false;
}

// Whether "x", the only one that changed, lacks what was recorded for it.
static bool lacks_first(const struct walk *w, const struct sync_before *x) {
    if (!w->noted || !x->first.seen) return false;
    return !arrival_serves(x->wait.copies, x->first.wait.copies) ||
           !arrival_serves(x->wait.threads, x->first.wait.threads);
}

// Whether the waits and barriers are enough after "x" changed.  Without a schedule, as far as the
// walk can decide; with a schedule, proven.
static bool enough(struct walk *w, const struct sync_before *x) {
    struct schedule_fault unused = {.quiet = true, .soon = true};
    if (w->schedule) return schedule_in_order(w->schedule, &unused);
    if (lacks_first(w, x) || !sync_enough(w)) return false;
    w->noted = false;
    return true;
}

// Leaves out or loosens "a", which is one of "x".
static void loosen_one(struct walk *w, struct sync_before *x, struct arrival *a) {
    struct arrival was = *a;
    if (!arrival_is(was)) return;
    *a = arrival_none;
    if (enough(w, x)) return;
    *a = was;
    if (w->schedule && a->fence) {
        a->fence = false;
        a->fence = !enough(w, x);
    }
    if (a->written) {
        a->written = false;
        a->written = !enough(w, x);
    }
    for (; a->count < arrival_row(was)->most;) {
        ++a->count;
        if (enough(w, x)) continue;
        --a->count;
        return;
    }
}

// "roles": before a pipeline with roles, whose groups are not those of all threads.
static void loosen(struct walk *w, struct sync_before *x, bool roles) {
    if (!sync_waits(x->wait)) return;
    if (!w->schedule) note_first(w);
    loosen_one(w, x, &x->wait.threads);
    if (!roles) loosen_one(w, x, &x->wait.copies);
}

static void loosen_list(struct walk *w, struct stmt *list) {
    for (struct stmt *x = list; x; x = x->next) {
        if (stmt_orders(x)) continue;
        bool roles = x->kind == STMT_PIPELINE && pipeline_has_roles(x->pipe);
        loosen(w, &x->before, roles);
        if (stmt_nests(x)) loosen_list(w, x->body);
        if (x->kind == STMT_PIPELINE) loosen(w, &x->behind, false);
    }
}

// Puts a fence before each barrier in "list", if copies of the kernel may overtake accesses; those that
// nothing needs are then left out (loosen_one).
static void fence_all(const struct kernel *k, struct stmt *list) {
    if (!k->counted && !k->stored) return;
    for (struct stmt *x = list; x; x = stmt_next(list, x)) {
        struct sync_before *at[] = {&x->before, &x->behind};
        for (int i = 0; i < 2; ++i)
            if (arrival_is(at[i]->wait.threads)) at[i]->wait.threads.fence = true;
    }
}

// -- groups ---------------------------------------------------------------------------------------

static bool any_async(const struct stmt *list) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_COPY && x->copy->facts.async) return true;
    return false;
}

// Prepares commits.  In a "load" part, a statement of the part ends its group, so that there are as
// many groups when nothing is left to load.
static void prepare(struct walk *w, struct stmt *list, bool commits) {
    for (struct stmt *x = list; x; x = x->next) {
        if (stmt_orders(x)) continue;
        if (x->kind == STMT_COPY) {
            struct copy *c = x->copy;
            struct copy_facts *f = &c->facts;
            f->async = copy_atom(c)->row->completes == COMPLETES_BY_GROUP;
            f->commit_after = f->async && commits;
        } else if (x->kind == STMT_PART && pipeline_has_roles(x->up->pipe)) {
            prepare(w, x->body, commits && !x->load);
        } else if (x->kind == STMT_PART && x->load) {
            prepare(w, x->body, false);
            for (struct stmt *y = x->body; y; y = y->next) {
                if (y->kind == STMT_COPY) y->copy->facts.commit_after = y->copy->facts.async;
                if (y->kind == STMT_FOR) y->commit_after = any_async(y->body);
            }
        } else if (stmt_nests(x)) {
            prepare(w, x->body, commits);
        }
    }
}

// Numbers the groups in textual order.
static int number(struct stmt *list, int group) {
    for (struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY) {
            if (x->copy->facts.async) x->copy->facts.group = group;
            if (x->copy->facts.commit_after) ++group;
        } else if (stmt_commits(x)) {
            ++group;
        } else if (stmt_nests(x)) {
            group = number(x->body, group);
            if (x->commit_after) ++group;
        }
    }
    return group;
}

// -- functions ------------------------------------------------------------------------------------

// Checks that a device function contains no barriers.
static bool without_barriers(struct session *s, const struct kernel *k, const struct stmt *list) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) {
        if (!arrival_is(x->before.wait.threads) && !arrival_is(x->behind.wait.threads)) continue;
        diag_error(s, x->at,
                   "a barrier is needed before this %s, but a device function contains none; end "
                   "'%s' before it, and let its caller synchronise",
                   x->kind == STMT_COPY                    ? "copy"
                   : x->kind == STMT_CALL && x->call->fill ? "fill"
                   : x->kind == STMT_CALL                  ? "call"
                   : x->kind == STMT_FOR                   ? "loop"
                   : x->kind == STMT_PART                  ? "part of a pipeline"
                                                           : "pipeline",
                   k->name);
        diag_page(s, "barrier");
        return false;
    }
    return true;
}

static struct stmt *first_waiting(struct stmt *list) {
    for (struct stmt *x = list; x; x = stmt_next(list, x))
        if (arrival_is(x->before.wait.copies)) return x;
    return NULL;
}

static bool any_pipeline(const struct stmt *list) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_PIPELINE) return true;
    return false;
}

// Checks that an async device function leaves one group with all its asynchronous copies.
static bool leaves_one_group(struct session *s, const struct kernel *k) {
    if (!any_async(k->body)) {
        diag_error(s, k->at,
                   "'%s' has no asynchronous copy, so it leaves no group in flight; leave out "
                   "'async', or copy with cp_async",
                   k->name);
        return false;
    }
    if (k->stored) {
        diag_error(
            s, k->at,
            "not yet supported: '%s' in an async device function; leave out 'async', so that "
            "'%s' waits for it",
            k->stored->name, k->name);
        return false;
    }
    if (any_pipeline(k->body)) {
        diag_error(s, k->at,
                   "an async device function like '%s' leaves one group in flight, but a pipeline "
                   "makes many",
                   k->name);
        return false;
    }
    const struct stmt *x = first_waiting(k->body);
    if (!x) return true;
    diag_error(s, x->at,
               "an async device function leaves its copies in flight, but this would have to wait "
               "for them; end '%s' before it",
               k->name);
    diag_page(s, "barrier");
    return false;
}

// Makes all waits in "list" wait for all groups, which is easier to prove.  Returns whether any
// changed.
static bool tighten(struct stmt *list) {
    bool any = false;
    for (struct stmt *x = list; x; x = stmt_next(list, x)) {
        struct arrival *a = &x->before.wait.copies;
        if (a->count == 0) continue;
        a->count = 0;
        any = true;
    }
    return any;
}

// Inserts what the prover misses before the later access.  If parts are no layouts of coordinates,
// the walk may know that threads access only their own elements where the prover does not.
static bool mend(struct walk *w, const struct schedule_fault *f) {
    struct schedule *x = w->schedule;
    if (f->answer != PROVE_NO || f->b < 0) return false;
    for (int i = 0; i < x->program.nsyncs; ++i) {
        struct schedule_sync *at = &x->sync[i];
        if (at->stmt != x->access[f->b].stmt) continue;
        bool late = !at->threads && x->program.access[f->a].late;
        if ((f->why.missing == PROVE_WAIT) != !at->threads ||
            (arrival_strictest(*at->at) && !(late && !at->at->written)))
            continue;
        late |= at->at->written;
        *at->at = at->threads ? arrival_block : arrival_groups(0);
        at->at->written = late;
        at->at->fence = at->threads && (w->k->counted || w->k->stored);
        return true;
    }
    return false;
}

static bool mended_in_order(struct walk *w, struct schedule_fault *f) {
    while (!schedule_in_order(w->schedule, f)) {
        if (!mend(w, f)) return false;
    }
    return true;
}

// Whether the present waits and barriers are proven to be enough.  If that takes too many steps,
// tries again with waits for all groups, and keeps these.
static bool prove_all(struct walk *w, bool *loose, struct schedule_fault *f) {
    *loose = true;
    if (mended_in_order(w, f)) return true;
    if (f->answer != PROVE_UNKNOWN || f->a < 0 || !tighten(w->k->body)) return false;
    *loose = false;
    return mended_in_order(w, f);
}

// Frees the schedule, and all memory since "mark": only flags of statements are kept.
static void end_schedule(struct walk *w, struct session_mark mark) {
    if (w->schedule->order) w->k->asked = prove_order_asked(w->schedule->order);
    schedule_free(w->schedule);
    w->schedule = NULL;
    session_rewind(w->s, mark);
}

// A device function returns only after its accesses are complete, and no block ends while it counts
// in shared memory what comes, or while that is read.
static bool waits_last(const struct kernel *k) {
    if (k->device) return !k->async && any_async(k->body);
    return stmt_counts(k->body, false) || k->stored;
}

// Leaves out the wait at the end of a kernel if all its copies have been waited for before.
static void loosen_last(struct walk *w) {
    struct schedule_fault unused = {.quiet = true, .soon = true};
    struct schedule *x = w->schedule;
    const struct arrival all = x->all;
    if (w->k->device || !w->k->wait_last) return;
    x->all = arrival_none;
    w->k->wait_last = !schedule_in_order(x, &unused);
    if (w->k->wait_last) x->all = all;
}

// Inserts waits and barriers where they are first needed, then removes needless ones.
static bool place(struct walk *w) {
    struct kernel *k = w->k;
    struct schedule_fault f = {0};
    sync_rings(w->s, k);
    w->mark = true;
    sync_enough(w);
    w->mark = false;
    w->large = w->visits > MANY_VISITS;
    if (k->async && !leaves_one_group(w->s, k)) return false;
    k->commit_last = k->async;
    k->wait_last = waits_last(k);
    if (!w->large) {
        sync_hoist(w, k->body);
        loosen_list(w, k->body);
        sync_turn(w, k->body);
    }
    fence_all(k, k->body);
    struct session_mark mark = session_mark(w->s);
    w->schedule = ARENA_ROOM(&w->s->arena, struct schedule, 1);
    schedule_make(w->s, w->plan, k, w->prover, w->schedule);
    bool loose, ok = prove_all(w, &loose, &f);
    if (ok) loosen_last(w);
    if (ok && loose) {
        loosen_list(w, k->body);
        ok = !w->schedule->order || !prove_order_spent(w->schedule->order);
        f.a = 0;
    }
    if (!ok) sync_report(w->schedule, &f);
    ok = ok && sync_fragments_stay(w->s, k) && sync_consumers_apart(w->schedule);
    end_schedule(w, mark);
    if (!ok || !sync_number_rings(w->s, k)) return false;
    sync_keep_phases(w->s, k);
    if (!sync_phases_kept(w->s, k)) BUG("threads of '%s' that parities do not keep apart", k->name);
    sync_points(w);
    return !k->device || without_barriers(w->s, k, k->body);
}

// What "x" reads of a tensor that bulk copies of "k" store to; NULL: nothing.
static const struct view *stored_view(const struct kernel *k, const struct stmt *x) {
    if (x->kind == STMT_COPY && kernel_stores_late(k, x->copy->src.base)) return &x->copy->src;
    for (int i = 0; x->kind == STMT_CALL && !x->call->fill && i < x->call->fn->nformals; ++i)
        if (x->call->fn->formal[i].dir != ARG_OUT && kernel_stores_late(k, x->call->view[i].base))
            return &x->call->view[i];
    return NULL;
}

// Finds whether "k" reads what it stores by bulk copies.  These do not write to the L1 cache, so it is read
// past that: only by copies of its own that are no cp.async.  Reports others.
static bool find_reads_stored(struct session *s, struct kernel *k) {
    bool ok = true;
    for (const struct stmt *x = k->stored ? k->body : NULL; x; x = stmt_next(k->body, x)) {
        const struct view *v = stored_view(k, x);
        k->reads_stored |= v != NULL;
        if (!v || (x->kind == STMT_COPY && !x->copy->facts.async)) continue;
        diag_error(
            s, v->at,
            "not yet supported: '%s' is read by %s and stored to by '%s' in the same kernel: "
            "the L1 cache keeps what that has overwritten; copy it by 'universal', which "
            "reads past it",
            v->base->name, x->kind == STMT_COPY ? copy_atom(x->copy)->row->family : "a function",
            k->stored->name);
        diag_page(s, k->stored->page);
        ok = false;
    }
    return ok;
}

static bool check_manual(struct walk *w) {
    struct schedule_fault f = {0};
    bool written = w->k->reads_stored || (w->k->device && w->k->stored);
    for (struct stmt *x = w->k->body; x && written; x = stmt_next(w->k->body, x))
        if (x->kind == STMT_WAIT && arrival_row(x->arrival)->completes) x->arrival.written = true;
    sync_points(w);
    if (!w->k->device) w->k->commit_last = w->k->wait_last = waits_last(w->k);
    struct session_mark mark = session_mark(w->s);
    w->schedule = ARENA_ROOM(&w->s->arena, struct schedule, 1);
    schedule_make(w->s, w->plan, w->k, w->prover, w->schedule);
    bool ok = schedule_in_order(w->schedule, &f);
    if (!ok)
        sync_report(w->schedule, &f);
    else if ((ok = sync_side_by_side(w->schedule))) {
        loosen_last(w);
        w->k->commit_last &= w->k->wait_last;
        sync_warn_needless(w->schedule);
    }
    end_schedule(w, mark);
    return ok;
}

bool pass_sync(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct walk w = {.s = s, .plan = p, .k = k, .prover = instances_prover(s, p, k)};
        prepare(&w, k->body, !k->manual && !k->async);
        sync_find_late(k);
        if (!find_reads_stored(s, k) || !(k->manual ? check_manual(&w) : place(&w))) ok = false;
        prover_free(w.prover);
        meet_free(&w.maps);
        number(k->body, 1);
    }
    return ok;
}
