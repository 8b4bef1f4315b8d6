// The worked examples at the head of lay.h: each line "//     EXPRESSION = RESULT" is evaluated.
#include "layout/gen.h"
#include "layout/text.h"

int main(void) {
    static char line[1024];
    struct block b = block_make((size_t)16 << 20);
    struct lay_ctx ctx;
    int examples = 0;
    FILE *f = fopen(TEST_SOURCE_DIR "/compiler/layout/lay.h", "r");
    while (f && fgets(line, sizeof line, f) && strncmp(line, "//", 2) == 0) {
        char *equals = strstr(line, " = ");
        if (strncmp(line, "//     ", 7) || !equals) continue;
        *equals = 0;
        char *want = equals + 3;
        want[strcspn(want, "\n")] = 0;
        block_reset(&b, &ctx);
        struct calc_value v = calc_of_text(&ctx, line + 7);
        CHECK_STR(v.kind == CALC_NONE ? "error" : calc_text(&ctx, v, CALC_STYLE_TCP), want);
        ++examples;
    }
    CHECK(examples > 20, "%d examples found", examples);
    if (f) fclose(f);
    free(b.base);
    return check_done();
}
