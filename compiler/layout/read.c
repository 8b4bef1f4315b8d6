// The reader of values: tuples, layouts, tilers and swizzles as this library prints them.
// Expressions, with operations and CuTe's notations, belong to the language (syntax, sema).
#include <ctype.h>
#include <string.h>

#include "layout/calc_impl.h"

enum { MAX_NESTING = 64, MAX_TERMS = 32 };

struct reader {
    struct lay_ctx *ctx;
    const char *text, *p;
    int depth;
};

struct operands {
    int n;
    struct calc_value v[LAY_MAX_RANK];
};

static struct calc_value expression(struct reader *r);

static void skip(struct reader *r) {
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r') ++r->p;
}

static bool take(struct reader *r, const char *s) {
    size_t n = strlen(s);
    skip(r);
    if (strncmp(r->p, s, n)) return false;
    r->p += n;
    return true;
}

static char peek(struct reader *r) {
    skip(r);
    return *r->p;
}

// Records an error that names what was expected here; returns calc_none().
static struct calc_value syntax(struct reader *r, const char *want) {
    int n = 0;
    while (n < 20 && r->p[n] && r->p[n] != '\n') ++n;
    if (*r->p)
        lay_fail(r->ctx, "expected %s at column %d, before '%.*s'", want, (int)(r->p - r->text) + 1,
                 n, r->p);
    else
        lay_fail(r->ctx, "expected %s at the end", want);
    return calc_none();
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool read_number(struct reader *r, int64_t *out) {
    int64_t v = 0;
    skip(r);
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

static bool read_list(struct reader *r, const char *close, struct operands *list) {
    list->n = 0;
    while (!take(r, close)) {
        if (list->n && !take(r, ",")) {
            syntax(r, *close == '>' ? "',' or '>'" : "',' or ')'");
            return false;
        }
        if (list->n == LAY_MAX_RANK) {
            lay_fail(r->ctx, "a list of more than %d elements", LAY_MAX_RANK);
            return false;
        }
        list->v[list->n] = expression(r);
        if (list->v[list->n++].kind == CALC_NONE) return false;
    }
    return true;
}

static struct calc_value as_modes(struct reader *r, const struct operands *list) {
    const struct lay_tiler *kid[LAY_MAX_RANK];
    for (int i = 0; i < list->n; ++i) kid[i] = calc_tiler(r->ctx, list->v[i]);
    return calc_of_tiler(lay_tiler_modes(r->ctx, list->n, kid));
}

static bool in_tuple(struct calc_value v) {
    return v.kind == CALC_INT || v.kind == CALC_TUPLE;
}

// A tuple of integers and tuples; with layouts in it a tiler.
static struct calc_value as_tuple(struct reader *r, const struct operands *list) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < list->n; ++i) {
        if (!in_tuple(list->v[i])) return as_modes(r, list);
        kid[i] = list->v[i].tuple;
    }
    return calc_of_tuple(r->ctx, lay_tuple(r->ctx, list->n, kid));
}

static struct calc_value paren(struct reader *r) {
    struct operands list;
    if (!read_list(r, ")", &list)) return calc_none();
    if (list.n == 1 && !in_tuple(list.v[0])) return list.v[0];
    return as_tuple(r, &list);
}

// -- operators ------------------------------------------------------------------------------------

static struct calc_value swizzle(struct reader *r) {
    struct operands list;
    int v[3];
    if (!read_list(r, ">", &list)) return calc_none();
    for (int i = 0; i < 3; ++i) {
        bool small = i < list.n && list.v[i].kind == CALC_INT && lay_plain(list.v[i].tuple->leaf) &&
                     list.v[i].tuple->leaf.num <= 62 && list.v[i].tuple->leaf.num >= -62;
        if (list.n != 3 || !small) {
            lay_fail(r->ctx, "a swizzle has three numbers within 62 bits");
            return calc_none();
        }
        v[i] = (int)list.v[i].tuple->leaf.num;
    }
    struct lay_swizzle w = {(int8_t)v[0], (int8_t)v[1], (int8_t)v[2]};
    return lay_swizzle_valid(r->ctx, w) ? calc_of_swizzle(w) : calc_none();
}

static struct calc_value param(struct reader *r, const char *w, size_t n) {
    const struct lay_sym *s = lay_find_param(r->ctx, w, n);
    if (!s) {
        char *name = lay_new(r->ctx, n + 1);
        memcpy(name, w, n);
        name[n] = 0;
        s = lay_param(r->ctx, name, 1, 1, (int64_t)1 << 40);
    }
    return calc_of_int(r->ctx, lay_int_sym(r->ctx, s));
}

static bool is(const char *w, size_t n, const char *word) {
    return strlen(word) == n && memcmp(w, word, n) == 0;
}

static struct calc_value read_word(struct reader *r) {
    const char *w = r->p;
    struct operands args;
    while (in_word(*r->p)) ++r->p;
    size_t n = (size_t)(r->p - w);
    if (is(w, n, "true") || is(w, n, "false")) return calc_of_bool(n == 4);
    if (is(w, n, "LayoutLeft") || is(w, n, "LayoutRight")) {
        struct calc_value out = calc_none();
        out.kind = CALC_NAME;
        out.name = n == 10 ? "LayoutLeft" : "LayoutRight";
        return out;
    }
    if (is(w, n, "Sw") && take(r, "<")) return swizzle(r);
    if (peek(r) != '(') return param(r, w, n);
    if (!is(w, n, "ceil_div")) return syntax(r, "a value");
    ++r->p;  // part of a printed integer, such as ceil_div(M,4)
    return read_list(r, ")", &args) ? lay_calc(r->ctx, "ceil_div", args.n, args.v) : calc_none();
}

