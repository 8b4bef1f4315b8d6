// What is known of addresses: of a tensor's first element, and of a view's.  This alone reads what
// "align" promises; a tensor without it is known to be aligned to its element and nothing else, but
// for what the compiler sees to itself.
#ifndef TCPC_PLAN_ALIGN_H
#define TCPC_PLAN_ALIGN_H

#include "plan/plan.h"

enum {
    ALIGN_BLOCK = 1024,  // bytes, of the shared memory of a block
    ALIGN_PLACED = 128,  // of a shared tensor that the compiler places, at least
    ALIGN_ACCESS = 16,   // of the widest access that there is
};

// Bytes to which "t" is known to be aligned.
int64_t align_known(const struct tensor *t);

// The same with what "k" may ask of its caller, where it is a device function: a tensor that is
// declared without "align" is then as wide accesses need it.
int64_t align_counted_on(const struct kernel *k, const struct tensor *t);

// Whether "t" can be had at a multiple of "bytes" in "k": it is known to be there, or the compiler
// sees to it, by placing it or by asking the device function's caller.
bool align_can_be(const struct kernel *k, const struct tensor *t, int64_t bytes);

// Bytes that divide where view "v" begins in its tensor; 0 at its beginning.
int64_t align_offset(const struct view *v);

// Bytes to which the functions that "list" calls want "t" to be aligned; at least 1.
int64_t align_for_calls(const struct stmt *list, const struct tensor *t);
// Bytes to which "f", of an extern function, has to be aligned.
int64_t align_of_formal(const struct formal *f);

#endif
