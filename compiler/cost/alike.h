// Instructions of one copy that cost the same, found without working out their addresses.
//
// Lanes are as far apart as in the warp before, and a round or a shift moves all
// of them alike.  What a bank gives, and which sectors are touched, does not depend on where all of
// it begins, as far as that is a multiple of a word, or of a sector.  Under a swizzle it is an
// exclusive or that moves them, where a round changes no bit in which lanes differ: a swizzle is
// linear, and an exclusive or with one number leaves as many lanes at each bank.  Where it changes such
// bits, the low ones up to where no lane carries are what has to be the same.  Past the
// L1 cache it matters which lanes share a line of 128 bytes, and where in it they are.
#ifndef TCPC_COST_ALIKE_H
#define TCPC_COST_ALIKE_H

#include "cost/access.h"

enum { ALIKE_PLACES = 64 };
struct alike {
    struct alike_side {
        const struct accesses *a;  // NULL: instructions have no such side
        // by lane: bits in which lanes differ; without a swizzle, distance
        int64_t apart[COST_LANES];
        int64_t differ;       // these bits; 0 without a swizzle
        int64_t rest;         // what all lanes of the warp have
        int64_t first, span;  // the least lane, and from there to the greatest
        int multiple;         // bytes, by which what moves all lanes does not matter
    } side[2];                // in global memory, in shared memory
    bool any;                 // else nothing is known of others
    bool whole;               // all lanes have to be there
    bool lines;               // which lanes share a line matters
    int64_t warp, n;          // the last access that was asked for; -1: none was
    uint32_t n_lanes;         // that have something of the tile in it
    uint32_t there;           // lanes of the warp
    // instructions that were counted, by what each side begins at
    struct alike_one {
        bool known, ok;
        struct alike_key {
            int64_t began[2], from[2];
            int64_t low[2];  // that is added to lanes in bits in which they differ, more 1; or 0
            uint64_t lanes;  // that have something of the tile
        } key;
        uint32_t lanes;
        struct warp_cost cost, least;
    } one[ALIKE_PLACES];
};

// For the sides of instructions of class "class"; NULL: they have no such side.
void alike_begin(struct alike *x, const struct accesses *global, const struct accesses *shared,
                 enum cost_class class);
// The next warp.
void alike_warp(struct alike *x, int64_t warp);
// What access "n" at shift "shift" costs; NULL: it is not known.
const struct alike_one *alike_find(struct alike *x, int64_t n, int64_t shift);
// What access "n" at shift "shift" was found to cost; "ok": it can be there.
void alike_note(struct alike *x, int64_t n, int64_t shift, bool ok, uint32_t lanes,
                const struct warp_cost *cost, const struct warp_cost *least);

#endif
