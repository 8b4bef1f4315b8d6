// From text to tree. Syntax errors go to the session's diagnostics; a run may report several. The
// tree leaves out the declarations with errors.
#ifndef TCPC_SYNTAX_PARSE_H
#define TCPC_SYNTAX_PARSE_H

#include "syntax/ast.h"

// Reads and parses the file at "path" ("-" is standard input).  Returns NULL, with an error
// reported, when it cannot be read; else the tree, whose "nerrors" says whether it is complete.
struct ast_file *parse_file(struct session *s, const char *path);
// The same for a source that the session has already.
struct ast_file *parse_source(struct session *s, int file);
// Parses "text", which is copied, as one complete expression. Returns NULL, with errors reported,
// when it is not one.
struct ast_expr *parse_expr_text(struct session *s, const char *text);
// The same, but also accepts values as CuTe and its siblings write them: Layout<Shape<_4,_8>>{}.
struct ast_expr *parse_notation(struct session *s, const char *text);

#endif
