// Copies and calls as sets of instances, as proofs ask for them (prove/prove.h): which block,
// iteration and thread touches which element of a tensor.
//
// Elements are coordinates of tensors, before a layout or a swizzle: that a layout gives no two
// coordinates one place is another question.  A block's or a warp's copy touches each coordinate of
// its view once, whichever thread does it; tile() has proven that.
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

// A set in the making.  Its variables are blocks, loops, what tells threads apart, coordinates of
// the view, in this order.
struct instances {
    struct session *s;
    const struct kernel *k;
    struct prove_var var[INSTANCE_VARS];
    int nvars, nblocks, nloops, nthreads;
    const struct ix *cond[INSTANCE_CONDS];
    int nconds;
    const struct ix *const *element;  // coordinates of the view, by leaf of its shape
    int nelements;
    const struct lay_tuple *shape;  // flat
    bool full;                      // more than fit: nothing can be said
};

// The prover for questions about "k", with the relations between params that its launcher checks.
struct prover *instances_prover(struct session *s, const struct plan *p, const struct kernel *k);

// Instances of a statement of "k" inside "around".  "blocks": they are variables; else they belong
// to the question.
void instances_begin(struct session *s, const struct kernel *k, const struct around *around,
                     bool blocks, struct instances *out);
// A copy's, by the coordinates of the view "v", one of its sides; a call's argument with "c" NULL.
void instances_of(struct instances *x, const struct copy *c, const struct view *v);
// Adds the condition that "e" is at least 0.
void instances_cond(struct instances *x, const struct ix *e);
// The coordinate of the tensor of "v" along its flattened mode "mode".
const struct ix *instances_coord(struct instances *x, const struct view *v, int mode);
// Adds the conditions that what "v" names is within its tensor.
void instances_inside(struct instances *x, const struct view *v);
// "e" of a "load" part as of the step that it loads, with slots as remainders.
const struct ix *instances_step(struct session *s, const struct around *around, const struct ix *e);
// The set, of which each instance names its coordinates along all modes of the tensor of "v"; none
// of a fragment.
struct prove_set instances_set(struct instances *x, const struct view *v);
// The same, with slots, steps of "load" parts, lanes and warps as what the set's variables are.
struct prove_set instances_settled(struct instances *x, const struct around *around,
                                   const struct view *v);
// How many modes the tensor of "v" has, flattened.
int instances_rank(const struct view *v);

// What copy "c" writes, or with "read" reads: where its elements are there.
struct prove_set instances_access(struct session *s, const struct kernel *k,
                                  const struct around *around, const struct copy *c, bool read,
                                  bool blocks, struct instances *out);

// "value 0 of thread 5 in block (0,1,0) with i = 3": instance "which" of "w", of copy "c" (NULL: a
// call's), whose set "x" has made.
const char *instances_where(const struct instances *x, const struct around *around,
                            const struct copy *c, const struct prove_witness *w, int which);
// What each thread of copy "c" reads or writes of a fragment, by register.  The thread, "tid", is a
// variable of the question.
struct prove_set instances_registers(struct session *s, const struct kernel *k,
                                     const struct around *around, const struct copy *c, bool read,
                                     struct instances *out);
// What each thread of copy "c" reads or writes, by coordinates of the tensor; the thread is the
// variable after the loops.  Sets out->full where that is not known.
struct prove_set instances_by_thread(struct session *s, const struct kernel *k,
                                     const struct around *around, const struct copy *c, bool read,
                                     struct instances *out);
// The same of argument "v" of a call, each element of it by each thread.
struct prove_set instances_argument(struct session *s, const struct kernel *k,
                                    const struct around *around, const struct view *v,
                                    struct instances *out);

// Why the last answer of "p" is that it does not know, and as a note what to do.  "full": it was
// not asked, as a set had more than fits.
const char *instances_why(const struct prover *p, bool full);
void instances_advice(struct session *s, const struct prover *p, bool full, struct range at);

// "with M = 9, K = 8, " of the params of "k"; "" for none.
const char *instances_params(struct session *s, const struct plan *p, const struct kernel *k,
                             const struct prove_witness *w);
// The coordinate of the view that instance "which" of "w" names, of which "x" has made the set.
const char *instances_coordinate(const struct instances *x, const struct prove_witness *w,
                                 int which);
// "(0,64)"
const char *instances_element(struct session *s, const struct prove_witness *w);

#endif
