// Relations of params, for given values (see relation.h).
#include "plan/relation.h"

#include "plan/bind.h"

bool relation_int_bound(struct lay_int x, const int64_t *value) {
    for (int i = 0; i < x.nsyms; ++i) {
        const struct lay_sym *y = x.syms[i];
        if (y->name ? value[y->id] == PLAN_UNBOUND : !relation_int_bound(y->of, value))
            return false;
    }
    return true;
}

bool relation_bound(const struct ix *e, const int64_t *value) {
    if (e->op == IX_SUM) {
        for (int i = 0; i < e->nterms; ++i)
            if (!relation_int_bound(e->term[i].coef, value) ||
                (e->term[i].atom && !relation_bound(e->term[i].atom, value)))
                return false;
        return true;
    }
    return e->op != IX_VAR && relation_bound(e->a, value) &&
           (e->op == IX_SWZ || relation_int_bound(e->k, value));
}

bool relation_value(const struct ix *e, const int64_t *value, int64_t *out) {
    struct ix_env env = {NULL, value};
    return relation_bound(e, value) && ix_eval(e, &env, out);
}

bool relation_broken(const struct relation *r, const int64_t *value) {
    int64_t a, b;
    if (!relation_bound(r->a, value) || !relation_bound(r->b, value)) return false;
    return !relation_value(r->a, value, &a) || !relation_value(r->b, value, &b) ||
           !ix_compares(r->op, a, b);
}

// Whether "e" is a sum of products of params, all positive.
static bool is_positive_sum(const struct ix *e) {
    if (e->op != IX_SUM) return false;
    for (int i = 0; i < e->nterms; ++i) {
        struct lay_int x = e->term[i].coef;
        if (e->term[i].atom || x.num < 0 || x.den != 1) return false;
        for (int k = 0; k < x.nsyms; ++k)
            if (!x.syms[k]->name || x.syms[k]->lo < 0) return false;
    }
    return true;
}

// The least value of such a sum, or the greatest, for any values of the params that have none.
static int64_t extreme(const struct ix *e, const int64_t *value, bool least) {
    int64_t sum = 0;
    for (int i = 0; i < e->nterms; ++i) {
        struct lay_int x = e->term[i].coef;
        int64_t n = x.num;
        for (int k = 0; k < x.nsyms; ++k) {
            const struct lay_sym *y = x.syms[k];
            int64_t v = value[y->id] != PLAN_UNBOUND ? value[y->id] : least ? y->lo : y->hi;
            if (__builtin_mul_overflow(n, v, &n)) return INT64_MAX;
        }
        if (__builtin_add_overflow(sum, n, &sum)) return INT64_MAX;
    }
    return sum;
}

bool relation_hopeless(const struct relation *r, const int64_t *value) {
    const struct ix *a = r->a, *b = r->b;
    if (!is_positive_sum(a) || !is_positive_sum(b)) return false;
    if (r->op[0] == '<') a = r->b, b = r->a;
    if (r->op[0] != '<' && r->op[0] != '>') return false;
    int64_t most = extreme(a, value, false), least = extreme(b, value, true);
    return r->op[1] == '=' ? most < least : most <= least && most < INT64_MAX;
}
