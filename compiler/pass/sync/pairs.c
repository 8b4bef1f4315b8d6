// Asks whether the accesses of a schedule are in order, pair by pair (see schedule.h).
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "pass/sync/schedule.h"

// The row of "of" for pair "at", by wait and barrier.
static bool *row(const struct schedule *x, bool *of, int at) {
    return of + (size_t)at * (size_t)x->program.nsyncs;
}

// Takes the present waits and barriers from the plan.
static void look(struct schedule *x) {
    for (int i = 0; i < x->program.nsyncs; ++i) {
        struct prove_sync *now = &x->program.sync[i];
        now->arrival = x->without[i] ? arrival_none : *x->sync[i].at;
    }
}

// Finds the waits and barriers that were removed or loosened since the last proof.
static int find_gone(const struct schedule *x, int gone[SCHEDULE_SYNCS]) {
    int n = 0;
    for (int i = 0; i < x->program.nsyncs; ++i) {
        if (!arrival_serves(x->program.sync[i].arrival, x->was[i])) gone[n++] = i;
    }
    return n;
}

// Whether nothing is in flight at the end: of a device function, for its caller; of a kernel, what
// barriers in memory count and what reads shared memory, as these are others' then.
static bool waited_for(struct schedule *x, struct schedule_fault *f) {
    for (int i = 0; i < x->program.naccesses; ++i) {
        const struct prove_access *a = &x->program.access[i];
        const struct copy *c = x->access[i].copy;
        if (!a->async) continue;
        bool in_global = a->write == copy_atom(c)->row->reads_late;
        if (in_global && !(a->write && x->k->device)) continue;
        if (!x->k->device && !copy_holds(c)) continue;
        f->answer = prove_order_ends(x->order, i, &f->why);
        f->a = i;
        f->b = -1;
        if (f->answer != PROVE_YES) return false;
    }
    return true;
}

// Whether access "i" belongs to the statement of one of the "ngone" removed waits and barriers.
static bool is_behind(const struct schedule *x, int i, const int *gone, int ngone) {
    for (int g = 0; g < ngone; ++g)
        if (x->sync[gone[g]].stmt == x->access[i].stmt) return true;
    return false;
}

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void add_asked(struct schedule *x, int number) {
    x->asked = arena_more(&x->s->arena, x->asked, sizeof *x->asked, x->nasked, &x->cap_asked);
    x->asked[x->nasked++] = number;
}

// Whether pair "at" may depend on what is gone at sync "i": on a fence only copies do that may overtake threads.
static bool depends(const struct schedule *x, int i, int at) {
    struct arrival now = x->program.sync[i].arrival, was = x->was[i];
    int n = x->program.naccesses;
    was.fence = now.fence;
    return !arrival_serves(now, was) ||
           (x->program.access[at % n].proxy && !x->program.access[at / n].proxy);
}

// Puts each pair whose order depends on what is gone into "asked" once, sorted.  With "quiet",
// pairs whose later access is at the removed sync come first: these are most often no longer in
// order, which answers the question.
static void find_resting(struct schedule *x, bool quiet) {
    int gone[SCHEDULE_SYNCS], ngone = find_gone(x, gone), n = x->program.naccesses, kept = 0;
    bool first[SCHEDULE_ACCESSES], sorted = true;
    for (int j = 0; j < n; ++j) first[j] = quiet && is_behind(x, j, gone, ngone);
    for (int others = 0; others < 2; ++others)
        for (int g = 0; g < ngone; ++g)
            for (int i = 0; i < x->rests[gone[g]].n; ++i) {
                int at = x->rests[gone[g]].pair[i], number = at + others * n * n;
                if (first[at % n] == others || !row(x, x->used, at)[gone[g]]) continue;
                if (!depends(x, gone[g], at)) continue;
                sorted &= x->nasked == 0 || x->asked[x->nasked - 1] < number;
                add_asked(x, number);
            }
    if (!sorted) qsort(x->asked, (size_t)x->nasked, sizeof *x->asked, by_number);
    for (int i = 0; i < x->nasked; ++i)
        if (i == 0 || x->asked[i] % (n * n) != x->asked[kept - 1])
            x->asked[kept++] = x->asked[i] % (n * n);
    x->nasked = kept;
}

