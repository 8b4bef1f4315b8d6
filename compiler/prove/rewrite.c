// Replaces variables of index expressions by others, so that what a param multiplies or divides
// becomes linear for isl.
//
//   digits    v / S and v % S, v in 0 .. S*T:   v = S*q + r with q in 0 .. T, r in 0 .. S
//   sums      x + S*y, x in 0 .. S, y in 0 .. T:  one variable t in 0 .. S*T
//   begins    v in a .. b:  a + v, v in 0 .. b - a
//   rotations (v + c) % S, v in 0 .. S, no other use of v:  v in 0 .. S
//   turns     S*x - y, y in 0 .. T:  S*x + y - (T - 1)
//   chains    i in f(y) .. f(y+1), f monotone, y in 0 .. n, no other use of y: i in f(0) .. f(n)
//
// Each replacement keeps the instances: each old one has exactly one new one.

#include "base/session.h"
#include "prove/private.h"

// -- looking at a set ----------------------------------------------------------------------------

static bool used_inside(const struct draft *d, const struct ix_var *v) {
    for (int i = 0; i < d->nconds; ++i)
        if (ix_depends_on(d->cond[i], v)) return true;
    for (int i = 0; i < d->nouts; ++i)
        if (ix_depends_on(d->out[i], v)) return true;
    return false;
}

// -- chains ---------------------------------------------------------------------------------------

static const struct ix *at_value(struct session *s, const struct ix *e, const struct ix_var *v,
                                 const struct ix *value) {
    const struct ix *r = ix_substitute(s, e, v, value);
    lay_clear_error(&s->lay);
    return r;
}

// The begin of "in" as a function of "at" (the variable "y", or one with a longer range) for the
// values of "y" and the next one, such that the end of "in" is the begin at y + 1. If the range of
// "y" has simplified the begin, as 4*y / K to 0 in the first of several sets, the function comes
// from the end.  NULL if there is none.
static const struct ix *link(struct session *s, const struct prove_var *in, const struct ix_var *y,
                             const struct ix_var **at) {
    const struct ix *self = ix_var(s, y), *one = ix_int(s, 1);
    *at = y;
    if (ix_depends_on(in->begin, y)) {
        const struct ix *after = at_value(s, in->begin, y, ix_add(s, self, one));
        if (after && ix_equal(after, in->end)) return in->begin;
    }
    if (!in->end || !ix_depends_on(in->end, y)) return NULL;
    struct ix_var *open = draft_var(s, y, LAY_INT_INVALID);
    open->lo = y->lo;
    *at = open;
    const struct ix *begin = at_value(s, in->end, y, ix_sub(s, ix_var(s, open), one));
    const struct ix *now = begin ? at_value(s, begin, open, self) : NULL;
    return now && ix_equal(now, in->begin) ? begin : NULL;
}

// Removes the variable at "y" from "d" if the variable at "i" continues, for each value of it,
// where it ended for the previous one.
static bool chain(struct question *q, struct draft *d, int i, int y, struct qset *set) {
    struct session *s = q->s;
    const struct prove_var in = d->var[i], of = d->var[y];
    const struct ix_var *at;
    const struct ix *f = link(s, &in, of.var, &at);
    if (!f || !ix_rises(f, at, false)) return false;
    if (draft_bounds_hold(d, of.var, i) || used_inside(d, of.var)) return false;
    // if y has no value there are no iterations, and the new bounds must not add any
    if (!ix_provably_nonnegative(s, ix_sub(s, of.end, of.begin))) return false;
    const struct ix *begin = at_value(s, f, at, of.begin), *end = at_value(s, f, at, of.end);
    if (!begin || !end) return false;
    draft_replaced(
        q, set,
        (struct replaced){
            .var = of.var, .begin = in.begin, .of = in.var, .first = of.begin, .last = of.end});
    d->var[i].begin = begin;
    d->var[i].end = end;
    // the bounds of "i" may contain variables after it; y came before
    draft_drop(d, y);
    return true;
}

static bool find_chain(struct question *q, struct draft *d, struct qset *set) {
    for (int i = 0; i < d->nvars; ++i)
        for (int y = 0; y < i; ++y)
            if (chain(q, d, i, y, set)) return true;
    return false;
}

// -- begins and turns -----------------------------------------------------------------------------

// The range as a product; invalid if it is none.
static struct lay_int product_of(const struct ix *e) {
    struct lay_int n;
    return ix_monomial(e, &n) ? n : LAY_INT_INVALID;
}

// Replaces the variable at "i" by one that begins at 0, or with "turn" by one that counts down.
static void exchange(struct question *q, struct draft *d, int i, bool turn, struct qset *set) {
    struct session *s = q->s;
    const struct prove_var was = d->var[i];
    const struct ix *n = ix_sub(s, was.end, was.begin);
    struct ix_var *v = draft_var(s, was.var, product_of(n));
    const struct ix *at = ix_var(s, v);
    at = turn ? ix_sub(s, ix_sub(s, was.end, ix_int(s, 1)), at) : ix_add(s, was.begin, at);
    d->var[i] = (struct prove_var){v, ix_int(s, 0), n};
    draft_substitute(s, d, was.var, at);
    draft_replaced(q, set, (struct replaced){.var = was.var, .value = at});
}

