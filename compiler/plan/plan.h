// The plan: the meaning of a .tcp file after names, types and layouts are resolved.  sema makes
// it.  Passes fill in the facts; each such field names the only pass that writes it.  lower
// converts it to Kernel IR.
#ifndef TCPC_PLAN_PLAN_H
#define TCPC_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "index/ix.h"
#include "layout/lay.h"
#include "plan/stmt.h"
#include "plan/tensor.h"

struct digest;
struct kept_count;
struct relayout_chosen;
struct session;
struct tiled_mma;

// -- kernels --------------------------------------------------------------------------------------
// A condition that the plan does not promise, so the launcher checks it: the address of "tensor",
// or "value", is a multiple of "by".  It also holds if "unless" is at most 1: "value" is then the
// step of coordinates that are all 0.
struct condition {
    const struct tensor *tensor;  // or NULL
    struct lay_int value;         // a product of params
    int64_t by;                   // bytes for an address
    struct lay_int unless;        // den 0: none
};

// A version of a kernel, with accesses as wide as its conditions allow.
struct variant {
    int bits;                      // the widest access that depends on conditions
    int tag;                       // number in the name of its function, NAME_variant
    const struct condition *when;  // the last variant has none
    int nwhen;
};

enum dir { ARG_IN, ARG_OUT, ARG_INOUT };

struct formal {
    struct tensor *tensor;
    enum dir dir;
    int place;  // among all formals, in the order of the list
    struct range at;
    bool readonly;  // of a device function: nobody writes its memory while the kernel runs
    // of a kernel of one copy, whose tensors are the planner's: that of the plan; otherwise NULL
    const struct tensor *declared;
};

// "n : index" of a device function.
struct index_formal {
    const char *name;
    struct ix_var *var;  // NULL if the function is extern
    int place;           // among all formals, in the order of the list
    struct range at;
};

// A precondition of a device function: the caller must guarantee a <= b.
struct duty {
    const struct ix *a, *b;
    const struct tensor *tensor;
    struct duty *next;
};

// extern device NAME(formals) from "FILE": a function of the user.  tcpc knows only what it may
// read and write.
struct function {
    const char *name, *from;
    struct formal *formal;  // their tensors give element type, space and layout
    int nformals;
    struct index_formal *index;
    int nindexes;
    int id;  // index into plan.function
    struct range at;
    bool broken;  // set by sema if its declaration has an error
};

// A call of a device function of the plan, whose statements stand in its place.  Its arguments must
// fit like those of an extern function.
struct inlined {
    struct plan_call *call;
    struct inlined *next;
};

// A "let" whose value is the same for all threads of a block.
struct let {
    const char *name;
    const struct ix *is;
};

// A kernel or a device function.  A device function runs in one block.  It has no grid and no
// shared memory of its own, and its formals may be in any space.
struct kernel {
    const char *name;
    bool device;
    bool manual;  // the author writes barriers, commits and waits
    bool async;   // a device function that returns with one group of asynchronous copies in flight
    struct index_formal *index;
    int nindexes;
    // the rows of its first copies that complete by group, which say how 'commit' and 'wait' count: of
    // those that the hardware counts, of those that barriers in memory count, and of those whose
    // source is waited for; or NULL
    const struct atom_row *groups, *counted, *stored;
    // sync: all threads wait for what barriers in memory count, so that a wait needs no barrier
    bool all_wait;
    // sync: it reads a tensor that it stores by copies whose source is waited for
    bool reads_stored;
    struct duty *duties;  // pass "coverage"
    struct formal *formal;
    int nformals;
    struct lay_int grid[3];  // blocks by axis
    struct range grid_at[3];
    const struct rounded *grid_rounded[3];  // as of a loop's end
    int64_t threads;
    struct range threads_at;  // what "threads" says; empty where it is not written
    struct tensor **local;    // shared and frag tensors that are used, in order of first use
    int nlocal;
    // the params that the body, the grid or a layout uses, in order of declaration: first those that
    // the caller passes, then the sums of them
    const struct param **param;
    int nparams, ngiven;
    const struct ix_var *tid, *lane, *warp, *block[3];
    const struct let *let;  // in textual order, for the names in emitted code
    int nlets;
    int first_var, end_var;  // range of ids of the variables in its text: first_var .. end_var - 1
    struct stmt *body;
    struct inlined *inlined;
    // For kernels of one name, its cases: the first case and the one after this one, or NULL.  A
    // launch takes the first case whose conditions "when" all hold.  The last case has none.
    struct kernel *first_case, *next_case;
    const struct condition *when;
    int nwhen;
    struct range aligned_at;  // where it asks for the alignment of its arguments; or empty
    // pass "vectorize": widest first; none if there would be only one and the kernel is no case.
    // The variants of a case include the conditions of the case.
    const struct variant *variant;
    int nvariants;
    int named;           // named barriers that "barrier" declares
    int rings;           // .. and those in memory
    int64_t smem_bytes;  // pass "shared"
    int64_t counter_at;  // pass "shared": the byte of what counts its groups; -1: nothing does
    // pass "sync": commits its group at the end; waits for all groups at the end
    bool commit_last, wait_last;
    const struct sync_point *sync;  // pass "sync": its waits and barriers, in textual order
    int asked;                      // pass "sync": questions asked to prove the order of accesses
    // the text that the planner wrote for this kernel and its further cases; or NULL
    const char *planned;
    const struct copy *wanted;  // .. and the copies that it is for, as the plan has them
    int nwanted;
    const struct relayout_chosen *chosen;  // .. which is one copy: what it took; else NULL
    // of a copy between devices: they launch it together, and block.z is the number of the device
    const struct mesh *mesh;
    // .. of which the plan's kernel has one for each number of devices: its name; otherwise NULL
    const char *family;
    const struct digest *text;  // of its text and of all that this uses (plan/known.h); or NULL
    struct kept_count *count;   // what passes did for it, and what was kept of earlier compilations
    int candidates;             // of the kernel that options.tuned names: how many there are
    struct range at;
    struct kernel *next;
};

