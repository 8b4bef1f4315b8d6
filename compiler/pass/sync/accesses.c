// Walks through the statements.  Accesses since the last barrier are pending: those to shared
// memory, and those to a tensor that the kernel both reads and writes.  A copy needs a barrier
// before it if it reads what a pending access writes, or writes what a pending access reads or
// writes, unless the same thread touches each element both times (see meet.h).
//
// An asynchronous access stays pending beyond barriers until there is a wait for it.  Its age is
// the number of groups committed after its own.  The loosest correct wait is one for all but that
// many groups, right before the access that meets it; it turns the access into an ordinary one.  A
// loop's body is walked until its end adds nothing to its beginning.  Where control flow meets, the
// lower age counts.
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "pass/sync/private.h"

enum { MOST_VISITS = 50000 };  // visits of statements of a kernel, above which only proofs decide

static struct access placed(const struct walk *w, const struct view *v, struct access a) {
    a.buffer = meet_buffer(w->k, a);
    if (a.buffer) sync_place(w, v, &a);
    return a;
}

static struct access reading(const struct walk *w, const struct copy *c) {
    struct access a = {.copy = c, .loops = w->nloops, .by = w->by, .first = w->first};
    return placed(w, &c->src, a);
}

static struct access writing(const struct walk *w, const struct copy *c) {
    struct access a = {
        .copy = c, .write = true, .loops = w->nloops, .by = w->by, .first = w->first};
    return placed(w, &c->dst, a);
}

static struct access argument(const struct walk *w, const struct plan_call *y, int i, bool write) {
    struct access a = {.arg = y->view[i].base,
                       .call = y,
                       .write = write,
                       .loops = w->nloops,
                       .by = w->by,
                       .first = w->first};
    return placed(w, &y->view[i], a);
}

static bool same_access(struct access a, struct access b) {
    return a.copy == b.copy && a.arg == b.arg && a.write == b.write;
}

static bool same_slot(struct access a, struct access b) {
    return a.pipe == b.pipe && a.ahead == b.ahead && a.loops == b.loops;
}

static uintptr_t number_of(struct access a) {
    return (a.copy ? (uintptr_t)a.copy : (uintptr_t)a.arg) / sizeof(void *) + a.write;
}

// "a" is pending, "b" is new.
static enum meet how_they_meet(struct walk *w, struct access a, struct access b) {
    const struct ix_var *differs = a.loops < w->nloops ? w->loop[a.loops] : NULL;
    struct known **first = &w->known[(number_of(a) * 31 + number_of(b)) % SYNC_KNOWN];
    for (const struct known *x = *first; x; x = x->next)
        if (same_access(x->a, a) && same_access(x->b, b) && x->differs == differs) return x->meet;
    struct known *new = ARENA_NEW(&w->s->arena, struct known);
    *new = (struct known){a, b, differs, meet(w->s, w->k, &w->maps, a, b, differs), *first};
    *first = new;
    return new->meet;
}

struct arrival sync_done(const struct entry *e) {
    struct arrival a = arrival_groups(e->age < 0 ? 0 : e->age);
    a.written = e->a.write && e->a.copy && copy_atom(e->a.copy)->row->reads_late;
    return a;
}

// -- what is pending ------------------------------------------------------------------------------

// Adds to "need" what access "a" must wait for.
static void ask(struct walk *w, const struct state *st, struct access a, struct need *need) {
    const struct tensor *t = a.buffer;
    if (!t || !(need->copies || need->threads)) return;
    for (int i = 0; i < st->n; ++i) {
        const struct entry *e = &st->at[i];
        if (!need->threads && !e->async) continue;
        if (e->a.buffer != t || !(e->a.write || a.write)) continue;
        // several copies write different elements of a global tensor
        if (t->space == MEM_GLOBAL && e->a.write && a.write) continue;
        if (sync_apart(e->a, a) || (w->enters && !e->async && sync_by_ring(e->a, a))) continue;
        enum meet m = how_they_meet(w, e->a, a);
        if (m == MEET_NOT) continue;
        if (e->a.first != a.first) m = MEET_OTHERS;
        struct arrival done = sync_done(e);
        if (e->async && !arrival_serves(need->wait.copies, done))
            need->wait.copies = arrival_both(need->wait.copies, done);
        bool barrier = m != MEET_OWN && !(e->async && w->k->all_wait);
        if (barrier) need->wait.threads = arrival_block;
        if (w->why && (e->async || barrier)) {  // otherwise it need not wait
            struct sync_pair *pair = w->spare;
            if (pair)
                w->spare = pair->next;
            else
                pair = ARENA_NEW(&w->s->arena, struct sync_pair);
            *pair = (struct sync_pair){*e, a, barrier, need->pairs};
            need->pairs = pair;
        }
    }
    if (st->everything) need->wait.threads = arrival_block;
}

