// Shared by the files of this module.
#ifndef TCPC_INDEX_IX_PRIVATE_H
#define TCPC_INDEX_IX_PRIVATE_H

#include "index/ix.h"

int64_t sat_add(int64_t a, int64_t b);

struct interval {
    int64_t lo, hi;
};
struct interval interval_mul(struct interval a, struct interval b);
struct interval ix_var_range(const struct ix_var *v);

enum { IX_MAX_TERMS = 64 };

// A sum under construction.
struct ix_terms {
    int n;
    bool invalid;
    struct ix_term at[IX_MAX_TERMS];
};
struct ix *ix_new(struct session *s, enum ix_op op);
// The size (ix.size) of an expression with two parts, and of an integer.
int ix_size_of(int a, int b);
int ix_int_size(struct lay_int x);
void ix_terms_add(struct ix_terms *t, struct lay_int coef, const struct ix *atom);
// NULL if a term is invalid or there are too many terms.
const struct ix *ix_terms_finish(struct session *s, struct ix_terms *t);

// Whether all values are provably in 0 .. k-1.
bool ix_below(struct session *s, const struct ix *e, struct lay_int k);

#endif
