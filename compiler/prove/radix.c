// Changes the coordinates of elements: if each set names K*q + r along a mode, with r in 0 .. K,
// that mode becomes two modes, r and q.
//
// r and q determine the coordinate, and are determined by it as remainder and quotient by K.  So
// two instances name the same element after the change exactly if they do before.  That r is in 0
// .. K is proven for all instances of each set.  K is at least 1 if such an r exists.
//
// Instead of elements 0 .. E of a mode, the question is about 0 .. K along r and 0 .. Q along q,
// with K*Q >= E.  This covers each coordinate below E, but may be more than there are, so only the
// answer "yes" counts.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

enum { MOST_RADICES = 16 };

struct split_mode {
    const struct ix *rest, *quotient;
};

// -- candidates -----------------------------------------------------------------------------------

struct radices {
    int n;
    struct lay_int at[MOST_RADICES];
    bool symbols;  // one of them contains params
};

static void add_radix(struct radices *x, struct lay_int k) {
    if (!lay_int_valid(k) || k.num == 0 || x->n == MOST_RADICES) return;
    if (k.num < 0) k.num = -k.num;
    if (lay_int_is(k, 1)) return;
    for (int i = 0; i < x->n; ++i)
        if (lay_int_equal(x->at[i], k)) return;
    x->symbols |= k.nsyms > 0;
    x->at[x->n++] = k;
}

static bool same_symbols(struct lay_int a, struct lay_int b) {
    a.num = b.num = a.den = b.den = 1;
    return lay_int_equal(a, b);
}

// Finds the coefficients of variables along mode "mode", and the common divisors of coefficients
// that are multiples of the same params.
static void find_radices(const struct prove_set *set, int n, int mode, struct radices *x) {
    for (int i = 0; i < n; ++i) {
        const struct ix *e = set[i].out[mode];
        for (int j = 0; e->op == IX_SUM && j < e->nterms; ++j)
            if (e->term[j].atom) add_radix(x, e->term[j].coef);
    }
    for (int i = 0, most = x->n; i < most; ++i) {
        for (int j = 0; j < i; ++j) {
            struct lay_int k = x->at[i];
            if (!same_symbols(k, x->at[j]) || k.den != 1 || x->at[j].den != 1) continue;
            k.num = lay_gcd(k.num, x->at[j].num);
            add_radix(x, k);
        }
    }
}

static struct lay_int exact(struct session *s, struct lay_int a, struct lay_int b) {
    struct lay_int r = lay_int_div(&s->lay, a, b);
    lay_clear_error(&s->lay);
    return r;
}

// One of those not "used" that no other one divides; -1 if there is none.
static int least(struct session *s, const struct radices *x, const bool *used) {
    for (int i = 0; i < x->n; ++i) {
        bool found = !used[i];
        for (int j = 0; j < x->n && found; ++j)
            found = used[j] || j == i || !lay_int_valid(exact(s, x->at[i], x->at[j]));
        if (found) return i;
    }
    return -1;
}

// -- one mode -------------------------------------------------------------------------------------

// Writes "e" as k * quotient + rest, with the rest in 0 .. k in all of "set".
static bool divide(struct prover *p, const struct prove_set *set, const struct ix *e,
                   struct lay_int k, struct split_mode *out) {
    struct session *s = p->s;
    struct ix_term self = {lay_int(1), e};
    const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
    int n = e->op == IX_SUM ? e->nterms : 1;
    const struct ix *q = ix_int(s, 0), *r = q, *by = ix_lay(s, k);
    for (int i = 0; i < n; ++i) {
        struct lay_int c = exact(s, term[i].coef, k);
        bool divides = lay_int_valid(c);
        const struct ix **sum = divides ? &q : &r;
        if (!divides) c = term[i].coef;
        *sum = ix_add(s, *sum, term[i].atom ? ix_scale(s, term[i].atom, c) : ix_lay(s, c));
    }
    if (!r || !q) return false;
    if (!prove_always(p, set, r)) {
        r = ix_add(s, r, by);
        q = ix_sub(s, q, ix_int(s, 1));
        if (!prove_always(p, set, r)) return false;
    } else if (!prove_always(p, set, ix_sub(s, ix_sub(s, by, ix_int(s, 1)), r))) {
        r = ix_sub(s, r, by);
        q = ix_add(s, q, ix_int(s, 1));
        if (!prove_always(p, set, r)) return false;
    }
    *out = (struct split_mode){r, q};
    return q && prove_always(p, set, ix_sub(s, ix_sub(s, by, ix_int(s, 1)), r));
}

// -- extents --------------------------------------------------------------------------------------

