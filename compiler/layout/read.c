// The calculator's reader: one recursive descent over the notation that CuTe and this library
// print, CuTe's C++ types, its static form and the reprs of its Python siblings.  It evaluates as
// it reads.
#include "layout/read.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_TERMS = 32 };

void reader_skip(struct reader *r) {
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r') ++r->p;
}

bool reader_take(struct reader *r, const char *s) {
    size_t n = strlen(s);
    reader_skip(r);
    if (strncmp(r->p, s, n)) return false;
    r->p += n;
    return true;
}

char reader_peek(struct reader *r) {
    reader_skip(r);
    return *r->p;
}

// What is said of marks of other languages.
static const char *meant(const struct reader *r) {
    static const char of[][2][64] = {
        {"[", "; shapes, strides and coordinates go in parentheses"},
        {"{", "; shapes, strides and coordinates go in parentheses"},
        {"<<", "; there is no '<<': 'x << 4' is 'x*16'"},
        {">>", "; there is no '>>': 'x >> 4' is 'x/16'"},
        {"==", "; one comparison at a time"},
        {"=", "; '==' compares"},
        {"&&", "; one comparison at a time"},
        {"@", "; write ':' between a shape and its stride"},
        {"\xE2\x88\x98", "; composition is 'o'"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i)
        if (strncmp(r->p, of[i][0], strlen(of[i][0])) == 0) return of[i][1];
    bool power = r->p > r->text && r->p[0] == '*' && r->p[-1] == '*';
    return power ? "; there is no '**'" : "";
}

struct calc_value reader_syntax(struct reader *r, const char *want) {
    int n = 0;
    while (n < 20 && r->p[n] && r->p[n] != '\n') ++n;
    if (*r->p)
        lay_fail(r->ctx, "expected %s at column %d, before '%.*s'%s", want,
                 (int)(r->p - r->text) + 1, n, r->p, meant(r));
    else
        lay_fail(r->ctx, "expected %s at the end of the expression", want);
    return calc_none();
}

bool reader_in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool reader_number(struct reader *r, int64_t *out) {
    int64_t v = 0;
    reader_skip(r);
    const char *start = r->p;
    if (!isdigit((unsigned char)*r->p)) return false;
    for (; isdigit((unsigned char)*r->p); ++r->p)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *r->p - '0', &v)) {
            lay_fail(r->ctx, "the number at column %d does not fit into 64 bits",
                     (int)(start - r->text) + 1);
            return false;
        }
    *out = v;
    return true;
}

// -- lists ----------------------------------------------------------------------------------------

// Reads elements up to "close", with a trailing comma as Python has it.
bool reader_list(struct reader *r, const char *close, struct operands *list) {
    list->n = 0;
    while (!reader_take(r, close)) {
        if (list->n && !reader_take(r, ",")) {
            reader_syntax(r, *close == '>' ? "',' or '>'" : "',' or ')'");
            return false;
        }
        if (list->n && reader_take(r, close)) return true;
        if (list->n == LAY_MAX_RANK) {
            lay_fail(r->ctx, "a list of more than %d elements", LAY_MAX_RANK);
            return false;
        }
        list->v[list->n] = reader_expression(r);
        if (list->v[list->n++].kind == CALC_NONE) return false;
    }
    return true;
}

static struct calc_value as_modes(struct reader *r, const struct operands *list) {
    const struct lay_tiler *kid[LAY_MAX_RANK];
    for (int i = 0; i < list->n; ++i) kid[i] = calc_tiler(r->ctx, list->v[i]);
    return calc_of_tiler(lay_tiler_modes(r->ctx, list->n, kid));
}

bool reader_in_tuple(struct calc_value v) {
    return v.kind == CALC_INT || v.kind == CALC_TUPLE;
}

// A tuple of integers and tuples; with layouts in it a tiler.
struct calc_value reader_as_tuple(struct reader *r, const struct operands *list) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < list->n; ++i) {
        if (!reader_in_tuple(list->v[i])) return as_modes(r, list);
        kid[i] = list->v[i].tuple;
    }
    return calc_of_tuple(r->ctx, lay_tuple(r->ctx, list->n, kid));
}

