// What the files of pass "coverage" share, and what pass "races" needs of them.
#ifndef TCPC_PASS_COVERAGE_H
#define TCPC_PASS_COVERAGE_H

#include "plan/plan.h"

// Proves that the writes of copy "c" of kernel "k", inside the "nloops" loops "loop", to a global
// tensor or by several threads, have coordinates of their own, and that an output which this copy
// alone writes is written wholly.  What the digits cannot decide sets kernel.enumerate.  Reports
// what is wrong with a witness and gives false.
// Where several copies write a global tensor, it is put off: they are added to "several".
struct written;
bool coverage_digits(struct session *s, struct kernel *k, const struct copy *c,
                     const struct stmt *const *loop, int nloops, struct written **several);

// The same for tensors that several copies write, once all of them are in "several".
void coverage_several(struct session *s, struct kernel *k, const struct written *several);

// The least and the greatest coordinate of "v" along mode "mode" of its tensor, by flattened mode;
// variables that the view depends on stay in them.  NULL when there is none.
void view_reach(struct session *s, const struct view *v, int mode, const struct ix **lo,
                const struct ix **hi);

// a >= b, with the help of the plan's relations between params: proven, or not.
bool at_least(struct session *s, const struct plan *p, const struct ix *a, const struct ix *b);

#endif
