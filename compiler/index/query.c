// Questions about index expressions: ranges, divisors, bounds, dependence, values.
#include <limits.h>
#include <stdlib.h>

#include "base/session.h"
#include "index/ix.h"
#include "index/ix_private.h"

int64_t sat_add(int64_t a, int64_t b) {
    int64_t r;
    if (a == INT64_MAX || b == INT64_MAX) return a == INT64_MIN || b == INT64_MIN ? 0 : INT64_MAX;
    if (a == INT64_MIN || b == INT64_MIN) return INT64_MIN;
    if (__builtin_add_overflow(a, b, &r)) return a < 0 ? INT64_MIN : INT64_MAX;
    return r;
}

static int64_t sat_mul(int64_t a, int64_t b) {
    int64_t r;
    if (a == 0 || b == 0) return 0;
    if (__builtin_mul_overflow(a, b, &r)) return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    return r;
}

struct interval interval_mul(struct interval a, struct interval b) {
    int64_t p[4] = {sat_mul(a.lo, b.lo), sat_mul(a.lo, b.hi), sat_mul(a.hi, b.lo),
                    sat_mul(a.hi, b.hi)};
    struct interval r = {p[0], p[0]};
    for (int i = 1; i < 4; ++i) {
        if (p[i] < r.lo) r.lo = p[i];
        if (p[i] > r.hi) r.hi = p[i];
    }
    return r;
}

struct interval ix_var_range(const struct ix_var *v) {
    int64_t lo, hi, unused;
    lay_int_range(v->lo, &lo, &unused);
    if (!lay_int_valid(v->end)) return (struct interval){lo, INT64_MAX};
    lay_int_range(v->end, &unused, &hi);
    hi = hi == INT64_MAX ? hi : hi - 1;
    return (struct interval){lo, hi < lo ? lo : hi};
}

bool ix_has(const struct ix *e, ix_is_fn *is, const void *user) {
    if (!e) return false;
    if (is(e, user)) return true;
    if (e->op == IX_VAR) return false;
    if (e->op != IX_SUM) return ix_has(e->a, is, user);
    for (int i = 0; i < e->nterms; ++i)
        if (ix_has(e->term[i].atom, is, user)) return true;
    return false;
}

static bool is_var(const struct ix *e, const void *unused) {
    (void)unused;
    return e->op == IX_VAR;
}

bool ix_constant(const struct ix *e) {
    return e && !ix_has(e, is_var, NULL);
}

bool ix_monomial(const struct ix *e, struct lay_int *value) {
    if (!e || e->op != IX_SUM || e->nterms > 1) return false;
    if (e->nterms == 1 && e->term[0].atom) return false;
    if (value) *value = e->nterms ? e->term[0].coef : lay_int(0);
    return true;
}

bool ix_static(const struct ix *e, int64_t *value) {
    if (!e || e->op != IX_SUM || e->nterms > 1) return false;
    if (e->nterms && (e->term[0].atom || !lay_int_static(e->term[0].coef))) return false;
    if (value) *value = e->nterms ? e->term[0].coef.num : 0;
    return true;
}

static bool is_of_kind(const struct ix *e, const void *kind) {
    return e->op == IX_VAR && e->var->kind == *(const enum ix_var_kind *)kind;
}

bool ix_depends(const struct ix *e, enum ix_var_kind kind) {
    return ix_has(e, is_of_kind, &kind);
}

static bool is_of_kinds(const struct ix *e, const void *is) {
    return e->op == IX_VAR && (*(ix_kind_fn *const *)is)(e->var->kind);
}

bool ix_depends_if(const struct ix *e, ix_kind_fn *is) {
    return ix_has(e, is_of_kinds, &is);
}

static bool is_same_var(const struct ix *e, const void *v) {
    return e->op == IX_VAR && e->var->id == ((const struct ix_var *)v)->id;
}

bool ix_depends_on(const struct ix *e, const struct ix_var *v) {
    return ix_has(e, is_same_var, v);
}

static bool has_no_value(const struct ix *e, const void *unused) {
    (void)unused;
    return e->op == IX_VAR && lay_int_less_equal(e->var->end, e->var->lo);
}

bool ix_is_never(const struct ix *e) {
    return ix_has(e, has_no_value, NULL);
}

struct int_test {
    ix_int_fn *is;
    const void *user;
};

static bool has_int(const struct ix *e, const void *test) {
    const struct int_test *t = test;
    if (e->op == IX_DIV || e->op == IX_MOD) return t->is(e->k, t->user);
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i)
        if (t->is(e->term[i].coef, t->user)) return true;
    return false;
}

bool ix_has_int(const struct ix *e, ix_int_fn *is, const void *user) {
    return ix_has(e, has_int, &(struct int_test){is, user});
}

