// Terms that are not affine and have the same value in all instances that a question compares: these name
// the same element, so what is computed from its coordinates is equal, too.

#include "base/session.h"
#include "prove/private.h"

void question_names(struct question *q, const struct prove_set *set, int n) {
    q->named = ARENA_ARRAY(&q->s->arena, const struct ix *, set->nouts + 1);
    for (int i = 0; i < set->nouts; ++i) {
        bool same = true;
        for (int j = 1; j < n && same; ++j)
            same = i < set[j].nouts && ix_equal(set[j].out[i], set->out[i]);
        if (same) q->named[q->nnamed++] = set->out[i];
    }
}

bool question_shares(const struct question *q, const struct ix *e) {
    for (int i = 0; q->set && i < q->set->nvars; ++i)
        if (i >= q->nshared && ix_depends_on(e, q->set->var[i].var)) return false;
    return true;
}

// Whether "e" is computed from coordinates that are equal in all instances that are compared.
static bool is_named(const struct question *q, const struct ix *e) {
    for (int i = 0; i < q->nnamed; ++i)
        if (ix_equal(e, q->named[i])) return true;
    if (e->op == IX_VAR) return question_shares(q, e);
    if (e->op != IX_SUM) return is_named(q, e->a);
    for (int i = 0; i < e->nterms; ++i)
        if (e->term[i].atom && !is_named(q, e->term[i].atom)) return false;
    return true;
}

bool question_names_rest(const struct question *q, const struct ix *e) {
    bool product = false;
    if (e->op != IX_MOD || !lay_int_static(e->k) || e->a->op != IX_SUM) return false;
    for (int i = 0; i < e->a->nterms; ++i)
        product |= e->a->term[i].atom && e->a->term[i].coef.nsyms > 0;
    return product && is_named(q, e);
}
