// Operations applied to values in text, "size((4,8):(8,1))", for the tests of the layout library.  What
// a user writes is read by the language's parser: tests/eval, unit.driver.expression.
#ifndef TCPC_TESTS_LAYOUT_TEXT_H
#define TCPC_TESTS_LAYOUT_TEXT_H

#include <ctype.h>
#include <string.h>

#include "layout/calc.h"

static inline struct calc_value calc_of_text(struct lay_ctx *ctx, const char *text) {
    static const char open[] = "(<", close[] = ")>";
    struct calc_value arg[LAY_MAX_RANK];
    char name[32], part[4096];
    size_t n = 0, length = strlen(text);
    while (n < sizeof name - 1 && (isalnum((unsigned char)text[n]) || text[n] == '_')) ++n;
    memcpy(name, text, n);
    name[n] = 0;
    const char *from = text + n + 1;
    int depth = 0, count = 0;
    for (const char *p = text + n; *p; ++p) {  // one call, to the end
        depth += strchr(open, *p) != NULL;
        depth -= strchr(close, *p) != NULL;
        if (depth == 0 && p[1]) return calc_read(ctx, text);
    }
    if (n == 0 || text[n] != '(' || strcmp(name, "ceil_div") == 0) return calc_read(ctx, text);
    for (const char *p = from; p < text + length && count < LAY_MAX_RANK; ++p) {
        depth += strchr(open, *p) != NULL;
        depth -= strchr(close, *p) != NULL;
        bool last = depth < 0;
        if (!last && (depth > 0 || *p != ',')) continue;
        if (p == from && last) break;
        if ((size_t)(p - from) >= sizeof part) return calc_read(ctx, "");
        memcpy(part, from, (size_t)(p - from));
        part[p - from] = 0;
        arg[count] = calc_of_text(ctx, part + strspn(part, " "));
        if (arg[count++].kind == CALC_NONE) return arg[count - 1];
        from = p + 1;
    }
    return lay_calc(ctx, name, count, arg);
}

#endif