static bool int_speaks_of(struct lay_int x, const void *y) {
    for (int i = 0; i < x.nsyms; ++i)
        if (x.syms[i] == y || (!x.syms[i]->name && int_speaks_of(x.syms[i]->of, y))) return true;
    return false;
}

bool ix_speaks_of(const struct ix *e, const struct lay_sym *y) {
    return ix_has_int(e, int_speaks_of, y);
}

const struct ix *ix_made_of(struct session *s, const struct ix *e, ix_part_fn *part,
                            const void *user) {
    switch (e->op) {
    case IX_VAR: return e;
    case IX_DIV: return ix_div(s, part(s, e->a, user), e->k);
    case IX_MOD: return ix_mod(s, part(s, e->a, user), e->k);
    case IX_SWZ: return ix_swizzle(s, part(s, e->a, user), e->sw);
    case IX_SUM: break;
    }
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < e->nterms; ++i) {
        const struct ix *atom = e->term[i].atom;
        sum = ix_add(s, sum,
                     atom ? ix_scale(s, part(s, atom, user), e->term[i].coef)
                          : ix_lay(s, e->term[i].coef));
    }
    return sum;
}

struct substitution {
    const struct ix_var *v;
    const struct ix *by;
};

static const struct ix *substitute(struct session *s, const struct ix *e, const void *user) {
    const struct substitution *u = user;
    if (!e || !ix_depends_on(e, u->v)) return e;
    return e->op == IX_VAR ? u->by : ix_made_of(s, e, substitute, u);
}

const struct ix *ix_substitute(struct session *s, const struct ix *e, const struct ix_var *v,
                               const struct ix *by) {
    return substitute(s, e, &(struct substitution){v, by});
}

int64_t ix_divisor(const struct ix *e) {
    int64_t g = 0;
    switch (e->op) {
    case IX_VAR:
    case IX_DIV: return 1;
    case IX_MOD:
        // a % k is a multiple of each common divisor of a and k
        return lay_gcd(ix_divisor(e->a), lay_int_divisor(e->k));
    case IX_SWZ: g = ix_divisor(e->a); return lay_gcd(g, (int64_t)1 << (e->sw.m));
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) {
            int64_t d = lay_int_divisor(e->term[i].coef);
            if (e->term[i].atom) {
                int64_t a = ix_divisor(e->term[i].atom), both;
                d = __builtin_mul_overflow(d, a, &both) ? d : both;
            }
            g = lay_gcd(g, d);
        }
        return g;
    }
    return 1;
}

// -- bounds ---------------------------------------------------------------------------------------

static const struct ix *bound(struct session *s, const struct ix *e, bool max);

static const struct ix *numeric_bound(struct session *s, const struct ix *e, bool max) {
    int64_t b = max ? e->hi : e->lo;
    if (b == INT64_MAX || b == INT64_MIN) return NULL;
    return ix_int(s, b);
}

static const struct ix *bound_atom(struct session *s, const struct ix *e, bool max) {
    if (ix_constant(e)) return e;
    switch (e->op) {
    case IX_VAR:
        if (e->var->kind == IX_FORMAL) return e;
        if (!max) return ix_lay(s, e->var->lo);
        if (!lay_int_valid(e->var->end)) return NULL;
        return ix_sub(s, ix_lay(s, e->var->end), ix_int(s, 1));
    case IX_DIV: {
        const struct ix *b = bound(s, e->a, max);
        return b ? ix_div(s, b, e->k) : NULL;
    }
    case IX_MOD:
        if (!max || lay_int_static(e->k)) return numeric_bound(s, e, max);
        return ix_sub(s, ix_lay(s, e->k), ix_int(s, 1));
    case IX_SWZ: return numeric_bound(s, e, max);
    case IX_SUM: return bound(s, e, max);
    }
    return NULL;
}

static const struct ix *bound(struct session *s, const struct ix *e, bool max) {
    if (!e) return NULL;
    if (e->op != IX_SUM) return bound_atom(s, e, max);
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < e->nterms && sum; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->atom) {
            sum = ix_add(s, sum, ix_lay(s, t->coef));
            continue;
        }
        int64_t lo, hi;
        lay_int_range(t->coef, &lo, &hi);
        if (lo < 0 && hi > 0) return NULL;
        const struct ix *b = bound_atom(s, t->atom, lo >= 0 ? max : !max);
        if (!b) return NULL;
        // a bound may contain quotients of params; scaling preserves it
        sum = ix_add(s, sum, ix_scale(s, b, t->coef));
    }
    return sum;
}

const struct ix *ix_max(struct session *s, const struct ix *e) {
    return bound(s, e, true);
}
const struct ix *ix_min(struct session *s, const struct ix *e) {
    return bound(s, e, false);
}

