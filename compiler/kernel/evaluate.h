// What an emitted launcher does with its arguments, worked out from its data.
#ifndef TCPC_KERNEL_EVALUATE_H
#define TCPC_KERNEL_EVALUATE_H

#include "kernel/launch.h"
#include "tcp_runtime.h"

struct launch_result {
    tcp_status status;
    char message[TCP_ERROR_BYTES];      // what tcp_last_error() says; "" with TCP_OK
    const struct kir_variant *variant;  // that is launched; NULL: nothing is
    int64_t grid[3], threads, shared_bytes;
};

// Does what the launcher of "l" does with "param" and "address", in the order of its params and
// tensors, up to the launch itself: checks, and chooses.  It allocates nothing, and may be called
// by many threads at once.
void launch_evaluate(const struct kir_launch *l, const int64_t *param, const uint64_t *address,
                     struct launch_result *out);

// The variant that these arguments get, which need not keep the promises.
const struct kir_variant *launch_choose(const struct kir_launch *l, const int64_t *param,
                                        const uint64_t *address);

#endif
