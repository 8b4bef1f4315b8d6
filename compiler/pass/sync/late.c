// Pipelines that refill a slot right after its use.
//
// Usually the loads of a step come before its uses, stages - 1 steps ahead, so that one barrier serves both.
// Where all that is loaded is counted by barriers in memory, each thread can wait there for itself.  No
// barrier is needed before the uses then.  The one before the loads comes after them, and the loads go to
// the slot that was just used: "stages" steps are in flight, and the barriers are no more than before.
//
// A wait names a phase by its parity.  So no thread may be eight groups behind the one that issues the
// copies: eight later groups use the same barrier.  In a step each thread waits for its groups, and meets the
// others before the next ones are issued (sync_keep_phases).  So the thread that issues is ahead by the
// groups of all stages, at most eight.  Before a pipeline begins again, all groups are waited for, if the empty groups at
// the end of the last one could be too many.
#include "base/session.h"
#include "pass/sync/private.h"

// Whether "list" has nothing but copies that barriers in memory count, and loops of them.
static bool only_counted(const struct stmt *list) {
    bool only = true;
    for (const struct stmt *x = list; x; x = stmt_next(list, x))
        only &= x->kind == STMT_FOR ||
                (x->kind == STMT_COPY && copy_atom(x->copy)->row->counter != NULL);
    return only;
}

// The groups of a step of pipeline "st".
static int groups_of(const struct stmt *st) {
    int n = 0;
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; part->load && x; x = x->next)
            n += x->commit_after || (x->kind == STMT_COPY && x->copy->facts.commit_after);
    return n;
}

// Whether pipeline "st" loads what barriers in memory count and nothing else, first in each step.
static bool fits(const struct stmt *st) {
    bool uses = false;
    if (pipeline_has_roles(st->pipe) || st->pipe->nroles) return false;
    for (const struct stmt *part = st->body; part; part = part->next) {
        if (part->load && (uses || !only_counted(part->body))) return false;
        uses |= !part->load;
    }
    int groups = groups_of(st);
    return uses && groups > 0 && groups * st->pipe->stages <= ARRIVAL_BARRIERS;
}

// Whether asynchronous copy "x" is loaded by a pipeline that fits.
static bool in_fitting(const struct stmt *x) {
    const struct stmt *up = x->up;
    while (up && up->kind != STMT_PART) up = up->up;
    return up && up->load && fits(up->up);
}

void sync_find_late(struct kernel *k) {
    bool any = false, all = !k->device && !k->manual;
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x)) {
        if (x->kind == STMT_PIPELINE) all &= !pipeline_has_roles(x->pipe) && !x->pipe->nroles;
        if (x->kind != STMT_COPY || !x->copy->facts.async) continue;
        all &= in_fitting(x);
        any = true;
    }
    k->all_wait = any && all;
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (x->kind == STMT_PIPELINE) x->pipe->late = k->all_wait && x->pipe->stages > 1 && fits(x);
}

// -- what parities need ---------------------------------------------------------------------------

// The first "use" part, and the first "load" part.
static struct stmt *first_part(struct stmt *st, bool load) {
    struct stmt *part = st->body;
    while (part && part->load != load) part = part->next;
    return part;
}

static bool waits_for(const struct sync_before *x, int pending) {
    return x->wait.copies.kind == ARRIVAL_GROUP && x->wait.copies.count <= pending;
}

// What each step of "st" has for the parities of its groups: a wait for all but the "pending" newest ones, and
// behind it a barrier, before the loads of later steps.
struct kept {
    bool waits, meets;
};

static void look(struct kept *kept, const struct sync_before *x, int pending) {
    kept->waits |= waits_for(x, pending);
    kept->meets |= kept->waits && arrival_is(x->wait.threads);
}

// The groups that may be in flight when a step of "st" ends.
static int pending_of(const struct stmt *st) {
    return groups_of(st) * (int)(st->pipe->stages - 1);
}

static struct kept step_keeps(const struct stmt *st) {
    struct kept kept = {false, false};
    int pending = pending_of(st);
    for (const struct stmt *part = stmt_first_part(st); part; part = stmt_part_after(part)) {
        look(&kept, &part->before, pending);
        for (const struct stmt *x = part->body; !part->load && x; x = x->next)
            look(&kept, &x->before, pending);
    }
    look(&kept, &st->behind, pending);
    // with one stage the loads of the next step come first in it
    kept.meets |= !st->pipe->late && arrival_is(stmt_first_part(st)->before.wait.threads);
    return kept;
}

// Whether all threads wait for all groups and meet before "st".
static bool begins_anew(const struct stmt *st) {
    return waits_for(&st->before, 0) && arrival_is(st->before.wait.threads);
}

static bool keeps(const struct stmt *st, bool again) {
    struct kept kept = step_keeps(st);
    return kept.waits && kept.meets && (!st->pipe->late || !again || begins_anew(st));
}

static void keep(struct stmt *st, bool again) {
    struct stmt *load = first_part(st, true), *use = first_part(st, false);
    bool late = st->pipe->late;
    if (!step_keeps(st).waits)
        (late ? load : use)->before.wait.copies = arrival_groups(pending_of(st));
    if (!step_keeps(st).meets)
        *(late ? &load->before.wait.threads : &st->behind.wait.threads) = arrival_block;
    if (!late || !again) return;
    bool fence = st->before.wait.threads.fence;  // the proof asked for it
    st->before.wait = (struct sync_wait){arrival_groups(0), arrival_block};
    st->before.wait.threads.fence = fence;
}

// Whether "st" may have no step, which has empty groups and no barrier.
static bool may_be_empty(struct session *s, const struct stmt *st) {
    const struct ix *trips = ix_sub(s, st->end, st->begin);
    return !trips || trips->lo < 1;
}

// Whether "st", which is executed once, has at most as many groups in all as there are barriers in memory.
static bool has_few(struct session *s, const struct stmt *st) {
    const struct ix *trips = ix_sub(s, st->end, st->begin);
    int64_t ahead = st->pipe->late ? st->pipe->stages : 0, n;
    return trips && ix_static(trips, &n) && n <= ARRIVAL_BARRIERS &&
           groups_of(st) * (n + ahead) <= ARRIVAL_BARRIERS;
}

// Whether parities need anything of "st"; "again": it begins with groups of earlier ones.
static bool needs(struct session *s, const struct kernel *k, const struct stmt *st, bool *again) {
    int pipelines = 0, most = 0;
    bool more = false;
    if (!k->all_wait || st->kind != STMT_PIPELINE || !fits(st)) return false;
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x)) {
        if (x->kind != STMT_PIPELINE || !fits(x)) continue;
        int ahead = groups_of(x) * (int)x->pipe->stages;
        if (ahead > most) most = ahead;
        more |= ++pipelines > 1 || x->up;
    }
    // behind the last barrier of one there are its empty groups, then the first loads of the next one
    bool later = st->up || pipelines > 1;
    *again = (more && 2 * most > ARRIVAL_BARRIERS) || (later && may_be_empty(s, st));
    return later || !has_few(s, st);
}

void sync_keep_phases(struct session *s, struct kernel *k) {
    bool again;
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (needs(s, k, x, &again)) keep(x, again);
}

bool sync_phases_kept(struct session *s, const struct kernel *k) {
    bool again;
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (needs(s, k, x, &again) && !keeps(x, again)) return false;
    return true;
}
