// tcpc eval: the value of an expression.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "driver/commands.h"
#include "driver/expression.h"
#include "driver/options.h"
#include "driver/output.h"
#include "layout/calc.h"

static const char help[] =
    "usage: tcpc eval [options] EXPRESSION\n"
    "       tcpc eval [options] -       read one expression per line, print one result or 'error: "
    "..' "
    "for each\n\n"
    "  --steps       also print the intermediate layouts, and the rule for each\n"
    "  --table       also print the value at each coordinate\n"
    "  --json        the result as JSON\n"
    "  --as=STYLE    the notation of the result: tcp (default), cute or pycute\n"
    "  --list        list the operations with their arguments\n";

struct style {
    enum calc_style as;
    bool steps, table, json;
};

static void print_step(void *user, int depth, const char *rule, const char *result) {
    (void)user;
    printf("%*s%s   [%s]\n", 2 * depth, "", result, rule);
}

// Evaluates one expression in its own session.  Prints the result, or the error to "errors".
static int evaluate(const char *text, const struct style *style, FILE *errors, const char *prefix) {
    struct session s;
    session_init(&s);
    struct calc_options o = {style->steps ? print_step : NULL, NULL};
    struct calc_value v = expression_value(&s, text, &o);
    const char *printed = NULL;
    if (v.kind != CALC_NONE)
        printed = style->json ? calc_json(&s.lay, v) : calc_text(&s.lay, v, style->as);
    int status = EXIT_RIGHT;
    if (printed) {
        puts(printed);
        const char *table = style->table ? calc_table(&s.lay, v) : NULL;
        if (table)
            fputs(table, stdout);
        else if (style->table)
            printed = NULL;
    }
    if (!printed) {
        fprintf(errors, "%s%s\n", prefix, s.lay.error ? shown(&s.arena, s.lay.error) : "no value");
        status = EXIT_WRONG;
    }
    session_release(&s);
    return status;
}

static int evaluate_lines(const struct style *style) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int status = EXIT_RIGHT;
    if (!output_spares_stdin()) return EXIT_USAGE;
    while (!ferror(stdout) && (n = getline(&line, &cap, stdin)) >= 0) {
        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
        if (strlen(line) != (size_t)n) {
            puts("error: a NUL byte in the line");
            status = EXIT_WRONG;
        } else if (n == 0) {
            putchar('\n');
        } else if (evaluate(line, style, stdout, "error: ") != EXIT_RIGHT) {
            status = EXIT_WRONG;
        }
    }
    if (ferror(stdin)) status = option_error("cannot read standard input: %s", strerror(errno));
    free(line);
    return status;
}

static int list_operations(void) {
    static const char *const who[] = {
        [IN_BOTH] = "", [IN_CUTE] = "eval only: ", [IN_PLAN] = "plans only: "};
    struct calc_operation op;
    for (int i = 0; calc_operation(i, &op); ++i) {
        int wide = printf("%s%s", op.name, op.args);
        printf("%*s  %s%s\n", wide < 40 ? 40 - wide : 0, "", who[op.where], op.help);
    }
    return EXIT_RIGHT;
}

int command_eval(int argc, char **argv) {
    static const char *const styles[] = {"tcp", "cute", "pycute"};
    struct style style = {CALC_STYLE_TCP, false, false, false};
    const char *text = NULL, *value;
    bool missing;
    for (int i = 0; i < argc; ++i) {
        const char *a = argv[i];
        if (strcmp(a, "--steps") == 0)
            style.steps = true;
        else if (strcmp(a, "--table") == 0)
            style.table = true;
        else if (strcmp(a, "--json") == 0)
            style.json = true;
        else if (strcmp(a, "--help") == 0)
            return fputs(help, stdout), EXIT_RIGHT;
        else if (strcmp(a, "--list") == 0) {
            return list_operations();
        } else if ((value = option_value(argc, argv, &i, "--as", &missing))) {
            int k = 0;
            while (k < 3 && strcmp(styles[k], value) != 0) ++k;
            if (k == 3)
                return missing ? EXIT_USAGE
                               : option_error("'--as' takes tcp, cute or pycute, not '%s'", value);
            style.as = (enum calc_style)k;
        } else if (a[0] == '-' && a[1] == '-' && a[2]) {
            return option_unknown("eval", help, a);
        } else if (text) {
            return a[0] == '-' && a[1] == 'D'
                       ? option_error("there is no option '-D'; names are params, as in 'M*2'")
                       : option_error("one expression at a time; put it in quotes");
        } else {
            text = a;
        }
    }
    if (!text) return option_error("no expression is given; see 'tcpc eval --help'");
    return strcmp(text, "-") == 0 ? evaluate_lines(&style)
                                  : evaluate(text, &style, stderr, "tcpc: error: ");
}
