// Converts index expressions to linear expressions over the columns of a question: params,
// dimensions, and quotients of such expressions by numbers.
//
// A part that is not linear becomes a column of its own.  Bounds of the column come from the range
// of the part and from a few lemmas: a product of params is at least each of its factors times the
// minimum of the others, and c*x / k is at most c if x <= k.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

#define NOT_LINEAR ((struct lin){0, NULL, 0, 0})

static bool fits(__int128 x) {
    return x > -((__int128)1 << 62) && x < ((__int128)1 << 62);
}

bool lin_ok(struct lin a) {
    return a.den > 0;
}

struct lin lin_int(struct question *q, int64_t value) {
    (void)q;
    return (struct lin){0, NULL, value, 1};
}

struct lin lin_col(struct question *q, enum col_kind kind, int at) {
    struct lin r = {1, ARENA_NEW(&q->s->arena, struct lin_term), 0, 1};
    r.term[0] = (struct lin_term){kind, at, 1};
    return r;
}

// a * num / den
struct lin lin_scale(struct question *q, struct lin a, int64_t num, int64_t den) {
    if (!lin_ok(a) || den < 1) return NOT_LINEAR;
    int64_t g = lay_gcd(num, den);
    if (g > 1) {
        num /= g;
        den /= g;
    }
    struct lin r = {a.n, ARENA_ARRAY(&q->s->arena, struct lin_term, a.n + 1), 0, 0};
    __int128 c = (__int128)a.constant * num, d = (__int128)a.den * den;
    if (!fits(c) || !fits(d)) return NOT_LINEAR;
    r.constant = (int64_t)c;
    for (int i = 0; i < a.n; ++i) {
        r.term[i] = a.term[i];
        c = (__int128)a.term[i].coef * num;
        if (!fits(c)) return NOT_LINEAR;
        r.term[i].coef = (int64_t)c;
    }
    if (num == 0) r.n = 0;
    r.den = num == 0 ? 1 : (int64_t)d;
    return r;
}

// a + times * b
struct lin lin_add(struct question *q, struct lin a, struct lin b, int64_t times) {
    if (!lin_ok(a) || !lin_ok(b)) return NOT_LINEAR;
    int64_t g = lay_gcd(a.den, b.den), x = b.den / g, y = a.den / g;
    a = lin_scale(q, a, x, 1);
    b = lin_scale(q, b, y, 1);
    __int128 by = (__int128)times, c, den = (__int128)a.den;
    if (!lin_ok(a) || !lin_ok(b)) return NOT_LINEAR;
    // both have the denominator a.den * x = b.den * y
    den = (__int128)(a.den) * x;
    if (!fits(den)) return NOT_LINEAR;
    struct lin r = {a.n, ARENA_ARRAY(&q->s->arena, struct lin_term, a.n + b.n + 1), 0,
                    (int64_t)den};
    c = (__int128)a.constant + by * b.constant;
    if (!fits(c)) return NOT_LINEAR;
    r.constant = (int64_t)c;
    if (a.n) memcpy(r.term, a.term, sizeof *r.term * (size_t)a.n);
    for (int i = 0; i < b.n; ++i) {
        int j = 0;
        while (j < r.n && (r.term[j].kind != b.term[i].kind || r.term[j].at != b.term[i].at)) ++j;
        if (j == r.n) {
            r.term[r.n] = b.term[i];
            r.term[r.n++].coef = 0;
        }
        c = r.term[j].coef + by * b.term[i].coef;
        if (!fits(c)) return NOT_LINEAR;
        r.term[j].coef = (int64_t)c;
    }
    int kept = 0;
    for (int i = 0; i < r.n; ++i)
        if (r.term[i].coef) r.term[kept++] = r.term[i];
    r.n = kept;
    return r;
}

// -- params ---------------------------------------------------------------------------------------

static int add_param(struct question *q, struct qparam x) {
    if (q->nparams == MOST_PARAMS) {
        q->failed = true;
        return 0;
    }
    q->param[q->nparams] = x;
    return q->nparams++;
}

