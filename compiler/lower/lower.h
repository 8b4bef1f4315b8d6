// Plan with facts -> Kernel IR.
#ifndef TCPC_LOWER_LOWER_H
#define TCPC_LOWER_LOWER_H

#include "kernel/kernel_ir.h"

struct plan;

struct kir *lower_plan(struct session *s, const struct plan *p);

#endif