static struct calc_value paren(struct reader *r) {
    struct operands list;
    if (!reader_list(r, ")", &list)) return calc_none();
    if (list.n == 1 && !reader_in_tuple(list.v[0])) return list.v[0];
    return reader_as_tuple(r, &list);
}

// -- operators ------------------------------------------------------------------------------------

static struct calc_value primary(struct reader *r) {
    int64_t v;
    struct operands list;
    char c = reader_peek(r);
    if (c == '(') {
        ++r->p;
        return paren(r);
    }
    if (c == '<') {
        ++r->p;
        return reader_list(r, ">", &list) ? as_modes(r, &list) : calc_none();
    }
    if (c == '!' && strncmp(r->p, "!cute.", 6) == 0) {
        r->p += 6;
        return isalpha((unsigned char)*r->p) ? reader_word(r) : reader_syntax(r, "a type");
    }
    if (c == '_' &&
        (isdigit((unsigned char)r->p[1]) || (r->p[1] == '-' && isdigit((unsigned char)r->p[2])))) {
        bool negative = *++r->p == '-';
        r->p += negative;
        return reader_number(r, &v) ? calc_static(r->ctx, negative ? -v : v) : calc_none();
    }
    if (c == '_' && !reader_in_word(r->p[1])) {
        ++r->p;
        return calc_of_tuple(r->ctx, lay_any(r->ctx));
    }
    if (isdigit((unsigned char)c)) {
        if (!reader_number(r, &v)) return calc_none();
        struct calc_value out = calc_static(r->ctx, v);
        if (*r->p == 'b' && !reader_in_word(r->p[1])) {
            ++r->p;
            out.kind = CALC_BITS;
            out.bits = v;
        }
        return out;
    }
    if (isalpha((unsigned char)c) || c == '_') return reader_word(r);
    return reader_syntax(r, "a value");
}

static bool number(struct reader *r, struct calc_value *v) {
    if (v->kind == CALC_TUPLE && v->tuple->rank == 1 && lay_is_leaf(v->tuple->kid[0]))
        *v = calc_of_tuple(r->ctx, v->tuple->kid[0]);
    if (v->kind == CALC_INT) return true;
    if (v->kind != CALC_NONE)
        lay_fail(r->ctx, "'%s' is %s, not an integer", calc_text(r->ctx, *v, CALC_STYLE_TCP),
                 calc_kind_name(v->kind));
    return false;
}

static struct calc_value unary(struct reader *r) {
    if (reader_peek(r) == '-') {
        ++r->p;
        if (++r->depth > MAX_NESTING) return reader_syntax(r, "fewer signs");
        struct calc_value v = unary(r);
        --r->depth;
        return number(r, &v) ? calc_of_int(r->ctx, lay_int_neg(r->ctx, v.tuple->leaf))
                             : calc_none();
    }
    return primary(r);
}

// K*8/4%3, then 8@1@0: the innermost mode is written first
static struct calc_value product(struct reader *r) {
    struct calc_value a = unary(r);
    while (a.kind != CALC_NONE &&
           (reader_peek(r) == '*' || reader_peek(r) == '/' || reader_peek(r) == '%')) {
        char op = *r->p++;
        struct calc_value b = unary(r);
        if (!number(r, &a) || !number(r, &b)) return calc_none();
        struct lay_int x = a.tuple->leaf, y = b.tuple->leaf;
        if (op == '*') {
            x = lay_int_mul(r->ctx, x, y);
        } else if (op == '%' || (lay_plain(x) && lay_plain(y))) {
            if (!lay_plain(x) || !lay_plain(y) || y.num == 0) {
                lay_fail(r->ctx, "'%s' %c '%s' needs static numbers and a divisor that is not 0",
                         lay_int_text(r->ctx, x), op, lay_int_text(r->ctx, y));
                return calc_none();
            }
            // rounded down, as in a plan; -1 would overflow the least number
            int64_t q = y.num == -1 ? 0 : x.num / y.num, rest = y.num == -1 ? 0 : x.num % y.num;
            bool down = rest != 0 && (rest < 0) != (y.num < 0);
            if (op == '/' && y.num == -1)
                x = lay_int_neg(r->ctx, x);
            else
                x = lay_int(op == '%' ? rest + (down ? y.num : 0) : q - down);
        } else {
            x = lay_int_div(r->ctx, x, y);
        }
        a = calc_of_int(r->ctx, x);
    }
    int path[3], n = 0;
    int64_t mode;
    while (a.kind == CALC_INT && reader_take(r, "@")) {
        if (n == 3 || !reader_number(r, &mode) || mode > 31)
            return reader_syntax(r, "the number of a mode");
        path[n++] = (int)mode;
    }
    if (n == 0) return a;
    for (int i = 0; i < n / 2; ++i) {
        int t = path[i];
        path[i] = path[n - 1 - i];
        path[n - 1 - i] = t;
    }
    return calc_of_int(r->ctx, lay_int_basis(r->ctx, a.tuple->leaf, n, path));
}