struct lin lin_symbols(struct question *q, struct lay_int x) {
    x.num = x.den = 1;
    x.basis = -1;
    for (int i = 0; i < q->nparams; ++i) {
        if (lay_int_valid(q->param[i].value) && lay_int_equal(q->param[i].value, x))
            return lin_scale(q, lin_col(q, COL_PARAM, i), q->param[i].mul, 1);
    }
    int64_t mul = lay_int_divisor(x);
    if (mul < 1) mul = 1;
    struct qparam new = {.value = x, .mul = mul, .digit = -1};
    return lin_scale(q, lin_col(q, COL_PARAM, add_param(q, new)), mul, 1);
}

struct lin lin_monomial(struct question *q, struct lay_int x) {
    if (!lay_int_valid(x)) return NOT_LINEAR;
    struct lin one = x.nsyms ? lin_symbols(q, x) : lin_int(q, 1);
    return lin_scale(q, one, x.num, x.den);
}

static struct lin var_of_question(struct question *q, const struct ix_var *v, int digit) {
    for (int i = 0; i < q->nparams; ++i) {
        if (q->param[i].var && q->param[i].var->id == v->id && q->param[i].digit == digit)
            return lin_col(q, COL_PARAM, i);
    }
    struct qparam x = {.value = LAY_INT_INVALID, .var = v, .digit = digit};
    return lin_col(q, COL_PARAM, add_param(q, x));
}

// -- what is not linear ---------------------------------------------------------------------------

static bool of_params_alone(const struct question *q, struct lin e) {
    for (int i = 0; i < e.n; ++i) {
        const struct lin_term *t = &e.term[i];
        if (t->kind == COL_DIM) return false;
        if (t->kind == COL_DIV && !of_params_alone(q, q->quotient[t->at].of)) return false;
    }
    return true;
}

void lin_at_least_0(struct question *q, bool of_params, struct lin e) {
    if (!lin_ok(e) || (of_params && !of_params_alone(q, e))) return;
    if (!of_params) {
        if (q->set->nconds < MOST_CONDS) q->set->cond[q->set->nconds++] = e;
    } else if (q->nlemmas < (int)(sizeof q->lemma / sizeof q->lemma[0])) {
        q->lemma[q->nlemmas++] = e;
    }
}

// Writes the sum "e" as c * x.  Returns false if its terms share no symbol.
static bool common_factor(struct session *s, const struct ix *e, struct lay_int *c,
                          const struct ix **x) {
    struct ix_term self = {lay_int(1), e};
    const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
    int n = e->op == IX_SUM ? e->nterms : 1;
    if (n == 0 || term[0].coef.nsyms == 0) return false;
    *c = term[0].coef;
    c->num = c->den = 1;
    *x = ix_int(s, 0);
    for (int i = 0; i < n && *x; ++i) {
        struct lay_int k = lay_int_div(&s->lay, term[i].coef, *c);
        lay_clear_error(&s->lay);
        if (!lay_int_valid(k) || k.nsyms) return false;
        *x = ix_add(s, *x, term[i].atom ? ix_scale(s, term[i].atom, k) : ix_lay(s, k));
    }
    return *x != NULL;
}

// Whether "e" is known to be at least 0, by its range or by the ranges of the set's variables.
static bool no_less_than_0(const struct question *q, const struct ix *e) {
    if (ix_provably_nonnegative(q->s, e)) return true;
    if (!q->set) return false;
    const struct ix *min = draft_bound(q->s, q->set->var, q->set->nvars, e, false);
    return min && ix_provably_nonnegative(q->s, min);
}

