// Divisors of addresses: from promises, and for variants also from assumptions.
#ifndef TCPC_PASS_VECTORIZE_ASSUME_H
#define TCPC_PASS_VECTORIZE_ASSUME_H

#include "plan/plan.h"

struct conditions {
    struct condition *at;
    int n, cap;
};

// What may be assumed.  "bytes": unpromised values are assumed to be multiples of that many bytes
// (a power of two); 0: no assumptions.  "list" (or NULL) collects the assumptions that were needed,
// each once. "when": conditions of the kernel's variant, which hold even without assumptions.
struct assumption {
    struct session *s;
    const struct kernel *kernel;
    int64_t bytes;
    struct conditions *list;
    const struct condition *when;
    int nwhen;
};

// The product if it fits 64 bits; otherwise a divisor of it.
int64_t assume_times(int64_t a, int64_t b);
// The first param in "x" that is declared without a divisor; NULL if there is none.
const struct lay_sym *assume_unpromised(struct lay_int x);
// The alignment of "t" in bytes.
int64_t assume_base(const struct assumption *a, const struct tensor *t);
// Whether the only value of "atom", such as block.x in a grid of 1, is 0: what it steps by matters
// not.
bool assume_is_zero(const struct ix *atom);
// The largest known divisor, in bytes, of "x" units of "unit" bytes; 0 for the value 0.  "atom"
// (or NULL) is what it is multiplied by.
int64_t assume_int(const struct assumption *a, struct lay_int x, const struct ix *atom,
                   int64_t unit);
int64_t assume_ix(const struct assumption *a, const struct ix *e, int64_t unit);

#endif
