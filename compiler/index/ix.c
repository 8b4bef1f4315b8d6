// Constructors of sums of index expressions.  Each one simplifies.
#include "index/ix.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "index/ix_private.h"

// -- comparison -----------------------------------------------------------------------------------

static int compare_int(struct lay_int a, struct lay_int b) {
    int c = lay_int_compare_syms(a, b);
    if (c) return c;
    if (a.num != b.num) return a.num < b.num ? -1 : 1;
    return (a.den > b.den) - (a.den < b.den);
}

// A total structural order; 0 for equal expressions.
static int ix_compare(const struct ix *a, const struct ix *b) {
    if (a == b) return 0;
    if (!a || !b) return a ? 1 : -1;
    if (a->op != b->op) return a->op < b->op ? -1 : 1;
    int c;
    switch (a->op) {
    case IX_VAR: return (a->var->id > b->var->id) - (a->var->id < b->var->id);
    case IX_DIV:
    case IX_MOD: c = ix_compare(a->a, b->a); return c ? c : compare_int(a->k, b->k);
    case IX_SWZ: c = memcmp(&a->sw, &b->sw, sizeof a->sw); return c ? c : ix_compare(a->a, b->a);
    case IX_SUM:
        if (a->nterms != b->nterms) return a->nterms < b->nterms ? -1 : 1;
        for (int i = 0; i < a->nterms; ++i) {
            c = ix_compare(a->term[i].atom, b->term[i].atom);
            if (!c) c = compare_int(a->term[i].coef, b->term[i].coef);
            if (c) return c;
        }
        return 0;
    }
    return 0;
}

bool ix_equal(const struct ix *a, const struct ix *b) {
    return a && b && ix_compare(a, b) == 0;
}

// -- sums -----------------------------------------------------------------------------------------

static struct lay_int rational(struct lay_int like, int64_t num, int64_t den) {
    int64_t g = lay_gcd(num, den);
    like.num = num / g;
    like.den = den / g;
    return like;
}

static struct lay_int add_like(struct lay_int a, struct lay_int b) {
    int64_t x, y, num, den;
    if (__builtin_mul_overflow(a.num, b.den, &x) || __builtin_mul_overflow(b.num, a.den, &y) ||
        __builtin_add_overflow(x, y, &num) || __builtin_mul_overflow(a.den, b.den, &den)) {
        return LAY_INT_INVALID;
    }
    if (num == 0) return lay_int(0);
    return rational(a, num, den);
}

void ix_terms_add(struct ix_terms *t, struct lay_int coef, const struct ix *atom) {
    if (t->invalid) return;
    if (!lay_int_valid(coef)) {
        t->invalid = true;
        return;
    }
    if (coef.num == 0) return;
    for (int i = 0; i < t->n; ++i) {
        struct ix_term *u = &t->at[i];
        if (ix_compare(u->atom, atom) == 0 && lay_int_compare_syms(u->coef, coef) == 0) {
            u->coef = add_like(u->coef, coef);
            if (!lay_int_valid(u->coef)) t->invalid = true;
            if (u->coef.num == 0) {
                memmove(u, u + 1, sizeof *u * (size_t)(t->n - i - 1));
                --t->n;
            }
            return;
        }
    }
    if (t->n == IX_MAX_TERMS) {
        t->invalid = true;
        return;
    }
    t->at[t->n++] = (struct ix_term){coef, atom};
}

static void terms_add_scaled(struct session *s, struct ix_terms *t, const struct ix *e,
                             struct lay_int by) {
    if (e->op != IX_SUM) {
        ix_terms_add(t, by, e);
        return;
    }
    for (int i = 0; i < e->nterms; ++i) {
        ix_terms_add(t, lay_int_mul(&s->lay, e->term[i].coef, by), e->term[i].atom);
    }
}

// Returns "a" if "atom" is the "quotient" a / k; a % (k*m) if "atom" is (a / k) % m; otherwise
// NULL.
static const struct ix *whole_of(struct session *s, const struct ix *a, struct lay_int k,
                                 const struct ix *quotient, const struct ix *atom) {
    if (!atom) return NULL;
    if (ix_compare(atom, quotient) == 0) return a;
    if (atom->op != IX_MOD || ix_compare(atom->a, quotient) != 0) return NULL;
    return ix_mod(s, a, lay_int_mul(&s->lay, k, atom->k));
}

