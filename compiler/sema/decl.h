// Declarations at the top level.
#ifndef TCPC_SEMA_DECL_H
#define TCPC_SEMA_DECL_H

#include "sema/state.h"

// decl.c
void declare_all(struct sema *c, const struct ast_file *f);
bool check_ident_free(struct sema *c, const struct ast_ident *name);
// Whether "p" is one param with "where N % 8 == 0": the launcher checks that, but it is no promise
// of a multiple.
bool param_asks_multiple(const struct ast_param *p);

// allow.c
// Silences the warnings that "d", and what is in it, allows.
void allow_decl(struct sema *c, const struct ast_decl *d);

// tensor.c
// The tensor that "t" declares, whose name is "name"; NULL when there was an error.
// Reports what speaks against the word of the 'readonly' formal "f", which is the tensor "t", in
// the list of a device function or of something else.
void check_readonly(struct sema *c, const struct ast_formal *f, bool device,
                    const struct tensor *t);
struct tensor *make_tensor(struct sema *c, struct ast_ident name, const struct ast_type *t,
                           const struct ast_expr *stages);

#endif
