// Which coordinates of a view lie inside its tensor.
#ifndef TCPC_PASS_PREDICATE_H
#define TCPC_PASS_PREDICATE_H

#include "plan/plan.h"

// Whether each coordinate of view "b" that lies inside its tensor lies inside the tensor of view
// "a", too; the views have the same shape.  When it is not proven, "mode" gets the mode of a's
// tensor along which it may not, and "limit" where that ends.
bool inside_both(struct session *s, const struct plan *p, const struct kernel *k,
                 const struct view *a, const struct view *b, int *mode, const struct ix **limit);

#endif