void sync_copy(struct state *to, const struct state *from) {
    memcpy(to->at, from->at, sizeof from->at[0] * (size_t)from->n);
    to->n = from->n;
    to->everything = from->everything;
    to->mixed = from->mixed;
}

static bool same_entry(const struct entry *x, const struct entry *y) {
    return x->async == y->async && same_access(x->a, y->a) && same_slot(x->a, y->a);
}

static void join(struct entry *x, const struct entry *e) {
    if (e->age < x->age) x->age = e->age;
    if (e->a.slot != x->a.slot) x->a.slot = 0;
}

static void append(struct state *st, const struct entry *e) {
    if (st->n == SYNC_PENDING)
        st->everything = true;
    else
        st->at[st->n++] = *e;
}

// Adds "e" to what is pending.  "at": where an equal entry probably is.
static void pend(struct state *st, struct entry e, int at) {
    if (!e.a.buffer) return;
    int first = !st->mixed && at < st->n && same_entry(&st->at[at], &e) ? at : 0;
    for (int i = first; i < st->n; ++i) {
        if (!same_entry(&st->at[i], &e)) continue;
        join(&st->at[i], &e);
        return;
    }
    append(st, &e);
}

// Rebuilds the pending entries after some have changed, as these may now equal others.
enum { PLACES = 256 };
struct changing {
    struct state out;
    // hash table of the entries of "out"; -1: end of a list
    int16_t first[PLACES], next[SYNC_PENDING];
    bool changed[SYNC_PENDING];
};

static void begin_change(struct changing *x, const struct state *st) {
    x->out.n = 0;
    x->out.everything = st->everything;
    x->out.mixed = st->mixed;
    memset(x->first, -1, sizeof x->first);
}

static void put(struct changing *x, const struct entry *e, bool changed) {
    int16_t *first = &x->first[number_of(e->a) % PLACES];
    int same = -1;  // of several, the first one
    for (int i = *first; i >= 0; i = x->next[i])
        if ((changed || x->changed[i]) && same_entry(&x->out.at[i], e)) same = i;
    if (same >= 0) {
        join(&x->out.at[same], e);
        return;
    }
    if (x->out.n < SYNC_PENDING) {
        x->next[x->out.n] = *first;
        x->changed[x->out.n] = changed;
        *first = (int16_t)x->out.n;
    }
    append(&x->out, e);
}

static bool completes(struct arrival a, const struct entry *e) {
    return e->async && arrival_serves(a, sync_done(e)) && e->age >= 0;
}

static void apply_wait_to_all(struct state *st, struct arrival a) {
    struct changing x;
    begin_change(&x, st);
    for (int i = 0; i < st->n; ++i) {
        struct entry e = st->at[i];
        bool done = completes(a, &e);
        if (done) e = (struct entry){e.a, false, 0};
        put(&x, &e, done || !e.async);
    }
    sync_copy(st, &x.out);
}

static void apply_wait(struct state *st, struct arrival a) {
    for (int i = 0; i < st->n; ++i) {
        struct entry *e = &st->at[i];
        if (!completes(a, e)) continue;
        if (st->mixed) {
            apply_wait_to_all(st, a);
            return;
        }
        *e = (struct entry){e->a, false, 0};
        int same = 0;
        while (same < st->n && (same == i || !same_entry(&st->at[same], e))) ++same;
        if (same == st->n) continue;
        int kept = same < i ? same : i, gone = same < i ? i : same;
        join(&st->at[kept], &st->at[gone]);
        memmove(&st->at[gone], &st->at[gone + 1], sizeof st->at[0] * (size_t)(--st->n - gone));
        if (gone == i) --i;
    }
}

