// Values of the calculator: makes, converts and prints them.
#include "layout/calc_impl.h"

#include <string.h>

struct calc_value calc_none(void) {
    return (struct calc_value){.kind = CALC_NONE,
                               .layout = {NULL, NULL, {0, 0, NULL, 0, -1}, {0, 0, 0}, false}};
}

static struct calc_value of_kind(enum calc_kind kind) {
    struct calc_value v = calc_none();
    v.kind = kind;
    return v;
}

struct calc_value calc_of_int(struct lay_ctx *ctx, struct lay_int i) {
    return calc_of_tuple(ctx, lay_leaf(ctx, i));
}

struct calc_value calc_static(struct lay_ctx *ctx, int64_t i) {
    return calc_of_int(ctx, lay_int(i));
}

struct calc_value calc_of_tuple(struct lay_ctx *ctx, const struct lay_tuple *t) {
    (void)ctx;
    struct calc_value v = of_kind(!t                                 ? CALC_NONE
                                  : lay_is_leaf(t) && !lay_is_any(t) ? CALC_INT
                                                                     : CALC_TUPLE);
    v.tuple = t;
    return v;
}

struct calc_value calc_of_layout(struct lay l) {
    struct calc_value v = of_kind(l.shape && l.stride ? CALC_LAYOUT : CALC_NONE);
    v.layout = l;
    return v;
}

struct calc_value calc_of_view(struct lay_view view) {
    struct calc_value v = of_kind(view.layout.shape && view.offset.n >= 0 ? CALC_VIEW : CALC_NONE);
    v.layout = view.layout;
    v.offset = view.offset;
    return v;
}

struct calc_value calc_of_tiler(const struct lay_tiler *t) {
    struct calc_value v = of_kind(t ? CALC_TILER : CALC_NONE);
    v.tiler = t;
    return v;
}

struct calc_value calc_of_bool(bool b) {
    struct calc_value v = of_kind(CALC_BOOL);
    v.truth = b;
    return v;
}

struct calc_value calc_of_swizzle(struct lay_swizzle w) {
    struct calc_value v = of_kind(CALC_SWIZZLE);
    v.swizzle = w;
    return v;
}

const char *calc_kind_name(enum calc_kind k) {
    switch (k) {
    case CALC_INT: return "an integer";
    case CALC_TUPLE: return "a tuple";
    case CALC_LAYOUT: return "a layout";
    case CALC_VIEW: return "a view";
    case CALC_TILER: return "a tiler";
    case CALC_BOOL: return "a truth value";
    case CALC_SWIZZLE: return "a swizzle";
    case CALC_NAME: return "a name";
    case CALC_BITS: return "a width";
    case CALC_NONE: break;
    }
    return "nothing";
}

// -- conversions ----------------------------------------------------------------------------------

static bool wrong(struct lay_ctx *ctx, struct calc_value v, const char *want) {
    if (v.kind != CALC_NONE)
        lay_fail(ctx, "'%s' is %s, not %s", calc_text(ctx, v, CALC_STYLE_TCP),
                 calc_kind_name(v.kind), want);
    return false;
}

struct lay calc_layout(struct lay_ctx *ctx, struct calc_value v) {
    if (v.kind == CALC_LAYOUT) return v.layout;
    if (v.kind == CALC_VIEW && v.offset.n == 0) return v.layout;
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) return lay_make_col(ctx, v.tuple);
    wrong(ctx, v, "a layout");
    return lay_layout_invalid();
}

const struct lay_tuple *calc_tuple(struct lay_ctx *ctx, struct calc_value v) {
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) return v.tuple;
    if (v.kind == CALC_LAYOUT || v.kind == CALC_VIEW) return v.layout.shape;
    if (v.kind == CALC_TILER && v.tiler->kind == LAY_TILER_ANY) return lay_any(ctx);
    wrong(ctx, v, "an integer or a tuple");
    return NULL;
}

const struct lay_tiler *calc_tiler(struct lay_ctx *ctx, struct calc_value v) {
    if (v.kind == CALC_TILER) return v.tiler;
    if (v.kind == CALC_LAYOUT) return lay_tiler_layout(ctx, v.layout);
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) return lay_tiler_shape(ctx, v.tuple);
    wrong(ctx, v, "a tiler");
    return NULL;
}

// -- printing -------------------------------------------------------------------------------------

// (4,8) is Shape<_4,_8> in C++ and (4,8) in Python, where a tuple of one is (4,).
static bool put_tuple(struct lay_buf *b, const struct lay_tuple *t, enum calc_style style,
                      const char *name) {
    bool cute = style == CALC_STYLE_CUTE;
    if (t->rank < 0) {
        if (!lay_plain(t->leaf)) {
            if (cute)
                lay_fail(b->ctx, "a C++ type needs static integers, but '%s' is not static",
                         lay_int_text(b->ctx, t->leaf));
            lay_buf_int(b, t->leaf);
            return !cute;
        }
        if (cute && t->leaf.num < 0)
            lay_buf_add(b, "Int<%lld>", (long long)t->leaf.num);
        else
            lay_buf_add(b, cute ? "_%lld" : "%lld", (long long)t->leaf.num);
        return true;
    }
    lay_buf_add(b, cute ? "%s<" : "(", name);
    for (int i = 0; i < t->rank; ++i) {
        lay_buf_add(b, i ? "," : "");
        if (!put_tuple(b, t->kid[i], style, name)) return false;
    }
    lay_buf_add(b, cute ? ">" : t->rank == 1 ? ",)" : ")");
    return true;
}

