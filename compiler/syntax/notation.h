// Converts values as CuTe and its Python siblings write them to this language.
#ifndef TCPC_SYNTAX_NOTATION_H
#define TCPC_SYNTAX_NOTATION_H

#include "syntax/ast.h"

struct session;

// "text" with the marks of this language, in the same number of bytes.
char *notation_text(struct session *s, const char *text);
// Rewrites "e", which was parsed from such a text: calls of Shape, Layout and the like become
// tuples and layouts.
void notation_tree(struct session *s, struct ast_expr *e);

#endif
