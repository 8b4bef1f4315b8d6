// Groups that all threads wait for, by barriers in memory.
//
// A wait tells two phases of a barrier apart, and of eight barriers each eighth group has the same.  So before a group
// ends, all threads have waited for the eighth one before it, and met since then.
#ifndef TCPC_CHECK_PHASES_H
#define TCPC_CHECK_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/arrival.h"

struct phases {
    int32_t waited;                           // so many groups, by all threads
    int32_t waited_in[2 * ARRIVAL_BARRIERS];  // .. the last ones in these epochs
};

// All threads wait for the first "groups" groups in epoch "epoch".
static inline void phases_wait(struct phases *x, int32_t groups, int32_t epoch) {
    for (; x->waited < groups; ++x->waited)
        x->waited_in[x->waited % (2 * ARRIVAL_BARRIERS)] = epoch;
}

// Whether the last of "groups" groups may end in epoch "epoch".
static inline bool phases_told(const struct phases *x, int barriers, int32_t groups,
                               int32_t epoch) {
    int32_t before = groups - 1 - barriers;
    return before < 0 ||
           (before < x->waited && x->waited_in[before % (2 * ARRIVAL_BARRIERS)] < epoch);
}

#endif
