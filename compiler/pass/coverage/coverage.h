// Shared by the files of pass "coverage", and used by other passes.
#ifndef TCPC_PASS_COVERAGE_COVERAGE_H
#define TCPC_PASS_COVERAGE_COVERAGE_H

#include "pass/instances/instances.h"

// writes.c
// Proves that all writes of "k" to a tensor write different elements, and that an `out` tensor is
// written completely.  Otherwise reports an error, with a witness or with what is not known, and
// returns false.
bool coverage_writes(struct session *s, const struct plan *p, const struct kernel *k,
                     struct prover *prover);

// loops.c
// The maximum ("max") or minimum of "e" in the loops "around", in terms of variables outside of
// these loops.  Used for messages, and for the duties of a device function's caller.
const struct ix *coverage_bound(struct session *s, const struct ix *e, const struct around *around,
                                bool max);

// Notes how many blocks or iterations of "k" would reach all elements, where "v", written by one
// copy, does not.
void coverage_note_blocks(struct session *s, const struct kernel *k, const struct view *v);

// astray.c
// Notes what is wrong with the coordinates of "v", a tile of a tensor with missing elements in "k".
// Returns false if it finds nothing.  "in_loop": the copy is in a loop.
bool coverage_note_tile(struct session *s, const struct kernel *k, const struct view *v,
                        bool in_loop);

// rounding.c
// Whether the operands of all quotients, remainders and swizzles in "e" are >= 0 in all instances
// of a statement inside "around".  Otherwise reports an error: one is negative, or it is not known.
bool coverage_rounding(struct session *s, const struct plan *p, const struct kernel *k,
                       struct prover *prover, const struct around *around, const struct ix *e,
                       struct range at);

// direction.c
// Whether the list of "k" says what copy "c" does to its arguments: reports what it does not say.
bool coverage_direction(struct session *s, const struct kernel *k, const struct copy *c);
// The same for the arguments of call "y".
bool coverage_call_direction(struct session *s, const struct kernel *k, const struct plan_call *y);

// strides.c
// Whether different coordinates of "l" are provably different elements, for all values of its
// params.
bool coverage_injective(struct session *s, struct prover *p, struct lay l);

// Sets "lo" and "hi" to the smallest and largest coordinate of "v" along flattened mode "mode" of
// its tensor.  They contain the variables that the view depends on.  NULL if there is none.
void view_reach(struct session *s, const struct view *v, int mode, const struct ix **lo,
                const struct ix **hi);

#endif
