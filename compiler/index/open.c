// Sums, such as the extent M - 10 of a range, as single unknown integers in layouts.
#include "base/session.h"
#include "index/ix.h"

struct lay_int ix_to_lay(struct session *s, const struct ix *e, const char *name) {
    struct lay_int product;
    if (ix_monomial(e, &product)) return product;
    return lay_int_sum(&s->lay, name, e, ix_divisor(e), e->lo < 0 ? 0 : e->lo, e->hi);
}

bool ix_int_is_open(struct lay_int x) {
    for (int i = 0; i < x.nsyms; ++i)
        if (x.syms[i]->sum || (!x.syms[i]->name && ix_int_is_open(x.syms[i]->of))) return true;
    return false;
}

bool ix_is_open(const struct ix *e) {
    switch (e->op) {
    case IX_VAR: return ix_int_is_open(e->var->lo) || ix_int_is_open(e->var->end);
    case IX_DIV:
    case IX_MOD: return ix_int_is_open(e->k) || ix_is_open(e->a);
    case IX_SWZ: return ix_is_open(e->a);
    case IX_SUM: break;
    }
    for (int i = 0; i < e->nterms; ++i)
        if (ix_int_is_open(e->term[i].coef) || (e->term[i].atom && ix_is_open(e->term[i].atom)))
            return true;
    return false;
}
