// What `tcpc explain` tells of a plan: one structure, made from the plan and the facts that its
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
struct session;

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
};

struct explained_variant {
    int bits;
    const char *when;  // in words; NULL: no condition
    const struct condition *condition;
    int nconditions;
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
    const char *map;      // the index map that says where, when no layout does
    const char *example;  // what one thread takes, in words; or NULL
    int64_t values, nrounds;
    struct explained_side src, dst;
    int bits, vec;                     // of the side with wider elements
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

struct explained_tensor {
    const char *name, *elem, *space, *direction, *layout;
    bool local;
    int64_t align;       // bytes; 0 for a fragment
    int64_t at, nbytes;  // of a shared tensor: where, and up to its last element
};

struct explained_kernel {
    const char *name, *path;
    int line;
    bool device;
    const char *index[64];  // the integers that a device function is called with
    int nindexes;
    const char *const *duty;  // what the caller of a device function owes: "8*i <= M"
    int nduties;
    const char *grid[3];
    struct lay_int blocks[3];
    int64_t threads, smem_bytes;
    struct explained_tensor *tensor;
    int ntensors;
    struct explained_variant *variant;  // widest first
    int nvariants;
    struct explained_copy *copy;
    int ncopies;
    struct explained_call *call;
    int ncalls;
};

struct explanation {
    const struct plan *plan;
    struct explained_kernel *kernel;
    int nkernels;
};

// Explains "p", whose passes have run and gave "ir": all of it, or what "name" names, which is a
// FUNCTION, a LABEL, FUNCTION.LABEL or FUNCTION:LINE.  Returns NULL, after saying so, when it names
// nothing.
const struct explanation *explain_plan(struct session *s, const struct plan *p,
                                       const struct kir *ir, const char *name);

// Bytes to which argument "t" of "k" must be aligned; 0 when it is no argument, or in registers.
int explain_align(const struct kir_kernel *k, const struct tensor *t);

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
