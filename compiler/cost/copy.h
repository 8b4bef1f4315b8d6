// The cost of a copy: sectors and requests of global memory, and wavefronts of shared memory, for
// one instruction of a warp and for all instructions of a block.  Tiles are whole: elements beyond
// an edge are counted too.
#ifndef TCPC_COST_COPY_H
#define TCPC_COST_COPY_H

#include "cost/access.h"
#include "cost/warp.h"
#include "plan/plan.h"

// A side in global memory has sectors and requests, one in shared memory wavefronts; the other
// numbers are 0. A number is a range if an address or a rule is not completely known.
struct side_cost {
    bool there;       // the side is in global or shared memory
    const char *why;  // why there is no number, as a sentence; NULL: there is one
    enum cost_class class;
    int64_t instructions;  // of all warps of a block
    int64_t threads;       // that make an access
    // most: of one instruction of a warp; total: of all
    struct warp_cost most, total;
    struct warp_cost least, least_total;
    const char *loose;  // why a number is a range, as a sentence; NULL: none is
    // a condition that would make it exact, if it can be promised; otherwise by == 0
    struct condition missing;
    // The first instruction with the largest cost, for any begin of the tile, and its warp.  All
    // its addresses are shifted by the same multiple of 128 bytes.
    struct warp_access worst;
    int64_t worst_warp;
    int64_t work;  // instructions of warps that were examined
};

struct copy_cost {
    struct side_cost src, dst;
};

void cost_of_copy(struct session *s, const struct costed *y, struct copy_cost *out);

// The same for one side.
void cost_of_side(struct session *s, const struct costed *y, bool src, struct side_cost *out);

// The same for the totals only.  Gives up without a number after more than "enough" wavefronts.
void cost_of_side_within(struct session *s, const struct costed *y, bool src, int64_t enough,
                         struct side_cost *out);

static inline const struct side_cost *cost_side(const struct copy_cost *c, bool src) {
    return src ? &c->src : &c->dst;
}
static inline bool cost_exact(struct cost_range r) {
    return r.least == r.most;
}
// Whether even the smallest count is reported as too much: twice the possible minimum.
static inline bool cost_is_much(struct cost_range have, struct cost_range least) {
    return have.least >= 2 * least.most && least.most > 0;
}
// The range as text: "16", "16 to 17".
const char *cost_range_text(struct session *s, struct cost_range r);
// Text such as "8-way bank conflict", for an access of class "c" that takes "times" the minimum.
// Classes that move lines have no banks.
const char *cost_conflict_text(struct session *s, enum cost_class c, int64_t times);
// The percentage of "least" in "have", taking the maximum of "have": 1 .. 100; 100 if the minimum
// is 0.
int cost_percent(struct cost_range least, struct cost_range have);

#endif
