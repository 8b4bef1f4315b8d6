// Writing C the way clang-format leaves it.
#include "emit/write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/session.h"

// -- calls and comments ---------------------------------------------------------------------------

void call_arg(struct call *c, const char *fmt, ...) {
    struct buf b;
    buf_init(&b);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (c->nargs == (int)(sizeof c->arg / sizeof c->arg[0]))
        BUG("a call of more than %d arguments", c->nargs);
    c->arg[c->nargs++] = buf_finish(&b, &c->s->arena);
}

int call_width(const struct call *c) {
    int width = c->indent + (int)strlen(c->head) + (int)strlen(c->tail);
    for (int i = 0; i < c->nargs; ++i) width += (int)strlen(c->arg[i]) + (i > 0 ? 2 : 0);
    return width;
}

// The argument "arg", which begins at "column" and has "after" more columns behind it, filled: it
// is broken behind the operators of the sum in its innermost parentheses or brackets.
static void put_index(struct buf *b, const char *arg, int column, int after) {
    int open[8] = {column}, depth = 0;
    size_t at = 0;
    for (const char *p = arg; *p; ++p) {
        bool word =
            *p != ' ' && p > arg && p[-1] == ' ' && p - arg >= 2 && (p[-2] == '+' || p[-2] == '-');
        if (word) {  // a term: does it fit, with its operator or with all that follows?
            size_t n = 0;
            int inner = 0;
            while (p[n] && !(inner == 0 && p[n] == ' ' && (p[n + 1] == '+' || p[n + 1] == '-') &&
                             p[n + 2] == ' ')) {
                inner += (p[n] == '(' || p[n] == '[') - (p[n] == ')' || p[n] == ']');
                ++n;
            }
            if (column + (int)n + (p[n] ? 2 : after) > EMIT_COLUMNS) {
                buf_write(b, arg + at, (size_t)(p - arg) - at - 1);
                at = (size_t)(p - arg);
                column = open[depth];
                buf_char(b, '\n');
                buf_fill(b, ' ', column);
            }
        }
        ++column;
        if ((*p == '(' || *p == '[') && depth < 7) open[++depth] = column;
        if ((*p == ')' || *p == ']') && depth > 0) --depth;
    }
    buf_puts(b, arg + at);
}

// The last argument, too long for a line: broken behind its first parenthesis when it is a call;
// "after" more columns follow.
static void put_long(struct buf *b, const char *arg, int column, int after) {
    const char *open = strchr(arg, '(');
    if (!open || open[1] == ')') {
        buf_puts(b, arg);
        return;
    }
    buf_write(b, arg, (size_t)(open - arg) + 1);
    buf_char(b, '\n');
    buf_fill(b, ' ', column + 4);
    put_index(b, open + 1, column + 4, after);
}

// A call of two arguments whose last one is a call that fits nowhere but further left, broken at
// both parentheses; false when it is none.
static bool write_deep(struct buf *b, const struct call *c) {
    if (c->nargs != 2 || strstr(c->head, " = ") || call_width(c) <= EMIT_COLUMNS) return false;
    const char *last = c->arg[1], *open = strchr(last, '(');
    if (!open || open[1] == ')') return false;
    int tail = (int)strlen(c->tail), all = (int)strlen(last) + tail;
    int inner = (int)strlen(open + 1) + tail, column = c->indent + (int)strlen(c->head);
    if (c->indent + 4 + all <= EMIT_COLUMNS || column + 4 + inner <= EMIT_COLUMNS ||
        c->indent + 8 + inner > EMIT_COLUMNS || column + (int)strlen(c->arg[0]) + 1 > EMIT_COLUMNS)
        return false;
    buf_fill(b, ' ', c->indent);
    buf_printf(b, "%s\n%*s%s,\n", c->head, c->indent + 4, "", c->arg[0]);
    buf_printf(b, "%*s%.*s\n", c->indent + 4, "", (int)(open + 1 - last), last);
    buf_printf(b, "%*s%s%s\n", c->indent + 8, "", open + 1, c->tail);
    return true;
}