// Past the parenthesis that "text" begins with, or NULL.
static const char *behind(const char *text) {
    int depth = 0;
    for (const char *p = text; *p; ++p) {
        depth += *p == '(';
        if (*p == ')' && --depth == 0) return p + 1;
    }
    return NULL;
}

// The end of "(8,1)(2,3)", which is at "text" where a stride does; NULL: it is no call.
static const char *called_stride(const char *text) {
    text += strspn(text, " ");
    const char *end = *text == '(' ? behind(text) : NULL;
    if (!end) return NULL;
    end += strspn(end, " ");
    return *end == '(' ? behind(end) : NULL;
}

static struct calc_value colon(struct reader *r) {
    struct calc_value a = product(r);
    if (a.kind == CALC_NONE || reader_peek(r) != ':') return a;
    ++r->p;
    const char *stride = r->p, *called = called_stride(stride);
    struct calc_value b = product(r);
    if (b.kind == CALC_NONE && !called) return b;
    if (called) {
        lay_clear_error(r->ctx);
        lay_fail(r->ctx,
                 "'%.*s' calls the stride alone; put parentheses around a layout that is called, "
                 "as '((4,8):(8,1))(2,3)'",
                 (int)(called - stride), stride);
        return calc_none();
    }
    if (!reader_in_tuple(a) || !reader_in_tuple(b))
        return reader_syntax(r, "a shape and a stride around ':'");
    return calc_of_layout(lay_make(r->ctx, a.tuple, b.tuple));
}

// A sum.  Where it ends in a layout or a swizzle, this is the result and the terms before it go to
// "*offset".
static struct calc_value sum(struct reader *r, struct lay_sum *offset, bool *view) {
    struct lay_sum total = {0, NULL};
    struct calc_value a = colon(r);
    bool minus = false;
    if (a.kind == CALC_NONE || (reader_peek(r) != '+' && reader_peek(r) != '-')) return a;
    for (;;) {
        if (!minus && (a.kind == CALC_LAYOUT || a.kind == CALC_SWIZZLE)) {
            *offset = total;
            *view = true;
            return a;
        }
        if (!number(r, &a)) return calc_none();
        struct lay_int v = minus ? lay_int_neg(r->ctx, a.tuple->leaf) : a.tuple->leaf;
        total = lay_sum_add(r->ctx, total, lay_sum_of(r->ctx, v));
        if (total.n < 0) return calc_none();
        if (reader_peek(r) != '+' && reader_peek(r) != '-')
            return calc_of_int(r->ctx, lay_sum_int(r->ctx, total));
        minus = *r->p++ == '-';
        a = colon(r);
        if (a.kind == CALC_NONE) return a;
    }
}

