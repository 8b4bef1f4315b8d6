// Statements of functions, and the waits and barriers before them.
#ifndef TCPC_PLAN_STMT_H
#define TCPC_PLAN_STMT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "hw/arrival.h"
#include "index/ix.h"
#include "plan/facts.h"
#include "plan/tensor.h"

struct function;
struct plan_call;
struct rounded;
struct sync_point;

// A number in the plan, as bits of an element.
struct constant {
    const struct elem_type *elem;
    uint64_t bits;     // in the lowest bits
    const char *text;  // as written
    int id;            // number among the plan's constants
    struct constant *next;
};

// -- statements -----------------------------------------------------------------------------------
// PART is a "load" or "use" block and occurs only in a pipeline.  ARRIVE and WAIT occur only in
// manual functions: "commit" arrives, "sync" and "wait" wait.
enum stmt_kind { STMT_COPY, STMT_FOR, STMT_CALL, STMT_PIPELINE, STMT_PART, STMT_ARRIVE, STMT_WAIT };

struct copy {
    const char *label;  // or NULL
    struct view src, dst;
    const struct tiled_copy *tc;  // or NULL
    // from "with ATOM", if tc is NULL
    const struct atom *atom;
    // the value of elements without a source, or NULL
    const struct constant *pad;
    struct range at, how_at;
    int64_t team;  // threads of the role that makes it; 0: those of the block
    struct copy_facts facts;
};

// Of how many threads a copy's are the first ones: of its role, or of the block with "all".
static inline int64_t copy_team(const struct copy *c, int64_t all) {
    return c->team ? c->team : all;
}

// The atom of a tiled copy or of "with"; NULL if neither names one.
static inline const struct atom *copy_atom(const struct copy *c) {
    return c->tc ? &c->tc->atom : c->atom;
}

static inline const struct view *copy_side(const struct copy *c, bool src) {
    return src ? &c->src : &c->dst;
}
static inline const struct part *copy_part(const struct copy_facts *f, bool src) {
    return src ? &f->src : &f->dst;
}

// How "c" joins what it copies with what the destination holds.
static inline enum reduction copy_reduces(const struct copy *c) {
    return copy_atom(c) ? copy_atom(c)->row->reduces : REDUCE_NOT;
}

// The side in global memory of a copy of boxes.
const struct view *copy_boxed(const struct copy *c);
// The side whose shape determines the tiles: the source, unless it is a fragment.
static inline const struct view *copy_tiled_side(const struct copy *c) {
    return c->src.base->space == MEM_FRAG ? &c->dst : &c->src;
}

// The wider one of the two element types of "c", or the source's if they are equally wide.  Its
// accesses are counted in such elements.
const struct elem_type *copy_wider(const struct copy *c);
// Bits of an access of "vec" elements on one side of "c".
int copy_side_bits(const struct copy *c, bool src, int vec);
// Which ways the code of a copy has.  This is its edge, but a copy of a single access needs no
// separate way for whole tiles: its code always has the guard.
enum edge copy_edge(const struct copy_facts *f);
// The facts of "c" in variant "i" of its kernel; i == -1: the kernel has no variants.
struct copy_facts copy_facts_in(const struct copy *c, int i);

