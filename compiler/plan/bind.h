// Values for a plan's params: checks them against the promises, and chooses values that keep all
// promises.
#ifndef TCPC_PLAN_BIND_H
#define TCPC_PLAN_BIND_H

#include "plan/plan.h"

#define PLAN_UNBOUND INT64_MIN

// The first promise (range, divisor or relation) that the values "sym_values" (by lay_sym.id)
// break, as a sentence; NULL if they keep all.
const char *plan_broken_promise(struct session *s, const struct plan *p, const int64_t *sym_values);

// Chooses values for all params, and keeps those in "fixed" (by lay_sym.id; PLAN_UNBOUND: free;
// NULL: all are free).  Choice 0 has the smallest values that give a tile.  Choices 1, 2 .. are
// larger and differ from param to param.  From choice 1 on, a stride that may exceed an extent
// does.  In choice 1, an extent that a tile need not divide is a tile and a part of one; in choice
// 2 some are whole tiles.  Returns values by lay_sym.id, or NULL if it found none.
const int64_t *plan_choose(struct session *s, const struct plan *p, const int64_t *fixed,
                           int choice);

// The same, for values that also fulfil the "n" conditions "when" on params.
const int64_t *plan_choose_when(struct session *s, const struct plan *p, const int64_t *fixed,
                                const struct condition *when, int n, int choice);
// Chooses values as large as possible, but "most" if it is in range.  If not all can be large, the
// first params are.  NULL if it found none.
const int64_t *plan_choose_great(struct session *s, const struct plan *p,
                                 const struct condition *when, int n, int64_t most);
// Whether the values fulfil the conditions on params.
bool plan_holds(const struct condition *when, int n, const int64_t *sym_values);

// Sets "choice" to the choices 0, 1 .. that differ, at most "max".  Returns how many there are.
int plan_choices(struct session *s, const struct plan *p, int max, const int64_t **choice);

#endif
