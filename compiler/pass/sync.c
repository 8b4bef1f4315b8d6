// Pass "sync": barriers, groups of asynchronous copies and waits for them, as few and as loose as
// are right.
//
// Requires: facts of vectorize, places in shared memory; races has refused what no barrier orders.
// Fills: facts.async, commit_after, group, wait_before, barrier_before and which accesses those are
// for; the same of calls; kernel.commit_last and wait_last.  Leaves alone: everything else.
//
// Going through the statements, the accesses since the last barrier are pending: those to shared
// memory, and those to a tensor that the kernel both reads and writes.  A copy that reads what is
// pending as written, or writes what is pending as read or written, needs a barrier before it,
// unless each element is touched by the same thread both times (see meet.h).
//
// What an asynchronous copy does is pending beyond barriers, until it has been waited for.  Its age
// is the number of groups that were committed after its own: a wait for all but that many groups,
// right before what meets it, is the loosest one that is right, and makes a plain access of it.  A
// loop's body is gone through until its end adds nothing to its beginning; where ways meet, the
// lower age counts.
//
// First everything that is needed is put where it is first needed.  A need that shows only later,
// around a loop, may make an earlier one superfluous: so each is then tried without.
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "pass/meet.h"
#include "pass/pass.h"
#include "pass/walk.h"

enum { MAX_PENDING = 256, MAX_UNROLL = 8, MAX_WAIT = 32 };

struct entry {
    struct access a;
    bool async;  // of a copy that has not been waited for
    int age;     // groups after its own; -1: its own is still open
};

struct state {
    int n;
    struct entry at[MAX_PENDING];
    bool everything;  // more was pending than fits: every access conflicts
};

// What a statement has to wait for.
struct need {
    int wait;  // -1: for nothing
    const struct copy *wait_with;
    bool barrier;
    struct entry with;  // of the barrier
    bool with_any;      // "with" is one
    bool writes;        // the access that needs the barrier
};

struct known {
    struct access a, b;
    enum meet meet;
};

struct walk {
    struct session *s;
    struct kernel *k;
    bool mark;     // else only look whether what is there is enough
    bool lacking;  // it is not
    struct known *known;
    int nknown, cap_known;
};

static struct access reading(const struct copy *c) {
    return (struct access){c, NULL, false};
}

static struct access writing(const struct copy *c) {
    return (struct access){c, NULL, true};
}

static bool same_access(struct access a, struct access b) {
    return a.copy == b.copy && a.arg == b.arg && a.write == b.write;
}

static enum meet how_they_meet(struct walk *w, struct access a, struct access b) {
    for (int i = 0; i < w->nknown; ++i) {
        if (same_access(w->known[i].a, a) && same_access(w->known[i].b, b)) return w->known[i].meet;
    }
    if (w->nknown == w->cap_known) {
        int cap = w->cap_known ? 2 * w->cap_known : 64;
        struct known *more = ARENA_ARRAY(&w->s->arena, struct known, cap);
        if (w->nknown) memcpy(more, w->known, sizeof *more * (size_t)w->nknown);
        w->known = more;
        w->cap_known = cap;
    }
    enum meet m = meet(w->s, w->k, a, b);
    w->known[w->nknown++] = (struct known){a, b, m};
    return m;
}

// -- what is pending ------------------------------------------------------------------------------

// Adds to "need" what access "a" has to wait for.
static void ask(struct walk *w, const struct state *st, struct access a, struct need *need) {
    const struct tensor *t = meet_buffer(w->k, a);
    if (!t) return;
    for (int i = 0; i < st->n; ++i) {
        const struct entry *e = &st->at[i];
        if (meet_buffer(w->k, e->a) != t || !(e->a.write || a.write)) continue;
        // what several copies write to a global tensor are different elements
        if (t->space == MEM_GLOBAL && e->a.write && a.write) continue;
        enum meet m = how_they_meet(w, e->a, a);
        if (m == MEET_NOT) continue;
        if (e->async && (need->wait < 0 || e->age < need->wait)) {
            need->wait = e->age < 0 ? 0 : e->age;
            need->wait_with = e->a.copy;
        }
        if (m == MEET_OWN) continue;
        if (!need->with_any) {
            need->with_any = true;
            need->with = *e;
            need->writes = a.write;
        }
        need->barrier = true;
    }
    need->barrier |= st->everything;
}

