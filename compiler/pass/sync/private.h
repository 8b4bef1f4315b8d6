// Shared by the files of pass "sync": pending accesses, and the walk through a function.
#ifndef TCPC_PASS_SYNC_PRIVATE_H
#define TCPC_PASS_SYNC_PRIVATE_H

#include "pass/sync/meet.h"
#include "pass/sync/schedule.h"

enum { SYNC_PENDING = 256 };
// SYNC_UNROLL: loops up to this length are walked iteration by iteration
enum { SYNC_LOOPS = 32, SYNC_UNROLL = 8 };
enum { SYNC_KNOWN = 4093, SYNC_NOTED = 1021 };

struct entry {
    struct access a;
    bool async;  // of a copy without a wait so far
    int age;     // number of groups committed after its own; -1: its own group is still open
};

struct state {
    int n;
    bool everything;  // more accesses are pending than fit: assume that every access conflicts
    bool mixed;       // some entries may be equal
    struct entry at[SYNC_PENDING];
};

// Two accesses, of which the later one must wait for the earlier one.
struct sync_pair {
    struct entry earlier;
    struct access later;
    bool barrier;  // it needs a barrier too
    struct sync_pair *next;
};

// What a statement must wait for.  Nothing is computed for waits that are already as strict as can
// be.
struct need {
    bool copies, threads;  // which of "wait" are to be computed
    struct sync_wait wait;
    struct sync_pair *pairs;  // with walk.why: the accesses that are the reason
};

// The part of a pipeline that is being walked: "ahead" steps after step "step", which is the one in
// use; -1 if that is not known.
struct where {
    const struct pipeline *pipe;
    int ahead;
    int64_t step;
    const struct where *outer;
};

struct sync_reasons {
    bool wait;  // reasons of a wait; otherwise of a barrier
    const struct sync_reason **end;
    struct sync_noted *noted[SYNC_NOTED];  // hash table, by what distinguishes reasons
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
    bool mark;       // inserts waits and barriers; otherwise checks whether those there are enough
    bool notes;      // also records what is needed where each wait and barrier is reached first
    bool noted;      // that is recorded for the present waits and barriers
    bool unnoted;    // recording failed, as the present ones are not enough
    bool lacking;    // the present ones are not enough
    int64_t visits;  // number of statements visited in the first walk
    bool large;      // so many that more walks would take too long: only proofs decide
    struct sync_reasons *why;  // if not NULL, collects what is lacking
    struct sync_pair *spare;   // free list
    const struct where *here;
    const struct pipeline *by;  // of accesses that are being walked
    int64_t first;              // .. and by threads from this one on
    bool loads;                 // .. of the role that loads
    bool enters;  // a pipeline with roles begins: its rings order the accesses of earlier ones
    // variables of the loops around, outermost first; NULL for a pipeline
    const struct ix_var *loop[SYNC_LOOPS];
    int nloops;
    struct known *known[SYNC_KNOWN];  // hash table of pairs whose meeting is known
    struct meet_maps maps;
    const struct plan *plan;
    struct prover *prover;
    struct schedule *schedule;  // used to prove that all is in order; NULL: not made yet
};

void sync_copy(struct state *to, const struct state *from);
void sync_statement(struct walk *w, struct stmt *x, struct state *st);
// Adds to "need" what any statement in "list" must wait for, of what is pending before the list.
void sync_ask(struct walk *w, const struct state *st, const struct stmt *list, struct need *need);
// An empty need, for the point before "x" takes effect.
struct need sync_need(const struct walk *w, const struct sync_before *x);
// Satisfies "need" at the waits and barriers "x".  With walk.mark it adds what is missing to "x";
// otherwise it notes that something is lacking.  Then applies "x" to "st".
void sync_satisfy(struct walk *w, struct state *st, struct need *need, struct sync_before *x);
void sync_commit(struct state *st);
// Walks "list", a part of a role: a barrier in it orders the accesses of the role alone.
void sync_list(struct walk *w, struct stmt *list, struct state *st);
// A barrier of the role that is being walked.
void sync_role_barrier(struct state *st);
// roles.c: walks pipeline "st" with roles.
void sync_roles(struct walk *w, struct stmt *st, struct state *state);
// Whether the ring of the roles orders "a" before "b", which is in a later step.
bool sync_by_ring(struct access a, struct access b);
// Finds the rings of a kernel: which pipelines with roles belong together.
void sync_rings(struct session *s, struct kernel *k);
// Sets how their roles hand over slots; reports an error if the barriers are too few.
bool sync_number_rings(struct session *s, struct kernel *k);
// Whether the "use" parts of several consumers touch different elements in each step; reports it if not.
bool sync_consumers_apart(const struct schedule *x);
// Whether barriers in memory of the manual kernel's "roles" expect the bytes that are copied; reports it if not.
bool sync_bytes_agree(const struct schedule *x, const struct stmt *roles);
// Whether the same threads touch a fragment everywhere; reports it if not.
bool sync_fragments_stay(struct session *s, const struct kernel *k);
// What is wrong with that, for some number of steps; NULL: nothing.
const char *sync_ring_fault(const struct pipeline *p);
// Enter the innermost loop, with variable "var"; come to its next iteration or its end; leave it.
void sync_enter(struct walk *w, const struct ix_var *var);
void sync_next(struct walk *w, struct state *st);
void sync_leave(struct walk *w);
// Joins two sets of pending accesses where control flow meets; returns whether "into" changed.
bool sync_merge(struct state *into, const struct state *from);
// Whether the walk may end early: it only checks, and found that something is lacking.
bool sync_decided(const struct walk *w);
// Whether the present waits and barriers are enough.
bool sync_enough(struct walk *w);

// manual.c
// Reports the order that a function lacks, "f", or that it is not known.
void sync_report(struct schedule *x, const struct schedule_fault *f);
// Warns of waits and barriers that a manual function does not need.
void sync_warn_needless(struct schedule *x);

// late.c
// Decides which pipelines refill a slot right after its use, and where all threads wait for copies.
void sync_find_late(struct kernel *k);
// Adds the waits and barriers that keep threads in the same phases of barriers in memory.
void sync_keep_phases(struct session *s, struct kernel *k);
// Whether they are there.
bool sync_phases_kept(struct session *s, const struct kernel *k);

// pipeline.c
// Sets the slot of access "a", whose view is "v".
void sync_place(const struct walk *w, const struct view *v, struct access *a);
// Whether the two are known to access different slots.
bool sync_apart(struct access a, struct access b);
void sync_pipeline(struct walk *w, struct stmt *st, struct state *state);
// Moves the wait of the first use of a step up to its first load, if one barrier then serves both.
void sync_hoist(struct walk *w, struct stmt *list);
// Moves the barrier before the load of a pipeline of one stage to the end of its step.
void sync_turn(struct walk *w, struct stmt *list);

// why.c
// Adds what "need" requires, and what is not "there", to "why".  Frees its pairs.
// The loosest wait that completes the asynchronous access "e".
struct arrival sync_done(const struct entry *e);
void sync_note(struct walk *w, struct need *need, struct sync_wait there);
// Makes the list of all waits and barriers, each with its reasons.
void sync_points(struct walk *w);

#endif
