// What random_sync changes in Kernel IR, and asks of it.
#ifndef TCPC_TESTS_RANDOM_KIR_CHANGE_H
#define TCPC_TESTS_RANDOM_KIR_CHANGE_H

#include "kernel/kernel_ir.h"

// Whether "n" or what it contains makes accesses.
bool kir_accesses(const struct kir_node *n);
// Whether it says at a barrier in memory what came before it.
bool kir_arrives_in_memory(const struct kir_node *n);
// Whether it is a barrier of the block or of roles, or says there what came before it.
bool kir_joins(const struct kir_node *n);

// Begins with all zeros.
struct issuer_change {
    int next;
    struct kir_node was, later;
    const char *what;  // the change, in words
};

// Leaves out the fence "n" of that thread; leaves out the bytes that it announces, changes them by 16, or says them behind
// the next node. Each call makes the next change, and takes back the last one; false: there is none more.
bool issuer_change(struct issuer_change *c, struct kir_node *n);

#endif
