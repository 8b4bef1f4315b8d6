// Values of expressions (see expression.h).
//
// The calculator reads what CuTe and its siblings print, and most of what plans say.  What it
// does not read is the language's: its parser reads it, and it has the value that a plan gives it.
#include "driver/expression.h"

#include <string.h>

#include "base/session.h"
#include "sema/sema.h"
#include "syntax/parse.h"

// Whether "why" mentions the calculator's notation alone, so that the language's own words are
// better where that can read the text.
static bool of_notation(const struct session *s, const char *why) {
    return strncmp(why, "expected ", 9) == 0 || (s->lay.unknown && sema_calls(s->lay.unknown));
}

struct calc_value expression_value(struct session *s, const char *text,
                                   const struct calc_options *options) {
    struct calc_value v = calc_eval(&s->lay, text, options);
    if (v.kind != CALC_NONE) return v;
    const char *why = s->lay.error, *unknown = s->lay.unknown;
    lay_clear_error(&s->lay);
    struct diags own = s->diags;
    diags_init(&s->diags);
    const struct ast_expr *e = parse_expr_text(s, text);
    if (e) v = sema_evaluate(s, e);
    bool good = v.kind != CALC_NONE;
    if (!good && e && why && of_notation(s, why) && s->diags.first) {
        why = arena_printf(&s->arena, "%s", s->diags.first->message);
        unknown = NULL;
    }
    diags_release(&s->diags);
    s->diags = own;
    s->lay.error = good ? NULL : why;
    s->lay.unknown = good ? NULL : unknown;
    return v;
}
