// Names in emitted code that C, C++, CUDA and the runtime have taken.
#ifndef TCPC_PLAN_C_NAMES_H
#define TCPC_PLAN_C_NAMES_H

#include <stdbool.h>

struct kernel;
struct plan;
struct session;

// What "name" already is where emitted code is compiled: "a word of C++"; NULL if it is free.
// Names that c_name_is_ours apart, one that ends in _ is free.
const char *c_name_taken(const char *name);
// Whether names like "name" are left to the runtime and to the compilers.
bool c_name_is_ours(const char *name);
// "name", or with an x before it if c_name_is_ours.
const char *c_name_own(struct session *s, const char *name);
// The begin of the names of the launcher of "k", and of what belongs to it.
const char *c_name_of_kernel(struct session *s, const struct plan *p, const struct kernel *k);
// The name of the __global__ function of the kernel called "stem", or of its variant "tag" (0:
// there are no variants).
const char *c_name_of_function(struct session *s, const struct plan *p, const char *stem, int tag);
// How the names of what belongs to a kernel and to a device function end; NULL behind the last one.
extern const char *const c_name_kernel_ends[], *const c_name_device_ends[];
// Whether "name" is "stem" with one of "ends" behind it.
bool c_name_is_made(const char *name, const char *stem, const char *const *ends);

#endif
