// Is what threads do to shared memory in order in the Kernel IR?  Executes one block of it and
// keeps, for each piece of memory, who wrote and read it last; it knows nothing of how barriers and
// waits were placed.
//
// That a plan's accesses are in order for every size, block and step is proven (pass/sync/); this
// is a test, by sample, that lowering has kept that order.
#ifndef TCPC_CHECK_ORDER_H
#define TCPC_CHECK_ORDER_H

#include "kernel/kernel_ir.h"

// One of two accesses that are not in order.
struct order_access {
    const struct kir_node *node;
    int64_t thread;  // negative: an extern function, whose threads are not told apart
    bool write, async;
};

enum order_missing {
    ORDER_WAIT,    // for the group of the first access
    ORDER_BARRIER  // between the two
};

struct order_fault {
    enum order_missing missing;
    struct order_access first, second;  // second.node NULL: the end of a device function
    const struct kir_buffer *buf;
    int64_t at, bytes;    // of the buffer
    int younger;          // groups after that of the first access; -1: it is not committed
    const char *trouble;  // what could not be executed, or NULL
    bool no_value;        // .. as a number did not fit into 64 bits
    bool too_narrow;      // .. or not into the 32 that it has
};

// True when all is in order for the params' values "sym"; else "fault" says what is not.  With
// "beyond" pipelines take as many steps as any params give them, where no global memory is at
// stake.
bool order_check(struct session *s, const struct kir_kernel *k, const int64_t *sym, bool beyond,
                 struct order_fault *fault);

// The same with the very iterations that "sym" gives, as far as is affordable: order_check leaves
// steps out, also those at a pipeline's end that touch nothing, so that what it finds may be of no
// params.
bool order_confirm(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                   struct order_fault *fault);

#endif