// An expression q with k * q >= "extent".
static const struct ix *quotients(struct prover *p, const struct ix *extent, struct lay_int k,
                                  const struct prove_set *set, const struct split_mode *x, int n) {
    struct session *s = p->s;
    struct lay_int e;
    if (ix_monomial(extent, &e)) {
        struct lay_int whole = exact(s, e, k);
        if (lay_int_valid(whole)) return ix_lay(s, whole);
    }
    for (int i = 0; i < n; ++i) {
        const struct ix *most = draft_bound(s, set[i].var, set[i].nvars, x[i].quotient, true);
        most = most ? ix_add(s, most, ix_int(s, 1)) : NULL;
        const struct ix *all = most ? ix_scale(s, most, k) : NULL;
        if (all && strategy_at_least(p, all, extent) == PROVE_YES) return most;
    }
    // if k is 0, no multiple of it reaches the extent
    if (strategy_at_least(p, ix_lay(s, k), ix_int(s, 1)) != PROVE_YES) return NULL;
    return ix_div(s, ix_add(s, extent, ix_sub(s, ix_lay(s, k), ix_int(s, 1))), k);
}

// -- all modes ------------------------------------------------------------------------------------

// Splits mode "mode" of all sets; "extent" may be NULL.
static bool split(struct prover *p, struct prove_set *set, int n, const struct ix **extent,
                  int mode) {
    struct session *s = p->s;
    struct radices x = {0};
    bool used[MOST_RADICES] = {false};
    struct split_mode *to = ARENA_ARRAY(&s->arena, struct split_mode, n + 1);
    find_radices(set, n, mode, &x);
    if (!x.symbols) return false;
    for (int at = least(s, &x, used); at >= 0; at = least(s, &x, used)) {
        int64_t lo, hi;
        bool ok = true, rest = false;
        used[at] = true;
        lay_int_range(x.at[at], &lo, &hi);
        if (lo < 0) continue;
        for (int i = 0; i < n && ok; ++i) {
            ok = divide(p, &set[i], set[i].out[mode], x.at[at], &to[i]);
            rest |= ok && !(ix_static(to[i].rest, NULL) && to[i].rest->lo == 0);
        }
        if (!ok || (extent && !rest)) continue;
        int modes = set[0].nouts;
        if (extent) {
            extent[modes] = quotients(p, extent[mode], x.at[at], set, to, n);
            if (!extent[modes]) return false;
            extent[mode] = ix_lay(s, x.at[at]);
        }
        for (int i = 0; i < n; ++i) {
            const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, modes + 1);
            memcpy(out, set[i].out, sizeof *out * (size_t)modes);
            out[mode] = to[i].rest;
            out[modes] = to[i].quotient;
            set[i].out = out;
            ++set[i].nouts;
        }
        return true;
    }
    return false;
}

// Whether "e" >= 0 for all elements below the extents; "e" must be an expression without variables
// minus a coordinate.
static bool within(struct prover *p, const struct prove_set *set, const struct ix *e,
                   const struct ix *const *extent) {
    struct session *s = p->s;
    for (int i = 0; i < set->nouts; ++i) {
        const struct ix *last = ix_add(s, e, set->out[i]);
        if (!last || !ix_constant(last)) continue;
        if (strategy_at_least(p, ix_add(s, last, ix_int(s, 1)), extent[i]) == PROVE_YES)
            return true;
    }
    return false;
}

// Removes conditions from "set" that hold for all elements in question.
static bool drop_conditions(struct prover *p, struct prove_set *set,
                            const struct ix *const *extent) {
    const struct ix **cond = ARENA_ARRAY(&p->s->arena, const struct ix *, set->nconds + 1);
    int kept = 0;
    for (int i = 0; i < set->nconds; ++i)
        if (!within(p, set, set->cond[i], extent)) cond[kept++] = set->cond[i];
    bool any = kept < set->nconds;
    set->cond = cond;
    set->nconds = kept;
    return any;
}

bool radix_split(struct prover *p, const struct prove_set *in, int n, struct prove_set *out,
                 const struct ix *const *extent, const struct ix **extents) {
    bool any = false;
    const char *why = p->why;
    const struct ix *term = p->term;
    if (n == 0 || in[0].nouts > RADIX_MODES) return false;
    memcpy(out, in, sizeof *out * (size_t)n);
    if (extent) memcpy(extents, extent, sizeof *extents * (size_t)in[0].nouts);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < in[i].nouts; ++j)
            if (!in[i].out[j]) return false;
    }
    // isl handles affine conditions
    for (int i = 0; i < n && extent; ++i) any |= drop_conditions(p, &out[i], extent) && term;
    for (int m = 0; m < out[0].nouts; ++m)
        while (out[0].nouts < RADIX_MODES && split(p, out, n, extent ? extents : NULL, m))
            any = true;
    p->why = why;  // intermediate questions do not belong to the answer
    p->term = term;
    lay_clear_error(&p->s->lay);
    return any;
}
