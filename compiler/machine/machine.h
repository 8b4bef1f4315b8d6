// The machine executes Kernel IR for the threads of a block and tells observers what happens.  All
// threads go through a node before the next one begins; they are reported together, so that an
// observer costs a call a node and not one a thread.
//
// The machine knows loops, guards, ways and variables.  Memory is an observer's (values.h), and so
// is the order of accesses (check/order.h).  Which iterations are gone through a schedule says.
#ifndef TCPC_MACHINE_MACHINE_H
#define TCPC_MACHINE_MACHINE_H

#include "image/sample.h"
#include "kernel/kernel_ir.h"
#include "machine/columns.h"

struct machine;

// One side of an access, and its element for each thread.
struct machine_side {
    const struct kir_buffer *buf;  // NULL: there is none, or no observer wants it
    struct column at;
};

// Registers are buffers, too: a load has them on its "to" side, a store on its "from" side.
struct machine_access {
    const struct kir_node *node;
    struct machine_side from, to;
    const bool *idle;  // threads that read nothing; NULL: those that take no part
    const int *read;   // elements that each other thread reads; NULL: all of the access
};

// The elements of an argument of a call, as numbers after the first one, before its swizzle.
struct machine_elements {
    struct column at;  // the first one
    const int64_t *off;
    int64_t count;
};

// What is reported to an observer; NULL: it is not.  Those that return false stop the machine.
struct observer {
    void *user;
    bool (*wants)(void *user, const struct kir_buffer *b);  // to hear about accesses to "b"
    bool (*access)(void *user, struct machine *m, const struct machine_access *a);
    bool (*call)(void *user, struct machine *m, const struct kir_node *n);
    void (*registers)(void *user, struct machine *m, const struct kir_buffer *stage);
    void (*barrier)(void *user);
    void (*commit)(void *user, struct machine *m);
    void (*wait)(void *user, struct machine *m, int pending);
};

// How much is gone through.
struct schedule {
    void *user;
    // Of the iterations "begin" .. "*end" of loop "n".  Returns how many are picked, in "pick",
    // from "begin" on; or -1: all below "*end", which it may have changed.  NULL: all.
    int (*loop)(void *user, const struct kir_node *n, int64_t begin, int64_t *end,
                int64_t pick[SAMPLE_AXIS]);
    // What a thread's variable becomes that has "value", and is "most" when iterations are sampled.
    // "depth": loops around that go through every iteration.  NULL: its value.
    int64_t (*let)(void *user, const struct kir_node *n, int depth, int64_t value, int64_t most);
    int64_t limit;     // of operations, after which no further iteration begins
    int least_access;  // operations of an access, by however few threads
};

struct machine {
    struct session *s;
    const struct kir_kernel *k;
    const struct schedule *schedule;
    const struct observer *observer;
    int nobservers;
    struct columns *columns;
    int64_t active;   // threads below this go on
    const bool *off;  // but for these; NULL: all do
    int64_t block;    // number of the one that runs, in the order in which they run
    int commits;      // groups that have ended
    int depth;
    int64_t operations;  // nodes, and threads and elements that observers heard about
    const char *error;   // what could not be executed, or NULL
    bool no_value;       // .. as a number did not fit into 64 bits
    bool too_narrow;     // .. or not into the 32 that it has
};

// For the params' values "sym", by lay_sym.id.  The schedule and the observers are not copied.
void machine_init(struct machine *m, struct session *s, const struct kir_kernel *k,
                  const int64_t *sym, const struct schedule *schedule,
                  const struct observer *observer, int nobservers);
void machine_release(struct machine *m);

// Executes a block; false when an observer or an error stopped it.
bool machine_run(struct machine *m, const int64_t block[3]);

// Stops it with a reason, of which the first one is kept.  Returns false.
bool machine_fail(struct machine *m, const char *why);

// The value of "e" for the threads that go on.  False, with an error, where one has none.
bool machine_value(struct machine *m, const struct ix *e, struct column *out);

static inline bool machine_goes_on(const struct machine *m, int64_t thread) {
    return !m->off || !m->off[thread];
}

// How many elements a thread reads of an access of "elements".
static inline int machine_reads(const struct machine_access *a, int64_t thread, int elements) {
    if (a->idle && a->idle[thread]) return 0;
    return a->read ? a->read[thread] : elements;
}

// The elements of argument "a" of a call, in the session's arena.
bool machine_elements(struct machine *m, const struct kir_arg *a, struct machine_elements *out);

#endif
