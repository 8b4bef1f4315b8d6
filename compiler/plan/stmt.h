// What a function does: its statements, and what the threads wait for before them.
#ifndef TCPC_PLAN_STMT_H
#define TCPC_PLAN_STMT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "index/ix.h"
#include "plan/facts.h"
#include "plan/tensor.h"

struct function;
struct plan_call;
struct sync_point;

// A number of the plan as bits of an element.
struct constant {
    const struct elem_type *elem;
    uint64_t bits;     // the low ones of an element
    const char *text;  // as written
    int id;            // of the plan's constants
    struct constant *next;
};

// -- statements -----------------------------------------------------------------------------------
// A part is a "load" or "use" block, and is in a pipeline's body alone.
// SYNC, COMMIT and WAIT are a manual function's own.
enum stmt_kind {
    STMT_COPY,
    STMT_FOR,
    STMT_CALL,
    STMT_PIPELINE,
    STMT_PART,
    STMT_SYNC,
    STMT_COMMIT,
    STMT_WAIT
};

struct copy {
    const char *label;  // or NULL
    struct view src, dst;
    const struct tiled_copy *tc;  // or NULL
    const struct atom *atom;      // with ATOM, when tc is NULL
    const struct constant *pad;   // what elements without a source become, or NULL
    struct range at, how_at;
    struct copy_facts facts;
};

// NULL where neither a tiled copy nor "with" names one.
static inline const struct atom *copy_atom(const struct copy *c) {
    return c->tc ? &c->tc->atom : c->atom;
}

static inline const struct view *copy_side(const struct copy *c, bool src) {
    return src ? &c->src : &c->dst;
}
static inline const struct part *copy_part(const struct copy_facts *f, bool src) {
    return src ? &f->src : &f->dst;
}

// The side whose shape a tile cuts: of a fragment and something else the latter.
static inline const struct view *copy_tiled_side(const struct copy *c) {
    return c->src.base->space == MEM_FRAG ? &c->dst : &c->src;
}

// The element type of "c" with more bits, by which its accesses are counted; the source's of two
// that have as many.
const struct elem_type *copy_wider(const struct copy *c);
// Bits of an access of "vec" elements on one side of "c".
int copy_side_bits(const struct copy *c, bool src, int vec);
// Which ways the code of a copy has: its edge, but one access that is there or not asks in any
// case.
enum edge copy_edge(const struct copy_facts *f);
// The facts of "c" in variant "i" of its kernel; -1: where there are no variants.
struct copy_facts copy_facts_in(const struct copy *c, int i);

// A loop whose "load" parts run stages - 1 steps ahead of its "use" parts: step n fills slot
// (n - begin) % stages of its buffers, and is used from there.  It means what the loop over its
// parts in order means.  Parts have variables of their own for step and slot, because they are at
// different steps at one time.
struct pipeline {
    int64_t stages;
    // The variable of a step that is used is the statement's own "var".
    struct ix_var *slot;                  // of that step; NULL when there is one stage
    struct ix_var *load_var, *load_slot;  // in "load" parts; the same when there is one stage
    struct tensor *const *tensor;         // the buffers with stages that it fills
    int ntensors;
};

// What the threads do before a statement.
struct sync_before {
    int wait;      // until at most that many groups of asynchronous copies are pending; -1: no wait
    bool barrier;  // then for one another
    const struct sync_point *point;  // both, and what they are for; NULL: neither
    struct {
        bool seen, barrier;
        int wait;
    } first;  // while sync works: what is needed where this is first come to
};

struct stmt {
    enum stmt_kind kind;
    struct copy *copy;
    struct plan_call *call;
    // STMT_FOR, STMT_PIPELINE
    struct ix_var *var;
    const struct ix *begin, *end;
    struct range end_at;
    struct stmt *body;  // of a part too
    struct pipeline *pipe;
    bool load;  // STMT_PART: else use
    // sync: of a pipeline before the loads of its first steps, of a part (but for these) in each
    struct sync_before before;
    struct sync_before behind;  // sync: STMT_PIPELINE, at the end of each step; with one stage
    bool commit_after;          // sync: STMT_FOR in a "load" part: ends a group
    int pending;                // STMT_WAIT: groups that may be in flight
    struct stmt *next;
    struct stmt *up;  // in whose body it is; NULL: the kernel's
    struct range at;
};

// Whether "st" holds statements: a loop, a pipeline or a part of one.
static inline bool stmt_nests(const struct stmt *st) {
    return st->kind == STMT_FOR || st->kind == STMT_PIPELINE || st->kind == STMT_PART;
}
// Whether "st" moves nothing and orders what others do.
static inline bool stmt_orders(const struct stmt *st) {
    return st->kind == STMT_SYNC || st->kind == STMT_COMMIT || st->kind == STMT_WAIT;
}
// What comes after "st" among the statements of "list" and those within them, in the order of the
// text, a statement before its body:
//     for (st = list; st; st = stmt_next(list, st))
static inline struct stmt *stmt_next(const struct stmt *list, const struct stmt *st) {
    if (st->body) return st->body;
    while (st != list->up && !st->next) st = st->up;
    return st == list->up ? NULL : st->next;
}
// Whether the body of "st" runs for each value of st->var from begin to end.
static inline bool stmt_loops(const struct stmt *st) {
    return st->kind == STMT_FOR || st->kind == STMT_PIPELINE;
}

// call NAME(arguments): by all threads of the block, together.  A fill is the call of a function
// that writes its only argument, of which more is known than of others.
struct plan_call {
    const struct function *fn;
    const struct constant *fill;  // or NULL
    struct view *view;            // by fn->formal
    const struct ix **index;      // by fn->index
    struct range at;
};

// -- waits and barriers ---------------------------------------------------------------------------
// What a wait or a barrier is for: without it the later of two accesses to "buffer" is not in order
// after the earlier one.  An access is of a copy, or of an argument of a call.
struct sync_reason {
    bool wait;  // for the bytes of the earlier one, which is asynchronous; else for other threads
    const struct tensor *buffer;
    const struct copy *earlier, *later;  // NULL: a call's
    struct range earlier_at, later_at;
    bool earlier_writes, later_writes;
    const struct sync_reason *next;
};

enum sync_place {
    SYNC_AT_BEFORE,  // a copy, a call, a loop; a pipeline: its first loads
    SYNC_AT_PART,    // before a "load" part, in each step
    SYNC_AT_BEHIND,  // each step of a pipeline
    SYNC_AT_WRITTEN  // in a manual function, for reasons that its author has
};

// Where the threads wait until at most "wait" groups are pending (-1: no wait), then, with
// "barrier", for one another.
struct sync_point {
    enum sync_place place;
    const struct stmt *at;
    int wait;
    bool barrier;
    const struct sync_reason *why;  // in the order of the accesses that need it
    const struct sync_point *next;
};

#endif
