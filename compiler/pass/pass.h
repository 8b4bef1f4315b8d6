// The passes, in the order in which compile/compile.c runs them.  Each fills fields of the plan
// that no other pass writes.  If a pass finds an error in the plan, it reports it and returns
// false.
#ifndef TCPC_PASS_PASS_H
#define TCPC_PASS_PASS_H

#include <stdbool.h>

struct session;
struct plan;

// Gives each thread its values on both sides of a copy.
bool pass_partition(struct session *s, struct plan *p);
// do the arguments of extern functions fit?
bool pass_calls(struct session *s, struct plan *p);
// which elements of a tile exist
bool pass_predicate(struct session *s, struct plan *p);
// the width of accesses, and what bounds it
bool pass_vectorize(struct session *s, struct plan *p);
bool pass_shared(struct session *s, struct plan *p);  // places tensors in shared memory
// each element is written once, nothing is outside
bool pass_coverage(struct session *s, struct plan *p);
bool pass_defined(struct session *s, struct plan *p);  // what is read was written before
bool pass_races(struct session *s, struct plan *p);  // nothing is read and written at the same time
bool pass_sync(struct session *s, struct plan *p);   // barriers and waits
bool pass_expect(struct session *s, struct plan *p);  // checks what the plan expects
bool pass_lint(struct session *s, struct plan *p);    // warns of what is probably not meant
// The warnings of pass "lint" about costs, whose notes show ways to lower them.
void lint_only_costs(struct session *s, struct plan *p);

#endif
