// Shared by the files about what nobody reads: dead_*.c.
#ifndef TCPC_PASS_LINT_DEAD_H
#define TCPC_PASS_LINT_DEAD_H

#include "pass/instances/instances.h"
#include "pass/lint/lint.h"

// What a statement, including those inside, does to a tensor.
struct touched {
    bool read;
    bool called;               // written by a function
    const struct stmt *first;  // copy or fill that writes
};

enum { DEAD_ACCESSES = 32 };

struct dead_access {
    const struct stmt *stmt;
    const struct view *view;
    struct around around;
    bool read, write;  // both: a function may do either
    bool tried, full;
    struct prove_set set;
};

// The accesses of a kernel to a buffer, in textual order.
struct dead_list {
    struct lint *l;
    const struct tensor *t;
    struct around around;
    int n;
    bool more;
    struct dead_access at[DEAD_ACCESSES];
};

// dead_copy.c
// Adds what "st" itself does to "t".
void dead_touch(struct touched *x, const struct stmt *st, const struct tensor *t);
struct touched touched_in(const struct stmt *st, const struct tensor *t);
// Whether "v" is memory that outlives the kernel's own.
bool dead_elsewhere(const struct view *v);
// What "st" writes, if it is a copy or a fill of the kernel's own memory; otherwise NULL.
const struct view *dead_written(const struct stmt *st);
// "st" in a message.
const char *dead_what(struct session *s, const struct stmt *st);
// Whether "v" is all of its buffer, whatever the block and the size.
bool dead_is_all(struct session *s, const struct view *v);
// Whether "st" writes all elements of its buffer, in each thread that has some.
bool dead_writes_all(struct session *s, const struct kernel *k, const struct stmt *st);
void dead_warn_again(struct session *s, const struct stmt *st, const struct tensor *t,
                     const struct stmt *again);

// dead_steps.c
// Warns of a loop of which each step copies the same elements.
void dead_same_again(struct session *s, const struct stmt *loop);
// Warns of "st" in a loop of several steps, of which each writes all of the buffer that no step reads.
void dead_each_step(struct session *s, const struct kernel *k, const struct stmt *st);
// .. of "st" before a loop whose first step loads all of the buffer again.
void dead_before_loop(struct session *s, const struct kernel *k, const struct stmt *st);
// .. of a call, if each step writes all of the results, and no step reads them.
void dead_each_call(struct session *s, const struct stmt *st);
// .. of a fill before calls whose results only the last step leaves behind; with "later", they are read after the loop,
// and the calls may have other results.
void dead_lost_sums(struct session *s, const struct kernel *k, const struct stmt *st, bool later);
// Warns of a loop that reads in "t" what the last step of "loop" has loaded, though it has as many steps.
void dead_left_by_last(struct session *s, const struct kernel *k, const struct stmt *loop,
                       const struct tensor *t);
// Warns of a call after "loop" that adds what the last step has added.
void dead_same_call(struct session *s, const struct stmt *loop);
// Warns of a call right after the call "st" with the same arguments, some of which are only read.
void dead_call_twice(struct session *s, const struct stmt *st);
// Warns of what the steps of "pipe" write to its slots and do not read.
void dead_ends_of_steps(struct session *s, const struct kernel *k, const struct stmt *pipe);

// Whether "st" writes all of a slot of "t", which has "slots", and reads none of it.
bool dead_writes_slot(struct session *s, const struct stmt *st, const struct tensor *t,
                      int64_t slots);

// dead_flow.c
// Warns of writes of which nothing reaches an output, for reasons that are not in one list of statements.
void dead_flow(struct lint *l);

// dead_gaps.c
// Warns of a buffer of which some elements are read twice and others never, and as many as there are; returns false if
// it is none.
bool dead_gaps(const struct dead_list *x);

// dead_slots.c
// Warns of copies that write a slot of a buffer in some step that nobody reads before it is written again.
void dead_slots(const struct dead_list *x);

#endif
