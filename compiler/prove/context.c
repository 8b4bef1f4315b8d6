// What is known of a question's params: their ranges, promises, and lemmas for products and
// ceil_divs of them.
#include "base/session.h"
#include "prove/private.h"

// A product is at least each factor times the minimum of the others, and at most times their
// maximum.
static void product(struct question *q, struct lay_int x, struct lin self) {
    for (int i = 0; i < x.nsyms; ++i) {
        struct lay_int one = lay_int_sym(&q->s->lay, x.syms[i]);
        struct lay_int rest = lay_int_div(&q->s->lay, x, one);
        lay_clear_error(&q->s->lay);
        int64_t lo, hi;
        if (!lay_int_valid(rest)) continue;
        lay_int_range(one, &lo, &hi);
        if (lo < 0) continue;
        struct lin r = lin_monomial(q, rest);
        if (lo < INT64_MAX / 4)
            lin_at_least_0(q, true, lin_add(q, self, lin_scale(q, r, lo, 1), -1));
        if (hi < INT64_MAX / 4 && lin_ok(lin_scale(q, r, hi, 1)))
            lin_at_least_0(q, true, lin_add(q, lin_scale(q, r, hi, 1), self, -1));
        lay_int_range(rest, &lo, &hi);
        if (lo < 0) continue;
        struct lin o = lin_monomial(q, one);
        if (lo < INT64_MAX / 4)
            lin_at_least_0(q, true, lin_add(q, self, lin_scale(q, o, lo, 1), -1));
        if (hi < INT64_MAX / 4 && lin_ok(lin_scale(q, o, hi, 1)))
            lin_at_least_0(q, true, lin_add(q, lin_scale(q, o, hi, 1), self, -1));
    }
}

static void symbol(struct question *q, const struct lay_sym *y, struct lin self) {
    if (y->name) return;
    struct lin of = lin_monomial(q, y->of);  // of <= by * self <= of + by - 1
    struct lin by = lin_scale(q, self, y->by, 1);
    lin_at_least_0(q, true, lin_add(q, by, of, -1));
    lin_at_least_0(q, true, lin_add(q, lin_add(q, of, lin_int(q, y->by - 1), 1), by, -1));
}

static void variable(struct question *q, const struct qparam *x, struct lin self) {
    const struct split *d = x->digit >= 0 ? rewrite_find(q, x->var) : NULL;
    struct lay_int lo = d ? lay_int(0) : x->var->lo, end = d ? d->extent[x->digit] : x->var->end;
    lin_at_least_0(q, true, lin_add(q, self, lin_monomial(q, lo), -1));
    if (!lay_int_valid(end)) return;
    struct lin last = lin_add(q, lin_monomial(q, end), lin_int(q, 1), -1);
    lin_at_least_0(q, true, lin_add(q, last, self, -1));
}

// a - b >= "least"
static void promise(struct question *q, const struct ix *a, const struct ix *b, int64_t least) {
    const struct ix *d = ix_sub(q->s, a, b);
    if (!d) return;
    struct lin e = lin_of(q, d);
    lin_at_least_0(q, true, lin_add(q, e, lin_int(q, least), -1));
}

static bool speaks_of_param(const struct question *q, const struct ix *e) {
    for (int i = 0; i < q->nparams; ++i) {
        const struct lay_int x = q->param[i].value;
        for (int j = 0; lay_int_valid(x) && j < x.nsyms; ++j)
            if (ix_speaks_of(e, x.syms[j])) return true;
    }
    return false;
}

static bool has_product(const struct ix *e) {
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i)
        if (e->term[i].coef.nsyms > 1) return true;
    return false;
}

void lin_context(struct question *q) {
    struct qset *set = q->set;
    bool told[64] = {false};
    q->set = NULL;
    // promises about the params in the question, and about params in these promises
    for (bool grew = true; grew;) {
        grew = false;
        for (int i = 0; i < q->p->npromises && i < 64; ++i) {
            const struct prove_promise *r = &q->p->promise[i];
            if (told[i] || !(speaks_of_param(q, r->a) || speaks_of_param(q, r->b))) continue;
            told[i] = true;
            if (q->p->lean && (has_product(r->a) || has_product(r->b))) {
                q->p->left_out = true;
                continue;
            }
            grew = true;
            const struct ix *term = q->p->term;  // a promise is not part of the question
            int least = r->op[1] == 0 ? 1 : 0;
            if (r->op[0] == '>' || r->op[0] == '=') promise(q, r->a, r->b, least);
            if (r->op[0] == '<') promise(q, r->b, r->a, least);
            if (r->op[0] == '=') promise(q, r->b, r->a, 0);
            q->p->term = term;
        }
        for (int i = 0; i < q->nparams; ++i) {
            const struct qparam x = q->param[i];
            for (int j = 0; lay_int_valid(x.value) && j < x.value.nsyms && x.value.nsyms > 1; ++j) {
                int n = q->nparams;
                lin_symbols(q, lay_int_sym(&q->s->lay, x.value.syms[j]));
                grew |= q->nparams > n;
            }
        }
    }
    for (int i = 0; i < q->nparams; ++i) {  // this may add params
        const struct qparam x = q->param[i];
        struct lin self = lin_col(q, COL_PARAM, i);
        if (x.var) variable(q, &x, self);
        if (!lay_int_valid(x.value)) continue;
        self = lin_scale(q, self, x.mul, 1);
        int64_t lo, hi;
        lay_int_range(x.value, &lo, &hi);
        if (lo > INT64_MIN / 4) lin_at_least_0(q, true, lin_add(q, self, lin_int(q, lo), -1));
        if (hi < INT64_MAX / 4) lin_at_least_0(q, true, lin_add(q, lin_int(q, hi), self, -1));
        if (x.value.nsyms > 1)
            product(q, x.value, self);
        else
            symbol(q, x.value.syms[0], self);
    }
    q->set = set;
}
