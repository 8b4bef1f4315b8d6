// The loops around the accesses of a copy, and what is asked before them.
#ifndef TCPC_LOWER_NEST_H
#define TCPC_LOWER_NEST_H

#include "lower/private.h"

// Before which accesses a predicate is asked; SOURCE: within what is asked before the store.
enum { LOAD, STORE, SOURCE };

// One way to execute a copy: whole tiles, or the edge with its predicates.
struct way {
    const struct copy_mode *mode;
    int nmodes, bits;
    const int64_t *step;                       // between an access's elements in a fragment
    const struct copy_turn *turn;              // NULL: each access goes to its place
    const struct ix *from, *to;                // what a swizzle may change
    const struct ix *from_beyond, *to_beyond;  // and what is beyond it, to be added
    const struct predicate *pred;              // none where the tile is whole
    const struct ix **at;                      // of each predicate, as it is lowered
    int npred;
    struct ix_var *each;         // of the loop over the runs of an index map, or NULL
    const struct constant *pad;  // what takes the place of a source that is not there, or NULL
};

struct axis {
    struct ix_var *var;
    int64_t extent;
    int mode;       // of the way's
    int64_t times;  // its strides
};

struct nest {
    const struct way *way;
    struct axis batch[64], outer[64];
    int nbatch, nouter;
    int64_t batch_size;
};

// Divides the iterations of "y" into a batch and what is around it; "all": into the batch alone.
void nest_divide(const struct way *y, bool all, struct nest *nest);
// Opens loops over "axis", the last one outermost, so that the fastest runs innermost.
void nest_open(struct lowering *w, struct axis *axis, int n, bool unroll);
void nest_close(struct lowering *w, struct axis *axis, int n, struct kir_node **outside);
// Where the access at hand is on one side.
const struct ix *nest_address(struct lowering *w, const struct nest *nest, bool src,
                              struct lay_swizzle sw);
// The number of the access at hand in its batch.
const struct ix *nest_stage_index(struct lowering *w, const struct nest *nest);
// The questions whether the elements at hand are there, before an access of "side".
const struct kir_cond *nest_questions(struct lowering *w, const struct nest *nest, int side,
                                      int *n);
// The question how many of the elements at hand are there; NULL where one answer is for all.
const struct kir_cond *nest_question_of_size(struct lowering *w, const struct nest *nest);
// Opens the questions before an access of "side"; NULL when there is none.
struct kir_node *nest_ask(struct lowering *w, const struct nest *nest, int side);
// The other way of "ask": the pad.
struct kir_node *nest_pad(struct lowering *w, const struct nest *nest, struct kir_node *ask,
                          int bits);

#endif
