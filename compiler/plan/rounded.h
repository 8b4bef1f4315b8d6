// A quotient in the text of a plan that is rounded down, such as "K / 32" where nothing promises
// that K is a multiple of 32.
#ifndef TCPC_PLAN_ROUNDED_H
#define TCPC_PLAN_ROUNDED_H

#include "plan/plan.h"

struct rounded {
    struct range at;
    const struct ix *of;        // the dividend
    int64_t by;                 // the divisor; 0: not a number
    int64_t least;              // the dividend is a multiple of this
    const char *a, *b, *up;     // as text: "K", "32", "ceil_div(K, 32)"
    const struct param *param;  // the dividend, if it is a param
};

// Reports "r", an extent of the grid, as an error.
void rounded_grid(struct session *s, const struct rounded *r);
// Reports that nothing in the kernel reads what "r" leaves of "t".
void rounded_lost(struct session *s, const struct rounded *r, const struct tensor *t);

#endif