struct calc_value reader_expression(struct reader *r) {
    struct calc_value term[MAX_TERMS], out;
    struct lay_sum offset = {0, NULL}, inner = {0, NULL};
    bool view = false, inside = false;
    int n = 0;
    if (++r->depth > MAX_NESTING) {
        lay_fail(r->ctx, "more than %d levels of nesting", MAX_NESTING);
        return calc_none();
    }
    do {
        if (n == MAX_TERMS) return reader_syntax(r, "fewer than 32 terms");
        term[n] = n ? sum(r, &inner, &inside) : sum(r, &offset, &view);
        if (term[n].kind == CALC_NONE) return term[n];
        if (inside) return reader_syntax(r, "no offset within a composition");
        ++n;
        reader_skip(r);
    } while (r->p[0] == 'o' && !reader_in_word(r->p[1]) && ++r->p);
    --r->depth;
    if (n > 1 && term[0].kind == CALC_VIEW) {
        offset = term[0].offset;
        view = true;
        term[0] = calc_of_layout(term[0].layout);
    }
    out = calc_compose(r->ctx, n, term);
    if (n > 1 && r->options && r->options->step && out.kind != CALC_NONE)
        r->options->step(r->options->user, r->depth, "composition",
                         calc_text(r->ctx, out, CALC_STYLE_TCP));
    if (view && out.kind != CALC_LAYOUT) return reader_syntax(r, "a layout after the offset");
    return view ? calc_of_view((struct lay_view){offset, out.layout}) : out;
}

// One comparison at most, of whole expressions.
static struct calc_value comparison(struct reader *r) {
    static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct calc_value a = reader_expression(r);
    reader_skip(r);
    if (a.kind != CALC_NONE && (!strncmp(r->p, "<<", 2) || !strncmp(r->p, ">>", 2)))
        return reader_syntax(r, "the end of the expression");
    for (int i = 0; a.kind != CALC_NONE && i < 6; ++i)
        if (reader_take(r, ops[i])) {
            struct calc_value b = reader_expression(r);
            return b.kind == CALC_NONE ? b : calc_compare(r->ctx, ops[i], a, b);
        }
    return a;
}

struct tracer {
    const struct calc_options *options;
    struct reader *reader;
};

static void trace(void *user, const char *rule, const char *result) {
    struct tracer *t = user;
    t->options->step(t->options->user, t->reader->depth + 1, rule, result);
}

// What is refused inside of a parenthesis that nothing closes was meant to end before.
static void blame_open(struct lay_ctx *ctx, const char *text) {
    int open[MAX_NESTING], n = 0;
    if (!ctx->error || strncmp(ctx->error, "expected ", 9) == 0) return;
    for (int i = 0; text[i]; ++i) {
        if (text[i] == '(' && n < MAX_NESTING) open[n++] = i;
        if (text[i] == ')' && n > 0) --n;
    }
    if (n == 0 || n == MAX_NESTING) return;
    lay_clear_error(ctx);
    lay_fail(ctx, "the '(' at column %d is not closed", open[n - 1] + 1);
}

struct calc_value calc_eval(struct lay_ctx *ctx, const char *text,
                            const struct calc_options *options) {
    struct reader r = {ctx, text, text, 0, options};
    struct tracer t = {options, &r};
    lay_trace_fn *old = ctx->trace;
    void *old_user = ctx->trace_user;
    if (options && options->step) {
        ctx->trace = trace;
        ctx->trace_user = &t;
    }
    struct calc_value v = comparison(&r);
    ctx->trace = old;
    ctx->trace_user = old_user;
    if (v.kind != CALC_NONE && reader_peek(&r))
        return reader_syntax(&r, "the end of the expression");
    blame_open(ctx, text);
    return ctx->error ? calc_none() : v;
}

// -- the library's own readers --------------------------------------------------------------------

struct lay lay_parse(struct lay_ctx *ctx, const char *text) {
    return calc_layout(ctx, calc_eval(ctx, text, NULL));
}

const struct lay_tuple *lay_parse_tuple(struct lay_ctx *ctx, const char *text) {
    struct calc_value v = calc_eval(ctx, text, NULL);
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) return v.tuple;
    if (v.kind != CALC_NONE) lay_fail(ctx, "'%s' is not a tuple", text);
    return NULL;
}

const struct lay_tiler *lay_parse_tiler(struct lay_ctx *ctx, const char *text) {
    return calc_tiler(ctx, calc_eval(ctx, text, NULL));
}
