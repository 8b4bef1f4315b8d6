// The kernels of a family: those that one kernel of the plan is for the numbers of devices that its mesh may
// have.  They follow each other.
#ifndef TCPC_PLAN_FAMILY_H
#define TCPC_PLAN_FAMILY_H

#include "plan/plan.h"

// The number of devices in "k" that param "q" is; 0: it is none.
int64_t family_number(const struct kernel *k, const struct param *q);
// "D == 2, T == 4" of a mesh whose sizes are the params D and T.
const char *family_numbers(struct session *s, const struct mesh *m);
// Whether "k" is "name", or of a family of that name.
bool family_is(const struct kernel *k, const char *name);
// Whether "k" is a kernel of a family, and no further one follows.
bool family_ends(const struct kernel *k);
// The first kernel of the family of "k".
const struct kernel *family_begin(const struct plan *p, const struct kernel *k);
// The params that the caller of the family of "k" passes, in order of declaration; sets "*n" to their number.
const struct param *const *family_params(struct session *s, const struct plan *p,
                                         const struct kernel *k, int *n);
// Whether "value", by symbol, has other numbers than those of "k".
bool family_leaves_out(const struct kernel *k, const int64_t *value);

#endif
