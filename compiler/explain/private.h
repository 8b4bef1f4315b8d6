// What its files make of a plan (see explain.h).
#ifndef TCPC_EXPLAIN_PRIVATE_H
#define TCPC_EXPLAIN_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "explain/explain.h"
#include "plan/plan.h"

struct kir_kernel;
struct kir_variant;
struct session;
struct side_cost;

// The cost of a side in memory.
struct explained_cost {
    const struct side_cost *cost;  // NULL: the side is in registers
    // values of params to which the numbers apply; NULL: to all
    const char *values;
    bool chosen;  // tcpc chose some of them
    // why there is no number, or a number is a range; or NULL
    const char *loose;
    const char *promise;  // what would make it exact, as a sentence; or NULL
    // why they do not apply to all values; or NULL
    const char *other_params;
    int arch;               // the architecture with the counting rules
    bool measured;          // the plan's own architecture was measured
    const char *arch_name;  // its name
};

struct explained_side {
    const char *tensor, *space;
    const char *view;     // as written in the plan
    const char *layout;   // of the view
    const char *offset;   // offset of the view, elements
    const char *swizzle;  // or NULL
    // (thread, value) -> element offset in the view; NULL: the view is not divided into tiles
    const char *tv;
    const char *part_offset;  // offset of a thread's elements, elements
    const char *part;         // a thread's elements, (value, rounds ..) -> element offset
    // the runtime's function, which is a single instruction
    const char *instruction;
    const char *elem;
    int bits;  // of an access
    struct align_terms align;
    struct explained_cost cost;
};

struct explained_bound {
    const char *name, *why;  // "why" is NULL if there is no such bound
    int64_t bits;            // BOUND_NONE: no limit
};

struct explained_copy {
    const char *label;  // or NULL
    const char *text;   // "copy A -> s"
    const char *path;
    int line, column;
    const char *level;
    int64_t threads;
    const char *role;      // "load" or "use" of a pipeline with roles, or NULL
    const char *whose;     // threads: "a block", "role 'load'"
    int64_t role_threads;  // .. and how many threads it has; or those of the block
    // lanes of each warp that take part, if each warp copies separately; otherwise 0
    int64_t lanes;
    const char *shape, *elem;
    const char *atom;
    const char *tiled;  // name of the tiled copy, or NULL
    // NULL without a tiled copy; "thr" and "val" also if it was written as tv=
    const char *tiler, *thr, *val, *tv, *rounds;
    const char *tv_sides;  // text of tv; for a collective access, both sides
    const char *map;       // the index map, if no layout gives the places
    // what one thread moves, as text; or NULL
    const char *example;
    int64_t values, nrounds;
    struct explained_side src, dst;
    int bits, vec;      // of the side with wider elements
    const char *boxes;  // the boxes of a tensor that it consists of; or NULL
    bool together;      // the lanes of a warp make an access together
    const char *wider;  // the wider one of the element types
    // by the kernel's variants; "bits" is that of the first
    const struct copy_width *variant;
    int nvariants;
    int64_t accesses;  // by each thread, each time the copy is executed
    struct explained_bound bound[N_BOUNDS];
    enum bound won;
    // Each element counts once, although it is read and written.  NULL: not a single expression of
    // the params.
    const struct ix *bytes;      // each time a block executes the copy
    const struct ix *times;      // how often a block executes it
    const struct ix *all_bytes;  // in all blocks
    const char *barrier;         // why there is a barrier before it, or NULL
    bool reads_late;             // it is the source that its group is waited for
    int group;                   // number of its group of asynchronous copies; 0: none
    int pending;                 // groups that may be in flight when it begins; -1: no wait
    const char *wait;            // why there is a wait, or NULL
    bool wait_at_head;           // the wait is before the loads of its pipeline's step
    const char *edge;            // where elements end if tiles reach beyond them, or NULL
    bool edge_always;
    bool edge_apart;  // blocks with whole tiles have separate code
    int edge_bits, edge_vec;
    const char *edge_why;
    const char *pad;  // as written, or NULL
};

// A call of an extern function.
struct explained_call {
    const char *text;  // as written
    int line;
    bool barrier;  // there is a barrier before it
};

// Two accesses that a wait or a barrier orders.
struct explained_reason {
    bool wait;   // it is the reason of a wait; otherwise of a barrier
    bool fence;  // .. and of the fence before it
    const char *buffer;
    const char *text;  // such as "line 14 reads 's', which other threads write in line 12"
    int earlier_line, later_line;
    bool earlier_writes, later_writes;  // whether each access writes; otherwise it reads
};

struct explained_sync {
    const char *place;  // such as "before the copy"
    int line;           // line of the statement that "place" refers to
    struct sync_wait wait;
    int stands;  // how often it is in the emitted code
    bool
        phases;  // in a kernel whose threads all wait for copies: without a reason, it keeps them in step
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
    int64_t stages, ahead;  // ahead: steps that the loads are before the uses, without roles
    const char *roles;      // who executes the parts, and how they wait for each other; or NULL
    bool manual;            // .. as the plan says, which has no rings then
    const char **handover;  // of roles: who comes to which barriers, and who waits
    int nhandover;
    struct explained_ring *ring;
    int nrings;
    const char **prologue;  // what is done for each of the first steps: "load s"
    const char **step;      // what each step does, in order: "wait 1", "barrier", "use s", "commit"
    int nprologue, nsteps;
    int groups, waits, barriers;  // in a step
    int under_way;                // most of the pipeline's own groups in flight
    int64_t bytes_under_way;      // most bytes in flight in a block; -1: not known
};

