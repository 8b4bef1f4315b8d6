// Finds events that differ only in the numbers of their places.
//
// Order in time depends on which place comes first, not on the numbers of places.  So of many
// copies in one loop with barriers between them, few pairs are different.
#include "base/session.h"
#include "prove/order_private.h"

static bool is_constant(struct lin e) {
    return e.n == 0 && e.den == 1;
}

bool order_same_sum(struct lin a, struct lin b) {
    if (a.n != b.n || a.constant != b.constant || a.den != b.den) return false;
    for (int i = 0; i < a.n; ++i)
        if (a.term[i].kind != b.term[i].kind || a.term[i].at != b.term[i].at ||
            a.term[i].coef != b.term[i].coef)
            return false;
    return true;
}

static bool same_sums(const struct lin *a, const struct lin *b, int n) {
    for (int i = 0; i < n; ++i)
        if (!order_same_sum(a[i], b[i])) return false;
    return true;
}

bool order_same(const struct qset *a, const struct qset *b) {
    return a->exact && b->exact && a->ndims == b->ndims && a->nconds == b->nconds &&
           a->nouts == b->nouts && same_sums(a->cond, b->cond, a->nconds) &&
           same_sums(a->out, b->out, a->nouts);
}

bool order_alike(const struct qset *a, const struct qset *b) {
    if (!a->exact || !b->exact || a->ndims != b->ndims || a->nconds != b->nconds) return false;
    if (a->nouts != b->nouts || !same_sums(a->cond, b->cond, a->nconds)) return false;
    for (int i = 0; i < a->nouts; ++i)
        if (!(is_constant(a->out[i]) && is_constant(b->out[i])) &&
            !order_same_sum(a->out[i], b->out[i]))
            return false;
    return true;
}

int order_shape(struct prove_order *o, const struct qset *x) {
    for (int i = 0; i < o->nshapes; ++i)
        if (order_alike(o->shape[i], x)) return i;
    o->shape[o->nshapes] = x;
    return o->nshapes++;
}

bool order_relation(const struct qset *a, const struct qset *b, int *relation) {
    *relation = 0;
    if (!a->exact || !b->exact) return false;
    for (int i = 0; i < a->nouts && i < b->nouts; ++i) {
        struct lin x = a->out[i], y = b->out[i];
        if (!is_constant(x) && !is_constant(y)) continue;
        if (!is_constant(x) || !is_constant(y)) return false;
        if (x.constant == y.constant) continue;
        *relation = x.constant < y.constant ? i + 1 : -i - 1;
        return true;
    }
    return true;
}
