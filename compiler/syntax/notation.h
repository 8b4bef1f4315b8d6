// What CuTe and its Python siblings write for values, as this language has it.
#ifndef TCPC_SYNTAX_NOTATION_H
#define TCPC_SYNTAX_NOTATION_H

#include "syntax/ast.h"

struct session;

// "text" in the marks of this language, as long as it was.
char *notation_text(struct session *s, const char *text);
// "e", parsed from such a text: calls of Shape, Layout and their like become what they stand for.
void notation_tree(struct session *s, struct ast_expr *e);

#endif
