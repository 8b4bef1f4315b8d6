// Any bytes as a plan and as an expression: no crash, no hang, and what the printer prints parses
// back to the same tree.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "syntax/parse.h"

static void parse_plan(const uint8_t *data, size_t size) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    int file = source_add(&s, "f", (const char *)data, size);
    struct ast_file *f = parse_source(&s, file);
    ast_dump(&b, &s, f);
    diag_print_text(&s, &b, true);
    diag_print_json(&s, &b);
    buf_release(&b);
    session_release(&s);
}

static void parse_expression(const uint8_t *data, size_t size) {
    struct session s;
    session_init(&s);
    struct ast_expr *e = parse_expr_text(&s, arena_strndup(&s.arena, (const char *)data, size));
    if (e) {
        const char *text = ast_expr_text(&s, e);
        struct ast_expr *again = parse_expr_text(&s, text);
        if (!again || !ast_expr_equal(e, again) || strcmp(text, ast_expr_text(&s, again)) != 0)
            BUG("printed as '%s'", text);
    }
    session_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse_plan(data, size);
    parse_expression(data, size);
    return 0;
}
