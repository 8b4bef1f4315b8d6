// Any bytes as a plan to `fmt`: what is formatted parses to the same tree with the same comments,
// and formatting it again changes nothing.
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "syntax/format.h"
#include "syntax/parse.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
    return 0;
}
