// Prints integers, tuples and layouts in CuTe's notation, and records errors.
#include "layout/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *format(struct lay_ctx *ctx, const char *fmt, va_list args) {
    va_list again;
    if (!fmt) return "";
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0) return "";
    char *text = lay_new(ctx, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    return text;
}

void lay_fail(struct lay_ctx *ctx, const char *fmt, ...) {
    if (ctx->error) return;
    va_list args;
    va_start(args, fmt);
    ctx->error = format(ctx, fmt, args);
    va_end(args);
}

void lay_trace_rule(struct lay_ctx *ctx, struct lay l, const char *fmt, ...) {
    va_list args;
    if (!l.shape) return;
    va_start(args, fmt);
    const char *rule = format(ctx, fmt, args);
    va_end(args);
    ctx->trace(ctx->trace_user, rule, lay_text(ctx, l));
}

void lay_buf_add(struct lay_buf *b, const char *fmt, ...) {
    char small[96];
    const char *text = small;
    va_list args, again;
    if (b->full || !fmt) return;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    if (n >= (int)sizeof small) text = format(b->ctx, fmt, again);
    va_end(again);
    va_end(args);
    if (n < 0 || b->len + (size_t)n >= LAY_MAX_TEXT) {
        b->full = true;
        return;
    }
    if (b->len + (size_t)n + 1 > b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 64;
        while (cap < b->len + (size_t)n + 1) cap *= 2;
        char *wider = lay_new(b->ctx, cap);
        if (b->len) memcpy(wider, b->text, b->len);
        b->text = wider;
        b->cap = cap;
    }
    memcpy(b->text + b->len, text, (size_t)n + 1);
    b->len += (size_t)n;
}

const char *lay_buf_done(struct lay_buf *b) {
    if (b->full) lay_fail(b->ctx, "more than %d characters to print", LAY_MAX_TEXT);
    return b->text ? b->text : "";
}

static bool is_sum(const struct lay_sym *s) {
    return s->name && strchr(s->name, ' ');
}

static bool is_lone(struct lay_int a) {
    return a.nsyms == 1 && a.num == 1 && a.den == 1 && a.basis == -1;
}

// 128*K, K/64, 3*K*N/64, -K, ceil_div(M,128), 8@1, 4@1@0, N + 1, 2*(N + 1)
void lay_buf_int(struct lay_buf *b, struct lay_int a) {
    if (a.den == 0) {
        lay_buf_add(b, "invalid");
        return;
    }
    if (a.basis == LAY_ANY_BASIS) {
        lay_buf_add(b, "_");
        return;
    }
    if (a.nsyms == 0 || (a.num != 1 && a.num != -1))
        lay_buf_add(b, a.nsyms ? "%lld*" : "%lld", (long long)a.num);
    else if (a.num == -1)
        lay_buf_add(b, "-");
    for (int i = 0; i < a.nsyms; ++i) {
        const struct lay_sym *s = a.syms[i];
        lay_buf_add(b, i ? "*" : "");
        if (s->name) {
            lay_buf_add(b, is_sum(s) && !is_lone(a) ? "(%s)" : "%s", s->name);
        } else {
            lay_buf_add(b, "ceil_div(");
            lay_buf_int(b, s->of);
            lay_buf_add(b, ",%lld)", (long long)s->by);
        }
    }
    if (a.den != 1) lay_buf_add(b, "/%lld", (long long)a.den);
    int path[3], depth = lay_int_basis_path(a, path);
    for (int i = depth - 1; i >= 0; --i) lay_buf_add(b, "@%d", path[i]);
}

void lay_buf_tuple(struct lay_buf *b, const struct lay_tuple *t) {
    if (!t) {
        lay_buf_add(b, "invalid");
        return;
    }
    if (t->rank < 0) {
        lay_buf_int(b, t->leaf);
        return;
    }
    lay_buf_add(b, "(");
    for (int i = 0; i < t->rank && !b->full; ++i) {
        if (i) lay_buf_add(b, ",");
        lay_buf_tuple(b, t->kid[i]);
    }
    lay_buf_add(b, ")");
}

void lay_buf_lay(struct lay_buf *b, struct lay l) {
    if (!l.shape) {
        lay_buf_add(b, "invalid");
        return;
    }
    if (l.composed) {
        lay_buf_add(b, "Sw<%d,%d,%d> o ", l.sw.b, l.sw.m, l.sw.s);
        lay_buf_int(b, l.offset);
        lay_buf_add(b, " o ");
    } else if (l.offset.num) {
        lay_buf_add(b, "%s+", lay_int_operand(b->ctx, l.offset));
    }
    lay_buf_tuple(b, l.shape);
    lay_buf_add(b, ":");
    lay_buf_tuple(b, l.stride);
}

const char *lay_int_text(struct lay_ctx *ctx, struct lay_int a) {
    struct lay_buf b = {.ctx = ctx};
    lay_buf_int(&b, a);
    return lay_buf_done(&b);
}

const char *lay_int_operand(struct lay_ctx *ctx, struct lay_int a) {
    struct lay_buf b = {.ctx = ctx};
    lay_buf_add(&b, is_lone(a) && is_sum(a.syms[0]) ? "(%s)" : "%s", lay_int_text(ctx, a));
    return lay_buf_done(&b);
}

const char *lay_tuple_text(struct lay_ctx *ctx, const struct lay_tuple *t) {
    struct lay_buf b = {.ctx = ctx};
    lay_buf_tuple(&b, t);
    return lay_buf_done(&b);
}

const char *lay_text(struct lay_ctx *ctx, struct lay l) {
    struct lay_buf b = {.ctx = ctx};
    lay_buf_lay(&b, l);
    return lay_buf_done(&b);
}

const char *lay_sum_text(struct lay_ctx *ctx, struct lay_sum s) {
    struct lay_buf b = {.ctx = ctx};
    if (s.n == 0) lay_buf_add(&b, "0");
    for (int i = 0; i < s.n; ++i) {
        if (i && (s.term[i].num > 0 || s.term[i].nsyms == 0 || s.term[i].num != -1))
            lay_buf_add(&b, s.term[i].num < 0 ? "" : "+");
        lay_buf_int(&b, s.term[i]);
    }
    return lay_buf_done(&b);
}

static void buf_tiler(struct lay_buf *b, const struct lay_tiler *t) {
    if (!t) {
        lay_buf_add(b, "invalid");
    } else if (t->kind == LAY_TILER_ANY) {
        lay_buf_add(b, "_");
    } else if (t->kind == LAY_TILER_SHAPE || (t->kind == LAY_TILER_LAYOUT && t->shape)) {
        lay_buf_tuple(b, t->shape);
    } else if (t->kind == LAY_TILER_LAYOUT) {
        lay_buf_lay(b, t->layout);
    } else {
        lay_buf_add(b, "<");
        for (int i = 0; i < t->rank; ++i) {
            lay_buf_add(b, i ? "," : "");
            buf_tiler(b, t->kid[i]);
        }
        lay_buf_add(b, ">");
    }
}

const char *lay_tiler_text(struct lay_ctx *ctx, const struct lay_tiler *t) {
    struct lay_buf b = {.ctx = ctx};
    buf_tiler(&b, t);
    return lay_buf_done(&b);
}
