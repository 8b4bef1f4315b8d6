// Instructions of one copy that cost the same, found without working out their addresses.
//
// Lanes are as far apart as in the warp before, and a round or a shift moves all
// of them alike.  What a bank gives, and which sectors are touched, does not depend on where all of
// it begins, as far as that is a multiple of a word, or of a sector.  Under a swizzle it is an
// exclusive or that moves them, where a round changes no bit in which lanes differ: a swizzle is
// linear, and an exclusive or with one number leaves as many lanes at each bank.
#ifndef TCPC_COST_ALIKE_H
#define TCPC_COST_ALIKE_H

#include "cost/access.h"

enum { ALIKE_PLACES = 32 };
struct alike {
    const struct accesses *a;   // NULL: nothing is known of others
    int multiple;               // bytes, by which what moves all lanes does not matter
    uint32_t there;             // lanes of the warp
    int64_t apart[COST_LANES];  // by lane: bits in which lanes differ; without a swizzle, distance
    int64_t differ;             // these bits; 0 without a swizzle
    int64_t rest;               // what all lanes of the warp have
    // instructions that were counted, by what they begin at
    struct alike_one {
        bool known, ok;
        int64_t began, from;
        uint32_t lanes;
        struct warp_cost cost, least;
    } one[ALIKE_PLACES];
};

// For the one side "a" of instructions of class "class".
void alike_begin(struct alike *x, const struct accesses *a, enum cost_class class);
// The next warp.
void alike_warp(struct alike *x, int64_t warp);
// What access "n" at shift "shift" costs; NULL: it is not known.
const struct alike_one *alike_find(const struct alike *x, int64_t n, int64_t shift);
// What access "n" at shift "shift" was found to cost; "ok": it can be there.
void alike_note(struct alike *x, int64_t n, int64_t shift, bool ok, uint32_t lanes,
                const struct warp_cost *cost, const struct warp_cost *least);

#endif
