// Decides which integers of Kernel IR have 32 bits, and which have 64.
//
// A type is as narrow as the ranges of the values computed in it allow.  The decision is recorded
// in the IR: in ix.bits, ix.divisor_bits and ix_term.bits of expressions, and with the variables
// that nodes set.  The emitter prints it and the machine computes with it, so the tests of every
// compile find a type that is too narrow.
#ifndef TCPC_KERNEL_WIDTHS_H
#define TCPC_KERNEL_WIDTHS_H

#include "kernel/kernel_ir.h"

// Gives all expressions and variables of "list" their widths.
void kir_decide_widths(struct session *s, struct kir_kernel *list);

// "e", which has no variables, with widths for 64-bit params, as in a launcher.
const struct ix *kir_host_widths(struct session *s, const struct ix *e);

#endif