// Lemmas for "e" = S * (a / k) with a >= 0. k * e is at most S*a, and more than S*a - S*k.  If S is
// k, e is at most a, and more than a - k.
static void scaled_quotient(struct question *q, const struct ix *e, struct lin self,
                            bool of_params) {
    struct session *s = q->s;
    if (e->op != IX_SUM || e->nterms != 1 || !e->term[0].atom || e->term[0].atom->op != IX_DIV)
        return;
    struct lay_int by = e->term[0].coef, k = e->term[0].atom->k;
    const struct ix *a = e->term[0].atom->a;
    int64_t lo, hi;
    lay_int_range(by, &lo, &hi);
    if (lo < 0 || !no_less_than_0(q, a)) return;
    if (lay_int_equal(by, k)) {
        struct lin all = lin_of(q, a);
        lin_at_least_0(q, of_params, lin_add(q, all, self, -1));
        struct lin least = lin_add(q, lin_add(q, all, lin_monomial(q, k), -1), lin_int(q, 1), 1);
        lin_at_least_0(q, of_params, lin_add(q, self, least, -1));
        return;
    }
    struct lay_int c = lay_int_div(&s->lay, k, by);  // k is c*S, so a / k is (a / S) / c
    lay_clear_error(&s->lay);
    if (lay_int_valid(c) && lay_int_static(c) && c.num > 1) {
        struct lin all = lin_of(q, ix_scale(s, ix_div(s, a, by), by));
        struct lin rest = lin_add(q, all, lin_scale(q, self, c.num, 1), -1);
        lin_at_least_0(q, of_params, rest);
        struct lin most = lin_scale(q, lin_monomial(q, by), c.num - 1, 1);
        lin_at_least_0(q, of_params, lin_add(q, most, rest, -1));
    } else if (lay_int_static(k)) {
        struct lin all = lin_of(q, ix_scale(s, a, by)), times = lin_scale(q, self, k.num, 1);
        lin_at_least_0(q, of_params, lin_add(q, all, times, -1));
        struct lin rest = lin_scale(q, lin_monomial(q, by), k.num - 1, 1);
        lin_at_least_0(q, of_params, lin_add(q, lin_add(q, times, rest, 1), all, -1));
    }
}

// (k*q - r) / k with r >= 0 is at most q.  The quotient of something >= 0 is >= 0.
static void whole_part(struct question *q, const struct ix *e, struct lin self, bool of_params) {
    struct session *s = q->s;
    const struct ix *whole = ix_int(s, 0);
    if (e->op != IX_DIV) return;
    if (e->lo < 0 && no_less_than_0(q, e->a)) lin_at_least_0(q, of_params, self);
    for (int i = 0; e->a->op == IX_SUM && i < e->a->nterms; ++i) {
        const struct ix_term *t = &e->a->term[i];
        struct lay_int c = lay_int_div(&s->lay, t->coef, e->k);
        if (lay_int_valid(c))
            whole = ix_add(s, whole, t->atom ? ix_scale(s, t->atom, c) : ix_lay(s, c));
    }
    lay_clear_error(&s->lay);
    if (!whole || (ix_static(whole, NULL) && whole->lo == 0)) return;
    if (no_less_than_0(q, ix_sub(s, ix_scale(s, whole, e->k), e->a)))
        lin_at_least_0(q, of_params, lin_add(q, lin_of(q, whole), self, -1));
}

// Adds what the bounds of the set's variables say about "e".
static void bounds_of_variables(struct question *q, const struct ix *e, struct lin self) {
    struct session *s = q->s;
    const struct qset *set = q->set;
    const struct ix *min = draft_bound(s, set->var, set->nvars, e, false);
    const struct ix *max = draft_bound(s, set->var, set->nvars, e, true);
    if (min && !ix_static(min, NULL))
        lin_at_least_0(q, false, lin_add(q, self, lin_of(q, min), -1));
    if (max && !ix_static(max, NULL))
        lin_at_least_0(q, false, lin_add(q, lin_of(q, max), self, -1));
    // S*v, with S >= 0, is between S times the bounds of v
    if (e->op != IX_SUM || e->nterms != 1 || !e->term[0].atom || e->term[0].atom->op != IX_VAR)
        return;
    struct lay_int by = e->term[0].coef;
    int64_t lo, hi;
    lay_int_range(by, &lo, &hi);
    for (int i = 0; i < set->nvars && lo >= 0; ++i) {
        const struct prove_var *v = &set->var[i];
        if (v->var->id != e->term[0].atom->var->id) continue;
        const struct ix *least = ix_constant(v->begin) ? NULL : ix_scale(s, v->begin, by);
        const struct ix *last =
            v->end && !ix_constant(v->end) ? ix_sub(s, v->end, ix_int(s, 1)) : NULL;
        if (least) lin_at_least_0(q, false, lin_add(q, self, lin_of(q, least), -1));
        if (last) lin_at_least_0(q, false, lin_add(q, lin_of(q, ix_scale(s, last, by)), self, -1));
    }
}