static void put_layout(struct lay_buf *b, struct lay l, enum calc_style style) {
    if (style == CALC_STYLE_TCP) {
        lay_buf_lay(b, l);
        return;
    }
    bool cute = style == CALC_STYLE_CUTE;
    if (l.composed) {
        if (cute) {
            lay_buf_add(b, "ComposedLayout<Swizzle<%d,%d,%d>,", l.sw.b, l.sw.m, l.sw.s);
            put_tuple(b, lay_leaf(b->ctx, l.offset), style, "");
            lay_buf_add(b, ",");
        } else {
            lay_buf_add(b, "ComposedLayout(Swizzle(%d,%d,%d),", l.sw.b, l.sw.m, l.sw.s);
            lay_buf_int(b, l.offset);
            lay_buf_add(b, ",");
        }
    }
    lay_buf_add(b, cute ? "Layout<" : "Layout(");
    put_tuple(b, l.shape, style, "Shape");
    lay_buf_add(b, ",");
    put_tuple(b, l.stride, style, "Stride");
    lay_buf_add(b, cute ? ">" : ")");
    if (l.composed) lay_buf_add(b, cute ? ">" : ")");
}

const char *calc_text(struct lay_ctx *ctx, struct calc_value v, enum calc_style style) {
    struct lay_buf b = {.ctx = ctx};
    const char *before = ctx->error;
    if (style == CALC_STYLE_CUTE) ctx->error = NULL;
    switch (v.kind) {
    case CALC_INT:
    case CALC_TUPLE:
        if (style == CALC_STYLE_TCP)
            lay_buf_tuple(&b, v.tuple);
        else
            put_tuple(&b, v.tuple, style, "Shape");
        break;
    case CALC_LAYOUT: put_layout(&b, v.layout, style); break;
    case CALC_VIEW:
        lay_buf_add(&b, "%s+", lay_sum_text(ctx, v.offset));
        put_layout(&b, v.layout, style);
        break;
    case CALC_TILER: lay_buf_add(&b, "%s", lay_tiler_text(ctx, v.tiler)); break;
    case CALC_BOOL: lay_buf_add(&b, v.truth ? "true" : "false"); break;
    case CALC_SWIZZLE:
        lay_buf_add(&b, style == CALC_STYLE_CUTE ? "Swizzle<%d,%d,%d>" : "Sw<%d,%d,%d>",
                    v.swizzle.b, v.swizzle.m, v.swizzle.s);
        break;
    case CALC_NAME: lay_buf_add(&b, "%s", v.name); break;
    case CALC_BITS: lay_buf_add(&b, "%lldb", (long long)v.bits); break;
    case CALC_NONE: lay_buf_add(&b, "invalid"); break;
    }
    if (style == CALC_STYLE_CUTE) {
        if (ctx->error) return NULL;
        ctx->error = before;
    }
    return lay_buf_done(&b);
}

// -- tables ---------------------------------------------------------------------------------------

enum { MAX_TABLE = 4096 };

// The value of "v" at the coordinate (i, j), or at i when j < 0.
static const char *entry(struct lay_ctx *ctx, struct calc_value v, int64_t i, int64_t j) {
    const struct lay_tuple *c = lay_leaf_of(ctx, i);
    if (j >= 0) c = lay_tuple2(ctx, c, lay_leaf_of(ctx, j));
    const struct lay_tuple *t = lay_eval_tuple(ctx, v.layout, c);
    if (!t) return NULL;
    if (v.kind == CALC_VIEW && v.offset.n)
        t = lay_leaf(ctx, lay_sum_int(ctx, lay_sum_add(ctx, v.offset, lay_sum_of(ctx, t->leaf))));
    return t ? lay_tuple_text(ctx, t) : NULL;
}

const char *calc_table(struct lay_ctx *ctx, struct calc_value v) {
    struct lay_buf b = {.ctx = ctx};
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) v = calc_of_layout(lay_make_col(ctx, v.tuple));
    if (v.kind != CALC_LAYOUT && v.kind != CALC_VIEW) {
        wrong(ctx, v, "a layout with a table");
        return NULL;
    }
    struct lay_int size = lay_size(ctx, v.layout);
    if (!lay_plain(size) || size.num > MAX_TABLE) {
        lay_fail(ctx,
                 lay_plain(size)
                     ? "'%s' has %s entries; a table has at most %d"
                     : "'%s' has %s entries, which is no number; a table has at most %d",
                 lay_text(ctx, v.layout), lay_int_text(ctx, size), MAX_TABLE);
        return NULL;
    }
    bool grid = v.layout.shape->rank == 2;
    int64_t rows = grid ? lay_tuple_product(ctx, v.layout.shape->kid[0]).num : 1,
            cols = size.num / rows;
    size_t width = 1;
    const char **cell = lay_new(ctx, sizeof *cell * (size_t)size.num);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
            const char *text = grid ? entry(ctx, v, i, j) : entry(ctx, v, j, -1);
            if (!text) return NULL;
            cell[i * cols + j] = text;
            width = strlen(text) > width ? strlen(text) : width;
        }
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            lay_buf_add(&b, "%*s%s", (int)width, cell[i * cols + j], j + 1 < cols ? " " : "\n");
    return lay_buf_done(&b);
}
