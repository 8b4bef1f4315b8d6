// The bytes that code announces before copies which barriers in memory count.
#ifndef TCPC_CHECK_ANNOUNCED_H
#define TCPC_CHECK_ANNOUNCED_H

#include "kernel/kernel_ir.h"

// What is wrong with the announcements of "k"; NULL: for all numbers of steps, each group that is announced has so many
// bytes, and no copy comes before.
const char *announced_fault(const struct kir_kernel *k);

#endif
