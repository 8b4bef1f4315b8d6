// Kernel IR: what one thread of a kernel does, with a node for each instruction or loop.  Lowering
// makes it from the plan.  Every compile tests samples of it against the meaning of the plan.  The
// emitter prints it and looks at nothing else.
#ifndef TCPC_KERNEL_KERNEL_IR_H
#define TCPC_KERNEL_KERNEL_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "hw/arrival.h"
#include "hw/boxes.h"
#include "hw/classes.h"
#include "hw/space.h"
#include "image/elem.h"
#include "index/ix.h"
#include "kernel/launch.h"

struct session;
struct buf;

// Memory that instructions refer to.  MEM_STAGE: the registers between the loads and the stores of
// a batch, an array with the value of one access in each entry.
struct kir_buffer {
    enum space space;
    const char *name;    // in the plan
    const char *c_name;  // in emitted code
    const struct elem_type *elem;
    const char *layout;       // as text; NULL for a stage
    const char *layout_told;  // .. with its swizzle in words
    int tensor;               // id of the tensor; unused for a stage
    int64_t count;            // frag, stage, shared: elements; global: 0
    int64_t smem_offset;      // shared: bytes
    int access_bits;          // stage: bits of a value
    bool written, read;
    bool constant;  // global: nobody writes it while the kernel runs
    bool outside;   // shared or frag: a parameter of a device function
};

enum kir_kind {
    KIR_LET,  // var = index
    // var = (var + index) % count; without an index it declares "var", which is 0
    KIR_TURN,
    KIR_NAME,   // a constant "name" with the result of the conditions, for a later IF
    KIR_FOR,    // var from begin to end, step 1
    KIR_GUARD,  // if index < count; without an index, if tid < count
    KIR_IF,     // if all conditions hold: body, otherwise orelse
    KIR_STAGE_DECL,
    KIR_LOAD,  // stage[stage_at] = buf[at], "bits" wide
    // buf[at] = stage[stage_at]; STORE or LOAD converts if types differ
    KIR_STORE,
    KIR_MOVE,  // to_buf[to_at] = buf[at]; at least one side is a fragment
    KIR_FILL,  // stage[stage_at], or to_buf[to_at], = value, "bits" wide
    // like MOVE, from global to shared memory; completes before a KIR_WAIT for its group
    KIR_ASYNC,
    // copies boxes of a tensor; the body is one ASYNC, which says how each of its accesses of 16 bytes
    // counts, but not where it is, and is not emitted
    KIR_BOXES,
    // "count" bytes are to come at the barrier in memory of the open group (of ring arrival.of; 0: the
    // kernel's): before its first copy, by the thread that issues it; 0 bytes: by the thread that would,
    // where the group has no copy
    KIR_ANNOUNCE,
    // copies that this thread issues later come after what it knows that others have read, "fenced" is why
    KIR_FENCE,
    KIR_ARRIVE,  // at "arrival"; the end of a group: with the KIR_ASYNC since the last one
    KIR_WAIT,    // for "arrival"
    KIR_CALL,    // an extern function
    KIR_BLOCK,   // a scope of its own: { body }
    KIR_COMMENT  // lines of text
};

// Whose groups a thread ends or waits for.
enum kir_counts { COUNTS_PLAIN = 1, COUNTS_MEMORY = 2, COUNTS_STORED = 4, N_COUNTS = 3 };

// a < b, or with "least" a >= b
struct kir_cond {
    const struct ix *a, *b;
    bool least;
};

// A variable that the loop increments modulo "size"; in the first iteration it is "first", plus
// "from" if that is not NULL, modulo "size".
struct kir_ring {
    const struct ix_var *var;
    int64_t first, size;
    const struct ix_var *from;
};

