// The calculator's reader: one recursive descent over the notation that CuTe and this library
// print, CuTe's C++ types, its static form and the reprs of its Python siblings.  It evaluates as
// it reads.
#include "layout/calc_impl.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_TERMS = 32 };

struct reader {
    struct lay_ctx *ctx;
    const char *text, *p;
    int depth;
    const struct calc_options *options;
};

static struct calc_value read_comp(struct reader *r);

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

static bool word_char(char c) {
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

struct list {
    int n;
    struct calc_value v[LAY_MAX_RANK];
};

// Reads elements up to "close", with a trailing comma as Python has it.
static bool read_list(struct reader *r, const char *close, struct list *list) {
    list->n = 0;
    while (!take(r, close)) {
        if (list->n && !take(r, ",")) {
            syntax(r, "',' or the end of a list");
            return false;
        }
        if (list->n && take(r, close)) return true;
        if (list->n == LAY_MAX_RANK) {
            lay_fail(r->ctx, "a list of more than %d elements", LAY_MAX_RANK);
            return false;
        }
        list->v[list->n] = read_comp(r);
        if (list->v[list->n++].kind == CALC_NONE) return false;
    }
    return true;
}

static struct calc_value as_modes(struct reader *r, const struct list *list) {
    const struct lay_tiler *kid[LAY_MAX_RANK];
    for (int i = 0; i < list->n; ++i) kid[i] = calc_tiler(r->ctx, list->v[i]);
    return calc_of_tiler(lay_tiler_modes(r->ctx, list->n, kid));
}

static bool in_tuple(struct calc_value v) {
    return v.kind == CALC_INT || v.kind == CALC_TUPLE;
}

// A tuple of integers and tuples; with layouts in it a tiler.
static struct calc_value as_tuple(struct reader *r, const struct list *list) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < list->n; ++i) {
        if (!in_tuple(list->v[i])) return as_modes(r, list);
        kid[i] = list->v[i].tuple;
    }
    return calc_of_tuple(r->ctx, lay_tuple(r->ctx, list->n, kid));
}

static struct calc_value paren(struct reader *r) {
    struct list list;
    if (!read_list(r, ")", &list)) return calc_none();
    if (list.n == 1 && !in_tuple(list.v[0])) return list.v[0];
    return as_tuple(r, &list);
}

// -- names ----------------------------------------------------------------------------------------

static bool is_word(const char *w, size_t n, const char *list) {
    while (*list) {
        size_t len = strcspn(list, " ");
        if (len == n && memcmp(w, list, n) == 0) return true;
        list += len + (list[len] == ' ');
    }
    return false;
}

static bool small_ints(struct reader *r, const struct list *list, int n, int *out) {
    for (int i = 0; i < n; ++i) {
        if (i >= list->n || list->v[i].kind != CALC_INT || !lay_plain(list->v[i].tuple->leaf) ||
            list->v[i].tuple->leaf.num > 1000 || list->v[i].tuple->leaf.num < -1000) {
            lay_fail(r->ctx, "expected %d small numbers before column %d", n,
                     (int)(r->p - r->text) + 1);
            return false;
        }
        out[i] = (int)list->v[i].tuple->leaf.num;
    }
    return true;
}

static struct calc_value swizzle_of(struct reader *r, const struct list *list) {
    int v[3];
    if (!small_ints(r, list, 3, v)) return calc_none();
    if (list->n != 3 || v[0] < 0 || v[0] > 62 || v[1] < 0 || v[1] > 62 || v[2] < -62 || v[2] > 62) {
        lay_fail(r->ctx, "a swizzle has three numbers within 62 bits");
        return calc_none();
    }
    struct lay_swizzle w = {(int8_t)v[0], (int8_t)v[1], (int8_t)v[2]};
    return lay_swizzle_valid(r->ctx, w) ? calc_of_swizzle(w) : calc_none();
}

// E<0,1> is the element 1 of mode 0; ScaledBasis<C<8>,0,1> is 8 of it.
static struct calc_value basis_of(struct reader *r, const struct list *list, bool scaled) {
    int path[3];
    struct list tail = *list;
    struct lay_int scale = lay_int(1);
    if (scaled && (list->n < 2 || list->v[0].kind != CALC_INT))
        return syntax(r, "a scale and modes");
    if (scaled) {
        scale = list->v[0].tuple->leaf;
        tail.n = list->n - 1;
        memmove(tail.v, list->v + 1, sizeof tail.v[0] * (size_t)tail.n);
    }
    if (tail.n < 1 || tail.n > 3 || !small_ints(r, &tail, tail.n, path))
        return syntax(r, "one to three modes");
    return calc_of_int(r->ctx, lay_int_basis(r->ctx, scale, tail.n, path));
}

