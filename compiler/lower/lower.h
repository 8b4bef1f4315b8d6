// Plan with facts -> Kernel IR.
#ifndef TCPC_LOWER_LOWER_H
#define TCPC_LOWER_LOWER_H

#include "kernel/kernel_ir.h"

struct plan;
struct kernel;

struct kir *lower_plan(struct session *s, const struct plan *p);

// The same, one kernel after the other: what a plan's kernels have in common, without kernels; and
// "first" with the cases that follow it.  "*behind" is what comes after these in the plan, or NULL.
struct kir *lower_begin(struct session *s, const struct plan *p);
struct kir_kernel *lower_cases(struct session *s, const struct plan *p, const struct kernel *first,
                               const struct kernel **behind);

#endif
