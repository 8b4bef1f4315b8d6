// The pipeline: from a file to what was asked for.
#ifndef TCPC_DRIVER_COMPILE_H
#define TCPC_DRIVER_COMPILE_H

#include <stdio.h>

struct ast_file;
struct kir;
struct plan;
struct session;

struct compiled {
    struct ast_file *ast;
    struct plan *plan;
    struct kir *kir;
    const char *cuda;  // the emitted file, or header
};

enum stage { STAGE_AST, STAGE_PLAN, STAGE_KERNEL, STAGE_CUDA, STAGE_HEADER };

// Compiles the file at "path" ("-": standard input) as far as "last"; fields of later stages stay
// NULL.  What the option
// --dump-after asks for goes to "dump".  Returns 0, 1 when the plan is wrong, 2 when the file
// cannot be read; the reasons are in the session's diagnostics.
int compile_until(struct session *s, const char *path, enum stage last, FILE *dump,
                  struct compiled *out);

// The whole way.
int compile_plan(struct session *s, const char *path, struct compiled *out);

// The "i"-th name that --dump-after knows, NULL when there are no more.
const char *compile_pass_name(int i);

#endif
