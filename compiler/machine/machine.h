// The machine executes Kernel IR for the threads of a block and reports events to observers.  All
// threads execute a node before the next node begins; those of a role, each role until it waits for
// another one (roles.c).  An event covers all threads, so it costs one
// call for each node, not for each thread.
//
// The machine handles loops, guards, conditions and variables.  Memory is an observer (values.h),
// and so is the check of the order of accesses (check/order.h).  A schedule selects the iterations.
#ifndef TCPC_MACHINE_MACHINE_H
#define TCPC_MACHINE_MACHINE_H

#include "image/sample.h"
#include "kernel/kernel_ir.h"
#include "machine/columns.h"

struct machine;

// One side of an access, with the element of each thread.
struct machine_side {
    const struct kir_buffer *buf;  // NULL: there is none, or no observer wants it
    struct column at;
};

// Registers are buffers too: the "to" side of a load, and the "from" side of a store.
struct machine_access {
    const struct kir_node *node;
    struct machine_side from, to;
    const bool *idle;  // threads that read nothing; NULL: the inactive ones
    const int *read;   // elements that each other thread reads; NULL: all of the access
};

// The elements of an argument of a call, as offsets from the first one, before its swizzle.
struct machine_elements {
    struct column at;  // the first one
    const int64_t *off;
    int64_t count;
};

// Functions to call for events; NULL: none.  If one that returns bool returns false, the machine
// stops.
struct observer {
    void *user;
    // whether it wants to know of accesses to "b"
    bool (*wants)(void *user, const struct kir_buffer *b);
    bool (*access)(void *user, struct machine *m, const struct machine_access *a);
    bool (*call)(void *user, struct machine *m, const struct kir_node *n);
    void (*registers)(void *user, struct machine *m, const struct kir_buffer *stage);
    // At a wait that is an arrival too, "wait" alone is called, where all have arrived: for all threads, or
    // for a role (m->role) at a named barrier.
    void (*arrive)(void *user, struct machine *m, struct arrival a);
    void (*wait)(void *user, struct machine *m, struct arrival a);
    // Role m->role comes to named barrier "id", as the first one or not, to wait there or not; or to barrier
    // "id" - MACHINE_NAMED in memory, to arrive.
    void (*come)(void *user, struct machine *m, int id, bool first);
    // A thread of role m->role fences: copies that it issues later come after what it knows to be read.
    void (*fence)(void *user, struct machine *m);
};

// Selects what is executed.
struct schedule {
    void *user;
    // Selects iterations of loop "n" from "begin" .. "*end" - 1. Stores them in "pick", counted
    // from "begin", and returns their number.  Or returns -1 for all below "*end", which it may
    // change.  NULL: all.
    int (*loop)(void *user, const struct kir_node *n, int64_t begin, int64_t *end,
                int64_t pick[SAMPLE_AXIS]);
    // The value to use for a variable that has "value", and "most" if iterations are sampled.
    // "depth": number of loops around it whose iterations are all executed.  NULL: its value.
    int64_t (*let)(void *user, const struct kir_node *n, int depth, int64_t value, int64_t most);
    bool last_first;   // of roles, the last one begins
    bool apart;        // roles one after another, without their barriers: where there is no memory
    int64_t limit;     // most operations; beyond it no further iteration begins
    int least_access;  // operations for an access, for however few threads
};

// MACHINE_ROLES: 0 is all threads; the others are those ranges of threads that are roles anywhere in a kernel.
enum { MACHINE_NAMED = 16, MACHINE_ROLES = 16 };

// A named barrier, since it last opened.
struct machine_named {
    int64_t came, count;       // threads that came, and that it waits for
    bool role[MACHINE_ROLES];  // whose threads came
};

// The barriers in memory of a ring.
struct machine_memory {
    int64_t begun[MACHINE_ROLES];    // groups at which a role has arrived
    int64_t came[ARRIVAL_BARRIERS];  // arrivals in the present phase
    int64_t over[ARRIVAL_BARRIERS];  // phases
    int group[ARRIVAL_BARRIERS];     // the number of the last group of the barrier
    int by;                          // .. and the role whose group it is
    int64_t waited[MACHINE_ROLES];   // groups that a role has waited for
};

struct machine {
    struct session *s;
    const struct kir_kernel *k;
    const struct kir_node *node;  // that is executed
    const struct schedule *schedule;
    const struct observer *observer;
    int nobservers;
    struct columns *columns;
    int64_t active;              // only threads below this are active
    const bool *off;             // .. except these; NULL: all are
    int64_t block;               // number of the current block, in the order of execution
    int role;                    // of the threads that execute now, from 1 on; 0: all
    int commits[MACHINE_ROLES];  // groups of each role that have ended
    struct machine_named named[MACHINE_NAMED];
    struct machine_memory memory[ARRIVAL_RINGS];
    // A wait for ARRIVAL_MEMORY is told: the number of the barrier among all rings, the group that is there,
    // and its role.
    int barrier, arrived, arrived_by;
    // The threads of role i + 1, and how many of these roles there were so far.
    int64_t role_first[MACHINE_ROLES], role_threads[MACHINE_ROLES];
    int nroles;
    int depth;
    int64_t operations;  // nodes, and threads and elements in reports to observers
    const char *error;   // why execution failed, or NULL
    bool no_value;       // .. because a number did not fit 64 bits
    bool too_narrow;     // .. or not the 32 bits that it has
};

// Prepares for the params' values "sym", by lay_sym.id.  Schedule and observers are not copied.
void machine_init(struct machine *m, struct session *s, const struct kir_kernel *k,
                  const int64_t *sym, const struct schedule *schedule,
                  const struct observer *observer, int nobservers);
void machine_release(struct machine *m);

// Executes a block; false if an observer or an error stopped it.
bool machine_run(struct machine *m, const int64_t block[3]);

// Records why execution failed (the first reason is kept) and stops it.  Returns false.
bool machine_fail(struct machine *m, const char *why);

// The value of "e" for the active threads.  Reports an error and returns false if one has none.
bool machine_value(struct machine *m, const struct ix *e, struct column *out);

static inline bool machine_goes_on(const struct machine *m, int64_t thread) {
    return !m->off || !m->off[thread];
}

// How many of the "elements" of an access a thread reads.
static inline int machine_reads(const struct machine_access *a, int64_t thread, int elements) {
    if (a->idle && a->idle[thread]) return 0;
    return a->read ? a->read[thread] : elements;
}

// The elements of argument "a" of a call, in the session's arena.
bool machine_elements(struct machine *m, const struct kir_arg *a, struct machine_elements *out);

#endif
