// The addresses of a copy: the bytes that the lanes of each warp touch in each access.
//
// An address has two parts: a known one, which depends on the thread and the access; and a shift
// that is the same for all lanes (block, loops, pointer), of which only a divisor is known.
// Without values of the params, lanes whose addresses differ by a param are in different groups.
#ifndef TCPC_COST_ACCESS_H
#define TCPC_COST_ACCESS_H

#include "cost/warp.h"
#include "plan/plan.h"

// A copy whose accesses are counted.
struct costed {
    const struct plan *p;
    const struct kernel *k;
    const struct copy *c;
    const struct copy_facts *f;  // those of "c", or of one of its variants (copy_facts_in)
    // of the params, by lay_sym.id.  NULL: for all values that keep the plan's promises; lanes
    // whose addresses differ by a param are assumed to share nothing.
    const int64_t *values;
};

// A bound for which threads and accesses exist, the same in each block: at + round < limit,
// or with "front" >= limit.
struct lane_limit {
    int64_t *at;     // by thread + threads * each
    int64_t *round;  // by round
    int64_t limit;
    bool front;
};

// One side of a copy, which is in global or shared memory.
struct accesses {
    const struct tensor *tensor;
    struct lay_swizzle sw;
    int elem_bytes, bytes;  // of an access
    int64_t threads;
    int64_t neach, nrounds;  // a thread makes neach * nrounds accesses
    int64_t *lane;           // elements, by thread + threads * each, before the swizzle
    int *group;              // by params, indexed in the same way; NULL: all are in one group
    int ngroups;
    int64_t *round;  // elements to be added in each round
    struct lane_limit *limit;
    int nlimits;
    int64_t base;  // address of the tensor in bytes, as far as known
    // All lanes may be shifted by each multiple of "inner" elements below "inner_end" before the
    // swizzle, and of "outer" bytes below "outer_end" after it.
    int64_t inner, inner_end, outer, outer_end;
    bool by_round;   // .. by a different shift in each access
    bool scattered;  // .. and each group by a different one
    // the reason why there are several shifts, as a sentence; NULL: there is one
    const char *loose;
    // a condition that would leave one shift, if it can be promised; otherwise by == 0
    struct condition missing;
};

// Fills "out" for side "src" of "y".  Only the remainder of a shift modulo "modulus" bytes, a power of two, matters.
// Returns why there are no addresses, as a sentence; NULL if there are.
const char *accesses_of(struct session *s, const struct costed *y, bool src, int modulus,
                        struct accesses *out);

// Most shifts that are examined.
enum { ACCESS_SHIFTS = 256 };
// The number of shifts.
int64_t accesses_shifts(const struct accesses *a);

// What access "n" at shift "shift" adds to the elements of a lane before the swizzle; the swizzle
// of a sum; and the bytes that are added after it.
int64_t accesses_under(const struct accesses *a, int64_t n, int64_t shift);
int64_t accesses_swizzled(const struct accesses *a, int64_t at);
int64_t accesses_behind(const struct accesses *a, int64_t shift);
// The elements of lane "i", including those of its group.
int64_t accesses_lane(const struct accesses *a, int64_t i);
// The lanes of warp "warp" that have a part of the tile in access "n", including lanes beyond the
// copy's threads.
uint32_t accesses_there(const struct accesses *a, int64_t warp, int64_t n);

// Access "n" of warp "warp" at shift "shift": the addresses in bytes, and in "*lanes" those lanes
// that are in group "group" (-1: in any group; groups are then far apart).  Lanes beyond the copy's
// threads, and those without a part of the tile in any block, are left out.
void accesses_get(const struct accesses *a, int64_t warp, int64_t n, int64_t shift, int group,
                  int64_t address[LANES], uint32_t *lanes);

// The fewest different sectors in which the elements of side "src" of "y" lie, which is in global memory;
// 0: not known.  No order of the threads needs fewer.
int64_t accesses_sectors(struct session *s, const struct costed *y, bool src);

#endif
