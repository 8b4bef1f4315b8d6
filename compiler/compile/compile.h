// The steps from a source text to a product: one list (compile.c), which the command and its
// subcommands, the library and the trials of fix-its share.
#ifndef TCPC_COMPILE_COMPILE_H
#define TCPC_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

struct ast_file;
struct kir;
struct plan;
struct session;
struct swizzle_choice;

// The steps in order; compile.c has a row for each.
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

// What a compilation can make, in the order of --emit's names.
enum product {
    PRODUCT_AST,
    PRODUCT_PLAN,
    PRODUCT_KERNEL,
    PRODUCT_CUDA,
    PRODUCT_HEADER,
    N_PRODUCTS
};

// A compilation in progress.
struct compiled {
    struct session *s;
    const char *path;      // "-": standard input
    enum step next;        // the step to do next, or the one that failed
    int status;            // what compile_until returns
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

void compile_begin(struct compiled *c, struct session *s, const char *path);
// Prepares in "t" and "out" another compilation of all texts of "c".
void compiled_again(const struct compiled *c, struct session *t, struct compiled *out);
// Does the remaining steps up to and including "last", and tries the fix-its that each reports.
// Returns 0, 1 when the plan is wrong, or 2 when the file cannot be read; the session's diagnostics
// give the reasons. Does nothing once a step has failed.
int compile_until(struct compiled *c, enum step last);
// Compiles the file at "path" to "what" and stores the text in out->text. Returns as compile_until
// does.
int compile_product(struct session *s, const char *path, enum product what, struct compiled *out);

// Like compile_product, for callers that want only the text: out->kir may be NULL. For CUDA C it
// lowers one kernel after the other and frees the Kernel IR of each, which saves memory.
int compile_by_kernel(struct session *s, const char *path, enum product what, struct compiled *out);

// The name of a product in --emit=NAME.
const char *product_name(enum product p);
// The name of a step in --dump-after=NAME; NULL when the step changes nothing that can be shown.
const char *step_name(enum step i);

#endif
