// What a copy costs: sectors and requests of global memory, wavefronts of shared memory, of one
// instruction of a warp and of all that a block executes for it once.  Tiles are whole: what an
// edge leaves out is counted too.
#ifndef TCPC_COST_COPY_H
#define TCPC_COST_COPY_H

#include "cost/warp.h"
#include "plan/plan.h"

// A side in global memory has sectors and requests, one in shared memory wavefronts; the other
// numbers are 0.  A range is for what is not known of addresses, or of a rule.
struct side_cost {
    bool there;       // the side is in global or shared memory
    const char *why;  // there is no number, as a sentence; NULL: there is
    enum cost_class class;
    int64_t instructions;          // of all warps of a block
    int64_t threads;               // that make any access
    struct warp_cost most, total;  // of one instruction of one warp; of all
    struct warp_cost least, least_total;
    const char *loose;         // why a number is a range, as a sentence; NULL: none is
    struct condition missing;  // what would make it exact, where that can be promised; else by is 0
    // The instruction that costs most, wherever the tile may begin, the first of those, and its
    // warp.  Its addresses are right up to a shift of all by a multiple of 128 bytes.
    struct warp_access worst;
    int64_t worst_warp;
    int64_t work;  // instructions of warps that were looked at
};

struct copy_cost {
    struct side_cost src, dst;
};

// Fills in "out" for "c" with facts "f" (copy_facts_in), with the params' values by lay_sym.id;
// NULL: the numbers hold for all values that keep the plan's promises, in that lanes whose
// addresses differ by a param are taken to have nothing in common.
void cost_of_copy(struct session *s, const struct plan *p, const struct kernel *k,
                  const struct copy *c, const struct copy_facts *f, const int64_t *sym_values,
                  struct copy_cost *out);

// The same of one side.
void cost_of_side(struct session *s, const struct plan *p, const struct kernel *k,
                  const struct copy *c, const struct copy_facts *f, const int64_t *sym_values,
                  bool src, struct side_cost *out);

// The same of its totals alone, given up once it takes more than "enough" wavefronts; there is no
// number then.
void cost_of_side_within(struct session *s, const struct plan *p, const struct kernel *k,
                         const struct copy *c, const struct copy_facts *f,
                         const int64_t *sym_values, bool src, int64_t enough,
                         struct side_cost *out);

static inline const struct side_cost *cost_side(const struct copy_cost *c, bool src) {
    return src ? &c->src : &c->dst;
}
static inline bool cost_exact(struct cost_range r) {
    return r.least == r.most;
}
// Whether it is reported as too much, also at the least: twice what is possible.
static inline bool cost_is_much(struct cost_range have, struct cost_range least) {
    return have.least >= 2 * least.most && least.most > 0;
}
// "16", "16 to 17"
const char *cost_range_text(struct session *s, struct cost_range r);
// "8-way bank conflict", where class "c" takes so many times what is needed; what moves by lines
// has no banks.
const char *cost_conflict_text(struct session *s, enum cost_class c, int64_t times);
// Of "least" possible and "have", whose most counts: 1 .. 100; 100 where nothing is to be had.
int cost_percent(struct cost_range least, struct cost_range have);

#endif
