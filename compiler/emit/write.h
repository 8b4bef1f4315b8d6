// Writing C the way clang-format leaves it: calls whose arguments are filled up to column 100, comments that are wrapped,
// index expressions.
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
    const char *arg[128];
    int nargs;
    const char *tail;
};

void call_arg(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int call_width(const struct call *c);  // columns on one line
void call_write(struct buf *b, const struct call *c);

// One comment line "// text", wrapped at spaces; continuation lines are indented by "hang" more.
void comment_write(struct buf *b, int indent, const char *text, int hang);

// Does an int hold every value of "e"?
bool emit_narrow(const struct ix *e);
// "e" as C.  "k" tells which params are ints; NULL: all are int64_t (the launcher).
const char *emit_ix(struct session *s, const struct kir_kernel *k, const struct ix *e);
const char *emit_int(struct session *s, const struct kir_kernel *k, struct lay_int x);

#endif