static struct calc_value primary(struct reader *r) {
    int64_t v;
    struct operands list;
    char c = peek(r);
    if (c == '(') {
        ++r->p;
        return paren(r);
    }
    if (c == '<') {
        ++r->p;
        return read_list(r, ">", &list) ? as_modes(r, &list) : calc_none();
    }
    if (c == '_' && !in_word(r->p[1])) {
        ++r->p;
        return calc_of_tuple(r->ctx, lay_any(r->ctx));
    }
    if (isdigit((unsigned char)c)) {
        if (!read_number(r, &v)) return calc_none();
        struct calc_value out = calc_static(r->ctx, v);
        if (*r->p == 'b' && !in_word(r->p[1])) {
            ++r->p;
            out.kind = CALC_BITS;
            out.bits = v;
        }
        return out;
    }
    if (isalpha((unsigned char)c) || c == '_') return read_word(r);
    return syntax(r, "a value");
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
    if (peek(r) == '-') {
        ++r->p;
        if (++r->depth > MAX_NESTING) return syntax(r, "fewer signs");
        struct calc_value v = unary(r);
        --r->depth;
        return number(r, &v) ? calc_of_int(r->ctx, lay_int_neg(r->ctx, v.tuple->leaf))
                             : calc_none();
    }
    return primary(r);
}

// K*8/4, then 8@1@0: the innermost mode is written first
static struct calc_value product(struct reader *r) {
    struct calc_value a = unary(r);
    while (a.kind != CALC_NONE && (peek(r) == '*' || peek(r) == '/')) {
        char op = *r->p++;
        struct calc_value b = unary(r);
        if (!number(r, &a) || !number(r, &b)) return calc_none();
        struct lay_int x = a.tuple->leaf, y = b.tuple->leaf;
        a = calc_of_int(r->ctx, op == '*' ? lay_int_mul(r->ctx, x, y) : lay_int_div(r->ctx, x, y));
    }
    int path[3], n = 0;
    int64_t mode;
    while (a.kind == CALC_INT && take(r, "@")) {
        if (n == 3 || !read_number(r, &mode) || mode > 31) return syntax(r, "the number of a mode");
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

static struct calc_value colon(struct reader *r) {
    struct calc_value a = product(r);
    if (a.kind == CALC_NONE || peek(r) != ':') return a;
    ++r->p;
    struct calc_value b = product(r);
    if (b.kind == CALC_NONE) return b;
    if (!in_tuple(a) || !in_tuple(b)) return syntax(r, "a shape and a stride around ':'");
    return calc_of_layout(lay_make(r->ctx, a.tuple, b.tuple));
}

// A sum.  If its last term is a layout or a swizzle, returns that and sets "*offset" to the sum of
// the terms before it.
static struct calc_value sum(struct reader *r, struct lay_sum *offset, bool *view) {
    struct lay_sum total = {0, NULL};
    struct calc_value a = colon(r);
    bool minus = false;
    if (a.kind == CALC_NONE || (peek(r) != '+' && peek(r) != '-')) return a;
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
        if (peek(r) != '+' && peek(r) != '-')
            return calc_of_int(r->ctx, lay_sum_int(r->ctx, total));
        minus = *r->p++ == '-';
        a = colon(r);
        if (a.kind == CALC_NONE) return a;
    }
}

static struct calc_value expression(struct reader *r) {
    struct calc_value term[MAX_TERMS], out;
    struct lay_sum offset = {0, NULL}, inner = {0, NULL};
    bool view = false, inside = false;
    int n = 0;
    if (++r->depth > MAX_NESTING) {
        lay_fail(r->ctx, "more than %d levels of nesting", MAX_NESTING);
        return calc_none();
    }
    do {
        if (n == MAX_TERMS) return syntax(r, "fewer than 32 terms");
        term[n] = n ? sum(r, &inner, &inside) : sum(r, &offset, &view);
        if (term[n].kind == CALC_NONE) return term[n];
        if (inside) return syntax(r, "no offset within a composition");
        ++n;
        skip(r);
    } while (r->p[0] == 'o' && !in_word(r->p[1]) && ++r->p);
    --r->depth;
    if (n > 1 && term[0].kind == CALC_VIEW) {
        offset = term[0].offset;
        view = true;
        term[0] = calc_of_layout(term[0].layout);
    }
    out = calc_compose(r->ctx, n, term);
    if (view && out.kind != CALC_LAYOUT) return syntax(r, "a layout after the offset");
    return view ? calc_of_view((struct lay_view){offset, out.layout}) : out;
}

struct calc_value calc_read(struct lay_ctx *ctx, const char *text) {
    struct reader r = {ctx, text, text, 0};
    struct calc_value v = expression(&r);
    if (v.kind != CALC_NONE && peek(&r)) return syntax(&r, "the end");
    return ctx->error ? calc_none() : v;
}

struct lay lay_parse(struct lay_ctx *ctx, const char *text) {
    return calc_layout(ctx, calc_read(ctx, text));
}

const struct lay_tuple *lay_parse_tuple(struct lay_ctx *ctx, const char *text) {
    struct calc_value v = calc_read(ctx, text);
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) return v.tuple;
    if (v.kind != CALC_NONE) lay_fail(ctx, "'%s' is not a tuple", text);
    return NULL;
}

const struct lay_tiler *lay_parse_tiler(struct lay_ctx *ctx, const char *text) {
    return calc_tiler(ctx, calc_read(ctx, text));
}
