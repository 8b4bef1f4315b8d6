// Executing Kernel IR on tagged memory.
#ifndef TCPC_KERNEL_EVAL_H
#define TCPC_KERNEL_EVAL_H

#include "base/image.h"
#include "base/sample.h"
#include "kernel/kernel_ir.h"

// Executes the blocks and iterations that "what" selects, for the params' values "sym" (by lay_sym.id), on "img".  All
// threads of a block go through a statement before the next statement begins.  Returns NULL, or a sentence that says
// what could not be executed.
const char *kir_run(struct session *s, const struct kir_kernel *k, const int64_t *sym, const struct sample_set *what,
                    struct image *img);

#endif