void call_write(struct buf *b, const struct call *c) {
    if (write_deep(b, c)) return;
    const char *inner = strchr(c->head, '(');
    int column = c->indent + (int)strlen(c->head), width = call_width(c);
    const char *assign = strstr(c->head, " = ");
    int filled = 0;  // arguments that are written already
    buf_fill(b, ' ', c->indent);
    if (assign && width > EMIT_COLUMNS && width - (int)(assign - c->head) + 1 <= EMIT_COLUMNS) {
        buf_write(b, c->head, (size_t)(assign - c->head) + 2);
        buf_char(b, '\n');
        buf_fill(b, ' ', c->indent + 4);
        buf_puts(b, assign + 3);
        column = c->indent + 4 + (int)strlen(assign + 3);
    } else if (assign && c->nargs == 1 && width > EMIT_COLUMNS && column <= EMIT_COLUMNS &&
               c->indent + 4 + (int)(strlen(c->arg[0]) + strlen(c->tail)) <= EMIT_COLUMNS) {
        buf_puts(b, c->head);
        buf_char(b, '\n');
        column = c->indent + 4;
        buf_fill(b, ' ', column);
    } else if (assign && c->nargs == 1 && width > EMIT_COLUMNS) {
        const char *open = strchr(c->arg[0], '(');  // of a swizzle
        int before = open ? (int)(open + 1 - c->arg[0]) : 0;
        int inside = open ? (int)(strlen(open + 1) + strlen(c->tail)) : EMIT_COLUMNS;
        if (open && column + before <= EMIT_COLUMNS && c->indent + 4 + inside <= EMIT_COLUMNS) {
            buf_printf(b, "%s%.*s\n%*s%s%s\n", c->head, before, c->arg[0], c->indent + 4, "",
                       open + 1, c->tail);
            return;
        }
        buf_write(b, c->head, (size_t)(assign - c->head) + 2);
        buf_char(b, '\n');
        buf_fill(b, ' ', c->indent + 4);
        buf_puts(b, assign + 3);
        if (open && c->indent + 8 + inside <= EMIT_COLUMNS) {
            buf_printf(b, "%.*s\n%*s%s%s\n", before, c->arg[0], c->indent + 8, "", open + 1,
                       c->tail);
            return;
        }
        put_index(b, c->arg[0], c->indent + 4 + (int)strlen(assign + 3), (int)strlen(c->tail));
        buf_puts(b, c->tail);
        buf_char(b, '\n');
        return;
    } else if (inner && inner[1] && width > EMIT_COLUMNS &&
               width - (int)(inner + 1 - c->head) + 4 <= EMIT_COLUMNS) {
        buf_write(b, c->head, (size_t)(inner - c->head) + 1);
        buf_char(b, '\n');
        buf_fill(b, ' ', c->indent + 4);
        buf_puts(b, inner + 1);
        column = c->indent + 4 + (int)strlen(inner + 1);
    } else if (inner && inner[1] && width > EMIT_COLUMNS && c->nargs > 1 &&
               column + (int)(strlen(c->arg[c->nargs - 1]) + strlen(c->tail)) > EMIT_COLUMNS &&
               width - (int)strlen(c->head) + 4 <= EMIT_COLUMNS) {
        // the last argument has no room behind the head, all of them have below it
        buf_puts(b, c->head);
        buf_char(b, '\n');
        column = c->indent + 4;
        buf_fill(b, ' ', column);
    } else {
        buf_puts(b, c->head);
        if (c->nargs > 1 && c->arg[0][0] == '&' && strstr(c->arg[0], " + ") &&
            c->indent + 4 + (int)strlen(c->arg[0]) + 1 > EMIT_COLUMNS) {
            put_index(b, c->arg[0], column, 1);
            buf_char(b, ',');
            filled = 1;
        } else if (c->nargs > 1 && column + (int)strlen(c->arg[0]) + 1 > EMIT_COLUMNS) {
            buf_char(b, '\n');
            column = c->indent + 4;
            buf_fill(b, ' ', column);
        }
    }
    int start = column;
    if (filled) column = EMIT_COLUMNS;
    for (int i = filled; i < c->nargs; ++i) {
        bool last = i == c->nargs - 1;
        int own = (int)strlen(c->arg[i]) + (last ? (int)strlen(c->tail) : 1);
        if (i > 0 && column + 1 + own > EMIT_COLUMNS) {
            buf_char(b, '\n');
            buf_fill(b, ' ', start);
            column = start;
        } else if (i > 0) {
            buf_char(b, ' ');
            ++column;
        }
        if (last && column + own > EMIT_COLUMNS)
            put_long(b, c->arg[i], column, (int)strlen(c->tail));
        else
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

// The length of "text" up to and with the operator after its next term that stands in no
// parentheses, or of all of it.
static size_t term_length(const char *text) {
    int depth = 0;
    for (size_t i = 0; text[i]; ++i) {
        if (text[i] == '(' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == ']') --depth;
        bool sign = text[i] == '+' || text[i] == '-';
        if (depth == 0 && i > 0 && sign && text[i - 1] == ' ' && text[i + 1] == ' ') return i + 1;
    }
    return strlen(text);
}

void let_write(struct buf *b, int indent, const char *head, const char *value) {
    int start = indent + (int)strlen(head), all = (int)strlen(value);
    buf_fill(b, ' ', indent);
    buf_puts(b, head);
    if (start + 1 + all + 1 <= EMIT_COLUMNS || indent + 4 + all + 1 > EMIT_COLUMNS) {
        buf_char(b, ' ');
        int column = start + 1;
        while (*value) {
            size_t n = term_length(value);
            bool last = value[n] == 0;
            if (column > start + 1) {
                bool fits = column + 1 + (int)n + (last ? 1 : 0) <= EMIT_COLUMNS;
                buf_char(b, fits ? ' ' : '\n');
                if (!fits) buf_fill(b, ' ', start + 1);
                column = fits ? column + 1 : start + 1;
            }
            buf_write(b, value, n);
            column += (int)n;
            value += n;
            while (*value == ' ') ++value;
        }
    } else {
        buf_char(b, '\n');
        buf_fill(b, ' ', indent + 4);
        buf_puts(b, value);
    }
    buf_puts(b, ";\n");
}

void conditions_write(struct buf *b, int indent, const char *head, const char *const *part, int n,
                      const char *tail) {
    int start = indent + (int)strlen(head), column = start;
    buf_fill(b, ' ', indent);
    buf_puts(b, head);
    for (int i = 0; i < n; ++i) {
        bool last = i == n - 1;
        int own = (int)strlen(part[i]) + (last ? (int)strlen(tail) : 3);
        if (i > 0 && column + 1 + own > EMIT_COLUMNS) {
            buf_char(b, '\n');
            buf_fill(b, ' ', start);
            column = start;
        } else if (i > 0) {
            buf_char(b, ' ');
            ++column;
        }
        buf_printf(b, "%s%s", part[i], last ? tail : " &&");
        column += own;
    }
    buf_char(b, '\n');
}

// -- index expressions ----------------------------------------------------------------------------

enum level {
    SUM,
    PRODUCT,
    OPERAND
};  // what the context binds: operands need parentheses around all else

// Where an expression stands: in kernel "k", whose params may be ints, or in its launcher ("host"),
// where all are int64_t; "exact" there takes every first param of a product as a tcp_exact, which
// knows when it overflows.
struct writer {
    struct session *s;
    struct buf *b;
    const struct kir_kernel *k;
    bool host, exact;
};

struct bounds {
    int64_t lo, hi;
};

static int64_t clamp(__int128 x) {
    return x < INT64_MIN ? INT64_MIN : x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

static struct bounds times(struct bounds a, struct bounds b) {
    const __int128 p[4] = {(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo,
                           (__int128)a.hi * b.hi};
    __int128 lo = p[0], hi = p[0];
    for (int i = 1; i < 4; ++i) {
        if (p[i] < lo) lo = p[i];
        if (p[i] > hi) hi = p[i];
    }
    return (struct bounds){clamp(lo), clamp(hi)};
}

static bool narrow(struct bounds r) {
    return r.lo >= INT32_MIN && r.hi <= INT32_MAX;
}

// Of all that is computed on the way to the value of "x", which is divided last.
static struct bounds int_bounds(struct lay_int x) {
    struct bounds r;
    x.den = 1;
    lay_int_range(x, &r.lo, &r.hi);
    return r;
}

static struct bounds term_bounds(struct ix_term t) {
    struct bounds c = int_bounds(t.coef);
    return t.atom ? times(c, (struct bounds){t.atom->lo, t.atom->hi}) : c;
}

// Of the partial sums of "e", in whatever order.
static struct bounds sum_bounds(const struct ix *e) {
    __int128 lo = 0, hi = 0;
    for (int i = 0; i < e->nterms; ++i) {
        struct bounds t = term_bounds(e->term[i]);
        if (t.lo < 0) lo += t.lo;
        if (t.hi > 0) hi += t.hi;
    }
    return (struct bounds){clamp(lo), clamp(hi)};
}

bool emit_int_var(const struct ix_var *v) {
    if (v->kind < IX_LOOP)
        return true;  // tid, and blocks, of which a launch has as many as an int counts
    if (!lay_int_valid(v->end)) return false;
    int64_t lo, hi, unused;
    lay_int_range(v->lo, &lo, &unused);
    lay_int_range(v->end, &unused, &hi);
    return narrow((struct bounds){lo, hi});
}

static const struct kir_param *param_of(const struct kir_kernel *k, const struct lay_sym *y) {
    for (int i = 0; i < k->nparams; ++i) {
        if (k->param[i].sym == y) return &k->param[i];
    }
    BUG("param '%s' is not one of kernel '%s'", y->name, k->name);
}

static bool int_sym(const struct writer *w, const struct lay_sym *y) {
    return y->name && !w->host && param_of(w->k, y)->narrow;
}

// Whether the text of "e" has type int, as far as it must be known: false only when it is sure to
// have 64 bits.
static bool int_text(const struct writer *w, const struct ix *e) {
    switch (e->op) {
    case IX_VAR: return emit_int_var(e->var);
    case IX_DIV:
    case IX_MOD:
        for (int i = 0; i < e->k.nsyms; ++i) {
            if (!int_sym(w, e->k.syms[i])) return false;
        }
        return int_text(w, e->a);
    case IX_SWZ: return int_text(w, e->a);
    case IX_SUM: break;
    }
    return narrow(sum_bounds(e));
}

static void put_ix(const struct writer *w, const struct ix *e, enum level in);

static void put_sym(const struct writer *w, const struct lay_sym *y, bool wide, bool first,
                    bool leading);

// The factors of "x" as a product; "wide" asks for 64 bits.  Nothing is written for 1 unless
// "alone".
static bool put_int(const struct writer *w, struct lay_int x, bool wide, bool alone) {
    bool any = false, is_wide = !narrow((struct bounds){x.num, x.num});
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

// "leading": no factor stands before it, so that a quotient needs no parentheses.
static void put_sym(const struct writer *w, const struct lay_sym *y, bool wide, bool first,
                    bool leading) {
    if (!y->name) {
        buf_puts(w->b, leading ? "(" : "((");
        put_int(w, y->of, true, true);
        buf_printf(w->b, " + %" PRId64 ") / %" PRId64 "%s", y->by - 1, y->by, leading ? "" : ")");
        return;
    }
    const char *name = param_of(w->k, y)->c_name;
    if (w->exact && first)
        buf_printf(w->b, "tcp_exact(%s)", name);
    else
        buf_printf(w->b, "%s%s", wide && int_sym(w, y) ? "(int64_t)" : "", name);
}

static void put_term(const struct writer *w, struct ix_term t, bool wide) {
    wide = wide || !narrow(term_bounds(t));
    if (!t.atom) {
        put_int(w, t.coef, wide && t.coef.nsyms, true);
        return;
    }
    bool any = put_int(w, t.coef, wide && t.coef.nsyms, false);
    if (any) buf_puts(w->b, " * ");
    bool cast = wide && t.coef.nsyms == 0 && narrow(int_bounds(t.coef)) && int_text(w, t.atom);
    if (cast) buf_puts(w->b, "(int64_t)");
    put_ix(w, t.atom, any || cast ? OPERAND : PRODUCT);
}

static void put_sum(const struct writer *w, const struct ix *e, enum level in) {
    if (e->nterms == 0) {
        buf_char(w->b, '0');
        return;
    }
    int64_t value;
    bool paren = in != SUM && !(e->nterms == 1 && !e->term[0].atom && ix_static(e, &value));
    if (paren) buf_char(w->b, '(');
    // the first term makes the sum a 64-bit one
    bool wide = !narrow(sum_bounds(e)), first = true;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < e->nterms; ++i) {
            struct ix_term t = e->term[i];
            if ((t.atom == NULL) != (pass == 1)) continue;
            bool minus = t.coef.num < 0 && t.coef.num != INT64_MIN;
            if (minus) t.coef.num = -t.coef.num;
            buf_puts(w->b, first ? (minus ? "-" : "") : (minus ? " - " : " + "));
            put_term(w, t, wide && first);
            first = false;
        }
    }
    if (paren) buf_char(w->b, ')');
}

static void put_ix(const struct writer *w, const struct ix *e, enum level in) {
    switch (e->op) {
    case IX_VAR: buf_puts(w->b, e->var->c_name); return;
    case IX_DIV:
    case IX_MOD: {
        bool paren = in == OPERAND;
        if (paren) buf_char(w->b, '(');
        // a / b % c groups from the left, as it is meant
        put_ix(w, e->a, e->a->op == IX_DIV || e->a->op == IX_MOD ? PRODUCT : OPERAND);
        buf_puts(w->b, e->op == IX_DIV ? " / " : " % ");
        if (e->k.nsyms) buf_char(w->b, '(');
        put_int(w, e->k, !narrow(int_bounds(e->k)), true);
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
    return text_of((struct writer){s, NULL, k, false, false}, e);
}

const char *emit_host_ix(struct session *s, const struct kir_kernel *k, const struct ix *e) {
    return text_of((struct writer){s, NULL, k, true, false}, e);
}

static bool may_overflow(const struct ix *e) {
    if (!e) return false;
    if (e->op == IX_DIV || e->op == IX_MOD || e->op == IX_SWZ) return may_overflow(e->a);
    if (e->op != IX_SUM) return false;
    struct bounds r = sum_bounds(e);
    if (r.lo == INT64_MIN || r.hi == INT64_MAX) return true;
    for (int i = 0; i < e->nterms; ++i) {
        if (may_overflow(e->term[i].atom)) return true;
    }
    return false;
}

const char *emit_exact_ix(struct session *s, const struct kir_kernel *k, const struct ix *e) {
    return may_overflow(e) ? text_of((struct writer){s, NULL, k, true, true}, e) : NULL;
}

// -- #line ----------------------------------------------------------------------------------------

// The name of the file "path" without its folder, as it stands in a C string.
static const char *quoted_name(struct session *s, const char *path) {
    const char *slash = strrchr(path, '/');
    struct buf b;
    buf_init(&b);
    for (const char *p = slash ? slash + 1 : path; *p; ++p) {
        if (*p == '"' || *p == '\\') buf_char(&b, '\\');
        if ((unsigned char)*p < ' ')
            buf_printf(&b, "\\%03o", (unsigned char)*p);
        else
            buf_char(&b, *p);
    }
    return buf_finish(&b, &s->arena);
}

struct lines *lines_new(struct session *s, struct buf *b, const char *path, const char *ending) {
    if (s->options.no_line) return NULL;
    struct lines *l = ARENA_NEW(&s->arena, struct lines);
    l->b = b;
    l->plan = quoted_name(s, path);
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".tcp") == 0) n -= 4;
    const char *self = s->options.emitted;
    l->self = quoted_name(s, self ? self : arena_printf(&s->arena, "%.*s%s", (int)n, path, ending));
    return l;
}

void lines_write(struct lines *l, const char *access) {
    // a statement that is broken behind its = has the call on its second line
    const char *end = strchr(access, '\n');
    int before = end > access && end[-1] == '=' && l->plan_line > 1;
    buf_printf(l->b, "#line %d \"%s\"\n%s", l->plan_line - before, l->plan, access);
    for (; l->counted < l->b->len; ++l->counted) l->row += l->b->text[l->counted] == '\n';
    buf_printf(l->b, "#line %d \"%s\"\n", l->row + 2, l->self);
}