enum { MOST_RINGS = ARRIVAL_RINGS };  // each has one of the 15 named barriers at least
enum { MOST_CONSUMERS = 4 };          // consumers of a pipeline with roles
// How the roles of a pipeline hand over its slots: by a pair of named barriers for each slot.  All
// threads of all roles meet at each.  At "full" the threads that use wait, and those that load
// arrive; at "empty" the other way round.  See pass/sync/roles.c for what is proven of these numbers.
struct handover {
    int full, empty;  // number of the barrier of slot 0; those of the other slots follow
    int64_t threads;  // that meet at each
    int64_t ahead;    // the load of step g waits until step g - ahead has been used
    int64_t behind;   // with step g, the load of step g - behind is announced
    int64_t pending;  // .. after a wait for all but so many groups; -1: there are no groups
    int own[MOST_CONSUMERS + 1];  // by side: number of the role's own barrier; 0: it needs none
    // "full" is a barrier in memory, with so many arrivals a phase: by the thread that issues copies
    // alone, and of each thread that loads if its own accesses ("each") or its cp.async ("copies")
    // fill slots too.  0: it is a named barrier.
    int arrivals;
    bool each, copies;
    // copies that see what threads did only behind a fence fill what "use" touches.  If "use" writes there
    // ("written"), who says "empty" has fenced.  Reads are over when "load" has waited for them: then the
    // thread that issues the copies may fence, before the first one ("issuer").
    bool overtaken, written, fence, issuer;
    // By side: copies of "use" read slots for longer than their step, and who says "empty" has waited for
    // them; such copies read what threads of "load" have filled, and who says "full" has fenced.
    unsigned kept, waits;
    bool shown, full_fence;
    // The pipelines of a kernel with the same stages and warps are one ring: they share its barriers.
    int ring;  // its number, from 1 to below MOST_RINGS
    // Its pipelines begin several times, or are several: all slots are said to be empty before the first,
    // each step waits for that and says it again, and "load" waits for all of them after the last.
    bool goes_on;
    // .. and each begins at the slot after the last one of the pipeline before.  Otherwise at slot 0.
    bool carries;
    bool turns;  // .. and this one may end at another slot than it begins at
};

// A part of "roles": the "threads" threads of the block from "first" on.  Their "tid" counts from 0.
struct roles_part {
    const char *name;
    int64_t first, threads;
    struct range at;
};

// A named barrier of a manual kernel, with as many of the hardware's as it has "stages".  Step g has number
// "first" + (g - the first step) % stages.  All threads of the roles that name it come to it in each step, in
// which a "sync" waits.  Only the steps are left out whose arrival or wait would be outside of the loop: of a
// wait the first "skip" ones, of an arrival the last ones.
struct barrier {
    const char *name;
    int stages, first;
    int64_t threads, skip;
    const struct stmt *roles;  // the statement that names it
    struct range at;
    bool staged;  // "stages" was written
    // .. or one in memory: the ring whose phases are its steps, with "threads" arrivals each; 0: it is none.
    // Its byte in shared memory (pass "shared"), and the thread that issues the copies that it counts.
    int ring;
    int64_t memory_at, leader;
};

// A loop whose "load" parts run ahead of its "use" parts (pipeline_ahead).  Step n fills slot (n -
// begin) % stages of the buffers, and is used from there.  The result is that of a loop that
// executes its parts in order.  Load parts have their own variables for step and slot, because load
// and use parts are at different steps at the same time.
struct pipeline {
    int64_t stages;
    // The step of a "use" part is the statement's "var".
    struct ix_var *slot;  // slot of that step; NULL if there is one stage and no role
    // those of "load" parts; the same variables if there is one stage and no role
    struct ix_var *load_var, *load_slot;
    struct tensor *const *tensor;  // the buffers with stages that the loop fills
    int ntensors;
    // With roles: the first "use_threads" threads of the block execute the "use" parts, and the
    // "load_threads" after them the "load" parts, side by side.  Their "tid" counts from 0.  0: all
    // threads execute all parts.
    int64_t use_threads, load_threads;
    // .. Of several consumers each has one "use" part, in the order of the text.  One has all of them.
    struct roles_part use[MOST_CONSUMERS];
    int nuses;
    struct handover handover;  // sync: with roles
    bool
        late;  // sync: a step refills its own slot when it was used, "stages" steps ahead; not stages - 1
    int64_t memory_at;  // pass "shared": the byte of its ring's barriers in memory; 0: it has none
    // "roles" of a manual kernel, each with a part; the parts of a step have the order of the text.
    const struct roles_part *role;
    int nroles;
    int64_t depth;  // the most stages of what its roles name; 0: "stages"
};

// After how many steps everything that takes turns has had its turn.
static inline int64_t pipeline_depth(const struct pipeline *p) {
    return p->depth > p->stages ? p->depth : p->stages;
}

