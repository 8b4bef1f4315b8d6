// GPU architectures: their names, and how they differ.
#ifndef TCPC_PLAN_ARCH_H
#define TCPC_PLAN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define ARCH_DEFAULT "sm_80"  // when nobody says

// The "i"-th name of all, counted from 0; NULL when there are no more.
const char *arch_at(size_t i);

// The number in "sm_90" (and in "sm_90a") if this is a known architecture.  Otherwise returns 0 and
// sets "near" to the name that was probably meant, or NULL.
int arch_find(const char *name, const char **near);

// Why "name" is no known architecture, allocated in "a"; NULL if it is one.
const char *arch_unknown(struct arena *a, const char *name);

// Whether code for the architecture "name" has an instruction of which a row says "min_arch" and
// "feature" (atoms.h).  @pre arch_find knows "name"
bool arch_has(const char *name, int min_arch, char feature);

// Shared memory that a block may have, in bytes.  @pre "arch" is a result of arch_find
int64_t arch_shared_bytes(int arch);

#endif
