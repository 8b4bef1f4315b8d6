// Evaluates an expression for all threads at once.
#ifndef TCPC_COST_LANES_H
#define TCPC_COST_LANES_H

#include "plan/plan.h"

// Sets "out" to the value of "e" for each of the first "n" threads of "k"; "env" has the values of
// the other variables, as for ix_eval.  False if ix_eval fails for one of them.
bool lanes_eval(struct session *s, const struct kernel *k, const struct ix *e,
                const struct ix_env *env, int64_t n, int64_t *out);

#endif
