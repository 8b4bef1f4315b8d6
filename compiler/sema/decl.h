// Declarations at top level.
#ifndef TCPC_SEMA_DECL_H
#define TCPC_SEMA_DECL_H

#include "sema/state.h"

// decl.c
void declare_all(struct sema *c, const struct ast_file *f);
// Declares the params of "p", written at "at".  They are at least "least", unless "p" says something
// else.
void declare_params(struct sema *c, const struct ast_param *p, struct range at, int64_t least);
// Adds "p" to the plan's params; reports an error if there are too many.
bool param_add(struct sema *c, struct param *p);

// multiples.c
// Adds to the divisors of params what the newest relation promises, and what others do then.
// "all": the older relations may say something about the newest param, too.
void relations_promise_multiples(struct sema *c, bool all);

// closure.c
// Sets the digests of all kernels by which what they passed is known again (plan/known.h).
void closures_find(struct sema *c);

// allow.c
// Switches off the warnings that "d" allows, for "d" and everything in it.
void allow_decl(struct sema *c, const struct ast_decl *d);

// c_names.c
// Reports the name of a device function that C++ does not allow.
void check_c_name(struct sema *c, struct ast_ident name, bool is_extern);
// Reports functions with names that the emitted text makes from the names of others.
void check_made_c_names(struct sema *c);

// mesh.c
void declare_mesh(struct sema *c, const struct ast_decl *d);
// Lays "t", which has the layout of all elements, over devices as "type" says; false after an error.
bool spread_tensor(struct sema *c, struct tensor *t, const struct ast_type *type);

// Whether "type", of an argument in a list, is over no devices; reports an error otherwise.
bool spread_nowhere(struct sema *c, const struct ast_type *type);

// tensor.c
// Reports what contradicts 'readonly' of the formal "f", which is the tensor "t".  "device": the
// list is that of a device function.
void check_readonly(struct sema *c, const struct ast_formal *f, bool device,
                    const struct tensor *t);
// The tensor "name" declared by "t"; NULL after an error.
struct tensor *make_tensor(struct sema *c, struct ast_ident name, const struct ast_type *t,
                           const struct ast_expr *stages);

#endif
