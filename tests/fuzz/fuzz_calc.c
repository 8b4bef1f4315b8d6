// Any bytes as an expression of the layout calculator: no crash, no hang, no undefined behaviour,
// and what it prints reads back to what prints the same.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/calc.h"

struct piece {
    struct piece *next;
    max_align_t data[];
};

static void *take(void *user, size_t bytes) {
    struct piece **list = user, *p = malloc(sizeof *p + bytes);
    if (!p) abort();
    p->next = *list;
    *list = p;
    return p->data;
}

static void step(void *user, int depth, const char *rule, const char *result) {
    size_t *total = user;
    *total += (size_t)depth + strlen(rule) + strlen(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct piece *list = NULL;
    struct lay_ctx ctx;
    size_t total = 0;
    struct calc_options options = {step, &total};
    lay_init(&ctx, take, &list);
    char *text = take(&list, size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    struct calc_value v = calc_eval(&ctx, text, size % 2 ? &options : NULL);
    if ((v.kind == CALC_NONE) != (ctx.error != NULL)) abort();
    if (v.kind != CALC_NONE) {
        // a cast may leave a swizzle of no bits, as CuTe does; it reads back as the layout under it
        if (v.layout.composed && v.layout.sw.b == 0 && lay_int_is(v.layout.offset, 0))
            v.layout = lay_inner(v.layout);
        const char *printed = calc_text(&ctx, v, CALC_STYLE_TCP);
        struct calc_value again = calc_eval(&ctx, printed, NULL);
        if (again.kind == CALC_NONE ||
            strcmp(printed, calc_text(&ctx, again, CALC_STYLE_TCP)) != 0) {
            fprintf(stderr, "'%s' reads back as '%s'\n", printed,
                    again.kind == CALC_NONE ? ctx.error : calc_text(&ctx, again, CALC_STYLE_TCP));
            abort();
        }
        calc_json(&ctx, v);
        calc_text(&ctx, v, CALC_STYLE_CUTE);
        lay_clear_error(&ctx);
        calc_text(&ctx, v, CALC_STYLE_PYCUTE);
        calc_table(&ctx, v);
    }
    while (list) {
        struct piece *p = list;
        list = p->next;
        free(p);
    }
    return 0;
}
