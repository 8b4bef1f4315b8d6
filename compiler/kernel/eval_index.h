// An index that all threads of a block evaluate, with what is the same for all of them evaluated
// once.
#ifndef TCPC_KERNEL_EVAL_INDEX_H
#define TCPC_KERNEL_EVAL_INDEX_H

#include "index/ix.h"

enum { INDEX_TERMS = 24 };

struct index {
    const struct ix *of;
    bool parted;   // else "of" is evaluated wholly
    int64_t same;  // of loops, blocks and params
    int var;       // all of the rest is "times" this variable; -1: it is more
    int64_t times;
    struct ix rest;
    struct ix_term term[INDEX_TERMS];
};

// "env" is that of any thread.  False on overflow.
bool index_begin(const struct ix *e, const struct ix_env *env, struct index *x);
// The value for the thread of "env".
bool index_at(const struct index *x, const struct ix_env *env, int64_t *out);

#endif
