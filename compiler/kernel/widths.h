// Which integers of Kernel IR have 32 bits, and which 64.
//
// A type is as narrow as the ranges of what is computed in it allow.  The decision is written into
// the IR: into ix.bits, ix.divisor_bits and ix_term.bits of its expressions, and beside the
// variables that its nodes set.  The emitter prints it, and the machine computes with it, so that a
// type that is too narrow is found by the test that every compile makes.
#ifndef TCPC_KERNEL_WIDTHS_H
#define TCPC_KERNEL_WIDTHS_H

#include "kernel/kernel_ir.h"

// Gives all expressions and variables of "list" their widths.
void kir_decide_widths(struct session *s, struct kir_kernel *list);

// "e", which has no variables, with its widths where all params have 64 bits, as in a launcher.
const struct ix *kir_host_widths(struct session *s, const struct ix *e);

#endif
