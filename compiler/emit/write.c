// Writing C the way clang-format leaves it.
#include "emit/write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/session.h"

// -- calls and comments --------------------------------------------------------------------------------------------

void call_arg(struct call *c, const char *fmt, ...) {
    struct buf b;
    buf_init(&b);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (c->nargs == (int)(sizeof c->arg / sizeof c->arg[0])) BUG("a call of more than %d arguments", c->nargs);
    c->arg[c->nargs++] = buf_finish(&b, &c->s->arena);
}

int call_width(const struct call *c) {
    int width = c->indent + (int)strlen(c->head) + (int)strlen(c->tail);
    for (int i = 0; i < c->nargs; ++i) width += (int)strlen(c->arg[i]) + (i > 0 ? 2 : 0);
    return width;
}

void call_write(struct buf *b, const struct call *c) {
    buf_fill(b, ' ', c->indent);
    buf_puts(b, c->head);
    int column = c->indent + (int)strlen(c->head), start = column;
    for (int i = 0; i < c->nargs; ++i) {
        bool last = i == c->nargs - 1;
        int width = (int)strlen(c->arg[i]) + (last ? (int)strlen(c->tail) : 1);
        if (i > 0 && column + 1 + width > EMIT_COLUMNS) {
            buf_char(b, '\n');
            buf_fill(b, ' ', start);
            column = start;
        } else if (i > 0) {
            buf_char(b, ' ');
            ++column;
        }
        buf_puts(b, c->arg[i]);
        if (!last) buf_char(b, ',');
        column += (int)strlen(c->arg[i]) + (last ? 0 : 1);
    }
    buf_puts(b, c->tail);
    buf_char(b, '\n');
}

void comment_write(struct buf *b, int indent, const char *text, int hang) {
    int room = EMIT_COLUMNS - indent - 3;
    bool first = true;
    size_t left = strlen(text);
    while (left > 0 || first) {
        int width = first ? room : room - hang;
        size_t n = left;
        if (left > (size_t)width) {
            n = (size_t)width;
            while (n > 0 && text[n] != ' ') --n;
            if (n == 0) n = strcspn(text, " ");  // a word longer than the line
        }
        buf_fill(b, ' ', indent);
        buf_puts(b, "// ");
        if (!first) buf_fill(b, ' ', hang);
        size_t end = n;
        while (end > 0 && text[end - 1] == ' ') --end;
        buf_write(b, text, end);
        buf_char(b, '\n');
        text += n;
        left -= n;
        while (left > 0 && *text == ' ') ++text, --left;
        first = false;
    }
}

// -- index expressions ---------------------------------------------------------------------------------------------

enum level { SUM, PRODUCT, OPERAND };  // what the context binds: operands need parentheses around all else

static bool narrow_range(int64_t lo, int64_t hi) { return lo >= INT32_MIN && hi <= INT32_MAX; }

bool emit_narrow(const struct ix *e) { return narrow_range(e->lo, e->hi); }

static bool narrow_sym(const struct kir_kernel *k, const struct lay_sym *y) {
    if (!k) return false;
    for (int i = 0; i < k->nparams; ++i) {
        if (k->param[i].sym == y) return k->param[i].narrow;
    }
    return false;
}

static const char *sym_name(const struct kir_kernel *k, const struct lay_sym *y) {
    for (int i = 0; k && i < k->nparams; ++i) {
        if (k->param[i].sym == y) return k->param[i].c_name;
    }
    return y->name;
}

static void put_ix(struct session *s, struct buf *b, const struct kir_kernel *k, const struct ix *e, enum level in);

// The factors of "x" as a product; "wide" asks for 64 bits.  Nothing is written for 1 unless "alone".
static bool put_int(struct session *s, struct buf *b, const struct kir_kernel *k, struct lay_int x, bool wide, bool alone) {
    bool any = false, is_wide = false;
    if (x.num != 1 || (x.nsyms == 0 && alone)) {
        if (wide && x.nsyms == 0 && narrow_range(x.num, x.num)) buf_puts(b, "(int64_t)");
        if (x.num == INT64_MIN) buf_puts(b, "INT64_MIN");
        else buf_printf(b, "%" PRId64, x.num);
        any = true;
        is_wide = !narrow_range(x.num, x.num);
    }
    for (int i = 0; i < x.nsyms; ++i) {
        const struct lay_sym *y = x.syms[i];
        if (any) buf_puts(b, " * ");
        if (!y->name) {
            buf_puts(b, "((");
            put_int(s, b, k, y->of, true, true);
            buf_printf(b, " + %" PRId64 ") / %" PRId64 ")", y->by - 1, y->by);
            is_wide = true;
        } else {
            if (wide && !is_wide && narrow_sym(k, y)) buf_puts(b, "(int64_t)");
            buf_puts(b, sym_name(k, y));
            is_wide = true;
        }
        any = true;
    }
    if (x.den != 1) buf_printf(b, " / %" PRId64, x.den);
    return any;
}

