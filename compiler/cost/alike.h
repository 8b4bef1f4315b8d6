// Finds instructions of a copy that have the same cost, without computing their addresses.
//
// Lanes have the same distances as in the warp before, and a round or a shift moves all of them
// alike. The words of a bank and the sectors touched do not depend on where they begin, modulo a
// word or a sector.  With a swizzle, an XOR moves the lanes if a round changes no bit in which
// lanes differ: a swizzle is linear, and an XOR with one number keeps the number of lanes at each
// bank.  If a round changes such bits, the low ones must be the same, up to the bit from which on
// no lane carries.  Past the L1 cache, it also matters which lanes share a line of 128 bytes, and
// where in it they are.
#ifndef TCPC_COST_ALIKE_H
#define TCPC_COST_ALIKE_H

#include "cost/access.h"

enum { ALIKE_PLACES = 64 };
struct alike {
    struct alike_side {
        const struct accesses *a;  // NULL: instructions do not have this side
        // by lane: the bits in which lanes differ; without a swizzle, the distance
        int64_t apart[LANES];
        int64_t differ;       // the bits in which lanes differ; 0 without a swizzle
        int64_t rest;         // the bits that all lanes of the warp share
        int64_t first, span;  // the smallest lane, and the distance to the largest
        int multiple;         // bytes; moving all lanes by a multiple of it changes nothing
    } side[2];                // in global memory, in shared memory
    bool any;                 // otherwise nothing can be compared
    bool whole;               // all lanes must exist
    bool lines;               // it matters which lanes share a line
    int64_t warp, n;          // the last access that was looked up; -1: none
    uint32_t n_lanes;         // those that have a part of the tile in it
    uint32_t there;           // lanes that the warp has
    // instructions counted so far, by the begin of each side
    struct alike_one {
        bool known, ok;
        struct alike_key {
            int64_t began[2], from[2];
            // what is added to lanes in bits in which they differ, plus 1; 0: nothing
            int64_t low[2];
            uint64_t lanes;  // lanes that have a part of the tile
        } key;
        uint32_t lanes;
        struct warp_cost cost, least;
    } one[ALIKE_PLACES];
};

// Prepares for the sides of instructions of class "class"; NULL: there is no such side.
void alike_begin(struct alike *x, const struct accesses *global, const struct accesses *shared,
                 enum cost_class class);
// Goes to the next warp.
void alike_warp(struct alike *x, int64_t warp);
// The cost of access "n" at shift "shift"; NULL if it is not known.
const struct alike_one *alike_find(struct alike *x, int64_t n, int64_t shift);
// Records the cost of access "n" at shift "shift"; "ok": this shift is possible.
void alike_note(struct alike *x, int64_t n, int64_t shift, bool ok, uint32_t lanes,
                const struct warp_cost *cost, const struct warp_cost *least);

#endif
