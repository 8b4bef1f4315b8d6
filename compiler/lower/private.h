// Shared by the files of lowering.
#ifndef TCPC_LOWER_PRIVATE_H
#define TCPC_LOWER_PRIVATE_H

#include "kernel/kernel_ir.h"
#include "lower/names.h"
#include "plan/plan.h"

enum { MAX_PARTS = 128, MOST_ALONG = 3, MOST_FRESH = 16 };

// A part of indices that has a name: a quotient or remainder of tid, or a "let" of the plan.
struct named_part {
    const struct ix *is;
    const struct ix_var *var;
    struct kir_node *let;     // its declaration
    const struct ix_var *of;  // a "let" in this loop over a variable; NULL: at the top
    // a digit of tid: what it counts in copies, and the tensors of the first such copies
    const char *told[MOST_ALONG], *told_in[MOST_ALONG];
    int ntold;
};

struct buffer_of {
    const struct tensor *tensor;
    struct kir_buffer *buf;
};

// A loop of the plan around the current statement, and those around it.
struct around {
    const struct ix_var *var;
    const struct around *next;
};

struct lowering {
    struct session *s;
    const struct plan *plan;
    const struct kernel *kernel;
    int variant;  // number of the variant; -1: the kernel has none
    struct names names;
    struct named_part part[MAX_PARTS];
    int nparts;
    int ndigits;  // of tid
    const struct around *loops;
    // by number of an index of a device function: the variable with the range that its caller
    // guarantees
    const struct ix_var **index;
    struct range at;          // place of the statement being lowered
    const struct copy *copy;  // the copy being lowered, or NULL
    struct kir_node **tail;   // where the next node goes
    struct kir_node **top;    // where the next let at the top goes
    bool hold_commits;        // the caller makes the commits
    struct buffer_of *buffer;
    int nbuffers;
    const struct kir_map **map;  // tensor maps so far
    int nmaps, cap_maps;
    bool warps;  // the kernel uses warps and lanes
    // In a role: the number of a thread in it, how many it has, and the number of its own barrier.
    const struct ix_var *role_tid;  // NULL: in no role
    int64_t role_threads;
    int role_barrier;
    int role_memory;  // .. and of the ring whose barriers in memory count its copies; 0: none do
    unsigned
        role_counts;  // .. whose groups it ends and waits for (enum kir_counts); 0: those of the kernel
    const struct ix_var *first_slot[MOST_RINGS];  // by ring: of its next pipeline; NULL: always 0
    // shared buffers that were written since the last barrier, and whether there was one
    const struct tensor *fresh[MOST_FRESH];
    int nfresh;
    bool was_barrier;
};

struct kir_node *lower_node(struct lowering *w, enum kir_kind kind);
// Puts following nodes into "parent"; returns the place to return to.
struct kir_node **lower_open(struct lowering *w, struct kir_node *parent);
struct ix_var *lower_var(struct lowering *w, enum ix_var_kind kind, const char *name, int64_t end);
// "e", with names for the quotients and remainders of tid in it, and those of the plan's lets.
// Makes "text" the comment behind the constant "n".
void lower_comment_on(struct lowering *w, struct kir_node *n, const char *text);
// Says in the comment of a digit of tid what it counts in the copy being lowered.
void lower_tell_along(struct lowering *w, struct named_part *x);
// Takes a name for the whole kernel.
const char *lower_name_at_top(struct lowering *w, const char *name);
const struct ix *lower_index(struct lowering *w, const struct ix *e);
// Puts the values of the plan's lets that no loop changes at the top of the kernel.
void lower_name_lets(struct lowering *w);
// Puts those that change with the loop over "v" here, where it begins; returns their number.
int lower_name_lets_of(struct lowering *w, const struct ix_var *v);
// Forgets them where the loop ends.
void lower_forget_lets_of(struct lowering *w, const struct ix_var *v);
struct kir_buffer *lower_buffer(struct lowering *w, const struct tensor *t);
void lower_statement(struct lowering *w, const struct stmt *st);
void lower_list(struct lowering *w, const struct stmt *list);
// Replaces lets in the body of "loop" by variables that the loop increments.  They must be sums
// with a multiple of "step" (which is "begin" in the first iteration and then goes up by one), and
// offsets of loads from global memory.  The names end with "name".  "past": how far beyond its
// last use "step" gets.
void carry_offsets(struct lowering *w, struct kir_node *loop, const struct ix_var *step,
                   const struct ix *begin, const char *name, int64_t past);
