// Kernels and their statements.
#ifndef TCPC_SEMA_STMT_STMT_H
#define TCPC_SEMA_STMT_STMT_H

#include "sema/state.h"

// expect.c
void check_expect(struct sema *c, const struct ast_expect *x, struct range at);

// kernel.c
// The tensor that "f", a name in the list of a function, names; NULL after an error.
struct symbol *formal_symbol(struct sema *c, const struct ast_formal *f);
// Checks the text "fn" of kernel "k".
void check_kernel(struct sema *c, const struct ast_fn *fn, struct kernel *k);
// The statements of "b", the body of "up"; NULL: of the kernel.
struct stmt *check_block(struct sema *c, const struct ast_block *b, struct stmt *up);
// Whether the kernel may get the statements of "b" too, by a call at "at"; reports an error
// otherwise.
bool statements_fit(struct sema *c, const struct ast_block *b, struct range at);
struct ix_var *make_var(struct sema *c, enum ix_var_kind kind, const char *name, const char *c_name,
                        struct lay_int lo, struct lay_int end);
// Sets begin, end and var of "loop" from "s"; no var if a bound was wrong.  Returns false if it is
// no possible loop.
bool loop_bounds(struct sema *c, const struct ast_stmt *s, struct stmt *loop);
// Another variable, "name", with the range of "loop".
struct ix_var *loop_var(struct sema *c, const char *name, const struct stmt *loop);
// The tensor as the current kernel sees it: a global tensor must be one of its arguments; a shared
// tensor becomes an instance of its own.
const struct value *kernel_tensor(struct sema *c, struct symbol *sym, struct range at);

// boxed.c: whether a copy in "b" names an atom that copies boxes of a tensor map.
bool boxed_any(struct sema *c, const struct ast_block *b);

// let.c: checks a let.  What it reads counts as read where the let is used.
void check_let(struct sema *c, const struct ast_stmt *s);

// rounded.c
// "e" without parentheses around it.
const struct ast_expr *expr_inside(const struct ast_expr *e);
// The M in the quotients "(M + 63) / 64" and "(M + 64 - 1) / 64"; or NULL.
const struct ast_expr *rounded_up(struct sema *c, const struct ast_expr *e);
// Describes the quotient "e".
const struct rounded *rounded_quotient(struct sema *c, const struct ast_expr *e);
// The first quotient in "e", or in the values of names in it, that may have a remainder; or NULL.
const struct rounded *rounded_find(struct sema *c, const struct ast_expr *e);

// Whether the index "f" of a device function promises nothing; reports an error otherwise.
bool index_promises_nothing(struct sema *c, const struct ast_formal *f);

// grid.c: sets the grid of c->kernel.
void kernel_make_grid(struct sema *c, const struct ast_expr *e);

// threads.c: sets the threads of c->kernel.  Returns false if neither the kernel nor a tiled copy
// in it gives their number; kernel_no_threads then reports that.
bool kernel_make_threads(struct sema *c, const struct ast_fn *fn);
void kernel_no_threads(struct sema *c);

// pipeline.c
struct stmt *check_pipeline(struct sema *c, const struct ast_stmt *s);
// "v", a complete tensor with stages, or in a pipeline the slot that its name means there.
struct view pipeline_slot(struct sema *c, struct view v, struct range at);

// roles.c
// The threads of the roles of pipeline "s"; 0: not known before the kernel's body is checked.
int64_t roles_threads(struct sema *c, const struct ast_stmt *s);
// Gives "pipe" its roles; false after an error.
bool roles_make(struct sema *c, const struct ast_stmt *s, struct pipeline *pipe);
// Whether roles may do what the parts of "st" say; reports an error otherwise.
bool roles_check(struct sema *c, const struct stmt *st);

// Whether the function may have roles, at "at"; reports an error otherwise.
bool roles_may_be(struct sema *c, struct range at);
// Sets "threads" to those of "e" warps; false after an error.
bool roles_warps(struct sema *c, const struct ast_expr *e, int64_t *threads);
// Whether the kernel has the "threads" threads of its roles; reports an error otherwise.
bool roles_fill_block(struct sema *c, struct range at, int64_t threads);

// manual.c: roles and named barriers of manual kernels.
struct stmt *check_manual_roles(struct sema *c, const struct ast_stmt *s);
void declare_barrier(struct sema *c, const struct ast_stmt *s);
// "arrive NAME of", and "sync", "wait" and "expect".
struct stmt *check_named(struct sema *c, const struct ast_stmt *s);
// Whether "sync;" may be here; reports an error otherwise.
bool all_may_meet(struct sema *c, const struct ast_stmt *s);

