// The launcher of a kernel as data: what it takes, what it checks, which variant it chooses, and
// what it launches.  Lowering makes it; the emitter prints it in C, `explain` describes it, and
// launch_evaluate (kernel/evaluate.h) does what the printed launcher does, without a compiler for
// the host.
#ifndef TCPC_KERNEL_LAUNCH_H
#define TCPC_KERNEL_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "index/ix.h"

struct kir_tensor {
    const char *name, *c_name, *c_type, *elem;
    int elem_bits, align;  // bytes
    int id;
    bool written, read;
    const struct ix *span;           // storage elements from the pointer on: greatest offset + 1
    const struct ix *const *extent;  // sizes of modes: nothing to do when an output has a zero one
    int nextents;
};

struct kir_param {
    const char *name, *c_name;
    const struct lay_sym *sym;
    int64_t lo, hi, mul;
    bool narrow;   // an int holds it: decided by kernel/widths.h
    bool in_body;  // the body uses it, not the grid or the promises alone
};

struct kir_relation {
    const struct ix *a, *b;
    const char *op, *text;
};

// Extents, each of which may be zero.
struct kir_extents {
    const struct ix *const *extent;
    int n;
};

enum kir_check_kind {
    KIR_CHECK_RANGE,     // the param is in its range
    KIR_CHECK_MULTIPLE,  // it is a multiple
    KIR_CHECK_EXACT,     // 64 bits hold "value", which "what" names
    KIR_CHECK_RELATION,  // the relation holds
    KIR_CHECK_NOTHING,   // checks nothing: the launcher is done where nothing is to be written
    KIR_CHECK_POINTER,   // the tensor is not null, and aligned
    KIR_CHECK_OVERLAP    // the two tensors share no byte
};

struct kir_check {
    enum kir_check_kind kind;
    const struct kir_param *param;        // RANGE, MULTIPLE
    const struct kir_relation *relation;  // RELATION
    const char *what;                     // EXACT
    const struct ix *value;               // EXACT
    const struct kir_extents *empty;      // NOTHING: each of them has a zero
    int nempty;
    const struct kir_tensor *tensor[2];  // POINTER: one; OVERLAP: both
    const struct ix *bytes[2];           // OVERLAP: of each, from its pointer on
    struct kir_extents unless;           // POINTER, OVERLAP: is not asked where one of them is zero
};

// A fact that the launcher asks for: the address of a tensor, or "value", is a multiple of "by".
struct kir_condition {
    const struct kir_tensor *tensor;  // or NULL
    const struct ix *value;
    bool may_overflow;  // "value": the fact does not hold then
    int64_t by;
};

// An argument of a kernel: a pointer, or a param as an int or an int64_t.
struct kir_argument {
    const struct kir_tensor *tensor;  // or
    const struct kir_param *param;
    bool narrow;
};

// The kernel, or one of its cases and variants.
struct kir_variant {
    const char *function;  // its name in the emitted file
    int bits;  // the widest access that depends on its conditions; 0: there are no variants
    int tag;   // what NAME_variant calls it
    const struct kir_condition *when;
    int nwhen;
    const char *when_text;  // in words; NULL when there are none
    const struct kir_argument *arg;
    int nargs;
    const struct ix *grid[3];
    int64_t threads;       // of a block
    int64_t shared_bytes;  // of a block, asked for at the launch
};

struct kir_launch {
    const char *name;                 // of the kernel, as messages have it
    const char *c_name;               // of which the launcher is C_NAME_launch
    const struct kir_tensor *tensor;  // its parameters: pointers,
    int ntensors;
    const struct kir_param *param;  // integers of 64 bits, and the stream
    int nparams;
    const struct kir_check *check;  // in this order
    int nchecks;
    const struct kir_variant *variant;  // the first one that fits is taken; the last always fits
    int nvariants;
};

#endif
