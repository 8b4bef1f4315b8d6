// Index expressions in the notation of plans.
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "index/ix.h"

// Whether "x" is a sum with a name, such as "N + 1".
static bool is_sum(struct lay_int x) {
    return x.num == 1 && x.den == 1 && x.nsyms == 1 && x.syms[0]->name &&
           strchr(x.syms[0]->name, ' ');
}

static void put(struct session *s, struct buf *b, const struct ix *e, bool operand) {
    switch (e->op) {
    case IX_VAR: buf_puts(b, e->var->name); return;
    case IX_DIV:
    case IX_MOD:
        if (operand) buf_char(b, '(');
        put(s, b, e->a, true);
        buf_printf(b, " %c ", e->op == IX_DIV ? '/' : '%');
        if (e->k.nsyms) {
            buf_printf(b, "(%s)", lay_int_text(&s->lay, e->k));
        } else {
            buf_puts(b, lay_int_text(&s->lay, e->k));
        }
        if (operand) buf_char(b, ')');
        return;
    case IX_SWZ:
        buf_printf(b, "Sw<%d,%d,%d>(", e->sw.b, e->sw.m, e->sw.s);
        put(s, b, e->a, false);
        buf_char(b, ')');
        return;
    case IX_SUM: break;
    }
    if (e->nterms == 0) {
        buf_char(b, '0');
        return;
    }
    bool paren = operand && (e->nterms > 1 || e->term[0].atom || is_sum(e->term[0].coef));
    if (paren) buf_char(b, '(');
    for (int i = 0; i < e->nterms; ++i) {
        struct ix_term t = e->term[ix_written(e, i)];
        bool minus = ix_take_minus(&t.coef);
        buf_puts(b, i == 0 ? (minus ? "-" : "") : (minus ? " - " : " + "));
        if (!t.atom) {
            buf_puts(b, minus ? lay_int_operand(&s->lay, t.coef) : lay_int_text(&s->lay, t.coef));
        } else if (lay_int_is(t.coef, 1)) {
            put(s, b, t.atom, false);
        } else {
            buf_printf(b, "%s*", lay_int_operand(&s->lay, t.coef));
            put(s, b, t.atom, true);
        }
    }
    if (paren) buf_char(b, ')');
}

const char *ix_text(struct session *s, const struct ix *e) {
    if (!e) return "?";
    struct buf b;
    buf_init(&b);
    put(s, &b, e, false);
    return buf_finish(&b, &s->arena);
}
