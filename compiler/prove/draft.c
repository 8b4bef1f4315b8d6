// A set of instances that can be modified.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

struct draft draft_of(struct session *s, const struct prove_set *x) {
    struct draft d = {x->nvars, x->nconds, x->nouts};
    d.var = ARENA_ARRAY(&s->arena, struct prove_var, d.nvars + 1);
    d.cond = ARENA_ARRAY(&s->arena, const struct ix *, d.nconds + 1);
    d.out = ARENA_ARRAY(&s->arena, const struct ix *, d.nouts + 1);
    if (d.nvars) memcpy(d.var, x->var, sizeof *d.var * (size_t)d.nvars);
    if (d.nconds) memcpy(d.cond, x->cond, sizeof *d.cond * (size_t)d.nconds);
    if (d.nouts) memcpy(d.out, x->out, sizeof *d.out * (size_t)d.nouts);
    return d;
}

struct prove_set draft_set(const struct draft *d) {
    return (struct prove_set){d->var, d->nvars, d->cond, d->nconds, d->out, d->nouts};
}

int draft_find(const struct draft *d, const struct ix_var *v) {
    for (int i = 0; i < d->nvars; ++i)
        if (d->var[i].var->id == v->id) return i;
    return -1;
}

void draft_drop(struct draft *d, int at) {
    memmove(&d->var[at], &d->var[at + 1], sizeof d->var[0] * (size_t)(d->nvars - at - 1));
    --d->nvars;
}

void draft_substitute(struct session *s, struct draft *d, const struct ix_var *v,
                      const struct ix *by) {
    for (int i = 0; i < d->nvars; ++i) {
        d->var[i].begin = ix_substitute(s, d->var[i].begin, v, by);
        d->var[i].end = ix_substitute(s, d->var[i].end, v, by);
    }
    for (int i = 0; i < d->nconds; ++i) d->cond[i] = ix_substitute(s, d->cond[i], v, by);
    for (int i = 0; i < d->nouts; ++i) d->out[i] = ix_substitute(s, d->out[i], v, by);
}

struct ix_var *draft_var(struct session *s, const struct ix_var *like, struct lay_int end) {
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, like->name, like->c_name, s->next_var++, lay_int(0), end};
    return v;
}

const struct ix *draft_bound(struct session *s, const struct prove_var *var, int n,
                             const struct ix *e, bool max) {
    for (int i = n - 1; i >= 0 && e; --i) {
        const struct prove_var *v = &var[i];
        if (!ix_depends_on(e, v->var)) continue;
        bool rises = ix_rises(e, v->var, false);
        if (!rises && !ix_rises(e, v->var, true)) return max ? ix_max(s, e) : ix_min(s, e);
        if (rises == max && !v->end) return NULL;
        const struct ix *at = rises == max ? ix_sub(s, v->end, ix_int(s, 1)) : v->begin;
        e = ix_substitute(s, e, v->var, at);
    }
    lay_clear_error(&s->lay);
    return e && ix_constant(e) ? e : NULL;
}

// Calls "visit" for "e" and everything in it.
void draft_walk_ix(struct question *q, const struct ix *e, draft_visitor *visit, void *user) {
    if (!e) return;
    visit(q, e, user);
    if (e->op == IX_SUM) {
        for (int i = 0; i < e->nterms; ++i) draft_walk_ix(q, e->term[i].atom, visit, user);
    } else if (e->op != IX_VAR) {
        draft_walk_ix(q, e->a, visit, user);
    }
}

void draft_walk(struct question *q, const struct prove_set *x, draft_visitor *visit, void *user) {
    for (int i = 0; i < x->nvars; ++i) {
        draft_walk_ix(q, x->var[i].begin, visit, user);
        draft_walk_ix(q, x->var[i].end, visit, user);
    }
    for (int i = 0; i < x->nconds; ++i) draft_walk_ix(q, x->cond[i], visit, user);
    for (int i = 0; i < x->nouts; ++i) draft_walk_ix(q, x->out[i], visit, user);
}

bool draft_bounds_hold(const struct draft *d, const struct ix_var *v, int but) {
    for (int i = 0; i < d->nvars; ++i) {
        if (i != but && (ix_depends_on(d->var[i].begin, v) || ix_depends_on(d->var[i].end, v)))
            return true;
    }
    return false;
}

void draft_replaced(struct question *q, struct qset *set, struct replaced r) {
    struct replaced *x = ARENA_NEW(&q->s->arena, struct replaced);
    *x = r;
    x->next = set->replaced;
    set->replaced = x;
}

bool draft_from_0(const struct prove_var *v, struct lay_int *end) {
    int64_t begin;
    return ix_static(v->begin, &begin) && begin == 0 && v->end && ix_monomial(v->end, end);
}

// -- sets that are alike --------------------------------------------------------------------------

static bool same_ix(const struct prove_set *a, const struct prove_set *b, const struct ix *x,
                    const struct ix *y) {
    if (!x || !y || x->op != y->op) return false;
    if (x->op == IX_VAR) {
        for (int i = 0; i < a->nvars; ++i)
            if (a->var[i].var == x->var || b->var[i].var == y->var)
                return a->var[i].var == x->var && b->var[i].var == y->var;
        return x->var == y->var;
    }
    if (x->op == IX_SUM) {
        if (x->nterms != y->nterms) return false;
        for (int i = 0; i < x->nterms; ++i) {
            const struct ix *p = x->term[i].atom, *q = y->term[i].atom;
            if (!lay_int_equal(x->term[i].coef, y->term[i].coef) || !p != !q) return false;
            if (p && !same_ix(a, b, p, q)) return false;
        }
        return true;
    }
    bool alike =
        x->op == IX_SWZ ? memcmp(&x->sw, &y->sw, sizeof x->sw) == 0 : lay_int_equal(x->k, y->k);
    return alike && same_ix(a, b, x->a, y->a);
}

bool draft_alike(const struct prove_set *a, const struct prove_set *b) {
    if (a->nvars != b->nvars || a->nconds != b->nconds || a->nouts != b->nouts) return false;
    for (int i = 0; i < a->nvars; ++i) {
        if (!same_ix(a, b, a->var[i].begin, b->var[i].begin)) return false;
        if (!same_ix(a, b, a->var[i].end, b->var[i].end)) return false;
    }
    for (int i = 0; i < a->nconds; ++i)
        if (!same_ix(a, b, a->cond[i], b->cond[i])) return false;
    for (int i = 0; i < a->nouts; ++i)
        if (!same_ix(a, b, a->out[i], b->out[i])) return false;
    return true;
}
