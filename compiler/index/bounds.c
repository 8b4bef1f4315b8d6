// Bounds of the intermediate results that a machine computes for an expression.
#include "index/ix_private.h"

struct ix_bounds ix_int_bounds(struct lay_int x) {
    struct ix_bounds r;
    x.den = 1;
    lay_int_range(x, &r.lo, &r.hi);
    return r;
}

struct ix_bounds ix_term_bounds(struct ix_term t) {
    struct ix_bounds c = ix_int_bounds(t.coef);
    if (!t.atom) return c;
    struct interval r =
        interval_mul((struct interval){c.lo, c.hi}, (struct interval){t.atom->lo, t.atom->hi});
    // the coefficient is computed first, and larger where the atom can only be 0
    return (struct ix_bounds){c.lo < r.lo ? c.lo : r.lo, c.hi > r.hi ? c.hi : r.hi};
}

struct ix_bounds ix_sum_bounds(const struct ix *e) {
    struct ix_bounds r = {0, 0};
    for (int i = 0; i < e->nterms; ++i) {
        struct ix_bounds t = ix_term_bounds(e->term[i]);
        if (t.lo < 0) r.lo = sat_add(r.lo, t.lo);
        if (t.hi > 0) r.hi = sat_add(r.hi, t.hi);
    }
    return r;
}

static bool overflows(const struct ix *e, const void *unused) {
    (void)unused;
    if (e->op != IX_SUM) return false;
    struct ix_bounds r = ix_sum_bounds(e);
    return r.lo == INT64_MIN || r.hi == INT64_MAX;
}

bool ix_may_overflow(const struct ix *e) {
    return ix_has(e, overflows, NULL);
}
