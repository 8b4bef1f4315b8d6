// Replaces a set that contains terms that are not affine by several sets without them.
//
// (i + 1) % N, with i in 0 .. N, is i + 1 or i + 1 - N, because the quotient (i + 1) / N is 0 or 1.
// If a quotient or remainder by a param has few values, the set becomes one set for each value,
// with the condition under which the quotient has that value.
//
// (M*i + 7) % 8 is (M*(i % 8) + 7) % 8.  The set becomes one set for each value of i % 8, in which
// the factor of M is a number.

#include "base/session.h"
#include "prove/private.h"

enum { MOST_VALUES = 4, MOST_RESTS = 16, MOST_SETS = 32 };

// The innermost quotient or remainder by a param whose dividend is neither a variable nor a
// quotient; NULL if there is none.
static const struct ix *find(const struct ix *e) {
    const struct ix *r = NULL;
    if (!e) return NULL;
    if (e->op == IX_SUM) {
        for (int i = 0; i < e->nterms && !r; ++i) r = find(e->term[i].atom);
        return r;
    }
    if (e->op == IX_VAR) return NULL;
    r = find(e->a);
    if (r || e->op == IX_SWZ || lay_int_static(e->k) || ix_constant(e)) return r;
    return e->a->op == IX_VAR || e->a->op == IX_DIV ? NULL : e;
}

static const struct ix *find_in(const struct prove_set *x) {
    const struct ix *r = NULL;
    for (int i = 0; i < x->nouts && !r; ++i) r = find(x->out[i]);
    for (int i = 0; i < x->nconds && !r; ++i) r = find(x->cond[i]);
    return r;
}

struct choice {
    const struct ix *of;  // a / k
    int64_t value;
};

// "e", with a / k and a % k replaced: the quotient has its value.
static const struct ix *replace(struct session *s, const struct ix *e, const void *user) {
    const struct choice *q = user;
    bool divides = e->op == IX_DIV || e->op == IX_MOD;
    if (!divides || !ix_equal(e->a, q->of->a) || !lay_int_equal(e->k, q->of->k))
        return ix_made_of(s, e, replace, q);
    if (e->op == IX_DIV) return ix_int(s, q->value);
    return ix_sub(s, e->a, ix_scale(s, ix_lay(s, e->k), lay_int(q->value)));
}

// "x" with "n" more conditions, and, unless "of" is NULL, with the quotient of "of" being "value".
static struct prove_set with(struct session *s, const struct prove_set *x, const struct ix *of,
                             int64_t value, const struct ix *const *more, int n) {
    struct prove_set r = *x;
    const struct choice q = {of, value};
    const struct ix **cond = ARENA_ARRAY(&s->arena, const struct ix *, x->nconds + n + 1);
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, x->nouts + 1);
    for (int i = 0; i < x->nconds; ++i) cond[i] = of ? replace(s, x->cond[i], &q) : x->cond[i];
    for (int i = 0; i < n; ++i) cond[x->nconds + i] = more[i];
    for (int i = 0; i < x->nouts; ++i) out[i] = of ? replace(s, x->out[i], &q) : x->out[i];
    r.cond = cond;
    r.nconds += n;
    r.out = out;
    return r;
}

// Whether "e" < 0 in all of "x".
static bool negative(struct prover *p, const struct prove_set *x, const struct ix *e) {
    struct prove_set one = *x;
    one.nconds = one.nouts = 0;
    one = with(p->s, &one, NULL, 0, &e, 1);
    return strategy_none(p, &one, NULL) == PROVE_YES;
}

// -- products in remainders by numbers -------------------------------------------------------------

static bool is_named(const struct prove_set *x, const struct ix *e) {
    bool is = e == NULL;
    for (int i = 0; i < x->nouts; ++i) is |= ix_equal(x->out[i], e);
    return is;
}

// The factor of a param in a remainder by a number "k"; sets "*k".  NULL if there is none that is no
// coordinate of "x".
static const struct ix *factor(const struct prove_set *x, const struct ix *e, int64_t *k) {
    const struct ix *r = NULL;
    if (!e || e->op == IX_VAR) return NULL;
    if (e->op != IX_SUM) {
        const struct ix *a = e->a;
        if (e->op == IX_MOD && lay_int_static(e->k) && e->k.num <= MOST_RESTS)
            for (int i = 0; a->op == IX_SUM && i < a->nterms && !r; ++i)
                if (a->term[i].coef.nsyms && !is_named(x, a->term[i].atom)) r = a->term[i].atom;
        *k = r ? e->k.num : *k;
        return r ? r : factor(x, a, k);
    }
    for (int i = 0; i < e->nterms && !r; ++i) r = factor(x, e->term[i].atom, k);
    return r;
}

struct rest {
    const struct ix *of;  // of % k is "value"; if "few", so is "of"
    int64_t k, value;
    bool few;
};

