// What begins with a word in the calculator's notation: constructors in CuTe's C++ form, functions,
// params.
#include <ctype.h>
#include <string.h>

#include "layout/read.h"

static bool is_word(const char *w, size_t n, const char *list) {
    while (*list) {
        size_t len = strcspn(list, " ");
        if (len == n && memcmp(w, list, n) == 0) return true;
        list += len + (list[len] == ' ');
    }
    return false;
}

static bool small_ints(struct reader *r, const struct operands *list, int n, int *out) {
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

static struct calc_value swizzle_of(struct reader *r, const struct operands *list) {
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
static struct calc_value basis_of(struct reader *r, const struct operands *list, bool scaled) {
    int path[3];
    struct operands tail = *list;
    struct lay_int scale = lay_int(1);
    if (scaled && (list->n < 2 || list->v[0].kind != CALC_INT))
        return reader_syntax(r, "a scale and modes");
    if (scaled) {
        scale = list->v[0].tuple->leaf;
        tail.n = list->n - 1;
        memmove(tail.v, list->v + 1, sizeof tail.v[0] * (size_t)tail.n);
    }
    if (tail.n < 1 || tail.n > 3 || !small_ints(r, &tail, tail.n, path))
        return reader_syntax(r, "one to three modes");
    return calc_of_int(r->ctx, lay_int_basis(r->ctx, scale, tail.n, path));
}

static struct calc_value layout_of(struct reader *r, const struct operands *list) {
    if (list->n == 1 && list->v[0].kind == CALC_LAYOUT) return list->v[0];
    if (list->n < 1 || list->n > 2 || !reader_in_tuple(list->v[0]) ||
        !reader_in_tuple(list->v[list->n - 1]))
        return reader_syntax(r, "a shape and a stride");
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
    char open = reader_peek(r);
    bool is_tuple = is_word(w, n, tuples);
    struct operands list;
    if ((open != '<' && open != '(') || (!is_tuple && !is_word(w, n, others))) return false;
    ++r->p;
    *out = calc_none();
    if (open == '<' && reader_peek(r) == '"') {  // the types of the DSL quote what they print
        ++r->p;
        *out = reader_expression(r);
        if (out->kind != CALC_NONE && (!reader_take(r, "\"") || !reader_take(r, ">")))
            *out = reader_syntax(r, "'\">'");
        return true;
    }
    if (!reader_list(r, open == '<' ? ">" : ")", &list)) return true;
    if (is_tuple) {
        *out = reader_as_tuple(r, &list);
    } else if (is_word(w, n, "Sw S Swizzle")) {
        *out = swizzle_of(r, &list);
    } else if (is_word(w, n, "E ScaledBasis")) {
        *out = basis_of(r, &list, n > 1);
    } else if (is_word(w, n, "Int C constant")) {
        *out = list.n && list.v[list.n - 1].kind == CALC_INT ? list.v[list.n - 1]
                                                             : reader_syntax(r, "an integer");
    } else if (n == strlen("ComposedLayout")) {
        *out = list.n == 3 ? calc_compose(r->ctx, 3, list.v)
                           : reader_syntax(r, "a swizzle, an offset and a layout");
    } else {
        *out = layout_of(r, &list);
    }
    if (out->kind != CALC_NONE && open == '<' &&
        (reader_peek(r) == '{' || reader_peek(r) == '(')) {  // a value of the type
        ++r->p;
        if (!reader_take(r, "}") && !reader_take(r, ")"))
            *out = reader_syntax(r, "the end of a value");
    }
    return true;
}

static void tell(struct reader *r, const struct op *op, const struct operands *args,
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

struct calc_value reader_word(struct reader *r) {
    const char *w = r->p;
    struct calc_value out;
    struct operands args;
    while (reader_in_word(*r->p) || (r->p[0] == ':' && r->p[1] == ':') ||
           (r->p > w && r->p[-1] == ':' && *r->p == ':'))
        ++r->p;
    for (const char *q = w; q + 1 < r->p; ++q)  // cute::Layout
        if (q[0] == ':' && q[1] == ':') w = q + 2;
    if (w[0] == '_' && isdigit((unsigned char)w[1])) {  // cute::_4
        int64_t v;
        r->p = w + 1;
        return reader_number(r, &v) ? calc_static(r->ctx, v) : calc_none();
    }
    size_t n = (size_t)(r->p - w);
    if (n == 0 || !isalpha((unsigned char)(*w == '_' && n > 1 ? w[1] : *w)))
        return reader_syntax(r, "a name");
    if (is_word(w, n, "true false")) return calc_of_bool(n == 4);
    if (is_word(w, n, "LayoutLeft LayoutRight GenColMajor GenRowMajor")) {
        out = calc_none();
        out.kind = CALC_NAME;
        out.name = is_word(w, n, "LayoutLeft GenColMajor") ? "LayoutLeft" : "LayoutRight";
        if (reader_take(r, "{") && !reader_take(r, "}")) return reader_syntax(r, "'}'");
        return out;
    }
    if (is_word(w, n, "Underscore") || is_word(w, n, "X"))
        return calc_of_tuple(r->ctx, lay_any(r->ctx));
    if (constructor(r, w, n, &out)) return out;
    if (reader_peek(r) != '(') return param(r, w, n);
    const struct op *op = calc_find(w, n);
    if (!op) {
        calc_unknown(r->ctx, w, n);
        return calc_none();
    }
    ++r->p;
    if (!reader_list(r, ")", &args)) return calc_none();
    out = calc_apply(r->ctx, op, args.n, args.v);
    tell(r, op, &args, out);
    return out;
}
