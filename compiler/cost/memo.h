// A cache of the costs of copies, for copies whose addresses are the same up to whole lines: with
// equal buffers, or in a plan and its text after an edit elsewhere.
#ifndef TCPC_COST_MEMO_H
#define TCPC_COST_MEMO_H

#include "cost/access.h"
#include "cost/copy.h"

struct session;

struct cost_worst {
    struct warp_access access;
    int64_t warp;
};

// The totals of all instructions of a block.
struct cost_counted {
    struct side_cost side;
    struct cost_worst worst[2];  // [0] by sectors, [1] by wavefronts
    int64_t work, alike;         // instructions examined, and those like another one
};

// Everything that the cost depends on.
struct cost_asked {
    int arch;
    enum cost_class class;
    int matrices;
    uint32_t lanes;
    int64_t enough;
    const struct accesses *side[2];  // NULL: there is no such side
};

struct cost_memo *cost_memo_new(void);
void cost_memo_free(struct cost_memo *m);
// Begins to cache costs in session "s", unless it does so already; returns what to give to
// cost_memo_end.
struct cost_memo *cost_memo_begin(struct session *s);
void cost_memo_end(struct session *s, struct cost_memo *begun);

// The cached result for "q"; NULL if there is none, or if "m" is NULL.
const struct cost_counted *cost_memo_find(struct cost_memo *m, const struct cost_asked *q);
// Caches "x" for the last request, in place of the oldest entry.
void cost_memo_keep(struct cost_memo *m, const struct cost_counted *x);

#endif
