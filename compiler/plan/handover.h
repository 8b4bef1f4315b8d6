// Says of the barriers of roles who comes to them and who waits, as "explain" and the drawings tell it.
#ifndef TCPC_PLAN_HANDOVER_H
#define TCPC_PLAN_HANDOVER_H

#include "plan/plan.h"

// The bytes that barriers in memory count in a step of pipeline "st", such as "4096 bytes".
const char *handover_bytes(struct session *s, const struct stmt *st);
// A sentence for each kind of barrier of "st", a pipeline with roles or "roles".  Returns how many.
enum { HANDOVER_LINES = 16 };
int handover_tell(struct session *s, const struct stmt *st, const char *line[HANDOVER_LINES]);

#endif
