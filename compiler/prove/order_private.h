// What order.c and groups.c share.
#ifndef TCPC_PROVE_ORDER_PRIVATE_H
#define TCPC_PROVE_ORDER_PRIVATE_H

#include "prove/private.h"

enum { ORDER_GROUPS = 65 };

struct order_access {
    struct qset when, what, by_thread;
    struct lin thread;  // in by_thread
    int alike;          // the first access that touches the same, by the same threads
    int same;           // that one if isl sees the same numbers of it, else itself
    int shape;          // of "when" (shapes.c)
    // of an asynchronous one:
    isl_set *committed[ORDER_GROUPS];  // by instances and a point in time: the (k + 1)-th commit
    int ncommitted;
    // Waits that complete it.  Quickly found are some, else the first one.
    struct order_first *firsts;  // that were worked out
};

struct order_first {
    int sync, pending;
    bool quick;
    isl_set *set;
    struct order_first *next;
};

// What two events are to each other in time, where their places alone say so.
struct order_places {
    // of accesses "a" and "b", of a wait and of a barrier; -1: there is none; less: unlike all others
    int shape[4];
    int relation[3];  // of each to the next in time
};

// What puts "b" in order after "a", as far as it is these two.
struct order_cover {
    struct order_places places;
    const isl_set *when;  // of a wait: which executions of it count
    isl_set *set;         // by instances of both
    struct order_cover *next;
};
enum { ORDER_COVERS = 1021 };

// Instances of a pair that nothing was found to put in order.
struct order_open {
    isl_set *set;        // NULL where isl has given up
    signed char empty;   // 1: it is; -1: it is not; 0: not known yet
    signed char parted;  // likewise whether "part" is what constrains it (apart.c)
    struct order_part *part;
    struct order_open *next;
};

// What was asked: a set of shapes and a relation, one less a cover, or whether two accesses meet.
enum { OF_SHAPES, OF_COVER, OF_MEETING, OF_SET };
struct order_key {
    const struct order_open *open;
    const isl_set *cover;
    int of[4];  // the last one: what it is of
};

struct order_kept {
    struct order_key key;
    struct order_open *open;
    enum prove_answer answer;
    struct order_kept *next;
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
    struct order_cover *covers[ORDER_COVERS];  // by a hash of what they are for
    struct order_kept *kept[ORDER_COVERS];     // likewise
    struct order_open *opens;                  // all of them
    const struct qset **shape;                 // an event of each shape
    int nshapes, *sync_shape;
    struct order_count *counts;  // count.c
    int *step_loop, nloops;      // by step: steps of one loop that differ by places have one number
    bool bad;                    // larger than can be looked at
    int asked;                   // questions to isl, or what is worth as many
};

// Of what "base" has, that whose instance of "a" comes before that of "b".  Takes "base".
isl_set *order_before(struct prove_order *o, isl_basic_set *base, const struct qset *a,
                      const int *da, const struct qset *b, const int *db);
isl_set *order_refine(struct prove_order *o, isl_set *base, const struct qset *a, const int *da,
                      const struct qset *b, const int *db);
// apart.c: whether accesses "a" and "b" are seen at once to touch different elements, in the
// instances of both that "open" has (NULL: in all).
bool order_apart(struct prove_order *o, int a, int b, struct order_open *open);
// kept.c: what "key" asks for, where it is kept; NULL: it is not.
struct order_kept *order_find(const struct prove_order *o, const struct order_key *key);
// Keeps one of the two, unless isl has given up.
void order_keep(struct prove_order *o, const struct order_key *key, struct order_open *open,
                enum prove_answer answer);
// Takes "set", which stays until the end.
struct order_open *order_open_of(struct prove_order *o, isl_set *set);
// "set", or the one that was kept before and has the same constraints.  Takes "set".
isl_set *order_one_of(struct prove_order *o, isl_set *set);
void order_forget_opens(struct prove_order *o);
// shapes.c: whether "a" and "b" are of one shape: in the same loops but for the names of these, and
// at the same places but for which ones.
bool order_alike(const struct qset *a, const struct qset *b);
bool order_same_sum(struct lin a, struct lin b);
// Whether "a" and "b" are the same to isl, number by number.
bool order_same(const struct qset *a, const struct qset *b);
// The number of the shape of "x".
int order_shape(struct prove_order *o, const struct qset *x);
// What decides how instances of "a" and "b", of known shapes, compare in time: which place is the
// first that differs, and how.  False: more than that.
bool order_relation(const struct qset *a, const struct qset *b, int *relation);
// between.c: pairs of instances of accesses "a" and "b" between which wait "wait" (-1: none is
// needed) comes, then barrier "barrier" (-1: likewise).  What is alike is not worked out again: it
// stays with "o".
isl_set *order_covered(struct prove_order *o, int a, int b, int wait, int barrier);
// How many further questions one about "x" is worth, for all that isl does for it.
int order_worth(isl_set *x);
// How many groups are committed after that of "a" and before "b", for the instances of "w"; -1: nor
// is its own.
int order_younger(struct prove_order *o, int a, int b, const struct prove_witness *w);
// Executions of wait "sync", as it is now, that complete access "a", by instances of both; NULL:
// none is known.
isl_set *order_first_wait(struct prove_order *o, int a, int sync);
// The same from what can be counted in one loop alone: by the steps of it, for waits in it
// (count.c).
isl_set *order_counted(struct prove_order *o, int a, int sync);
void order_forget_counts(struct prove_order *o);
// Fills step_loop.
void order_step_loops(struct prove_order *o);
// One number of a time.
struct prove_time {
    enum { TIME_NUMBER, TIME_VARIABLE, TIME_OTHER } is;
    int64_t number;
    const struct ix_var *var;
};

// places.c: fills what each number of the times of "event" is.
void order_times(struct session *s, struct prove_set *event);
// Whether the places of statements alone put access "b" in order after "a", for other
// threads or with "own" for the same one; "used" as for prove_order_pair.
bool order_by_places(const struct prove_program *p, int a, int b, bool own, bool *used);
// Whether places alone show that no instance of "event" is between one of "a" and one of "b".
bool order_outside(const struct prove_set *event, const struct prove_set *a,
                   const struct prove_set *b);

#endif
