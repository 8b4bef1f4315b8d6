// Values for a plan's params: checking what was promised of them, and choosing some that keep every
// promise.
#ifndef TCPC_PLAN_BIND_H
#define TCPC_PLAN_BIND_H

#include "plan/plan.h"

#define PLAN_UNBOUND INT64_MIN

// The first promise (range, divisor or relation) that the values "sym_values" (by lay_sym.id)
// break, as a sentence in the session's memory; NULL when they keep all.  Promises on params that
// are PLAN_UNBOUND are left out.
const char *plan_broken_promise(struct session *s, const struct plan *p, const int64_t *sym_values);

// Chooses values: those of "fixed" (by lay_sym.id, PLAN_UNBOUND: free; NULL: all free) stay. Choice
// 0 is the smallest that gives a tile, 1, 2 .. are larger and differ from param to param; a stride
// that may exceed an extent does so from choice 1 on; there an extent that a tile need not divide
// is a tile and a bit, in 2 some are whole tiles.  Returns values by lay_sym.id in the session's
// memory, or NULL when none were found.
const int64_t *plan_choose(struct session *s, const struct plan *p, const int64_t *fixed,
                           int choice);

// The same, with values that also keep the "n" conditions of "when" on params.
const int64_t *plan_choose_when(struct session *s, const struct plan *p, const int64_t *fixed,
                                const struct condition *when, int n, int choice);
// As large as can be, but "most" where that is in range; the params that come first are the largest
// where not all can be.  NULL when none were found.
const int64_t *plan_choose_great(struct session *s, const struct plan *p,
                                 const struct condition *when, int n, int64_t most);
// Whether the values keep the conditions on params.
bool plan_holds(const struct condition *when, int n, const int64_t *sym_values);

// The choices 0, 1 .. that differ, no more than "max" of them; returns how many.
int plan_choices(struct session *s, const struct plan *p, int max, const int64_t **choice);

#endif
