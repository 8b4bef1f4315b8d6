// Tests lowering on every compile: executes the Kernel IR for the threads of some blocks, and
// compares the result with the meaning of the plan.
#ifndef TCPC_CHECK_VERIFY_H
#define TCPC_CHECK_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct plan;
struct kir;
struct kernel;
struct kir_kernel;

// Returns false, with an error, if the meaning of a kernel cannot be computed for the chosen
// params. If a kernel does not do what the plan means, or a plan breaks what was proven, that is an
// internal error.
bool verify_kernels(struct session *s, const struct plan *p, const struct kir *k);

// The same, kernel by kernel: verify_choose chooses values of params, by symbol; verify_cases tests
// "k" and its further cases, which are in "x".
struct verify_choices {
    const int64_t *choice[3];
    int n;
};
struct verify_choices verify_choose(struct session *s, const struct plan *p);
bool verify_cases(struct session *s, const struct plan *p, const struct verify_choices *all,
                  const struct kernel *k, const struct kir_kernel *x);

// Executes a block of "x" for the last of the "n" choices of the params' values, by symbol.  If
// accesses of "k" are not ordered with one of the choices, that is an internal error.
void verify_order(struct session *s, const struct kernel *k, const struct kir_kernel *x, int n,
                  const int64_t *const *choice);

// Executes blocks of "x", the variants of "k", with params as large as possible.  Returns a
// sentence with a number that does not fit its type, or NULL.
const char *widths_trouble(struct session *s, const struct plan *p, const struct kernel *k,
                           const struct kir_kernel *x);

#endif
