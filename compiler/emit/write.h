// Writing C the way clang-format leaves it: calls whose arguments are filled up to column 100,
// comments that are wrapped, index expressions.
#ifndef TCPC_EMIT_WRITE_H
#define TCPC_EMIT_WRITE_H

#include <stdbool.h>

#include "base/buf.h"
#include "kernel/kernel_ir.h"

enum { EMIT_COLUMNS = 100 };

struct call {  // text before the arguments, the arguments, text after them
    struct session *s;
    int indent;
    const char *head;  // ends with the opening parenthesis
    const char **arg;
    int nargs, cap;
    const char *tail;
};

void call_arg(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void call_write(struct buf *b, const struct call *c);
// The statement, or the head of one, "text", which has no line ends: on several lines where it is too
// long for one.
void statement_write(struct session *s, struct buf *b, int indent, const char *text);

// The name of the file at "path", without its folder, as a comment has it.
const char *name_in_comment(struct session *s, const char *path);
// One comment line "// text", wrapped at spaces; continuation lines are indented by "hang" more.
void comment_write(struct buf *b, int indent, const char *text, int hang);

// "e" as C, in kernel "k".
const char *emit_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);
// Whether the text names the stride beside a carried offset: where that has 64 bits.
bool emit_names_stride(const struct kir_carry *c);
// The same within a loop that carries offsets, whose strides have names.
const char *emit_ix_within(struct session *s, const struct kir_kernel *k, const struct ix *e,
                           const struct kir_carry *carry, int ncarries);
// "e", which has no variables, as C in the launcher of "k", where all params are int64_t.
const char *emit_host_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);
// The same as a tcp_exact, which knows when it overflows.
const char *emit_exact_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);

// -- #line ----------------------------------------------------------------------------------------

// Where the emitted text leads profilers and debuggers: accesses to the plan, all else to the
// emitted file itself.
struct lines {
    struct buf *b;
    const char *plan;  // the file's name, for a C string
    const char *self;  // of the emitted file
    int plan_line;     // of the copy at hand, 0: none
    int row;           // lines in "b" up to "counted"
    size_t counted;
};

// For a plan at "path" whose text goes to the empty "b"; "ending" is that of the emitted file where
// nothing else is known. Returns NULL when no #line is wanted.
struct lines *lines_new(struct session *s, struct buf *b, const char *path, const char *ending);
// Writes the lines "access" so that the line on which their call begins comes from "plan_line".
void lines_write(struct lines *l, const char *access);

#endif
