// Which accesses to a buffer are within bounds.
#ifndef TCPC_MACHINE_REACH_H
#define TCPC_MACHINE_REACH_H

#include "machine/machine.h"

struct reach {
    const struct kir_kernel *k;
    const int64_t *span;  // elements of global tensors, by index in k->tensor
};

// An access of "elements" elements to "b" that begins at the returned element or before is within
// bounds; others may be.
int64_t reach_sure(const struct reach *v, const struct kir_buffer *b, int elements);
// Checks an access: it must be at a multiple of "elements", and its first "touched" elements must
// be inside the buffer.
bool reach_check(const struct reach *v, struct machine *m, const struct kir_buffer *b, int64_t at,
                 int elements, int touched);

#endif