static bool find_begin(struct question *q, struct draft *d, struct qset *set) {
    for (int i = 0; i < d->nvars; ++i) {
        const struct prove_var *v = &d->var[i];
        if (ix_static(v->begin, NULL) && v->begin->lo == 0) continue;
        if (!v->end || !ix_constant(v->begin) || !used_inside(d, v->var)) continue;
        exchange(q, d, i, false, set);
        return true;
    }
    return false;
}

struct turned {
    const struct draft *d;
    int at;
};

static void find_turned(struct question *q, const struct ix *e, void *user) {
    struct turned *f = user;
    bool symbols = false;
    (void)q;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i)
        symbols |= e->term[i].coef.nsyms && e->term[i].atom && e->term[i].atom->op == IX_VAR;
    for (int i = 0; symbols && f->at < 0 && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (t->coef.num > 0 || !t->atom || t->atom->op != IX_VAR) continue;
        f->at = draft_find(f->d, t->atom->var);
        if (f->at >= 0 && !(f->d->var[f->at].end && ix_constant(f->d->var[f->at].begin) &&
                            ix_constant(f->d->var[f->at].end)))
            f->at = -1;
    }
}

// Replaces a variable that counts down next to one that a param multiplies.
static bool find_turn(struct question *q, struct draft *d, struct qset *set) {
    struct turned f = {d, -1};
    for (int i = 0; i < d->nouts && f.at < 0; ++i) draft_walk_ix(q, d->out[i], find_turned, &f);
    if (f.at < 0) return false;
    exchange(q, d, f.at, true, set);
    return true;
}

// -- rotations ------------------------------------------------------------------------------------

struct rotation {
    const struct ix_var *v;
    struct lay_int size;
    const struct ix *found;
};

static void find_rotation(struct question *q, const struct ix *e, void *user) {
    struct rotation *r = user;
    if (r->found || e->op != IX_MOD || !lay_int_equal(e->k, r->size)) return;
    const struct ix *rest = ix_sub(q->s, e->a, ix_var(q->s, r->v));
    if (rest && !ix_depends_on(rest, r->v) && ix_depends_on(e->a, r->v)) r->found = e;
}

struct exchange {
    const struct ix *of, *by;
};

// "e" with one expression replaced by another.
static const struct ix *exchange_term(struct session *s, const struct ix *e, const void *user) {
    const struct exchange *x = user;
    return ix_equal(e, x->of) ? x->by : ix_made_of(s, e, exchange_term, x);
}

static bool rotate(struct question *q, struct draft *d, int i, struct qset *set) {
    struct session *s = q->s;
    int64_t begin;
    struct rotation r = {.v = d->var[i].var};
    struct prove_set now = {NULL, 0, d->cond, d->nconds, d->out, d->nouts};
    if (!ix_static(d->var[i].begin, &begin) || begin != 0 || !d->var[i].end ||
        !ix_monomial(d->var[i].end, &r.size) || draft_bounds_hold(d, r.v, -1))
        return false;
    draft_walk(q, &now, find_rotation, &r);
    if (!r.found) return false;
    struct ix_var *v = draft_var(s, r.v, r.size);
    const struct ix *by = ix_var(s, v);
    const struct ix **cond = ARENA_ARRAY(&s->arena, const struct ix *, d->nconds + 1);
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, d->nouts + 1);
    bool gone = true;
    for (int j = 0; j < d->nconds; ++j) {
        cond[j] = exchange_term(s, d->cond[j], &(struct exchange){r.found, by});
        gone = gone && cond[j] && !ix_depends_on(cond[j], r.v);
    }
    for (int j = 0; j < d->nouts; ++j) {
        out[j] = exchange_term(s, d->out[j], &(struct exchange){r.found, by});
        gone = gone && out[j] && !ix_depends_on(out[j], r.v);
    }
    if (!gone) return false;
    const struct ix *shift = ix_sub(s, r.found->a, ix_var(s, r.v));
    d->cond = cond;
    d->out = out;
    d->var[i].var = v;
    draft_replaced(q, set,
                   (struct replaced){.var = r.v, .value = ix_mod(s, ix_sub(s, by, shift), r.size)});
    return true;
}

static bool find_rotations(struct question *q, struct draft *d, struct qset *set) {
    for (int i = 0; i < d->nvars; ++i)
        if (rotate(q, d, i, set)) return true;
    return false;
}

// -- sums -----------------------------------------------------------------------------------------

static bool begins_at_0(const struct prove_var *v) {
    int64_t begin;
    return ix_static(v->begin, &begin) && begin == 0 && v->end;
}

