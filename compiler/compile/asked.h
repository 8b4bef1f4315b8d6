// Which arrangements are taken by what asks for a buffer's layout: an `expect`, a `let` that others
// name, or a function that the buffer is given to.
#ifndef TCPC_COMPILE_ASKED_H
#define TCPC_COMPILE_ASKED_H

#include <stdint.h>

#include "compile/candidates.h"

struct ast_stmt;
struct compiled;
struct layer;

enum taken {
    TAKEN_NOT = 1,
    TAKEN_IS,
    TAKEN_ALONE,     // an error is not known to be about one buffer: it is to be compiled alone
    TAKEN_TOO_MUCH,  // to be compiled
};

// The questions about the buffers "first" .. "end" - 1.  One compilation asks candidate "k" of all
// of them, as each question is about one buffer.
struct asked {
    const struct compiled *c;
    const struct layer *plain;
    struct ast_stmt *const *buffer;  // of the plan
    int n, first, end;
    struct swizzle_choice *const *from;  // by buffer: its candidates
    const int *nfrom;
    uint32_t only_at;     // the function there has all buffers that are asked about; 0: not one
    int64_t bytes;        // of text, that one compilation reads
    int64_t *text, most;  // bytes that were compiled, and may be
    char *column[SWIZZLE_CANDIDATES];  // answers by candidate, then by buffer; NULL: not asked yet
};

// Whether candidate "k" of buffer "i" is taken.
enum taken asked_taken(struct asked *x, int i, int k);

#endif
