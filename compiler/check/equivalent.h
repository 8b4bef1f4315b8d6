// Do two kernels move the same?
#ifndef TCPC_CHECK_EQUIVALENT_H
#define TCPC_CHECK_EQUIVALENT_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct plan;
struct kernel;
struct kir;

// Two kernels are equivalent when each thread reads the same elements of the same global tensors
// and writes the same ones with the same values, whatever the order.  Tensors are the same when
// their names are.  Returns a sentence with an element, and its coordinate, where they differ; or
// NULL.  Then they are equivalent, because their code is the same or because all of both was
// executed, unless "open" becomes a sentence: kernels with params, or very large ones, whose code
// differs, are executed on the blocks, iterations and values that every compile is checked on. What
// that takes is taken from the steps that are "left", without which nothing is known.
const char *kernels_differ(struct session *s, const struct plan *p, const struct kir *ir,
                           const struct kernel *a, const struct kernel *b, int64_t *left,
                           const char **open);
// How many steps all comparisons of a plan may take together.
int64_t equivalent_steps(const struct session *s);

// The expectations of the plan that compare kernels; false, with errors, when one does not hold.
bool check_equivalences(struct session *s, const struct plan *p, const struct kir *ir);

#endif