// c * (a % k) + c*k * (a / k)  ->  c * a
// c * (a % k) + c*k * (a / k % m)  ->  c * (a % (k*m))
static bool recombine(struct session *s, struct ix_terms *t) {
    for (int i = 0; i < t->n; ++i) {
        const struct ix *mod = t->at[i].atom;
        if (!mod || mod->op != IX_MOD) continue;
        struct lay_int want = lay_int_mul(&s->lay, t->at[i].coef, mod->k);
        // checked before the quotient is made, because making it is expensive
        bool any = false;
        for (int j = 0; j < t->n && lay_int_valid(want); ++j)
            any |= j != i && lay_int_equal(t->at[j].coef, want);
        const struct ix *quotient = any ? ix_div(s, mod->a, mod->k) : NULL;
        if (!quotient) continue;
        for (int j = 0; j < t->n; ++j) {
            if (j == i || !lay_int_equal(t->at[j].coef, want)) continue;
            const struct ix *whole = whole_of(s, mod->a, mod->k, quotient, t->at[j].atom);
            if (!whole) continue;
            struct lay_int c = t->at[i].coef;
            int hi = i > j ? i : j, lo = i > j ? j : i;
            memmove(&t->at[hi], &t->at[hi + 1], sizeof t->at[0] * (size_t)(t->n - hi - 1));
            --t->n;
            memmove(&t->at[lo], &t->at[lo + 1], sizeof t->at[0] * (size_t)(t->n - lo - 1));
            --t->n;
            terms_add_scaled(s, t, whole, c);
            return true;
        }
    }
    return false;
}

static int find_term(const struct ix_terms *t, struct lay_int coef, const struct ix *atom) {
    for (int i = 0; i < t->n; ++i)
        if (lay_int_equal(t->at[i].coef, coef) && ix_compare(t->at[i].atom, atom) == 0) return i;
    return -1;
}

// c * a - c * (a % k)  ->  c*k * (a / k), for a number "k".  The constants of "a" may differ.
static bool round_down(struct session *s, struct ix_terms *t) {
    for (int i = 0; i < t->n; ++i) {
        const struct ix *mod = t->at[i].atom, *a = mod ? mod->a : NULL;
        if (!mod || mod->op != IX_MOD || !lay_int_static(mod->k) || a->op != IX_SUM) continue;
        struct lay_int c = lay_int_mul(&s->lay, t->at[i].coef, lay_int(-1));
        bool all = !ix_constant(a);
        for (int j = 0; j < a->nterms && all; ++j) {
            struct lay_int part = lay_int_mul(&s->lay, a->term[j].coef, c);
            bool number = !a->term[j].atom && lay_int_static(a->term[j].coef);
            all = lay_int_valid(part) && (number || find_term(t, part, a->term[j].atom) >= 0);
        }
        const struct ix *quotient = all ? ix_div(s, a, mod->k) : NULL;
        if (!quotient) continue;
        struct ix_terms rest = {0};
        for (int j = 0; j < t->n; ++j)
            if (j != i) ix_terms_add(&rest, t->at[j].coef, t->at[j].atom);
        terms_add_scaled(s, &rest, a, t->at[i].coef);
        terms_add_scaled(s, &rest, quotient, lay_int_mul(&s->lay, c, mod->k));
        *t = rest;
        return true;
    }
    return false;
}

static int by_atom(const void *x, const void *y) {
    const struct ix_term *a = x, *b = y;
    int c = ix_compare(a->atom, b->atom);
    return c ? c : lay_int_compare_syms(a->coef, b->coef);
}

struct ix *ix_new(struct session *s, enum ix_op op) {
    struct ix *e = ARENA_NEW(&s->arena, struct ix);
    e->op = op;
    e->id = s->next_ix++;
    e->size = 1;
    return e;
}

int ix_size_of(int a, int b) {
    return a < IX_HUGE - b ? a + b : IX_HUGE;
}

int ix_int_size(struct lay_int x) {
    int size = 1;
    for (int i = 0; i < x.nsyms; ++i) {
        const struct ix *sum = x.syms[i]->sum;
        size = ix_size_of(size, sum ? sum->size : x.syms[i]->size + 1);
    }
    return size;
}