// For a param times variable "y", the other variable "x" that runs over 0 .. that param; -1 if
// there is none.
static int partner(struct question *q, const struct draft *d, const struct ix *e,
                   const struct ix_term *t, int y) {
    for (int j = 0; j < e->nterms; ++j) {
        const struct ix_term *u = &e->term[j];
        int x = u->atom && u->atom->op == IX_VAR ? draft_find(d, u->atom->var) : -1;
        struct lay_int end;
        if (x < 0 || x == y || !draft_from_0(&d->var[x], &end)) continue;
        struct lay_int step = lay_int_mul(&q->s->lay, u->coef, end);
        lay_clear_error(&q->s->lay);
        if (lay_int_valid(step) && lay_int_equal(step, t->coef)) return x;
    }
    return -1;
}

struct sum {
    const struct draft *d;
    int x, y;
};

static void find_sum(struct question *q, const struct ix *e, void *user) {
    struct sum *f = user;
    for (int i = 0; f->x < 0 && e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->coef.nsyms || !t->atom || t->atom->op != IX_VAR) continue;
        int y = draft_find(f->d, t->atom->var);
        if (y < 0 || !begins_at_0(&f->d->var[y]) || !ix_constant(f->d->var[y].end)) continue;
        f->x = partner(q, f->d, e, t, y);
        f->y = y;
    }
}

// If "e" >= 0 is a condition on (t / k) + c or c - (t / k), c without variables, an equivalent
// condition on t; otherwise "e".
static const struct ix *without_quotient(struct session *s, const struct ix *e,
                                         const struct ix_var *t) {
    struct ix_term self = {lay_int(1), e};
    const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
    int n = e->op == IX_SUM ? e->nterms : 1, at = -1;
    const struct ix *c = ix_int(s, 0);
    for (int i = 0; i < n; ++i) {
        const struct ix *a = term[i].atom;
        if (a && ix_depends_on(a, t)) {
            bool one = lay_int_is(term[i].coef, 1) || lay_int_is(term[i].coef, -1);
            if (at >= 0 || !one || a->op != IX_DIV || a->a->op != IX_VAR) return e;
            at = i;
        } else if (a && !ix_constant(a)) {
            return e;
        } else {
            c = ix_add(s, c, a ? ix_scale(s, a, term[i].coef) : ix_lay(s, term[i].coef));
        }
    }
    if (at < 0) return e;
    struct lay_int k = term[at].atom->k;
    const struct ix *v = ix_var(s, t), *scaled = ix_scale(s, c, k);
    if (term[at].coef.num > 0) return ix_add(s, v, scaled);
    return ix_sub(s, ix_add(s, scaled, ix_sub(s, ix_lay(s, k), ix_int(s, 1))), v);
}

// Replaces x + S*y by t, so x is t % S and y is t / S.
static bool merge_sum(struct question *q, struct draft *d, struct qset *set) {
    struct session *s = q->s;
    struct sum f = {d, -1, -1};
    struct lay_int nx;
    for (int i = 0; i < d->nouts && f.x < 0; ++i) draft_walk_ix(q, d->out[i], find_sum, &f);
    for (int i = 0; i < d->nconds && f.x < 0; ++i) draft_walk_ix(q, d->cond[i], find_sum, &f);
    if (f.x < 0) return false;
    draft_from_0(&d->var[f.x], &nx);
    const struct ix *n = ix_scale(s, d->var[f.y].end, nx);
    int64_t lo, hi;
    lay_int_range(nx, &lo, &hi);
    if (!n || lo < 1) return false;
    const struct ix_var *x = d->var[f.x].var, *y = d->var[f.y].var;
    if (draft_bounds_hold(d, x, -1) || draft_bounds_hold(d, y, -1)) return false;
    struct ix_var *t = draft_var(s, x, product_of(n));
    const struct ix *of_t = ix_var(s, t);
    const struct ix *rest = ix_mod(s, of_t, nx), *quotient = ix_div(s, of_t, nx);
    if (!rest || !quotient) return false;
    int first = f.x < f.y ? f.x : f.y, second = f.x < f.y ? f.y : f.x;
    d->var[first] = (struct prove_var){t, ix_int(s, 0), n};
    draft_drop(d, second);
    draft_substitute(s, d, x, rest);
    draft_substitute(s, d, y, quotient);
    for (int i = 0; i < d->nconds; ++i) d->cond[i] = without_quotient(s, d->cond[i], t);
    draft_replaced(q, set, (struct replaced){.var = x, .value = rest});
    draft_replaced(q, set, (struct replaced){.var = y, .value = quotient});
    return true;
}

// -- all ------------------------------------------------------------------------------------------

void rewrite_set(struct question *q, const struct prove_set *in, bool merge, struct prove_set *out,
                 struct qset *set) {
    struct draft d = draft_of(q->s, in);
    while (merge && find_chain(q, &d, set)) {
    }
    while (merge && find_begin(q, &d, set)) {
    }
    while (merge && find_rotations(q, &d, set)) {
    }
    while (merge && rewrite_digits(q, &d, set)) {
    }
    while (merge && (find_chain(q, &d, set) || find_rotations(q, &d, set))) {
    }
    for (int i = 0; merge && i < d.nvars && find_turn(q, &d, set); ++i) {
    }
    while (merge && merge_sum(q, &d, set)) {
    }
    *out = draft_set(&d);
}
