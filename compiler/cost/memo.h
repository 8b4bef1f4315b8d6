// What the instructions of copies were found to cost, for copies whose addresses are the same up to
// whole lines: those of equal buffers, or of a plan and of its text with an edit elsewhere.
#ifndef TCPC_COST_MEMO_H
#define TCPC_COST_MEMO_H

#include "cost/access.h"
#include "cost/copy.h"

struct session;

struct cost_worst {
    struct warp_access access;
    int64_t warp;
};

// What all instructions of a block come to.
struct cost_counted {
    struct side_cost side;
    struct cost_worst worst[2];  // by sectors, by wavefronts
    int64_t work, alike;         // instructions that were looked at, and that were like another
};

// All that it depends on.
struct cost_asked {
    int arch;
    enum cost_class class;
    int matrices;
    uint32_t lanes;
    int64_t enough;
    const struct accesses *side[2];  // NULL: not there
};

struct cost_memo *cost_memo_new(void);
void cost_memo_free(struct cost_memo *m);
// Costs of session "s" are kept from here on, unless they are; returns what is to be given to the end.
struct cost_memo *cost_memo_begin(struct session *s);
void cost_memo_end(struct session *s, struct cost_memo *begun);

// What is known of "q"; NULL: nothing.  Takes no "m", too.
const struct cost_counted *cost_memo_find(struct cost_memo *m, const struct cost_asked *q);
// Keeps "x" for what was asked last, in place of the oldest one.
void cost_memo_keep(struct cost_memo *m, const struct cost_counted *x);

#endif
