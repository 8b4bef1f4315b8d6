// How the banks of shared memory serve a warp: the first access of a copy, split into the
// wavefronts that its conflicts make of it.
//
// A wavefront gives one word of 32 bits from each of 32 banks, to any number of lanes.  Accesses of
// 32 bits a lane and less go at once, of 64 bits in halves of the warp, of 128 bits in quarters
// (CUDA C++ Programming Guide, "Shared Memory"); asynchronous copies count otherwise.
#ifndef TCPC_COST_BANKS_H
#define TCPC_COST_BANKS_H

#include "plan/plan.h"

enum { BANKS_LANES = 32, BANKS = 32, BANKS_WORDS = 16, BANKS_ROWS = 256 };

// What one bank gives in one wavefront.
struct bank_slot {
    int64_t word;  // counted from the beginning of shared memory, in 32 bits
    int lane;      // the first that wants the word
    bool shared, used;
};

struct banks {
    int lanes, bits, nwords;  // that take part; of a lane's access, and in words
    int64_t word[BANKS_LANES][BANKS_WORDS];
    struct bank_slot (*slot)[BANKS];  // by wavefront
    int nrows;                        // wavefronts
    int nphases;                      // the fewest there can be
    int phase_of[BANKS_ROWS];         // by wavefront
};

// Fills in "w" for block (0,0,0) and the first iteration, with the params' values "sym_values", for
// the store of "c" ("dst") or its load.  Returns why that cannot be had, NULL when it can.
const char *banks_count(struct session *s, const struct plan *plan, const struct kernel *k,
                        const struct copy *c, const int64_t *sym_values, bool dst, struct banks *w);

#endif
