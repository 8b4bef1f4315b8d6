// Numbers in a plan as bits of an element, such as those that 'pad' writes for missing sources.
#include <math.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "tcp_numeric.h"

// The format of a small floating-point type; NULL for f32 and f64.
static const struct tcp_format *format_of(const struct elem_type *t) {
    if (strcmp(t->name, "f16") == 0) return &tcp_format_f16;
    if (strcmp(t->name, "bf16") == 0) return &tcp_format_bf16;
    if (strcmp(t->name, "f8e4m3") == 0) return &tcp_format_f8e4m3;
    if (strcmp(t->name, "f8e5m2") == 0) return &tcp_format_f8e5m2;
    return NULL;
}

// Sets "out" to the bits of "x" in type "t", rounded to nearest; false if it is too large.
static bool float_bits(const struct elem_type *t, double x, uint64_t *out) {
    const struct tcp_format *f = format_of(t);
    *out = 0;
    if (f) {
        uint32_t bits = tcp_encode(*f, x);
        *out = bits;
        return isfinite(tcp_decode(*f, bits));
    }
    float single = (float)x;
    if (t->bits == 32) {
        memcpy(out, &single, sizeof single);
        return isfinite(single);
    }
    memcpy(out, &x, sizeof x);
    return isfinite(x);
}

// Sets "out" to the bits of the integer "x"; false if "t" cannot hold it.
static bool int_bits(const struct elem_type *t, int64_t x, uint64_t *out) {
    if (t->cls == ELEM_FLOAT) return float_bits(t, (double)x, out);
    bool negative = t->cls == ELEM_SINT && x < 0;
    int bits = t->bits - (t->cls == ELEM_SINT);
    if (x < 0 && !negative) return false;
    if (bits < 63 && (negative ? -(x + 1) : x) >> bits != 0) return false;
    *out = (uint64_t)x;
    if (t->bits < 64) *out &= ((uint64_t)1 << t->bits) - 1;
    return true;
}

// Reports "inf" and similar names, which a plan does not have.  The largest number serves for
// masks.
static bool is_infinity(struct sema *c, const struct ast_expr *e, const struct elem_type *t,
                        const char *what) {
    static const char words[][10] = {"inf", "INFINITY", "infinity", "Infinity"};
    static const char *const most[][2] = {
        {"f16", "65504.0"},      {"bf16", "3.3895313e38"},
        {"f32", "3.4028234e38"}, {"f64", "1.7976931348623157e308"},
        {"f8e4m3", "448.0"},     {"f8e5m2", "57344.0"}};
    const struct ast_expr *name = e->kind == E_NEG ? e->lhs : e;
    bool found = false;
    if (name->kind != E_NAME || scope_find(c, name->name)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        found |= strcmp(name->name, words[i]) == 0;
    for (size_t i = 0; found && i < sizeof most / sizeof *most; ++i) {
        if (strcmp(t->name, most[i][0]) != 0) continue;
        const char *text = sema_text(c, "%s%s", e == name ? "" : "-", most[i][1]);
        diag_error(c->s, e->at, "%s is a number, and infinity is none; the %s of %s is %s", what,
                   e == name ? "greatest" : "least", t->name, text);
        diag_fixit(c->s, e->at, text);
        return true;
    }
    return false;
}

const struct constant *constant_of(struct sema *c, const struct ast_expr *e,
                                   const struct elem_type *t, const char *what) {
    bool minus = e->kind == E_NEG && e->lhs->kind == E_FLOAT;
    const struct ast_expr *number = minus ? e->lhs : e;
    uint64_t bits = 0;
    bool fits;
    if (is_infinity(c, e, t, what)) return NULL;
    if (number->kind == E_FLOAT) {
        fits = t->cls == ELEM_FLOAT && float_bits(t, minus ? -number->fval : number->fval, &bits);
    } else {
        int64_t x;
        const struct value *v = eval(c, e);
        if (v->kind != VAL_NONE && value_unwrap(v)->kind != VAL_INT) {
            diag_error(c->s, e->at, "%s must be a number, not %s", what, value_kind_text(v));
            return NULL;
        }
        if (v->kind == VAL_NONE || !value_to_int64(c, v, e->at, what, &x)) return NULL;
        fits = int_bits(t, x, &bits);
    }
    const char *text = source_line(c->s, e->at);
    if (!fits) {
        diag_error(c->s, e->at, "%s is %s, which is not a value of type %s", what, text, t->name);
        return NULL;
    }
    for (struct constant *k = c->plan->constants; k; k = k->next) {
        if (k->bits == bits && k->elem == t) return k;
    }
    struct constant *k = ARENA_NEW(&c->s->arena, struct constant);
    *k = (struct constant){t, bits, text, c->plan->nconstants++, c->plan->constants};
    c->plan->constants = k;
    return k;
}
