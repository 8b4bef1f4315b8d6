// Where accesses to a buffer are in order.
#ifndef TCPC_MACHINE_REACH_H
#define TCPC_MACHINE_REACH_H

#include "machine/machine.h"

struct reach {
    const struct kir_kernel *k;
    const int64_t *span;  // of global tensors, by place in k->tensor
};

// Where an access of "elements" to "b" is in order; an access elsewhere may be.
int64_t reach_sure(const struct reach *v, const struct kir_buffer *b, int elements);
// An access must be at a multiple of "elements"; "touched" elements of it inside what they are of.
bool reach_check(const struct reach *v, struct machine *m, const struct kir_buffer *b, int64_t at,
                 int elements, int touched);

#endif