// memory.c: barriers in memory, of "roles" statement "st".  "first" is the first statement that names it.
// Whether it is one.
bool memory_is(const struct stmt *st, struct stmt *first);
// Sets how its arrivals are counted; reports an error if they cannot be.
bool memory_settle(struct sema *c, const struct stmt *st, struct stmt *first);

// order.c
// Checks sync, commit, wait N and fence in a manual function.
struct stmt *check_order(struct sema *c, const struct ast_stmt *s);
// A fence before statement "i" of "b" is part of it, "made"; reports an error where it has no meaning.
void order_fences(struct sema *c, const struct ast_block *b, int i, struct stmt *made);

// extern.c
// The path "path" in the file at "from": a relative path starts at that file's folder.
const char *file_beside(struct sema *c, const char *from, const char *path);
void declare_extern(struct sema *c, const struct ast_decl *d);
void check_call(struct sema *c, const struct ast_stmt *s, struct stmt **out);
// The call "s" of "fn" with its arguments; NULL after an error.
struct plan_call *call_arguments(struct sema *c, const struct ast_stmt *s,
                                 const struct function *fn);
void check_fill(struct sema *c, const struct ast_stmt *s, struct stmt **out);

// inline.c
// The statements of the device function "sym", called by "s".
struct stmt *check_inline(struct sema *c, struct symbol *sym, const struct ast_stmt *s);

// cases.c
enum { MOST_CASES = 16 };  // of a kernel
void declare_kernel(struct sema *c, const struct ast_decl *d);
// Sets the conditions of c->kernel.
void kernel_when(struct sema *c, const struct ast_fn *fn);
// Compares all cases of a kernel; "k" is the last one.
void kernel_cases_join(struct sema *c, struct kernel *k);
// Reports that the kernel above has no last case.
void kernel_cases_end(struct sema *c);

// planned.c
// What is checked as a kernel.  If the planner wrote it: the text of this case and all later ones.
struct kernel_text {
    const struct ast_fn *fn;
    const char *planned;
    const struct copy *wanted;  // by the plan, as it has them
    int nwanted;
    const struct relayout_chosen *chosen;
    int candidates;
    const struct tensor *declared[2];  // of its arguments, if these are not the plan's tensors
    const struct shorter *shorter[2];  // what its arguments have not
    bool parts;                        // it copies parts of them
    const struct mesh *mesh;           // it copies between devices; or NULL
};
// Sets "out" to what is checked as kernel "d": its own text, or the cases that the planner made of
// it.  Returns their number; 0 after an error.
int kernel_planned(struct sema *c, const struct ast_decl *d, struct kernel_text out[MOST_CASES]);

// parts.c: the sides of planned copies.
// Sets "out" to the side "e", whose extents are products of params and of sums that are params.
bool part_of_tensor(struct sema *c, const struct ast_expr *e, struct view *out);
// Cuts both sides where one reaches beyond its tensor.  Returns NULL, or why an element of one may be
// outside.
const char *parts_settle(struct sema *c, struct copy *y);
// NULL, or that the "n" views "v" of one tensor are not all of it.
const char *parts_are_whole(struct sema *c, const struct view *v, int n);
// NULL, or that two parts of one tensor may have an element in common.
const char *parts_apart(struct sema *c, const struct view *a, const struct view *b);
// Sets "out" to the layout of "v", with its offset unless it is empty; false after an error.
bool part_layout(struct sema *c, const struct view *v, bool empty, struct lay *out);

// copy.c
// The view "e"; with "open", its extents may be sums that are no params yet.  False after an error.
bool eval_view(struct sema *c, const struct ast_expr *e, bool open, struct view *out);

// shapes.c
// Whether both sides have the same extents; reports where they differ.
bool copy_shapes(struct sema *c, struct copy *y);
// Notes for a complete buffer with stages, "v", where one with "other" modes is meant, that its slots
// are a mode outside of a pipeline, or in one that does not fill it.
void shapes_note_stages(struct sema *c, const struct view *v, int other);
// Notes which tiled copies the plan has, for a copy "s" that names none.
void copy_note_tiled(struct sema *c, const struct ast_stmt *s);
// Whether a copy at "at" may copy elements of "a" to "b"; reports an error otherwise.
bool copy_types(struct sema *c, struct range at, const struct tensor *a, const struct tensor *b);
void check_copy(struct sema *c, const struct ast_stmt *s, struct stmt **out);

// uses.c
// Sets the params of "k": those that its body, grid or tensors depend on.
void collect_params(struct sema *c, struct kernel *k);
// Removes tensors that no copy or call touches from those of "k".
void drop_untouched(struct sema *, struct kernel *k);
void collect_relation(struct sema *c, struct relation *r);

#endif
