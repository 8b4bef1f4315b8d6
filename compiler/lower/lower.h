// Lowering: converts the plan and its facts to Kernel IR.
#ifndef TCPC_LOWER_LOWER_H
#define TCPC_LOWER_LOWER_H

#include "kernel/kernel_ir.h"

struct plan;
struct kernel;

struct kir *lower_plan(struct session *s, const struct plan *p);

// The same, kernel by kernel.  lower_begin returns what all kernels share, without kernels;
// lower_cases lowers "first" and the cases after it.  Sets "*behind" to the next kernel in the
// plan, or NULL.
struct kir *lower_begin(struct session *s, const struct plan *p);
struct kir_kernel *lower_cases(struct session *s, const struct plan *p, const struct kernel *first,
                               const struct kernel **behind);

#endif