// Whether nobody writes formal "f" of "k" while the kernel runs.  This holds for inputs of a
// kernel, because callers of its launcher guarantee it, and for a device function's readonly
// formals.
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
    PROP_SECTORS,  // these of a side, by its costs (cost/copy.h)
    PROP_SECTORS_TOTAL,
    PROP_REQUESTS_TOTAL,
    PROP_WAVEFRONTS,
    PROP_WAVEFRONTS_TOTAL,
    PROP_EQUIVALENT  // of two kernels; asked once their code is there
};

// PROP(copy or kernel) REL value.  It is checked after the passes, unless sema can decide it.
struct expectation {
    enum property prop;
    // for costs of a side: of the destination, otherwise the source
    bool dst;
    const struct copy *copy;
    const struct kernel *kernel, *kernel2;
    const char *op;
    bool mirrored;  // the property was written on the right; "op" is for it on the left
    const struct lay_tuple *value;
    const char *text;     // the expression as written
    const char *message;  // or NULL
    struct range at;
    struct expectation *next;
};

// Whether "prop" is a cost of one side of a copy.
static inline bool property_is_cost(enum property prop) {
    return prop >= PROP_SECTORS && prop <= PROP_WAVEFRONTS_TOTAL;
}

struct named_layout {
    const char *name;
    struct lay layout;
    struct range at;
};

// A quotient in the text that has one value in all blocks and steps, such as a block's number divided by 8 in
// a grid of 8.
struct vanished {
    const struct ix *of;
    int64_t value;
    struct range at, by_at;  // by_at: the divisor
    const char *let;         // the name of it, if it is what a `let` names; or NULL
    struct vanished *next;
};

struct plan {
    const char *path;
    int arch;               // 80, 90
    const char *arch_name;  // "sm_80", "sm_90a"
    struct param *const *param;
    int nparams;
    const struct relation *const *relation;  // of the params' where clauses, in textual order
    int nrelations;
    struct tensor *const *tensor;  // top-level
    int ntensors;
    struct tiled_copy *const *tiled;
    int ntiled;
    struct tiled_mma *const *mma;  // declared at top level, for drawings
    int nmmas;
    // declared at top level, for drawings; elsewhere they are resolved
    const struct named_layout *layout;
    int nlayouts;
    struct kernel *kernels;
    struct kernel *devices;                  // device functions
    const struct function *const *function;  // extern
    int nfunctions;
    struct expectation *expects;
    struct constant *constants;  // the last one is first
    struct vanished *vanished;   // .. too
    int nconstants;
    int nvars;  // all ix_var ids are below this
    int nsyms;  // all lay_sym ids are below this
};

// Iterates over kernels, then device functions: the first one for NULL, the one after "k", and NULL
// at the end.
struct kernel *plan_next(const struct plan *p, const struct kernel *k);
const struct tiled_copy *plan_find_tiled(const struct plan *p, const char *name);
// The conditions of a variant as text: "A and B are aligned to 16 bytes, lda % 4 == 0"; NULL if it
// has none.
const char *variant_text(struct session *s, const struct variant *v);
const struct kernel *plan_find_kernel(const struct plan *p, const char *name);
// The part of a pipeline with roles that copy "c" of "k" is in; or NULL.
const struct stmt *kernel_role_of(const struct kernel *k, const struct copy *c);
// The statement "x", which names a barrier, as the plan has it: "sync full of n - 2".
const char *stmt_named(struct session *s, const struct stmt *x);
// The statement of its role's list in which asynchronous copy "copy" of a manual role has certainly
// completed, in the same step: the wait for its group, or the loop around both.  NULL: there is none.
const struct stmt *stmt_completed(const struct stmt *copy);
// The "expect" of a role of a manual kernel that counts the bytes of "copy" at a barrier in memory; or NULL.
const struct stmt *stmt_counted(const struct stmt *copy);
// The formal of "k" whose tensor is "t"; NULL if there is none.
const struct formal *kernel_formal(const struct kernel *k, const struct tensor *t);
// Whether a copy or a call of the kernel reads "t".
bool kernel_reads(const struct kernel *k, const struct tensor *t);
// Whether a copy whose source is waited for stores to "t".
bool kernel_stores_late(const struct kernel *k, const struct tensor *t);
// Whether a statement of "k" copies or passes "t".
bool kernel_names(const struct kernel *k, const struct tensor *t);

#endif
