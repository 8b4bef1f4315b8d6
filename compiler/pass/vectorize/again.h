// The widths of one copy again, for who tries another swizzle of a tensor that it touches.
#ifndef TCPC_PASS_VECTORIZE_AGAIN_H
#define TCPC_PASS_VECTORIZE_AGAIN_H

#include "plan/plan.h"

// Gives "c" what pass "vectorize" would as the widest variant of "k", in which all holds that is
// not promised; false, without a word, where that pass would refuse it.  @pre c->facts are those of
// pass "predicate".
bool vectorize_quietly(struct session *s, const struct kernel *k, struct copy *c);
// Whether "c" has the width that it has where all holds that is not promised; "parted" are the
// facts that pass "predicate" left.
bool vectorize_is_widest(struct session *s, const struct kernel *k, const struct copy *c,
                         const struct copy_facts *parted);
// Whether facts of "c" other than its width may depend on what a variant of its kernel asks for.
bool vectorize_asks(const struct copy *c);

#endif
