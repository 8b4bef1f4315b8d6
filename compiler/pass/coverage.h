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

// coverage_loops.c
// The greatest ("max") or least that "e" is in the loops "loop", in terms of the variables of what
// stands around them and of others.
const struct ix *coverage_bound(struct session *s, const struct ix *e,
                                const struct stmt *const *loop, int nloops, bool max);
// What counts the iterations of a loop: "var", from 0 on where "value" is what the loop's own
// variable then is. Not "exact": it may count further than the loop goes; "moves": and where the
// loop begins hangs on other variables.
struct counted {
    const struct ix_var *var;
    const struct ix *value;  // NULL: "var" is the loop's own
    bool exact, moves;
};
struct counted coverage_count(struct session *s, const struct stmt *loop);
// "e" by what counts.
const struct ix *coverage_counted(struct session *s, const struct ix *e,
                                  const struct stmt *const *loop, const struct counted *counted,
                                  int nloops);

// Says that "c" may not write all of the output "f", since its loops are not "exact"; gives false.
bool coverage_refuse_partly(struct session *s, const struct kernel *k, const struct copy *c,
                            const struct formal *f);

// The least and the greatest coordinate of "v" along mode "mode" of its tensor, by flattened mode;
// variables that the view depends on stay in them.  NULL when there is none.
void view_reach(struct session *s, const struct view *v, int mode, const struct ix **lo,
                const struct ix **hi);

// a >= b, with the help of the relations between params that the launcher of "k" checks: proven, or
// not.
bool at_least(struct session *s, const struct plan *p, const struct kernel *k, const struct ix *a,
              const struct ix *b);

#endif
