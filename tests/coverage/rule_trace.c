// Parses the files named on the command line (`-e TEXT`: an expression) and tells, on standard
// error, which rules of the grammar were reduced.  It is apart from the compiler because bison's
// trace needs a mutable global: here the grammar is built once more, with the trace in it.
#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "syntax/parse.h"

extern int tcp_yydebug;

// Parses one argument; "expression" says as what.
static void trace(const char *argument, bool expression) {
    struct session s;
    session_init(&s);
    fprintf(stderr, "\nfile %s\n", argument);
    if (expression)
        parse_expr_text(&s, argument);
    else
        parse_file(&s, argument);
    fprintf(stderr, "\nerrors %d\n", s.diags.nerrors);
    session_release(&s);
}

int main(int argc, char **argv) {
    // The trace goes to stderr, a token at a time.
    setvbuf(stderr, NULL, _IOFBF, 1 << 16);
    tcp_yydebug = 1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "-e") == 0 && i + 1 < argc)
            trace(argv[++i], true);
        else
            trace(argv[i], false);
    }
    return 0;
}
