// The loops around the accesses of a copy, and the conditions for them.
#ifndef TCPC_LOWER_NEST_H
#define TCPC_LOWER_NEST_H

#include "lower/private.h"

// The access before which a predicate is tested.  SOURCE: inside the test for the store.
enum { LOAD, STORE, SOURCE };

// A way to execute a copy: whole tiles, or the edge with its predicates.
struct way {
    const struct copy_mode *mode;
    int nmodes, bits;
    // distances of an access's elements within a fragment
    const int64_t *step;
    const struct copy_turn *turn;              // NULL: each access goes directly to its place
    const struct ix *from, *to;                // offsets inside the swizzle
    const struct ix *from_beyond, *to_beyond;  // .. and offsets to be added after it
    const struct predicate *pred;              // none for whole tiles
    const struct ix **at;                      // of each predicate: its lowered start coordinate
    int npred;
    struct ix_var *each;  // the variable of the loop over runs of an index map, or NULL
    // value for elements without a source, or NULL
    const struct constant *pad;
};

struct axis {
    struct ix_var *var;
    int64_t extent;
    int mode;       // index into the way's modes
    int64_t times;  // by which its strides are multiplied
};

struct nest {
    const struct way *way;
    struct axis batch[64], outer[64];
    int nbatch, nouter;
    int64_t batch_size;
};

// Divides the iterations of "y" into a batch and the loops around it.  "all": puts all into the
// batch.
void nest_divide(const struct way *y, bool all, struct nest *nest);
// Opens loops over "axis".  The last one is outermost, so that the fastest is innermost.
void nest_open(struct lowering *w, struct axis *axis, int n, bool unroll);
void nest_close(struct lowering *w, struct axis *axis, int n, struct kir_node **outside);
// The offset of the current access on one side.
const struct ix *nest_address(struct lowering *w, const struct nest *nest, bool src,
                              struct lay_swizzle sw);
// The number of the current access in its batch.
const struct ix *nest_stage_index(struct lowering *w, const struct nest *nest);
// The conditions for the current elements to exist, before an access of "side".
const struct kir_cond *nest_questions(struct lowering *w, const struct nest *nest, int side,
                                      int *n);
// The condition that says how many of the current elements exist; NULL if all or none do.
const struct kir_cond *nest_question_of_size(struct lowering *w, const struct nest *nest);
// Opens an "if" with the conditions before an access of "side"; NULL if there are none.
struct kir_node *nest_ask(struct lowering *w, const struct nest *nest, int side);
// The else part of "ask", which writes the pad.
struct kir_node *nest_pad(struct lowering *w, const struct nest *nest, struct kir_node *ask,
                          int bits);

#endif
