// The plan: what a .tcp file means, once names, types and layouts are resolved.  sema makes it;
// passes fill the facts (each field says which pass writes it; nobody else does); lower turns it
// into Kernel IR.
#ifndef TCPC_PLAN_PLAN_H
#define TCPC_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "index/ix.h"
#include "layout/lay.h"
#include "plan/atoms.h"
#include "plan/facts.h"
#include "plan/types.h"

struct session;

// -- declarations ---------------------------------------------------------------------------------
struct param;
struct relation {  // where A op B, of a param
    const struct ix *a, *b;
    const char *op;  // "==" "!=" "<" "<=" ">" ">="
    const char *text;
    const struct param *
        *param;  // those that it is about; a kernel has to check it when it has all of them
    int nparams;
    struct range at;
};

struct param {
    const char *name;
    const struct lay_sym *sym;  // divisibility and range stand there
    struct range at;
    struct range mod_at;  // where "% N" can be put in
    bool mod_free;        // nothing stands there, and the declaration is of this param alone
};

// What a frag's layout is taken from, when it was declared "like" a tiled copy: its own modes (v,
// rest...) follow the first tile that is copied to or from it.
struct tensor {
    const char *name;
    const struct elem_type *elem;
    enum space space;
    struct lay layout;  // invalid for a frag "like" a tiled copy until pass "partition" sets it
    int align;  // bytes that "align" promises of the first element, or 0; plan/align.h reads it
    struct range align_at;     // where "align N" can be put in
    int id;                    // index into plan.tensors, or beyond it for a kernel's own
    const char *const *names;  // of its modes; NULL when they have none
    int stages;                // extent of the last mode, which "stages" has added; 0: none was
    const struct tiled_copy *like;
    const struct tiled_copy
        *dist;      // of a frag: whose (thread, value) parts it holds; written by pass "partition"
    bool dist_src;  // ..: as a source; else as a destination
    int smem_offset;        // bytes; written by pass "shared"
    int64_t smem_elements;  // from there on; written by pass "shared"
    bool outside;           // shared or frag memory of a device function's caller
    bool row_major_default;
    struct range at;
};

// An index map: which element of the tile is which value of which thread.
struct tiled_map {
    const struct ix_var *thread, *value;
    const struct ix *const *mode;  // the coordinate in the tile, made of these two
    int nmodes;
    const int32_t *place;  // the same as one number, of value v of thread t at t + threads * v
    int64_t run;  // from each multiple of it on, so many values follow one another in mode "along"
    int along;
    const struct lay_tuple *tile;  // in the form of the coordinate, or as tile= gives it
    const char *text;
};

struct tiled_copy {
    const char *name;  // NULL for an unnamed one
    struct atom atom;
    const struct lay_tuple *tiler;  // extents by mode, static
    struct lay tv;  // (thr, val) -> colexicographic index in the tile "tiler"; invalid when "map"
                    // is no layout
    // Of what a thread reads, and of what it writes: tv, but for collective atoms, whose threads
    // have other values on each side.
    struct lay tv_src, tv_dst;
    int elem_bits;                // with a collective atom: of the elements that these count
    const struct tiled_map *map;  // or NULL
    int64_t threads, values;      // sizes of tv's modes; of each side: tiled_values
    struct lay thr, val;          // as given, invalid for tv=
    bool by_atoms;                // given as atoms=, along=
    bool by;                      // stands after "by", where "at" is the map or TV layout
    int along;
    struct range at, val_at, thr_at;  // val_at: the argument val= (value only), for fix-its
    struct range val_arg_at;          // the whole argument, with its name
};

// (thread, value) -> place in the tile, of one side.
static inline struct lay tiled_tv(const struct tiled_copy *tc, bool src) {
    return src ? tc->tv_src : tc->tv_dst;
}
// Of a thread on one side: lanes that address rows for a collective atom hold fewer than they
// address.
static inline int64_t tiled_values(const struct tiled_copy *tc, bool src) {
    return tc->values * atom_side_bits(&tc->atom, src) / tc->atom.bits;
}

struct view;

// What local_partition was given, for a mend that writes it in another way.
struct partitioned {
    const struct view *of;
    struct lay thr;
    struct range of_at, thr_at;  // its arguments
};

// -- views ----------------------------------------------------------------------------------------
// A tensor, or a part of one: element at coordinate c is base[sw(offset + layout(c))], elements.
// Leaves of a shape, by number.
struct leaf_set {
    uint64_t word[LAY_MAX_LEAVES / 64];
};

// A coordinate by which a mode was sliced, and which must be there.
struct slice_bound {
    const struct ix *at;
    struct lay_int extent;  // of the mode; invalid where "at" is less, or may be more
    bool of_tensor;         // the mode is one of the tensor
    const struct slice_bound *next;
};