// A variable that is "first" before the first iteration, and is increased by "step" before each
// later one.
struct kir_carry {
    const struct ix_var *var;
    const struct ix *first, *step;
    // The accesses of an iteration are at multiples of "apart" elements.  The emitted text may name
    // that number "stride"; NULL: it does not.
    const struct ix_var *stride;
    struct lay_int apart;
    const struct ix *stride_is;  // "apart" as an expression
    int bits;                    // of "var": 32 or 64
};

// An argument of an extern function, in the order of its list.
struct kir_arg {
    struct kir_buffer *buf;  // elements from "at" on; NULL: the argument is the index "at"
    const struct ix *at;
    bool read, written;
    struct lay layout;  // of what is written; static
    int place;          // number among the arguments that are buffers
    int64_t apart;      // shared memory that only a function of others writes: elements; else 0
};

// A tensor map, which the launcher makes.  Its dimensions begin with the contiguous one.
struct kir_map {
    const char *c_name;
    int tensor;  // number among the kernel's tensors
    int rank;
    const struct ix *offset;  // of the element at coordinates 0, in elements of params
    const struct ix *extent[BOX_RANK], *stride[BOX_RANK];  // of params; elements
    int64_t box[BOX_RANK];                                 // elements
    int swizzle;                                           // bytes of a row, or 0
    int l2;  // bytes that the L2 cache fetches together; 0: as many as are usual
    const struct elem_type
        *elem;  // of what is joined with the tensor; NULL: the bits move as they are
};

// BOXES: the coordinates of the first box, and the loops over the others.
struct kir_boxes {
    const struct kir_map *map;
    const struct ix *at[BOX_RANK];
    struct box_loop loop[BOX_LOOPS];  // the innermost first
    int nloops;
    struct lay_swizzle sw;  // of the destination, in elements
};

// What the 32 lanes of a warp do together in one instruction.
struct kir_together {
    int src_bits, dst_bits;    // bits that a lane addresses or holds
    int src_lanes, dst_lanes;  // only the first lanes' addresses are used: so many
    // By l + 32 * v: value v of lane l of the destination comes from the source value with the
    // number lane + 32 * value.
    const int *from;
};

