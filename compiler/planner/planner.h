// Relayouts: from "these elements are here, and shall be there" to the text of a plan.  The text is
// an ordinary plan, which the compiler parses and proves as any other; nothing here is trusted.
#ifndef TCPC_PLANNER_PLANNER_H
#define TCPC_PLANNER_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/lay.h"

struct buf;
struct elem_type;
struct session;

enum { RELAYOUT_MODES = 32, RELAYOUT_CANDIDATES = 64, RELAYOUT_WHEN = 8, RELAYOUT_CASES = 6 };

enum relayout_number { RELAYOUT_EXTENT, RELAYOUT_SRC, RELAYOUT_DST, RELAYOUT_NUMBERS };

// The elements along one mode are "src" apart in the source and "dst" in the destination.
struct relayout_mode {
    int64_t extent, src, dst;              // of a usual size, where params say what they are
    struct lay_int run[RELAYOUT_NUMBERS];  // where they do: what they are; else invalid
    const char *text[RELAYOUT_NUMBERS];    // the same as text; else NULL
};

// Of a case: "value", a product of params, is a multiple of "by".
struct relayout_when {
    struct lay_int value;
    int64_t by;
};

struct relayout {
    const struct elem_type *type;  // of the source
    const struct elem_type *to;    // of the destination, where it converts; NULL: the same
    int rank;
    struct relayout_mode mode[RELAYOUT_MODES];
    int src_align, dst_align;  // bytes, of the first elements, as it is promised
    bool src_open, dst_open;   // nothing is promised of that: a case may ask for more
    int arch;                  // 90: sm_90
    int64_t shared;            // bytes of shared memory that a block may have
    const char *usual;         // the sizes that are taken for usual, "M = 4096"; NULL: none are
    struct relayout_when when[RELAYOUT_WHEN];  // what holds besides what is promised
    int nwhen;
    const char *note;  // what the author may have meant instead, by relayout_read; or NULL
    // by the search, which asks for it often: modes by speed on both sides, the source's first
    const int *order[2];
    int candidate;  // 0: the best choice, 1: the next one; less than RELAYOUT_CANDIDATES
};

// The layout that an expression is; invalid, with the layout context's error, where it is none.
typedef struct lay relayout_layout_fn(struct session *s, const char *text);
// Reads "m=8 n=4" and "n m", or two layouts of as many elements.  Returns NULL, or why there is no
// relayout of these.
const char *relayout_read(struct session *s, const char *src, const char *dst,
                          relayout_layout_fn *value, struct relayout *out);
// The same of layouts that are there already.  Only the modes of "out" are written.
const char *relayout_between(struct session *s, struct lay src, struct lay dst,
                             struct relayout *out);
// Leaves out extents of 1 and makes one mode of those that follow one another on both sides.  The
// modes then are in the order of the source, the one with the greatest stride first, and there is
// one at least.  Returns NULL, or why the relayout cannot be planned.
const char *relayout_coalesce(struct session *s, struct relayout *r);

// The cases that the relayout is planned for, those with the widest accesses first; the last one is
// for all that params may be.  Returns how many.
int relayout_cases(struct session *s, const struct relayout *r,
                   struct relayout list[RELAYOUT_CASES]);

// What a kernel and its arguments are called.
struct relayout_names {
    const char *kernel, *src, *dst;
    bool dst_first;  // in the list of arguments
};
// Writes a kernel for the coalesced relayout: "kernel NAME(A : .., out B : ..) ..", or its cases.
// Returns NULL, or why there is none.
const char *relayout_kernel(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, struct buf *out);

// How many candidates there are, up to RELAYOUT_CANDIDATES.
int relayout_candidates(const struct relayout *r);
// The candidate that relayout_kernel writes, in a line: what tells it from the others.
const char *relayout_how(struct session *s, const struct relayout *r);

#endif
