// Executes Kernel IR on memory of tags: the machine, with memory and registers as an observer.
#ifndef TCPC_MACHINE_VALUES_H
#define TCPC_MACHINE_VALUES_H

#include "image/image.h"
#include "image/sample.h"
#include "kernel/kernel_ir.h"

struct kir_trace;

// Executes the blocks and iterations that "what" selects, with the params' values "sym" (by
// lay_sym.id), on "img".  Asynchronous copies take effect at a wait for them, or with what->early
// immediately.  Fills "trace" unless it is NULL.  Returns NULL, or a sentence that says what could
// not be executed.  If no operations are left (what->left), or what->pages is exceeded, the rest is
// not executed; what->left is then 0.
const char *kir_run(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                    const struct sample_set *what, struct image *img, struct kir_trace *trace);

// Whether the sizes of all tensors fit 64 bits with these values; otherwise the launcher refuses
// them.
bool kir_has_ends(const struct kir_kernel *k, const int64_t *sym);

#endif
