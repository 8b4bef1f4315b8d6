// Replaces sets by fewer or larger ones: a property that holds for these holds for those.
//
// Joined: if v is in 0 .. m in one set and in m .. n in another, with 0 <= m <= n, and everything
// else is equal, one set with v in 0 .. n has the same instances, each once.
//
// Joined widely: if v is in 0 .. m and in k .. n, with k >= m, the set with v in 0 .. n has the
// instances of both, and more.
//
// Widened: a set with more instances.  If these name different elements, so do the original ones.

#include "base/session.h"
#include "prove/private.h"

// -- joined ---------------------------------------------------------------------------------------

static struct lay_int product_of(const struct ix *e) {
    struct lay_int n;
    return ix_monomial(e, &n) ? n : LAY_INT_INVALID;
}

// Replaces variables that do not begin at 0 by variables that do: those that begin at a number, or
// with "all" all.
static void begin_at_0(struct session *s, struct draft *d, bool all) {
    for (int i = 0; i < d->nvars; ++i) {
        const struct prove_var was = d->var[i];
        if (!was.begin || !was.end || (!all && !ix_constant(was.begin))) continue;
        if (ix_static(was.begin, NULL) && was.begin->lo == 0) continue;
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

static bool is_loop(const struct prove_var *v) {
    return v->var->kind == IX_LOOP || v->var->kind == IX_NAMED;
}

// A variable to replace "v", with only the range that its bounds give; with "open" without an end.
// A simplification that uses the range of one set must be true in the other.
static struct ix_var *in_place_of(struct session *s, const struct prove_var *v, bool open) {
    int64_t begin;
    bool from = ix_static(v->begin, &begin);
    bool ends = !open && from && begin == 0;
    struct ix_var *x = draft_var(s, v->var, ends ? product_of(v->end) : LAY_INT_INVALID);
    x->lo = lay_int(from ? begin : -((int64_t)1 << 61));
    return x;
}

// Replaces the variables of "d" by those in "var".
static void rename_all(struct session *s, struct draft *d, struct ix_var *const *var) {
    for (int i = 0; i < d->nvars; ++i) {
        if (!var[i]) continue;
        draft_substitute(s, d, d->var[i].var, ix_var(s, var[i]));
        d->var[i].var = var[i];
    }
}

static bool same_bounds(const struct draft *a, const struct draft *b, int but) {
    for (int i = 0; i < a->nvars; ++i) {
        const struct prove_var *x = &a->var[i], *y = &b->var[i];
        if (i == but) continue;
        if (!x->begin || !y->begin || !ix_equal(x->begin, y->begin)) return false;
        if (!x->end != !y->end || (x->end && !ix_equal(x->end, y->end))) return false;
    }
    return true;
}

// How the variable of "b" continues that of "a".  BEGINS: from the end of "a".  GOES_ON: with its
// own values, which may begin later.  COUNTS_ON: counted from the end of "a".
enum behind { BEGINS, GOES_ON, COUNTS_ON };

static struct draft copy(struct session *s, const struct draft *d) {
    const struct prove_set x = draft_set(d);
    return draft_of(s, &x);
}

// Whether "a" and "b" are equal except for the variable at "at", whose values in "b" continue those
// in "a", or with a gap begin later.  If so, "a" becomes the union, including the gap.  Proceeds in
// the order of variables: the earlier ones have equal bounds, so what is known of those of "a" is
// true of those of "b".
static bool join_by(struct prover *p, struct draft *a, const struct draft *b, int at,
                    enum behind behind) {
    struct session *s = p->s;
    struct ix_var *var[MOST_DIMS] = {NULL};
    struct draft x = copy(s, a), y = copy(s, b);
    for (int i = 0; i < a->nvars; ++i)
        if (is_loop(&a->var[i])) var[i] = in_place_of(s, &a->var[i], i == at);
    struct ix_var *const self = var[at];
    rename_all(s, &x, var);
    var[at] = NULL;
    rename_all(s, &y, var);
    // now both have the same variables, except that this one is "less" smaller in "b" than in "a"
    const struct prove_var *first = &x.var[at], *second = &y.var[at];
    const struct ix *less = behind == BEGINS      ? ix_sub(s, first->end, second->begin)
                            : behind == COUNTS_ON ? first->end
                                                  : ix_int(s, 0);
    const struct ix *begin = ix_add(s, second->begin, less), *end = ix_add(s, second->end, less);
    const struct ix *m = ix_sub(s, first->end, first->begin), *n = ix_sub(s, end, first->end);
    const struct ix *gap = ix_sub(s, begin, first->end);
    if (!m || !n || !gap) return false;
    draft_substitute(s, &y, second->var, ix_sub(s, ix_var(s, self), less));
    if (!same_all(x.out, x.nouts, y.out, y.nouts) ||
        !same_all(x.cond, x.nconds, y.cond, y.nconds) || !same_bounds(&x, &y, at))
        return false;
    // for all values of the variables around it
    struct prove_set outer = {.var = x.var, .nvars = at};
    if (!prove_always(p, &outer, m) || !prove_always(p, &outer, n) || !prove_always(p, &outer, gap))
        return false;
    const struct prove_var whole = {first->var, first->begin, end};
    struct ix_var *v = in_place_of(s, &whole, false);
    x.var[at] = (struct prove_var){v, whole.begin, whole.end};
    draft_substitute(s, &x, whole.var, ix_var(s, v));
    *a = x;
    return true;
}

static bool join_at(struct prover *p, struct draft *a, const struct draft *b, int at, bool gap) {
    if (!is_loop(&a->var[at]) || !a->var[at].end || !b->var[at].end) return false;
    return join_by(p, a, b, at, BEGINS) ||
           (gap && (join_by(p, a, b, at, GOES_ON) || join_by(p, a, b, at, COUNTS_ON)));
}

// Whether the variables of "a" and "b" correspond: those of blocks and threads must be the same.
static bool same_variables(const struct draft *a, const struct draft *b) {
    if (a->nvars != b->nvars || a->nvars > MOST_DIMS) return false;
    for (int i = 0; i < a->nvars; ++i) {
        bool loop = is_loop(&a->var[i]);
        if (loop != is_loop(&b->var[i]) || (!loop && a->var[i].var->id != b->var[i].var->id))
            return false;
    }
    return true;
}

static bool join(struct prover *p, struct draft *a, struct draft *b, bool gap) {
    if (!same_variables(a, b)) return false;
    for (int i = 0; i < a->nvars; ++i) {
        if (join_at(p, a, b, i, gap)) return true;
        if (!join_at(p, b, a, i, gap)) continue;
        *a = *b;
        return true;
    }
    return false;
}

// Joins as many of the "n" sets in "d" as possible; returns the number that remains.
static int join_all(struct prover *p, struct draft *d, int n, bool gap) {
    for (bool joined = n > 1; joined;) {
        joined = false;
        for (int i = 0; i < n && !joined; ++i) {
            for (int j = i + 1; j < n && !joined; ++j) {
                joined = join(p, &d[i], &d[j], gap);
                if (joined) d[j] = d[--n];
            }
        }
    }
    return n;
}

int join_sets(struct prover *p, const struct prove_set *set, int n, struct prove_set *out) {
    struct session *s = p->s;
    struct draft *d = ARENA_ARRAY(&s->arena, struct draft, n + 1);
    struct draft *all = ARENA_ARRAY(&s->arena, struct draft, n + 1);
    for (int i = 0; i < n; ++i) {
        d[i] = draft_of(s, &set[i]);
        begin_at_0(s, &d[i], false);
    }
    n = join_all(p, d, n, false);
    for (int i = 0; i < n; ++i) {
        const struct prove_set x = draft_set(&d[i]);
        all[i] = draft_of(s, &x);
        begin_at_0(s, &all[i], true);
    }
    int fewer = join_all(p, all, n, false);
    for (int i = 0; i < n; ++i) out[i] = draft_set(fewer < n ? &all[i] : &d[i]);
    lay_clear_error(&s->lay);
    return fewer;
}

int join_widely(struct prover *p, const struct prove_set *set, int n, struct prove_set *out) {
    struct draft *d = ARENA_ARRAY(&p->s->arena, struct draft, n + 1);
    for (int i = 0; i < n; ++i) d[i] = draft_of(p->s, &set[i]);
    n = join_all(p, d, n, true);
    for (int i = 0; i < n; ++i) out[i] = draft_set(&d[i]);
    lay_clear_error(&p->s->lay);
    return n;
}

// -- widened --------------------------------------------------------------------------------------

// A lower bound of the variable at "at" that may replace its begin.  If the variable looks like a
// link of a chain, i in f(y) + 2 .. f(y+1), it is the end of the previous link, otherwise the
// minimum of its begin.  NULL if there is no other bound than its begin.
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
    if (ix_static(v->begin, NULL)) return NULL;
    if (!ix_constant(v->begin)) return draft_bound(s, d->var, at, v->begin, false);
    return ix_provably_nonnegative(s, v->begin) ? ix_int(s, 0) : NULL;
}

// The divisor S if "e" contains a rotation (v + c) % S of "v"; NULL if not.
static const struct ix *rotation(struct session *s, const struct ix *e, const struct ix_var *v) {
    const struct ix *r = NULL;
    if (!ix_depends_on(e, v) || e->op == IX_VAR) return NULL;
    for (int i = 0; e->op == IX_SUM && i < e->nterms && !r; ++i)
        r = rotation(s, e->term[i].atom, v);
    if (e->op != IX_MOD) return e->op == IX_SUM ? r : rotation(s, e->a, v);
    const struct ix *rest = ix_sub(s, e->a, ix_var(s, v));
    return rest && !ix_depends_on(rest, v) ? ix_lay(s, e->k) : NULL;
}

// If "d" names a rotation of the variable at "at", which has only part of the range of the
// rotation, gives the variable the complete range.
static bool turn_wholly(struct prover *p, struct draft *d, int at) {
    struct session *s = p->s;
    struct prove_var *v = &d->var[at];
    const struct ix *end = NULL;
    for (int i = 0; i < d->nouts && !end; ++i) end = rotation(s, d->out[i], v->var);
    if (!end || !v->end || draft_bounds_hold(d, v->var, at)) return false;
    if (ix_equal(end, v->end) && ix_static(v->begin, NULL) && v->begin->lo == 0) return false;
    struct prove_set outer = {.var = d->var, .nvars = at};
    if (!prove_always(p, &outer, v->begin) || !prove_always(p, &outer, ix_sub(s, end, v->end)))
        return false;
    v->begin = ix_int(s, 0);
    v->end = end;
    return true;
}

bool join_widen(struct prover *p, const struct prove_set *set, struct prove_set *out) {
    struct draft d = draft_of(p->s, set);
    struct question *q = ARENA_NEW(&p->s->arena, struct question);
    struct qset *x = ARENA_NEW(&p->s->arena, struct qset);
    *q = (struct question){.p = p, .s = p->s};
    *x = (struct qset){0};
    while (rewrite_digits(q, &d, x)) {
    }
    bool any = false;
    for (int i = 0; i < d.nvars; ++i) {
        bool turned = turn_wholly(p, &d, i);
        const struct ix *begin = turned ? NULL : earlier(p, &d, i);
        if (!begin && !turned) continue;
        if (begin) d.var[i].begin = begin;
        struct ix_var *v = in_place_of(p->s, &d.var[i], false);
        draft_substitute(p->s, &d, d.var[i].var, ix_var(p->s, v));
        d.var[i].var = v;
        any = true;
    }
    *out = draft_set(&d);
    lay_clear_error(&p->s->lay);
    return any;
}
