// Pass "sync": barriers, as few as are right.
//
// Requires: facts of vectorize, places in shared memory; races has refused what no barrier orders.
// Fills: facts.barrier_before and which accesses it is for.  Leaves alone: everything else.
//
// Going through the statements, the accesses since the last barrier are pending: those to shared
// memory, and those to a tensor that the kernel both reads and writes.  A copy that reads what is
// pending as written, or writes what is pending as read or written, needs a barrier before it,
// unless each element is touched by the same thread both times; that is found out by enumerating
// the elements of both.  A loop's body is gone through until its end adds nothing to its beginning.
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "pass/walk.h"

enum { MAX_PENDING = 256, MAX_MODES = 64, MAX_LOOPS = 8, MAX_ELEMENTS = 1 << 22 };

struct access {
    const struct copy *copy;   // or, when NULL:
    const struct tensor *arg;  // a shared argument of a call, touched by who knows which thread
    bool write;
};

struct state {
    int n;
    struct access at[MAX_PENDING];
    bool everything;  // more was pending than fits: every access conflicts
};

static bool is_inout(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].tensor == t) return k->formal[i].dir == ARG_INOUT;
    }
    return false;
}

// What is accessed, when that has to be in order: shared memory, and what a kernel both reads and
// writes.
static const struct tensor *buffer_of(const struct kernel *k, struct access a) {
    const struct tensor *t = !a.copy ? a.arg : a.write ? a.copy->dst.base : a.copy->src.base;
    return t->space == MEM_SHARED || (t->space == MEM_GLOBAL && is_inout(k, t)) ? t : NULL;
}

// -- whose element is it? -------------------------------------------------------------------------

// The loop variables on which "e" depends, each with static bounds.  False when it depends on
// anything else but tid.
static bool loop_vars(const struct ix *e, const struct ix_var **var, int *n) {
    switch (e->op) {
    case IX_VAR:
        if (e->var->kind == IX_TID) return true;
        if (e->var->kind != IX_LOOP || !lay_int_static(e->var->lo) || !lay_int_static(e->var->end))
            return false;
        for (int i = 0; i < *n; ++i) {
            if (var[i] == e->var) return true;
        }
        if (*n == MAX_LOOPS) return false;
        var[(*n)++] = e->var;
        return true;
    case IX_DIV:
    case IX_MOD:
    case IX_SWZ: return loop_vars(e->a, var, n);
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) {
            if (e->term[i].coef.nsyms || (e->term[i].atom && !loop_vars(e->term[i].atom, var, n)))
                return false;
        }
    }
    return true;
}

struct owners {
    int32_t *of;  // by element: a thread, NOBODY or SEVERAL
    int64_t n;
    bool claim;
};
enum { NOBODY = -1, SEVERAL = -2 };

// Thread "t" touches the elements of one value of the loop variables.
static bool touch(const struct copy_facts *f, const struct part *p, const int64_t *stride,
                  int64_t base, int64_t t, struct owners *o) {
    int64_t count[MAX_MODES] = {0};
    for (;;) {
        int64_t at = base;
        for (int i = 0; i < f->nmodes; ++i) at += count[i] * stride[i];
        at = lay_swizzle_apply(p->sw, at);
        for (int e = 0; e < f->vec; ++e) {
            if (at + e < 0 || at + e >= o->n) return false;
            int32_t *who = &o->of[at + e];
            if (!o->claim && *who != NOBODY && *who != t) return false;
            if (o->claim) *who = *who == NOBODY || *who == t ? (int32_t)t : SEVERAL;
        }
        int i = 0;
        while (i < f->nmodes && ++count[i] == f->mode[i].extent) count[i++] = 0;
        if (i == f->nmodes) return true;
    }
}

// For every element that thread t of the access touches, in any iteration: with "claim" it becomes
// t's, else it must be t's or nobody's.  False when it is not so, or cannot be told.
static bool owners(struct session *s, const struct kernel *k, struct access a, struct owners *o) {
    const struct copy_facts *f = &a.copy->facts;
    const struct part *p = a.write ? &f->dst : &f->src;
    const struct ix_var *var[MAX_LOOPS];
    int nvars = 0;
    int64_t stride[MAX_MODES], points = f->threads * f->vec;
    if (f->nmodes > MAX_MODES || !loop_vars(p->offset, var, &nvars)) return false;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int d = a.write ? f->mode[i].dst : f->mode[i].src;
        if (!lay_int_static(d)) return false;
        stride[i] = d.num;
        points *= f->mode[i].extent;
    }
    int64_t *value = ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1);
    struct ix_env env = {value, value};
    for (int i = 0; i < nvars; ++i) {
        int64_t extent = var[i]->end.num - var[i]->lo.num;
        if (extent < 1) return true;  // never runs
        if (extent > MAX_ELEMENTS / points) return false;
        points *= extent;
        value[var[i]->id] = var[i]->lo.num;
    }
    for (;;) {
        for (int64_t t = 0; t < f->threads; ++t) {
            int64_t base;
            value[k->tid->id] = t;
            if (!ix_eval(p->offset, &env, &base) || !touch(f, p, stride, base, t, o)) return false;
        }
        int i = 0;
        for (; i < nvars && ++value[var[i]->id] == var[i]->end.num; ++i)
            value[var[i]->id] = var[i]->lo.num;
        if (i == nvars) return true;
    }
}

