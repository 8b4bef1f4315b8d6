// Expressions: what they evaluate to, and the functions that they may have.
#ifndef TCPC_SEMA_EXPR_EXPR_H
#define TCPC_SEMA_EXPR_EXPR_H

#include "sema/state.h"

// expr.c
const struct value *eval(struct sema *c, const struct ast_expr *e);
const struct value *eval_name(struct sema *c, const char *name, struct range at);
bool eval_int64(struct sema *c, const struct ast_expr *e, const char *what, int64_t *out);
// An index expression in which params may occur, and what is known only when running.
const struct ix *eval_ix(struct sema *c, const struct ast_expr *e, const char *what);

// arith.c
// Arithmetic and comparison of two integers.
const struct value *eval_int_op(struct sema *c, enum ast_op op, const struct value *a,
                                const struct value *b, const struct ast_expr *e);
// The layout "v", or VAL_NONE, after the offset "lhs".
const struct value *eval_with_offset(struct sema *c, const struct ast_expr *lhs,
                                     const struct value *v);
const struct value *eval_binary(struct sema *c, const struct ast_expr *e);
const struct value *eval_neg(struct sema *c, const struct ast_expr *e);

// compose.c
const struct value *eval_compose(struct sema *c, const struct ast_expr *e);

// evaluate.c
// Tells of a step of an evaluation, "e" with the value "v", who asked for them.
void evaluate_step(struct sema *c, const struct ast_expr *e, const struct value *v);

// constant.c
// The number "e" as an element of type "t"; reports "what" and gives NULL when it is not one.
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
    const struct value *const *arg;  // keyword arguments are not among them
};
bool builtin_known(const char *name);
bool builtin_has(const struct sema *c, const char *name);  // also an operation of `tcpc eval` alone
bool builtin_later(const char *name);  // one of the language that is not supported yet
void builtin_names(const char **names, int *n, int cap);  // appends
const struct value *builtin_call(struct sema *c, const char *name, const struct ast_expr *e);

// hidden.c
// Whether "e", a call of the name whose value is "v", can only be meant as the operation or atom
// that this name hides; reports that.
bool hidden_called(struct sema *c, const struct value *v, const struct ast_expr *e);
// "(4,8)(8,1)", where the numbers are outside of the shape "v", as a stride may be: says that a ':'
// is missing.
bool call_lacks_colon(struct sema *c, const struct ast_expr *e, const struct value *v);
// "(64,8)(8,1)" where a layout is expected, whose value "v" is an offset: says the same.
bool layout_lacks_colon(struct sema *c, const struct ast_expr *e, const struct value *v);
// Warns where "e", a layout whose value is "v", is an element of what hides an operation.
void hidden_shape(struct sema *c, const struct value *v, const struct ast_expr *e);
// Adds to the errors of other calls of such names that they hide something.
void hidden_explain(struct sema *c);

// meant.c
// Reports that two arguments of "call" are to be exchanged, which is an error in any case.
bool meant_exchanged(struct sema *c, const struct call *call);
// Reports what is meant by "call", which the calculator has refused; false where that is not known.
bool meant_failed(struct sema *c, const struct call *call);
// The same of "e", a member of "v" that is none of its parts.
bool meant_part(struct sema *c, const struct ast_expr *e, const struct value *v);

// prop.c
const struct value *prop_call(struct sema *c, const struct call *call);

// names.c
// The names of the arguments of "e", NULL when they have none; reports those that are missing or
// there twice and returns false.
bool names_of_args(struct sema *c, const struct ast_expr *e, const char *const **out);
// "v", a tuple or layout, with "n" names for its modes; without them when it has not as many.
const struct value *names_give(struct sema *c, const struct value *v, const char *const *names,
                               int n);
// The coordinate in the tensor "v" that "e" gives by name; modes that it does not name stay.
const struct value *names_coord(struct sema *c, const struct value *v, const struct ast_expr *e);
// Reports the call "e" where it is "row(b:2, s:16)", and nothing is called 'b'.
bool names_by_colon(struct sema *c, const struct ast_expr *e);
// Whether "v", which "what" takes by position, has no names; reports one at "at".
bool names_none(struct sema *c, const struct value *v, struct range at, const char *what);
const struct value *names_drop(struct sema *c, const struct value *v);  // "v" without names
// "v", the value of "e", in the order of the names of "of" and without names; reports names that
// "of" does not have.  A mode that "v" leaves out is an error of "what", or '_' when that is NULL.
const struct value *names_sort(struct sema *c, const struct value *v, const struct value *of,
                               const struct ast_expr *e, const char *what);
// Brings those arguments of "call" in order that are by mode of another one; reports and returns
// false.
bool names_sort_args(struct sema *c, const struct call *call, const struct value **arg);
// Whether modes of "a" and "b" at the same position have no two names; reports at "at".
bool names_agree(struct sema *c, const struct value *a, const struct value *b, struct range at);
// "v" with the names of "of", a tuple or layout whose modes are those of "v".
const struct value *names_from(struct sema *c, const struct value *v, const struct value *of);
// The names of the modes of what "f", made of the identity of "v", makes of it: a mode that is the
// whole of one named mode has its name.  NULL when none has one.
const char *const *names_derive(struct sema *c, const struct view *v, struct lay f);
// The names of "before" modes that have none, then, with "tiles", of the tiles of the first
// "divided" modes of "v", and of what is left of each mode of "v": the tile of a mode has its name,
// what is left of it where the tile has not.
const char *const *names_divide(struct sema *c, const struct view *v, int divided, bool tiles,
                                int before);
// Where both sides have names, brings the modes of the destination into the order of the source's;
// reports a name that it does not have and returns false.
bool names_match(struct sema *c, struct copy *y);

#endif
