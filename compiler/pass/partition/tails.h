// The last bytes of rows that boxes store.
#ifndef TCPC_PASS_PARTITION_TAILS_H
#define TCPC_PASS_PARTITION_TAILS_H

#include "plan/plan.h"

struct copy_boxes;
// Whether nothing in "k" reads what "c" stores, which nobody waits for; reports what does.
bool tails_are_unread(struct session *s, const struct kernel *k, const struct copy *c);
// Whether the boxes "b" that "c" stores write no byte but those of its elements; reports it if not.
bool tails_are_exact(struct session *s, const struct copy *c, const struct copy_boxes *b);

#endif
