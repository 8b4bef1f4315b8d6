// Expressions: their evaluation, and the functions in them.
#ifndef TCPC_SEMA_EXPR_EXPR_H
#define TCPC_SEMA_EXPR_EXPR_H

#include "sema/state.h"

// expr.c
const struct value *eval(struct sema *c, const struct ast_expr *e);
bool eval_int64(struct sema *c, const struct ast_expr *e, const char *what, int64_t *out);
// An index expression, with params and variables that are known only at run time.
const struct ix *eval_ix(struct sema *c, const struct ast_expr *e, const char *what);

// arith.c
// The layout "v", or VAL_NONE, with the offset "lhs" before it.
const struct value *eval_with_offset(struct sema *c, const struct ast_expr *lhs,
                                     const struct value *v);
const struct value *eval_binary(struct sema *c, const struct ast_expr *e);
const struct value *eval_neg(struct sema *c, const struct ast_expr *e);

// compose.c
const struct value *eval_compose(struct sema *c, const struct ast_expr *e);

// evaluate.c
// Reports the value "v" of the step "e" of an evaluation to the hook that asked for steps.
void evaluate_step(struct sema *c, const struct ast_expr *e, const struct value *v);

// constant.c
// The number "e" as an element of type "t".  Reports "what" and returns NULL if it is not one.
const struct constant *constant_of(struct sema *c, const struct ast_expr *e,
                                   const struct elem_type *t, const char *what);

// compare.c
const struct value *eval_compare(struct sema *c, enum ast_op op, const struct value *a,
                                 const struct value *b, const struct ast_expr *e);

// builtin.c
struct call {
    const struct ast_expr *e;
    const char *name;
    int n;
    // without keyword arguments
    const struct value *const *arg;
};
bool builtin_known(const char *name);
// also an operation of only `tcpc eval`
bool builtin_has(const struct sema *c, const char *name);
// part of the language but not supported yet
bool builtin_later(const char *name);
void builtin_names(const char **names, int *n, int cap);  // appends
const struct value *builtin_call(struct sema *c, const char *name, const struct ast_expr *e);

// shadowed.c
// Whether "e", a call of a declared name, can only be meant as the operation or atom of that name.
bool shadowed_operation(struct sema *c, const struct ast_expr *e);
// Keeps "e", a call of a value, for shadowed_explain.
void shadowed_called(struct sema *c, const struct ast_expr *e);
// Reports a missing ':' in "(4,8)(8,1)" if the numbers are outside of the shape "v", as strides may
// be.
bool call_lacks_colon(struct sema *c, const struct ast_expr *e, const struct value *v);
// "(64,8)(8,1)" where a layout is expected, whose value "v" is an offset: says the same.
bool layout_lacks_colon(struct sema *c, const struct ast_expr *e, const struct value *v);
// Warns where "e", a layout whose value is "v", is an element of what hides an operation.
void shadowed_shape(struct sema *c, const struct value *v, const struct ast_expr *e);
// Adds to errors of other calls of such names that they hide an operation.
void shadowed_explain(struct sema *c);

// sums.c
// The sum of params "e" as a param of its own: sets "out".  "what" is the subject of the message if
// it cannot be one.
bool sum_of_params(struct sema *c, const struct ix *e, struct range at, const char *what,
                   struct lay_int *out);
// Notes what would make the quotient "q" of params exact, or counts what it leaves out.
void note_inexact(struct sema *c, const struct ix *q, struct range at);
// "v", the shape of a tensor, with a param that is 0 in place of the number 0, if the tensor may be
// empty: proofs and launchers know extents of 0 that are params.
const struct value *empty_extents(struct sema *c, const struct value *v, struct range at);
// M*N + M*K as the product M*(N + K), which strides and extents are; other sums as they are.  NULL
// after an error.
const struct ix *sum_factored(struct sema *c, const struct ix *e, struct range at);
// "e" with what sums of params are in place of the sums: M*(N + K) is M*N + M*K.
const struct ix *sums_written_out(struct sema *c, const struct ix *e);

// suggest.c
// Reports that two arguments of "call" should be exchanged, if they are of no other use.
bool suggest_exchanged(struct sema *c, const struct call *call);
// Reports what is probably meant by "call", which the calculator refused; false if that is not
// known.
bool suggest_failed(struct sema *c, const struct call *call);
// The same for "e", a member of "v" that does not exist.
bool suggest_part(struct sema *c, const struct ast_expr *e, const struct value *v);

// prop.c
const struct value *prop_call(struct sema *c, const struct call *call);

// names.c
// Sets "out" to the names of the arguments of "e", NULL if they have none.  Reports missing and
// repeated names and returns false.
bool names_of_args(struct sema *c, const struct ast_expr *e, const char *const **out);
// "v", a tuple or layout, with "n" names for its modes; without names if the numbers differ.
const struct value *names_give(struct sema *c, const struct value *v, const char *const *names,
                               int n);
// The coordinate in the tensor "v" that "e" gives by names; modes that it does not name are kept.
const struct value *names_coord(struct sema *c, const struct value *v, const struct ast_expr *e);
// Reports a call "e" such as "row(b:2, s:16)" if 'b' is not declared.
bool names_by_colon(struct sema *c, const struct ast_expr *e);
// Whether "v", which "what" uses by position, has no names; reports an error at "at" otherwise.
bool names_none(struct sema *c, const struct value *v, struct range at, const char *what);
const struct value *names_drop(struct sema *c, const struct value *v);  // "v" without names
// "v", the value of "e", in the order of the names of "of", and without names.  Reports names that
// "of" does not have.  If "v" lacks a mode, that is an error about "what"; with "what" NULL the
// mode is '_'.
const struct value *names_sort(struct sema *c, const struct value *v, const struct value *of,
                               const struct ast_expr *e, const char *what);
// Sorts those arguments of "call" that are by mode of another argument.  Reports errors and returns
// false.
bool names_sort_args(struct sema *c, const struct call *call, const struct value **arg);
// Whether modes of "a" and "b" at the same position have no different names; reports an error at
// "at" otherwise.
bool names_agree(struct sema *c, const struct value *a, const struct value *b, struct range at);
// "v" with the names of "of", a tuple or layout with the same modes.
const struct value *names_from(struct sema *c, const struct value *v, const struct value *of);
// The names of the modes of "f", which a function made from the identity of "v".  A mode that is a
// complete named mode keeps its name.  NULL if no mode has a name.
const char *const *names_derive(struct sema *c, const struct view *v, struct lay f);
// The names of the modes of a divided view: first "before" modes without names; then, with "tiles",
// those of the tiles of the first "divided" modes of "v"; then those of the rest of each mode of
// "v". The tile of a mode has its name; the rest has it if there is no tile.
const char *const *names_divide(struct sema *c, const struct view *v, int divided, bool tiles,
                                int before);
// If both sides have names, sorts the modes of the destination in the order of the source's.
// Reports a name that the source does not have and returns false.
bool names_match(struct sema *c, struct copy *y);

#endif