// A wait of all threads: nobody need wait again for what it completes.
static void apply_wait_of_all(struct state *st, struct arrival a) {
    int kept = 0;
    for (int i = 0; i < st->n; ++i) {
        if (!completes(a, &st->at[i])) st->at[kept++] = st->at[i];
    }
    st->n = kept;
}

static void apply_barrier(struct state *st) {
    int kept = 0;
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].async) st->at[kept++] = st->at[i];
    }
    st->n = kept;
    st->everything = false;
}

void sync_enter(struct walk *w, const struct ix_var *var) {
    if (w->nloops == SYNC_LOOPS) BUG("loops in '%s' are nested too deep", w->k->name);
    w->loop[w->nloops++] = var;
}

void sync_leave(struct walk *w) {
    --w->nloops;
}

void sync_next(struct walk *w, struct state *st) {
    struct changing x;
    begin_change(&x, st);
    for (int i = 0; i < st->n; ++i) {
        struct entry e = st->at[i];
        bool inner = e.a.loops >= w->nloops;
        if (inner) e.a.loops = w->nloops - 1;
        put(&x, &e, inner || st->mixed);
    }
    sync_copy(st, &x.out);
    st->mixed = false;
}

void sync_commit(struct state *st) {
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].async && st->at[i].age < arrival_row(arrival_groups(0))->most)
            ++st->at[i].age;
    }
}

bool sync_merge(struct state *into, const struct state *from) {
    struct state before;
    sync_copy(&before, into);
    into->everything |= from->everything;
    for (int i = 0; i < from->n; ++i) pend(into, from->at[i], i);
    if (into->n != before.n || into->everything != before.everything) return true;
    for (int i = 0; i < before.n; ++i) {
        if (into->at[i].age != before.at[i].age || into->at[i].a.slot != before.at[i].a.slot)
            return true;
    }
    return false;
}

// -- the walk -------------------------------------------------------------------------------------

struct need sync_need(const struct walk *w, const struct sync_before *x) {
    bool strictest = arrival_strictest(x->wait.copies) && (x->wait.copies.written || !w->k->stored);
    bool copies = !strictest && !(w->why && !w->why->wait);
    bool threads = !arrival_strictest(x->wait.threads) && !(w->why && w->why->wait);
    return (struct need){.copies = copies || w->notes, .threads = threads || w->notes};
}

void sync_satisfy(struct walk *w, struct state *st, struct need *need, struct sync_before *x) {
    bool copies = arrival_serves(x->wait.copies, need->wait.copies);
    bool threads = arrival_serves(x->wait.threads, need->wait.threads);
    if (!copies || !threads) w->lacking = true;
    if (w->why) sync_note(w, need, x->wait);
    if (w->notes && !x->first.seen) {
        x->first.seen = true;
        x->first.wait = need->wait;
    }
    if (w->mark && !copies) x->wait.copies = arrival_both(x->wait.copies, need->wait.copies);
    if (w->mark && !threads) x->wait.threads = need->wait.threads;
    if (x->wait.copies.kind == ARRIVAL_GROUP)
        (w->k->all_wait ? apply_wait_of_all : apply_wait)(st, x->wait.copies);
    if (arrival_row(x->wait.threads)->joins) apply_barrier(st);
}

static void ask_copy(struct walk *w, const struct state *st, const struct copy *c,
                     struct need *need) {
    ask(w, st, reading(w, c), need);
    ask(w, st, writing(w, c), need);
}

static void ask_call(struct walk *w, const struct state *st, const struct plan_call *y,
                     struct need *need) {
    for (int i = 0; i < y->fn->nformals; ++i) {
        enum dir dir = y->fn->formal[i].dir;
        if (dir != ARG_OUT) ask(w, st, argument(w, y, i, false), need);
        if (dir != ARG_IN) ask(w, st, argument(w, y, i, true), need);
    }
}

