// GPU architectures: which names there are, and what differs between them.
#ifndef TCPC_PLAN_ARCH_H
#define TCPC_PLAN_ARCH_H

#include <stdint.h>

struct arena;

#define ARCH_DEFAULT "sm_80"  // when nobody says

// The number in "sm_90" (and in "sm_90a") when there is such an architecture, else 0 and in "near"
// the name that may have been meant, or NULL.
int arch_find(const char *name, const char **near);

// Why "name" is no architecture, in memory of "a"; NULL: it is one.
const char *arch_unknown(struct arena *a, const char *name);

// Bytes of shared memory that a block may have.  @pre "arch" is what arch_find gave
int64_t arch_shared_bytes(int arch);

#endif
