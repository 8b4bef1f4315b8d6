// Where a shared tensor is, for pass "shared" and for who tries other arrangements of one.
#ifndef TCPC_PASS_SHARED_H
#define TCPC_PASS_SHARED_H

#include "plan/plan.h"

enum { SHARED_MOST = 1 << 28 };  // elements of a tensor

// Places "t", whose layout under the swizzle has cosize "cosize" and for which calls ask for an
// alignment of "asked" bytes, after "at" bytes: fills its smem_offset and smem_elements.  Returns
// where it ends.
int64_t shared_behind(struct tensor *t, int64_t cosize, int64_t asked, int64_t at);

#endif
