// What threads wait for: arrivals.
//
// An arrival is what somebody reports: a thread that reaches a place, or a copy that is done.  A
// wait goes on when those have arrived that it names.  Each kind of arrival has a row in
// arrival_row; the modules ask the row, and have a case of their own only where they do something
// for one kind (CONTRIBUTING.md lists them).
#ifndef TCPC_HW_ARRIVAL_H
#define TCPC_HW_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum arrival_kind {
    ARRIVAL_NONE,   // nothing is waited for
    ARRIVAL_GROUP,  // a thread's asynchronous copies up to its last "commit" but "count"
    ARRIVAL_BLOCK,  // all threads of the block
    ARRIVAL_NAMED,  // "count" threads at the named barrier "of"
    ARRIVAL_MEMORY  // "count" arrivals, and all bytes, at the barriers in memory of ring "of"
};

// The most barriers of a ring in memory.  Of N, group g, counted from 0, is phase g / N of barrier g % N.
enum { ARRIVAL_BARRIERS = 8, ARRIVAL_RINGS = 8 };

// How many a ring has where at most so many groups are begun and not used: a power of 2, so that the barrier of a
// group is found at once.
static inline int arrival_barriers(int64_t groups) {
    int n = 1;
    while (n < groups && n < ARRIVAL_BARRIERS) n *= 2;
    return n;
}

// Who makes an arrival at a barrier in memory.
enum arrival_by {
    BY_LEADER,  // the thread that issues copies: it says how many bytes they have, and ends the group
    BY_EACH,    // each thread, of what it did itself
    BY_COPIES  // each thread's asynchronous copies so far, when they have completed
};

// An arrival, or a wait for it.
struct arrival {
    enum arrival_kind kind;
    int of;     // ARRIVAL_NAMED: the number of the barrier; ARRIVAL_MEMORY: of the ring
    int count;  // ARRIVAL_GROUP: so many groups may stay in flight; ARRIVAL_NAMED: threads
    // who arrives has fenced first: copies that others issue then come after what it did with shared
    // memory (the async proxy of PTX after the generic one)
    bool fence;
    // ARRIVAL_GROUP: copies out of shared memory have also written, and not only been read
    bool written;
};

static const struct arrival arrival_none = {ARRIVAL_NONE, 0, 0, false, false};
static const struct arrival arrival_block = {ARRIVAL_BLOCK, 0, 0, false, false};
// A wait until at most "pending" groups are in flight; also the end of a group.
static inline struct arrival arrival_groups(int pending) {
    return (struct arrival){ARRIVAL_GROUP, 0, pending, false, false};
}
// Of "threads" threads at named barrier "id".
static inline struct arrival arrival_named(int id, int threads) {
    return (struct arrival){ARRIVAL_NAMED, id, threads, false, false};
}
// Of "arrivals" at the next barrier in memory of ring "ring".
static inline struct arrival arrival_memory(int ring, int arrivals) {
    return (struct arrival){ARRIVAL_MEMORY, ring, arrivals, false, false};
}

struct arrival_row {
    const char *wait, *arrive;  // words for it, as printf formats of "count", then "of"
    bool completes;             // a wait completes the asynchronous copies of the thread that waits
    bool joins;                 // what others did before they arrived is done after a wait
    int most;  // "count" may be raised up to this, which makes a wait looser; 0: it may not
};

static inline const struct arrival_row *arrival_row(struct arrival a) {
    static const struct arrival_row rows[] = {
        [ARRIVAL_NONE] = {"", "", false, false, 0},
        [ARRIVAL_GROUP] = {"wait %d", "commit", true, false, 63},
        [ARRIVAL_BLOCK] = {"barrier", "barrier", false, true, 0},
        [ARRIVAL_NAMED] = {"barrier of %d threads at %d", "arrive of %d threads at %d", false, true,
                           0},
        [ARRIVAL_MEMORY] = {"wait for %d arrivals in memory, ring %d",
                            "one of %d arrivals in memory, ring %d", false, true, 0},
    };
    return &rows[a.kind];
}

// Whether there is anything to wait for.
static inline bool arrival_is(struct arrival a) {
    return a.kind != ARRIVAL_NONE;
}

// Whether no wait of the kind of "a" is stricter.
static inline bool arrival_strictest(struct arrival a) {
    return arrival_is(a) && (arrival_row(a)->most == 0 || a.count == 0);
}

// Whether a wait for "a" is enough where one for "need" is needed.
static inline bool arrival_serves(struct arrival a, struct arrival need) {
    if (!arrival_is(need)) return true;
    if (a.kind != need.kind || a.of != need.of || (need.fence && !a.fence) ||
        (need.written && !a.written))
        return false;
    return arrival_row(a)->most ? a.count <= need.count : a.count == need.count;
}

// The loosest wait for groups that serves both, or that for "b" where "a" is none.
static inline struct arrival arrival_both(struct arrival a, struct arrival b) {
    if (a.kind != ARRIVAL_GROUP || b.kind != ARRIVAL_GROUP) return b;
    if (b.count < a.count) a.count = b.count;
    a.written |= b.written;
    return a;
}

enum { ARRIVAL_TEXT = 64 };
// Such as "wait 1" or "barrier"; with "arrives" the other side, such as "commit".
static inline const char *arrival_text(struct arrival a, bool arrives, char out[ARRIVAL_TEXT]) {
    const struct arrival_row *row = arrival_row(a);
    int n = snprintf(out, ARRIVAL_TEXT, "%s", a.fence ? "fence, " : "");
    n += snprintf(out + n, (size_t)(ARRIVAL_TEXT - n), arrives ? row->arrive : row->wait, a.count,
                  a.of);
    snprintf(out + n, (size_t)(ARRIVAL_TEXT - n), "%s", a.written ? " written" : "");
    return out;
}

#endif
