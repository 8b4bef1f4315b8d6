// Any bytes as a plan and as an expression: no crash, no hang, and what the printer prints parses
// back to the same tree.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "syntax/format.h"
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

// The tree of "file" and its comments as text.
static char *picture(struct session *s, int file) {
    struct buf b;
    buf_init(&b);
    struct ast_file *f = parse_source(s, file);
    if (f->nerrors) BUG("what was formatted does not parse");
    f->file = 0;
    ast_dump(&b, s, f);
    for (int i = 0; i < f->ncomments; i++) {
        struct range at = f->comment[i].at;
        for (uint32_t c = at.begin; c < at.end; c++) {
            char byte = s->sources.file[file].text[c];
            if (!strchr(" \t\r\n", byte) || !byte) buf_char(&b, byte);
        }
        buf_char(&b, '\n');
    }
    return buf_finish(&b, &s->arena);
}

static void format(const uint8_t *data, size_t size) {
    struct session s;
    session_init(&s);
    int file = source_add(&s, "f", (const char *)data, size);
    char *text = format_source(&s, file);
    if (text) {
        int again = source_add(&s, "g", text, strlen(text));
        char *twice = format_source(&s, again);
        if (!twice || strcmp(text, twice) != 0)
            BUG("not stable:\n%s\n--\n%s", text, twice ? twice : "");
        if (strcmp(picture(&s, file), picture(&s, again)) != 0) BUG("formatting changed the plan");
    }
    session_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse_plan(data, size);
    parse_expression(data, size);
    format(data, size);
    return 0;
}
