// Describes bank conflicts between the lanes of an access to shared memory.
#ifndef TCPC_PASS_LINT_CONFLICT_H
#define TCPC_PASS_LINT_CONFLICT_H

#include "cost/warp.h"

struct session;

// Names the lanes of access "a" by warp "warp" that conflict, and what they wait for, according to
// the rule for its class.  NULL if no two lanes want different words of one bank.
const char *conflict_text(struct session *s, const struct warp_access *a, int64_t warp);

#endif