// Whether a ring of pipelines with roles orders accesses "a" and "b": those of two roles to slots
// that both pipelines fill.  What else "load" writes, "use" does not touch in the same pipeline.  All
// consumers come to "full" before each step, unless it is in memory; sync_consumers_apart asks about
// those that may be executed at the same time.
static bool by_ring(const struct schedule *x, int a, int b) {
    const struct schedule_access *p = &x->access[a], *q = &x->access[b];
    if (!p->pipe || !q->pipe || x->program.access[a].role == x->program.access[b].role)
        return false;
    if (p->pipe == q->pipe) return true;
    const struct pipeline *v = p->pipe->pipe, *w = q->pipe->pipe;
    if (!pipeline_same_ring(v, w) || x->program.access[a].async) return false;
    bool loads = x->program.access[a].first == v->use_threads ||
                 x->program.access[b].first == w->use_threads;
    return (!loads && pipeline_meets(v, false)) ||
           (pipeline_fills(v, p->view->base) && pipeline_fills(w, p->view->base));
}

static void find_asked(struct schedule *x, bool quiet) {
    int n = x->program.naccesses;
    x->nasked = 0;
    if (x->proven)
        find_resting(x, quiet);
    else
        for (int at = 0; at < n * n; ++at)
            if (!by_ring(x, at / n, at % n)) add_asked(x, at);
}

// Records what the order of pair "at" was found to depend on.
static void keep_used(struct schedule *x, int at) {
    bool *was = row(x, x->used, at), *now = row(x, x->fresh, at), *end = now + x->program.nsyncs;
    for (bool *p = now; p < end && (p = memchr(p, true, (size_t)(end - p))) != NULL; ++p) {
        struct resting *r = &x->rests[p - now];
        if (x->proven && was[p - now]) continue;  // already recorded
        r->pair = arena_more(&x->s->arena, r->pair, sizeof *r->pair, r->n, &r->cap);
        r->pair[r->n++] = at;
    }
    memcpy(was, now, (size_t)x->program.nsyncs);
}

static bool ask_pairs(struct schedule *x, struct schedule_fault *f) {
    int n = x->program.naccesses;
    find_asked(x, f->quiet);
    for (int i = 0; i < x->nasked; ++i) {
        f->a = x->asked[i] / n;
        f->b = x->asked[i] % n;
        f->answer = prove_order_pair(x->order, f->a, f->b, row(x, x->fresh, x->asked[i]),
                                     f->quiet ? NULL : &f->why);
        if (f->answer != PROVE_YES) return false;
    }
    return true;
}

bool schedule_lacks_fence(struct schedule *x, const struct schedule_fault *f) {
    if (f->a < 0 || f->b < 0 || f->answer != PROVE_NO) return false;
    if (!x->program.access[f->b].proxy || x->program.access[f->a].proxy) return false;
    int n = x->program.naccesses;
    for (int i = 0; i < x->program.nsyncs; ++i) x->program.sync[i].arrival.fence = true;
    bool lacks = prove_order_pair(x->order, f->a, f->b, row(x, x->fresh, f->a * n + f->b), NULL) ==
                 PROVE_YES;
    look(x);
    return lacks;
}

bool schedule_in_order(struct schedule *x, struct schedule_fault *f) {
    int n = x->program.naccesses;
    *f = (struct schedule_fault){
        .answer = PROVE_UNKNOWN, .a = -1, .quiet = f->quiet, .soon = f->soon};
    x->program.soon = f->soon;
    if (x->full) return false;
    look(x);
    if (n == 0) return true;
    if (!ask_pairs(x, f)) return false;
    if (!x->k->async && !waited_for(x, f)) return false;
    for (int i = 0; i < x->nasked; ++i) keep_used(x, x->asked[i]);
    for (int i = 0; i < x->program.nsyncs; ++i) x->was[i] = x->program.sync[i].arrival;
    x->proven = true;
    return true;
}
