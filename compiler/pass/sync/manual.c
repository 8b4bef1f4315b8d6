// Messages about order: errors in manual functions, and their needless waits and barriers.
#include "base/session.h"
#include "base/warnings.h"
#include "pass/sync/private.h"

enum { MAX_LOOSER = 8 };

static bool waits_for_copies(const struct stmt *st) {
    return st->kind == STMT_WAIT && arrival_row(st->arrival)->completes;
}

// -- what is not in order -------------------------------------------------------------------------

static const char *iterations(const struct schedule *x, const struct schedule_access *a,
                              const int64_t *var) {
    struct session *s = x->s;
    const char *text = "";
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (!stmt_loops(st)) continue;
        text = arena_printf(&s->arena, "%s%s%s = %lld", text, *text ? ", " : "with ", st->var->name,
                            (long long)var[st->var->id]);
    }
    return text;
}

static const char *who(const struct schedule *x, const struct schedule_fault *f, int which) {
    const struct schedule_access *a = &x->access[which ? f->b : f->a];
    const int64_t *var = f->why.at.var[which];
    if (!a->copy) return a->stmt->call->fill ? "a fill" : "the function that is called";
    if (!f->why.threads) return "a thread";
    return arena_printf(&x->s->arena, "thread %lld", (long long)var[x->k->tid->id]);
}

static const char *verb(const struct prove_access *a) {
    return a->write ? "writes" : "reads";
}

static const char *wait_text(const struct schedule *x, const struct schedule_fault *f) {
    if (f->why.younger < 0) return "a 'commit;' and then a 'wait 0;' are";
    return arena_printf(&x->s->arena, "a 'wait %d;' is", f->why.younger);
}

// What the kernel's asynchronous copies are called.
static const char *family(const struct schedule *x) {
    const struct kernel *k = x->k;
    if (k->groups && k->counted) return "asynchronous copy";
    return (k->groups ? k->groups : k->counted)->family;
}

// Such as "a cp.async of thread 3".
static const char *who_copies(const struct schedule *x, const struct schedule_fault *f) {
    const struct copy *c = x->access[f->a].copy;
    const char *what = c ? copy_atom(c)->row->family : family(x);
    if (!f->why.threads) return arena_printf(&x->s->arena, "a %s", what);
    return arena_printf(&x->s->arena, "a %s of %s", what, who(x, f, 0));
}

static void note_where(const struct schedule *x, const struct schedule_fault *f) {
    struct session *s = x->s;
    const struct prove_witness *w = &f->why.at;
    int64_t at[3] = {0};
    for (int i = 0; i < 3; ++i)
        if (x->k->block[i]) at[i] = w->var[0][x->k->block[i]->id];
    const struct schedule_access *a = &x->access[f->a];
    const char *steps = iterations(x, a, w->var[0]);
    diag_note(s, a->view->at, "%s%s %s element %s of '%s' here, in block (%lld,%lld,%lld)%s%s",
              instances_params(s, x->plan, x->k, w), who(x, f, 0), verb(&x->program.access[f->a]),
              instances_element(s, w), a->view->base->name, (long long)at[0], (long long)at[1],
              (long long)at[2], *steps ? " " : "", steps);
}

// The loop in a "load" part that contains "a".  Its copies are one group, so nothing in it can wait
// for them.
static const struct stmt *loop_of_group(const struct schedule_access *a) {
    const struct stmt *load = NULL;
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (load && st->kind == STMT_FOR) return st;
        load = st->kind == STMT_PART && st->load ? st : load;
    }
    return NULL;
}

static bool in_one_group(const struct schedule *x, const struct schedule_fault *f) {
    const struct stmt *loop = f->b < 0 ? NULL : loop_of_group(&x->access[f->b]);
    return loop && loop == loop_of_group(&x->access[f->a]) && f->why.missing == PROVE_WAIT;
}

