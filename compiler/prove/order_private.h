// What order.c and groups.c share.
#ifndef TCPC_PROVE_ORDER_PRIVATE_H
#define TCPC_PROVE_ORDER_PRIVATE_H

#include "prove/private.h"

enum { ORDER_GROUPS = 65 };

struct order_access {
    struct qset when, what, by_thread;
    struct lin thread;  // in by_thread
    int alike;          // the first access that touches the same, by the same threads
    // of an asynchronous one:
    isl_set *committed[ORDER_GROUPS];  // by instances and a point in time: the (k + 1)-th commit
    int ncommitted;
    // by sync: waits that complete it, by instances of both; or NULL.  Quickly found are some, else
    // the first one.
    isl_set **first;
    struct order_first *firsts;  // that were worked out
};

struct order_first {
    int sync, pending;
    bool quick;
    isl_set *set;
    struct order_first *next;
};

// What puts "b" in order behind "a", as far as it is these two.
struct order_cover {
    int wait, barrier, pending;
    bool quick;
    isl_set *set;  // by instances of both
    struct order_cover *next;
};

struct prove_order {
    struct question q;
    const struct prove_program *program;
    struct order_access *access;
    struct qset *commit, *sync, *step;
    bool quick;         // what "first" of accesses is now
    struct qset point;  // a point in time, as a set of its own
    int ntime;
    isl_basic_set **meet;  // by pair and threads, or NULL
    signed char *ever;     // likewise, whether they ever meet: 1, -1; 0 where it was not asked
    struct order_cover **covers;  // by pair
    bool bad;                     // larger than can be looked at
};

// Of what "base" has, that whose instance of "a" comes before that of "b".  Takes "base".
isl_set *order_before(struct prove_order *o, isl_basic_set *base, const struct qset *a,
                      const int *da, const struct qset *b, const int *db);
isl_set *order_refine(struct prove_order *o, isl_set *base, const struct qset *a, const int *da,
                      const struct qset *b, const int *db);
// between.c: pairs of instances of accesses "a" and "b" between which wait "wait" (-1: none is
// needed) comes, then barrier "barrier" (-1: likewise).  The same again is not worked out again: it
// stays with "o".
isl_set *order_covered(struct prove_order *o, int a, int b, int wait, int barrier);
// How many groups are committed after that of "a" and before "b", for the instances of "w"; -1: nor
// is its own.
int order_younger(struct prove_order *o, int a, int b, const struct prove_witness *w);
// Works out "first" of access "a" for the waits as they are now.
void order_first_waits(struct prove_order *o, int a);
// The same from what can be counted in one loop alone: by the steps of it, for waits in it
// (count.c).
isl_set *order_counted(struct prove_order *o, int a, int sync);
// places.c: whether the places of statements alone put access "b" in order behind "a", for other
// threads or with "own" for the same one; "used" as for prove_order_pair.
bool order_by_places(const struct prove_program *p, int a, int b, bool own, bool *used);
// Whether places alone show that no instance of "event" is between one of "a" and one of "b".
bool order_outside(const struct prove_set *event, const struct prove_set *a,
                   const struct prove_set *b);

#endif
