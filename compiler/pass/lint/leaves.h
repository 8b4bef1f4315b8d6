// The leaves of a view by the modes of its tensor, for warnings that follow elements from one view to another.
#ifndef TCPC_PASS_LINT_LEAVES_H
#define TCPC_PASS_LINT_LEAVES_H

#include "plan/plan.h"

struct session;

enum { MOST_LEAVES = 8 };

// The leaves of a view with more than one element, and the modes of the tensor along which they are.
struct leaves {
    int n, mode[MOST_LEAVES], at[MOST_LEAVES];  // at: which leaf of the view
    struct lay_int extent[MOST_LEAVES];
};

// Returns false if one of them steps over elements of the tensor, or if there are too many.
bool leaves_of(struct session *s, const struct view *v, struct leaves *out);
// The only leaf along "mode"; -1: there is none, or there are several.
int leaf_along(const struct leaves *l, int mode);

// A part of a view that is contiguous along a mode of its tensor, as the plan declares it: (8,8) is one mode.
struct leaves_part {
    int mode, at;  // the first flattened mode of it; the first leaf of the view
    struct lay_int extent;
    const struct ix *from;
};
struct parts {
    int n;
    struct leaves_part part[MOST_LEAVES];
};
// Returns false if "v" does not consist of such parts, in different modes.
bool leaves_parts(struct session *s, const struct view *v, struct parts *out);
// The number of the part along "mode"; -1: there is none.
int leaves_find(const struct parts *x, int mode);

#endif