// The first cp.async of "list", unless a commit comes before it.
static const struct stmt *first_async(const struct stmt *list) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (stmt_commits(st)) return NULL;
        if (st->kind == STMT_COPY && copy_atom(st->copy)->row->completes == COMPLETES_BY_GROUP)
            return st;
    }
    return NULL;
}

// The cp.async of a loop behind "a" that is in its group, since no commit is between them.
static const struct stmt *joined(const struct schedule_access *a) {
    for (const struct stmt *st = a->stmt->next; st && !stmt_commits(st); st = st->next)
        if (stmt_loops(st)) return first_async(st->body);
    return NULL;
}

// A barrier before the wait for what "b" reads, between which and "b" is no other.
struct early {
    const struct stmt *sync, *wait;
};

static struct early early_barrier(const struct schedule *x, const struct stmt *b) {
    struct early e = {NULL, NULL};
    for (const struct stmt *st = b->up ? b->up->body : x->k->body; st != b; st = st->next) {
        if (st->kind != STMT_WAIT) continue;
        if (arrival_row(st->arrival)->joins) e = (struct early){st, NULL};
        if (arrival_row(st->arrival)->completes) e.wait = st;
    }
    return e;
}

// The only wait in the statements in which "b" is, if it leaves more than the groups in flight that are younger
// there than the one "b" needs: "*younger" is their number at "b", and gets that at the wait.
static const struct stmt *weak_wait(const struct schedule *x, const struct stmt *b, int *younger) {
    const struct stmt *found = NULL;
    int commits = 0;
    bool before = true;
    for (const struct stmt *st = b->up ? b->up->body : x->k->body; st; st = st->next) {
        before &= st != b;
        commits += found && before && stmt_commits(st);
        if (!waits_for_copies(st)) continue;
        if (found) return NULL;
        found = st;
    }
    if (!found || found->arrival.count <= *younger - commits) return NULL;
    *younger -= commits;
    return *younger >= 0 ? found : NULL;
}

// Says where a cp.async is waited for before its group ends.
static void note_commit(const struct schedule *x) {
    for (int i = 0; i < x->program.naccesses; ++i) {
        if (!x->program.access[i].async) continue;
        for (const struct stmt *st = x->access[i].stmt->next; st && !stmt_nests(st);
             st = st->next) {
            if (stmt_commits(st)) break;
            if (!waits_for_copies(st)) continue;
            diag_note(x->s, x->access[i].stmt->at,
                      "no 'commit;' is between this %s and the wait after it", family(x));
            return;
        }
    }
}

// Whether "a" and "b" are to the same slot in the same step, so that the wait between them, which
// leaves younger groups in flight, was written for another slot.
static bool own_slot(const struct schedule *x, const struct schedule_fault *f) {
    const struct schedule_access *a = &x->access[f->a], *b = &x->access[f->b];
    int mode = lay_tuple_leaves(a->view->base->layout.shape) - 1;
    if (a->view->base->stages < 2 || !space_is_shared(a->view->base->space) || !a->around.n ||
        a->stmt->up != b->stmt->up || !lay_valid(a->view->coord) || !lay_valid(b->view->coord))
        return false;
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (stmt_loops(st) && f->why.at.var[0][st->var->id] != f->why.at.var[1][st->var->id])
            return false;
    }
    return ix_equal(a->view->coord_off[mode], b->view->coord_off[mode]);
}

