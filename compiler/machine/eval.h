// Executing Kernel IR on tagged memory.
#ifndef TCPC_MACHINE_EVAL_H
#define TCPC_MACHINE_EVAL_H

#include "image/image.h"
#include "image/sample.h"
#include "kernel/kernel_ir.h"

// Executes the blocks and iterations that "what" selects, for the params' values "sym" (by
// lay_sym.id), on "img".  All threads of a block go through a statement before the next statement
// begins; asynchronous copies move when they are waited for, or with what->early at once.  Returns
// NULL, or a sentence that says what could not be executed.
const char *kir_run(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                    const struct sample_set *what, struct image *img);

// Who moved what between the global tensors: for each element that was written, block and thread;
// for each that was read, a sum over its readers that tells different sets of them apart.
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
// The same, and fills in "trace", whose images are empty before.
const char *kir_run_traced(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                           const struct sample_set *what, struct image *img,
                           struct kir_trace *trace);

#endif