void sync_ask(struct walk *w, const struct state *st, const struct stmt *list, struct need *need) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) {
        if (x->kind == STMT_COPY) ask_copy(w, st, x->copy, need);
        if (x->kind == STMT_CALL) ask_call(w, st, x->call, need);
    }
}

static void run_copy(struct walk *w, struct stmt *x, struct state *st) {
    struct copy *c = x->copy;
    struct copy_facts *f = &c->facts;
    struct need need = sync_need(w, &x->before);
    ask_copy(w, st, c, &need);
    sync_satisfy(w, st, &need, &x->before);
    // the role that loads waits itself for what it copies
    bool async = f->async && !w->loads;
    pend(st, (struct entry){reading(w, c), async, -1}, 0);
    pend(st, (struct entry){writing(w, c), async, -1}, 0);
    if (f->commit_after) sync_commit(st);
}

static void run_call(struct walk *w, struct stmt *x, struct state *st) {
    struct plan_call *y = x->call;
    struct need need = sync_need(w, &x->before);
    ask_call(w, st, y, &need);
    sync_satisfy(w, st, &need, &x->before);
    for (int i = 0; i < y->fn->nformals; ++i) {
        enum dir dir = y->fn->formal[i].dir;
        if (dir != ARG_OUT) pend(st, (struct entry){argument(w, y, i, false), false, 0}, 0);
        if (dir != ARG_IN) pend(st, (struct entry){argument(w, y, i, true), false, 0}, 0);
    }
}

void sync_role_barrier(struct state *st) {
    apply_barrier(st);
}

// A short loop is walked completely, others until the end adds nothing to the beginning.
static void run_loop(struct walk *w, struct stmt *x, struct state *st) {
    const struct ix *trips = ix_sub(w->s, x->end, x->begin);
    int64_t n;
    // unless the body waits anyhow, it is better to wait once before the loop
    struct need need = sync_need(w, &x->before);
    if (w->mark) sync_ask(w, st, x->body, &need);
    sync_satisfy(w, st, &need, &x->before);
    if (trips && ix_static(trips, &n) && n <= SYNC_UNROLL) {
        sync_enter(w, x->var);
        for (int64_t i = 0; i < n; ++i) {
            sync_list(w, x->body, st);
            sync_next(w, st);
        }
        sync_leave(w);
        return;
    }
    struct state *enter = memory_zeroed(2, sizeof *enter), *leave = enter + 1;
    bool once = trips && trips->lo >= 1;
    sync_copy(enter, st);
    sync_enter(w, x->var);
    do {
        sync_copy(leave, enter);
        sync_list(w, x->body, leave);
        sync_next(w, leave);
    } while (sync_merge(enter, leave) && !sync_decided(w));
    sync_leave(w);
    if (once)
        sync_copy(st, leave);
    else
        sync_merge(st, leave);
    memory_free(enter);
}

// Nested loops are walked several times each.  If that is too much, the walk that inserts barriers
// stops.  The proofs then find what it did not see, and what is missing is inserted.
void sync_statement(struct walk *w, struct stmt *x, struct state *st) {
    if ((w->mark && w->visits > MOST_VISITS) || sync_decided(w)) return;
    ++w->visits;
    switch (x->kind) {
    case STMT_COPY: run_copy(w, x, st); break;
    case STMT_CALL: run_call(w, x, st); break;
    case STMT_FOR: run_loop(w, x, st); break;
    case STMT_PIPELINE: sync_pipeline(w, x, st); break;
    case STMT_PART: BUG("a part outside a pipeline");
    case STMT_ARRIVE:
    case STMT_WAIT: BUG("a manual function is not gone through");
    }
}

bool sync_decided(const struct walk *w) {
    return w->lacking && !w->mark && !w->why;
}

void sync_list(struct walk *w, struct stmt *list, struct state *st) {
    for (struct stmt *x = list; x && !sync_decided(w); x = x->next) sync_statement(w, x, st);
}

bool sync_enough(struct walk *w) {
    struct state *st = memory_zeroed(1, sizeof *st);
    w->lacking = false;
    sync_list(w, w->k->body, st);
    memory_free(st);
    return !w->lacking;
}
