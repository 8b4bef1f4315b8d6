// Barriers, arrivals and waits alone, without the accesses that they order.
//
// The check of accesses ends after some operations. What has none costs little, so all barriers of kernels are tried
// here that it does not come to: that all arrive that are counted, that no role waits for ever, that
// nobody comes to a barrier again before the others.
//
// Where all threads wait for groups, by barriers in memory, a wait tells two phases of a barrier apart, and each eighth
// group has the same barrier.  So before a group ends, all threads have waited for the eighth one before it, and
// met since then.
#ifndef TCPC_CHECK_ARRIVALS_H
#define TCPC_CHECK_ARRIVALS_H

#include "check/order_steps.h"

// What is wrong with those of kernel "k", with the params' values "sym", or NULL.  For phases it takes more steps
// than "steps".
const char *arrivals_trouble(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                             const struct order_steps *steps);

#endif
