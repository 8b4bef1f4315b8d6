// Diagnostics: errors, named warnings, remarks, notes and fix-its, collected in a session and printed as clang does.
#ifndef TCPC_BASE_DIAG_H
#define TCPC_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/source.h"

struct session;

// The names of -Wname; a row each in diag.c with its default and one line of help.
enum warning {
    W_VECTORIZE,
    W_LAYOUT_TILER,
    W_UNUSED,
    W_BANK_CONFLICT,
    W_VERSIONED,
    W_COUNT
};

struct diag;

struct diags {
    struct diag *first, *last;
    int nerrors, nwarnings;
    int error_limit;  // 20; 0: none
    bool werror[W_COUNT], off[W_COUNT], werror_all, off_all;
    int color;  // -1 by terminal and NO_COLOR, 0 never, 1 always
};

#define DIAG_FORMAT(n) __attribute__((format(printf, n, (n) + 1)))
void diag_error(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
void diag_warn(struct session *s, enum warning w, struct range at, const char *fmt, ...) DIAG_FORMAT(4);
// These attach to the diagnostic before them.
void diag_note(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
void diag_fixit(struct session *s, struct range at, const char *replacement);

// The name in "names" (of which there are "n") nearest to "wrong", or NULL when none is near enough.
const char *diag_did_you_mean(const char *wrong, const char *const *names, int n);

// Prints all, sorted by place, to "out"; resets nothing.
void diag_print(struct session *s, FILE *out);

// Our own broken invariants, never for input.
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) DIAG_FORMAT(3);

#endif
