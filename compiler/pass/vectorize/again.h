// Computes the widths of a copy again, for code that tries another swizzle of its tensor.
#ifndef TCPC_PASS_VECTORIZE_AGAIN_H
#define TCPC_PASS_VECTORIZE_AGAIN_H

#include "plan/plan.h"

// Gives "c" the facts that pass "vectorize" would give it in the widest variant of "k", assuming
// everything that is not promised.  Returns false, without a message, if that pass would reject it.
// @pre c->facts are those of pass "predicate"
bool vectorize_quietly(struct session *s, const struct kernel *k, struct copy *c);
// Whether "c" has the width that it would have if everything unpromised were true.  "parted" are
// the facts after pass "predicate".
bool vectorize_is_widest(struct session *s, const struct kernel *k, const struct copy *c,
                         const struct copy_facts *parted);
// Whether facts of "c" other than its width may depend on the conditions of a variant.
bool vectorize_asks(const struct copy *c);

#endif
