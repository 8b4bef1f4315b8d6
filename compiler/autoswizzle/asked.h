// Answers whether a candidate arrangement satisfies everything that asks for the buffer's layout:
// an `expect`, a `let` that others name, or a function that gets the buffer.
#ifndef TCPC_AUTOSWIZZLE_ASKED_H
#define TCPC_AUTOSWIZZLE_ASKED_H

#include <stdint.h>

#include "autoswizzle/candidates.h"

struct ast_stmt;
struct compiled;
struct layer;

enum taken {
    // something refuses the arrangement
    TAKEN_NOT = 1,
    TAKEN_IS,
    // the compilation failed, and no error names the buffer: compile this buffer alone to find out
    TAKEN_ALONE,
    // the answer would compile more text than is allowed
    TAKEN_TOO_MUCH,
};

// The questions about the buffers "first" .. "end" - 1. Each question is about one buffer, so that
// a single compilation asks about candidate "k" of all of them.
struct asked {
    const struct compiled *c;
    const struct layer *plain;
    struct ast_stmt *const *buffer;  // the plan's buffers with `swizzle auto`
    int n, first, end;
    // the candidates of each buffer, and how many
    struct swizzle_choice *const *from;
    const int *nfrom;
    // a place in the one function that has all buffers asked about; 0: they are in several
    uint32_t only_at;
    int64_t bytes;        // bytes of text that one compilation reads
    int64_t *text, most;  // bytes compiled so far, and the limit
    // answers by candidate, then by buffer; NULL: not asked yet
    char *column[SWIZZLE_CANDIDATES];
};

// Whether everything that asks for the layout of buffer "i" accepts candidate "k".
enum taken asked_taken(struct asked *x, int i, int k);

#endif
