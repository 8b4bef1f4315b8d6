// Finds what the body of a kernel computes in 64 bits and may not fit.
//
// Proofs are about integers of any size; the emitted code has 64 bits.  An index must fit, with all
// its partial sums, where its value matters: in a condition, in a bound of a loop, in an argument,
// and below a quotient or a remainder.  An offset needs no check where it is not far from the
// tensor: its terms are positive, and what guards it is less than a tile beyond the end.  Then it
// is at most about as large as the tensor, and that fits (lower/launch.c).  What is below a swizzle
// is such an offset, of which the swizzle may have a part.

#include "base/session.h"
#include "lower/private.h"

enum { MOST_BEYOND = 1 << 24 };  // elements of a tile along a mode

// How much depends on that a value fits.
enum weight {
    WRAPS,    // it is right again after the sum is complete
    SHOULD,   // so would it be, but C++ has no such integers: checked if its bounds are known
    MATTERS,  // checked, and refused if its bounds are not known
};

struct fits {
    struct session *s;
    fits_found *found;
    void *user;
    enum weight *counts;        // by variable
    const struct ix **last;     // by variable: the greatest value in a loop, if it is known
    const struct ix **is;       // by variable: the value of a let
    const struct ix_var **let;  // the lets
    int nlets;
    bool changed;
};

// The weight of what is below a quotient, a remainder or a swizzle.
static enum weight below(const struct ix *e) {
    return e->op == IX_SWZ ? SHOULD : MATTERS;
}

// -- variables whose value counts -----------------------------------------------------------------

static void mark(struct fits *x, const struct ix *e, enum weight w) {
    if (!e) return;
    switch (e->op) {
    case IX_VAR:
        if (x->counts[e->var->id] >= w) return;
        x->counts[e->var->id] = w;
        x->changed = true;
        return;
    case IX_DIV:
    case IX_MOD:
    case IX_SWZ: mark(x, e->a, below(e)); return;
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) mark(x, e->term[i].atom, w);
    }
}

// Marks the variables below quotients, remainders and swizzles in "e".
static void mark_below(struct fits *x, const struct ix *e) {
    if (!e) return;
    if (e->op == IX_DIV || e->op == IX_MOD || e->op == IX_SWZ) mark(x, e->a, below(e));
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) mark_below(x, e->term[i].atom);
}

typedef void see_fn(struct fits *x, const struct ix *e, enum weight w);

// -- offsets far from their tensors ---------------------------------------------------------------

// Notes that "v" is "e" from here on; the loads of a pipeline have other steps before its loop.
static void let(struct fits *x, const struct ix_var *v, const struct ix *e) {
    int at = 0;
    while (at < x->nlets && x->let[at]->id != v->id) ++at;
    if (at == x->nlets) x->nlets++;
    for (; at < x->nlets - 1; ++at) x->let[at] = x->let[at + 1];
    x->let[at] = v;
    x->is[v->id] = e;
}

// Replaces the lets in "e" by their values; NULL if that is too long.
static const struct ix *spelled_out(struct fits *x, const struct ix *e) {
    for (int i = x->nlets - 1; i >= 0 && e; --i)  // later lets are made from earlier ones
        if (ix_depends_on(e, x->let[i]))
            e = ix_substitute(x->s, e, x->let[i], x->is[x->let[i]->id]);
    return e;
}

// An upper bound of the constant "e": by * ceil_div(n, by) is at most n + by - 1.
static const struct ix *without_rounding(struct fits *x, const struct ix *e) {
    struct lay_int n = {0};
    const struct ix *sum = ix_int(x->s, 0);
    for (int i = 0; sum && i < (e->op == IX_SUM ? e->nterms : 1); ++i) {
        const struct ix *t =
            e->op == IX_SUM ? ix_scale(x->s, e->term[i].atom ? e->term[i].atom : ix_int(x->s, 1),
                                       e->term[i].coef)
                            : e;
        bool rounded = ix_monomial(t, &n) && n.nsyms == 1 && !n.syms[0]->name && n.den == 1 &&
                       n.num > 0 && n.num % n.syms[0]->by == 0;
        if (rounded)
            t = ix_scale(x->s,
                         ix_add(x->s, ix_lay(x->s, n.syms[0]->of), ix_int(x->s, n.syms[0]->by - 1)),
                         lay_int(n.num / n.syms[0]->by));
        sum = t ? ix_add(x->s, sum, t) : NULL;
    }
    return sum;
}

