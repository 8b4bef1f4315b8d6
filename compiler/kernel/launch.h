// The launcher of a kernel as data: its arguments, its checks, how it chooses a variant, and what
// it launches.  Lowering makes it.  The emitter prints it in C, `explain` describes it, and
// launch_new (launch/launch.h) makes the data of it that other programs see, and evaluate without a
// host compiler.
#ifndef TCPC_KERNEL_LAUNCH_H
#define TCPC_KERNEL_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "image/elem.h"
#include "index/ix.h"

struct kir_kernel;
struct kir_map;

// A tensor as the plan declares it, where the planner's has other modes.
struct kir_declared {
    const char *name;
    struct lay layout;
    const char *const *names;
};

struct kir_tensor {
    const char *name, *c_name;
    const struct elem_type *elem;
    int align;  // bytes
    int id;
    bool written, read;
    struct lay layout;
    const char *const *names;  // of its modes; NULL: they have none
    // elements in memory, from the pointer on: largest offset + 1
    const struct ix *span;
    // sizes of modes; if an output has a size of zero, there is nothing to do
    const struct ix *const *extent;
    int nextents;
    // strides of these modes in bytes; NULL: a swizzle, or numbers that may not fit 64 bits
    const struct ix *const *stride;
    bool gaps;  // memory between its elements may belong to another tensor
    const struct kir_declared *declared;  // NULL: as above
    // Over the devices of a mesh: elements in memory of the part of one device; NULL: it is on one.
    const struct ix *part_span;
    // .. and the device whose part a block accesses; NULL: its own
    const struct ix *device;
    const char *own_c_name;  // .. then the name of the device's own part in emitted code
};

struct kir_param {
    const char *name, *c_name;
    const struct ix *sum;  // what the launcher computes it from; NULL: the caller passes it
    const struct lay_sym *sym;
    int64_t lo, hi, mul;
    bool narrow;   // fits an int: decided by kernel/widths.h
    bool in_body;  // the body uses it, not only the grid or the promises
    bool apart;    // in emitted code it is 0 (struct spread)
};

struct kir_relation {
    const struct ix *a, *b;
    const char *op, *text;
};

// Extents; each of them may be zero.
struct kir_extents {
    const struct ix *const *extent;
    int n;
};

enum kir_check_kind {
    KIR_CHECK_RANGE,     // the param is in its range
    KIR_CHECK_MULTIPLE,  // the param is a multiple
    KIR_CHECK_SUM,       // not a check: computes the param, a sum of the others
    KIR_CHECK_EXACT,     // "value" fits 64 bits; "what" is its name in messages
    KIR_CHECK_RELATION,  // the relation holds
    KIR_CHECK_NOTHING,   // not a check: returns if nothing is to be written
    KIR_CHECK_POINTER,   // the pointer is not null and is aligned
    KIR_CHECK_OVERLAP    // the two tensors share no element
};

struct kir_check {
    enum kir_check_kind kind;
    const struct kir_param *param;        // RANGE, MULTIPLE, SUM
    const struct kir_relation *relation;  // RELATION
    const char *what;                     // EXACT
    const struct ix *value;               // EXACT
    const struct kir_extents *empty;      // NOTHING: in each of these, an extent is zero
    int nempty;
    const struct kir_tensor *tensor[2];  // POINTER: one; OVERLAP: both
    const struct ix *bytes[2];           // OVERLAP: the size of each, from its pointer on
    bool between;                        // OVERLAP: one may be in the gaps of the other
    struct kir_extents unless;           // POINTER, OVERLAP: not checked if one of these is zero
};

// A condition that the launcher checks: the address of a tensor, or "value", is a multiple of "by",
// or "unless" is at most 1.
struct kir_condition {
    const struct kir_tensor *tensor;  // or NULL
    const struct ix *value;
    bool may_overflow;  // of "value": the condition is then false
    int64_t by;
    const struct ix *unless;  // or NULL
};

// An argument of a kernel: a pointer, or a param as an int or an int64_t.
struct kir_argument {
    const struct kir_tensor *tensor;  // or
    const struct kir_param *param;    // or
    const struct kir_map *map;
    bool narrow;
};

// The kernel, or one of its cases or variants.
struct kir_variant {
    const char *function;  // its name in the emitted file
    int bits;  // the widest access that depends on its conditions; 0: there are no variants
    int tag;   // number in NAME_variant
    const struct kir_condition *when;
    int nwhen;
    const char *when_text;  // as text; NULL if there are none
    const struct kir_argument *arg;
    int nargs;
    const struct kir_kernel *kernel;  // its grid, threads and shared memory are launched
};

// A kernel that is one for a number of devices: its launcher is C_NAME_launch.
struct kir_numbered {
    const char *c_name;
    const struct kir_param *const *by;  // .. if these have these values
    const int64_t *value;
    int nvalues;
    const struct kir_param *const *arg;  // behind the tensors
    int nargs;
};

// What chooses among these kernels.
struct kir_numbers {
    const struct kir_kernel *head;  // has no body; its launcher calls one of the others
    const struct kir_numbered *at;
    int n;
};

struct kir_launch {
    const char *name;    // name of the kernel in messages
    const char *c_name;  // the launcher is C_NAME_launch
    // its parameters: pointers (these), integers of 64 bits (the first "ngiven" of param), and the
    // stream
    const struct kir_tensor *tensor;
    int ntensors;
    const struct kir_param *param;
    int nparams, ngiven;
    const struct kir_check *check;  // in the order of execution
    int nchecks;
    // the first one whose conditions hold is launched; the last one has none
    const struct kir_variant *variant;
    int nvariants;
};

#endif
