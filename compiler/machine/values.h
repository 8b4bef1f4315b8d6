// Executing Kernel IR on tagged memory: the machine, observed by memory and registers.
#ifndef TCPC_MACHINE_VALUES_H
#define TCPC_MACHINE_VALUES_H

#include "image/image.h"
#include "image/sample.h"
#include "kernel/kernel_ir.h"

struct kir_trace;

// Executes the blocks and iterations that "what" selects, for the params' values "sym" (by
// lay_sym.id), on "img".  Asynchronous copies move when they are waited for, or with what->early at
// once.  With "trace" it is filled in, else NULL.  Returns NULL, or a sentence that says what could
// not be executed.  Where no operations are left (what->left) the rest is not executed, nor where
// there would be more than what->pages; then nothing is left.
const char *kir_run(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                    const struct sample_set *what, struct image *img, struct kir_trace *trace);

// Whether the size of each tensor fits 64 bits with these values; else the launcher refuses them.
bool kir_has_ends(const struct kir_kernel *k, const int64_t *sym);

#endif
