// Parses the files named on the command line (`-e TEXT`: an expression) and prints `TABLE NUMBER PART` of each row of slips that was reported:
// which part of its pattern fitted.
// The linker leads calls of slip_report through here.
#include "syntax/slips.h"

#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "syntax/match.h"
#include "syntax/parse.h"

enum { MOST = 512, MOST_PARTS = 8 };  // rows of a table, parts of a pattern

static struct {
    const char *name;
    const struct slip_row *row;
    bool reported[MOST][MOST_PARTS];
} tables[] = {
    {"error", slip_at_error, {{0}}},         {"copy", slip_at_copy, {{0}}},
    {"equals", slip_at_equals, {{0}}},       {"statement", slip_at_statement, {{0}}},
    {"joined", slip_at_joined, {{0}}},       {"declaration", slip_at_declaration, {{0}}},
    {"unknown", slip_at_unknown, {{0}}},     {"level", slip_at_level, {{0}}},
    {"attribute", slip_at_attribute, {{0}}}, {"square", slip_at_square, {{0}}},
    {"brackets", slip_at_brackets, {{0}}},   {"scope", slip_at_scope, {{0}}},
    {"quote", slip_at_quote, {{0}}},         {"bits", slip_at_bits, {{0}}},
    {"angle", slip_at_angle, {{0}}},         {"word", slip_at_word, {{0}}},
};

enum { TABLES = sizeof tables / sizeof *tables };

void __real_slip_report(struct match *m, const struct slip_row *row);
void __wrap_slip_report(struct match *m, const struct slip_row *row);

void __wrap_slip_report(struct match *m, const struct slip_row *row) {
    for (int i = 0; i < TABLES && !m->p->s->trial; ++i)
        for (int k = 0; k < MOST && tables[i].row[k].pattern; ++k)
            if (row == &tables[i].row[k]) tables[i].reported[k][m->part] = true;
    __real_slip_report(m, row);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
        struct session s;
        session_init(&s);
        s.diags.error_limit = 0;
        if (strcmp(argv[i], "-e") == 0 && i + 1 < argc)
            parse_expr_text(&s, argv[++i]);
        else
            parse_file(&s, argv[i]);
        session_release(&s);
    }
    for (int i = 0; i < TABLES; ++i)
        for (int k = 0; k < MOST * MOST_PARTS; ++k)
            if (tables[i].reported[k / MOST_PARTS][k % MOST_PARTS])
                printf("%s %d %d\n", tables[i].name, k / MOST_PARTS, k % MOST_PARTS);
    return 0;
}
