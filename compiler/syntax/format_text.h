// Declarations and statements without blocks as text in canonical spelling.  Private to this
// module.
#ifndef TCPC_SYNTAX_FORMAT_TEXT_H
#define TCPC_SYNTAX_FORMAT_TEXT_H

#include "syntax/ast.h"

// Both write a byte 1 for a blank where a line may be broken. For a function or a loop they write
// only the head, without the brace.
void format_decl_text(struct buf *b, const struct ast_decl *d);
void format_stmt_text(struct buf *b, const struct ast_stmt *st);
// The same for a part of a pipeline.
void format_part_text(struct buf *b, const struct ast_part *part);
// Replaces the bytes 1 of "text", which starts in column "indent", by blanks or line breaks, so
// that lines stay within "width" columns where possible.
void format_fill(struct buf *out, const char *text, int indent, int width);
// The number of columns that "len" bytes of UTF-8 take.
int format_columns(const char *text, size_t len);

#endif
