// Diagnostics: errors, named warnings, notes and fix-its, collected in a session and printed as
// clang does.
#ifndef TCPC_BASE_DIAG_H
#define TCPC_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/source.h"

struct buf;
struct session;

// The names of -Wname; a row each in diag.c with its default and one line of help.
enum warning { W_VECTORIZE, W_LAYOUT_TILER, W_UNUSED, W_INDEX_MAP, W_COUNT };

struct warning_row {
    const char name[24];
    bool on;  // by default
    const char help[104];
};

const struct warning_row *diag_warning_row(enum warning w);

enum severity { SEV_ERROR, SEV_WARNING, SEV_NOTE };

struct fixit {
    struct range at;
    const char *replacement;
    struct fixit *next;
};

struct diag {
    enum severity severity;  // a warning under -Werror is SEV_ERROR with "warning" set
    enum warning warning;    // W_COUNT: none
    struct range at;
    const char *message;
    const char *page;  // of --explain=NAME, or NULL; a warning's is its own name
    struct fixit *fixit;
    struct diag *note;  // the notes, in order
    struct diag *next;
};

struct diags {
    struct diag *first, *last;
    int nerrors, nwarnings;
    int error_limit;  // 20; 0: none
    bool werror[W_COUNT], off[W_COUNT], werror_all, off_all;
    bool no_werror[W_COUNT];  // -Wno-error=name
    bool json;                // printed for programs
    int color;                // -1 by terminal and NO_COLOR, 0 never, 1 always
    bool muted;               // the last diagnostic was dropped, so its notes are too
    struct arena arena;
};

#define DIAG_FORMAT(n) __attribute__((format(printf, n, (n) + 1)))
void diag_error(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
void diag_warn(struct session *s, enum warning w, struct range at, const char *fmt, ...)
    DIAG_FORMAT(4);
// These attach to the diagnostic before them; a fix-it attaches to the note if one came since.
void diag_note(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
void diag_fixit(struct session *s, struct range at, const char *replacement);
// Names the page of --explain=NAME that tells more about the error before it; a literal.
void diag_page(struct session *s, const char *name);

// Whether more errors were reported than are printed, so that looking for more is in vain.
bool diag_full(const struct session *s);

// Takes -Wname, -Wno-name, -Werror, -Werror=name, -Wno-error=name, -w.  Returns false, with an
// error reported, when "option" names no warning.
bool diag_option(struct session *s, const char *option);

// The name in "names" (of which there are "n") nearest to "wrong", or NULL when none is near
// enough.
const char *diag_did_you_mean(const char *wrong, const char *const *names, int n);

// Prints all, sorted by place, to "out", as text or as JSON; resets nothing.
void diag_print(struct session *s, FILE *out);
// The same into text; "color" says whether with escape sequences.
void diag_print_text(struct session *s, struct buf *out, bool color);
// One JSON array of all diagnostics, with their notes and fix-its.
void diag_print_json(struct session *s, struct buf *out);
// The diagnostics in the order of printing, in memory of the session; "n" gets their number.
struct diag **diag_sorted(struct session *s, int *n);

void diags_init(struct diags *d);
void diags_release(struct diags *d);

// Our own broken invariants, never for input.
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) DIAG_FORMAT(3);

#endif
