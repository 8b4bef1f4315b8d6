// Writes index expressions as C, with the widths that they have.
#include <inttypes.h>

#include "base/session.h"
#include "emit/write.h"
#include "kernel/widths.h"

// how closely the context binds; OPERAND: all but single operands need parentheses
enum level { SUM, PRODUCT, OPERAND };

enum { MOST_TERMS = 64 };

// The context of an expression: kernel "k", whose params may be ints, or its launcher ("host"),
// where all params are int64_t.  "exact": writes the first param of each product as a tcp_exact,
// which detects overflow.
struct writer {
    struct session *s;
    struct buf *b;
    const struct kir_kernel *k;
    bool host, exact;
    const struct kir_carry *carry;  // carried offsets whose strides have names; or NULL
    int ncarries;
};

static const struct kir_param *param_of(const struct kir_kernel *k, const struct lay_sym *y) {
    for (int i = 0; i < k->nparams; ++i) {
        if (k->param[i].sym == y) return &k->param[i];
    }
    BUG("param '%s' is not one of kernel '%s'", y->name, k->name);
}

// The param "y", which a kernel has as a parameter if its body uses it.
static const struct kir_param *known_param(const struct writer *w, const struct lay_sym *y) {
    const struct kir_param *p = param_of(w->k, y);
    if (!w->host && !p->in_body)
        BUG("param '%s' in the text of '%s', which does not declare it", y->name, w->k->name);
    return p;
}

static bool int_sym(const struct writer *w, const struct lay_sym *y) {
    return y->name && !w->host && param_of(w->k, y)->narrow;
}

static void put_ix(const struct writer *w, const struct ix *e, enum level in);

static void put_sym(const struct writer *w, const struct lay_sym *y, bool wide, bool first,
                    bool leading);

static bool is_long(int64_t literal) {
    return literal < INT32_MIN || literal > INT32_MAX;
}

// Writes the factors of "x" as a product; "wide": with 64 bits.  Writes nothing for 1 unless
// "alone".
static bool put_int(const struct writer *w, struct lay_int x, bool wide, bool alone) {
    bool any = false, is_wide = is_long(x.num);
    if (x.num != 1 || (x.nsyms == 0 && alone)) {
        if (wide && x.nsyms == 0 && !is_wide) buf_puts(w->b, "(int64_t)");
        if (x.num == INT64_MIN)
            buf_puts(w->b, "INT64_MIN");
        else
            buf_printf(w->b, "%" PRId64, x.num);
        any = true;
    }
    for (int i = 0; i < x.nsyms; ++i) {
        if (any) buf_puts(w->b, " * ");
        put_sym(w, x.syms[i], wide && !is_wide, i == 0, !any);
        is_wide = any = true;
    }
    if (x.den != 1) buf_printf(w->b, " / %" PRId64, x.den);
    return any;
}

// "leading": no factor comes before it, so a quotient needs no parentheses.
static void put_sym(const struct writer *w, const struct lay_sym *y, bool wide, bool first,
                    bool leading) {
    if (!y->name) {
        buf_puts(w->b, leading ? "(" : "((");
        put_int(w, y->of, true, true);
        buf_printf(w->b, " + %" PRId64 ") / %" PRId64 "%s", y->by - 1, y->by, leading ? "" : ")");
        return;
    }
    const char *name = known_param(w, y)->c_name;
    if (w->exact && first)
        buf_printf(w->b, "tcp_exact(%s)", name);
    else
        buf_printf(w->b, "%s%s", wide && int_sym(w, y) ? "(int64_t)" : "", name);
}

bool emit_names_stride(const struct kir_carry *c) {
    return c->stride && c->bits == 64;
}

