// Sums, such as the extent M - 10 of a range, as single unknown integers in layouts.
#include "base/session.h"
#include "index/ix.h"

struct lay_int ix_to_lay(struct session *s, const struct ix *e, const char *name) {
    struct lay_int product;
    if (ix_monomial(e, &product)) return product;
    return lay_int_sum(&s->lay, name, e, ix_divisor(e), e->lo < 0 ? 0 : e->lo, e->hi);
}

static bool is_open(struct lay_int x, const void *unused) {
    for (int i = 0; i < x.nsyms; ++i)
        if (x.syms[i]->sum || (!x.syms[i]->name && is_open(x.syms[i]->of, unused))) return true;
    return false;
}

bool ix_int_is_open(struct lay_int x) {
    return is_open(x, NULL);
}

static bool is_open_var(const struct ix *e, const void *unused) {
    return e->op == IX_VAR && (is_open(e->var->lo, unused) || is_open(e->var->end, unused));
}

bool ix_is_open(const struct ix *e) {
    return ix_has(e, is_open_var, NULL) || ix_has_int(e, is_open, NULL);
}
