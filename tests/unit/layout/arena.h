// Memory of the layout tests: a block that is marked and taken back, so that a million cases need
// no more than one.
#ifndef TCPC_TESTS_LAYOUT_ARENA_H
#define TCPC_TESTS_LAYOUT_ARENA_H

#include <stdio.h>
#include <stdlib.h>

#include "layout/calc.h"

struct block {
    char *base;
    size_t used, size;
};

static inline void *block_alloc(void *user, size_t bytes) {
    struct block *b = user;
    size_t at = (b->used + 15) & ~(size_t)15;
    if (at + bytes > b->size) {
        fprintf(stderr, "the test's memory is used up\n");
        abort();
    }
    b->used = at + bytes;
    return b->base + at;
}

static inline struct block block_make(size_t size) {
    return (struct block){malloc(size), 0, size};
}

// Forgets everything, the params too.
static inline void block_reset(struct block *b, struct lay_ctx *ctx) {
    b->used = 0;
    lay_init(ctx, block_alloc, b);
}

#endif