void sync_report(struct schedule *x, const struct schedule_fault *f) {
    struct session *s = x->s;
    const struct kernel *k = x->k;
    if (f->a < 0) {
        diag_error(s, k->at,
                   "'%s' is too large for the order of its accesses to be checked; split it",
                   k->name);
        return;
    }
    if (prove_order_spent(x->order)) {
        diag_error(
            s, k->at,
            "kernel '%s' has too many accesses that may touch the same elements: to order them "
            "takes more than %d questions, of which loops within loops make more; split it, nest "
            "fewer loops, or let fewer copies use the same buffer",
            k->name, PROVE_MOST_ASKED);
        diag_page(s, "barrier");
        return;
    }
    const struct schedule_access *a = &x->access[f->a], *b = f->b < 0 ? NULL : &x->access[f->b];
    const struct prove_access *pa = &x->program.access[f->a];
    const char *name = a->view->base->name;
    if (f->answer == PROVE_UNKNOWN) {
        diag_error(s, b ? b->view->at : k->at,
                   "accesses to '%s' are not known to be in order in '%s': %s", name, k->name,
                   prover_why(x->prover));
        diag_page(s, "barrier");
        diag_note(s, a->view->at, "the earlier one is here");
        instances_advice(s, x->prover, false, b ? b->view->at : k->at);
        return;
    }
    if (!k->manual && in_one_group(x, f)) {
        diag_error(s, b->stmt->at,
                   "a %s of this loop may still write elements of '%s' that this one %s: the "
                   "copies of a loop in 'load' are one group, and no wait is for a part of a "
                   "group; write each element once, or leave out the loop",
                   family(x), name, x->program.access[f->b].write ? "writes, too" : "reads");
        diag_page(s, "pipeline");
        note_where(x, f);
        return;
    }
    if (!k->manual)
        BUG("the code for '%s' lacks a %s for '%s'", k->name,
            f->why.missing == PROVE_WAIT ? "wait" : "barrier", name);
    if (!b) {
        diag_error(s, k->at,
                   "'%s' ends while a %s may still fill '%s'; a device function must return "
                   "with its accesses done: add 'wait 0;' after the copy's 'commit;'",
                   k->name, family(x), name);
        diag_page(s, "barrier");
        const char *steps = iterations(x, a, f->why.at.var[0]);
        diag_note(s, a->view->at, "%sthe %s is here%s%s",
                  instances_params(s, x->plan, k, &f->why.at), family(x), *steps ? ", " : "",
                  steps);
        return;
    }
    const struct prove_access *pb = &x->program.access[f->b];
    const char *steps = iterations(x, b, f->why.at.var[1]), *then = *steps ? ", " : "";
    const struct stmt *role = b->stmt->up;
    while (role && !role->role) role = role->up;
    if (b->pipe != a->pipe) role = NULL;
    const struct stmt *other = pa->async && f->why.younger >= 0 ? joined(a) : NULL;
    struct early e = {NULL, NULL};
    if (pa->async && pa->write && f->why.missing == PROVE_BARRIER && !role)
        e = early_barrier(x, b->stmt);
    bool same = other && other->copy->dst.base == a->view->base;
    const struct stmt *weak = NULL;
    int younger = f->why.younger;
    if (f->why.missing == PROVE_WAIT && younger >= 0 && !same)
        weak = weak_wait(x, b->stmt, &younger);
    bool lacks = f->why.missing == PROVE_BARRIER && schedule_lacks_fence(x, f);
    bool own =
        weak && pa->write && !pb->write && weak->at.begin > a->stmt->at.begin && own_slot(x, f);
    if (f->why.missing == PROVE_WAIT && same)
        diag_error(s, b->stmt->at,
                   "%s%s%s %s elements of '%s', which %s may still %s: a 'commit;' is missing "
                   "after that %s",
                   steps, then, who(x, f, 1), verb(pb), name, who_copies(x, f),
                   pa->write ? "fill" : "read", family(x));
    else if (weak && younger < f->why.younger)
        diag_error(s, b->stmt->at,
                   "%s%s%s %s elements of '%s', which %s may still %s: the wait before it must be "
                   "'wait %d;'",
                   steps, then, who(x, f, 1), verb(pb), name, who_copies(x, f),
                   pa->write ? "fill" : "read", younger);
    else if (f->why.missing == PROVE_WAIT)
        diag_error(
            s, b->stmt->at,
            "%s%s%s %s elements of '%s', which %s may still %s: %s%s missing between the two",
            steps, then, who(x, f, 1), verb(pb), name, who_copies(x, f),
            pa->write ? "fill" : "read", own ? "another slot is meant, or " : "", wait_text(x, f));
    else if (e.sync && e.wait)
        diag_error(s, b->stmt->at,
                   "%s%s%s %s elements of '%s', which %s writes by %s: the 'sync;' must "
                   "come after the 'wait %d;'",
                   steps, then, who(x, f, 1), verb(pb), name, who(x, f, 0), family(x),
                   e.wait->arrival.count);
    else if (lacks)
        diag_error(s, b->stmt->at,
                   "%s%s%s %s elements of '%s', which %s %s without a fence behind it, so that the "
                   "copy may overtake it: a 'fence;' is missing before %s between the two",
                   steps, then, who(x, f, 1), verb(pb), name, who(x, f, 0), verb(pa),
                   role ? "the 'sync' of the role's barrier" : "the 'sync;'");
    else if (role)
        diag_error(s, b->stmt->at,
                   "%s%s%s %s elements of '%s', which %s %s: a 'sync' of a barrier at which all of "
                   "'%s' wait is missing between the two",
                   steps, then, who(x, f, 1), verb(pb), name, who(x, f, 0), verb(pa),
                   role->role->name);
    else
        diag_error(
            s, b->stmt->at,
            "%s%s%s %s elements of '%s', which %s %s%s%s: a 'sync;' is missing between the two",
            steps, then, who(x, f, 1), verb(pb), name, who(x, f, 0), verb(pa),
            pa->async && pa->write ? " by " : "", pa->async && pa->write ? family(x) : "");
    diag_page(s, "barrier");
    if (own)
        diag_note(s, b->view->at,
                  "this is the slot of '%s' that the same step fills, and the 'wait %d;' between "
                  "the two leaves it in flight: is the slot meant that an earlier step has filled?",
                  name, weak->arrival.count);
    note_where(x, f);
    if (e.sync && e.wait)
        diag_note(s, e.sync->at,
                  "this 'sync;' comes before the wait, by which a thread waits for what it has "
                  "loaded itself; what others have loaded it sees after a barrier that follows");
    if (f->why.missing == PROVE_WAIT && other)
        diag_note(s, other->at,
                  "no 'commit;' is between the two %s, so both are one group, which is "
                  "committed and waited for as a whole",
                  family(x));
    else if (f->why.missing == PROVE_WAIT)
        note_commit(x);
    if (weak)
        diag_note(s, weak->at, "this 'wait %d;' leaves up to %d group%s in flight",
                  weak->arrival.count, weak->arrival.count, weak->arrival.count == 1 ? "" : "s");
    if (weak && !own && b->view->base->stages)
        diag_note(
            s, b->view->at,
            "or another slot of '%s' is meant here: it has %d, and that wait leaves this one in "
            "flight",
            name, b->view->base->stages);
}