// Adds bounds of "e"; "self" is its column.
static void bounds(struct question *q, const struct ix *e, struct lin self, bool of_params) {
    struct session *s = q->s;
    if (e->lo > INT64_MIN / 4)
        lin_at_least_0(q, of_params, lin_add(q, self, lin_int(q, e->lo), -1));
    if (e->hi < INT64_MAX / 4)
        lin_at_least_0(q, of_params, lin_add(q, lin_int(q, e->hi), self, -1));
    if (question_names_rest(q, e)) return;
    if (e->op == IX_MOD) {
        struct lin k = lin_monomial(q, e->k);
        lin_at_least_0(q, of_params, lin_add(q, lin_add(q, k, lin_int(q, 1), -1), self, -1));
        if (no_less_than_0(q, e->a)) {
            struct lin a = lin_of(q, e->a);
            lin_at_least_0(q, of_params, lin_add(q, a, self, -1));
        }
    }
    scaled_quotient(q, e, self, of_params);
    whole_part(q, e, self, of_params);
    if (!of_params) bounds_of_variables(q, e, self);
    const struct ix *max = ix_constant(e) ? NULL : ix_max(s, e);
    if (max && ix_constant(max)) lin_at_least_0(q, of_params, lin_add(q, lin_of(q, max), self, -1));
    struct lay_int c;
    const struct ix *x;
    if (e->op == IX_DIV && no_less_than_0(q, e->a) && common_factor(s, e->a, &c, &x)) {
        const struct ix *room = ix_sub(s, ix_lay(s, e->k), ix_max(s, x));
        if (room && ix_provably_nonnegative(s, room))
            lin_at_least_0(q, of_params, lin_add(q, lin_monomial(q, c), self, -1));
    }
}

static struct lin opaque(struct question *q, const struct ix *e) {
    if (!q->p->term) q->p->term = e;
    if (question_shares(q, e) || question_names_rest(q, e)) {
        for (int i = 0; i < q->nparams; ++i) {
            if (q->param[i].opaque && ix_equal(q->param[i].opaque, e))
                return lin_col(q, COL_PARAM, i);
        }
        struct qparam x = {.value = LAY_INT_INVALID, .digit = -1, .opaque = e};
        struct lin self = lin_col(q, COL_PARAM, add_param(q, x));
        bounds(q, e, self, true);
        return self;
    }
    struct qset *set = q->set;
    for (int i = 0; i < set->ndims; ++i) {
        if (set->dim[i].opaque && ix_equal(set->dim[i].opaque, e)) return lin_col(q, COL_DIM, i);
    }
    if (set->ndims == MOST_DIMS) {
        q->failed = true;
        return NOT_LINEAR;
    }
    set->exact = false;
    set->dim[set->ndims] = (struct qdim){.digit = -1, .opaque = e, .place = -1};
    struct lin self = lin_col(q, COL_DIM, set->ndims++);
    bounds(q, e, self, false);
    return self;
}

// -- variables and digits -------------------------------------------------------------------------

static struct lin column_of(struct question *q, const struct ix_var *v, int digit) {
    for (int i = 0; q->set && i < q->set->ndims; ++i) {
        const struct qdim *d = &q->set->dim[i];
        if (d->var && d->var->id == v->id && d->digit == digit) return lin_col(q, COL_DIM, i);
    }
    return var_of_question(q, v, digit);
}

static int weight_at(const struct split *x, struct lay_int w) {
    for (int i = 0; i < x->n; ++i)
        if (lay_int_equal(x->weight[i], w)) return i;
    return -1;
}

// Digits first .. last - 1 of "x", divided by the weight of the first one; not linear if a weight
// is unknown.
static struct lin digits(struct question *q, const struct split *x, int first, int last) {
    struct lin sum = lin_int(q, 0);
    for (int i = first; i < last; ++i) {
        struct lay_int w = lay_int_div(&q->s->lay, x->weight[i], x->weight[first]);
        lay_clear_error(&q->s->lay);
        if (!lay_int_valid(w) || w.nsyms || w.den != 1) return NOT_LINEAR;
        sum = lin_add(q, sum, column_of(q, x->var, i), w.num);
    }
    return sum;
}

