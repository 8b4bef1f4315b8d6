// What `tcpc explain` says about a plan: one structure, made from the plan and the facts that its
// passes found, and the printers of it.  Nothing is decided here; what is asked for is read where
// the compiler keeps it.
#ifndef TCPC_DRIVER_EXPLAIN_H
#define TCPC_DRIVER_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

struct ast_file;
struct buf;
struct kir;
struct kir_kernel;
struct kir_variant;
struct session;
struct side_cost;

// What a side in memory costs.
struct explained_cost {
    const struct side_cost *cost;  // NULL: it is in registers
    const char *values;            // of the params, for which the numbers are; NULL: for all
    const char *loose;             // why there is none, or one is a range; or NULL
    const char *other_params;      // why they are not for all values; or NULL
    int arch;                      // whose rules it is counted by
    bool measured;                 // on the plan's own architecture
    const char *arch_name;         // which is that
};

struct explained_side {
    const char *tensor, *space;
    const char *view;     // as it is written in the plan
    const char *layout;   // of the view
    const char *offset;   // where the view begins, elements
    const char *swizzle;  // or NULL
    const char *tv;       // (thread, value) -> element offset within the view; NULL: no tile is cut
    const char *part_offset;  // where a thread's elements begin, elements
    const char *part;         // a thread's elements, (value, rounds ..) -> element offset
    const char *instruction;  // the runtime's function, which is one instruction
    const char *elem;
    int bits;  // of an access
    struct align_terms align;
    struct explained_cost cost;
};

struct explained_bound {
    const char *name, *why;  // "why" is NULL when there is no such bound
    int64_t bits;            // BOUND_NONE: it does not limit
};

struct explained_copy {
    const char *label;  // or NULL
    const char *text;   // "copy A -> s"
    const char *path;
    int line, column;
    const char *level;
    int64_t threads;
    int64_t lanes;  // of each warp, that take part, where each warp copies by itself; 0 elsewhere
    const char *shape, *elem;
    const char *atom;
    const char *tiled;  // the name of the tiled copy, or NULL
    // NULL without a tiled copy; "thr" and "val" also where it was given as tv=
    const char *tiler, *thr, *val, *tv, *rounds;
    const char *tv_sides;  // tv in words: both sides of an access that lanes make together
    const char *map;       // the index map that says where, when no layout does
    const char *example;   // what one thread takes, in words; or NULL
    int64_t values, nrounds;
    struct explained_side src, dst;
    int bits, vec;                     // of the side with wider elements
    bool together;                     // the lanes of a warp make an access together
    const char *wider;                 // its element type
    const struct copy_width *variant;  // by the kernel's variants, of which "bits" is the first's
    int nvariants;
    int64_t accesses;  // a thread makes, each time the copy is executed
    struct explained_bound bound[N_BOUNDS];
    enum bound won;
    // Elements are counted once, though they are read and written; NULL: not one expression of the
    // params.
    const struct ix *bytes;      // each time a block executes the copy
    const struct ix *times;      // that a block does so
    const struct ix *all_bytes;  // of all blocks
    const char *barrier;         // why there is one before it, or NULL
    int group;                   // of asynchronous copies, that it is of; 0: it is none
    int pending;                 // groups that may go on when it begins; -1: it waits for none
    const char *wait;            // why it waits, or NULL
    bool wait_at_head;           // before the loads of its pipeline's step
    const char *edge;            // where elements end that its tiles reach beyond, or NULL
    bool edge_always;
    bool edge_apart;  // blocks whose tile is whole have code of their own
    int edge_bits, edge_vec;
    const char *edge_why;
    const char *pad;  // as written, or NULL
};

// A function of somebody else's that a kernel calls.
struct explained_call {
    const char *text;  // as it is written
    int line;
    bool barrier;  // before it
};

// Two accesses that a wait or a barrier keeps in order.
struct explained_reason {
    bool wait;  // it is what the wait is for; else the barrier
    const char *buffer;
    const char *text;  // "line 14 reads 's', which other threads write in line 12"
    int earlier_line, later_line;
    bool earlier_writes, later_writes;  // else it reads
};

struct explained_sync {
    const char *place;  // "before the copy"
    int line;           // of what it comes before, or at the head or the end of
    int wait;           // groups that may go on; -1: none is waited for
    bool barrier;
    int stands;  // how often, in the emitted code
    struct explained_reason *reason;
    int nreasons;
};