struct view {
    struct tensor *base;
    const struct ix *offset;  // elements; under the swizzle when there is one
    struct lay layout;  // shape and plain strides (layout.offset is 0; its swizzle is layout.sw)
    // The same coordinate as a coordinate of the tensor, by flattened mode: coord_off[i] + the part
    // of coord's stride with basis i.  coord has the shape of layout; a stride leaf of it is k@i.
    // This is what bounds and coverage are proven on.  A frag has none (coord invalid).
    struct lay coord;
    const struct ix *const *coord_off;
    // A mode of a padded divide has coordinates that lie outside the tensor.
    bool overhang;
    // Made by a divide that comes out, of whole modes: a tile beyond the last one lies outside the
    // tensor, as if the divide were padded; pass "predicate" then sets "overhang".
    bool tiled;
    bool
        overhangs_part;  // .. some of which lie in the tensor, but not in the view that was divided
    struct leaf_set tiles;             // leaves of layout that count tiles, of which there may be
                                       // more than fit
    const struct slice_bound *bounds;  // by the slices that made the view
    const char *const *names;          // of the modes, NULL for one that has none; NULL: none has
    bool part;        // made by partition_src, partition_dst or retile: one thread's
    int64_t threads;  // of a partition: those that have one; 0 else
    int64_t lanes;    // of a partition of what a warp has: likewise, of each warp
    struct range at;
    const struct partitioned *partitioned;  // made by local_partition alone; or NULL
};

// A number of the plan as bits of an element.
struct constant {
    const struct elem_type *elem;
    uint64_t bits;     // the low ones of an element
    const char *text;  // as written
    int id;            // of the plan's constants
    struct constant *next;
};

// -- kernels --------------------------------------------------------------------------------------
// A part is a "load" or "use" block, and stands in a pipeline's body alone.
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

// A loop whose "load" parts run stages - 1 steps ahead of its "use" parts: step n fills slot
// (n - begin) % stages of its buffers, and is used from there.  It means what the loop over its
// parts in order means.  Parts have variables of their own for step and slot, because they are at
// different steps at one time.
struct pipeline {
    int64_t stages;
    struct ix_var *slot;  // of the step that is used, the statement's own "var"; NULL when
                          // there is one stage
    struct ix_var *load_var, *load_slot;  // in "load" parts; the same when there is one stage
    struct tensor *const *tensor;         // the buffers with stages that it fills
    int ntensors;
};

// What the threads do before a statement.
struct sync_before {
    int wait;      // until at most that many groups of asynchronous copies are pending; -1: no wait
    bool barrier;  // then for one another
    const struct sync_point *point;  // both, and what they are for; NULL: neither
};

struct stmt {
    enum stmt_kind kind;
    struct copy *copy;
    struct plan_call *call;
    // STMT_FOR, STMT_PIPELINE
    struct ix_var *var;
    const struct ix *begin, *end;
    struct stmt *body;  // of a part too
    struct pipeline *pipe;
    bool load;  // STMT_PART: else use
    // sync: of a pipeline before the loads of its first steps, of a part (but for these) in each
    struct sync_before before;
    struct sync_before behind;  // sync: STMT_PIPELINE, at the end of each step; with one stage
    bool commit_after;          // sync: STMT_FOR in a "load" part: ends a group
    int pending;                // STMT_WAIT: groups that may be in flight
    struct stmt *next;
    struct stmt *up;  // in whose body it stands; NULL: the kernel's
    struct range at;
};

// A fact that the plan does not promise and that a launcher asks for: the address of "tensor", or
// "value", is a multiple of "by".
struct condition {
    const struct tensor *tensor;  // or NULL
    struct lay_int value;         // a product of params
    int64_t by;                   // bytes of an address
};

// A version of a kernel with accesses as wide as its conditions allow.
struct variant {
    int bits;                      // the most of an access that depends on conditions
    const struct condition *when;  // of the last variant there are none
    int nwhen;
};

enum dir { ARG_IN, ARG_OUT, ARG_INOUT };

struct formal {
    struct tensor *tensor;
    enum dir dir;
    int place;  // among all formals, in the order of the list
    struct range at;
    bool readonly;  // of a device function: nobody writes it while the kernel runs
};

// "n : index" of a device function.
struct index_formal {
    struct ix_var *var;
    int place;  // among all formals, in the order of the list
    struct range at;
};

// What a device function's caller owes: a <= b.
struct duty {
    const struct ix *a, *b;
    const struct tensor *tensor;
    struct duty *next;
};

