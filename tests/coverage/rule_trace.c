// Parses the files named on the command line (`-e TEXT`: an expression) and prints for each a line "reduced N .. stuck N ..": the rules of
// the grammar that were reduced, and the states in which a syntax error was met.  It is apart from the compiler because bison's
// trace needs a mutable global: here the grammar is built once more, with the trace in it, which is printed by trace_print.
#include "rule_trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "syntax/parse.h"

extern int tcp_yydebug;

enum { MOST = 4096 };  // rules, and states

static struct {
    bool reduced[MOST], stuck[MOST];
    int state;     // that the parser is in
    bool running;  // no error since it entered that state
    bool shifting;
} seen;

// Bison tells by these formats what it does.
int trace_print(FILE *to, const char *format, ...) {
    (void)to;
    va_list args;
    va_start(args, format);
    if (strncmp(format, "Entering state ", 15) == 0) {
        seen.state = va_arg(args, int);
        seen.running = true;
    } else if (strncmp(format, "Reducing stack by rule ", 23) == 0) {
        int rule = va_arg(args, int);
        if (rule < MOST) seen.reduced[rule] = true;
    } else if (strcmp(format, "%s ") == 0 || strcmp(format, "%s %s (") == 0) {
        const char *word = va_arg(args, const char *);
        bool error = strcmp(word, "Error: popping") == 0;
        bool symbol = strcmp(format, "%s %s (") == 0;
        if (symbol && seen.shifting) error = strcmp(va_arg(args, const char *), "error") == 0;
        seen.shifting = !symbol && strcmp(word, "Shifting") == 0;
        if (error && seen.running && seen.state < MOST) seen.stuck[seen.state] = true;
        if (error) seen.running = false;
    }
    va_end(args);
    return 0;
}

static void print_marked(const char *word, const bool *marked) {
    printf("%s", word);
    for (int i = 0; i < MOST; ++i)
        if (marked[i]) printf(" %d", i);
}

// Parses one argument; "expression" says as what.
static void trace(const char *argument, bool expression) {
    struct session s;
    memset(&seen, 0, sizeof seen);
    seen.running = true;
    session_init(&s);
    if (expression)
        parse_expr_text(&s, argument);
    else
        parse_file(&s, argument);
    print_marked("reduced", seen.reduced);
    print_marked(" stuck", seen.stuck);
    printf("\n");
    session_release(&s);
}

int main(int argc, char **argv) {
    tcp_yydebug = 1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "-e") == 0 && i + 1 < argc)
            trace(argv[++i], true);
        else
            trace(argv[i], false);
    }
    return 0;
}