const char *emit_int(struct session *s, const struct kir_kernel *k, struct lay_int x) {
    struct buf b;
    buf_init(&b);
    int64_t lo, hi;
    lay_int_range(x, &lo, &hi);
    put_int(s, &b, k, x, x.nsyms && !narrow_range(lo, hi), true);
    return buf_finish(&b, &s->arena);
}

static void put_term(struct session *s, struct buf *b, const struct kir_kernel *k, struct ix_term t, bool wide) {
    if (!t.atom) {
        put_int(s, b, k, t.coef, wide && t.coef.nsyms, true);
        return;
    }
    int64_t lo, hi;
    lay_int_range(t.coef, &lo, &hi);
    bool over = !narrow_range(lo, hi) ||
                (t.atom->hi > 0 && hi > 0 && hi > INT32_MAX / (t.atom->hi > INT32_MAX ? INT32_MAX : t.atom->hi));
    bool any = put_int(s, b, k, t.coef, (wide || over) && t.coef.nsyms, false);
    if (any) buf_puts(b, " * ");
    if (wide || (over && t.coef.nsyms == 0)) {
        if (emit_narrow(t.atom) && t.coef.nsyms == 0) buf_puts(b, "(int64_t)");
    }
    put_ix(s, b, k, t.atom, any || wide ? OPERAND : PRODUCT);
}

static void put_sum(struct session *s, struct buf *b, const struct kir_kernel *k, const struct ix *e, enum level in) {
    if (e->nterms == 0) {
        buf_char(b, '0');
        return;
    }
    int64_t value;
    bool paren = in != SUM && !(e->nterms == 1 && !e->term[0].atom && ix_static(e, &value));
    if (paren) buf_char(b, '(');
    // all partial sums of an int expression must be ints too
    bool wide = !emit_narrow(e);
    for (int i = 0; i < e->nterms; ++i) {
        if (e->term[i].coef.num < 0 && e->lo < 0) wide = true;
    }
    bool first = true;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < e->nterms; ++i) {
            struct ix_term t = e->term[i];
            if ((t.atom == NULL) != (pass == 1)) continue;
            bool minus = t.coef.num < 0 && t.coef.num != INT64_MIN;
            if (minus) t.coef.num = -t.coef.num;
            buf_puts(b, first ? (minus ? "-" : "") : (minus ? " - " : " + "));
            put_term(s, b, k, t, wide && first);
            first = false;
        }
    }
    if (paren) buf_char(b, ')');
}

static void put_ix(struct session *s, struct buf *b, const struct kir_kernel *k, const struct ix *e, enum level in) {
    switch (e->op) {
    case IX_VAR:
        buf_puts(b, e->var->c_name);
        return;
    case IX_DIV:
    case IX_MOD: {
        bool paren = in == OPERAND;
        if (paren) buf_char(b, '(');
        // a / b % c groups from the left, as it is meant
        put_ix(s, b, k, e->a, e->a->op == IX_DIV || e->a->op == IX_MOD ? PRODUCT : OPERAND);
        buf_puts(b, e->op == IX_DIV ? " / " : " % ");
        if (e->k.nsyms) buf_printf(b, "(%s)", emit_int(s, k, e->k));
        else buf_puts(b, emit_int(s, k, e->k));
        if (paren) buf_char(b, ')');
        return;
    }
    case IX_SWZ:
        buf_printf(b, "tcp_swizzle<%d, %d, %d>(", e->sw.b, e->sw.m, e->sw.s);
        put_ix(s, b, k, e->a, SUM);
        buf_char(b, ')');
        return;
    case IX_SUM:
        put_sum(s, b, k, e, in);
    }
}

const char *emit_ix(struct session *s, const struct kir_kernel *k, const struct ix *e) {
    struct buf b;
    buf_init(&b);
    put_ix(s, &b, k, e, SUM);
    return buf_finish(&b, &s->arena);
}
