// Choosing among the arrangements of buffers with `swizzle auto`.
#ifndef TCPC_COMPILE_CHOOSE_H
#define TCPC_COMPILE_CHOOSE_H

#include "base/source.h"
#include "compile/swizzles.h"

struct ast_stmt;

// The buffers of a plan that say `swizzle auto`, in the order of the text.
struct buffers {
    struct ast_stmt **stmt;  // NULL: they are counted
    struct range *fn;        // in which each is, with its other cases
    int n;
};

// Fills in "choice", by buffer.  False where there is too much to be tried; the session's errors say
// what.
bool buffers_choose(struct compiled *c, const struct buffers *b, struct swizzle_choice *choice);

#endif