// The greatest value of a loop that ends before "end"; NULL if it is not known.
static const struct ix *last_of(struct fits *x, const struct ix *end) {
    const struct ix *e = spelled_out(x, end);
    e = e ? ix_max(x->s, e) : NULL;
    return e ? ix_sub(x->s, e, ix_int(x->s, 1)) : NULL;
}

// Whether "c" is not known to hold for all coordinates up to a tile beyond what it allows.
static bool is_loose(struct fits *x, const struct kir_cond *c) {
    const struct ix *d = c->least ? ix_sub(x->s, c->b, c->a) : ix_sub(x->s, c->a, c->b);
    d = d ? spelled_out(x, d) : NULL;
    d = d ? ix_max(x->s, d) : NULL;
    d = d ? without_rounding(x, d) : NULL;
    return !d || d->hi > MOST_BEYOND;
}

static bool any_loose(struct fits *x, const struct kir_node *n) {
    bool loose = n->cut && is_loose(x, n->cut);
    for (int i = 0; i < n->nconds && !loose; ++i) loose = is_loose(x, &n->cond[i]);
    return loose;
}

// Whether a partial result of "e" may be larger than "e": something large is subtracted, or
// multiplied with what is always 0.
static bool is_larger_within(const struct ix *e) {
    bool any = false;
    for (int i = 0; e->op == IX_SUM && i < e->nterms && !any; ++i) {
        const struct ix_term *t = &e->term[i];
        any = ix_term_bounds(*t).lo < -MOST_BEYOND ||
              (t->atom && t->atom->hi < 1 && ix_int_bounds(t->coef).hi > MOST_BEYOND);
    }
    return any;
}

static void see_conds(struct fits *x, const struct kir_cond *c, int n, see_fn *see) {
    for (int i = 0; i < n; ++i) {
        see(x, c[i].a, MATTERS);
        see(x, c[i].b, MATTERS);
    }
}

static void see_offset(struct fits *x, const struct ix *e, bool far, see_fn *see) {
    if (e) see(x, e, far || (ix_may_overflow(e) && is_larger_within(e)) ? SHOULD : WRAPS);
}

// "far": offsets may be far from their tensors.
static void see_all(struct fits *x, const struct kir_node *list, bool far, see_fn *see) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool far_here = far || any_loose(x, n);
        see_conds(x, n->cond, n->nconds, see);
        if (n->cut) see_conds(x, n->cut, 1, see);
        if (n->kind != KIR_LET || x->counts[n->var->id])
            see(x, n->index, n->kind != KIR_LET ? MATTERS : x->counts[n->var->id]);
        else
            see_offset(x, n->index, false, see);
        if (n->kind == KIR_LET) let(x, n->var, n->index);
        see(x, n->begin, MATTERS);
        see(x, n->end, MATTERS);
        if (n->kind == KIR_FOR) x->last[n->var->id] = last_of(x, n->end);
        see_offset(x, n->at, far_here, see);
        see_offset(x, n->to_at, far_here, see);
        for (int i = 0; i < n->ncarries; ++i) {
            see(x, n->carry[i].first, x->counts[n->carry[i].var->id]);
            see(x, n->carry[i].step, x->counts[n->carry[i].var->id]);
        }
        for (int i = 0; i < n->nargs; ++i) see(x, n->arg[i].at, n->arg[i].buf ? WRAPS : MATTERS);
        see_all(x, n->body, far_here, see);
        see_all(x, n->orelse, far_here, see);
    }
}

static void mark_one(struct fits *x, const struct ix *e, enum weight w) {
    if (w != WRAPS)
        mark(x, e, w);
    else
        mark_below(x, e);
}

// -- what they come to ----------------------------------------------------------------------------

// "e" without the terms that are never above 0.
static const struct ix *without_less(struct session *s, const struct ix *e) {
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < e->nterms && e->op == IX_SUM; ++i) {
        const struct ix_term *t = &e->term[i];
        if (ix_term_bounds(*t).hi <= 0) continue;
        sum = ix_add(s, sum, t->atom ? ix_scale(s, t->atom, t->coef) : ix_lay(s, t->coef));
    }
    return sum;
}

