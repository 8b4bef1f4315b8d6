// The boxes of a tensor map that a copy by TMA consists of.
#ifndef TCPC_PASS_PARTITION_BOXES_H
#define TCPC_PASS_PARTITION_BOXES_H

#include "plan/plan.h"

// Sets facts.boxes of "c", whose atom copies boxes.  Reports what no tensor map or box allows, and
// returns false.
bool boxes_find(struct session *s, struct copy *c);

#endif
