// Every compile checks itself: the Kernel IR is executed for the threads of some blocks and
// compared with what the plan means.
#ifndef TCPC_KERNEL_VERIFY_H
#define TCPC_KERNEL_VERIFY_H

#include <stdbool.h>

struct session;
struct plan;
struct kir;

// False, with an error, when a kernel does something else than the plan says, or when the plan
// itself reads what nobody has written or writes an element twice.
bool verify_kernels(struct session *s, const struct plan *p, const struct kir *k);

#endif