static void pend(const struct kernel *k, struct state *st, struct entry e) {
    if (!meet_buffer(k, e.a)) return;
    for (int i = 0; i < st->n; ++i) {
        if (!same_access(st->at[i].a, e.a) || st->at[i].async != e.async) continue;
        if (e.age < st->at[i].age) st->at[i].age = e.age;
        return;
    }
    if (st->n == MAX_PENDING)
        st->everything = true;
    else
        st->at[st->n++] = e;
}

static void apply_wait(const struct kernel *k, struct state *st, int pending) {
    struct state out = {.everything = st->everything};
    for (int i = 0; i < st->n; ++i) {
        struct entry e = st->at[i];
        if (e.async && e.age >= pending) e = (struct entry){e.a, false, 0};
        pend(k, &out, e);
    }
    *st = out;
}

static void apply_barrier(struct state *st) {
    int kept = 0;
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].async) st->at[kept++] = st->at[i];
    }
    st->n = kept;
    st->everything = false;
}

static void apply_commit(struct state *st) {
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].async && st->at[i].age < MAX_WAIT) ++st->at[i].age;
    }
}

static bool merge(const struct kernel *k, struct state *into, const struct state *from) {
    struct state before = *into;
    into->everything |= from->everything;
    for (int i = 0; i < from->n; ++i) pend(k, into, from->at[i]);
    if (into->n != before.n || into->everything != before.everything) return true;
    for (int i = 0; i < before.n; ++i) {
        if (into->at[i].age != before.at[i].age) return true;
    }
    return false;
}

// -- the walk -------------------------------------------------------------------------------------

// Does what "need" asks, unless the statement does it already: "wait" and "barrier" are what it
// does.  With walk.mark they become what is needed.
static void satisfy(struct walk *w, struct state *st, const struct need *need, int *wait,
                    bool *barrier) {
    bool waits = need->wait < 0 || (*wait >= 0 && *wait <= need->wait);
    bool orders = !need->barrier || *barrier;
    if (!waits || !orders) w->lacking = true;
    if (w->mark && !waits) *wait = need->wait;
    if (w->mark && !orders) *barrier = true;
    if (*wait >= 0) apply_wait(w->k, st, *wait);
    if (*barrier) apply_barrier(st);
}

static void run_copy(struct walk *w, struct copy *c, struct state *st) {
    struct copy_facts *f = &c->facts;
    struct need need = {.wait = -1};
    ask(w, st, reading(c), &need);
    ask(w, st, writing(c), &need);
    if (w->mark && need.wait >= 0 && (f->wait_before < 0 || need.wait < f->wait_before))
        f->wait_with = need.wait_with;
    if (w->mark && need.barrier && !f->barrier_before) {
        f->barrier_with = need.with.a.copy;
        f->barrier_with_call = need.with_any && !need.with.a.copy;
        f->barrier_with_writes = need.with.a.write;
        f->barrier_writes = need.writes;
    }
    satisfy(w, st, &need, &f->wait_before, &f->barrier_before);
    pend(w->k, st, (struct entry){reading(c), f->async, -1});
    pend(w->k, st, (struct entry){writing(c), f->async, -1});
    if (f->commit_after) apply_commit(st);
}

static void run_call(struct walk *w, struct plan_call *y, struct state *st) {
    struct need need = {.wait = -1};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < y->fn->nformals; ++i) {
            enum dir dir = y->fn->formal[i].dir;
            struct access read = {NULL, y->view[i].base, false},
                          write = {NULL, y->view[i].base, true};
            if (pass == 0 && dir != ARG_OUT) ask(w, st, read, &need);
            if (pass == 0 && dir != ARG_IN) ask(w, st, write, &need);
            if (pass == 1 && dir != ARG_OUT) pend(w->k, st, (struct entry){read, false, 0});
            if (pass == 1 && dir != ARG_IN) pend(w->k, st, (struct entry){write, false, 0});
        }
        if (pass == 0) satisfy(w, st, &need, &y->wait_before, &y->barrier_before);
    }
}

static void run(struct walk *w, struct stmt *list, struct state *st);

