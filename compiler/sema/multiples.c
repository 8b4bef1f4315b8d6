// What relations between params promise about multiples: with ld == 8*K, and with ld % 8 == 0, 'ld'
// is a multiple of 8.
//
// Separate from decl.c: a relation may say something about earlier params, through others.
#include "sema/decl.h"

// Takes the divisors of params from "sum", whose value is a multiple of "by" (0: it is 0).  A
// param's term is then a multiple of what divides "by" and all other terms.
static bool divide_params(struct sema *c, const struct ix *sum, int64_t by) {
    bool grew = false;
    if (!sum || sum->op != IX_SUM) return false;
    for (int i = 0; i < sum->nterms; ++i) {
        struct lay_int x = sum->term[i].coef;
        if (sum->term[i].atom || x.nsyms != 1 || x.den != 1 || !x.syms[0]->name) continue;
        const struct ix *rest = ix_sub(c->s, sum, ix_lay(c->s, x));
        int64_t d = rest ? lay_gcd(by, ix_divisor(rest)) : 0;
        if (d > 0) grew |= lay_param_divide(x.syms[0], d / lay_gcd(d, x.num));
    }
    return grew;
}

// n * (e % k) == r: then n*e - r is a multiple of n*k.
static bool divide_by_remainder(struct sema *c, const struct ix *difference) {
    bool grew = false, one = difference->op != IX_SUM;
    for (int i = 0; i < (one ? 1 : difference->nterms); ++i) {
        struct ix_term t = one ? (struct ix_term){lay_int(1), difference, 0} : difference->term[i];
        if (!t.atom || t.atom->op != IX_MOD || !lay_int_static(t.coef)) continue;
        int64_t by;
        if (__builtin_mul_overflow(t.coef.num, lay_int_divisor(t.atom->k), &by)) continue;
        const struct ix *rest = ix_sub(c->s, difference, ix_scale(c->s, t.atom, t.coef));
        const struct ix *sum = ix_add(c->s, ix_scale(c->s, t.atom->a, t.coef), rest);
        grew |= divide_params(c, sum, by);
        for (int k = 0; sum && k < c->plan->nparams; ++k) {  // what it says about a sum of params
            const struct param *p = c->param[k];
            if (p->sum && by > 0 && ix_equal(p->sum, sum)) grew |= lay_param_divide(p->sym, by);
        }
    }
    return grew;
}

static bool take_multiples(struct sema *c, const struct relation *r) {
    const struct ix *difference = r->op[0] == '=' ? ix_sub(c->s, r->a, r->b) : NULL;
    if (!difference) return false;
    bool grew = divide_params(c, difference, 0);
    return divide_by_remainder(c, difference) || grew;
}

// What one relation adds may say more in the earlier ones.  They are looked at again, MOST_AGAIN of
// them in all: a plan with more has fewer promises, and is right.
enum { MOST_AGAIN = 4096 };

void relations_promise_multiples(struct sema *c, bool all) {
    bool grew = all || (c->nrelations > 0 && take_multiples(c, c->relation[c->nrelations - 1]));
    while (grew) {
        grew = false;
        for (int i = 0; i < c->nrelations && c->asked_again < MOST_AGAIN; ++i, ++c->asked_again)
            grew |= take_multiples(c, c->relation[i]);
    }
}
