// tcpc eval: the value of an expression.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/json_write.h"
#include "base/session.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "layout/calc.h"
#include "run/output.h"
#include "tell/tell.h"

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
    struct eval_request q;
    bool list, help;
    bool styled;  // --as is given
};

// {"error": "..."}, a line of JSON as results are.
static void print_error(const char *why) {
    struct buf b;
    buf_init(&b);
    struct json j = json_to(&b, JSON_TIGHT);
    json_enter(&j, NULL, '{');
    json_text(&j, "error", why);
    json_leave(&j, '}');
    puts(b.text);
    buf_release(&b);
}

// Evaluates one expression in its own session.  Prints the result, or the error to "errors".
static int evaluate(const char *text, const struct style *style, FILE *errors, const char *prefix) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    const char *why = tell_value(&s, text, &style->q, &b);
    fputs(b.text, stdout);
    if (why && style->q.json && errors == stdout)
        print_error(why);
    else if (why)
        fprintf(errors, "%s%s\n", prefix, shown(&s.arena, why));
    buf_release(&b);
    session_release(&s);
    return why ? EXIT_WRONG : EXIT_RIGHT;
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
            if (style->q.json)
                print_error("a NUL byte in the line");
            else
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

// What is to be said of "word", an option of other commands; NULL: it is none.
static const char *of_others(const char *word, bool alone) {
    bool equal = strchr(word, '=') != NULL;
    if (strncmp(word, "-D", 2) == 0 && (equal || (!word[2] && !alone)))
        return "there is no option '-D'; names are params, as in 'M*2'";
    if (strcmp(word, "-o") == 0)
        return "there is no option '-o'; the value goes to standard output";
    if (strncmp(word, "-arch", 5) == 0 && (equal || !alone))
        return "there is no option '-arch'; a value is the same for each architecture";
    return NULL;
}

static bool is_plan(const char *text) {
    size_t n = strlen(text);
    return n > 4 && strcmp(text + n - 4, ".tcp") == 0;
}

// Takes the value of --as.
static bool take_style(const char *value, enum calc_style *out) {
    static const char *const styles[] = {"tcp", "cute", "pycute"};
    for (int k = 0; k < 3; ++k) {
        *out = (enum calc_style)k;
        if (strcmp(styles[k], value) == 0) return true;
    }
    option_error("'--as' takes tcp, cute or pycute, not '%s'", value);
    return false;
}

// Takes the words of the command line; the expression in "*text".
static bool take_words(int argc, char **argv, struct style *style, const char **text) {
    const char *value;
    bool missing, plain = false;  // after "--"
    for (int i = 0; i < argc; ++i) {
        const char *a = argv[i], *why = plain ? NULL : of_others(a, argc == 1);
        if (why) return option_error("%s", why), false;
        if (plain || a[0] != '-' || a[1] != '-') {
            if (*text)
                return is_plan(*text)
                           ? option_error("'%s' is a plan; 'eval' takes one expression", *text)
                           : option_error("one expression at a time; put it in quotes"),
                       false;
            *text = a;
        } else if (!a[2]) {
            plain = true;
        } else if (strcmp(a, "--steps") == 0) {
            style->q.steps = true;
        } else if (strcmp(a, "--table") == 0) {
            style->q.table = true;
        } else if (strcmp(a, "--json") == 0) {
            style->q.json = true;
        } else if (strcmp(a, "--help") == 0) {
            style->help = true;
        } else if (strcmp(a, "--list") == 0) {
            style->list = true;
        } else if ((value = option_value(argc, argv, &i, "--as", &missing))) {
            if (missing || !take_style(value, &style->q.as)) return false;
            style->styled = true;
        } else {
            return option_unknown("eval", help, a), false;
        }
    }
    return true;
}

int command_eval(int argc, char **argv) {
    struct style style = {.q.as = CALC_STYLE_TCP};
    const char *text = NULL;
    if (!take_words(argc, argv, &style, &text)) return EXIT_USAGE;
    if (style.help) return fputs(help, stdout), EXIT_RIGHT;
    if (style.list) return list_operations();
    if (!text) return option_error("no expression is given; see 'tcpc eval --help'");
    if (is_plan(text))
        return option_error("'%s' is a plan; 'eval' takes an expression, 'tcpc draw' also the "
                            "layouts of a plan",
                            text);
    if (style.q.json && (style.styled || style.q.steps || style.q.table))
        return option_error("'--json' cannot be combined with '%s', which is about text",
                            style.styled    ? "--as"
                            : style.q.steps ? "--steps"
                                            : "--table");
    return strcmp(text, "-") == 0 ? evaluate_lines(&style)
                                  : evaluate(text, &style, stderr, "tcpc: error: ");
}
