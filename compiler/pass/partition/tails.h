// The last bytes of rows that boxes store.
#ifndef TCPC_PASS_PARTITION_TAILS_H
#define TCPC_PASS_PARTITION_TAILS_H

#include "plan/plan.h"

struct copy_boxes;
// Whether the boxes "b" that "c" stores write no byte but those of its elements; reports it if not.
bool tails_are_exact(struct session *s, const struct copy *c, const struct copy_boxes *b);

#endif
