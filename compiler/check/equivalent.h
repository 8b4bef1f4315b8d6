// Do two kernels move the same data?
#ifndef TCPC_CHECK_EQUIVALENT_H
#define TCPC_CHECK_EQUIVALENT_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct plan;
struct kernel;
struct kir;

// Two kernels are equivalent if each thread reads the same elements of the same global tensors, and
// writes the same elements with the same values, in any order.  Tensors are the same if their names
// are.  If the kernels differ, returns a sentence with an element and its coordinate.  Otherwise
// returns NULL: the kernels have the same code, or both were executed completely.  If "open" is set
// to a sentence, that is not certain: kernels whose code differs, with params or very large, were
// executed only for the blocks, iterations and values with which every compile is tested.  The work
// is subtracted from the steps "left"; when these are used up, nothing is known.
const char *kernels_differ(struct session *s, const struct plan *p, const struct kir *ir,
                           const struct kernel *a, const struct kernel *b, int64_t *left,
                           const char **open);
// The limit of steps for all comparisons of a plan together.
int64_t equivalent_steps(const struct session *s);

// Checks the plan's expectations that compare kernels.  Reports errors and returns false if one
// does not hold.
bool check_equivalences(struct session *s, const struct plan *p, const struct kir *ir);

#endif
