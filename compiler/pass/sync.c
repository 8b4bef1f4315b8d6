// Pass "sync": barriers, as few as are right.
//
// Requires: facts of vectorize, places in shared memory.  Fills: facts.barrier_before and which accesses it is for.  Leaves alone: everything else.
//
// Going through the statements, the accesses to shared memory since the last barrier are pending.  A copy that reads what
// is pending as written, or writes what is pending as read or written, needs a barrier before it, unless each element is
// touched by the same thread both times; that is found out by enumerating the elements of both.  A loop's body is gone
// through until its end adds nothing to its beginning.
#include <stdlib.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "pass/walk.h"

enum { MAX_PENDING = 256, MAX_ELEMENTS = 1 << 22 };

struct access {
    const struct copy *copy;
    bool write;
};

struct state {
    int n;
    struct access at[MAX_PENDING];
    bool everything;  // more was pending than fits: every access conflicts
};

static const struct tensor *buffer_of(struct access a) {
    const struct tensor *t = a.write ? a.copy->dst.base : a.copy->src.base;
    return t->space == MEM_SHARED ? t : NULL;
}

// -- whose element is it? ------------------------------------------------------------------------------------------

static bool depends_on_tid_alone(const struct session *s, const struct ix *e) {
    (void)s;
    for (int k = IX_LANE; k <= IX_NAMED; ++k) {
        if (ix_depends(e, (enum ix_var_kind)k)) return false;
    }
    return true;
}

// For every element that thread t of the access touches: with "claim", owner[element] = t; else checks that its owner is
// t or nobody.  False when it is not so, or cannot be told.
static bool owners(struct session *s, const struct kernel *k, struct access a, int32_t *owner, int64_t n,
                   bool claim) {
    const struct copy_facts *f = &a.copy->facts;
    const struct part *p = a.write ? &f->dst : &f->src;
    if (!depends_on_tid_alone(s, p->offset)) return false;
    int64_t *value = ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1);
    struct ix_env env = {value, value};
    const struct ix_var *tid = k->tid;
    int64_t count[64], stride[64];
    if (f->nmodes > 64) return false;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int d = a.write ? f->mode[i].dst : f->mode[i].src;
        if (!lay_int_static(d)) return false;
        stride[i] = d.num;
    }
    for (int64_t t = 0; t < f->threads; ++t) {
        int64_t base;
        value[tid->id] = t;
        if (!ix_eval(p->offset, &env, &base)) return false;
        for (int i = 0; i < f->nmodes; ++i) count[i] = 0;
        for (;;) {
            int64_t at = base;
            for (int i = 0; i < f->nmodes; ++i) at += count[i] * stride[i];
            at = lay_swizzle_apply(p->sw, at);
            for (int e = 0; e < f->vec; ++e) {
                if (at + e < 0 || at + e >= n) return false;
                if (claim) owner[at + e] = (int32_t)t;
                else if (owner[at + e] >= 0 && owner[at + e] != t) return false;
            }
            int i = 0;
            while (i < f->nmodes && ++count[i] == f->mode[i].extent) count[i++] = 0;
            if (i == f->nmodes) break;
        }
    }
    return true;
}

static bool same_threads(struct session *s, const struct kernel *k, struct access a, struct access b) {
    const struct tensor *t = buffer_of(a);
    struct lay_int cosize = lay_cosize(&s->lay, t->layout);
    if (!lay_int_static(cosize) || cosize.num > MAX_ELEMENTS) return false;
    int64_t n = cosize.num;
    if (t->layout.sw.b) n = 2 * n + 4096;  // a swizzle reaches up to the end of its period
    struct arena_mark mark = arena_mark(&s->arena);
    int32_t *owner = ARENA_ARRAY(&s->arena, int32_t, n);
    for (int64_t i = 0; i < n; ++i) owner[i] = -1;
    bool same = owners(s, k, a, owner, n, true) && owners(s, k, b, owner, n, false);
    arena_rewind(&s->arena, mark);
    return same;
}

// -- the walk ------------------------------------------------------------------------------------------------------

// Whether "a", of copy "c", may not run beside what is pending; notes the first such access for those who ask why.
static bool conflicts(struct session *s, const struct kernel *k, const struct state *st, struct access a,
                      struct copy *c) {
    const struct tensor *t = buffer_of(a);
    if (!t) return false;
    for (int i = 0; i < st->n; ++i) {
        if (buffer_of(st->at[i]) != t || !(st->at[i].write || a.write)) continue;
        if (same_threads(s, k, st->at[i], a)) continue;
        if (!c->facts.barrier_before) {
            c->facts.barrier_with = st->at[i].copy;
            c->facts.barrier_with_writes = st->at[i].write;
            c->facts.barrier_writes = a.write;
        }
        return true;
    }
    return st->everything;
}

static void pend(struct state *st, struct access a) {
    if (!buffer_of(a)) return;
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].copy == a.copy && st->at[i].write == a.write) return;
    }
    if (st->n == MAX_PENDING) st->everything = true;
    else st->at[st->n++] = a;
}

static bool merge(struct state *into, const struct state *from) {
    int before = into->n;
    bool all = into->everything;
    into->everything |= from->everything;
    for (int i = 0; i < from->n; ++i) pend(into, from->at[i]);
    return into->n != before || into->everything != all;
}

// The state after "list", entered with "st"; adds barriers where they are needed.
static void run(struct session *s, struct kernel *k, struct stmt *list, struct state *st) {
    for (struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY) {
            struct access read = {x->copy, false}, write = {x->copy, true};
            if (conflicts(s, k, st, read, x->copy) || conflicts(s, k, st, write, x->copy))
                x->copy->facts.barrier_before = true;
            if (x->copy->facts.barrier_before) *st = (struct state){0};
            pend(st, read);
            pend(st, write);
            continue;
        }
        struct state *enter = ARENA_NEW(&s->arena, struct state);
        struct state *leave = ARENA_NEW(&s->arena, struct state);
        *enter = *st;
        do {
            *leave = *enter;
            run(s, k, x->body, leave);
        } while (merge(enter, leave));
        merge(st, leave);
    }
}

static bool check_bounds(struct session *s, const struct stmt *list) {
    for (const struct stmt *x = list; x; x = x->next) {
        if (x->kind != STMT_FOR) continue;
        if (ix_depends(x->begin, IX_TID) || ix_depends(x->end, IX_TID)) {
            diag_error(s, x->at, "the bounds of this loop depend on 'tid'; the threads of a block go through a loop together");
            return false;
        }
        if (!check_bounds(s, x->body)) return false;
    }
    return true;
}

bool pass_sync(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = p->kernels; k; k = k->next) {
        struct state *st = ARENA_NEW(&s->arena, struct state);
        if (!check_bounds(s, k->body)) ok = false;
        else run(s, k, k->body, st);
    }
    return ok;
}