// Converts "e" to digits if it is a variable, a quotient or remainder of one, or the remainder of a
// quotient.
static struct lin by_digits(struct question *q, const struct ix *e) {
    struct lay_int by = lay_int(1), mod = LAY_INT_INVALID;
    const struct ix *a = e;
    if (a->op == IX_MOD) {
        mod = a->k;
        a = a->a;
    }
    if (a->op == IX_DIV) {
        by = a->k;
        a = a->a;
    }
    const struct split *x = a->op == IX_VAR ? rewrite_find(q, a->var) : NULL;
    if (!x) return NOT_LINEAR;
    int first = weight_at(x, by), last = x->n;
    if (first < 0) return NOT_LINEAR;
    if (lay_int_valid(mod)) {
        struct lay_int end = lay_int_mul(&q->s->lay, by, mod);
        lay_clear_error(&q->s->lay);
        last = lay_int_valid(end) ? weight_at(x, end) : -1;
        struct lay_int whole = lay_int_mul(&q->s->lay, x->weight[x->n - 1], x->extent[x->n - 1]);
        lay_clear_error(&q->s->lay);
        if (last < 0 && lay_int_valid(end) && lay_int_valid(whole) && lay_int_equal(end, whole))
            last = x->n;
        if (last < 0) return NOT_LINEAR;
    }
    return digits(q, x, first, last);
}

// -- expressions ----------------------------------------------------------------------------------

static struct lin quotient(struct question *q, struct lin a, int64_t by) {
    if (!lin_ok(a)) return NOT_LINEAR;
    for (int i = 0; i < q->nquotients; ++i) {
        const struct quotient *x = &q->quotient[i];
        if (x->by != by || x->of.n != a.n || x->of.constant != a.constant || x->of.den != a.den)
            continue;
        if (a.n == 0 || memcmp(x->of.term, a.term, sizeof *a.term * (size_t)a.n) == 0)
            return lin_col(q, COL_DIV, i);
    }
    if (q->nquotients == MOST_DIVS) {
        q->failed = true;
        return NOT_LINEAR;
    }
    q->quotient[q->nquotients] = (struct quotient){a, by};
    return lin_col(q, COL_DIV, q->nquotients++);
}

static struct lin of_quotient(struct question *q, const struct ix *e) {
    struct lin r = by_digits(q, e);
    if (lin_ok(r)) return r;
    if (e->op == IX_DIV && e->k.nsyms && e->k.num > 1 && e->k.den == 1) {
        struct lay_int k = e->k;  // a / (c*K) is (a / K) / c
        k.num = 1;
        return quotient(q, lin_of(q, ix_div(q->s, e->a, k)), e->k.num);
    }
    if (!lay_int_static(e->k) || question_names_rest(q, e)) return opaque(q, e);
    struct lin a = lin_of(q, e->a);
    r = quotient(q, a, e->k.num);
    return e->op == IX_DIV ? r : lin_add(q, a, r, -e->k.num);
}

static struct lin of_term(struct question *q, const struct ix_term *t) {
    if (!t->atom) return lin_monomial(q, t->coef);
    if (t->coef.nsyms == 0) return lin_scale(q, lin_of(q, t->atom), t->coef.num, t->coef.den);
    // equal products always get the same column
    struct lay_int symbols = t->coef;
    symbols.num = symbols.den = 1;
    struct lin one = opaque(q, ix_scale(q->s, t->atom, symbols));
    return lin_scale(q, one, t->coef.num, t->coef.den);
}

struct lin lin_of(struct question *q, const struct ix *e) {
    if (!e) return NOT_LINEAR;
    switch (e->op) {
    case IX_VAR: {
        struct lin r = by_digits(q, e);
        if (lin_ok(r)) return r;
        return rewrite_find(q, e->var) ? opaque(q, e) : column_of(q, e->var, -1);
    }
    case IX_DIV:
    case IX_MOD: return of_quotient(q, e);
    case IX_SWZ: return opaque(q, e);
    case IX_SUM: break;
    }
    struct lin sum = lin_int(q, 0);
    for (int i = 0; i < e->nterms; ++i) sum = lin_add(q, sum, of_term(q, &e->term[i]), 1);
    return sum;
}
