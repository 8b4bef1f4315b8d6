// Doing the steps of a compilation, which are given as a list: up to any of them, and again for the
// trial of a fix-it, of another candidate of the planner, or of an arrangement of a buffer.
#ifndef TCPC_STEPS_STEPS_H
#define TCPC_STEPS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct ast_file;
struct compiled;
struct kir;
struct plan;
struct session;
struct swizzle_choice;

// The steps in order; compile/compile.c has a row for each.
enum step {
    STEP_PARSE,
    STEP_SEMA,
    STEP_PARTITION,
    STEP_CALLS,
    STEP_PREDICATE,
    STEP_VECTORIZE,
    STEP_SHARED,
    STEP_COVERAGE,
    STEP_DEFINED,
    STEP_RACES,
    STEP_SYNC,
    STEP_EXPECT,  // the last step that fills in facts
    STEP_LINT,
    STEP_LOWER,
    STEP_VERIFY,
    STEP_EQUIVALENT,  // the last step
    N_STEPS
};

struct step_list {
    struct {
        const char *name;
        // either "run", which needs the results of the steps before it, or "pass"
        bool (*run)(struct compiled *c);
        bool (*pass)(struct session *s, struct plan *p);
        int fills;  // what it makes or fills in; 0: nothing
    } row[N_STEPS];
    // After each step that went well, and after parsing.
    void (*done)(struct compiled *c, enum step i);
};

// A compilation in progress.
struct compiled {
    struct session *s;
    const char *path;  // "-": standard input
    const struct step_list *list;
    enum step next;        // the step to do next, or the one that failed
    int status;            // what steps_until returns
    struct ast_file *ast;  // the syntax tree; NULL, as "plan" and "kir", until its step has run
    struct plan *plan;
    struct kir *kir;
    const char *text;    // what compile_product has made
    const char *dumped;  // the text for --dump-after; NULL: none
    // do not try the fix-its with a claim, keep them
    bool as_it_is;
    // the arrangement of each buffer with `swizzle auto`; NULL: they are still to be chosen
    const struct swizzle_choice *swizzle;
    int nswizzles;
    // compile only the function around this place of the file; 0: all functions
    uint32_t only_at;
    bool only_chosen;  // leave out the functions without a `swizzle auto`
    // compile every arrangement of a buffer; tests compare the choice with that of the shortcuts
    bool one_by_one;
};

void steps_begin(struct compiled *c, struct session *s, const char *path,
                 const struct step_list *list);
// Prepares in "t" and "out" another compilation of all texts of "c".
void steps_again(const struct compiled *c, struct session *t, struct compiled *out);
// Does the remaining steps up to and including "last", and tries the fix-its that each reports.
// Returns 0, 1 when the plan is wrong, or 2 when the file cannot be read; the session's diagnostics
// give the reasons. Does nothing once a step has failed.
int steps_until(struct compiled *c, enum step last);

#endif
