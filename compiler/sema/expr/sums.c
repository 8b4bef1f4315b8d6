// Sums of params as extents and strides: row(M, N + K).  A sum becomes a param of its own, which the
// launcher computes, with the relation that says what it is.

#include "base/buf.h"
#include "layout/algebra.h"
#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

static const int64_t most_sum = INT64_C(1) << 62;
// A param that is 0 is a multiple of all that widths and tiles ask for.
static const int64_t most_empty = 1024;

// The param with symbol "y", if it is a sum; or NULL.
static const struct param *sum_param(const struct sema *c, const struct lay_sym *y) {
    for (int i = 0; y->name && i < c->plan->nparams; ++i)
        if (c->param[i]->sym == y) return c->param[i]->sum ? c->param[i] : NULL;
    return NULL;
}

// Whether each term of "e" is a product of params or a number.
static bool is_sum(const struct ix *e) {
    bool sum = e->op == IX_SUM;
    for (int i = 0; sum && i < e->nterms; ++i) sum = !e->term[i].atom && e->term[i].coef.basis < 0;
    return sum;
}

// "N + K - 1": what is added comes before what is subtracted, numbers come last.
static const char *sum_text(struct sema *c, const struct ix *e) {
    bool param = false, number = false;
    for (int i = 0; i < e->nterms; ++i)
        if (e->term[i].coef.num > 0) *(e->term[i].coef.nsyms ? &param : &number) = true;
    if (!param && number) return ix_text(c->s, e);  // 10 - N
    struct buf b;
    buf_init(&b);
    for (int part = 0; part < 4; ++part) {
        for (int i = 0; i < e->nterms; ++i) {
            struct lay_int x = e->term[i].coef;
            if (part != (x.nsyms ? 0 : 2) + (x.num < 0)) continue;
            bool minus = ix_take_minus(&x);
            buf_puts(&b, b.len == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
            buf_puts(&b, (minus ? lay_int_operand : lay_int_text)(c->lay, x));
        }
    }
    return buf_finish(&b, &c->s->arena);
}

const struct ix *sums_written_out(struct sema *c, const struct ix *e) {
    const struct ix *all = ix_int(c->s, 0);
    bool any = false;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        struct ix_term t = e->term[i];
        const struct ix *x = ix_int(c->s, t.coef.num);
        for (int k = 0; k < t.coef.nsyms && t.coef.den == 1; ++k) {
            const struct param *p = sum_param(c, t.coef.syms[k]);
            x = ix_mul(c->s, x, p ? p->sum : ix_lay(c->s, lay_int_sym(c->lay, t.coef.syms[k])));
            any |= p != NULL;
        }
        if (t.coef.den != 1) x = ix_lay(c->s, t.coef);
        all = ix_add(c->s, all, t.atom ? ix_mul(c->s, x, t.atom) : x);
    }
    return any && all ? all : e;
}

static struct param *find_sum(struct sema *c, const struct ix *e) {
    for (int i = 0; i < c->plan->nparams; ++i)
        if (c->param[i]->sum && ix_equal(c->param[i]->sum, e)) return c->param[i];
    return NULL;
}

// Adds the relation that "p" is its sum.
static void relate_sum(struct sema *c, const struct param *p) {
    struct relation *r = ARENA_NEW(&c->s->arena, struct relation);
    *r = (struct relation){.a = ix_lay(c->s, lay_int_sym(c->lay, p->sym)),
                           .b = p->sum,
                           .op = "==",
                           .text = p->name,
                           .of_sum = true,
                           .at = p->at};
    collect_relation(c, r);
    GROW(c, c->relation, c->nrelations, c->cap_relation);
    c->relation[c->nrelations++] = r;
    relations_promise_multiples(c, true);
}

// The greatest product that divides all terms of "e": 2*P of 2*N*P + 4*P.
static struct lay_int common_factor(struct sema *c, const struct ix *e) {
    struct lay_int all = e->term[0].coef;
    for (int i = 0; i < e->nterms; ++i) {
        struct lay_int x = e->term[i].coef, both = lay_int(lay_gcd(all.num, x.num));
        if (x.den != 1) return lay_int(1);
        for (int a = 0, b = 0; a < all.nsyms && b < x.nsyms;) {
            int order = lay_sym_compare(all.syms[a], x.syms[b]);
            if (order == 0) both = lay_int_mul(c->lay, both, lay_int_sym(c->lay, all.syms[a]));
            a += order <= 0;
            b += order >= 0;
        }
        all = both;
    }
    return all;
}

// Divides the terms of "e" by "by", a factor of each; NULL if numbers on the way are too large.
static const struct ix *divided(struct sema *c, const struct ix *e, struct lay_int by) {
    const struct ix *all = ix_int(c->s, 0);
    for (int i = 0; i < e->nterms && all; ++i) {
        struct lay_int x = lay_int_div(c->lay, e->term[i].coef, by);
        all = lay_int_valid(x) ? ix_add(c->s, all, ix_lay(c->s, x)) : NULL;
    }
    lay_clear_error(c->lay);
    return all;
}

