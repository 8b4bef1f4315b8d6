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
#include "plan/stmt.h"
#include "plan/tensor.h"

struct session;
struct tiled_mma;

// -- kernels --------------------------------------------------------------------------------------
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
    int tag;                       // what the function NAME_variant calls it
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
    bool broken;  // by sema: its declaration has an error
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
    struct range grid_at[3];
    int64_t threads;
    struct range threads_at;  // what "threads" says; empty where it is not written
    struct tensor **local;    // shared and frag tensors that are used, in order of first use
    int nlocal;
    // those that the body, the grid or a tensor's layout uses; in order of declaration
    const struct param **param;
    int nparams;
    const struct ix_var *tid, *lane, *warp, *block[3];
    int first_var, end_var;  // ids of the variables that its text uses
    struct stmt *body;
    // Of several kernels of one name, its cases: the first one, and the one after it, or NULL.  A
    // launch takes the first case of which all conditions "when" hold; the last one has none.
    struct kernel *first_case, *next_case;
    const struct condition *when;
    int nwhen;
    // pass "vectorize": widest first; none when there is but one, which is no case.  Those of a case
    // have its conditions, too.
    const struct variant *variant;
    int nvariants;
    int64_t smem_bytes;             // pass "shared"
    bool commit_last, wait_last;    // pass "sync": at its end, of all groups
    const struct sync_point *sync;  // pass "sync": its waits and barriers, in the order of the text
    int asked;                      // pass "sync": questions that the order of its accesses took
    const char *planned;  // its text, where the planner wrote it, and that of its further cases; or
                          // NULL
    const char *planned_how;  // of the kernel that options.tuned names: the choice in a line,
    int candidates;           // and how many there are
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
    PROP_SECTORS,  // these of a side, by its costs (cost/copy.h)
    PROP_SECTORS_TOTAL,
    PROP_REQUESTS_TOTAL,
    PROP_WAVEFRONTS,
    PROP_WAVEFRONTS_TOTAL,
    PROP_EQUIVALENT  // of two kernels; asked once their code is there
};

// PROP(copy or kernel) REL value: checked when the passes have run.  What sema can decide, it
// decides itself.
struct expectation {
    enum property prop;
    bool dst;  // of a side's costs: which
    const struct copy *copy;
    const struct kernel *kernel, *kernel2;
    const char *op;
    bool mirrored;  // the property is on the right, and "op" is for it on the left
    const struct lay_tuple *value;
    const char *text;     // the expression as written
    const char *message;  // or NULL
    struct range at;
    struct expectation *next;
};

// Whether "prop" is a number of what one side of a copy costs.
static inline bool property_is_cost(enum property prop) {
    return prop >= PROP_SECTORS && prop <= PROP_WAVEFRONTS_TOTAL;
}

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
    struct tiled_mma *const *mma;  // top-level, to be drawn
    int nmmas;
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
const struct tiled_copy *plan_find_tiled(const struct plan *p, const char *name);
// The conditions of a variant, "A and B are aligned to 16 bytes, lda % 4 == 0"; NULL when there are
// none.
const char *variant_text(struct session *s, const struct variant *v);
const struct kernel *plan_find_kernel(const struct plan *p, const char *name);
// The formal of "k" that is "t"; NULL: none.
const struct formal *kernel_formal(const struct kernel *k, const struct tensor *t);

#endif
