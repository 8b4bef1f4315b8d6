// `tcpc eval`: the value of an expression.
#include "base/buf.h"
#include "base/session.h"
#include "layout/calc.h"
#include "tell/expression.h"
#include "tell/tell.h"

static void print_step(void *user, int depth, const char *rule, const char *result) {
    buf_fill(user, ' ', 2 * depth);
    buf_printf(user, "%s   [%s]\n", result, rule);
}

const char *tell_value(struct session *s, const char *text, const struct eval_request *r,
                       struct buf *out) {
    struct calc_options o = {r->steps ? print_step : NULL, out};
    struct calc_value v = expression_value(s, text, &o);
    const char *printed = NULL, *table = NULL;
    if (v.kind != CALC_NONE && r->json) {
        expression_json(s, v, out);
        buf_char(out, '\n');
        return NULL;
    }
    if (v.kind != CALC_NONE) printed = calc_text(&s->lay, v, r->as);
    if (printed) buf_printf(out, "%s\n", printed);
    if (printed && r->table) table = calc_table(&s->lay, v);
    if (table) buf_puts(out, table);
    if (printed && (table || !r->table)) return NULL;
    return s->lay.error ? s->lay.error : "no value";
}
