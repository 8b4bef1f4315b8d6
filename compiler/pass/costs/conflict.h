// Which lanes of an access to shared memory wait for one another.
#ifndef TCPC_PASS_COSTS_CONFLICT_H
#define TCPC_PASS_COSTS_CONFLICT_H

#include "cost/warp.h"

struct session;

// Names the lanes of "a", which warp "warp" makes, and what they wait for, by the rule of its
// class; NULL where no two lanes want different words of one bank.
const char *conflict_text(struct session *s, const struct warp_access *a, int64_t warp);

#endif
