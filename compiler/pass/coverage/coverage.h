// What the files of pass "coverage" share, and what other passes need of them.
#ifndef TCPC_PASS_COVERAGE_COVERAGE_H
#define TCPC_PASS_COVERAGE_COVERAGE_H

#include "pass/instances/instances.h"

// writes.c
// Proves that all writes of "k" to a tensor are of different elements and that an `out` tensor is
// written wholly.  Reports what is wrong, with a witness, or what is not known, and gives false.
bool coverage_writes(struct session *s, const struct plan *p, const struct kernel *k,
                     struct prover *prover);

// loops.c
// The greatest ("max") or least that "e" is in the loops "around", in terms of the variables of
// what is around them and of others: for messages, and for what a device function's caller
// owes.
const struct ix *coverage_bound(struct session *s, const struct ix *e, const struct around *around,
                                bool max);

// Notes how many blocks or iterations of "k" would reach all elements, where "v", written by one
// copy, does not.
void coverage_note_blocks(struct session *s, const struct kernel *k, const struct view *v);

// astray.c
// Notes what is wrong with the coordinates of "v", a tile of which elements are missing in "k";
// false: nothing is known.  "in_loop": its copy is in a loop.
bool coverage_note_tile(struct session *s, const struct kernel *k, const struct view *v,
                        bool in_loop);

// rounding.c
// Whether every quotient, remainder and swizzle in "e" is of something that is not negative, in all
// instances of a statement inside "around"; reports one that is not, or of which it is not known.
bool coverage_rounding(struct session *s, const struct plan *p, const struct kernel *k,
                       struct prover *prover, const struct around *around, const struct ix *e,
                       struct range at);

// direction.c
// Whether the list of "k" says what copy "c" does to its arguments: reports what it does not say.
bool coverage_direction(struct session *s, const struct kernel *k, const struct copy *c);

// strides.c
// Whether different coordinates of "l" are known to be different elements, for all values of its
// params.
bool coverage_injective(struct session *s, struct prover *p, struct lay l);

// The least and the greatest coordinate of "v" along mode "mode" of its tensor, by flattened mode;
// variables that the view depends on stay in them.  NULL when there is none.
void view_reach(struct session *s, const struct view *v, int mode, const struct ix **lo,
                const struct ix **hi);

#endif
