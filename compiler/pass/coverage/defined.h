// Shared by the files of pass "defined": defined.c, unwritten.c and stale.c.
#ifndef TCPC_PASS_COVERAGE_DEFINED_H
#define TCPC_PASS_COVERAGE_DEFINED_H

#include "pass/instances/instances.h"

enum { MOST_USES = 512 };

// A read or a write of the kernel's own memory; they are in textual order.
struct use {
    const struct copy *copy;  // NULL: a call's argument, or what a device function returns
    const struct plan_call *call;
    const struct view *view;
    bool write;
    struct around around;
    const struct stmt *stmt;
    struct instances *x;
    struct prove_set set;
    bool told;  // a message names it: what it leaves out, or that nothing is written before it
};

struct uses {
    struct session *s;
    const struct plan *plan;
    const struct kernel *k;
    struct around around;
    int n;
    bool more;
    struct use at[MOST_USES + 1];  // the last one: what a device function returns
};

// defined.c
// Whether "t" has no values when "k" begins.
bool defined_own(const struct kernel *k, const struct tensor *t);
// Makes the set of "x".
void defined_set(struct uses *u, struct use *x);
// Counts the loops around both, and how many of them must be in the same iteration: those up to a
// pipeline that fills the buffer.  Returns false if the read cannot see any step's write.
bool defined_relate(const struct use *r, const struct use *w, struct prove_write *out);

// unwritten.c
// Whether "w" is an argument of a function that reads it before it writes it.
bool defined_adds(const struct use *w);
// Reports that nothing is written to the buffer of "r" before it is read there, and what may be meant.
// "added": functions that add to it write it.  Only the first read of a buffer is reported.
void defined_nothing(struct uses *u, struct use *r, bool added);

// stale.c
// A copy of what "c" copies from to the same buffer that has a 'pad', where "c" has none; NULL: there is none.
const struct copy *defined_padded(const struct uses *u, const struct copy *c);
// What 'pad' writes beyond the source of "c": that of such a copy, or zeros; for a message.
const char *defined_pad_text(const struct uses *u, const struct copy *c);
// Warns of a copy before "r" in the same step of a loop that leaves out elements where its source ends,
// so that "r" reads what an earlier step wrote there.
void defined_stale(struct uses *u, struct prover *prover, struct use *r);

#endif
