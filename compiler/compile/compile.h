// The steps from a source text to a product: one list (compile.c), which the command and its
// subcommands, the library and the trials of fix-its share.
#ifndef TCPC_COMPILE_COMPILE_H
#define TCPC_COMPILE_COMPILE_H

#include "steps/steps.h"

// What a compilation can make, in the order of --emit's names.
enum product {
    PRODUCT_AST,
    PRODUCT_PLAN,
    PRODUCT_KERNEL,
    PRODUCT_CUDA,
    PRODUCT_HEADER,
    N_PRODUCTS
};

void compile_begin(struct compiled *c, struct session *s, const char *path);
// Compiles the file at "path" to "what" and stores the text in out->text. Returns as steps_until
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
