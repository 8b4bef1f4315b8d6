// The addresses of a copy: which bytes the lanes of each warp touch in each of its accesses.
//
// What a lane's address is made of is told apart: what its thread and the access say, which is
// known, and what shifts all lanes alike (the block, loops, a pointer), of which only a divisor is.
// Without values of the params, lanes whose addresses differ by a param are of different groups.
#ifndef TCPC_COST_ACCESS_H
#define TCPC_COST_ACCESS_H

#include "cost/warp.h"
#include "plan/plan.h"

// What bounds the threads and accesses that are there, the same in each block: at + round < limit.
struct lane_limit {
    int64_t *at;     // by thread + threads * each
    int64_t *round;  // by round
    int64_t limit;
};

// One side of a copy, which is in global or shared memory.
struct accesses {
    const struct tensor *tensor;
    struct lay_swizzle sw;
    int elem_bytes, bytes;  // of an access
    int64_t threads;
    int64_t neach, nrounds;  // accesses a thread makes: neach * nrounds
    int64_t *lane;           // elements, by thread + threads * each, under the swizzle
    int *group;              // by params, likewise; NULL: all are of one
    int ngroups;
    int64_t *round;  // elements to be added, by round
    struct lane_limit *limit;
    int nlimits;
    int64_t base;  // bytes: of the tensor, where that is known
    // All lanes may be shifted by each multiple of "inner" elements under the swizzle, and of
    // "outer" bytes after it, that is less than "inner_end" and "outer_end".
    int64_t inner, inner_end, outer, outer_end;
    bool by_round;      // by another one in each access
    bool scattered;     // and each group by another one
    const char *loose;  // what makes that more than one shift, as a sentence; NULL: it is one
    struct condition missing;  // what would make it one, where that can be promised; else by is 0
};

// Fills in "out" for side "src" of "c", whose facts are "f", with the params' values by lay_sym.id;
// NULL: for whatever values they have.  Only what shifts remain modulo "modulus" bytes matters, a
// power of two.  Returns why there are no addresses, as a sentence; NULL when there are.
const char *accesses_of(struct session *s, const struct plan *p, const struct kernel *k,
                        const struct copy *c, const struct copy_facts *f, bool src, int modulus,
                        const int64_t *sym_values, struct accesses *out);

// More are not looked at.
enum { ACCESS_SHIFTS = 256 };
// How many shifts there are.
int64_t accesses_shifts(const struct accesses *a);

// What access "n" at shift "shift" adds to a lane's elements under the swizzle, what the swizzle makes
// of a sum, and the bytes that are added after it.
int64_t accesses_under(const struct accesses *a, int64_t n, int64_t shift);
int64_t accesses_swizzled(const struct accesses *a, int64_t at);
int64_t accesses_behind(const struct accesses *a, int64_t shift);
// The elements of lane "i", its group's among them.
int64_t accesses_lane(const struct accesses *a, int64_t i);
// Which lanes of warp "warp" have something of the tile in access "n"; those beyond the copy's
// threads are among them.
uint32_t accesses_there(const struct accesses *a, int64_t warp, int64_t n);

// Access "n" of warp "warp" at shift "shift": the addresses in bytes, and in "*lanes" which of
// those lanes are of group "group"; -1: of any, each group far from the others.  Lanes beyond the
// copy's threads, and those that have nothing of the tile in any block, are left out.
void accesses_get(const struct accesses *a, int64_t warp, int64_t n, int64_t shift, int group,
                  int64_t address[COST_LANES], uint32_t *lanes);

#endif
