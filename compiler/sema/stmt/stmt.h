// Kernels and their statements.
#ifndef TCPC_SEMA_STMT_STMT_H
#define TCPC_SEMA_STMT_STMT_H

#include "sema/state.h"

// expect.c
void check_expect(struct sema *c, const struct ast_expect *x, struct range at);

// kernel.c
// The text "fn" of kernel "k".
void check_kernel(struct sema *c, const struct ast_fn *fn, struct kernel *k);
// The statements of the body of "up"; NULL: of the kernel's.
struct stmt *check_block(struct sema *c, const struct ast_block *b, struct stmt *up);
struct ix_var *make_var(struct sema *c, enum ix_var_kind kind, const char *name, const char *c_name,
                        struct lay_int lo, struct lay_int end);
// Fills begin, end and var of "loop" from "s"; without var when a bound was wrong.  False when it
// can be no loop.
bool loop_bounds(struct sema *c, const struct ast_stmt *s, struct stmt *loop);
// A further variable "name" with the range of "loop".
struct ix_var *loop_var(struct sema *c, const char *name, const struct stmt *loop);
// Whether a loop at hand may hold a further one; reports at "at" when not.
bool loop_fits(struct sema *c, const struct ast_stmt *s);
// The tensor as the kernel at hand sees it: a global one that is among its arguments, its own
// instance of a shared one.
const struct value *kernel_tensor(struct sema *c, struct symbol *sym, struct range at);

// grid.c: sets grid of c->kernel.
void kernel_make_grid(struct sema *c, const struct ast_expr *e);

// threads.c: sets threads of c->kernel; false: neither it nor a tiled copy in it says how many, which
// the other one reports.
bool kernel_make_threads(struct sema *c, const struct ast_fn *fn);
void kernel_no_threads(struct sema *c);

// pipeline.c
struct stmt *check_pipeline(struct sema *c, const struct ast_stmt *s);
// "v", the whole of a tensor with stages, or the slot that its name stands for in a pipeline.
struct view pipeline_slot(struct sema *c, struct view v, struct range at);

// extern.c
// What "path" names in the file at "from": a relative name counts from that file's folder.
const char *file_beside(struct sema *c, const char *from, const char *path);
void declare_extern(struct sema *c, const struct ast_decl *d);
void check_call(struct sema *c, const struct ast_stmt *s, struct stmt **out);
void check_fill(struct sema *c, const struct ast_stmt *s, struct stmt **out);

// cases.c
enum { MOST_CASES = 16 };  // of a kernel
void declare_kernel(struct sema *c, const struct ast_decl *d);
// Fills what c->kernel is for.
void kernel_when(struct sema *c, const struct ast_fn *fn);
// Compares the cases of which "k" is the last one.
void kernel_cases_join(struct sema *c, struct kernel *k);
// Reports that the kernel above has no last case.
void kernel_cases_end(struct sema *c);

// planned.c
// What is checked as a kernel, and its text with all that follows, where the planner wrote it.
struct kernel_text {
    const struct ast_fn *fn;
    const char *planned, *how;
    int candidates;
};
// Fills in what is to be checked as the kernel "d": its own text, or the cases that the planner
// made of it.  Returns how many there are; 0 after an error.
int kernel_planned(struct sema *c, const struct ast_decl *d, struct kernel_text out[MOST_CASES]);

// shapes.c
// Whether both sides have as many modes and the same extent in each; says where they differ.
bool copy_shapes(struct sema *c, struct copy *y);
// Whether a copy at "at" may bring elements of "a" to "b"; reports when not.
bool copy_types(struct sema *c, struct range at, const struct tensor *a, const struct tensor *b);
void check_copy(struct sema *c, const struct ast_stmt *s, struct stmt **out);

// uses.c
// Fills the params of "k": those on which its body, grid or tensors depend.
void collect_params(struct sema *c, struct kernel *k);
// Takes the tensors that no copy and no call touches from those that "k" owns.
void drop_untouched(struct sema *, struct kernel *k);
void collect_relation(struct sema *c, struct relation *r);

#endif
