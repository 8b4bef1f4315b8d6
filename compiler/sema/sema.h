// Converts the syntax tree to the plan.  Only sema resolves names, types and layouts.  It reports
// errors that are independent of what the passes find.
#ifndef TCPC_SEMA_SEMA_H
#define TCPC_SEMA_SEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/calc.h"
#include "plan/plan.h"
#include "syntax/ast.h"

struct session;

// A name that a plan declares, and its uses, in the texts that were read: sorted by place.
struct indexed_name {
    const char *name;
    struct range at;
    const char *kind;  // "tensor"
    const char *type;  // in the notation of plans: "f16 global (64,32):(32,1)", "64"; or NULL
    struct range *use;
    int nuses, cap;
    struct indexed_name *next;
};
// What sema finds of them; complete if the plan is right.
struct name_index {
    struct indexed_name *first;
};

// The plan of "f" and the files that it imports, with the options -D and -arch of the session.
// Reports errors and returns NULL if there are any.
struct plan *sema_file(struct session *s, const struct ast_file *f);

// The value of "e", an expression outside of a plan.  Unknown names are params, and CuTe's own
// operations are available.  Reports errors; the result then has kind CALC_NONE.  "options" may be
// NULL.
struct calc_value sema_evaluate(struct session *s, const struct ast_expr *e,
                                const struct calc_options *options);

#endif
