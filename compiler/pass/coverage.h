// What the files of pass "coverage" share.
#ifndef TCPC_PASS_COVERAGE_H
#define TCPC_PASS_COVERAGE_H

#include "plan/plan.h"

// Proves that the writes of copy "c" of kernel "k", inside the "nloops" loops "loop", to a global tensor or by several
// threads, have coordinates of their own, and that an output which this copy alone writes is written wholly.  What the
// digits cannot decide sets kernel.enumerate.  Reports what is wrong with a witness and gives false.
bool coverage_digits(struct session *s, struct kernel *k, const struct copy *c,
                     const struct stmt *const *loop, int nloops);

#endif
