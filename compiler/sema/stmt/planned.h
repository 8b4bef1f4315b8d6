// What kernels of one planned copy and of several have in common.
#ifndef TCPC_SEMA_STMT_PLANNED_H
#define TCPC_SEMA_STMT_PLANNED_H

#include "planner/planner.h"
#include "sema/stmt/stmt.h"

// planned.c
// Whether "e" depends on the block or thread.
bool planned_by_thread(struct sema *c, const struct ast_expr *e);
// Reports why a kernel of one copy that does not say how to copy cannot be planned.  Without
// fragments, planning is the only possible meaning.
bool planned_refuse_kernel(struct sema *c, const struct ast_fn *fn);
// Whether "t" is a global tensor that is declared above, and an argument of "fn" in a direction that
// lets a copy read it, or with "dst" write it.
bool planned_is_argument(struct sema *c, const struct ast_fn *fn, const struct tensor *t, bool dst);
bool planned_is_out(const struct ast_fn *fn, const struct tensor *t);
// Whether an extent of "t" is the number 0 (empty_extents).
bool planned_is_empty(struct sema *c, const struct lay_tuple *t);
// Sets "out" to the types, the architecture and what is promised of a copy from "a" to "b".
void planned_relayout(struct sema *c, const struct tensor *a, const struct tensor *b,
                      struct relayout *out);
// Reports that copy "y" writes an argument of "fn" that is not 'out', or reads one that is; returns false if it does neither.
bool planned_refuse_way(struct sema *c, const struct ast_fn *fn, const struct copy *y);
// Reports what in the list of "fn", whose copies are planned, is no tensor that is declared above; returns false if there is none.
bool planned_refuse_list(struct sema *c, const struct ast_fn *fn);
int planned_refuse(struct sema *c, const struct ast_stmt *s, const struct tensor *a,
                   const struct tensor *b, const char *why);
// Sets "out" to the kernels in "text", which the planner wrote; returns their number, or 0 if the
// text is too long.  It is for the "nwanted" copies "wanted".
int planned_parse(struct sema *c, const char *name, const char *text, const struct copy *wanted,
                  int nwanted, struct kernel_text out[MOST_CASES]);

// mesh.c
// kernel_planned for a kernel of the one copy "y", statement "s", of which a side is spread over devices.
int mesh_planned(struct sema *c, const struct ast_decl *d, const struct ast_stmt *s, struct copy *y,
                 struct kernel_text out[MOST_CASES]);

// several.c
// Whether all statements of the kernel are copies, two or more, that do not say how.
bool several_are_copies(struct sema *c, const struct ast_fn *fn);
// kernel_planned for such a kernel.
int several_planned(struct sema *c, const struct ast_decl *d, struct kernel_text out[MOST_CASES]);

#endif