struct explained_tensor {
    const char *name, *elem, *space, *direction, *layout;
    const char *declared;  // the layout that the plan gives it, where the planner's is another one
    bool local;
    int64_t align;       // bytes; 0 for a fragment
    int64_t at, nbytes;  // shared tensor: its offset, and its size up to the last element
};

// What is read of a tensor, or written to it.
struct explained_moved {
    struct explain_least any;        // by any plan
    int64_t sectors_lo, sectors_hi;  // that this one does
};

// What a relayout moves.
struct explained_moves {
    bool known;    // otherwise nothing is: params have no values, or it is no relayout
    bool counted;  // "sectors" are known
    struct explained_moved read, written;
};

// A case of a kernel, or a variant of it or of a case.
struct explained_case {
    int tag, line, bits;
    int64_t threads;
    const char *when;  // which conditions it has
    bool taken;        // by tensors aligned as it asks
};

struct explained_kernel {
    const char *name, *path;
    int line;
    struct explained_moves moves;
    const char *family, *numbers;  // what the launcher FAMILY_launch takes it for; or NULL
    const char *planned;           // the planner's reasons, if it wrote the kernel; otherwise NULL
    bool device;
    const char *index[64];  // index arguments of a device function
    int nindexes;
    const char *const *duty;  // preconditions of a device function: "8*i <= M"
    int nduties;
    const char *grid[3];  // as text; these and the following only for kernels
    const struct ix *blocks[3];
    int64_t threads, smem_bytes;
    struct explained_tensor *tensor;
    int ntensors;
    // widest first; none if there is only one
    const struct kir_variant *variant;
    int nvariants;
    bool is_case;  // one of several cases; the launcher also has the variants of the others
    // What the launcher tries, in order; of the first case, and if there are several.
    struct explained_case *row;
    int nrows;
    bool taken_known;    // which one it takes
    const char *values;  // of the params; or NULL
    struct explained_copy *copy;
    int ncopies;
    struct explained_call *call;
    int ncalls;
    struct explained_pipeline *pipeline;
    int npipelines;
    struct explained_sync *sync;  // all waits and barriers, in textual order
    int nsyncs;
};

struct explanation {
    const struct plan *plan;
    struct explained_kernel *kernel;
    int nkernels;
};

// The alignment in bytes required of argument "t" of "k"; 0 if it is no argument, or in registers.
int explain_align(const struct kir_kernel *k, const struct tensor *t);

// How many bytes "c" moves each time a block executes it; NULL: not a single expression of the
// params.
const struct ix *explain_bytes(struct session *s, const struct kernel *k, const struct copy *c);

// order.c: why there is a barrier before "c", and why a wait; NULL if there is none.
const char *explain_barrier(struct session *s, const struct kernel *k, const struct copy *c);
const char *explain_wait(struct session *s, const struct kernel *k, const struct copy *c,
                         int *pending, bool *at_head);
// text.c: prints "label" and "text" in lines of equal length.  Lines are indented by "indent", and
// those after the first one also by the width of the label.
void explain_filled(struct buf *b, int indent, const char *label, const char *text);
// text_pipeline.c: prints pipeline "p" of "k".
void explain_print_pipeline(const struct explained_kernel *k, const struct explained_pipeline *p,
                            struct buf *b);
// moves.c: what "k" moves, with code "ir", whose first case is "head".
void explain_moves(struct session *s, const struct plan *p, const struct kernel *k,
                   const struct kir_kernel *head, const struct kir_kernel *ir, const int64_t *value,
                   struct explained_moves *out);
// cases.c: what the launcher of "k" tries, if it has several variants in all.  "ir" is that of "k".
void explain_cases(struct session *s, const struct kernel *k, const struct kir_kernel *ir,
                   const int64_t *value, struct explained_kernel *x);
// Prints the table of cases, if "k" is the first of several; and which row is taken.
void explain_print_cases(struct session *s, const struct explained_kernel *k, struct buf *b);
void explain_print_taken(struct session *s, const struct explained_kernel *k, struct buf *b);
// moves.c: prints why a planned kernel is as it is, and what it moves.
void explain_print_planned(struct session *s, const struct explained_kernel *k, struct buf *b);
// counts.c: computes the costs of both sides of "c".
void explain_costs(struct session *s, const struct plan *p, const struct kernel *k,
                   const struct copy *c, const int64_t *value, struct explained_copy *x);
// Prints the costs as lines for people.
void explain_print_costs(struct session *s, const struct explained_copy *x, struct buf *out);
struct explained_count {
    const char *name;  // "sectors"
    int64_t access_min, access_max, access_least, total_min, total_max, total_least;
    int percent;
};
enum { EXPLAINED_COUNTS = 3 };
// The numbers for programs: fills "out" and returns how many there are.
int explain_counts(const struct explained_cost *c, struct explained_count out[EXPLAINED_COUNTS]);
// Fills in the pipelines, waits and barriers of "k".
void explain_order(struct session *s, const struct kernel *k, struct explained_kernel *x);

// roles.c: how the "load" of pipeline "st" says that a slot is full; who executes the parts of "p", and how they
// wait for each other.
const char *explain_full(struct session *s, const struct stmt *st);
const char *explain_roles(struct session *s, const struct pipeline *p);

#endif
