// Evaluates expressions (see expression.h): the language's parser reads them, sema evaluates them.
#include "tell/expression.h"

#include <string.h>

#include "base/json_write.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "sema/sema.h"
#include "syntax/parse.h"

struct calc_value expression_value(struct session *s, const char *text,
                                   const struct calc_options *options) {
    struct diags own = s->diags;
    struct calc_value v = {.kind = CALC_NONE};
    const char *why = NULL;
    diags_init(&s->diags);
    lay_clear_error(&s->lay);
    const char *comment = strstr(text, "//");
    const struct ast_expr *e = comment ? NULL : parse_notation(s, text);
    if (comment)
        why = arena_printf(&s->arena,
                           "'//' begins a comment; '/' divides, and rounds down, at column %d",
                           (int)(comment - text) + 1);
    if (e) v = sema_evaluate(s, e, options);
    const struct diag *first = s->diags.first;
    if (v.kind == CALC_NONE && first && !e && first->at.file != RANGE_NONE.file) {
        bool fix = first->fixit && first->fixit->replacement[0] && !strchr(first->message, ';');
        why = arena_printf(&s->arena, "%s%s%s%s, at column %u", first->message,
                           fix ? "; write '" : "", fix ? first->fixit->replacement : "",
                           fix ? "'" : "", first->at.begin + 1);
    }
    if (v.kind == CALC_NONE && !why)
        why = first ? arena_printf(&s->arena, "%s", first->message) : "no value";
    diags_release(&s->diags);
    s->diags = own;
    s->lay.error = why;
    return v;
}

struct lay expression_layout(struct session *s, const char *text) {
    struct calc_value v = expression_value(s, text, NULL);
    if (v.kind != CALC_VIEW || v.offset.n != 1 || !lay_int_static(v.offset.term[0]))
        return calc_layout(&s->lay, v);
    v.layout.offset = v.offset.term[0];
    return v.layout;
}

static void put_tuple(struct session *s, struct json *j, const char *key,
                      const struct lay_tuple *t) {
    if (!lay_is_leaf(t)) {
        json_enter(j, key, '[');
        for (int i = 0; i < t->rank; ++i) put_tuple(s, j, NULL, t->kid[i]);
        json_leave(j, ']');
    } else if (lay_int_static(t->leaf)) {
        json_int(j, key, t->leaf.num);
    } else {
        json_text(j, key, lay_int_text(&s->lay, t->leaf));
    }
}

void expression_json(struct session *s, struct calc_value v, struct buf *out) {
    struct json j = json_to(out, JSON_TIGHT);
    json_enter(&j, NULL, '{');
    json_text(&j, "text", calc_text(&s->lay, v, CALC_STYLE_TCP));
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE) put_tuple(s, &j, "value", v.tuple);
    if (v.kind == CALC_BOOL) json_bool(&j, "value", v.truth);
    if (v.kind == CALC_LAYOUT || v.kind == CALC_VIEW) {
        struct lay_int size = lay_size(&s->lay, v.layout);
        put_tuple(s, &j, "shape", v.layout.shape);
        put_tuple(s, &j, "stride", v.layout.stride);
        if (v.layout.composed) {
            json_enter(&j, "swizzle", '[');
            json_int(&j, NULL, v.layout.sw.b);
            json_int(&j, NULL, v.layout.sw.m);
            json_int(&j, NULL, v.layout.sw.s);
            json_leave(&j, ']');
            put_tuple(s, &j, "offset", lay_leaf(&s->lay, v.layout.offset));
        } else if (v.kind == CALC_VIEW) {
            json_text(&j, "offset", lay_sum_text(&s->lay, v.offset));
        }
        if (lay_int_valid(size)) put_tuple(s, &j, "size", lay_leaf(&s->lay, size));
    }
    json_leave(&j, '}');
}
