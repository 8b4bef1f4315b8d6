// What the files of pass "sync" share: what is pending, and the walk through a function.
#ifndef TCPC_PASS_SYNC_PRIVATE_H
#define TCPC_PASS_SYNC_PRIVATE_H

#include "pass/sync/meet.h"
#include "pass/sync/schedule.h"

enum { SYNC_PENDING = 256, SYNC_WAIT = 63 };  // groups: as far as the hardware counts
enum { SYNC_LOOPS = 32, SYNC_UNROLL = 8 };    // iterations that are gone through one by one
enum { SYNC_KNOWN = 4093, SYNC_NOTED = 1021 };

struct entry {
    struct access a;
    bool async;  // of a copy that has not been waited for
    int age;     // groups after its own; -1: its own is still open
};

struct state {
    int n;
    bool everything;  // more was pending than fits: every access conflicts
    bool mixed;       // entries may have become the same as others
    struct entry at[SYNC_PENDING];
};

// Two accesses of which the later one has to wait.
struct sync_pair {
    struct entry earlier;
    struct access later;
    bool barrier;  // too
    struct sync_pair *next;
};

// What a statement has to wait for.  A wait for all and a barrier that are there are enough
// whatever is pending, which is not asked then.
struct need {
    bool waits, orders;  // whether "wait" and "barrier" are asked for
    int wait;            // -1: for nothing
    bool barrier;
    struct sync_pair *pairs;  // with walk.why: the accesses that this is for
};

// The part of a pipeline that is gone through: "ahead" steps after step "step", the one that is
// used, -1 where that is not known.
struct where {
    const struct pipeline *pipe;
    int ahead;
    int64_t step;
    const struct where *outer;
};

struct sync_reasons {
    bool wait;  // those of a wait; else of a barrier
    const struct sync_reason **end;
    struct sync_noted *noted[SYNC_NOTED];  // by a hash of what a reason is told from others by
};

struct known {
    struct access a, b;
    const struct ix_var *differs;
    enum meet meet;
    struct known *next;
};

struct walk {
    struct session *s;
    struct kernel *k;
    bool mark;                 // else only look whether what is there is enough
    bool notes;                // and note what is needed where each wait and barrier first comes
    bool noted;                // that is noted of what is there now
    bool unnoted;              // that is of no use, as what is there is not enough
    bool lacking;              // it is not
    int64_t visits;            // of statements, in the first walk
    bool large;                // so many that further walks would take long: proofs alone decide
    struct sync_reasons *why;  // or NULL: collects what is lacking
    struct sync_pair *spare;   // that nobody needs any more
    const struct where *here;
    const struct ix_var *loop[SYNC_LOOPS];  // around, outermost first; NULL: of a pipeline
    int nloops;
    struct known *known[SYNC_KNOWN];  // how pairs meet that were asked, by a hash of the pair
    struct meet_maps maps;
    const struct plan *plan;
    struct prover *prover;
    struct schedule *schedule;  // what proves that all is in order; NULL: not made yet
};

void sync_copy(struct state *to, const struct state *from);
// Goes through "list" from what is pending in "st".
void sync_run(struct walk *w, struct stmt *list, struct state *st);
void sync_statement(struct walk *w, struct stmt *x, struct state *st);
// Adds to "need" what anything in "list" has to wait for, of what is pending before it.
void sync_ask(struct walk *w, const struct state *st, const struct stmt *list, struct need *need);
// Nothing yet, before what "x" does is done.
struct need sync_need(const struct walk *w, const struct sync_before *x);
// Does what "need" asks, unless the statement does it already: "wait" and "barrier" are what it
// does.  With walk.mark they become what is needed.
void sync_satisfy(struct walk *w, struct state *st, struct need *need, struct sync_before *x);
void sync_commit(struct state *st);
// The innermost loop, which "var" counts, is entered; it comes to its next iteration or its end; it
// is left.
void sync_enter(struct walk *w, const struct ix_var *var);
void sync_next(struct walk *w, struct state *st);
void sync_leave(struct walk *w);
// What may be pending where two ways meet; whether "into" has changed.
bool sync_merge(struct state *into, const struct state *from);
// Whether the walk may end: it asks whether all is enough, and something is lacking.
bool sync_decided(const struct walk *w);
// Whether the waits and barriers that are there are enough.
bool sync_enough(struct walk *w);

// manual.c
// Says of a function that is not in order what is missing, "f"; or that it is not known.
void sync_report(const struct schedule *x, const struct schedule_fault *f);
// Warns of waits and barriers of a manual function that is in order without them.
void sync_warn_needless(struct schedule *x);

// pipeline.c
// Of which slot the access "a" is, whose view is "v".
void sync_place(const struct walk *w, const struct view *v, struct access *a);
// Whether the two are known to be of different slots.
bool sync_apart(struct access a, struct access b);
void sync_pipeline(struct walk *w, struct stmt *st, struct state *state);
// Moves the wait of the first thing that a step uses up to its first load, where one barrier then
// serves both.
void sync_hoist(struct walk *w, struct stmt *list);
// Moves the barrier before the load of a pipeline of one stage to the end of its step.
void sync_turn(struct walk *w, struct stmt *list);

// why.c
// Adds what "need" asks for, and nothing does, to "why".  Takes its pairs.
void sync_note(struct walk *w, struct need *need, bool waits, bool orders, int wait);
// Makes the list of all waits and barriers, each with what it is for.
void sync_points(struct walk *w);

#endif