struct kir_node {
    enum kir_kind kind;
    struct range where;  // place of the statement in the plan
    struct kir_node *next;
    struct kir_node *body;    // FOR, GUARD, IF, BLOCK, BOXES
    struct kir_node *orelse;  // IF; or NULL
    // IF: the warps for which the conditions hold, and the others, execute both lists side by side and
    // wait for each other at named barriers
    bool roles;
    // IF; ASYNC: if they do not hold, it reads nothing and fills with 0
    const struct kir_cond *cond;
    int nconds;
    // ASYNC: reads only its first b - a elements; NULL: all
    const struct kir_cond *cut;
    // IF: name of a constant with the result, or NULL; a KIR_NAME before it declares it if "told".
    // LET of a value of copies: its name, from which lowering makes that of "var"; or NULL
    const char *name;
    bool told;
    struct ix_var *var;  // LET, TURN, FOR
    int var_bits;        // of "var": 32 or 64, decided by kernel/widths.h
    // FOR: "begin" may exceed "end" and "var_bits"; the loop then has no iterations
    bool may_be_over;
    // LET, TURN, GUARD; ARRIVE and WAIT at a named barrier: its number, arrival.of plus a slot; CALL in a
    // role: the number of a thread in it
    const struct ix *index;
    const struct kir_buffer *of;   // LET: its value is where accesses to "of" begin; or NULL
    const struct ix *sampled;      // LET: its maximum in samples of iterations; or NULL
    const struct ix *begin, *end;  // FOR
    bool unroll;                   // FOR
    bool whole;                    // FOR: samples include every iteration
    const struct kir_ring *ring;   // FOR: variables that it increments modulo a size
    int nrings;
    const struct kir_carry *carry;  // FOR: offsets that it increments
    int ncarries;
    int64_t count;  // GUARD; TURN; LET with "sampled": stages
    // FOR, LET with "sampled": most iterations, if params determine the number
    int64_t most;
    struct kir_buffer *stage;  // STAGE_DECL, LOAD, STORE
    const struct ix *stage_at;
    struct kir_buffer *buf;         // LOAD, STORE; MOVE, ASYNC: source
    const struct ix *at;            // elements
    const struct kir_boxes *boxes;  // BOXES; in shared memory they begin at "at" or "to_at"
    struct kir_buffer *to_buf;      // MOVE, ASYNC, BOXES
    const struct ix *to_at;
    int bits;
    // LOAD, STORE, MOVE, FILL: the distances of the elements of an access in "apart", by the binary
    // digits of an element's number.  "apart" is a fragment; for a STORE it may be the stage, whose
    // index then counts elements.  NULL: the elements are consecutive.
    const struct kir_buffer *apart;
    const int64_t *step;
    // ASYNC, collective MOVE: the runtime's function
    const char *function;
    // MOVE: made by the lanes of a warp together; NULL: by each thread separately
    const struct kir_together *together;
    const char *cache;  // ASYNC: PTX's cache operator, or NULL
    unsigned counts;    // ARRIVE, WAIT of a group: bits of enum kir_counts
    enum arrival_by
        by;     // ARRIVE, at a barrier in memory; "index": the bytes that the plan expects, or NULL
    bool ends;  // .. the last one of its role there in a step
    bool announced;    // ARRIVE that ends a group: an ANNOUNCE has said its bytes
    bool after_reads;  // .. and its copies fill what others have read, so they come behind a FENCE
    bool one;          // WAIT: for one group more than those that were waited for
    const char
        *fenced;  // FENCE: why it is there; ARRIVE, WAIT: why it has one, for a comment; or NULL
    bool fence;  // a bulk load: after a fence of its thread, which may have used such memory itself
    int align;   // ASYNC: bits of which addresses are multiples; 0: those of the access
    int reduces;           // ASYNC: how it joins elements with those of the destination; 0: not
    enum cost_class cost;  // of the instruction; COST_NONE: of a plain load or store
    // Cache hints of an access to global memory, as in emitted code; or NULL.
    const char *ld, *st;
    struct arrival arrival;  // ARRIVE, WAIT
    uint64_t value;          // FILL: bits of an element
    int elem_bits;           // FILL
    // FILL, ASYNC with conditions: number of the constant in the plan
    int constant;
    const char *callee;  // CALL
    int callee_id;
    const struct kir_arg *arg;
    int nargs;
    const char *const *line;  // COMMENT; LET, NAME: behind it
    int nlines;
    // COMMENT: the place in the plan, or in the text that the planner wrote for a copy of the plan
    const char *path;
    int plan_line;
    const char *copy_path;  // .. and that copy's own place in the plan
    int copy_line;
};

// A parameter of a device function, in the order of the plan's list.
struct kir_formal {
    const struct kir_buffer *buffer;  // a buffer; or
    const struct ix_var *index;
    // of the buffer: bytes that the accesses need
    int align;
    int bits;  // of the index: 32 or 64, decided by kernel/widths.h
};