static struct calc_value layout_of(struct reader *r, const struct list *list) {
    if (list->n == 1 && list->v[0].kind == CALC_LAYOUT) return list->v[0];
    if (list->n < 1 || list->n > 2 || !in_tuple(list->v[0]) || !in_tuple(list->v[list->n - 1]))
        return syntax(r, "a shape and a stride");
    struct lay l = list->n == 1 ? lay_make_col(r->ctx, list->v[0].tuple)
                                : lay_make(r->ctx, list->v[0].tuple, list->v[1].tuple);
    return calc_of_layout(l);
}

// What CuTe writes as a type or a constructor: "<" or "(" follows the word.  False: it is none of
// these.
static bool constructor(struct reader *r, const char *w, size_t n, struct calc_value *out) {
    static const char *const tuples =
        "Shape Stride Step Coord Tile tuple make_shape make_stride make_step make_coord "
        "make_tuple make_tile";
    static const char *const others =
        "Layout layout Int C constant Sw S Swizzle ComposedLayout E ScaledBasis";
    char open = peek(r);
    bool is_tuple = is_word(w, n, tuples);
    struct list list;
    if ((open != '<' && open != '(') || (!is_tuple && !is_word(w, n, others))) return false;
    ++r->p;
    *out = calc_none();
    if (open == '<' && peek(r) == '"') {  // the types of the DSL quote what they print
        ++r->p;
        *out = read_comp(r);
        if (out->kind != CALC_NONE && (!take(r, "\"") || !take(r, ">"))) *out = syntax(r, "'\">'");
        return true;
    }
    if (!read_list(r, open == '<' ? ">" : ")", &list)) return true;
    if (is_tuple) {
        *out = as_tuple(r, &list);
    } else if (is_word(w, n, "Sw S Swizzle")) {
        *out = swizzle_of(r, &list);
    } else if (is_word(w, n, "E ScaledBasis")) {
        *out = basis_of(r, &list, n > 1);
    } else if (is_word(w, n, "Int C constant")) {
        *out = list.n && list.v[list.n - 1].kind == CALC_INT ? list.v[list.n - 1]
                                                             : syntax(r, "an integer");
    } else if (n == strlen("ComposedLayout")) {
        *out = list.n == 3 ? calc_compose(r->ctx, 3, list.v)
                           : syntax(r, "a swizzle, an offset and a layout");
    } else {
        *out = layout_of(r, &list);
    }
    if (out->kind != CALC_NONE && open == '<' &&
        (peek(r) == '{' || peek(r) == '(')) {  // a value of the type
        ++r->p;
        if (!take(r, "}") && !take(r, ")")) *out = syntax(r, "the end of a value");
    }
    return true;
}