// The name of a stride that divides "x", and the quotient in "times"; or NULL.
static const char *stride_of(const struct writer *w, struct lay_int x, int64_t *times) {
    for (int i = 0; i < w->ncarries; ++i) {
        const struct kir_carry *c = &w->carry[i];
        if (!emit_names_stride(c) || x.num % c->apart.num != 0) continue;
        *times = x.num / c->apart.num;
        x.num = c->apart.num;
        if (lay_int_equal(x, c->apart)) return c->stride->c_name;
        x.num *= *times;
    }
    return NULL;
}

static void put_term(const struct writer *w, struct ix_term t) {
    bool wide = t.bits == 64;
    int64_t times;
    const char *stride = wide && t.atom ? stride_of(w, t.coef, &times) : NULL;
    if (stride) {
        if (times != 1) buf_printf(w->b, "%" PRId64 " * ", times);
        buf_printf(w->b, "%s * ", stride);
        put_ix(w, t.atom, OPERAND);
        return;
    }
    if (!t.atom) {
        put_int(w, t.coef, wide && t.coef.nsyms, true);
        return;
    }
    bool any = put_int(w, t.coef, wide && t.coef.nsyms, false);
    if (any) buf_puts(w->b, " * ");
    bool cast =
        wide && !w->exact && t.coef.nsyms == 0 && !is_long(t.coef.num) && t.atom->bits == 32;
    if (cast) buf_puts(w->b, "(int64_t)");
    put_ix(w, t.atom, any || cast ? OPERAND : PRODUCT);
}

// The param y with b = -a * y, or NULL.
static const struct lay_sym *times_minus(struct lay_int a, struct lay_int b) {
    if (a.nsyms + 1 != b.nsyms || a.num >= 0 || a.num != -b.num) return NULL;
    for (int i = 0; i < b.nsyms; ++i) {
        int same = 0;
        while (same < a.nsyms && a.syms[same] == b.syms[same + (same >= i)]) ++same;
        if (same == a.nsyms) return b.syms[i];
    }
    return NULL;
}

// Writes the sum "e" as people do: 2 * (N + (M - 1) * ld), not 2 * N - 2 * ld + 2 * M * ld.  Returns
// false, and writes nothing, if it contains more than params.
static bool put_factored(const struct writer *w, const struct ix *e, enum level in) {
    int64_t divisor = 0;
    for (int i = 0; i < e->nterms; ++i) {
        struct lay_int x = e->term[i].coef;
        if (e->term[i].atom || x.den != 1 || x.num == INT64_MIN) return false;
        divisor = lay_gcd(divisor, x.num);
    }
    if (e->nterms < 2 || e->nterms > MOST_TERMS) return false;
    // by term: the one that it is the negative of, times a param
    const struct ix_term *of[MOST_TERMS] = {0};
    for (int i = 0; i < e->nterms; ++i)
        for (int j = 0; j < e->nterms; ++j) {
            if (of[j] || !times_minus(e->term[i].coef, e->term[j].coef)) continue;
            of[j] = &e->term[i];
            of[i] = &e->term[i];
            break;
        }
    bool paren = divisor > 1 || in != SUM, first = true;
    if (divisor > 1) buf_printf(w->b, "%" PRId64 " * ", divisor);
    if (paren) buf_char(w->b, '(');
    for (int i = 0; i < 3 * e->nterms; ++i) {  // behind params a number, then what has a minus
        int at = ix_written(e, i % e->nterms);
        struct lay_int x = e->term[at].coef;
        if (of[at] == &e->term[at]) continue;  // in the product of another term
        const struct lay_sym *less_one = of[at] ? times_minus(of[at]->coef, x) : NULL;
        if (less_one) x = of[at]->coef;
        bool minus = ix_take_minus(&x) && !less_one;
        if (i / e->nterms != (minus ? 2 : x.nsyms == 0 && !less_one)) continue;
        x.num /= divisor;
        buf_puts(w->b, first ? (minus ? "-" : "") : (minus ? " - " : " + "));
        first = false;
        if (less_one) {
            buf_char(w->b, '(');
            put_sym(w, less_one, true, true, true);
            buf_puts(w->b, " - 1)");
            if (x.nsyms || x.num != 1) buf_puts(w->b, " * ");
        }
        put_int(w, x, x.nsyms > 0, !less_one);
    }
    if (paren) buf_char(w->b, ')');
    return true;
}