// -- what is needless -----------------------------------------------------------------------------

// Whether "list" has accesses before statement "sync", or with "after" after it.
static bool accesses(const struct stmt *list, const struct stmt *sync, bool after, bool *passed) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) {
        if (x == sync) *passed = true;
        if ((x->kind == STMT_COPY || x->kind == STMT_CALL) && *passed == after) return true;
    }
    return false;
}

// Whether "sync" is at the beginning or end of a device function, where it may serve the caller.
static bool for_the_caller(const struct kernel *k, const struct stmt *sync) {
    bool passed = false, again = false;
    if (!k->device || waits_for_copies(sync)) return false;
    return !accesses(k->body, sync, false, &passed) || !accesses(k->body, sync, true, &again);
}

static bool in_order(struct schedule *x) {
    struct schedule_fault unused = {.quiet = true};
    return schedule_in_order(x, &unused);
}

// A cp.async that nothing waits for, now that the last question was asked.
static const struct stmt *never_waited(struct schedule *x) {
    struct prove_fault why;
    for (int i = 0; i < x->program.naccesses; ++i) {
        if (!x->program.access[i].async || !x->program.access[i].write) continue;
        if (prove_order_ends(x->order, i, &why) != PROVE_YES) return x->access[i].stmt;
    }
    return NULL;
}

