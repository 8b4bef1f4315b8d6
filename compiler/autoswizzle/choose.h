// Chooses among the arrangements of buffers with `swizzle auto`.
#ifndef TCPC_AUTOSWIZZLE_CHOOSE_H
#define TCPC_AUTOSWIZZLE_CHOOSE_H

#include "autoswizzle/autoswizzle.h"
#include "base/source.h"

struct ast_stmt;

// The buffers of a plan that say `swizzle auto`, in the order of the text.
struct buffers {
    struct ast_stmt **stmt;  // NULL during the first walk, which only counts
    // the range of each buffer's function, with the function's other cases
    struct range *fn;
    int n;
};

// Fills in "choice", one element per buffer. False, with an error reported, when trying the
// arrangements is too much work or a buffer's copies have no known cost.
bool buffers_choose(struct compiled *c, const struct buffers *b, struct swizzle_choice *choice);

#endif
