// Observing who moves what between the global tensors.
#ifndef TCPC_MACHINE_TRACE_H
#define TCPC_MACHINE_TRACE_H

#include "image/image.h"
#include "machine/machine.h"

// For each element that was written, block and thread; for each that was read, a sum over its
// readers that tells different sets of them apart.  Both are empty before.
struct kir_trace {
    struct image *writer, *readers;
};

// A writer as a number, and its block and thread.
static inline int64_t kir_writer(int64_t block, int64_t thread) {
    return block << 20 | thread;
}
static inline int64_t kir_writer_block(int64_t writer) {
    return writer >> 20;
}
static inline int64_t kir_writer_thread(int64_t writer) {
    return writer & ((1 << 20) - 1);
}

struct observer trace_observer(struct kir_trace *trace);

#endif
