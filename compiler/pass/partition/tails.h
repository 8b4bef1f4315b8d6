// The last bytes of rows that boxes store.
#ifndef TCPC_PASS_PARTITION_TAILS_H
#define TCPC_PASS_PARTITION_TAILS_H

#include "plan/plan.h"

// Whether the boxes that "c" stores in "k" write no byte but those of its elements; reports it if not, and
// proposes guarded accesses.
bool tails_are_exact(struct session *s, const struct kernel *k, const struct copy *c);

#endif