// One side of "a" is the other of "b", element by element of each thread, in the same iteration and
// in all.
static bool same_parts(struct access a, struct access b) {
    const struct copy_facts *f = &a.copy->facts, *g = &b.copy->facts;
    const struct part *p = a.write ? &f->dst : &f->src, *q = b.write ? &g->dst : &g->src;
    if (f->threads != g->threads || f->nmodes != g->nmodes || f->vec != g->vec) return false;
    if (memcmp(&p->sw, &q->sw, sizeof p->sw) != 0 || !ix_equal(p->offset, q->offset)) return false;
    if (ix_depends(p->offset, IX_LOOP)) return false;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int x = a.write ? f->mode[i].dst : f->mode[i].src,
                       y = b.write ? g->mode[i].dst : g->mode[i].src;
        if (f->mode[i].extent != g->mode[i].extent || !lay_int_equal(x, y)) return false;
    }
    return true;
}

static bool same_threads(struct session *s, const struct kernel *k, struct access a,
                         struct access b) {
    if (!a.copy || !b.copy) return false;
    if (same_parts(a, b)) return true;
    const struct tensor *t = buffer_of(k, a);
    struct lay_int cosize = lay_cosize(&s->lay, t->layout);
    if (!lay_int_static(cosize) || cosize.num > MAX_ELEMENTS) return false;
    int64_t n = cosize.num;
    if (t->layout.sw.b) n = 2 * n + 4096;  // a swizzle reaches up to the end of its period
    struct arena_mark mark = arena_mark(&s->arena);
    struct owners o = {ARENA_ARRAY(&s->arena, int32_t, n), n, true};
    for (int64_t i = 0; i < n; ++i) o.of[i] = NOBODY;
    bool same = owners(s, k, a, &o);
    o.claim = false;
    same = same && owners(s, k, b, &o);
    arena_rewind(&s->arena, mark);
    return same;
}

// -- the walk -------------------------------------------------------------------------------------

// Whether "a", of copy "c", may not run beside what is pending; notes the first such access for
// those who ask why.
static bool conflicts(struct session *s, const struct kernel *k, const struct state *st,
                      struct access a, struct copy *c) {
    const struct tensor *t = buffer_of(k, a);
    if (!t) return false;
    for (int i = 0; i < st->n; ++i) {
        if (buffer_of(k, st->at[i]) != t || !(st->at[i].write || a.write)) continue;
        // what several copies write to a global tensor are different elements
        if (t->space == MEM_GLOBAL && st->at[i].write && a.write) continue;
        if (same_threads(s, k, st->at[i], a)) continue;
        if (c && !c->facts.barrier_before) {
            c->facts.barrier_with = st->at[i].copy;
            c->facts.barrier_with_call = !st->at[i].copy;
            c->facts.barrier_with_writes = st->at[i].write;
            c->facts.barrier_writes = a.write;
        }
        return true;
    }
    return st->everything;
}

static void pend(const struct kernel *k, struct state *st, struct access a) {
    if (!buffer_of(k, a)) return;
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].copy == a.copy && st->at[i].arg == a.arg && st->at[i].write == a.write)
            return;
    }
    if (st->n == MAX_PENDING)
        st->everything = true;
    else
        st->at[st->n++] = a;
}

static bool merge(const struct kernel *k, struct state *into, const struct state *from) {
    int before = into->n;
    bool all = into->everything;
    into->everything |= from->everything;
    for (int i = 0; i < from->n; ++i) pend(k, into, from->at[i]);
    return into->n != before || into->everything != all;
}

static void run_call(struct session *s, struct kernel *k, struct plan_call *y, struct state *st) {
    for (int pass = 0; pass < 2;
         ++pass) {  // does any argument need a barrier? then they are pending
        for (int i = 0; i < y->fn->nformals; ++i) {
            enum dir dir = y->fn->formal[i].dir;
            struct access read = {NULL, y->view[i].base, false},
                          write = {NULL, y->view[i].base, true};
            if (pass == 0 && dir != ARG_OUT && conflicts(s, k, st, read, NULL))
                y->barrier_before = true;
            if (pass == 0 && dir != ARG_IN && conflicts(s, k, st, write, NULL))
                y->barrier_before = true;
            if (pass == 1 && dir != ARG_OUT) pend(k, st, read);
            if (pass == 1 && dir != ARG_IN) pend(k, st, write);
        }
        if (pass == 0 && y->barrier_before) *st = (struct state){0};
    }
}

// The state after "list", entered with "st"; adds barriers where they are needed.
static void run(struct session *s, struct kernel *k, struct stmt *list, struct state *st) {
    for (struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY) {
            struct access read = {x->copy, NULL, false}, write = {x->copy, NULL, true};
            if (conflicts(s, k, st, read, x->copy) || conflicts(s, k, st, write, x->copy))
                x->copy->facts.barrier_before = true;
            if (x->copy->facts.barrier_before) *st = (struct state){0};
            pend(k, st, read);
            pend(k, st, write);
            continue;
        }
        if (x->kind == STMT_CALL) {
            run_call(s, k, x->call, st);
            continue;
        }
        struct state *enter = ARENA_NEW(&s->arena, struct state);
        struct state *leave = ARENA_NEW(&s->arena, struct state);
        *enter = *st;
        do {
            *leave = *enter;
            run(s, k, x->body, leave);
        } while (merge(k, enter, leave));
        merge(k, st, leave);
    }
}

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
        struct state *st = ARENA_NEW(&s->arena, struct state);
        run(s, k, k->body, st);
        if (k->device && !without_barriers(s, k, k->body)) ok = false;
    }
    return ok;
}