// extern device NAME(formals) from "FILE": somebody else's code, known by what it may read and
// write.
struct function {
    const char *name, *from;
    struct formal *formal;  // their tensors say element, space and layout
    int nformals;
    struct index_formal *index;
    int nindexes;
    int id;  // index into plan.function
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
// What comes behind "st" among the statements of "list" and those within them, in the order of the
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

// What a wait or a barrier is for: without it the later of two accesses to "buffer" is not in order
// behind the earlier one.  An access is of a copy, or of an argument of a call.
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

// A kernel, or a device function: that has one block, no grid, no shared memory of its own, and
// formals in any space.
struct kernel {
    const char *name;
    bool device;
    bool manual;  // it writes barriers, commits and waits itself
    bool async;   // a device function that leaves one group of asynchronous copies in flight
    struct index_formal *index;
    int nindexes;
    struct duty *duties;  // pass "coverage"
    struct formal *formal;
    int nformals;
    struct lay_int grid[3];  // blocks by axis
    bool grid_given;
    int64_t threads;
    bool threads_given;
    struct tensor **local;  // shared and frag tensors that are used, in order of first use
    int nlocal;
    const struct param *
        *param;  // those that the body, the grid or a tensor's layout uses; in order of declaration
    int nparams;
    const struct ix_var *tid, *lane, *warp, *block[3];
    int first_var, end_var;  // ids of the variables that its text speaks of
    struct stmt *body;
    const struct variant *variant;  // pass "vectorize": widest first; none when there is but one
    int nvariants;
    int64_t smem_bytes;             // pass "shared"
    bool commit_last, wait_last;    // pass "sync": at its end, of all groups
    const struct sync_point *sync;  // pass "sync": its waits and barriers, in the order of the text
    struct range at;
    struct kernel *next;
};

// Whether nobody writes "f" of "k" while the kernel runs: the inputs of a kernel, by what its
// launcher's caller owes, and what a device function says so of.
static inline bool formal_is_constant(const struct kernel *k, const struct formal *f) {
    return f->dir == ARG_IN && (!k->device || f->readonly);
}

// -- expect ---------------------------------------------------------------------------------------
enum property {
    PROP_VECTOR_BITS_SRC,
    PROP_VECTOR_BITS_DST,
    PROP_ROUNDS,
    PROP_INSTRUCTIONS,
    PROP_SMEM_BYTES,
    PROP_EQUIVALENT  // of two kernels; asked once their code is there
};

// PROP(copy or kernel) REL value: checked when the passes have run.  What sema can decide, it
// decides itself.
struct expectation {
    enum property prop;
    const struct copy *copy;
    const struct kernel *kernel, *kernel2;
    const char *op;
    const struct lay_tuple *value;
    const char *text;     // the expression as written
    const char *message;  // or NULL
    struct range at;
    struct expectation *next;
};

struct named_layout {
    const char *name;
    struct lay layout;
    struct range at;
};

struct plan {
    const char *path;
    int arch;               // 80, 90
    const char *arch_name;  // "sm_80", "sm_90a"
    struct param *const *param;
    int nparams;
    const struct relation *const *relation;  // of the params' where clauses, in order
    int nrelations;
    struct tensor *const *tensor;  // top-level
    int ntensors;
    struct tiled_copy *const *tiled;
    int ntiled;
    const struct named_layout *layout;  // top-level, to be drawn; all else has them resolved
    int nlayouts;
    struct kernel *kernels;
    struct kernel *devices;                  // device functions
    const struct function *const *function;  // extern
    int nfunctions;
    struct expectation *expects;
    struct constant *constants;  // the last one first
    int nconstants;
    int nvars;  // ix_var ids run below this
    int nsyms;  // lay_sym ids run below this
};

// The functions, kernels first: the one after "k", the first one after NULL; NULL when there are no
// more.
struct kernel *plan_next(const struct plan *p, const struct kernel *k);
// The element type of "c" with more bits, by which its accesses are counted; the source's of two
// that have as many.
const struct elem_type *copy_wider(const struct copy *c);
// Bits of an access of "vec" elements on one side of "c".
int copy_side_bits(const struct copy *c, bool src, int vec);
const struct tiled_copy *plan_find_tiled(const struct plan *p, const char *name);
// Which ways the code of a copy has: its edge, but one access that is there or not asks in any
// case.
enum edge copy_edge(const struct copy_facts *f);
// The facts of "c" in variant "i" of its kernel; -1: where there are no variants.
struct copy_facts copy_facts_in(const struct copy *c, int i);
// Its conditions, "A and B are aligned to 16 bytes, lda % 4 == 0"; NULL when there are none.
const char *variant_text(struct session *s, const struct variant *v);
const struct kernel *plan_find_kernel(const struct plan *p, const char *name);
// The formal of "k" that is "t"; NULL: none.
const struct formal *kernel_formal(const struct kernel *k, const struct tensor *t);

#endif
