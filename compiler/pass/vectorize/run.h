// Which elements of a thread an access moves: those that follow one another in memory.  Registers
// have no order, so that a fragment bounds no width: its elements are taken from where they are.
#ifndef TCPC_PASS_VECTORIZE_RUN_H
#define TCPC_PASS_VECTORIZE_RUN_H

#include "plan/plan.h"

enum side { SRC = 1, DST = 2 };

// Modes of a run that are one mode on both sides.
struct stretch {
    int first, next;  // by place in the run's order
    int64_t extent;
    struct lay_int apart;  // on the side that does not bound the run
    bool rest;
};

struct run {
    int sides;
    int64_t size;
    int taken;  // modes, in the order in which they follow one another
    int *order;
    bool *used;
    struct stretch *stretch;
    int nstretches;
};

// The sides of "c" whose elements must follow one another for an access.
int run_sides(struct session *s, const struct copy *c);

// How many elements follow one another on one side.
int64_t run_of_side(const struct copy_mode *mode, int n, enum side side);

// The elements that follow one another on "sides" by the "n" modes, and in all "npred" predicates;
// where that is one side alone, as far as an access may be of any power of two of them.
void run_find(struct session *s, const struct copy_mode *mode, int n, int sides,
              const struct predicate *pred, int npred, struct run *run);

// Divides the run into accesses of "vec" elements.  What is left of its modes goes into "left",
// their number into "*nleft", and where each begins in the run, in elements, into "begin"; modes
// that no access takes from are no longer used.  Returns how far apart the elements of an access
// are on the side that does not bound the run, by the binary digits of their number; NULL where
// they follow one another.
const int64_t *run_divide(struct session *s, int64_t vec, struct run *run, struct copy_mode *left,
                          int64_t *begin, int *nleft);

// The same, for accesses of which "mode" is left, with what is known of where they begin: the
// elements may follow one another, but not from a multiple of "vec" on.
const int64_t *run_steps(struct session *s, const struct copy *c, const struct copy_mode *mode,
                         int n, int64_t vec, const int64_t *step);

// How the whole ways of "c", which loads to where the elements of an access are apart, make words
// of what was loaded; NULL where each element is put to its place.
const struct copy_turn *run_turn(struct session *s, const struct copy *c,
                                 const struct copy_facts *f);

#endif