void carry_release(struct lowering *w, const struct kir_node *loop);
// The name of the let of a coordinate at an edge, before lower_share numbers it.
extern const char lower_coord[];
// "name", of an offset, with that of one more buffer in which it is used: "at_A", "at_A_B".  NULL if
// that is too long.
const char *lower_name_in(struct session *s, const char *name, const struct kir_buffer *b);
// Computes once what several copies in "*body" compute, and names these values.
void lower_share(struct lowering *w, struct kir_node **body);
// Ends a group of asynchronous copies; waits for groups or threads.
void lower_commit(struct lowering *w);
// A wait for "a"; NULL if there is nothing to wait for.
struct kir_node *lower_wait(struct lowering *w, struct arrival a);
// Remembers that shared "t" is written here.
void lower_written(struct lowering *w, const struct tensor *t);
// The member "function" of "tcp_ring", or in a role of what counts the copies of its ring.
const char *lower_of_ring(const struct lowering *w, const char *function);
// The boxes of "c", which in shared memory begin at "from" or "to".
void lower_boxes(struct lowering *w, const struct copy *c, const struct ix *from,
                 const struct ix *to);
void lower_pipeline(struct lowering *w, const struct stmt *st);
// Shared by pipelines with and without roles: the variables of its steps and their bounds.
struct steps {
    const struct ix *begin, *end;
    const struct ix *bound;       // "end" as an expression
    struct ix_var *first, *last;  // "first": or NULL
};
void lower_begin_steps(struct lowering *w, const struct stmt *st, struct steps *x);
void lower_end_steps(struct lowering *w, const struct steps *x);
void lower_roles(struct lowering *w, const struct stmt *st);
// Sets the barriers in memory of the rings of "k".
void lower_memory(const struct kernel *k, struct kir_kernel *out);
// Before and after "st", a statement of the kernel: where rings begin that go on, and where they end.
void lower_begin_rings(struct lowering *w, const struct stmt *st);
void lower_end_rings(struct lowering *w, const struct stmt *st);
void lower_manual_roles(struct lowering *w, const struct stmt *st);
// The number of a thread among those that execute the statement, and how many these are.
const struct ix_var *lower_tid(const struct lowering *w);
int64_t lower_threads(const struct lowering *w);
void lower_copy(struct lowering *w, const struct copy *c);
// Emits the waits "x".
// Adds the fences of threads that issue bulk copies in "list".
void lower_fences(struct session *s, struct kir_node *list);
// Adds what comes before the first copy of a group in memory (announce.c).
void lower_announce(struct session *s, struct kir_kernel *k);
void lower_before(struct lowering *w, const struct sync_before *x);
// How many elements of "v" a fill in "k" writes in one access.
int lower_fill_elements(struct session *s, const struct kernel *k, const struct view *v);
void lower_call(struct lowering *w, const struct plan_call *y);
// The declaration that an extern function needs, in C++.
const char *lower_prototype(struct session *s, const struct function *fn);
// "l" for a comment, with its swizzle in words.
const char *lower_layout_text(struct session *s, struct lay l);
// Emits the comment above copy "c".
void lower_comment(struct lowering *w, const struct copy *c);
// The parameters of "k", for "out": tensor "f" in buffer "b", the params with the relations that
// they must fulfil, and the parameters of a device function.
struct kir_tensor lower_tensor(struct session *s, const struct formal *f,
                               const struct kir_buffer *b);
void lower_params(struct lowering *w, const struct plan *p, const struct kernel *k,
                  struct kir_kernel *out);
// mesh.c: what a kernel between devices has besides: which device's part each tensor is.
void lower_mesh(struct lowering *w, const struct kernel *k, struct kir_kernel *out);
// numbers.c: what chooses among the kernels of a family, of which "last" is the last one.
const struct kir_numbers *lower_numbers(struct session *s, const struct plan *p,
                                        const struct kernel *last);
void lower_formals(struct lowering *w, const struct kernel *k, struct kir_kernel *out);
// Makes the launcher of "k", the lowered kernel "plan" of "of" with its variants.
void lower_launch(struct session *s, const struct plan *of, const struct kernel *plan,
                  struct kir_kernel *k);

// fits.c: finds index computations in "k" that may not fit 64 bits and whose value matters.  Calls
// "found" for each such "e", with an expression of params, "most", that is at least its value, or
// NULL if none is known.
typedef void fits_found(void *user, const struct ix *e, const struct ix *most);
void lower_find_wide(struct session *s, const struct kir_kernel *k, fits_found *found, void *user);

#endif
