// Records which threads read and write elements of global tensors.
#ifndef TCPC_MACHINE_TRACE_H
#define TCPC_MACHINE_TRACE_H

#include "image/image.h"
#include "machine/machine.h"

// "writer" has block and thread for each written element.  "readers" has for each element that was
// read a sum over its readers, which differs for different sets of readers.  Both are empty at
// first.
struct kir_trace {
    struct image *writer, *readers;
};

// Encodes a writer's block and thread as one number, and decodes it.
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
