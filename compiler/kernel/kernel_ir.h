// Kernel IR: what one thread of a kernel does, one node an instruction or a loop.  Lowering makes
// it from the plan; every compile tests by sample that it does what the plan means; the emitter
// prints it and looks at nothing else.
#ifndef TCPC_KERNEL_KERNEL_IR_H
#define TCPC_KERNEL_KERNEL_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "index/ix.h"
#include "kernel/launch.h"

struct session;
struct buf;

enum kir_space { KIR_GLOBAL, KIR_SHARED, KIR_FRAG, KIR_STAGE };

// Memory that instructions name.  KIR_STAGE: registers between the loads and the stores of a batch,
// an array of values of one access each.
struct kir_buffer {
    enum kir_space space;
    const char *name;    // in the plan
    const char *c_name;  // in emitted code
    const char *c_type;  // of an element
    const char *elem_c;  // of a stage: of an element; "c_type" is of a value
    const char *elem;    // "f32"; of a stage: of its values' elements
    const char *layout;  // as text, for comments; NULL for a stage
    int elem_bits;
    int tensor;           // id of the tensor; of a stage: nothing
    int64_t count;        // frag, stage: elements; shared: elements; global: 0
    int64_t smem_offset;  // shared: bytes
    int access_bits;      // stage: of a value
    bool written, read;
    bool constant;  // global: nobody writes it while the kernel runs
    bool outside;   // shared or frag: a parameter of a device function
};

enum kir_kind {
    KIR_LET,    // var = index
    KIR_FOR,    // var from begin to end, step 1
    KIR_GUARD,  // if index < count, or without an index if tid < count
    KIR_IF,     // if all conditions hold: body, else orelse
    KIR_STAGE_DECL,
    KIR_LOAD,    // stage[stage_at] = buf[at], "bits" wide
    KIR_STORE,   // buf[at] = stage[stage_at]; it converts, or LOAD, where types differ
    KIR_MOVE,    // to_buf[to_at] = buf[at]; one side a fragment
    KIR_FILL,    // stage[stage_at], or to_buf[to_at], = value, "bits" wide
    KIR_ASYNC,   // the same from global to shared memory, some time before a KIR_WAIT for its group
    KIR_COMMIT,  // the KIR_ASYNC since the last one are a group
    KIR_WAIT,    // until at most "pending" groups are in flight
    KIR_BARRIER,
    KIR_CALL,    // an extern function
    KIR_BLOCK,   // a scope of its own: { body }
    KIR_COMMENT  // lines of text
};

// a < b
struct kir_cond {
    const struct ix *a, *b;
};

// A variable that is "first" in a loop's first iteration and goes up by one in each, from size - 1
// to 0.
struct kir_ring {
    const struct ix_var *var;
    int64_t first, size;
};

// A variable that is "first" before a loop's first iteration, and "step" more before each other.
struct kir_carry {
    const struct ix_var *var;
    const struct ix *first, *step;
    // The accesses of a step are multiples of "apart" elements apart, which the emitted text may
    // call "stride"; or NULL.
    const struct ix_var *stride;
    struct lay_int apart;
    const struct ix *stride_is;  // apart, as it is computed
    int bits;                    // of "var": 32 or 64
};

// An argument of an extern function, in the order of its list.
struct kir_arg {
    struct kir_buffer *buf;  // from element "at" on; or NULL: the index "at"
    const struct ix *at;
    bool read, written;
    struct lay layout;  // of what is written, static
    int place;          // among the arguments that are buffers
};

// What the 32 lanes of a warp do in one instruction.
struct kir_together {
    int src_bits, dst_bits;    // that a lane addresses, or holds
    int src_lanes, dst_lanes;  // the first lanes, the others' addresses are not used
    // Value v of lane l of the destination, at l + 32 * v, is of the source number lane + 32 *
    // value.
    const int *from;
};

