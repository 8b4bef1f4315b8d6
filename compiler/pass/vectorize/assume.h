// Divisors of addresses, with what is promised and, for variants, with what is not.
#ifndef TCPC_PASS_VECTORIZE_ASSUME_H
#define TCPC_PASS_VECTORIZE_ASSUME_H

#include "plan/plan.h"

struct conditions {
    struct condition *at;
    int n, cap;
};

// "bytes": what is not promised is taken to be a multiple of that many bytes (a power of two); 0:
// nothing is assumed.  "list" (or NULL) gets what had to be assumed, each fact once.  "when": what
// holds besides where nothing is assumed, of a variant of the kernel.
struct assumption {
    struct session *s;
    const struct kernel *kernel;
    int64_t bytes;
    struct conditions *list;
    const struct condition *when;
    int nwhen;
};

// The product where 64 bits hold it, else "a", which divides it.
int64_t assume_times(int64_t a, int64_t b);
// The first param in "x" that no multiple is promised of; NULL when there is none.
const struct lay_sym *assume_unpromised(struct lay_int x);
// Bytes to which "t" is aligned.
int64_t assume_base(const struct assumption *a, const struct tensor *t);
// Bytes that divide "x" things of "unit" bytes each; 0 for none of them.
int64_t assume_int(const struct assumption *a, struct lay_int x, int64_t unit);
int64_t assume_ix(const struct assumption *a, const struct ix *e, int64_t unit);

#endif
