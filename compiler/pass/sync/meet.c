// Do two accesses touch the same elements, by enumerating the elements of both (see meet.h).
#include "pass/sync/meet.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"

enum { MAX_MODES = 64, MAX_LOOPS = 8, MAX_ELEMENTS = 1 << 22 };

static bool is_inout(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].tensor == t) return k->formal[i].dir == ARG_INOUT;
    }
    return false;
}

const struct tensor *meet_buffer(const struct kernel *k, struct access a) {
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
    const struct ix_var *by;  // not threads own the elements, but the values of this variable
    enum meet found;          // when it does not claim
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
            if (o->claim)
                *who = *who == NOBODY || *who == t ? (int32_t)t : SEVERAL;
            else if (*who != NOBODY && *who != t)
                return false;
            else if (*who == t)
                o->found = MEET_OWN;
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
    const struct part *p = copy_part(f, !a.write);
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
            if (f->lanes && t % 32 >= f->lanes) continue;
            value[k->tid->id] = t;
            int64_t who = o->by ? value[o->by->id] : t;
            if (!ix_eval(p->offset, &env, &base) || !touch(f, p, stride, base, who, o))
                return false;
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
    const struct part *p = copy_part(f, !a.write), *q = copy_part(g, !b.write);
    if (f->threads != g->threads || f->lanes != g->lanes) return false;
    if (f->nmodes != g->nmodes || f->vec != g->vec) return false;
    if (memcmp(&p->sw, &q->sw, sizeof p->sw) != 0 || !ix_equal(p->offset, q->offset)) return false;
    if (ix_depends(p->offset, IX_LOOP)) return false;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int x = a.write ? f->mode[i].dst : f->mode[i].src,
                       y = b.write ? g->mode[i].dst : g->mode[i].src;
        if (f->mode[i].extent != g->mode[i].extent || !lay_int_equal(x, y)) return false;
    }
    return true;
}

// Whether each element of "b" has the owner of "a" alone, in a buffer of "n" elements.
static bool both(struct session *s, const struct kernel *k, struct access a, struct access b,
                 const struct tensor *t, int64_t n, struct owners *o) {
    if (t->layout.sw.b) n = 2 * n + 4096;  // a swizzle reaches up to the end of its period
    struct arena_mark mark = arena_mark(&s->arena);
    o->of = ARENA_ARRAY(&s->arena, int32_t, n);
    o->n = n;
    for (int64_t i = 0; i < n; ++i) o->of[i] = NOBODY;
    o->claim = true;
    bool told = owners(s, k, a, o);
    o->claim = false;
    told = told && owners(s, k, b, o);
    arena_rewind(&s->arena, mark);
    return told;
}

// Whether what "a" and "b" have in common they touch in one iteration of the loop of "v".
static bool iterations_apart(struct session *s, const struct kernel *k, struct access a,
                             struct access b, const struct ix_var *v) {
    const struct tensor *t = meet_buffer(k, a);
    struct lay_int n = lay_cosize(&s->lay, t->layout);
    struct owners o = {.by = v, .found = MEET_NOT};
    return lay_int_static(n) && n.num <= MAX_ELEMENTS && both(s, k, a, b, t, n.num, &o);
}

static bool depends_on(struct access a, const struct ix_var *v) {
    const struct copy_facts *f = &a.copy->facts;
    return ix_depends_on(a.write ? f->dst.offset : f->src.offset, v);
}

static bool is_collective(struct access a) {
    return atom_is_collective(copy_atom(a.copy)->row);
}

enum meet meet(struct session *s, const struct kernel *k, struct access a, struct access b,
               const struct ix_var *differs) {
    if (differs && a.copy && b.copy && depends_on(a, differs) && depends_on(b, differs) &&
        iterations_apart(s, k, a, b, differs))
        return MEET_NOT;
    if (!a.copy || !b.copy) return MEET_OTHERS;
    // what a lane addresses another one moves
    bool own = !is_collective(a) && !is_collective(b);
    if (own && same_parts(a, b)) return MEET_OWN;
    const struct tensor *t = meet_buffer(k, a);
    struct lay_int cosize = lay_cosize(&s->lay, t->layout);
    if (!lay_int_static(cosize) || cosize.num > MAX_ELEMENTS) return MEET_OTHERS;
    struct owners o = {.found = MEET_NOT};
    bool told = both(s, k, a, b, t, cosize.num, &o);
    return told && (own || o.found == MEET_NOT) ? o.found : MEET_OTHERS;
}