// The maximum of a term, or with "least" its negated minimum, if that is positive; otherwise 0.
// NULL if it is not known.
static const struct ix *reach(struct fits *x, const struct ix_term *t, bool least) {
    struct ix_bounds r = ix_term_bounds(*t);
    if (least ? r.lo >= 0 : r.hi <= 0) return ix_int(x->s, 0);
    struct ix_term alone = {.coef = t->coef};  // it is more than a product with 0
    if (t->atom && t->atom->hi < 1) t = &alone;
    struct ix one = {.op = IX_SUM, .nterms = 1, .term = t, .lo = r.lo, .hi = r.hi};
    const struct ix *b = least ? ix_min(x->s, &one) : ix_max(x->s, &one);
    if (!b && !least && t->atom && t->atom->op == IX_VAR && x->last[t->atom->var->id])
        b = ix_scale(x->s, x->last[t->atom->var->id], t->coef);
    if (b && least) b = ix_sub(x->s, ix_int(x->s, 0), b);
    // below 0 only where an extent is 0, and nothing is computed: a little more is a bound as well
    if (b && b->lo < 0 && b->lo > INT32_MIN) b = ix_add(x->s, b, ix_int(x->s, -b->lo));
    if (b && b->lo < 0) b = without_less(x->s, b);
    if (b && b->lo >= 0) return b;
    int64_t most = least ? r.lo : r.hi;
    if (most == INT64_MIN || most == INT64_MAX) return NULL;
    return ix_int(x->s, least ? -most : most);
}

static void look_below(struct fits *x, const struct ix *e);

// Reports "e" if it or one of its partial sums may not fit.
static void look(struct fits *x, const struct ix *e, enum weight w) {
    int64_t number;
    if (!e || !ix_may_overflow(e) || ix_static(e, &number)) return;
    const struct ix *whole = spelled_out(x, e);
    if (!whole) {
        if (w == MATTERS) x->found(x->user, e, NULL);
        return;
    }
    if (!ix_may_overflow(e = whole)) return;
    look_below(x, e);
    if (e->op != IX_SUM) return;
    struct ix_bounds all = ix_sum_bounds(e);
    for (int least = 0; least < 2; ++least) {
        if (least ? all.lo != INT64_MIN : all.hi != INT64_MAX) continue;
        const struct ix *sum = ix_int(x->s, 0);
        for (int i = 0; i < e->nterms && sum; ++i) {
            const struct ix *b = reach(x, &e->term[i], least);
            sum = b ? ix_add(x->s, sum, b) : NULL;
        }
        if (sum ? ix_may_overflow(sum) : w == MATTERS) x->found(x->user, e, sum);
    }
}

static void look_below(struct fits *x, const struct ix *e) {
    if (!e) return;
    if (e->op == IX_DIV || e->op == IX_MOD || e->op == IX_SWZ) look(x, e->a, below(e));
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) look_below(x, e->term[i].atom);
}

static void look_one(struct fits *x, const struct ix *e, enum weight w) {
    if (w != WRAPS)
        look(x, e, w);
    else
        look_below(x, e);
}

// Whether anything may not fit, including offsets; in most kernels everything fits.
static bool any_wide(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool wide = ix_may_overflow(n->index) || ix_may_overflow(n->begin) ||
                    ix_may_overflow(n->end) || ix_may_overflow(n->at) || ix_may_overflow(n->to_at);
        for (int i = 0; i < n->nconds; ++i)
            wide |= ix_may_overflow(n->cond[i].a) || ix_may_overflow(n->cond[i].b);
        if (n->cut) wide |= ix_may_overflow(n->cut->a) || ix_may_overflow(n->cut->b);
        for (int i = 0; i < n->ncarries; ++i)
            wide |= ix_may_overflow(n->carry[i].first) || ix_may_overflow(n->carry[i].step);
        for (int i = 0; i < n->nargs; ++i) wide |= ix_may_overflow(n->arg[i].at);
        if (wide || any_wide(n->body) || any_wide(n->orelse)) return true;
    }
    return false;
}

void lower_find_wide(struct session *s, const struct kir_kernel *k, fits_found *found, void *user) {
    if (!any_wide(k->body)) return;
    struct fits x = {.s = s, .found = found, .user = user};
    size_t n = (size_t)s->next_var + 1;
    x.counts = memory_zeroed(n, sizeof *x.counts);
    x.is = memory_zeroed(n, sizeof *x.is);
    x.let = memory_zeroed(n, sizeof *x.let);
    x.last = memory_zeroed(n, sizeof *x.last);
    do {
        x.changed = false;
        see_all(&x, k->body, false, mark_one);
    } while (x.changed);
    see_all(&x, k->body, false, look_one);
    memory_free(x.counts);
    memory_free((void *)x.is);
    memory_free((void *)x.let);
    memory_free((void *)x.last);
}
