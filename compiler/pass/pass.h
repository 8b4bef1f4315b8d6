// The passes, in their order (compile/compile.c has them in its list).  Each fills fields of the
// plan that nobody else writes; a pass that finds the plan wrong says so in the diagnostics and
// returns false.
#ifndef TCPC_PASS_PASS_H
#define TCPC_PASS_PASS_H

#include <stdbool.h>

struct session;
struct plan;

// Give each thread its values of both sides of a copy.
bool pass_partition(struct session *s, struct plan *p);
bool pass_calls(struct session *s, struct plan *p);      // do arguments of extern functions fit?
bool pass_predicate(struct session *s, struct plan *p);  // which elements of a tile are there
bool pass_vectorize(struct session *s,
                    struct plan *p);                  // the width of an access, and what bounds it
bool pass_shared(struct session *s, struct plan *p);  // places in shared memory
bool pass_coverage(struct session *s, struct plan *p);  // each element once, nothing outside
bool pass_defined(struct session *s, struct plan *p);   // what is read was written before
bool pass_races(struct session *s, struct plan *p);     // nothing is read and written at once
bool pass_sync(struct session *s, struct plan *p);      // barriers
bool pass_expect(struct session *s, struct plan *p);    // what the plan's author asked for
bool pass_costs(struct session *s, struct plan *p);     // warns of what is slow
bool pass_waste(struct session *s, struct plan *p);     // warns of what changes nothing

#endif
