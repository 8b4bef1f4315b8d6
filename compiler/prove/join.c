// Sets that are parts of one, and sets that are larger: what holds of these holds of those.
//
// Joined: where v is in 0 .. m in one set and in m .. n in another, with 0 <= m <= n, and all else
// is equal, their instances are those of one set with v in 0 .. n, each once.
//
// Widened: a set with all its instances and more.  Where they name different elements, so do its
// own.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

// -- joined ---------------------------------------------------------------------------------------

static bool from_0(const struct prove_var *v) {
    int64_t begin;
    return ix_static(v->begin, &begin) && begin == 0;
}

static struct lay_int product_of(const struct ix *e) {
    struct lay_int n;
    return ix_monomial(e, &n) ? n : LAY_INT_INVALID;
}

// Variables that begin at something else become others, that begin at 0.
static void begin_at_0(struct session *s, struct draft *d) {
    for (int i = 0; i < d->nvars; ++i) {
        const struct prove_var was = d->var[i];
        if (from_0(&was) || !was.begin || !was.end) continue;
        const struct ix *n = ix_sub(s, was.end, was.begin);
        struct ix_var *v = draft_var(s, was.var, product_of(n));
        d->var[i] = (struct prove_var){v, ix_int(s, 0), n};
        draft_substitute(s, d, was.var, ix_add(s, was.begin, ix_var(s, v)));
    }
}

static bool same_all(const struct ix *const *a, int na, const struct ix *const *b, int nb) {
    if (na != nb) return false;
    for (int i = 0; i < na; ++i)
        if (!a[i] || !b[i] || !ix_equal(a[i], b[i])) return false;
    return true;
}

// "b" with the variables of "a" in place of its own, that at "at" plus "less" times -1.
static struct draft renamed(struct session *s, const struct draft *a, const struct draft *b, int at,
                            const struct ix *less) {
    struct prove_set x = draft_set(b);
    struct draft d = draft_of(s, &x);
    for (int i = 0; i < a->nvars; ++i) {
        const struct ix *v = ix_var(s, a->var[i].var);
        draft_substitute(s, &d, b->var[i].var, i == at ? ix_sub(s, v, less) : v);
        d.var[i].var = a->var[i].var;
    }
    return d;
}

// Whether "a" and "b" are equal but for the variable at "at", that goes on in "b" from where it
// ends in "a"; "a" then becomes both.
static bool join_at(struct prover *p, struct draft *a, const struct draft *b, int at) {
    struct session *s = p->s;
    const struct ix *m = a->var[at].end, *n = b->var[at].end;
    if (!m || !n || !from_0(&a->var[at]) || !from_0(&b->var[at])) return false;
    struct draft d = renamed(s, a, b, at, m);
    if (!same_all(a->out, a->nouts, d.out, d.nouts) ||
        !same_all(a->cond, a->nconds, d.cond, d.nconds))
        return false;
    for (int i = 0; i < a->nvars; ++i) {
        if (i == at) continue;
        if (!d.var[i].begin || !ix_equal(a->var[i].begin, d.var[i].begin)) return false;
        if (!a->var[i].end != !d.var[i].end) return false;
        if (d.var[i].end && !ix_equal(a->var[i].end, d.var[i].end)) return false;
    }
    // in all of the variables around it
    struct prove_set outer = {.var = a->var, .nvars = at};
    if (!prove_always(p, &outer, m) || !prove_always(p, &outer, d.var[at].end)) return false;
    const struct ix *end = ix_add(s, m, d.var[at].end);
    struct ix_var *v = draft_var(s, a->var[at].var, product_of(end));
    const struct ix_var *was = a->var[at].var;
    a->var[at] = (struct prove_var){v, ix_int(s, 0), end};
    draft_substitute(s, a, was, ix_var(s, v));
    return true;
}

// Whether variables could be each other's: those of a kernel's blocks and threads are the same.
static bool same_variables(const struct draft *a, const struct draft *b) {
    if (a->nvars != b->nvars) return false;
    for (int i = 0; i < a->nvars; ++i) {
        bool loop = a->var[i].var->kind == IX_LOOP || a->var[i].var->kind == IX_NAMED;
        bool other = b->var[i].var->kind == IX_LOOP || b->var[i].var->kind == IX_NAMED;
        if (loop != other || (!loop && a->var[i].var->id != b->var[i].var->id)) return false;
    }
    return true;
}

static bool join(struct prover *p, struct draft *a, struct draft *b) {
    if (!same_variables(a, b)) return false;
    for (int i = 0; i < a->nvars; ++i) {
        if (join_at(p, a, b, i)) return true;
        if (!join_at(p, b, a, i)) continue;
        *a = *b;
        return true;
    }
    return false;
}

int join_sets(struct prover *p, const struct prove_set *set, int n, struct prove_set *out) {
    struct draft *d = ARENA_ARRAY(&p->s->arena, struct draft, n + 1);
    bool joined = n > 1;
    for (int i = 0; i < n; ++i) {
        d[i] = draft_of(p->s, &set[i]);
        begin_at_0(p->s, &d[i]);
    }
    while (joined) {
        joined = false;
        for (int i = 0; i < n && !joined; ++i) {
            for (int j = i + 1; j < n && !joined; ++j) {
                joined = join(p, &d[i], &d[j]);
                if (joined) d[j] = d[--n];
            }
        }
    }
    for (int i = 0; i < n; ++i) out[i] = draft_set(&d[i]);
    lay_clear_error(&p->s->lay);
    return n;
}

// -- widened --------------------------------------------------------------------------------------

// A begin of "v" that is no more than its own: where the one before would end, were "v" one of a
// chain, i in f(y) + 2 .. f(y+1); else the least that it is.  NULL: none but its own.
static const struct ix *earlier(struct prover *p, const struct draft *d, int at) {
    struct session *s = p->s;
    const struct prove_var *v = &d->var[at];
    struct prove_set outer = {.var = d->var, .nvars = at};
    for (int i = 0; v->end && i < at; ++i) {
        const struct ix_var *y = d->var[i].var;
        if (!ix_depends_on(v->end, y)) continue;
        const struct ix *before = ix_sub(s, ix_var(s, y), ix_int(s, 1));
        const struct ix *begin = ix_substitute(s, v->end, y, before);
        const struct ix *more = begin ? ix_sub(s, v->begin, begin) : NULL;
        lay_clear_error(&s->lay);
        if (!more || (ix_static(more, NULL) && more->lo == 0)) return NULL;
        if (prove_always(p, &outer, more)) return begin;
    }
    return ix_constant(v->begin) ? NULL : ix_min(s, v->begin);
}

bool join_widen(struct prover *p, const struct prove_set *set, struct prove_set *out) {
    struct draft d = draft_of(p->s, set);
    bool any = false;
    for (int i = 0; i < d.nvars; ++i) {
        const struct ix *begin = earlier(p, &d, i);
        if (!begin) continue;
        d.var[i].begin = begin;
        any = true;
    }
    *out = draft_set(&d);
    lay_clear_error(&p->s->lay);
    return any;
}