// How many groups more a wait could leave in flight; it leaves so many then.
static int looser(struct schedule *x, struct arrival *wait) {
    int by = 0;
    for (; by < MAX_LOOSER; ++by) {
        ++wait->count;
        if (in_order(x)) continue;
        --wait->count;
        break;
    }
    return by;
}

// What the statement after the barrier "st" reads, if that is another slot than the statement before it has
// written: then the barrier orders nothing, but is hardly what is wrong.  NULL: it is not so.
static const struct view *other_slot(const struct schedule *x, const struct stmt *st) {
    for (int i = 0; i < x->program.naccesses; ++i) {
        const struct view *v = x->access[i].view;
        if (x->access[i].stmt->next != st || !x->program.access[i].write || !v->base->stages)
            continue;
        for (int j = 0; j < x->program.naccesses; ++j)
            if (x->access[j].stmt == st->next && !x->program.access[j].write &&
                x->access[j].view->base == v->base)
                return x->access[j].view;
    }
    return NULL;
}

// Whether "sync" may be the one at which all threads meet between two rounds of roles in a loop.
static bool between_rounds(const struct stmt *sync) {
    if (!sync->up || sync->arrival.kind != ARRIVAL_BLOCK) return false;
    for (const struct stmt *x = sync->up->body; x; x = x->next)
        if (x->kind == STMT_PIPELINE) return true;
    return false;
}

// Checks each one as if those before it were already fixed.
void sync_warn_needless(struct schedule *x) {
    struct session *s = x->s;
    struct arrival *was = ARENA_ARRAY(&s->arena, struct arrival, x->program.nsyncs + 1);
    const struct stmt *last = NULL;  // a wait for what nothing reads
    for (int i = 0; i < x->program.nsyncs; ++i) {
        const struct stmt *st = x->sync[i].stmt;
        was[i] = *x->sync[i].at;
        if (!st || st->kind != STMT_WAIT || st->barrier || between_rounds(st) ||
            for_the_caller(x->k, st))
            continue;
        bool wait = waits_for_copies(st);
        if (wait && stmt_in_role(st)) continue;           // other roles rest on it
        if (last && st == last->next && !wait) continue;  // its barrier
        x->without[i] = true;
        if (in_order(x)) {
            const struct stmt *unread = wait ? never_waited(x) : NULL;
            diag_warn(s, W_NEEDLESS_SYNC, st->at,
                      "this %s is not needed: all accesses are in order without it",
                      wait ? "wait" : "barrier");
            if (unread) {
                diag_note(s, unread->at,
                          "nothing else waits for all that this %s writes, so something of "
                          "it is not read; is the slot of the last read right?",
                          family(x));
                last = st;
                continue;
            }
            const struct view *other = wait ? NULL : other_slot(x, st);
            if (other) {
                diag_note(s, other->at,
                          "before it other slots of '%s' are written than are read here, after it; "
                          "is the "
                          "slot right?",
                          other->base->name);
                continue;
            }
            diag_note(s, st->at, "leave it out");
            diag_fixit(s, st->at, "");
            continue;
        }
        x->without[i] = false;
        int by = wait ? looser(x, x->sync[i].at) : 0;
        if (by == 0) continue;
        diag_warn(s, W_NEEDLESS_SYNC, st->at,
                  "this wait leaves %d group%s in flight, and %d could be", was[i].count,
                  was[i].count == 1 ? "" : "s", was[i].count + by);
        diag_note(s, st->at, "leave more of them in flight");
        diag_fixit(s, st->at, arena_printf(&s->arena, "wait %d;", was[i].count + by));
    }
    // the plan's own waits and barriers are emitted
    for (int i = 0; i < x->program.nsyncs; ++i) {
        const struct stmt *st = x->sync[i].stmt;
        if (st && st->kind == STMT_WAIT) *x->sync[i].at = was[i];
    }
}
