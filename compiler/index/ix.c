// Constructors of index expressions, each of which simplifies.
#include "index/ix.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "index/ix_private.h"

enum { MAX_TERMS = 64 };

// -- comparison -----------------------------------------------------------------------------------

int lay_int_compare_syms(struct lay_int a, struct lay_int b) {
    if (a.basis != b.basis) return a.basis < b.basis ? -1 : 1;
    if (a.nsyms != b.nsyms) return a.nsyms < b.nsyms ? -1 : 1;
    for (int i = 0; i < a.nsyms; ++i) {
        int c = lay_sym_compare(a.syms[i], b.syms[i]);
        if (c) return c;
    }
    return 0;
}

static int compare_int(struct lay_int a, struct lay_int b) {
    int c = lay_int_compare_syms(a, b);
    if (c) return c;
    if (a.num != b.num) return a.num < b.num ? -1 : 1;
    return (a.den > b.den) - (a.den < b.den);
}

int ix_compare(const struct ix *a, const struct ix *b) {
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

struct terms {
    int n;
    bool invalid;
    struct ix_term at[MAX_TERMS];
};

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

static void terms_add(struct terms *t, struct lay_int coef, const struct ix *atom) {
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
    if (t->n == MAX_TERMS) {
        t->invalid = true;
        return;
    }
    t->at[t->n++] = (struct ix_term){coef, atom};
}

static void terms_add_scaled(struct session *s, struct terms *t, const struct ix *e,
                             struct lay_int by) {
    if (e->op != IX_SUM) {
        terms_add(t, by, e);
        return;
    }
    for (int i = 0; i < e->nterms; ++i) {
        terms_add(t, lay_int_mul(&s->lay, e->term[i].coef, by), e->term[i].atom);
    }
}

// "a" where "atom" is (a / k), the "quotient"; a % (k*m) where it is (a / k) % m; else NULL.
static const struct ix *whole_of(struct session *s, const struct ix *a, struct lay_int k,
                                 const struct ix *quotient, const struct ix *atom) {
    if (!atom) return NULL;
    if (ix_compare(atom, quotient) == 0) return a;
    if (atom->op != IX_MOD || ix_compare(atom->a, quotient) != 0) return NULL;
    return ix_mod(s, a, lay_int_mul(&s->lay, k, atom->k));
}

// c * (a % k) + c*k * (a / k)  ->  c * a
// c * (a % k) + c*k * (a / k % m)  ->  c * (a % (k*m))
static bool recombine(struct session *s, struct terms *t) {
    for (int i = 0; i < t->n; ++i) {
        const struct ix *mod = t->at[i].atom;
        if (!mod || mod->op != IX_MOD) continue;
        struct lay_int want = lay_int_mul(&s->lay, t->at[i].coef, mod->k);
        const struct ix *quotient = ix_div(s, mod->a, mod->k);
        if (!quotient || !lay_int_valid(want)) continue;
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

static int by_atom(const void *x, const void *y) {
    const struct ix_term *a = x, *b = y;
    int c = ix_compare(a->atom, b->atom);
    return c ? c : lay_int_compare_syms(a->coef, b->coef);
}

static struct ix *new_ix(struct session *s, enum ix_op op) {
    struct ix *e = ARENA_NEW(&s->arena, struct ix);
    e->op = op;
    e->id = s->next_ix++;
    return e;
}

static const struct ix *terms_finish(struct session *s, struct terms *t) {
    while (!t->invalid && recombine(s, t)) {
    }
    if (t->invalid) return NULL;
    if (t->n == 1 && t->at[0].atom && lay_int_is(t->at[0].coef, 1)) return t->at[0].atom;
    qsort(t->at, (size_t)t->n, sizeof t->at[0], by_atom);
    struct ix *e = new_ix(s, IX_SUM);
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
    }
    return e;
}

const struct ix *ix_lay(struct session *s, struct lay_int value) {
    struct terms t = {0};
    terms_add(&t, value, NULL);
    return terms_finish(s, &t);
}

const struct ix *ix_int(struct session *s, int64_t value) {
    return ix_lay(s, lay_int(value));
}

const struct ix *ix_var(struct session *s, const struct ix_var *v) {
    struct ix *e = new_ix(s, IX_VAR);
    e->var = v;
    struct interval r = ix_var_range(v);
    e->lo = r.lo;
    e->hi = r.hi;
    return e;
}

static const struct ix *add_scaled(struct session *s, const struct ix *a, const struct ix *b,
                                   int64_t sign) {
    if (!a || !b) return NULL;
    struct terms t = {0};
    terms_add_scaled(s, &t, a, lay_int(1));
    terms_add_scaled(s, &t, b, lay_int(sign));
    return terms_finish(s, &t);
}

const struct ix *ix_add(struct session *s, const struct ix *a, const struct ix *b) {
    return add_scaled(s, a, b, 1);
}

const struct ix *ix_sub(struct session *s, const struct ix *a, const struct ix *b) {
    return add_scaled(s, a, b, -1);
}

const struct ix *ix_scale(struct session *s, const struct ix *a, struct lay_int by) {
    if (!a) return NULL;
    struct terms t = {0};
    terms_add_scaled(s, &t, a, by);
    return terms_finish(s, &t);
}

const struct ix *ix_mul(struct session *s, const struct ix *a, const struct ix *b) {
    if (!a || !b) return NULL;
    if (!ix_constant(a)) {
        const struct ix *swap = a;
        a = b;
        b = swap;
    }
    if (!ix_constant(a)) return NULL;
    // a is a sum of monomials, or holds quotients of params, which no coefficient can be
    struct terms t = {0};
    if (a->op != IX_SUM) return NULL;
    for (int i = 0; i < a->nterms; ++i) {
        if (a->term[i].atom) return NULL;
        terms_add_scaled(s, &t, b, a->term[i].coef);
    }
    return terms_finish(s, &t);
}

// -- quotients and remainders ---------------------------------------------------------------------

// Splits "e" into the terms whose coefficient "k" divides and the others.
static void split(struct session *s, const struct ix *e, struct lay_int k, struct terms *whole,
                  struct terms *rest) {
    struct ix_term self = {lay_int(1), e};
    int n = e->op == IX_SUM ? e->nterms : 1;
    const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
    for (int i = 0; i < n; ++i) {
        const char *before = s->lay.error;
        struct lay_int q = LAY_INT_INVALID;
        if (!lay_int_static(k) || lay_int_divisible(term[i].coef, k.num)) {
            q = lay_int_div(&s->lay, term[i].coef, k);
        }
        s->lay.error = before;
        if (lay_int_valid(q)) {
            terms_add(whole, q, term[i].atom);
        } else if (lay_int_static(k) && lay_int_static(term[i].coef) && !term[i].atom &&
                   (term[i].coef.num >= k.num || term[i].coef.num < 0)) {
            int64_t r = term[i].coef.num % k.num;
            if (r < 0) r += k.num;
            terms_add(whole, lay_int((term[i].coef.num - r) / k.num), NULL);
            terms_add(rest, lay_int(r), NULL);
        } else {
            terms_add(rest, term[i].coef, term[i].atom);
        }
    }
}

// Finds a factor g > 1 of "k" with e = g * x + y, 0 <= y < g; gives x, y and g.
static bool factor(struct session *s, const struct ix *e, int64_t k, const struct ix **x,
                   const struct ix **y, int64_t *g) {
    struct ix_term self = {lay_int(1), e};
    int n = e->op == IX_SUM ? e->nterms : 1;
    const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
    int64_t tried = 0;
    for (int i = 0; i < n; ++i) {
        int64_t c = lay_gcd(lay_int_divisor(term[i].coef), k);
        if (c <= 1 || c == tried) continue;
        tried = c;
        struct terms whole = {0}, rest = {0};
        split(s, e, lay_int(c), &whole, &rest);
        const struct ix *r = terms_finish(s, &rest);
        if (!r || !ix_below(s, r, lay_int(c))) continue;
        *x = terms_finish(s, &whole);
        *y = r;
        *g = c;
        return *x != NULL;
    }
    return false;
}

static const struct ix *make_quotient(struct session *s, enum ix_op op, const struct ix *a,
                                      struct lay_int k) {
    struct ix *e = new_ix(s, op);
    e->a = a;
    e->k = k;
    int64_t klo, khi;
    lay_int_range(k, &klo, &khi);
    if (klo < 1) return NULL;
    if (op == IX_MOD) {
        e->lo = 0;
        e->hi = khi - 1;
        if (a->lo >= 0 && a->hi < e->hi) e->hi = a->hi;
    } else {
        e->lo = a->lo >= 0           ? a->lo / khi
                : a->lo == INT64_MIN ? INT64_MIN
                                     : a->lo / klo - (a->lo % klo != 0);
        e->hi = a->hi < 0 ? -1 : (a->hi == INT64_MAX ? INT64_MAX : a->hi / klo);
    }
    return e;
}

// "a" with so many times "by" added that it is not negative, as far as its range tells; gives how
// many to "m".  C rounds quotients towards zero, so that only what is not negative can be divided
// as it stands.
static const struct ix *lift(struct session *s, const struct ix *a, struct lay_int by, int64_t *m) {
    const int64_t limit = (int64_t)1 << 40, most = 8;
    int64_t least, hi;
    *m = 0;
    lay_int_range(by, &least, &hi);
    if (least < 1 || least > limit || a->lo >= 0 || a->lo < -limit || a->hi > limit) return a;
    if (lay_int_static(by)) {
        *m = (-a->lo + by.num - 1) / by.num;
        return ix_add(s, a, ix_int(s, *m * by.num));
    }
    if (hi > limit || (-a->lo + least - 1) / least > most || ix_provably_nonnegative(s, a))
        return a;
    *m = (-a->lo + least - 1) / least;
    return ix_add(s, a, ix_scale(s, ix_lay(s, by), lay_int(*m)));
}

const struct ix *ix_div(struct session *s, const struct ix *a, struct lay_int by) {
    if (!a || !lay_int_valid(by)) return NULL;
    if (lay_int_static(by) && by.num < 1) return NULL;
    if (lay_int_is(by, 1)) return a;
    if (a->op == IX_DIV) return ix_div(s, a->a, lay_int_mul(&s->lay, a->k, by));
    if (ix_below(s, a, by)) return ix_int(s, 0);
    if (a->op == IX_MOD && lay_int_static(a->k) && lay_int_static(by) && a->k.num % by.num == 0) {
        return ix_mod(s, ix_div(s, a->a, by), lay_int(a->k.num / by.num));
    }
    struct terms whole = {0}, rest = {0};
    split(s, a, by, &whole, &rest);
    if (!whole.n && !rest.n) return make_quotient(s, IX_DIV, a, by);  // of 0, by what may be 0
    if (whole.n) {
        const struct ix *q = terms_finish(s, &whole), *r = terms_finish(s, &rest);
        // what is not negative stays so: C rounds towards zero, and nothing is added to "r" again
        // where "by" is a param
        bool stays = lay_int_static(by) || !r || ix_provably_nonnegative(s, r) ||
                     !ix_provably_nonnegative(s, a);
        if (stays) return ix_add(s, q, ix_div(s, r, by));
        return make_quotient(s, IX_DIV, a, by);
    }
    const struct ix *x, *y, *q;
    int64_t g, m;
    a = lift(s, a, by, &m);
    if (lay_int_static(by) && factor(s, a, by.num, &x, &y, &g))
        q = ix_div(s, x, lay_int(by.num / g));
    else
        q = make_quotient(s, IX_DIV, a, by);
    return m ? ix_sub(s, q, ix_int(s, m)) : q;
}

const struct ix *ix_mod(struct session *s, const struct ix *a, struct lay_int by) {
    if (!a || !lay_int_valid(by)) return NULL;
    if (lay_int_static(by) && by.num < 1) return NULL;
    if (lay_int_is(by, 1)) return ix_int(s, 0);
    if (ix_below(s, a, by)) return a;
    if (a->op == IX_MOD && lay_int_static(a->k) && lay_int_static(by) && a->k.num % by.num == 0) {
        return ix_mod(s, a->a, by);
    }
    struct terms whole = {0}, rest = {0};
    split(s, a, by, &whole, &rest);
    if (!whole.n && !rest.n) return make_quotient(s, IX_MOD, a, by);
    if (whole.n) return ix_mod(s, terms_finish(s, &rest), by);
    const struct ix *x, *y;
    int64_t g, m;
    a = lift(s, a, by, &m);
    // the multiple that was taken out may be what keeps it from being negative: x - y + by
    if (m == 0 && !lay_int_static(by) && !ix_provably_nonnegative(s, a))
        a = ix_add(s, a, ix_lay(s, by));
    if (lay_int_static(by) && factor(s, a, by.num, &x, &y, &g)) {
        return ix_add(s, ix_scale(s, ix_mod(s, x, lay_int(by.num / g)), lay_int(g)), y);
    }
    return make_quotient(s, IX_MOD, a, by);
}

// -- swizzles -------------------------------------------------------------------------------------

static int64_t swizzle_value(struct lay_swizzle sw, int64_t x) {
    uint64_t u = (uint64_t)x, mask = (((uint64_t)1 << sw.b) - 1) << sw.m;
    if (sw.s >= 0) return (int64_t)(u ^ ((u & (mask << sw.s)) >> sw.s));
    return (int64_t)(u ^ ((u & mask) << -sw.s));
}

const struct ix *ix_swizzle(struct session *s, const struct ix *a, struct lay_swizzle sw) {
    if (!a || sw.b == 0) return a;
    int top = sw.m + sw.b + abs(sw.s);
    if (top > 62 || sw.m < 0) return NULL;
    int64_t value;
    if (ix_static(a, &value) && value >= 0) return ix_int(s, swizzle_value(sw, value));
    // what lies above all bits that take part passes through
    struct terms whole = {0}, rest = {0};
    split(s, a, lay_int((int64_t)1 << top), &whole, &rest);
    const struct ix *low = a, *left = whole.n ? terms_finish(s, &rest) : NULL;
    // but not so that what is left becomes negative: the bits of that are nothing to rely on
    if (whole.n && (!left || left->lo >= 0 || a->lo < 0)) {
        low = left;
        const struct ix *high = ix_scale(s, terms_finish(s, &whole), lay_int((int64_t)1 << top));
        return ix_add(s, high, ix_swizzle(s, low, sw));
    }
    int64_t source = (int64_t)1 << (sw.s >= 0 ? sw.m + sw.s : sw.m);
    if (low->lo >= 0 && low->hi < source) return low;
    struct ix *e = new_ix(s, IX_SWZ);
    e->a = low;
    e->sw = sw;
    e->lo = low->lo < 0 ? INT64_MIN : 0;
    e->hi = low->hi == INT64_MAX ? INT64_MAX : (low->hi | (((int64_t)1 << top) - 1));
    return e;
}