// "e" with "value" in place of such factors in remainders by "k" or a divisor of it, if "few" everywhere.
static const struct ix *with_rest(struct session *s, const struct ix *e, const void *user) {
    const struct rest *x = user;
    if (x->few && ix_equal(e, x->of)) return ix_int(s, x->value);
    if (e->op == IX_VAR) return e;
    if (e->op != IX_MOD || !lay_int_static(e->k) || x->k % e->k.num || e->a->op != IX_SUM)
        return ix_made_of(s, e, with_rest, x);
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < e->a->nterms; ++i) {
        const struct ix_term *t = &e->a->term[i];
        bool is = t->atom && t->coef.nsyms && ix_equal(t->atom, x->of);
        const struct ix *atom = is ? ix_int(s, x->value) : t->atom;
        sum = ix_add(s, sum, atom ? ix_scale(s, atom, t->coef) : ix_lay(s, t->coef));
    }
    return ix_mod(s, sum, e->k);
}

static int expand(struct prover *p, const struct prove_set *x, struct prove_set *out, int most);

// As expand.
static int by_rests(struct prover *p, const struct prove_set *x, struct prove_set *out, int most) {
    struct session *s = p->s;
    struct rest r = {NULL, 0, 0, false};
    for (int i = 0; i < x->nouts && !r.of; ++i) r.of = factor(x, x->out[i], &r.k);
    for (int i = 0; i < x->nconds && !r.of; ++i) r.of = factor(x, x->cond[i], &r.k);
    out[0] = *x;
    if (!r.of || most < r.k) return 1;
    bool few = r.few = r.of->lo >= 0 && r.of->hi < r.k;
    const struct ix *rest = few ? r.of : ix_mod(s, r.of, lay_int(r.k));
    int n = 0;
    for (r.value = few ? r.of->lo : 0; r.value < (few ? r.of->hi + 1 : r.k); ++r.value) {
        struct draft d = draft_of(s, x);
        const struct ix **cond = ARENA_ARRAY(&s->arena, const struct ix *, d.nconds + 2);
        for (int i = 0; i < d.nconds; ++i) cond[i] = with_rest(s, d.cond[i], &r);
        for (int i = 0; i < d.nouts; ++i) d.out[i] = with_rest(s, d.out[i], &r);
        d.cond = cond;
        d.cond[d.nconds++] = ix_sub(s, rest, ix_int(s, r.value));
        d.cond[d.nconds++] = ix_sub(s, ix_int(s, r.value), rest);
        struct prove_set one = draft_set(&d);
        int left = (int)((few ? r.of->hi + 1 : r.k) - r.value - 1);
        n += expand(p, &one, out + n, most - n - left);
    }
    return n;
}

// Stores at most "most" sets whose union is "x" in "out"; returns their number.
static int expand(struct prover *p, const struct prove_set *x, struct prove_set *out, int most) {
    struct session *s = p->s;
    const struct ix *of = find_in(x), *k = of ? ix_lay(s, of->k) : NULL;
    int64_t lo = -2, hi = 0;
    out[0] = *x;
    if (!of) return by_rests(p, x, out, most);
    if (most <= 1) return 1;
    // finds lo and hi with a >= lo * k and a < (hi + 1) * k
    while (lo < 1 && negative(p, x, ix_sub(s, of->a, ix_scale(s, k, lay_int(lo + 1))))) ++lo;
    while (
        lo < 0 &&
        negative(p, x, ix_sub(s, ix_sub(s, ix_scale(s, k, lay_int(lo + 1)), of->a), ix_int(s, 1))))
        ++lo;
    bool low =
        negative(p, x, ix_sub(s, ix_sub(s, ix_scale(s, k, lay_int(lo)), of->a), ix_int(s, 1)));
    for (hi = lo; hi < lo + MOST_VALUES; ++hi)
        if (negative(p, x, ix_sub(s, of->a, ix_scale(s, k, lay_int(hi + 1))))) break;
    if (!low || hi == lo + MOST_VALUES) return 1;
    int n = 0;
    for (int64_t value = lo; value <= hi; ++value) {
        const struct ix *rest = ix_sub(s, of->a, ix_scale(s, k, lay_int(value)));
        const struct ix *more[] = {rest, ix_sub(s, ix_sub(s, k, ix_int(s, 1)), rest)};
        struct prove_set one = with(s, x, of, value, more, 2);
        if (n + (hi - value) >= most) {  // too many: keeps the complete set unchanged
            out[0] = *x;
            return 1;
        }
        n += expand(p, &one, out + n, most - n - (int)(hi - value));
    }
    return n;
}

bool expand_set(struct prover *p, const struct prove_set *x, struct prove_set **out, int *n) {
    const char *why = p->why;
    const struct ix *term = p->term;
    *out = ARENA_ARRAY(&p->s->arena, struct prove_set, MOST_SETS + 1);
    *n = expand(p, x, *out, MOST_SETS);
    p->why = why;  // intermediate questions do not belong to the answer
    p->term = term;
    lay_clear_error(&p->s->lay);
    return *n > 1 || (*out)->out != x->out;
}
