// Every compile tests its lowering: the Kernel IR is executed for the threads of some blocks and
// compared with what the plan means.
#ifndef TCPC_CHECK_VERIFY_H
#define TCPC_CHECK_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct plan;
struct kir;
struct kernel;
struct kir_kernel;

// False, with an error, when what a kernel means cannot be worked out for the params that were
// chosen; a kernel that does something else than the plan means, or a plan that breaks what was
// proven of it, is a mistake of ours.
bool verify_kernels(struct session *s, const struct plan *p, const struct kir *k);

// The same, one kernel after the other: the choices of the params' values, by symbol, and the
// kernels from "k" on that "x" has.
struct verify_choices {
    const int64_t *choice[3];
    int n;
};
struct verify_choices verify_choose(struct session *s, const struct plan *p);
bool verify_cases(struct session *s, const struct plan *p, const struct verify_choices *all,
                  const struct kernel *k, const struct kir_kernel *x);

// Executes a block of "x" for the last of the "n" choices of the params' values, by symbol:
// accesses of "k" that are not in order, with one of the choices, are a mistake of ours.
void verify_order(struct session *s, const struct kernel *k, const struct kir_kernel *x, int n,
                  const int64_t *const *choice);

// Executes blocks of "x", the variants of "k", with params as large as can be.  Returns a sentence
// with a number that its type does not hold, or NULL.
const char *widths_trouble(struct session *s, const struct plan *p, const struct kernel *k,
                           const struct kir_kernel *x);

#endif
