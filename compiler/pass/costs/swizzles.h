// The swizzles that are tried for a shared buffer, by `swizzle auto` and by the notes of warnings.
#ifndef TCPC_PASS_COSTS_SWIZZLES_H
#define TCPC_PASS_COSTS_SWIZZLES_H

#include "layout/lay.h"

struct session;

enum { SWIZZLES = 223 };

// Of a buffer whose elements have "bits" bits, and whose layout without slots is "l".  Returns how
// many there are, at most SWIZZLES.
int swizzles_of(struct session *s, struct lay l, int bits, struct lay_swizzle *out);

// The distance of rows, in elements, where it is a power of two; else 0.
int64_t row_of(struct session *s, struct lay l);

#endif
