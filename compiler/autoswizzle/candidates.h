// The arrangements that `swizzle auto` tries for a buffer.
#ifndef TCPC_AUTOSWIZZLE_CANDIDATES_H
#define TCPC_AUTOSWIZZLE_CANDIDATES_H

#include "autoswizzle/autoswizzle.h"
#include "layout/lay.h"

struct session;
struct tensor;

enum { SWIZZLE_CANDIDATES = 224 };

// Fills "out" with the candidates for "t", whose layout of one slot is "l". Returns their number;
// the first one is the plain layout.
int swizzle_candidates(struct session *s, const struct tensor *t, struct lay l,
                       struct swizzle_choice *out);

#endif
