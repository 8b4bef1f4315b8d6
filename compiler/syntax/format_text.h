// Declarations and statements without blocks as text in canonical spelling.  Private to this
// module.
#ifndef TCPC_SYNTAX_FORMAT_TEXT_H
#define TCPC_SYNTAX_FORMAT_TEXT_H

#include "syntax/ast.h"

// All of these write a byte 1 for a blank where a line may be broken.  A function's and a loop's
// text is its head, up to and without the brace.
void format_decl_text(struct buf *b, const struct ast_decl *d);
void format_stmt_text(struct buf *b, const struct ast_stmt *st);
// Replaces the bytes 1 of "text", which starts in column "indent", by blanks and line breaks, so
// that lines keep within "width" columns where they can.
void format_fill(struct buf *out, const char *text, int indent, int width);
// Columns of "len" bytes of UTF-8.
int format_columns(const char *text, size_t len);

#endif
