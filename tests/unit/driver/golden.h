// What the tests have in common that compare whole plans with values of the real CuTe: the rows of
// tests/golden/*.tsv, and a plan compiled in this process as far as is wanted.
#ifndef TCPC_TESTS_UNIT_DRIVER_GOLDEN_H
#define TCPC_TESTS_UNIT_DRIVER_GOLDEN_H

#include <stdlib.h>

#include "base/session.h"
#include "check.h"
#include "check/verify.h"
#include "compile/compile.h"
#include "kernel/kernel_ir.h"
#include "lower/lower.h"
#include "plan/plan.h"

enum { MOST_FIELDS = 24, MOST_LISTED = 128 };

static inline char *golden_read_path(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = malloc((size_t)n + 1);
    text[fread(text, 1, (size_t)n, f)] = 0;
    fclose(f);
    return text;
}

// The text of tests/golden/"name".
static inline char *golden_read(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/golden/%s", TEST_SOURCE_DIR, name);
    return golden_read_path(path);
}

// The next row of "*at", cut into "field"; returns how many fields it has, 0 at the end.
static inline int golden_row(char **at, char **field) {
    while (*at && **at) {
        char *line = *at, *end = strchr(line, '\n');
        *at = end ? end + 1 : NULL;
        if (end) *end = 0;
        if (*line == '#' || !*line) continue;
        int n = 0;
        for (char *p = line; p && n < MOST_FIELDS; ++n) {
            field[n] = p;
            p = strchr(p, '\t');
            if (p) *p++ = 0;
        }
        return n;
    }
    return 0;
}

// The lines "- KIND `row` ..." of DIFFERENCES.md.
struct golden_listed {
    char *text, *row[MOST_LISTED];
    int n, used[MOST_LISTED];
};

static inline void golden_list(struct golden_listed *l, const char *kind) {
    char mark[64];
    snprintf(mark, sizeof mark, "- %s `", kind);
    l->text = golden_read("DIFFERENCES.md");
    for (char *line = strtok(l->text, "\n"); line; line = strtok(NULL, "\n")) {
        char *from = strncmp(line, mark, strlen(mark)) == 0 ? line + strlen(mark) : NULL;
        char *end = from ? strchr(from, '`') : NULL;
        if (!end || l->n == MOST_LISTED) continue;
        *end = 0;
        l->row[l->n++] = from;
    }
}

static inline int golden_is_listed(struct golden_listed *l, const char *row) {
    for (int i = 0; i < l->n; ++i)
        if (strcmp(l->row[i], row) == 0) return l->used[i] = 1;
    return 0;
}

// Fails for each line that lists a row which does not differ.
static inline void golden_end_list(struct golden_listed *l) {
    for (int i = 0; i < l->n; ++i)
        CHECK(l->used[i], "DIFFERENCES.md lists a row that does not differ: %s", l->row[i]);
    free(l->text);
}

// The atom of a plan that CuTe calls "name", or NULL.
static inline const char *golden_atom(const char *name) {
    static const char *const table[][2] = {{"UniversalCopy<uint8_t>", "universal(8)"},
                                           {"UniversalCopy<uint16_t>", "universal(16)"},
                                           {"UniversalCopy<uint32_t>", "universal(32)"},
                                           {"UniversalCopy<uint64_t>", "universal(64)"},
                                           {"UniversalCopy<float>", "universal(32)"},
                                           {"UniversalCopy<uint128_t>", "universal(128)"},
                                           {"UniversalCopy<half_t>", "universal(16)"},
                                           {"AutoVectorizingCopy", "auto(128)"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (strcmp(table[i][0], name) == 0) return table[i][1];
    return NULL;
}

// A plan in compilation.
struct golden_plan {
    struct session s;
    struct given given;
    struct plan *p;
    bool ok;
};

// Compiles "text" up to and with the step "last".
static inline void golden_compile(struct golden_plan *g, const char *text, enum step last) {
    session_init(&g->s);
    g->given = (struct given){"row.tcp", text, strlen(text), NULL};
    g->s.sources.given = &g->given;
    struct compiled c;
    compile_begin(&c, &g->s, "row.tcp");
    c.as_it_is = true;
    g->ok = steps_until(&c, last) == 0;
    g->p = c.plan;
}

// The first error, or "".
static inline const char *golden_error(const struct golden_plan *g) {
    for (const struct diag *d = g->s.diags.first; d; d = d->next)
        if (d->severity == SEV_ERROR) return d->message;
    return "";
}

static inline void golden_end(struct golden_plan *g) {
    session_release(&g->s);
}

#endif
