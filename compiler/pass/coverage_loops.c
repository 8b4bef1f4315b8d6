// What the loops around a copy say about a coordinate: how far it goes, and what it counts.
//
// The range of a loop's variable is a number or a product at either end. Where a loop ends at N -
// 1, or begins where the block says, more is known: the variable is never more than its end less
// one, and it counts from its begin.
//
// Separate from coverage_digits.c, which knows variables with a range alone.
#include "base/session.h"
#include "pass/coverage.h"

// -- how far
// ---------------------------------------------------------------------------------------

static bool is_of(const struct stmt *loop, const struct ix *atom) {
    if (!atom || atom->op != IX_VAR) return false;
    return atom->var == loop->var || (loop->pipe && atom->var == loop->pipe->load_var);
}

const struct ix *coverage_bound(struct session *s, const struct ix *e,
                                const struct stmt *const *loop, int nloops, bool max) {
    for (int i = nloops - 1; i >= 0 && e; --i) {
        const struct ix *last = ix_sub(s, loop[i]->end, ix_int(s, 1)), *sum = ix_int(s, 0);
        struct ix_term self = {lay_int(1), e};
        const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
        int n = e->op == IX_SUM ? e->nterms : 1;
        for (int j = 0; j < n; ++j) {
            int64_t lo, hi;
            lay_int_range(term[j].coef, &lo, &hi);
            const struct ix *atom = term[j].atom;
            if (is_of(loop[i], atom) && (lo >= 0 || hi <= 0))
                atom = (lo >= 0) == max ? last : loop[i]->begin;
            sum = ix_add(s, sum, atom ? ix_scale(s, atom, term[j].coef) : ix_lay(s, term[j].coef));
        }
        e = sum;
    }
    return e;
}

// -- what it counts
// --------------------------------------------------------------------------------

// The greatest value of "e", or something greater, that is a product; invalid when there is none.
static struct lay_int at_most(struct session *s, const struct ix *e) {
    struct lay_int n = LAY_INT_INVALID;
    const struct ix *max = ix_max(s, e);
    if (!max || ix_monomial(max, &n)) return n;
    for (int i = 0; max->op == IX_SUM && i < max->nterms; ++i) {
        int64_t lo, hi;
        lay_int_range(max->term[i].coef, &lo, &hi);
        if (hi <= 0 && (!max->term[i].atom || max->term[i].atom->lo >= 0)) continue;
        if (max->term[i].atom || lay_int_valid(n)) return LAY_INT_INVALID;
        n = max->term[i].coef;
    }
    return n;
}

struct counted coverage_count(struct session *s, const struct stmt *loop) {
    struct lay_int lo, n;
    const struct ix *begin = loop->begin, *steps = ix_sub(s, loop->end, begin);
    bool fixed = ix_monomial(begin, &lo) && lay_int_static(lo);
    bool exact = steps && ix_monomial(steps, &n);
    if (exact && fixed && (lo.num == 0 || lay_int_static(n)))
        return (struct counted){loop->var, NULL, true, false};
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    *v = *loop->var;
    v->id = s->next_var++;
    v->lo = lay_int(0);
    // where the steps are not known but that they are up to so many, they are as good as from 0 on
    bool from_0 = (fixed || !exact) && begin->lo >= 0;
    const struct ix *from = from_0 ? ix_int(s, 0) : begin;
    v->end = exact && !from_0 ? n : at_most(s, ix_sub(s, loop->end, from));
    struct counted r = {v, ix_add(s, from, ix_var(s, v)), exact && !from_0,
                        from_0 && !ix_constant(begin)};
    return lay_int_valid(v->end) ? r : (struct counted){loop->var, NULL, false, r.moves};
}

const struct ix *coverage_counted(struct session *s, const struct ix *e,
                                  const struct stmt *const *loop, const struct counted *counted,
                                  int nloops) {
    for (int i = nloops - 1; i >= 0; --i) {
        if (counted[i].value) e = ix_substitute(s, e, loop[i]->var, counted[i].value);
    }
    return e;
}

bool coverage_refuse_partly(struct session *s, const struct kernel *k, const struct copy *c,
                            const struct formal *f) {
    diag_error(
        s, c->dst.at,
        "'%s' is not known to be written wholly: how many steps the loops around this take in "
        "kernel '%s' is no product of params",
        c->dst.base->name, k->name);
    diag_page(s, "once");
    diag_note(s, f->at, "listed as 'out' here; 'inout %s' keeps what is not written",
              c->dst.base->name);
    return false;
}
