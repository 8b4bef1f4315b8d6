// Constructors of quotients, remainders and swizzles of index expressions.  Each one simplifies.
#include <stdlib.h>

#include "base/session.h"
#include "index/ix_private.h"

// Splits "e" into k * "whole" + "rest".  "whole" has the terms whose coefficients "k" divides, and
// the multiples of "k" in constant terms.
static void split(struct session *s, const struct ix *e, struct lay_int k, struct ix_terms *whole,
                  struct ix_terms *rest) {
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
            ix_terms_add(whole, q, term[i].atom);
        } else if (lay_int_static(k) && lay_int_static(term[i].coef) && !term[i].atom &&
                   (term[i].coef.num >= k.num || term[i].coef.num < 0)) {
            int64_t r = term[i].coef.num % k.num;
            if (r < 0) r += k.num;
            ix_terms_add(whole, lay_int((term[i].coef.num - r) / k.num), NULL);
            ix_terms_add(rest, lay_int(r), NULL);
        } else {
            ix_terms_add(rest, term[i].coef, term[i].atom);
        }
    }
}

// Finds a factor g > 1 of "k" with e = g * x + y and 0 <= y < g.  Sets x, y and g.
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
        struct ix_terms whole = {0}, rest = {0};
        split(s, e, lay_int(c), &whole, &rest);
        const struct ix *r = ix_terms_finish(s, &rest);
        if (!r || !ix_below(s, r, lay_int(c))) continue;
        *x = ix_terms_finish(s, &whole);
        *y = r;
        *g = c;
        return *x != NULL;
    }
    return false;
}

static const struct ix *make_quotient(struct session *s, enum ix_op op, const struct ix *a,
                                      struct lay_int k) {
    struct ix *e = ix_new(s, op);
    e->a = a;
    e->k = k;
    e->size = ix_size_of(ix_size_of(1, ix_int_size(k)), a->size);
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

static bool has_symbol(struct lay_int x, const struct lay_sym *sym) {
    for (int i = 0; i < x.nsyms; ++i)
        if (lay_sym_compare(x.syms[i], sym) == 0) return true;
    return false;
}

// Cancels a common factor of "a" and "by", a symbol in all terms or a denominator: a = scale * x
// and by = scale * y.  Returns false if there is none.
static bool cancel(struct session *s, const struct ix *a, struct lay_int by, const struct ix **x,
                   struct lay_int *y, struct lay_int *scale) {
    if (a->op != IX_SUM || a->nterms == 0) return false;
    for (int i = 0; i < by.nsyms; ++i) {
        const struct lay_sym *sym = by.syms[i];
        bool common = sym->lo >= 1;
        int64_t den = by.den;
        for (int j = 0; j < a->nterms && common; ++j) {
            struct lay_int c = a->term[j].coef;
            common = has_symbol(c, sym) &&
                     !__builtin_mul_overflow(den, c.den / lay_gcd(den, c.den), &den);
        }
        if (!common) continue;
        const char *before = s->lay.error;
        struct lay_int one = lay_int_sym(&s->lay, sym);
        *scale = lay_int_div(&s->lay, one, lay_int(den));
        *y = lay_int_div(&s->lay, lay_int_mul(&s->lay, by, lay_int(den)), one);
        struct ix_terms t = {0};
        for (int j = 0; j < a->nterms; ++j) {
            struct lay_int c = lay_int_mul(&s->lay, a->term[j].coef, lay_int(den));
            ix_terms_add(&t, lay_int_div(&s->lay, c, one), a->term[j].atom);
        }
        s->lay.error = before;
        *x = lay_int_valid(*scale) && lay_int_valid(*y) ? ix_terms_finish(s, &t) : NULL;
        if (*x) return true;
    }
    return false;
}

// Adds a multiple "*m" * "by" to "a" such that its range is not negative, because C rounds
// quotients towards zero.  Returns "a" unchanged if it does not know such a multiple.
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
    struct ix_terms whole = {0}, rest = {0};
    split(s, a, by, &whole, &rest);
    // 0 divided by something that may be 0
    if (!whole.n && !rest.n) return make_quotient(s, IX_DIV, a, by);
    if (whole.n) {
        const struct ix *q = ix_terms_finish(s, &whole), *r = ix_terms_finish(s, &rest);
        // A dividend that is not negative must stay so, because C rounds towards zero, and nothing
        // can be added to "r" again if "by" is a param.
        bool stays = lay_int_static(by) || !r || ix_provably_nonnegative(s, r) ||
                     !ix_provably_nonnegative(s, a);
        if (stays) return ix_add(s, q, ix_div(s, r, by));
        return make_quotient(s, IX_DIV, a, by);
    }
    const struct ix *x, *y, *q;
    struct lay_int less, scale;
    if (cancel(s, a, by, &x, &less, &scale)) return ix_div(s, x, less);
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
    struct ix_terms whole = {0}, rest = {0};
    split(s, a, by, &whole, &rest);
    if (!whole.n && !rest.n) return make_quotient(s, IX_MOD, a, by);
    if (whole.n) return ix_mod(s, ix_terms_finish(s, &rest), by);
    const struct ix *x, *y;
    struct lay_int less, scale;
    if (cancel(s, a, by, &x, &less, &scale)) return ix_scale(s, ix_mod(s, x, less), scale);
    int64_t g, m;
    a = lift(s, a, by, &m);
    // subtracting the multiple may have made it negative, as in x - y + by
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
    if (ix_static(a, &value)) return ix_int(s, swizzle_value(sw, value));
    // multiples of 2^top are above all bits of the swizzle and pass through
    struct ix_terms whole = {0}, rest = {0};
    split(s, a, lay_int((int64_t)1 << top), &whole, &rest);
    const struct ix *low = a, *left = whole.n ? ix_terms_finish(s, &rest) : NULL;
    // unless the rest would become negative: its bits are not reliable
    if (whole.n && (!left || left->lo >= 0 || a->lo < 0)) {
        low = left;
        const struct ix *high = ix_scale(s, ix_terms_finish(s, &whole), lay_int((int64_t)1 << top));
        return ix_add(s, high, ix_swizzle(s, low, sw));
    }
    int64_t source = (int64_t)1 << (sw.s >= 0 ? sw.m + sw.s : sw.m);
    if (low->lo >= 0 && low->hi < source) return low;
    struct ix *e = ix_new(s, IX_SWZ);
    e->a = low;
    e->sw = sw;
    e->size = ix_size_of(1, low->size);
    // negative numbers are in two's complement
    e->lo = low->lo < 0 ? low->lo & -((int64_t)1 << top) : 0;
    e->hi = low->hi == INT64_MAX ? INT64_MAX : (low->hi | (((int64_t)1 << top) - 1));
    return e;
}
