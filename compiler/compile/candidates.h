// The arrangements of a buffer with `swizzle auto` that are tried.
#ifndef TCPC_COMPILE_CANDIDATES_H
#define TCPC_COMPILE_CANDIDATES_H

#include "compile/swizzles.h"
#include "layout/lay.h"

struct session;
struct tensor;

enum { SWIZZLE_CANDIDATES = 224 };

// Of "t", whose layout without slots is "l".  Returns how many there are; the first one is the plain
// layout.
int swizzle_candidates(struct session *s, const struct tensor *t, struct lay l,
                       struct swizzle_choice *out);

#endif
