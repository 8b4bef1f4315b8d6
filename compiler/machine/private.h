// Shared by machine.c and roles.c: parts of the walk.
#ifndef TCPC_MACHINE_PRIVATE_H
#define TCPC_MACHINE_PRIVATE_H

#include "machine/machine.h"

// The value of "e", which is the same for all threads.
bool machine_common(struct machine *m, const struct ix *e, int64_t *out);
// The inactive threads, as an array in the arena.
bool *machine_left_out(struct machine *m);
// .. and those for which a condition of "n" does not hold.
bool machine_leave_out(struct machine *m, const struct kir_node *n, bool *off);
// Sets the variables of loop "n" for iteration "i", counted from "begin"; its offsets go on, or begin.
bool machine_iteration(struct machine *m, const struct kir_node *n, int64_t begin, int64_t i);
bool machine_carry(struct machine *m, const struct kir_node *n, bool first);
bool machine_node(struct machine *m, const struct kir_node *n);
// "b" if an observer wants to know of accesses to it; otherwise NULL.
const struct kir_buffer *machine_wanted(const struct machine *m, const struct kir_buffer *b);
bool machine_boxes(struct machine *m, const struct kir_node *n);
bool machine_list(struct machine *m, const struct kir_node *list);
// Executes the roles of "n" side by side.
bool machine_roles(struct machine *m, const struct kir_node *n);
// Whether all that was to come to barriers in memory has, and was waited for; fails otherwise.
bool machine_memory_over(struct machine *m);

#endif