static void tell(struct reader *r, const struct op *op, const struct list *args,
                 struct calc_value out) {
    struct lay_buf b = {.ctx = r->ctx};
    if (!r->options || !r->options->step || out.kind == CALC_NONE) return;
    lay_buf_add(&b, "%s(", op->name);
    for (int i = 0; i < args->n; ++i)
        lay_buf_add(&b, "%s%s", i ? ", " : "", calc_text(r->ctx, args->v[i], CALC_STYLE_TCP));
    lay_buf_add(&b, ")");
    r->options->step(r->options->user, r->depth, lay_buf_done(&b),
                     calc_text(r->ctx, out, CALC_STYLE_TCP));
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

static struct calc_value word(struct reader *r) {
    const char *w = r->p;
    struct calc_value out;
    struct list args;
    while (word_char(*r->p) || (r->p[0] == ':' && r->p[1] == ':') ||
           (r->p > w && r->p[-1] == ':' && *r->p == ':'))
        ++r->p;
    for (const char *q = w; q + 1 < r->p; ++q)  // cute::Layout
        if (q[0] == ':' && q[1] == ':') w = q + 2;
    if (w[0] == '_' && isdigit((unsigned char)w[1])) {  // cute::_4
        int64_t v;
        r->p = w + 1;
        return read_number(r, &v) ? calc_static(r->ctx, v) : calc_none();
    }
    size_t n = (size_t)(r->p - w);
    if (n == 0 || !isalpha((unsigned char)(*w == '_' && n > 1 ? w[1] : *w)))
        return syntax(r, "a name");
    if (is_word(w, n, "true false")) return calc_of_bool(n == 4);
    if (is_word(w, n, "LayoutLeft LayoutRight GenColMajor GenRowMajor")) {
        out = calc_none();
        out.kind = CALC_NAME;
        out.name = is_word(w, n, "LayoutLeft GenColMajor") ? "LayoutLeft" : "LayoutRight";
        if (take(r, "{") && !take(r, "}")) return syntax(r, "'}'");
        return out;
    }
    if (is_word(w, n, "Underscore") || is_word(w, n, "X"))
        return calc_of_tuple(r->ctx, lay_any(r->ctx));
    if (constructor(r, w, n, &out)) return out;
    if (peek(r) != '(') return param(r, w, n);
    const struct op *op = calc_find(w, n);
    if (!op) {
        calc_unknown(r->ctx, w, n);
        return calc_none();
    }
    ++r->p;
    if (!read_list(r, ")", &args)) return calc_none();
    out = calc_apply(r->ctx, op, args.n, args.v);
    tell(r, op, &args, out);
    return out;
}

// -- operators ------------------------------------------------------------------------------------

static struct calc_value primary(struct reader *r) {
    int64_t v;
    struct list list;
    char c = peek(r);
    if (c == '(') {
        ++r->p;
        return paren(r);
    }
    if (c == '<') {
        ++r->p;
        return read_list(r, ">", &list) ? as_modes(r, &list) : calc_none();
    }
    if (c == '!' && strncmp(r->p, "!cute.", 6) == 0) {
        r->p += 6;
        return isalpha((unsigned char)*r->p) ? word(r) : syntax(r, "a type");
    }
    if (c == '_' &&
        (isdigit((unsigned char)r->p[1]) || (r->p[1] == '-' && isdigit((unsigned char)r->p[2])))) {
        bool negative = *++r->p == '-';
        r->p += negative;
        return read_number(r, &v) ? calc_static(r->ctx, negative ? -v : v) : calc_none();
    }
    if (c == '_' && !word_char(r->p[1])) {
        ++r->p;
        return calc_of_tuple(r->ctx, lay_any(r->ctx));
    }
    if (isdigit((unsigned char)c)) {
        if (!read_number(r, &v)) return calc_none();
        struct calc_value out = calc_static(r->ctx, v);
        if (*r->p == 'b' && !word_char(r->p[1])) {
            ++r->p;
            out.kind = CALC_BITS;
            out.bits = v;
        }
        return out;
    }
    if (isalpha((unsigned char)c) || c == '_') return word(r);
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

// K*8/4%3, then 8@1@0: the innermost mode is written first
static struct calc_value product(struct reader *r) {
    struct calc_value a = unary(r);
    while (a.kind != CALC_NONE && (peek(r) == '*' || peek(r) == '/' || peek(r) == '%')) {
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
            x = lay_int(op == '%' ? x.num % y.num : x.num / y.num);
        } else {
            x = lay_int_div(r->ctx, x, y);
        }
        a = calc_of_int(r->ctx, x);
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

// A sum.  Where it ends in a layout or a swizzle, this is the result and the terms before it go to
// "*offset".
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

static struct calc_value read_comp(struct reader *r) {
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
    } while (r->p[0] == 'o' && !word_char(r->p[1]) && ++r->p);
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
    if (view && out.kind != CALC_LAYOUT) return syntax(r, "a layout after the offset");
    return view ? calc_of_view((struct lay_view){offset, out.layout}) : out;
}

struct tracer {
    const struct calc_options *options;
    struct reader *reader;
};

static void trace(void *user, const char *rule, const char *result) {
    struct tracer *t = user;
    t->options->step(t->options->user, t->reader->depth + 1, rule, result);
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
    struct calc_value v = read_comp(&r);
    ctx->trace = old;
    ctx->trace_user = old_user;
    if (v.kind != CALC_NONE && peek(&r)) return syntax(&r, "the end of the expression");
    return ctx->error ? calc_none() : v;
}

// -- the library's own readers --------------------------------------------------------------------

struct lay lay_parse(struct lay_ctx *ctx, const char *text) {
    return calc_layout(ctx, calc_eval(ctx, text, NULL));
}

const struct lay_tuple *lay_parse_tuple(struct lay_ctx *ctx, const char *text) {
    struct calc_value v = calc_eval(ctx, text, NULL);
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) return v.tuple;
    if (v.kind != CALC_NONE) lay_fail(ctx, "'%s' is no tuple", text);
    return NULL;
}

const struct lay_tiler *lay_parse_tiler(struct lay_ctx *ctx, const char *text) {
    return calc_tiler(ctx, calc_eval(ctx, text, NULL));
}
