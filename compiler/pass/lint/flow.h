// Where elements that a kernel reads go, and what moves them, for warnings of reads that stand still: beside.c, alike.c.
#ifndef TCPC_PASS_LINT_FLOW_H
#define TCPC_PASS_LINT_FLOW_H

#include "pass/lint/reads.h"

enum { MOST_HELD = 64 };

// Where elements of a read, or what functions make of them, are at some time.
struct flow {
    struct session *s;
    const struct kernel *k;
    const struct copy *copy;       // that reads; NULL: a call does
    const struct plan_call *call;  // NULL: a copy does
    int n;
    const struct tensor *at[MOST_HELD];  // buffers
    uint64_t held;  // by buffer, while they are followed: others have been written over it since
    int nto;
    const struct copy *to[MOST_READS];  // those that move them to global memory
    bool called;                        // through a function
};

// Follows the elements that access "a" reads.
struct flow flow_of(const struct reads *r, const struct access *a);
bool flow_has(const struct flow *x, const struct tensor *t);
// Whether the write "b" gets elements of "x".
bool flow_goes_to(const struct flow *x, const struct access *b);
// Whether "b" is a copy to an output.
// Whether the copy "b" gets elements that "a" reads.
bool flow_reaches(struct session *s, const struct kernel *k, const struct copy *a,
                  const struct copy *b);
bool flow_is_output(const struct reads *r, const struct access *b);

// A block or a step that has several values.
struct index {
    const struct ix_var *v, *load;  // "load": in a "load" part; otherwise "v" again
    struct lay_int n;               // how many; invalid: that is not known
};

// The index number "i" around access "b": axes of the grid, then loops.  False: there is none.
bool index_at(const struct reads *r, const struct access *b, int i, struct index *out);
bool index_moves(const struct index *x, const struct view *v);
// Whether "x" moves "v" along "mode".
bool index_moves_along(const struct index *x, const struct view *v, int mode);

// The elements along "mode" of the tensor of "v", or of the part of it that the plan names: those from
// "begin" to "end".  Returns how many; NULL: that is not known.
const struct ix *part_along(struct session *s, const struct view *v, int mode,
                            const struct ix **begin, const struct ix **end);
// Whether "lo" to "hi" is all of the tensor of "v" along "mode".
bool is_all_along(struct session *s, const struct view *v, int mode, const struct ix *lo,
                  const struct ix *hi);

// A read, and a write of what it reads, which "x" moves along "mode" and not the read.
struct pair {
    const struct access *a, *b;
    const struct flow *flow;
    struct index x;
    int mode;
};

// Whether "is" holds for a pair of the read "a", whose elements "flow" follows.
typedef bool pair_fn(struct reads *r, const struct pair *p);
bool pairs_any(struct reads *r, const struct access *a, const struct flow *flow, pair_fn *is);

// alike.c
// Warns of "p" if blocks or steps that differ in its index alone all read and compute the same.
bool alike_by(struct reads *r, const struct pair *p);

#endif