static void put_sum(const struct writer *w, const struct ix *e, enum level in) {
    if (e->nterms == 0) {
        buf_char(w->b, '0');
        return;
    }
    if (w->host && !w->exact && put_factored(w, e, in)) return;
    int64_t value;
    bool paren = in != SUM && !(e->nterms == 1 && !e->term[0].atom && ix_static(e, &value));
    if (paren) buf_char(w->b, '(');
    for (int i = 0; i < e->nterms; ++i) {
        struct ix_term t = e->term[ix_written(e, i)];
        bool minus = ix_take_minus(&t.coef);
        buf_puts(w->b, i == 0 ? (minus ? "-" : "") : (minus ? " - " : " + "));
        put_term(w, t);
    }
    if (paren) buf_char(w->b, ')');
}

// Whether the divisor of "e" is computed in 64 bits, and divides an int.
static bool narrowed(const struct writer *w, const struct ix *e) {
    bool wide = false;
    for (int i = 0; i < e->k.nsyms; ++i) wide |= !int_sym(w, e->k.syms[i]);
    return wide && !w->host && e->divisor_bits == 32 && e->a->bits == 32;
}

static void put_ix(const struct writer *w, const struct ix *e, enum level in) {
    if (!e->bits) BUG("'%s' has no width", ix_text(w->s, e));
    switch (e->op) {
    case IX_VAR: buf_puts(w->b, e->var->c_name); return;
    case IX_DIV:
    case IX_MOD: {
        bool paren = in == OPERAND;
        if (paren) buf_char(w->b, '(');
        // a / b % c groups from the left, as intended
        put_ix(w, e->a, e->a->op == IX_DIV || e->a->op == IX_MOD ? PRODUCT : OPERAND);
        buf_puts(w->b, e->op == IX_DIV ? " / " : " % ");
        if (narrowed(w, e)) buf_puts(w->b, "(int)");
        if (e->k.nsyms) buf_char(w->b, '(');
        put_int(w, e->k, e->divisor_bits == 64, true);
        if (e->k.nsyms) buf_char(w->b, ')');
        if (paren) buf_char(w->b, ')');
        return;
    }
    case IX_SWZ:
        buf_printf(w->b, "tcp_swizzle<%d, %d, %d>(", e->sw.b, e->sw.m, e->sw.s);
        put_ix(w, e->a, SUM);
        buf_char(w->b, ')');
        return;
    case IX_SUM: put_sum(w, e, in);
    }
}

static const char *text_of(struct writer w, const struct ix *e) {
    struct buf b;
    buf_init(&b);
    w.b = &b;
    put_ix(&w, e, SUM);
    return buf_finish(&b, &w.s->arena);
}

const char *emit_ix(struct session *s, const struct kir_kernel *k, const struct ix *e) {
    return emit_ix_within(s, k, e, NULL, 0);
}

const char *emit_ix_within(struct session *s, const struct kir_kernel *k, const struct ix *e,
                           const struct kir_carry *carry, int ncarries) {
    return text_of((struct writer){.s = s, .k = k, .carry = carry, .ncarries = ncarries}, e);
}

static const char *host_text(struct session *s, const struct kir_kernel *k, const struct ix *e,
                             bool exact) {
    return text_of((struct writer){.s = s, .k = k, .host = true, .exact = exact},
                   kir_host_widths(s, e));
}

const char *emit_host_ix(struct session *s, const struct kir_kernel *k, const struct ix *e) {
    return host_text(s, k, e, false);
}

const char *emit_exact_ix(struct session *s, const struct kir_kernel *k, const struct ix *e) {
    return host_text(s, k, e, true);
}
