// Known alignments of tensors and views, in bytes.  Only this file reads what "align" promises.  A
// tensor without it is aligned to its element, unless the compiler places it.
#ifndef TCPC_PLAN_ALIGN_H
#define TCPC_PLAN_ALIGN_H

#include "plan/plan.h"

enum {
    ALIGN_BLOCK = 1024,  // the shared memory of a block
    ALIGN_PLACED = 128,  // a shared tensor that the compiler places, at least
    ALIGN_ACCESS = 16,   // the widest access
};

// The alignment of the first element of "t" in bytes, as far as it is known.
int64_t align_known(const struct tensor *t);

// The same, including what device function "k" asks of its caller: a tensor declared without
// "align" must then be aligned for wide accesses.
int64_t align_counted_on(const struct kernel *k, const struct tensor *t);

// Whether "t" can be aligned to "bytes" in "k": it is known to be, or the compiler places it so, or
// the caller of the device function must.
bool align_can_be(const struct kernel *k, const struct tensor *t, int64_t bytes);

// The largest known divisor, in bytes, of the offset at which view "v" begins in its tensor; 0 for
// offset 0.
int64_t align_offset(const struct view *v);

// The largest alignment of "t", in bytes, that the functions called in "k" require; at least 1.
int64_t align_for_calls(const struct kernel *k, const struct tensor *t);
// The alignment, in bytes, that formal "f" of a called function requires.
int64_t align_of_formal(const struct formal *f);

#endif
