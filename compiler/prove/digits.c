// Digits: replaces a variable that params divide by a variable for each digit, or by columns of a
// question.
//
// v in 0 .. S*T is S*q + r, with q in 0 .. T and r in 0 .. S.  Each v has one such pair, v / S is
// q, and v % S is r.  The divisors must divide each other, and the last one must divide the range.
// A radix is at least 1.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

enum { MOST_DIVISORS = 32 };

struct divisors {
    const struct ix_var *var;
    int n;
    bool lost;  // some divisors did not fit
    struct lay_int at[MOST_DIVISORS];
};

static void add_divisor(struct divisors *d, struct lay_int x) {
    if (!lay_int_valid(x) || lay_int_is(x, 1)) return;
    for (int i = 0; i < d->n; ++i)
        if (lay_int_equal(d->at[i], x)) return;
    if (d->n == MOST_DIVISORS)
        d->lost = true;
    else
        d->at[d->n++] = x;
}

// If "e" is v / by, v % mod or v / by % mod, returns v; otherwise NULL.
static const struct ix_var *divided(const struct ix *e, struct lay_int *by, struct lay_int *mod) {
    *by = lay_int(1);
    *mod = LAY_INT_INVALID;
    if (e->op != IX_MOD && e->op != IX_DIV) return NULL;
    if (e->op == IX_MOD) {
        *mod = e->k;
        e = e->a;
    }
    if (e->op == IX_DIV) {
        *by = e->k;
        e = e->a;
    }
    return e->op == IX_VAR ? e->var : NULL;
}

static void add_divisors(struct question *q, struct divisors *d, struct lay_int by,
                         struct lay_int mod) {
    add_divisor(d, by);
    if (!lay_int_valid(mod)) return;
    add_divisor(d, lay_int_mul(&q->s->lay, by, mod));
    lay_clear_error(&q->s->lay);
}

static void find_divisors(struct question *q, const struct ix *e, void *user) {
    struct divisors *d = user;
    struct lay_int by, mod;
    const struct ix_var *v = divided(e, &by, &mod);
    if (v && v->id == d->var->id) add_divisors(q, d, by, mod);
}

static struct lay_int exact(struct question *q, struct lay_int a, struct lay_int b) {
    struct lay_int r = lay_int_div(&q->s->lay, a, b);
    lay_clear_error(&q->s->lay);
    return r;
}

// The divisor that divides all others not yet used; -1 if there is none.
static int least(struct question *q, const struct divisors *d, const bool *used) {
    for (int i = 0; i < d->n; ++i) {
        bool divides = !used[i];
        for (int j = 0; j < d->n && divides; ++j)
            divides = used[j] || lay_int_valid(exact(q, d->at[j], d->at[i]));
        if (divides) return i;
    }
    return -1;
}

// Splits "v" in 0 .. end into digits whose weights are the divisors.
static bool find_digits(struct question *q, const struct ix_var *v, struct lay_int end,
                        const struct divisors *d, struct split *x) {
    bool used[MOST_DIVISORS] = {false};
    if (d->n == 0 || d->lost || d->n >= MOST_DIGITS) return false;
    *x = (struct split){.var = v, .group = q->group, .n = 1};
    x->weight[0] = lay_int(1);
    for (int i = 0; i < d->n; ++i) {
        int best = least(q, d, used);
        if (best < 0) return false;
        used[best] = true;
        // this is the complete range: no further digit
        if (lay_int_equal(d->at[best], end)) continue;
        struct lay_int n = exact(q, d->at[best], x->weight[x->n - 1]);
        if (!lay_int_valid(n)) return false;
        x->extent[x->n - 1] = n;
        x->weight[x->n++] = d->at[best];
    }
    struct lay_int n = exact(q, end, x->weight[x->n - 1]);
    if (!lay_int_valid(n) || x->n == 1) return false;
    x->extent[x->n - 1] = n;
    for (int i = 0; i < x->n; ++i) {
        int64_t lo, hi;
        lay_int_range(x->extent[i], &lo, &hi);
        if (lo < 1 && i + 1 < x->n) return false;  // the radix may be 0
    }
    return true;
}

static void split_var(struct question *q, const struct ix_var *v, struct lay_int end,
                      const struct divisors *d) {
    if (q->nsplits < MOST_SPLITS && find_digits(q, v, end, d, &q->split[q->nsplits])) ++q->nsplits;
}

struct rotated {
    const struct ix_var *v;
    bool found;
};

// Whether a dividend of a param contains a digit of the variable, as in (v / 2 + y) % S.
static void find_rotated(struct question *q, const struct ix *e, void *user) {
    struct rotated *r = user;
    (void)q;
    if (e->op != IX_MOD || !e->k.nsyms || e->a->op != IX_SUM) return;
    for (int i = 0; i < e->a->nterms; ++i) {
        const struct ix *atom = e->a->term[i].atom;
        r->found |= atom && atom->op != IX_VAR && ix_depends_on(atom, r->v);
    }
}

