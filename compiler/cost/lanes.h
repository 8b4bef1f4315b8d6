// An expression's values for all threads at once.
#ifndef TCPC_COST_LANES_H
#define TCPC_COST_LANES_H

#include "plan/plan.h"

// Puts into "out" what "e" is for each of the first "n" threads of "k", where the other variables
// have the values "env", which is as ix_eval takes it; false where ix_eval says so for one of them.
bool lanes_eval(struct session *s, const struct kernel *k, const struct ix *e,
                const struct ix_env *env, int64_t n, int64_t *out);

#endif