// How many steps "load" parts run ahead of "use" parts, where all threads execute both.
static inline int64_t pipeline_ahead(const struct pipeline *p) {
    return p->stages - !p->late;
}
static inline bool pipeline_has_roles(const struct pipeline *p) {
    return p->use_threads > 0;
}
// Whether "t" is a buffer with stages that the pipeline fills.
static inline bool pipeline_fills(const struct pipeline *p, const struct tensor *t) {
    for (int i = 0; i < p->ntensors; ++i)
        if (p->tensor[i] == t) return true;
    return false;
}
// Whether all threads of a role of "p" meet before each step: at a named barrier, not at one in memory.
static inline bool pipeline_meets(const struct pipeline *p, bool load) {
    return load || !p->memory_at;
}
// Whether "list" contains a copy that barriers in memory count: in pipelines with roles, or beside them.
bool stmt_counts(const struct stmt *list, bool roles);
// Whether no block may end before "c" was waited for.  @pre it completes by group.
bool copy_holds(const struct copy *c);
// Whether "c", or with "writes" its write, may overtake what threads did without a fence.
bool copy_by_proxy(const struct copy *c, bool writes);
// Whether two pipelines with roles are one ring.
static inline bool pipeline_same_ring(const struct pipeline *p, const struct pipeline *q) {
    bool same = pipeline_has_roles(p) && p->stages == q->stages && p->nuses == q->nuses &&
                p->load_threads == q->load_threads;
    for (int i = 0; same && i < p->nuses; ++i) same = p->use[i].threads == q->use[i].threads;
    return same;
}
// The roles of a pipeline are its sides: the consumers, then the one that loads.
static inline int pipeline_sides(const struct pipeline *p) {
    return p->nuses + 1;
}
// The number in the block of the first thread of a side.
static inline int64_t pipeline_first(const struct pipeline *p, int side) {
    return side < p->nuses ? p->use[side].first : p->use_threads;
}

// What threads wait for in one place: first for their own asynchronous copies, then for each other.
struct sync_wait {
    struct arrival copies, threads;
};

// The one of the two in which "a" is waited for.
static inline struct arrival *sync_place_of(struct sync_wait *x, struct arrival a) {
    return arrival_row(a)->completes ? &x->copies : &x->threads;
}

// The waits before a statement.
struct sync_before {
    struct sync_wait wait;
    const struct sync_point *point;  // the same, with the reasons; NULL if there is none
    struct {
        bool seen;
        struct sync_wait wait;
    } first;  // used by pass "sync": what is needed when this place is reached first
};

static inline bool sync_waits(struct sync_wait x) {
    return arrival_is(x.copies) || arrival_is(x.threads);
}

struct stmt {
    enum stmt_kind kind;
    struct copy *copy;
    struct plan_call *call;
    // STMT_FOR, STMT_PIPELINE
    struct ix_var *var;
    const struct ix *begin, *end;
    struct range end_at;
    const struct rounded
        *rounded;       // the first quotient in "end" that may have a remainder; or NULL
    struct stmt *body;  // also of a part
    struct pipeline *pipe;
    bool load;  // STMT_PART: a "load" part, otherwise a "use" part
    const struct roles_part
        *role;                // STMT_PART: of "roles", or of one of several consumers; or NULL
    struct barrier *barrier;  // STMT_ARRIVE, STMT_WAIT: a named one, for step "var + of"; or NULL
    int64_t of;
    // STMT_ARRIVE at one in memory: by each thread, or by the one that copies, with so many bytes; the last one of
    // its role there in a step
    enum arrival_by by;
    const struct ix *bytes;
    bool ends;
    // sync: of a pipeline, before its first loads; of a part, in each step except these
    struct sync_before before;
    struct sync_before behind;  // sync: STMT_PIPELINE with one stage: at the end of each step
    bool commit_after;          // sync: STMT_FOR in a "load" part: it ends a group
    struct arrival arrival;     // STMT_ARRIVE, STMT_WAIT
    struct stmt *next;
    struct stmt *up;  // the statement whose body contains it; NULL: the kernel's body
    struct range at;
};