bool ix_rises(const struct ix *e, const struct ix_var *v, bool falls) {
    if (!ix_depends_on(e, v)) return true;
    if (e->op == IX_VAR) return !falls;
    if (e->op == IX_DIV) return ix_rises(e->a, v, falls);
    if (e->op != IX_SUM) return false;
    for (int i = 0; i < e->nterms; ++i) {
        int64_t lo, hi;
        if (!e->term[i].atom || !ix_depends_on(e->term[i].atom, v)) continue;
        lay_int_range(e->term[i].coef, &lo, &hi);
        if ((lo < 0 && hi > 0) || !ix_rises(e->term[i].atom, v, lo < 0 ? !falls : falls))
            return false;
    }
    return true;
}

// A lower bound of k * "e" without the first term -d * (a / k) whose "k" is a number, with d >= 0.
// As k * (a / k) <= a, the term becomes -d * a: if the result is at least 0, so is "e".  NULL if
// there is no such term.
static const struct ix *without_rounding(struct session *s, const struct ix *e) {
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        int64_t lo, hi;
        if (!t->atom || t->atom->op != IX_DIV || !lay_int_static(t->atom->k)) continue;
        lay_int_range(t->coef, &lo, &hi);
        if (hi > 0) continue;
        const struct ix *rest = ix_sub(s, e, ix_scale(s, t->atom, t->coef));
        return ix_add(s, ix_scale(s, rest, t->atom->k), ix_scale(s, t->atom->a, t->coef));
    }
    return NULL;
}

bool ix_provably_nonnegative(struct session *s, const struct ix *e) {
    if (!e) return false;
    if (e->lo >= 0) return true;
    const struct ix *m = ix_min(s, e);
    if (m && m->lo >= 0) return true;
    const struct ix *more = m ? without_rounding(s, m) : NULL;
    return more && ix_provably_nonnegative(s, more);
}

bool ix_below(struct session *s, const struct ix *e, struct lay_int k) {
    if (!e || e->lo < 0) return false;
    int64_t lo, hi;
    lay_int_range(k, &lo, &hi);
    if (e->hi < lo) return true;
    if (lay_int_static(k)) return false;
    const struct ix *m = ix_max(s, e);
    if (!m) return false;
    return ix_provably_nonnegative(s, ix_sub(s, ix_sub(s, ix_lay(s, k), ix_int(s, 1)), m));
}

static bool has_negative_operand(const struct ix *e, const void *unused) {
    (void)unused;
    return e->op != IX_VAR && e->op != IX_SUM && e->a->lo < 0;
}

bool ix_rounds_down(const struct ix *e) {
    return e && !ix_has(e, has_negative_operand, NULL);
}

// -- values ---------------------------------------------------------------------------------------

// A fast path, because most integers are numbers.
static inline bool int_value(const struct lay_int *x, const int64_t *sym, int64_t *out) {
    if (x->nsyms || x->den != 1) return lay_int_eval(*x, sym, out);
    *out = x->num;
    return x->basis == -1;
}

bool ix_eval(const struct ix *e, const struct ix_env *env, int64_t *out) {
    int64_t a, k, sum = 0;
    if (!e) return false;
    switch (e->op) {
    case IX_VAR: *out = env->var[e->var->id]; return true;
    case IX_DIV:
    case IX_MOD: {
        if (!ix_eval(e->a, env, &a) || !int_value(&e->k, env->sym, &k) || k < 1) return false;
        int64_t r = a % k;
        if (r < 0) r += k;
        *out = e->op == IX_MOD ? r : (a - r) / k;
        return true;
    }
    case IX_SWZ: {
        if (!ix_eval(e->a, env, &a)) return false;
        uint64_t u = (uint64_t)a, mask = (((uint64_t)1 << e->sw.b) - 1) << e->sw.m;
        if (e->sw.s >= 0)
            u ^= (u & (mask << e->sw.s)) >> e->sw.s;
        else
            u ^= (u & mask) << -e->sw.s;
        *out = (int64_t)u;
        return true;
    }
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) {
            const struct ix_term *t = &e->term[i];
            if (!int_value(&t->coef, env->sym, &k)) return false;
            a = 1;
            if (t->atom && t->atom->op == IX_VAR)
                a = env->var[t->atom->var->id];
            else if (t->atom && !ix_eval(t->atom, env, &a))
                return false;
            if (__builtin_mul_overflow(a, k, &a) || __builtin_add_overflow(sum, a, &sum)) {
                return false;
            }
        }
        *out = sum;
        return true;
    }
    return false;
}

int ix_written(const struct ix *e, int i) {
    int constants = 0;
    while (constants < e->nterms && !e->term[constants].atom) ++constants;
    int others = e->nterms - constants;
    return i < others ? constants + i : i - others;
}

bool ix_take_minus(struct lay_int *coef) {
    if (coef->num >= 0 || coef->num == INT64_MIN) return false;
    coef->num = -coef->num;
    return true;
}

bool ix_compares(const char *op, int64_t a, int64_t b) {
    switch (op[0]) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op[1] ? a <= b : a < b;
    default: return op[1] ? a >= b : a > b;
    }
}