// A loop: wholly when it is short, else until its end adds nothing to its beginning.
static void run_loop(struct walk *w, struct stmt *x, struct state *st) {
    const struct ix *trips = ix_sub(w->s, x->end, x->begin);
    int64_t n;
    if (trips && ix_static(trips, &n) && n <= MAX_UNROLL) {
        for (int64_t i = 0; i < n; ++i) run(w, x->body, st);
        return;
    }
    struct state *enter = ARENA_NEW(&w->s->arena, struct state);
    struct state *leave = ARENA_NEW(&w->s->arena, struct state);
    bool once = trips && trips->lo >= 1;
    *enter = *st;
    do {
        *leave = *enter;
        run(w, x->body, leave);
    } while (merge(w->k, enter, leave));
    if (once)
        *st = *leave;
    else
        merge(w->k, st, leave);
}

static void run(struct walk *w, struct stmt *list, struct state *st) {
    for (struct stmt *x = list; x; x = x->next) {
        switch (x->kind) {
        case STMT_COPY: run_copy(w, x->copy, st); break;
        case STMT_CALL: run_call(w, x->call, st); break;
        case STMT_FOR: run_loop(w, x, st); break;
        }
    }
}

static bool enough(struct walk *w) {
    struct state *st = ARENA_NEW(&w->s->arena, struct state);
    w->lacking = false;
    run(w, w->k->body, st);
    return !w->lacking;
}

// -- what is superfluous --------------------------------------------------------------------------

static void loosen(struct walk *w, int *wait, bool *barrier) {
    if (*barrier) {
        *barrier = false;
        if (!enough(w)) *barrier = true;
    }
    if (*wait < 0) return;
    int was = *wait;
    *wait = -1;
    if (enough(w)) return;
    for (*wait = was; *wait < MAX_WAIT; ++*wait) {
        ++*wait;
        bool right = enough(w);
        --*wait;
        if (!right) return;
    }
}

static void loosen_list(struct walk *w, struct stmt *list) {
    for (struct stmt *x = list; x; x = x->next) {
        switch (x->kind) {
        case STMT_COPY:
            loosen(w, &x->copy->facts.wait_before, &x->copy->facts.barrier_before);
            break;
        case STMT_CALL: loosen(w, &x->call->wait_before, &x->call->barrier_before); break;
        case STMT_FOR: loosen_list(w, x->body); break;
        }
    }
}

// -- groups ---------------------------------------------------------------------------------------

static void prepare(struct walk *w, struct stmt *list, bool commits) {
    for (struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY) {
            struct copy *c = x->copy;
            struct copy_facts *f = &c->facts;
            f->async = (c->tc ? &c->tc->atom : c->atom)->row->sync == SYNC_CP_ASYNC;
            f->commit_after = f->async && commits;
            f->wait_before = -1;
        } else if (x->kind == STMT_CALL) {
            x->call->wait_before = -1;
        } else {
            prepare(w, x->body, commits);
        }
    }
}

// Numbers the groups in the order of the text.
static int number(struct stmt *list, int group) {
    for (struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY) {
            if (x->copy->facts.async) x->copy->facts.group = group;
            if (x->copy->facts.commit_after) ++group;
        } else if (x->kind == STMT_FOR) {
            group = number(x->body, group);
        }
    }
    return group;
}

static bool any_async(const struct stmt *list) {
    for (const struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY && x->copy->facts.async) return true;
        if (x->kind == STMT_FOR && any_async(x->body)) return true;
    }
    return false;
}

// -- functions ------------------------------------------------------------------------------------

// A device function hides no barrier.
static bool without_barriers(struct session *s, const struct kernel *k, const struct stmt *list) {
    for (const struct stmt *x = list; x; x = x->next) {
        bool needs = x->kind == STMT_COPY ? x->copy->facts.barrier_before
                                          : x->kind == STMT_CALL && x->call->barrier_before;
        if (x->kind == STMT_FOR && !without_barriers(s, k, x->body)) return false;
        if (!needs) continue;
        diag_error(s, x->at,
                   "a barrier is needed before this %s, and a device function hides none; end '%s' "
                   "before it, so "
                   "that its caller can synchronise",
                   x->kind == STMT_COPY ? "copy" : "call", k->name);
        diag_page(s, "barrier");
        return false;
    }
    return true;
}

bool pass_sync(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct walk w = {.s = s, .k = k};
        prepare(&w, k->body, true);
        w.mark = true;
        enough(&w);
        w.mark = false;
        loosen_list(&w, k->body);
        number(k->body, 1);
        // a device function returns with its accesses done
        k->wait_last = k->device && any_async(k->body);
        if (k->device && !without_barriers(s, k, k->body)) ok = false;
    }
    return ok;
}