const struct ix *sum_factored(struct sema *c, const struct ix *e, struct range at) {
    struct lay_int x;
    if (!is_sum(e) || e->nterms < 2 || common_factor(c, e).nsyms == 0) return e;
    return sum_of_params(c, e, at, "a sum", &x) ? ix_lay(c->s, x) : NULL;
}

// A param with the name "name" that is the sum "e", in "lo" .. "hi"; NULL after an error.
static struct param *add_sum(struct sema *c, const struct ix *e, const char *name, int64_t mul,
                             int64_t lo, int64_t hi, struct range at) {
    struct param *p = ARENA_NEW(&c->s->arena, struct param);
    *p = (struct param){
        .name = name, .sum = e, .sym = lay_param(c->lay, name, mul, lo, hi), .at = at};
    if (!param_add(c, p)) return NULL;
    relate_sum(c, p);
    return p;
}

const struct value *empty_extents(struct sema *c, const struct value *v, struct range at) {
    int64_t n;
    if (!c->may_be_empty) return v;
    if (v->kind == VAL_TUPLE) {
        const struct value *kid[LAY_MAX_RANK];
        bool same = true;
        for (int i = 0; i < v->rank; ++i) {
            kid[i] = empty_extents(c, v->kid[i], at);
            same &= kid[i] == v->kid[i];
        }
        if (same) return v;
        return names_give(c, value_tuple(c, v->rank, kid, at), v->names, v->rank);
    }
    if (v->kind != VAL_INT || !ix_static(v->ix, &n) || n != 0) return v;
    struct param *p = find_sum(c, v->ix);
    if (!p) p = add_sum(c, v->ix, "0", most_empty, 0, most_empty, at);
    return p ? value_lay_int(c, lay_int_sym(c->lay, p->sym)) : &value_none;
}

// The param of which "x" is an exact quotient, or the param itself; NULL: it is something else.
static const struct param *quotient_of(const struct sema *c, struct lay_int x) {
    for (int i = 0; x.num == 1 && x.nsyms == 1 && i < c->plan->nparams; ++i)
        if (c->param[i]->sym == x.syms[0] && !c->param[i]->sum) return c->param[i];
    return NULL;
}

void note_inexact(struct sema *c, const struct ix *q, struct range at) {
    struct lay_int a;
    const struct param *p = ix_monomial(q->a, &a) ? quotient_of(c, a) : NULL;
    const char *of = p ? p->name : ix_text(c->s, q->a);
    const char *by = lay_int_text(c->lay, p ? lay_int_mul(c->lay, q->k, lay_int(a.den)) : q->k);
    const char *promise = "; write";
    if (p && lay_int_static(q->k))
        promise = sema_text(c, "; declare it 'index %% %s' if it is, or write", by);
    diag_note(
        c->s, p ? p->at : at,
        "nothing promises that '%s' is a multiple of %s%s 'ceil_div(%s, %s)', which counts its "
        "last, incomplete part too",
        of, by, promise, of, by);
}

bool sum_of_params(struct sema *c, const struct ix *e, struct range at, const char *what,
                   struct lay_int *out) {
    struct lay_int factor = lay_int(1);
    bool can = is_sum(e) && !c->alone;  // an expression alone has no launcher
    if (can && e->nterms > 0) factor = common_factor(c, e);
    if (can && c->of_strides && e->lo < 0 && e->hi <= 0) factor = lay_int_neg(c->lay, factor);
    const struct ix *rest = lay_int_is(factor, 1) ? NULL : divided(c, e, factor);
    if (rest) {
        struct lay_int sum;
        if (!sum_of_params(c, rest, at, what, &sum)) return false;
        *out = lay_int_mul(c->lay, factor, sum);
        if (!lay_int_valid(*out)) sema_lay_error(c, at, what);
        return lay_int_valid(*out);
    }
    if (!can) {
        diag_error(c->s, at,
                   "%s is '%s'; it must be a number, or a %s of params with a number or an exact "
                   "quotient",
                   what, ix_text(c->s, e), c->alone ? "product" : "sum of products");
        const struct ix_term *t = e->nterms == 2 ? &e->term[1] : NULL;
        if (e->op == IX_SUM && t && !e->term[0].atom && lay_int_is(e->term[0].coef, 1) && t->atom &&
            t->atom->op == IX_DIV && lay_int_is(t->coef, 1))
            diag_note(c->s, at, "'ceil_div(%s, %s)' counts tiles, with the last, incomplete one",
                      ix_text(c->s, t->atom->a), lay_int_text(c->lay, t->atom->k));
        else if (e->op == IX_DIV)
            note_inexact(c, e, at);
        return false;
    }
    struct param *p = find_sum(c, e);
    if (!p) {
        const char *name = sum_text(c, e);
        if (e->lo < 0 && e->hi <= 0) {
            diag_error(c->s, at, "%s is '%s', which is at most %lld", what, name, (long long)e->hi);
            return false;
        }
        if (e->lo >= most_sum) {
            diag_error(c->s, at, "%s is '%s', which is 2^62 or more", what, name);
            return false;
        }
        int64_t lo = e->lo < 0 ? 0 : e->lo, hi = e->hi < most_sum ? e->hi : most_sum;
        if (!(p = add_sum(c, e, name, 1, lo, hi, at))) return false;
    }
    *out = lay_int_sym(c->lay, p->sym);
    return true;
}
