// The reasons for the bounds of an access's width, for pass "vectorize".
#ifndef TCPC_PASS_VECTORIZE_WIDTH_H
#define TCPC_PASS_VECTORIZE_WIDTH_H

#include "plan/plan.h"

struct session;

// The reason for bound "b" of copy "c" as a sentence without a full stop; NULL if there is no such
// bound.  @pre the elements of an access are not yet removed from the modes
const char *width_reason(struct session *s, const struct copy *c, enum bound b);

// Adds notes to the last diagnostic whose fix-its arrange the threads of "c" in another way, so
// that it is as wide as requested.  Each is tried before it is shown.
void widen_offer(struct session *s, struct kernel *k, const struct copy *c);

// The mode of "v" that begins with stride 1; -1: none.
int contiguous_mode(struct lay_ctx *x, const struct view *v);
// "(8,32)"; with strides if threads are consecutive along another mode than the first.
const char *numbers_text(struct session *s, const int64_t *n, int rank, int along);

// promise.c: notes what else would give copy number "number" of "k" the width that its atom
// requires: a larger 'align', other rows, another swizzle.
void promise_offer(struct session *s, const struct kernel *k, const struct copy *c, int number);
// Notes that a buffer of "c" is column-major since it has a shape alone, where all copies go by rows;
// returns whether it did.
bool promise_row(struct session *s, const struct kernel *k, const struct copy *c);

// turn.c: offers the same instruction of copy number "number" that transposes, or does not.
void turn_offer(struct session *s, const struct kernel *k, const struct copy *c, int number);
// Notes which instruction reads the buffer that "c" fills if the buffer has the order of its source.
void turn_note_reader(struct session *s, const struct kernel *k, const struct copy *c);

#endif