// Whether "st" contains statements: a loop, a pipeline or a part.
static inline bool stmt_nests(const struct stmt *st) {
    return st->kind == STMT_FOR || st->kind == STMT_PIPELINE || st->kind == STMT_PART;
}
// Whether "st" is an arrival or a wait of a manual function.
static inline bool stmt_orders(const struct stmt *st) {
    return st->kind == STMT_ARRIVE || st->kind == STMT_WAIT;
}
// Whether "st" ends a group of asynchronous copies.
static inline bool stmt_commits(const struct stmt *st) {
    return st->kind == STMT_ARRIVE && st->arrival.kind == ARRIVAL_GROUP;
}
// Whether "st" waits for a barrier in memory, or arrives there.
static inline bool stmt_awaits(const struct stmt *st) {
    return st->barrier && st->arrival.kind == ARRIVAL_MEMORY;
}
// Whether "st" says how many bytes a barrier in memory counts.
static inline bool stmt_expects(const struct stmt *st) {
    return st->kind == STMT_ARRIVE && stmt_awaits(st) && st->by == BY_LEADER;
}
// The statement after "st" in "list" and all bodies in it, in textual order; a statement comes
// before its body:
//     for (st = list; st; st = stmt_next(list, st))
static inline struct stmt *stmt_next(const struct stmt *list, const struct stmt *st) {
    if (st->body) return st->body;
    while (st != list->up && !st->next) st = st->up;
    return st == list->up ? NULL : st->next;
}
// The threads of a part of a pipeline with roles; of other statements "all".
static inline int64_t stmt_threads(const struct stmt *st, int64_t all) {
    if (st->kind == STMT_PART && st->role) return st->role->threads;
    if (st->kind != STMT_PART || !pipeline_has_roles(st->up->pipe)) return all;
    return st->load ? st->up->pipe->load_threads : st->up->pipe->use_threads;
}
// The name of the role that executes part "st".
static inline const char *stmt_role(const struct stmt *st) {
    return st->role ? st->role->name : st->load ? "load" : "use";
}
// The side of its pipeline with roles that executes part "st".
static inline int stmt_side(const struct stmt *st) {
    const struct pipeline *p = st->up->pipe;
    return st->load ? p->nuses : st->role ? (int)(st->role - p->use) : 0;
}
// The part of a role that "st" is or is in; or NULL.
static inline const struct stmt *stmt_in_role(const struct stmt *st) {
    while (st && stmt_threads(st, 0) == 0) st = st->up;
    return st;
}
// The number in the block of the first thread that executes "st".
static inline int64_t stmt_first(const struct stmt *st) {
    const struct stmt *part = stmt_in_role(st);
    if (!part) return 0;
    return part->role ? part->role->first : pipeline_first(part->up->pipe, stmt_side(part));
}
// The first part of pipeline "st", and the one after "part", in the order in which a step executes them:
// the "load" parts come last if they refill the slot that was used.
const struct stmt *stmt_first_part(const struct stmt *st);
const struct stmt *stmt_part_after(const struct stmt *part);
// Whether "st" is a loop: its body runs for each value of st->var from begin to end - 1.
static inline bool stmt_loops(const struct stmt *st) {
    return st->kind == STMT_FOR || st->kind == STMT_PIPELINE;
}

// call NAME(arguments), executed by all threads of the block together.  A fill is represented as a
// call of a function that writes its only argument; tcpc knows what it writes.
struct plan_call {
    const struct function *fn;
    const struct constant *fill;  // or NULL
    struct view *view;            // by fn->formal
    const struct ix **index;      // by fn->index
    struct range at;
};

// -- waits and barriers ---------------------------------------------------------------------------
// Why there is a wait or a barrier: without it, the later one of two accesses to "buffer" is not
// ordered after the earlier one.  An access is made by a copy or an argument of a call.
struct sync_reason {
    // waits for the bytes of the earlier, asynchronous access; otherwise a barrier for other
    // threads
    bool wait;
    const struct tensor *buffer;
    const struct copy *earlier, *later;  // NULL: an access of a call
    struct range earlier_at, later_at;
    bool earlier_writes, later_writes;
    const struct sync_reason *next;
};

// Whether a fence is needed, too: "later" is a copy that others issue, and sees what threads did only behind one.
bool sync_overtakes(const struct sync_reason *r);

enum sync_place {
    SYNC_AT_BEFORE,  // before a copy, a call or a loop; of a pipeline, before its first loads
    SYNC_AT_PART,    // before a "load" part, in each step
    SYNC_AT_BEHIND,  // at the end of each step of a pipeline
    SYNC_AT_WRITTEN  // in a manual function, where the author wrote it
};

// A place where threads wait.
struct sync_point {
    enum sync_place place;
    const struct stmt *at;
    struct sync_wait wait;
    const struct sync_reason *why;  // in the order of the accesses that need it
    const struct sync_point *next;
};

#endif
