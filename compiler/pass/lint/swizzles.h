// The swizzles that `swizzle auto` and the notes of warnings try for a shared buffer.
#ifndef TCPC_PASS_LINT_SWIZZLES_H
#define TCPC_PASS_LINT_SWIZZLES_H

#include "layout/lay.h"

struct session;

enum { SWIZZLES = 223 };

// Fills "out" for a buffer with elements of "bits" bits and the layout "l" without slots.  Returns
// the number of swizzles, at most SWIZZLES.
int swizzles_of(struct session *s, struct lay l, int bits, struct lay_swizzle *out);

// The distance of rows in elements, if it is a power of two; otherwise 0.
int64_t row_of(struct session *s, struct lay l);

#endif
