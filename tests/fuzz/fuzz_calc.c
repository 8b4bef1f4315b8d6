// Any bytes as an expression for `tcpc eval`: no crash, no hang, no undefined behaviour, and what it
// prints reads back to what prints the same, also by the layout library's reader of values.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "tell/expression.h"

static void step(void *user, int depth, const char *rule, const char *result) {
    size_t *total = user;
    *total += (size_t)depth + strlen(rule) + strlen(result);
}

static void reads_back(struct session *s, const char *printed, struct calc_value again,
                       const char *reader) {
    if (again.kind != CALC_NONE && strcmp(printed, calc_text(&s->lay, again, CALC_STYLE_TCP)) == 0)
        return;
    fprintf(stderr, "'%s' reads back by %s as '%s'\n", printed, reader,
            again.kind == CALC_NONE ? s->lay.error : calc_text(&s->lay, again, CALC_STYLE_TCP));
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session s;
    size_t total = 0;
    struct calc_options options = {step, &total};
    session_init(&s);
    char *text = arena_strndup(&s.arena, (const char *)data, size);
    struct calc_value v = expression_value(&s, text, size % 2 ? &options : NULL);
    if ((v.kind == CALC_NONE) != (s.lay.error != NULL)) abort();
    if (v.kind != CALC_NONE) {
        // a cast may leave a swizzle of no bits, as CuTe does; it reads back as the layout under it
        if (v.layout.composed && v.layout.sw.b == 0 && lay_int_is(v.layout.offset, 0))
            v.layout = lay_inner(v.layout);
        const char *printed = calc_text(&s.lay, v, CALC_STYLE_TCP);
        reads_back(&s, printed, expression_value(&s, printed, NULL), "the language");
        lay_clear_error(&s.lay);
        reads_back(&s, printed, calc_read(&s.lay, printed), "the layout library");
        struct buf b;
        buf_init(&b);
        expression_json(&s, v, &b);
        buf_release(&b);
        calc_text(&s.lay, v, CALC_STYLE_CUTE);
        lay_clear_error(&s.lay);
        calc_text(&s.lay, v, CALC_STYLE_PYCUTE);
        calc_table(&s.lay, v);
    }
    session_release(&s);
    return 0;
}
