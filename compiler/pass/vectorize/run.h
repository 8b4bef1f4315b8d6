// Finds the elements of a thread that one access moves: those that are consecutive in memory.
// Registers have no order, so a fragment bounds no width: its elements are taken from any
// registers.
#ifndef TCPC_PASS_VECTORIZE_RUN_H
#define TCPC_PASS_VECTORIZE_RUN_H

#include "plan/plan.h"

enum side { SRC = 1, DST = 2 };

// Consecutive modes of a run that are a single mode on both sides.
struct stretch {
    int first, next;  // indices into the run's order
    int64_t extent;
    struct lay_int apart;  // stride on the side that does not bound the run
    bool rest;
};

struct run {
    int sides;
    int64_t size;
    int taken;  // number of modes in the run, which "order" has
    int *order;
    bool *used;
    struct stretch *stretch;
    int nstretches;
};

// The sides of "c" whose elements must be consecutive in an access.
int run_sides(struct session *s, const struct copy *c);

// How many elements are consecutive on one side.
int64_t run_of_side(const struct copy_mode *mode, int n, enum side side);

// Finds the elements that are consecutive on "sides" by the "n" modes, and in all "npred"
// predicates.  If "sides" is a single side, only as far as an access may consist of any power of
// two of them.
void run_find(struct session *s, const struct copy_mode *mode, int n, int sides,
              const struct predicate *pred, int npred, struct run *run);

// Divides the run into accesses of "vec" elements.  Sets "left" to what remains of its modes,
// "*nleft" to their number, and "begin" to where each begins in the run, in elements.  Modes from
// which no access takes elements are no longer used.  Returns the distances of the elements of an
// access on the side that does not bound the run, by the binary digits of their number; NULL if
// they are consecutive.
const int64_t *run_divide(struct session *s, int64_t vec, struct run *run, struct copy_mode *left,
                          int64_t *begin, int *nleft);

// The same for accesses whose remaining modes are "mode".  Their elements may be consecutive but
// not begin at a multiple of "vec"; that needs steps too.
const int64_t *run_steps(struct session *s, const struct copy *c, const struct copy_mode *mode,
                         int n, int64_t vec, const int64_t *step);

// How the whole-tile way of "c" assembles words from what was loaded, if elements of an access are
// apart in the destination.  NULL if each element is put into its place separately.
const struct copy_turn *run_turn(struct session *s, const struct copy *c,
                                 const struct copy_facts *f);

#endif