// Replaces one variable that params divide by a variable for each digit.
bool rewrite_digits(struct question *q, struct draft *d, struct qset *set) {
    struct session *s = q->s;
    struct prove_set now = draft_set(d);
    for (int i = 0; i < d->nvars; ++i) {
        const struct ix_var *v = d->var[i].var;
        struct divisors of = {.var = v};
        struct lay_int end;
        struct split x;
        // isl handles digits by numbers itself, except where bounds may form a chain
        bool symbols = draft_bounds_hold(d, v, -1);
        if (!draft_from_0(&d->var[i], &end)) continue;
        draft_walk(q, &now, find_divisors, &of);
        for (int j = 0; j < of.n; ++j) symbols |= of.at[j].nsyms > 0;
        struct rotated r = {v, false};
        draft_walk(q, &now, find_rotated, &r);
        symbols |= r.found;
        if (!symbols || !find_digits(q, v, end, &of, &x)) continue;
        if (d->nvars + x.n > MOST_DIMS) return false;
        struct prove_var *var = ARENA_ARRAY(&s->arena, struct prove_var, d->nvars + x.n);
        const struct ix *sum = ix_int(s, 0);
        memcpy(var, d->var, sizeof *var * (size_t)d->nvars);
        memmove(&var[i + x.n], &var[i + 1], sizeof *var * (size_t)(d->nvars - i - 1));
        for (int j = 0; j < x.n; ++j) {
            const struct ix_var *digit = draft_var(s, v, x.extent[j]);
            var[i + x.n - 1 - j] = (struct prove_var){digit, ix_int(s, 0), ix_lay(s, x.extent[j])};
            sum = ix_add(s, sum, ix_scale(s, ix_var(s, digit), x.weight[j]));
        }
        d->var = var;
        d->nvars += x.n - 1;
        draft_substitute(s, d, v, sum);
        draft_replaced(q, set, (struct replaced){.var = v, .value = sum});
        return true;
    }
    return false;
}

const struct split *rewrite_find(const struct question *q, const struct ix_var *v) {
    for (int i = 0; i < q->nsplits; ++i)
        if (q->split[i].var->id == v->id && q->split[i].group == q->group) return &q->split[i];
    return NULL;
}

// What the sets of a question say about a variable.
struct of_var {
    const struct ix_var *var;
    // in the set that it belongs to; NULL: it is a variable of the question
    const struct prove_var *range;
    bool differs;  // its range differs between sets
    bool tried;
    struct divisors *by;  // or NULL
    struct of_var *next;
};

enum { VARS = 64 };
struct vars {
    struct of_var *first[VARS];  // by ix_var.id
};

static struct of_var *of_var(struct question *q, struct vars *x, const struct ix_var *v) {
    struct of_var **first = &x->first[(unsigned)v->id % VARS];
    for (struct of_var *i = *first; i; i = i->next)
        if (i->var->id == v->id) return i;
    struct of_var *new = ARENA_NEW(&q->s->arena, struct of_var);
    *new = (struct of_var){.var = v, .next = *first};
    return *first = new;
}

static void gather_ranges(struct question *q, struct vars *x, const struct prove_set *set) {
    for (int i = 0; i < set->nvars; ++i) {
        const struct prove_var *v = &set->var[i];
        struct of_var *of = of_var(q, x, v->var);
        if (!of->range)
            of->range = v;
        else if (!ix_equal(of->range->begin, v->begin) || !ix_equal(of->range->end, v->end))
            of->differs = true;
    }
}

static void gather_divisors(struct question *q, const struct ix *e, void *user) {
    struct lay_int by, mod;
    const struct ix_var *v = divided(e, &by, &mod);
    if (!v) return;
    struct of_var *of = of_var(q, user, v);
    if (!of->by) {
        of->by = ARENA_NEW(&q->s->arena, struct divisors);
        of->by->var = v;
    }
    add_divisors(q, of->by, by, mod);
}

static void try_split(struct question *q, struct of_var *of, struct lay_int end) {
    if (of->tried || !of->by || rewrite_find(q, of->var)) return;
    of->tried = true;
    split_var(q, of->var, end, of->by);
}

// Finds the divisors of a variable of the question.
static void split_outer(struct question *q, const struct ix *e, void *user) {
    if (e->op != IX_VAR || !lay_int_valid(e->var->end) || !lay_int_is(e->var->lo, 0)) return;
    struct of_var *of = of_var(q, user, e->var);
    if (!of->range) try_split(q, of, e->var->end);
}

void rewrite_split(struct question *q, const struct prove_set *set, int n, bool loops) {
    struct vars x = {.first = {NULL}};
    for (int i = 0; i < n; ++i) {
        gather_ranges(q, &x, &set[i]);
        draft_walk(q, &set[i], gather_divisors, &x);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < set[i].nvars; ++j) {
            const struct prove_var *v = &set[i].var[j];
            struct lay_int end;
            if (!loops && v->var->kind == IX_LOOP) continue;
            struct of_var *of = of_var(q, &x, v->var);
            if (!of->differs && draft_from_0(v, &end)) try_split(q, of, end);
        }
        if (q->group == 0) draft_walk(q, &set[i], split_outer, &x);
    }
}
