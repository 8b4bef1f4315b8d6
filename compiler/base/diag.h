// Diagnostics: errors, named warnings, notes and fix-its.  They are collected in a session and
// printed in clang's format.
#ifndef TCPC_BASE_DIAG_H
#define TCPC_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/source.h"

struct buf;
struct session;

// More than there are warnings (base/warnings.h).
enum { MOST_WARNINGS = 64 };

// The name of warning "w"; NULL for 0.
const char *diag_warning_name(int w);

enum severity { SEV_ERROR, SEV_WARNING, SEV_NOTE };

struct fixit {
    struct range at;
    const char *replacement;
    struct fixit *next;
};

enum cheaper { CHEAPER_NOT, CHEAPER_SECTORS, CHEAPER_WAVEFRONTS, CHEAPER_THREADS };

// What the fix-its of a note promise.  They are tried before they are shown (steps/fixits.c): the
// edited text is compiled, and the note is dropped when the promise does not hold.
// In any case but "in_all" the hardware counts no more for any copy than before.
struct claim {
    // function, copy: copy number "copy" of this kernel has accesses "bits" wide.  NULL: the error
    // is gone.
    const char *function;
    int copy, bits;
    // Which cost of that copy gets smaller: sectors, wavefronts or idle threads.  The copy must
    // also not be much further from its minimum than before.
    enum cheaper cheaper;
    bool dst;      // .. on that side
    bool or_else;  // shown only when none before it holds
    bool proven;   // proofs and expectations do not depend on the edits
    bool in_all;   // other copies may take more
    // The error is gone, whatever the accesses cost then.  Otherwise the note is still right, and
    // only its fix-its are dropped.
    bool right;
};

struct diag {
    enum severity severity;  // an error made by -Werror is SEV_ERROR, with "warning" set
    int warning;             // its number in base/warnings.h; 0: none
    struct range at;
    const char *message;
    // the page for --explain=NAME, or NULL; the page of a warning has the warning's name
    const char *page;
    struct fixit *fixit;
    const struct claim *claim;  // of a note: to be tried before it is shown
    bool if_mended;             // shown only if a claim of its notes holds
    bool calls_noted;           // diag_sorted has added where its function was called
    struct diag *note;          // the notes, in order
    struct diag *next;
};

// A warning that the plan switches off in a part of its text (allow "name").
struct silence {
    int warning;
    struct range at;
    struct silence *next;
};

struct diags {
    struct diag *first, *last;
    int nerrors, nwarnings;
    int told;         // errors and warnings, with those that are not shown
    int error_limit;  // most errors that are printed; default 20; 0: no limit
    bool werror[MOST_WARNINGS], off[MOST_WARNINGS], werror_all, off_all;
    bool no_werror[MOST_WARNINGS];  // -Wno-error=name
    struct silence *silences;
    bool json;   // print as JSON
    int color;   // -1: decided by terminal and NO_COLOR, 0: never, 1: always
    bool muted;  // the last diagnostic was dropped, so its notes are dropped too
    struct arena arena;
};

#define DIAG_FORMAT(n) __attribute__((format(printf, n, (n) + 1)))
void diag_error(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
void diag_warn(struct session *s, int w, struct range at, const char *fmt, ...) DIAG_FORMAT(4);
// diag_note and diag_fixit add to the last diagnostic.  A fix-it goes to the last note of it, if
// there is one.
void diag_note(struct session *s, struct range at, const char *fmt, ...) DIAG_FORMAT(3);
// Adds a note to the diagnostic "to".
void diag_note_of(struct session *s, struct diag *to, struct range at, const char *fmt, ...)
    DIAG_FORMAT(4);
void diag_fixit(struct session *s, struct range at, const char *replacement);

// Adds a fix-it to "list", which is in the order of places.
void fixit_add(struct arena *a, struct fixit **list, struct range at, const char *replacement);
// The text of source "file" with those of "list" that are for it.
const char *fixit_text(struct session *s, uint32_t file, const struct fixit *list, size_t *size);
// Shows the last note only if its fix-its fulfil the claim "c".
void diag_claim(struct session *s, struct claim c);
// Shows the last diagnostic only if a claim of its notes holds.
void diag_if_mended(struct session *s);
// Removes from "d" all notes that have a claim.  steps/fixits.c calls it for notes whose claims
// do not hold, or were not tried.
void diag_drop_claims(struct diag *d);
// Removes all diagnostics that diag_if_mended marked and of which no claim was found to hold.
void diag_drop_unmended(struct session *s);
// Names the page of --explain=NAME that explains the last error; "name" must be a literal.
void diag_page(struct session *s, const char *name);

// Whether more errors were reported than will be printed, so that there is no use in looking for
// more.
bool diag_full(const struct session *s);

// Takes one of -Wname, -Wno-name, -Werror, -Werror=name, -Wno-error=name, -w.  Reports an error and
// returns false if "option" names no warning.
bool diag_option(struct session *s, const char *option);

// Switches off the warning "name" for the text "where", whatever the options say.  "at" is where
// "name" is written: an error is reported there if no warning has that name.
void diag_silence(struct session *s, const char *name, struct range at, struct range where);

// The one of the "n" names that is nearest to "wrong"; NULL if none is near enough.
const char *diag_did_you_mean(const char *wrong, const char *const *names, int n);

// Prints all diagnostics to "out", sorted by place, as text or as JSON.  Keeps them.
void diag_print(struct session *s, FILE *out);
// Whether text for "out" has escape sequences for colours: decided by --color, otherwise by
// terminal and NO_COLOR.
bool diag_in_color(const struct session *s, FILE *out);
// Prints all diagnostics as text into "out", with escape sequences if "color".
void diag_print_text(struct session *s, struct buf *out, bool color);
// Prints all diagnostics, with their notes and fix-its, as one JSON array.
void diag_print_json(struct session *s, struct buf *out);
// The diagnostics in the order in which they are printed, allocated in the session.  Sets "n" to
// their number.
struct diag **diag_sorted(struct session *s, int *n);

void diags_init(struct diags *d);
void diags_release(struct diags *d);

#endif
