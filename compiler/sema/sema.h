// From tree to plan: names, types and layouts are resolved here and nowhere else.  What is wrong
// with a plan in itself, whatever a pass would make of it, is said here.
#ifndef TCPC_SEMA_SEMA_H
#define TCPC_SEMA_SEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/calc.h"
#include "plan/plan.h"
#include "syntax/ast.h"

struct session;

// The plan that "f" and the files it imports describe.  Returns NULL when there were errors, which
// are reported; the options -D and -arch of the session apply.
struct plan *sema_file(struct session *s, const struct ast_file *f);

// The value of "e", an expression outside of a plan: a name that nothing has is a param, and the
// operations of CuTe's own are there.  Of kind CALC_NONE when there were errors, which are
// reported.  "options" may be NULL.
struct calc_value sema_evaluate(struct session *s, const struct ast_expr *e,
                                const struct calc_options *options);

#endif
