// Every compile checks itself: the Kernel IR is executed for the threads of some blocks and
// compared with what the plan means.
#ifndef TCPC_KERNEL_VERIFY_H
#define TCPC_KERNEL_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct plan;
struct kir;
struct kernel;
struct kir_kernel;

// False, with an error, when a kernel does something else than the plan says, or when the plan
// itself reads what nobody has written or writes an element twice.
bool verify_kernels(struct session *s, const struct plan *p, const struct kir *k);

// That accesses of "k" to shared memory are in order, for "n" values of the params by symbol: an
// error of a manual function, an error of ours in others.  Warns of what a manual function need not
// wait for.
bool verify_order(struct session *s, const struct kernel *k, const struct kir_kernel *x, int n,
                  const int64_t *const *sym);

#endif
