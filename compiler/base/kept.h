// Results that a caller keeps from one compilation to the next, by a digest of all that they depend on:
// answers of proofs (prove/recall.c), and tests that a kernel passed (plan/known.h).
//
// Nobody may trust a kept result more than one that was computed: its digest covers the whole question.
#ifndef TCPC_BASE_KEPT_H
#define TCPC_BASE_KEPT_H

#include "base/digest.h"

enum { KEPT_MOST = 2048 };  // bytes of a result; a longer one is not kept

// The store, which belongs to the caller.  Both functions may be called by any thread, and never leave
// by a trap.
struct kept {
    // Copies the result to "out", KEPT_MOST bytes.  Returns its size; -1: there is none.
    int (*find)(struct kept *by, const struct digest *key, void *out);
    void (*keep)(struct kept *by, const struct digest *key, const void *result, size_t size);
};

// What was done for a kernel, and what was kept of earlier compilations.
struct kept_count {
    int64_t done, kept;
};

#endif
