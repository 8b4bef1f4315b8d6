// Copies and calls as sets of instances, for proofs (prove/prove.h): which block, iteration and
// thread touches which element of a tensor.
//
// Elements are coordinates of tensors, before layout and swizzle.  Whether a layout maps two
// coordinates to one place is a separate question.  A copy of a block or a warp touches each
// coordinate of its view once, whichever thread does it; tile() has proven that.
#ifndef TCPC_PASS_INSTANCES_INSTANCES_H
#define TCPC_PASS_INSTANCES_INSTANCES_H

#include "plan/plan.h"
#include "prove/prove.h"

enum { INSTANCE_LOOPS = 32, INSTANCE_VARS = 80, INSTANCE_CONDS = 96 };

// The statements around a copy or a call, outermost first: loops, pipelines and their parts.
struct around {
    int n;
    const struct stmt *stmt[INSTANCE_LOOPS];
};

// A set under construction.  Its variables are, in this order: blocks, loops, what distinguishes
// threads, coordinates of the view.
struct instances {
    struct session *s;
    const struct kernel *k;
    int64_t threads;  // that execute the statement: those of its role, or all
    struct prove_var var[INSTANCE_VARS];
    int nvars, nblocks, nloops, nthreads;
    const struct ix *cond[INSTANCE_CONDS];
    int nconds;
    const struct ix *const *element;  // coordinates of the view, by leaf of its shape
    int nelements;
    const struct lay_tuple *shape;  // flat
    bool full;                      // too many variables or conditions; nothing can be proven
};

// A prover for questions about "k", with the relations between params that its launcher checks.
struct prover *instances_prover(struct session *s, const struct plan *p, const struct kernel *k);

// Begins the instances of a statement of "k" inside "around".  "blocks": blocks are variables of
// the set; otherwise they are variables of the question.
void instances_begin(struct session *s, const struct kernel *k, const struct around *around,
                     bool blocks, struct instances *out);
// Adds the variable "v", with begin <= v < end.
void instances_var(struct instances *x, const struct ix_var *v, const struct ix *begin,
                   const struct ix *end);
// Adds the coordinates of view "v", a side of copy "c" or (with "c" NULL) an argument of a call.
void instances_of(struct instances *x, const struct copy *c, const struct view *v);
// Adds the condition that "e" is at least 0.
void instances_cond(struct instances *x, const struct ix *e);
// The coordinate of the tensor of "v" along its flattened mode "mode".
const struct ix *instances_coord(struct instances *x, const struct view *v, int mode);
// Adds the conditions that the elements of "v" are inside its tensor.
void instances_inside(struct instances *x, const struct view *v);
// .. that coordinate "at" of it along flattened mode "mode" is.
void instances_cond_inside(struct instances *x, const struct view *v, int mode,
                           const struct ix *at);
// "e" of a "load" part, for the step that it loads, with slots as remainders.
const struct ix *instances_step(struct session *s, const struct around *around, const struct ix *e);
// The set.  Each instance names its coordinates along all modes of the tensor of "v"; none for a
// fragment.  Slots, steps of "load" parts, lanes and warps are expressed by the set's variables.
struct prove_set instances_settled(struct instances *x, const struct around *around,
                                   const struct view *v);
// The number of modes of the tensor of "v", flattened.
int instances_rank(const struct view *v);

// The existing elements that copy "c" writes, or with "read" reads.
struct prove_set instances_access(struct session *s, const struct kernel *k,
                                  const struct around *around, const struct copy *c, bool read,
                                  bool blocks, struct instances *out);

// Text such as "value 0 of thread 5 in block (0,1,0) with i = 3": instance "which" of "w", in the
// set of copy "c" (NULL: a call) made with "x".
const char *instances_where(const struct instances *x, const struct around *around,
                            const struct copy *c, const struct prove_witness *w, int which);
// The registers that each thread of copy "c" reads or writes in a fragment.  The thread, "tid", is
// a variable of the question.
struct prove_set instances_registers(struct session *s, const struct kernel *k,
                                     const struct around *around, const struct copy *c, bool read,
                                     struct instances *out);
// The coordinates of the tensor that each thread of copy "c" reads or writes.  The thread is the
// variable after the loops.  Sets out->full if that is not known.
struct prove_set instances_by_thread(struct session *s, const struct kernel *k,
                                     const struct around *around, const struct copy *c, bool read,
                                     struct instances *out);
// The same for argument "v" of a call: each thread touches each element.
struct prove_set instances_argument(struct session *s, const struct kernel *k,
                                    const struct around *around, const struct view *v,
                                    struct instances *out);

// The reason for the last answer "not known" of "p", and as a note what to do.  "full": the
// question was not asked because a set was too large.
const char *instances_why(const struct prover *p, bool full);
void instances_advice(struct session *s, const struct prover *p, bool full, struct range at);

// Values of params in messages: "with M = 9, K = 8, "; "" if "k" has none.
const char *instances_params(struct session *s, const struct plan *p, const struct kernel *k,
                             const struct prove_witness *w);
// The coordinate of the view that instance "which" of "w" names, in the set made with "x".
const char *instances_coordinate(const struct instances *x, const struct prove_witness *w,
                                 int which);
// The element in a message: "(0,64)".
const char *instances_element(struct session *s, const struct prove_witness *w);

#endif