struct kir_node {
    enum kir_kind kind;
    struct range where;  // the statement of the plan
    struct kir_node *next;
    struct kir_node *body;        // FOR, GUARD, IF, BLOCK
    struct kir_node *orelse;      // IF; or NULL
    const struct kir_cond *cond;  // IF; ASYNC: else it reads nothing and fills with 0
    int nconds;
    const struct kir_cond *cut;  // ASYNC: reads its first b - a elements alone; NULL: all of them
    const char *name;            // IF: of a constant that holds the answer, or NULL
    struct ix_var *var;          // LET, FOR
    int var_bits;                // of it: 32 or 64, decided by kernel/widths.h
    bool may_be_over;  // FOR: it may begin beyond "var_bits" and its end, and then does nothing
    const struct ix *index;        // LET, GUARD
    const struct ix *sampled;      // LET: the most it is when iterations are sampled; or NULL
    const struct ix *begin, *end;  // FOR
    bool unroll;                   // FOR
    bool whole;                    // FOR: every iteration is executed, also in samples
    const struct kir_ring *ring;   // FOR: variables that go round with it
    int nrings;
    const struct kir_carry *carry;  // FOR: offsets that go along with it
    int ncarries;
    int64_t count;  // GUARD; LET with "sampled": stages
    int64_t
        most;  // FOR, LET with "sampled": iterations there can be, where params alone say how many
    struct kir_buffer *stage;  // STAGE_DECL, LOAD, STORE
    const struct ix *stage_at;
    struct kir_buffer *buf;     // LOAD, STORE; MOVE, ASYNC: source
    const struct ix *at;        // elements
    struct kir_buffer *to_buf;  // MOVE, ASYNC
    const struct ix *to_at;
    int bits;
    // LOAD, STORE, MOVE, FILL: how far apart the elements of an access are in "apart", a
    // fragment, or of a STORE the stage, whose index counts elements then; by the binary digits of
    // their number.  NULL: they follow one another.
    const struct kir_buffer *apart;
    const int64_t *step;
    const char *function;                 // ASYNC, MOVE by lanes together: of the runtime
    const struct kir_together *together;  // MOVE: by the lanes of a warp; NULL: each for itself
    const char *cache;                    // ASYNC: PTX's cache operator
    // The cache hints of an access to global memory, as emitted code has them; or NULL.
    const char *ld, *st;
    int pending;         // WAIT
    uint64_t value;      // FILL: of an element
    int elem_bits;       // FILL
    int constant;        // FILL, ASYNC with conditions: its number in the plan
    const char *callee;  // CALL
    int callee_id;
    const struct kir_arg *arg;
    int nargs;
    const char *const *line;  // COMMENT
    int nlines;
    const char *path;  // COMMENT: where in the plan
    int plan_line;
};

// A parameter of a device function, in the order of the plan's list.
struct kir_formal {
    const struct kir_buffer *buffer;  // or
    const struct ix_var *index;
    int align;  // bytes that the accesses need; of a buffer
};

// A kernel with its launcher, or a device function.
struct kir_kernel {
    bool device;
    bool leaves_group;  // a device function that ends with one group in flight
    // A kernel's variants are in a row, the widest first.
    struct kir_kernel *narrower;
    // Of a kernel's cases: the one after this one; and whether this is the first one, or the only.
    struct kir_kernel *next_case;
    bool first_case;
    const struct kir_launch *launch;    // of all its cases and variants; NULL: a device function
    const struct kir_variant *variant;  // which it is; NULL: a device function
    struct kir_formal *formal;          // of a device function
    int nformals;
    const struct kir_relation *duty;  // what its caller owes: a <= b
    int nduties;
    const char *name;  // in the plan
    const char *c_name;
    const char *path;
    int line;                   // of the declaration
    struct kir_tensor *tensor;  // parameters
    int ntensors;
    struct kir_param *param;
    int nparams;
    struct kir_relation *relation;
    int nrelations;
    struct lay_int grid[3];
    int64_t threads;
    int64_t smem_bytes;
    const struct ix_var *tid, *block[3];
    struct kir_buffer *const *buffer;  // shared and fragments, to be declared
    int nbuffers;
    int first_own_var;  // variables from this id on were made by lowering
    struct kir_node *body;
    struct kir_kernel *next;
};

struct kir {
    const char *arch;  // "sm_90a"
    const char *path;
    const char *const *include;  // the files of extern functions, each once
    int nincludes;
    struct kir_kernel *kernels;  // device functions after them
};

// Whether the nodes use "v"; guards and calls use tid.
bool kir_uses(const struct kir_node *list, const struct ix_var *v);
// Whether they use the param "y".
bool kir_uses_param(const struct kir_node *list, const struct lay_sym *y);

// Where element "i" of an access is, by the steps of its binary digits.
int64_t kir_step_to(const int64_t *step, int i);

// The elements that a KIR_ASYNC reads where its "cut" gives "a" and "b".
int kir_cut(const struct kir_node *n, int64_t a, int64_t b);

// Whether an element changes its type from "a" to "b".
bool kir_converts(const struct kir_buffer *a, const struct kir_buffer *b);

// Prints the IR as text, for --emit=kernel.
void kir_print(struct session *s, const struct kir *k, struct buf *out);

#endif
