// The way from a text to what is asked for: one list of steps (compile.c), for the command and its
// subcommands, the library, and the trying of fix-its.
#ifndef TCPC_COMPILE_COMPILE_H
#define TCPC_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

struct ast_file;
struct kir;
struct plan;
struct session;
struct swizzle_choice;

// The steps, in order; compile.c has a row for each.
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
    STEP_EXPECT,  // the last one that fills facts
    STEP_COSTS,
    STEP_LOWER,
    STEP_VERIFY,
    STEP_EQUIVALENT,  // the last one of all
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

// A compilation, as far as it has come.
struct compiled {
    struct session *s;
    const char *path;      // "-": standard input
    enum step next;        // that is to be done, or failed
    int status;            // as compile_until returns it
    struct ast_file *ast;  // what no step has made yet is NULL
    struct plan *plan;
    struct kir *kir;
    const char *text;    // of compile_product
    const char *dumped;  // what --dump-after asks for, or NULL
    bool as_it_is;       // fix-its that promise something are not tried, but stay as they are
    const struct swizzle_choice *swizzle;  // of each buffer with `swizzle auto`; NULL: to be chosen
    int nswizzles;
    // the function around this place of the file is compiled alone; 0: all are
    uint32_t only_at;
    bool only_chosen;  // functions without a `swizzle auto` are left out
    bool one_by_one;   // each arrangement of a buffer is compiled, which tests compare with
};

void compile_begin(struct compiled *c, struct session *s, const char *path);
// Does the steps up to and with "last" that are not done yet, and tries the fix-its of each.
// Returns 0, 1 when the plan is wrong, 2 when the file cannot be read; the reasons are in the
// session's diagnostics.  After a step that failed none is done.
int compile_until(struct compiled *c, enum step last);
// From the file at "path" to "what", which becomes out->text.  Returns as compile_until does.
int compile_product(struct session *s, const char *path, enum product what, struct compiled *out);

// The same of what nobody but the reader of the text wants: out->kir is NULL.  Of CUDA C nothing of
// a kernel's Kernel IR is left when the next one is lowered.
int compile_by_kernel(struct session *s, const char *path, enum product what, struct compiled *out);

// As --emit=NAME has it.
const char *product_name(enum product p);
// As --dump-after=NAME has it; NULL for a step that makes or fills nothing that can be shown.
const char *step_name(enum step i);

#endif