// A kernel with its launcher, or a device function.
struct kir_kernel {
    bool device;
    // What counts the groups of COMMIT and WAIT: the family of instructions, for comments, and the
    // runtime's functions, by bit of enum kir_counts.
    const char *family, *commit[N_COUNTS], *wait[N_COUNTS];
    // The type of what counts groups in memory (plan/atoms.h), and its byte in shared memory; NULL: no
    // copies have one
    const char *counter;
    int barriers;              // that it has in memory
    const char *wait_written;  // for what also waits until groups have written; or NULL
    const char *fence;         // the call before copies that may overtake the thread
    bool all_wait;       // all threads wait for these groups, not only the one that issues copies
    int64_t counter_at;  // -1: the only ones are those of "memory"
    struct kir_memory {  // of roles, for ARRIVAL_MEMORY
        int ring;        // arrival.of
        int64_t at, leader;  // byte in shared memory; the thread that issues copies
        int arrivals;        // of a phase
        int barriers;
    } memory[ARRIVAL_RINGS];
    int nmemory;
    const struct kir_map *const *map;  // tensor maps that its launcher makes and passes
    int nmaps;
    bool leaves_group;  // a device function that returns with one group in flight
    // The kernel's next variant; the widest one is first.
    struct kir_kernel *narrower;
    // Of several cases: the next one.  "first_case": this is the first one, or the only one.
    struct kir_kernel *next_case;
    bool first_case;
    // shared by all its cases and variants; NULL: a device function
    const struct kir_launch *launch;
    const struct kir_variant *variant;  // NULL: a device function
    struct kir_formal *formal;          // parameters of a device function
    int nformals;
    const struct kir_relation *duty;  // its caller must guarantee a <= b
    int nduties;
    const char *name;  // in the plan
    const char *c_name;
    const char *path;
    int line;                   // of the declaration
    struct kir_tensor *tensor;  // parameters
    int ntensors;
    struct kir_param *param;  // first those that the caller passes
    int nparams, ngiven;
    struct kir_relation *relation;
    int nrelations;
    struct lay_int grid[3];
    // Devices that launch it together: block.z is the number of the device.  0: it is for one.
    int64_t devices;
    const char *mesh;                   // its argument for that, in emitted code
    bool across;                        // some of them write to others, so they wait for each other
    uint64_t digest;                    // of the plan's text for it, which all devices compare
    const struct kir_numbers *numbers;  // which chooses this kernel or one before; or NULL
    int64_t threads;
    int blocks;  // of an SM at least, which limits the registers; 0: any
    int64_t smem_bytes;
    const struct ix_var *tid, *block[3];
    struct kir_buffer *const *buffer;  // shared buffers and fragments, which it declares
    int nbuffers;
    int first_own_var;  // lowering made the variables with ids from this on
    struct kir_node *body;
    struct kir_kernel *next;
};

struct kir {
    const char *arch;  // "sm_90a"
    const char *path;
    const char *const *include;  // files of extern functions, without repetitions
    int nincludes;
    const char *header;  // of the runtime, for kernels whose groups have a counter; or NULL
    bool meshes;         // some kernels are for several devices
    bool maps;           // launchers make tensor maps
    const char *const *prototype;  // of each extern function, in C++, for comments and messages
    int nprototypes;
    struct kir_kernel *kernels;  // kernels, then device functions
};

// Whether asynchronous access "n" is one from shared memory, which it reads until a wait.
static inline bool kir_stores(const struct kir_node *n) {
    return n->kind == KIR_ASYNC && space_is_shared(n->buf->space);
}

// Whether the nodes use "v".  Guards and calls use tid.
bool kir_uses(const struct kir_node *list, const struct ix_var *v);
// Whether they use the param "y".
bool kir_uses_param(const struct kir_node *list, const struct lay_sym *y);

// The position of element "i" of an access, given the steps of its binary digits.
int64_t kir_step_to(const int64_t *step, int i);

// How many elements a KIR_ASYNC reads if its "cut" has the values "a" and "b".
int kir_cut(const struct kir_node *n, int64_t a, int64_t b);
// The bytes that a copy fills which barriers in memory count: "n", BOXES or ASYNC; 0: it is none of these.
int64_t kir_counted_bytes(const struct kir_node *n);
// Whether "n" ends a group of such copies, and says how many bytes they have, unless that was announced.
bool kir_ends_counted(const struct kir_kernel *k, const struct kir_node *n);

// Whether copying from "a" to "b" converts elements.
bool kir_converts(const struct kir_buffer *a, const struct kir_buffer *b);

// Prints a kernel with its variants.
void kir_print_kernel(struct session *s, const struct kir_kernel *x, struct buf *out);
// Prints the IR as text, for --emit=kernel.
void kir_print(struct session *s, const struct kir *k, struct buf *out);

#endif