const struct ix *ix_terms_finish(struct session *s, struct ix_terms *t) {
    while (!t->invalid && (recombine(s, t) || round_down(s, t))) {
    }
    if (t->invalid) return NULL;
    if (t->n == 1 && t->at[0].atom && lay_int_is(t->at[0].coef, 1)) return t->at[0].atom;
    qsort(t->at, (size_t)t->n, sizeof t->at[0], by_atom);
    struct ix *e = ix_new(s, IX_SUM);
    struct ix_term *copy = ARENA_ARRAY(&s->arena, struct ix_term, t->n ? t->n : 1);
    memcpy(copy, t->at, sizeof t->at[0] * (size_t)t->n);
    e->nterms = t->n;
    e->term = copy;
    for (int i = 0; i < t->n; ++i) {
        struct interval c, a = {1, 1};
        lay_int_range(copy[i].coef, &c.lo, &c.hi);
        if (copy[i].atom) a = (struct interval){copy[i].atom->lo, copy[i].atom->hi};
        struct interval p = interval_mul(c, a);
        e->lo = sat_add(e->lo, p.lo);
        e->hi = sat_add(e->hi, p.hi);
        e->size = ix_size_of(e->size, ix_int_size(copy[i].coef));
        if (copy[i].atom) e->size = ix_size_of(e->size, copy[i].atom->size);
    }
    return e;
}

// Multiplies out "value", whose symbol "i" is a sum (ix_to_lay).
static const struct ix *multiplied_out(struct session *s, struct lay_int value, int i) {
    const struct ix *sum = value.syms[i]->sum;
    struct lay_int rest = lay_int(value.num);
    for (int k = 0; k < value.nsyms; ++k)
        if (k != i) rest = lay_int_mul(&s->lay, rest, lay_int_sym(&s->lay, value.syms[k]));
    return lay_int_valid(rest) ? ix_mul(s, ix_lay(s, rest), sum) : NULL;
}

const struct ix *ix_lay(struct session *s, struct lay_int value) {
    for (int i = 0; i < value.nsyms && value.den == 1; ++i)
        if (value.syms[i]->sum) return multiplied_out(s, value, i);
    struct ix_terms t = {0};
    ix_terms_add(&t, value, NULL);
    return ix_terms_finish(s, &t);
}

const struct ix *ix_int(struct session *s, int64_t value) {
    return ix_lay(s, lay_int(value));
}

const struct ix *ix_var(struct session *s, const struct ix_var *v) {
    struct ix *e = ix_new(s, IX_VAR);
    e->var = v;
    struct interval r = ix_var_range(v);
    e->lo = r.lo;
    e->hi = r.hi;
    return e;
}

static const struct ix *add_scaled(struct session *s, const struct ix *a, const struct ix *b,
                                   int64_t sign) {
    if (!a || !b) return NULL;
    struct ix_terms t = {0};
    terms_add_scaled(s, &t, a, lay_int(1));
    terms_add_scaled(s, &t, b, lay_int(sign));
    return ix_terms_finish(s, &t);
}

const struct ix *ix_add(struct session *s, const struct ix *a, const struct ix *b) {
    return add_scaled(s, a, b, 1);
}

const struct ix *ix_sub(struct session *s, const struct ix *a, const struct ix *b) {
    return add_scaled(s, a, b, -1);
}

const struct ix *ix_scale(struct session *s, const struct ix *a, struct lay_int by) {
    if (!a) return NULL;
    struct ix_terms t = {0};
    terms_add_scaled(s, &t, a, by);
    return ix_terms_finish(s, &t);
}

const struct ix *ix_mul(struct session *s, const struct ix *a, const struct ix *b) {
    if (!a || !b) return NULL;
    if (!ix_constant(a)) {
        const struct ix *swap = a;
        a = b;
        b = swap;
    }
    if (!ix_constant(a)) return NULL;
    // a is a sum of monomials, or contains quotients of params, which cannot be coefficients
    struct ix_terms t = {0};
    if (a->op != IX_SUM) return NULL;
    for (int i = 0; i < a->nterms; ++i) {
        if (a->term[i].atom) return NULL;
        terms_add_scaled(s, &t, b, a->term[i].coef);
    }
    return ix_terms_finish(s, &t);
}
