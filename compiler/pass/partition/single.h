// Modes with one element, whose strides are of no effect.
#ifndef TCPC_PASS_PARTITION_SINGLE_H
#define TCPC_PASS_PARTITION_SINGLE_H

#include "plan/plan.h"

// Whether mode "mode" of "t" has one element, so that its stride is of no effect.
bool single_is(struct session *s, const struct tensor *t, int mode);
// Takes the strides of such modes out of "v", as far as they are no multiples of "bytes".
void single_forget(struct session *s, struct view *v, int bytes);

#endif