// A buffer with stages that a pipeline fills.
struct explained_ring {
    const char *name;
    int64_t stage_bytes, bytes;
};

struct explained_pipeline {
    const char *text;  // "pipeline n in 0 .. N"
    int line;
    int64_t stages;
    struct explained_ring *ring;
    int nrings;
    const char **prologue;  // what is done for each of the first stages - 1 steps: "load s"
    const char **step;      // what each step does, in order: "wait 1", "barrier", "use s", "commit"
    int nprologue, nsteps;
    int groups, waits, barriers;  // of a step
    int under_way;                // the most of the pipeline's own groups at a time
    int64_t bytes_under_way;      // the most, of a block; -1: not known
};

struct explained_tensor {
    const char *name, *elem, *space, *direction, *layout;
    bool local;
    int64_t align;       // bytes; 0 for a fragment
    int64_t at, nbytes;  // of a shared tensor: where, and up to its last element
};

struct explained_kernel {
    const char *name, *path;
    int line;
    const char *planned;  // why the planner chose what it wrote; NULL: it wrote nothing
    bool device;
    const char *index[64];  // the integers that a device function is called with
    int nindexes;
    const char *const *duty;  // what the caller of a device function owes: "8*i <= M"
    int nduties;
    const char *grid[3];  // as text; of a kernel, as what follows
    const struct ix *blocks[3];
    int64_t threads, smem_bytes;
    struct explained_tensor *tensor;
    int ntensors;
    const struct kir_variant *variant;  // widest first; none where there is but one
    int nvariants;
    bool is_case;  // one of several cases: its variants are not all that the launcher has
    struct explained_copy *copy;
    int ncopies;
    struct explained_call *call;
    int ncalls;
    struct explained_pipeline *pipeline;
    int npipelines;
    struct explained_sync *sync;  // all waits and barriers, in the order of the text
    int nsyncs;
};

struct explanation {
    const struct plan *plan;
    struct explained_kernel *kernel;
    int nkernels;
};

// Explains "p", whose passes have run and gave "ir": all of it, or what "name" names, which is a
// FUNCTION, a LABEL, FUNCTION.LABEL or FUNCTION:LINE.  Costs that depend on params are given for
// the values "value" (by lay_sym.id); NULL: for some.  Returns NULL, after saying so, when it names
// nothing.
const struct explanation *explain_plan(struct session *s, const struct plan *p,
                                       const struct kir *ir, const char *name,
                                       const int64_t *value);

// Bytes to which argument "t" of "k" must be aligned; 0 when it is no argument, or in registers.
int explain_align(const struct kir_kernel *k, const struct tensor *t);

// Bytes that "c" moves each time that a block executes it; NULL: not one expression of the params.
const struct ix *explain_bytes(struct session *s, const struct kernel *k, const struct copy *c);

// explain_order.c: why a barrier comes before "c", and why it waits, NULL when it does not.
const char *explain_barrier(struct session *s, const struct kernel *k, const struct copy *c);
const char *explain_wait(struct session *s, const struct kernel *k, const struct copy *c,
                         int *pending, bool *at_head);
// explain_cost.c: what both sides of "c" cost.
void explain_costs(struct session *s, const struct plan *p, const struct kernel *k,
                   const struct copy *c, const int64_t *value, struct explained_copy *x);
// As lines for people; and what numbers there are for programs.
void explain_print_costs(struct session *s, const struct explained_copy *x, struct buf *out);
struct explained_count {
    const char *name;  // "sectors"
    int64_t access_min, access_max, access_least, total_min, total_max, total_least;
    int percent;
};
enum { EXPLAINED_COUNTS = 3 };
int explain_counts(const struct explained_cost *c, struct explained_count out[EXPLAINED_COUNTS]);
// The pipelines, waits and barriers of "k".
void explain_order(struct session *s, const struct kernel *k, struct explained_kernel *x);

// For people: a paragraph and a table a copy.
void explain_print(struct session *s, const struct explanation *e, struct buf *out);
// For programs: docs/explain-json.md says what each field is.
void explain_print_json(struct session *s, const struct explanation *e, struct buf *out);

// The source of "p", which was read from "file", with every choice written down and its imports put
// in: it compiles to the same code "ir".  NULL with the errors reported when what was written does
// not parse.
const char *explain_source(struct session *s, const struct plan *p, const struct kir *ir,
                           const struct ast_file *file);

#endif
