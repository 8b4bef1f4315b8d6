// Executes an emitted launcher on its data, without a compiler.
#ifndef TCPC_KERNEL_EVALUATE_H
#define TCPC_KERNEL_EVALUATE_H

#include "kernel/launch.h"
#include "tcp_runtime.h"

struct launch_result {
    tcp_status status;
    char message[TCP_ERROR_BYTES];  // the text of tcp_last_error(); "" for TCP_OK
    // the variant that is launched; NULL: nothing is launched
    const struct kir_variant *variant;
    int64_t grid[3], threads, shared_bytes;
};

// Does what the launcher of "l" does with "param" and "address", in the order of its params and
// tensors, before it launches: checks them and chooses a variant.  Allocates nothing, and may be
// called from many threads at once.
void launch_evaluate(const struct kir_launch *l, const int64_t *param, const uint64_t *address,
                     struct launch_result *out);

// The variant for these arguments, which need not fulfil the promises.
const struct kir_variant *launch_choose(const struct kir_launch *l, const int64_t *param,
                                        const uint64_t *address);

#endif
