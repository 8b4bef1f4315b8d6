// Finds what the body of a kernel computes in 64 bits and may not fit.
//
// Proofs are about integers of any size; the emitted code has 64 bits.  An index must fit, with all
// its partial sums, where its value matters: in a condition, in a bound of a loop, in an argument,
// and below a quotient or a remainder.  An offset that is only part of an address may wrap, also
// below a swizzle.  It is right again after the sum is complete, because the tensor fits
// (lower/launch.c).

#include "base/session.h"
#include "lower/private.h"

struct fits {
    struct session *s;
    fits_found *found;
    void *user;
    bool *counts;               // by variable: whether its value matters
    const struct ix **is;       // by variable: the value of a let
    const struct ix_var **let;  // the lets
    int nlets;
    bool changed;
};

// -- variables whose value counts -----------------------------------------------------------------

static void mark(struct fits *x, const struct ix *e) {
    if (!e) return;
    switch (e->op) {
    case IX_VAR:
        if (!x->counts[e->var->id]) x->counts[e->var->id] = x->changed = true;
        return;
    case IX_DIV:
    case IX_MOD:
    case IX_SWZ: mark(x, e->a); return;
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) mark(x, e->term[i].atom);
    }
}

// Marks the variables below quotients and remainders in "e".
static void mark_below(struct fits *x, const struct ix *e) {
    if (!e) return;
    if (e->op == IX_DIV || e->op == IX_MOD) mark(x, e->a);
    if (e->op == IX_SWZ) mark_below(x, e->a);
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) mark_below(x, e->term[i].atom);
}

typedef void see_fn(struct fits *x, const struct ix *e, bool counts);

static void see_conds(struct fits *x, const struct kir_cond *c, int n, see_fn *see) {
    for (int i = 0; i < n; ++i) {
        see(x, c[i].a, true);
        see(x, c[i].b, true);
    }
}

static void see_all(struct fits *x, const struct kir_node *list, see_fn *see) {
    for (const struct kir_node *n = list; n; n = n->next) {
        see_conds(x, n->cond, n->nconds, see);
        if (n->cut) see_conds(x, n->cut, 1, see);
        see(x, n->index, n->kind != KIR_LET || x->counts[n->var->id]);
        if (n->kind == KIR_LET && !x->is[n->var->id]) {
            x->is[n->var->id] = n->index;
            x->let[x->nlets++] = n->var;
        }
        see(x, n->begin, true);
        see(x, n->end, true);
        see(x, n->at, false);
        see(x, n->to_at, false);
        for (int i = 0; i < n->ncarries; ++i) {
            see(x, n->carry[i].first, x->counts[n->carry[i].var->id]);
            see(x, n->carry[i].step, x->counts[n->carry[i].var->id]);
        }
        for (int i = 0; i < n->nargs; ++i) see(x, n->arg[i].at, !n->arg[i].buf);
        see_all(x, n->body, see);
        see_all(x, n->orelse, see);
    }
}

static void mark_one(struct fits *x, const struct ix *e, bool counts) {
    if (counts)
        mark(x, e);
    else
        mark_below(x, e);
}

// -- what they come to ----------------------------------------------------------------------------

// The maximum of a term, or with "least" its negated minimum, if that is positive; otherwise 0.
// NULL if it is not known.
static const struct ix *reach(struct fits *x, const struct ix_term *t, bool least) {
    struct ix_bounds r = ix_term_bounds(*t);
    if (least ? r.lo >= 0 : r.hi <= 0) return ix_int(x->s, 0);
    struct ix one = {.op = IX_SUM, .nterms = 1, .term = t, .lo = r.lo, .hi = r.hi};
    const struct ix *b = least ? ix_min(x->s, &one) : ix_max(x->s, &one);
    if (b && least) b = ix_sub(x->s, ix_int(x->s, 0), b);
    // below 0 only where an extent is 0, and nothing is computed: a little more is a bound as well
    if (b && b->lo < 0 && b->lo > INT32_MIN) b = ix_add(x->s, b, ix_int(x->s, -b->lo));
    if (b && b->lo >= 0) return b;
    int64_t most = least ? r.lo : r.hi;
    if (most == INT64_MIN || most == INT64_MAX) return NULL;
    return ix_int(x->s, least ? -most : most);
}

static void look_below(struct fits *x, const struct ix *e);

// Replaces the lets in "e" by their values; NULL if that is too long.
static const struct ix *spelled_out(struct fits *x, const struct ix *e) {
    for (int i = x->nlets - 1; i >= 0 && e; --i)  // later lets are made from earlier ones
        if (ix_depends_on(e, x->let[i]))
            e = ix_substitute(x->s, e, x->let[i], x->is[x->let[i]->id]);
    return e;
}

// Reports "e" if it or one of its partial sums may not fit.
static void look(struct fits *x, const struct ix *e) {
    int64_t number;
    if (!e || !ix_may_overflow(e) || ix_static(e, &number)) return;
    const struct ix *whole = spelled_out(x, e);
    if (!whole) {
        x->found(x->user, e, NULL);
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
        if (!sum || ix_may_overflow(sum)) x->found(x->user, e, sum);
    }
}

static void look_below(struct fits *x, const struct ix *e) {
    if (!e) return;
    if (e->op == IX_DIV || e->op == IX_MOD) look(x, e->a);
    if (e->op == IX_SWZ) look_below(x, e->a);
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) look_below(x, e->term[i].atom);
}

static void look_one(struct fits *x, const struct ix *e, bool counts) {
    if (counts)
        look(x, e);
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
    do {
        x.changed = false;
        see_all(&x, k->body, mark_one);
    } while (x.changed);
    see_all(&x, k->body, look_one);
    memory_free(x.counts);
    memory_free((void *)x.is);
    memory_free((void *)x.let);
}
