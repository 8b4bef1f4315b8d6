// Writes the parts of emitted C: statements and comments on lines of at most 100 columns, and index
// expressions.
#ifndef TCPC_EMIT_WRITE_H
#define TCPC_EMIT_WRITE_H

#include <stdbool.h>

#include "base/buf.h"
#include "kernel/kernel_ir.h"

enum { EMIT_COLUMNS = 100 };

// text before the arguments, the arguments, text after them
struct call {
    struct session *s;
    int indent;
    const char *head;  // ends with the opening parenthesis
    const char **arg;
    int nargs, cap;
    const char *tail;
};

void call_arg(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void call_write(struct buf *b, const struct call *c);
// Writes the statement "text" (or the head of one, with its brace), which has no line ends, on
// several lines if it is too long for one.  Lines are broken at commas and operators.  All but the
// first are indented further than what a brace of the statement encloses.
void statement_write(struct buf *b, int indent, const char *text);

// The file name of "path", without its folder, for use in a comment; "plan" if it is in no file.
const char *name_in_comment(struct session *s, const char *path);
// Writes the comment "// text", wrapped at blanks; continuation lines are indented by "hang" more.
void comment_write(struct buf *b, int indent, const char *text, int hang);

// "e" as C in kernel "k".
const char *emit_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);
// Whether the text names the stride of a carried offset: it does if that has 64 bits.
bool emit_names_stride(const struct kir_carry *c);
// The same inside a loop that carries offsets, whose strides have names.
const char *emit_ix_within(struct session *s, const struct kir_kernel *k, const struct ix *e,
                           const struct kir_carry *carry, int ncarries);
// "e", which has no variables, as C in the launcher of "k", where all params are int64_t.
const char *emit_host_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);
// The same as a tcp_exact, which detects overflow.
const char *emit_exact_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);

// -- #line ----------------------------------------------------------------------------------------

// The source positions for profilers and debuggers: an access belongs to a line of the plan,
// everything else to the emitted file.
struct lines {
    struct buf *b;
    const char *self;  // name of the emitted file, escaped for a C string
    const char *plan;  // .. of the file of the current copy; NULL before the first one
    int plan_line;
    int row;  // lines in "b" up to "counted"
    size_t counted;
};

// Makes the lines for a plan at "path" whose text goes to the empty "b".  "ending" is used for the
// name of the emitted file if it is not known.  Returns NULL if #line is switched off.
struct lines *lines_new(struct session *s, struct buf *b, const char *path, const char *ending);
// What is written next belongs to line "line" of the file at "path".
void lines_from(struct session *s, struct lines *l, const char *path, int line);
// Writes "access" so that the line on which its call begins belongs to "plan_line".
void lines_write(struct lines *l, const char *access);

#endif
