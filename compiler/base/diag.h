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
enum warning {
    W_VECTORIZE,
    W_LAYOUT_TILER,
    W_UNUSED,
    W_INDEX_MAP,
    W_VERSIONED,
    W_NEEDLESS_SYNC,
    W_ARRANGEMENT,
    W_UNCALIBRATED,
    W_COALESCE,
    W_BANK_CONFLICT,
    W_IDLE_THREADS,
    W_IN_ORDER,
    W_NEEDLESS_SWIZZLE,
    W_SHADOW,
    W_IDLE_BLOCKS,
    W_DEAD_COPY,
    W_CONVERSION,
    W_LINEAR_TILE,
    W_FIXED_TILE,
    W_THREAD_ORDER,
    W_ROUNDING,
    W_SPILL,
    W_COUNT
};

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

enum cheaper { CHEAPER_NOT, CHEAPER_SECTORS, CHEAPER_WAVEFRONTS, CHEAPER_THREADS };

// What the fix-its of a note promise.  They are tried before they are shown (compile/fixits.c): the
// edited text is compiled, and the note is dropped when the promise does not hold.
// In any case but "in_all" the hardware counts no more for any copy than before.
struct claim {
    // accesses of its copy number "copy" are "bits" wide; NULL: the error is gone
    const char *function;
    int copy, bits;
    // the hardware counts less of that for that copy, and not much more than it need; or fewer
    // threads have nothing to do
    enum cheaper cheaper;
    bool dst;      // .. on that side
    bool or_else;  // shown only when none before it holds
    bool proven;   // proofs and expectations do not depend on the edits
    bool in_all;   // other copies may take more
};

struct diag {
    enum severity severity;  // a warning under -Werror is SEV_ERROR with "warning" set
    enum warning warning;    // W_COUNT: none
    struct range at;
    const char *message;
    const char *page;  // of --explain=NAME, or NULL; a warning's is its own name
    struct fixit *fixit;
    const struct claim *claim;  // of a note: to be tried
    bool if_mended;             // said only when a claim of its notes holds
    struct diag *note;          // the notes, in order
    struct diag *next;
};

// A warning that a plan silences in a part of its text.
struct silence {
    enum warning warning;
    struct range at;
    struct silence *next;
};

struct diags {
    struct diag *first, *last;
    int nerrors, nwarnings;
    int error_limit;  // 20; 0: none
    bool werror[W_COUNT], off[W_COUNT], werror_all, off_all;
    bool no_werror[W_COUNT];  // -Wno-error=name
    struct silence *silences;
    bool json;   // printed for programs
    int color;   // -1 by terminal and NO_COLOR, 0 never, 1 always
    bool muted;  // the last diagnostic was dropped, so its notes are too
    struct arena arena;
};

#define DIAG_FORMAT(n) __attribute__((format(printf, n, (n) + 1)))
void diag_error(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
void diag_warn(struct session *s, enum warning w, struct range at, const char *fmt, ...)
    DIAG_FORMAT(4);
// These attach to the diagnostic before them; a fix-it attaches to the note if one came since.
void diag_note(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
// The same for the diagnostic "to".
void diag_note_of(struct session *s, struct diag *to, struct range at, const char *fmt, ...)
    DIAG_FORMAT(4);
void diag_fixit(struct session *s, struct range at, const char *replacement);
// The fix-its of the note before it are shown only when they hold what "c" says.
void diag_claim(struct session *s, struct claim c);
// The diagnostic before it is shown only when a claim of its notes holds.
void diag_if_mended(struct session *s);
// Takes notes whose claims were not tried or do not hold out of "d".
void diag_drop_claims(struct diag *d);
// Takes out what is said only when a claim holds, and none does.
void diag_drop_unmended(struct session *s);
// Names the page of --explain=NAME that says more about the error before it; a literal.
void diag_page(struct session *s, const char *name);

// Whether more errors were reported than are printed, so that looking for more is in vain.
bool diag_full(const struct session *s);

// Takes -Wname, -Wno-name, -Werror, -Werror=name, -Wno-error=name, -w.  Returns false, with an
// error reported, when "option" names no warning.
bool diag_option(struct session *s, const char *option);

// From now on the warning "name", which is at "at", is not given for what is in "where",
// whatever the options say.  Reports a name that no warning has.
void diag_silence(struct session *s, const char *name, struct range at, struct range where);

// The name in "names" (of which there are "n") nearest to "wrong", or NULL when none is near
// enough.
const char *diag_did_you_mean(const char *wrong, const char *const *names, int n);

// Prints all, sorted by place, to "out", as text or as JSON; resets nothing.
void diag_print(struct session *s, FILE *out);
// Whether escape sequences for colours belong into "out": by --color, else by terminal and
// NO_COLOR.
bool diag_in_color(const struct session *s, FILE *out);
// The same into text; "color" says whether with escape sequences.
void diag_print_text(struct session *s, struct buf *out, bool color);
// One JSON array of all diagnostics, with their notes and fix-its.
void diag_print_json(struct session *s, struct buf *out);
// The diagnostics in the order of printing, in memory of the session; "n" gets their number.
struct diag **diag_sorted(struct session *s, int *n);

void diags_init(struct diags *d);
void diags_release(struct diags *d);

#endif
