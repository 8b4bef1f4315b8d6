// Are the accesses of threads to shared memory ordered in the Kernel IR?  Executes one block, and
// records for each piece of memory who read and wrote it last.  It does not know how barriers and
// waits were placed.
//
// pass/sync/ proves that a plan's accesses are ordered for every size, block and iteration.  This
// is a test of samples that lowering has kept that order.
#ifndef TCPC_CHECK_ORDER_H
#define TCPC_CHECK_ORDER_H

#include "kernel/kernel_ir.h"

// One of two accesses that are not ordered.
struct order_access {
    const struct kir_node *node;
    int64_t thread;  // negative: an extern function, whose threads are not distinguished
    bool write, async;
};

enum order_missing {
    ORDER_WAIT,     // a wait for the group of the first access
    ORDER_BARRIER,  // a barrier between the two
    ORDER_FENCE     // .. and a fence before it
};

struct order_fault {
    enum order_missing missing;
    struct order_access first, second;  // second.node NULL: the end of a device function
    const struct kir_buffer *buf;
    int64_t at, bytes;  // offset in the buffer, in bytes
    int younger;  // groups committed after that of the first access; -1: its group is not committed
    const char *trouble;  // why execution failed, or NULL
    bool no_value;        // .. because a number did not fit 64 bits
    bool too_narrow;      // .. or not the 32 bits that it has
};

// Whether all accesses are ordered for the params' values "sym"; otherwise sets "fault".  With
// "beyond", pipelines that do not access global memory take as many steps as any params give them.
bool order_check(struct session *s, const struct kir_kernel *k, const int64_t *sym, bool beyond,
                 struct order_fault *fault);

// The same for exactly the iterations that "sym" gives, as far as affordable.  order_check omits
// steps, also at the end of pipelines, so what it finds may not happen for any params.
bool order_confirm(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                   struct order_fault *fault);

#endif
