// The first argument of most functions: memory, names, sources, diagnostics and options of one
// compilation.  There are no mutable globals.
#ifndef TCPC_BASE_SESSION_H
#define TCPC_BASE_SESSION_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/source.h"
#include "layout/lay.h"

struct define {
    const char *name;  // interned
    // the value, as written after the =
    const char *text;
};

struct cost_memo;
struct fallback;
struct kept;
struct kept_count;
struct name_index;
struct relayout_plan;

struct options {
    // such as "sm_90"; NULL: what the plan says, otherwise sm_80
    const char *arch;
    struct define *defines;  // -D
    int ndefines, cap_defines;
    const char *dump_after;  // pass name or NULL
    bool no_line;            // no #line in emitted code
    bool device;             // emitted code has no launchers, and its kernels have C's names
    const char *request;     // the request to `tcpc relayout`, whose plan is in no file; or NULL
    // most operations of isl for a proof; 0: PROVE_LIMIT
    unsigned long proof_limit;
    // the kernel for which the planner takes another candidate than the best, or NULL
    const char *tuned;
    int candidate;
    // planned kernels with candidates that do not compile (planner/planner.h)
    const struct fallback *fallbacks;
    // what the planner wrote the whole plan for, if it did (planner/planner.h); otherwise NULL
    const struct relayout_plan *planned;
    // the name of the emitted file for #line; NULL: derived from the plan's name
    const char *emitted;
    // what is kept of earlier compilations (base/kept.h); NULL: nothing
    struct kept *kept;
};

struct session {
    struct arena arena;
    struct interner names;
    struct sources sources;
    struct diags diags;
    struct options options;
    struct lay_ctx lay;  // allocates from "arena"
    int next_ix;         // id of the next index expression
    int next_var;        // id of the next variable
    bool trial;  // of an edit or an arrangement: nobody will read the reasons of what passes find
    struct name_index
        *index;  // of the names of the plan (sema/sema.h), which sema fills; NULL: none
    struct kept_count *count;  // of the kernel that is looked at; NULL: nobody counts
    // What copies were found to cost (cost/memo.h), while many are counted; else NULL.
    struct cost_memo *costs;
    // Whether what takes long is to be given up, as a signal asks for; NULL: it is not.
    bool (*given_up)(const void *by);
    const void *given_up_by;
};

static inline bool session_given_up(const struct session *s) {
    return s->given_up && s->given_up(s->given_up_by);
}

// For work on one kernel of which nothing stays but diagnostics.
struct session_mark {
    struct arena_mark arena;
    int next_var;
};

struct session_mark session_mark(const struct session *s);
// Frees what was allocated since "mark", variables too.  Diagnostics have memory of their own.
void session_rewind(struct session *s, struct session_mark mark);

// Adds to the options that the const of these "len" bytes as name is "text", which stays.
void session_define(struct session *s, const char *name, size_t len, const char *text);
// Takes all of them out of "o".
void options_undefine(struct options *o);
// The options' defines by name, those of one name as they came.
const struct define **session_defines(struct session *s);
// Which of "n" such ones are of the interned "name": numbers *first .. returned - 1.
int defines_of(const struct define *const *sorted, int n, const char *name, int *first);

void session_init(struct session *s);
void session_release(struct session *s);

#endif
