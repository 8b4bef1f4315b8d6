// The place of a shared tensor, for pass "shared" and for code that tries other arrangements of it.
#ifndef TCPC_PASS_SHARED_H
#define TCPC_PASS_SHARED_H

#include "plan/plan.h"

enum { SHARED_MOST = 1 << 28 };  // elements of a tensor

// Places "t" after "at" bytes and sets its smem_offset and smem_elements.  Its layout, before the
// swizzle, has the cosize "cosize", and calls require an alignment of "asked" bytes.  Returns the
// end of the tensor in bytes.
int64_t shared_behind(struct tensor *t, int64_t cosize, int64_t asked, int64_t at);
// Places what counts the kernel's groups after "at" bytes, if that is in shared memory.  Returns
// the end of it.
int64_t shared_counted(struct kernel *k, int64_t at);

#endif
