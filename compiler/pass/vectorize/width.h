// What bounds the width of an access, for pass "vectorize".
#ifndef TCPC_PASS_VECTORIZE_WIDTH_H
#define TCPC_PASS_VECTORIZE_WIDTH_H

#include "plan/plan.h"

struct session;

// What bound "b" of copy "c" comes from, as a sentence without a stop, or NULL where there is no
// such bound; to be called before the vector's elements are taken out of the modes.
const char *width_reason(struct session *s, const struct copy *c, enum bound b);

// Adds to the diagnostic before it notes with fix-its that arrange the threads of "c" in another
// way, so that it is as wide as it was asked to be; each is to be tried.
void widen_offer(struct session *s, struct kernel *k, const struct copy *c);

// The mode of "v" that starts with stride 1, -1 for none.
int contiguous_mode(struct lay_ctx *x, const struct view *v);
// "(8,32)", or with its strides where the mode along which threads are consecutive is not the first
const char *numbers_text(struct session *s, const int64_t *n, int rank, int along);

// promise.c: notes what else would give copy number "number" of "k" the width that its atom demands: a
// larger 'align', other rows, another swizzle.
void promise_offer(struct session *s, const struct kernel *k, const struct copy *c, int number);

// turn.c: offers the same instruction of copy number "number" that transposes, or does not.
void turn_offer(struct session *s, const struct kernel *k, const struct copy *c, int number);
// Notes which instruction reads the buffer that "c" fills if the buffer has the order of its source.
void turn_note_reader(struct session *s, const struct kernel *k, const struct copy *c);

#endif
