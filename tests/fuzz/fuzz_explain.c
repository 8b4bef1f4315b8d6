// Any bytes as a plan to `explain`, as text and as JSON, and to `explain --plan`, whose answer
// compiles to the same code.
#include <string.h>

#include "base/diag.h"
#include "explain/explain.h"
#include "in_process.h"

// The next line that is code, and no comment, from "*at" on; NULL at the end.
static const char *next_line(const char **at, size_t *len) {
    while (**at) {
        const char *line = *at + strspn(*at, " ");
        *len = strcspn(line, "\n");
        *at = line + *len + (line[*len] == '\n');
        if (strncmp(line, "//", 2) != 0) return line;
    }
    return NULL;
}

static void same_code(const char *a, const char *b, const char *source) {
    for (;;) {
        size_t n, m;
        const char *x = next_line(&a, &n), *y = next_line(&b, &m);
        if (!x && !y) return;
        if (!x || !y || n != m || memcmp(x, y, n) != 0)
            BUG("'%.*s' becomes '%.*s' by the plan\n%s", x ? (int)n : 0, x ? x : "", y ? (int)m : 0,
                y ? y : "", source);
    }
}

static void tell(struct trial *t) {
    struct buf b;
    buf_init(&b);
    const struct explanation *e = explain_plan(&t->s, t->c.plan, t->c.kir, NULL, NULL, NULL);
    if (!e) BUG("a plan that compiles is not explained");
    explain_print(&t->s, e, &b);
    explain_print_json(&t->s, e, &b);
    buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct trial t, again;
    trial_begin(&t, (const char *)data, size);
    if (t.status == 0) {
        tell(&t);
        const char *source = explain_source(&t.s, t.c.plan, t.c.kir, t.c.ast);
        if (!source && !t.s.diags.nerrors) BUG("no plan and no message");
        if (source) {
            trial_begin(&again, source, strlen(source));
            if (again.status != 0) BUG("its plan does not compile:\n%s", source);
            same_code(t.c.text, again.c.text, source);
            trial_end(&again);
        }
    }
    trial_end(&t);
    return 0;
}
