// Evaluates expressions (see expression.h): the language's parser reads them, sema evaluates them.
#include "driver/expression.h"

#include <string.h>

#include "base/session.h"
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
    return calc_layout(&s->lay, v);
}
