// What relations between params promise about multiples: with ld == 8*K, and with ld % 8 == 0, 'ld'
// is a multiple of 8, and with S*T == 8*K the product of 'S' and 'T'.
//
// Separate from decl.c: a relation may say something about earlier params, through others.
#include <inttypes.h>

#include "sema/decl.h"
#include "sema/stmt/stmt.h"

// Whether "x" is a multiple of a product of params.
static bool of_params(struct lay_int x) {
    bool named = x.nsyms > 0 && x.den == 1;
    for (int i = 0; i < x.nsyms; ++i) named = named && x.syms[i]->name;
    return named;
}

// Promises that the product of the params of "x" is a multiple of "by".  Kernels that have these
// params and not all of "r", which says it, check that.
static bool divide_product(struct sema *c, const struct relation *r, struct lay_int x, int64_t by) {
    x.num = 1;
    struct relation *p = ARENA_NEW(&c->s->arena, struct relation);
    *p = (struct relation){.a = ix_mod(c->s, ix_lay(c->s, x), lay_int(by)),
                           .b = ix_int(c->s, 0),
                           .op = "==",
                           .text = sema_text(c, "%s %% %" PRId64 " == 0",
                                             lay_int_operand(c->lay, x), by),
                           .at = r->at};
    collect_relation(c, p);
    if (!lay_product_divide(c->lay, x, by)) return false;
    if (p->nparams >= r->nparams) return true;
    GROW(c, c->relation, c->nrelations, c->cap_relation);
    c->relation[c->nrelations++] = p;
    return true;
}

// Takes the divisors of params from "sum", whose value is a multiple of "by" (0: it is 0).  A
// param's term is then a multiple of what divides "by" and all other terms.
static bool divide_params(struct sema *c, const struct relation *r, const struct ix *sum,
                          int64_t by) {
    bool grew = false;
    if (!sum || sum->op != IX_SUM) return false;
    for (int i = 0; i < sum->nterms; ++i) {
        struct lay_int x = sum->term[i].coef;
        if (sum->term[i].atom || !of_params(x)) continue;
        const struct ix *rest = ix_sub(c->s, sum, ix_lay(c->s, x));
        int64_t d = rest ? lay_gcd(by, ix_divisor(rest)) : 0;
        if (d > 0) d /= lay_gcd(d, x.num);
        if (d == 0) continue;
        grew |= x.nsyms == 1 ? lay_param_divide(x.syms[0], d) : divide_product(c, r, x, d);
    }
    return grew;
}

// n * (e % k) == r: then n*e - r is a multiple of n*k.
static bool divide_by_remainder(struct sema *c, const struct relation *r,
                                const struct ix *difference) {
    bool grew = false, one = difference->op != IX_SUM;
    for (int i = 0; i < (one ? 1 : difference->nterms); ++i) {
        struct ix_term t = one ? (struct ix_term){lay_int(1), difference, 0} : difference->term[i];
        if (!t.atom || t.atom->op != IX_MOD || !lay_int_static(t.coef)) continue;
        int64_t by;
        if (__builtin_mul_overflow(t.coef.num, lay_int_divisor(t.atom->k), &by)) continue;
        const struct ix *rest = ix_sub(c->s, difference, ix_scale(c->s, t.atom, t.coef));
        const struct ix *sum = ix_add(c->s, ix_scale(c->s, t.atom->a, t.coef), rest);
        grew |= divide_params(c, r, sum, by);
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
    bool grew = divide_params(c, r, difference, 0);
    return divide_by_remainder(c, r, difference) || grew;
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
