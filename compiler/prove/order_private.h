// Shared by order.c, groups.c and the other files about the order of accesses.
#ifndef TCPC_PROVE_ORDER_PRIVATE_H
#define TCPC_PROVE_ORDER_PRIVATE_H

#include "prove/private.h"

enum { ORDER_GROUPS = 65 };

struct order_access {
    struct qset when, what, by_thread;
    struct lin thread;  // a column of by_thread
    int alike;          // the first access of the same elements by the same threads
    int same;           // "alike", if isl sees the same numbers for it; otherwise this access
    int shape;          // number of the shape of "when" (shapes.c)
    // for an asynchronous access:
    // [k]: the (k + 1)-th commit after it, by instances and a point in time
    isl_set *committed[ORDER_GROUPS];
    int ncommitted;
    // Known results about the waits that complete it: with "quick", some executions that are found
    // fast, otherwise the first one.
    struct order_first *firsts;
};

struct order_first {
    int sync, pending;
    bool quick;
    isl_set *set;
    struct order_first *next;
};

// How two events are related in time, as far as their places in the program determine it.
struct order_places {
    // of accesses "a" and "b", a wait and a barrier; -1: there is none; less than -1: different
    // from all others
    int shape[4];
    int relation[3];  // of each event to the next in time
};

// The instances for which a wait and a barrier put "b" in order after "a".
struct order_cover {
    struct order_places places;
    const isl_set *when;  // of a wait: the executions of it that count
    isl_set *set;         // by instances of both accesses
    struct order_cover *next;
};
enum { ORDER_COVERS = 1021 };

// Instances of a pair that nothing found so far puts in order.
struct order_open {
    isl_set *set;        // NULL if isl gave up
    signed char empty;   // 1: empty; -1: not empty; 0: not known yet
    signed char parted;  // whether "part" has its constraints (apart.c): the same values
    struct order_part *part;
    struct order_open *next;
};

// Kinds of kept results: a set of pairs by shapes and relation; a set minus a cover; whether two
// accesses meet; a set.
enum { OF_SHAPES, OF_COVER, OF_MEETING, OF_SET };
struct order_key {
    const struct order_open *open;
    const isl_set *cover;
    int of[4];  // the last one is the kind
};

struct order_memo {
    struct order_key key;
    struct order_open *open;
    enum prove_answer answer;
    struct order_memo *next;
};

struct prove_order {
    struct prover *p;
    bool built;               // the rest is there; else all answers so far were kept ones
    struct order_past *past;  // what was asked so far, if answers are kept (past.c); or NULL
    struct question q;
    const struct prove_program *program;
    struct order_access *access;
    struct qset *commit, *sync, *step;
    bool quick;         // the value of "quick" for waits that are looked up now
    struct qset point;  // a point in time, as a set
    int ntime;
    isl_basic_set **meet;  // by pair and threads, or NULL
    signed char *ever;  // likewise: 1: they meet at some time; -1: they never do; 0: not asked yet
    struct order_cover *covers[ORDER_COVERS];  // hash table of what waits and barriers cover
    struct order_memo *kept[ORDER_COVERS];     // hash table of other results
    struct order_open *opens;                  // list of all of them
    const struct qset **shape;                 // one event of each shape
    int nshapes, *sync_shape;
    struct order_count *counts;  // count.c
    // by step: a number for each loop; steps of one loop that differ only in places share it
    int *step_loop, nloops;
    bool bad;   // too large to be examined
    int asked;  // questions to isl so far, or their equivalent
};

// program.c: makes all that questions to isl need.
void order_build(struct prove_order *o);
// order.c: prove_order_pair and prove_order_ends, for accesses that may meet, asked of isl.
enum prove_answer order_ask_pair(struct prove_order *o, int a, int b, bool *used,
                                 struct prove_fault *f);
enum prove_answer order_ask_ends(struct prove_order *o, int a, struct prove_fault *f);
// past.c: the same, asked of what is kept first.
void order_past_begin(struct prove_order *o);
void order_past_end(struct prove_order *o);
enum prove_answer order_past_pair(struct prove_order *o, int a, int b, bool *used,
                                  struct prove_fault *f);
enum prove_answer order_past_ends(struct prove_order *o, int a, struct prove_fault *f);
// Those elements of "base" whose instance of "a" comes before their instance of "b".  Frees "base".
isl_set *order_before(struct prove_order *o, isl_basic_set *base, const struct qset *a,
                      const int *da, const struct qset *b, const int *db);
isl_set *order_refine(struct prove_order *o, isl_set *base, const struct qset *a, const int *da,
                      const struct qset *b, const int *db);
// apart.c: whether a quick look shows that accesses "a" and "b" touch different elements in the
// instances of "open" (NULL: in all).
bool order_apart(struct prove_order *o, int a, int b, struct order_open *open);
// memo.c: the kept result for "key"; NULL if there is none.
struct order_memo *order_find(const struct prove_order *o, const struct order_key *key);
// Keeps "open" or "answer" for "key", unless isl gave up.
void order_keep(struct prove_order *o, const struct order_key *key, struct order_open *open,
                enum prove_answer answer);
// Wraps "set" and owns it until the end.
struct order_open *order_open_of(struct prove_order *o, isl_set *set);
// Returns "set", or a set with the same constraints that was kept before.  Frees "set" in that
// case.
isl_set *order_one_of(struct prove_order *o, isl_set *set);
void order_forget_opens(struct prove_order *o);
// shapes.c: whether "a" and "b" have the same shape: they are in the same loops, ignoring names,
// and their places may differ only in numbers.
bool order_alike(const struct qset *a, const struct qset *b);
bool order_same_sum(struct lin a, struct lin b);
// Whether isl sees the same numbers for "a" and "b".
bool order_same(const struct qset *a, const struct qset *b);
// The number of the shape of "x".
int order_shape(struct prove_order *o, const struct qset *x);
// Sets "relation" to what determines how instances of "a" and "b", whose shapes are known, compare
// in time: the first place that differs, and how.  Returns false if that does not determine it.
bool order_relation(const struct qset *a, const struct qset *b, int *relation);
// between.c: the pairs of instances of accesses "a" and "b" between which wait "wait" (-1: no wait
// is needed) and then barrier "barrier" (-1: likewise) come.  Keeps the result in "o" and reuses it
// for similar pairs.
isl_set *order_covered(struct prove_order *o, int a, int b, int wait, int barrier);
// How many additional questions one about "x" counts as, given the work for isl.
int order_worth(isl_set *x);
// How many groups are committed after that of "a" and before "b", for the instances in "w"; -1: the
// group of "a" is not committed.
int order_younger(struct prove_order *o, int a, int b, const struct prove_witness *w);
// The executions of wait "sync", with its present "pending", that complete access "a", by instances
// of both; NULL if none are known.
isl_set *order_first_wait(struct prove_order *o, int a, int sync);
// The same, counting only within one loop and its waits, by its steps (count.c).
isl_set *order_counted(struct prove_order *o, int a, int sync);
void order_forget_counts(struct prove_order *o);
// Fills step_loop.
void order_step_loops(struct prove_order *o);
// One number of a time vector.
struct prove_time {
    enum { TIME_NUMBER, TIME_VARIABLE, TIME_OTHER } is;
    int64_t number;
    const struct ix_var *var;
};

// places.c: whether barrier "i" is one of the threads that make accesses "a" and "b".
bool order_is_for(const struct prove_program *p, int i, int a, int b);
// places.c: .. and that a later "b" sees what "a" did.
bool order_reaches(const struct prove_program *p, int i, int a, int b);
// places.c: whether what threads of "role" wait for or commit concerns access "a".
bool order_concerns(const struct prove_program *p, int role, int a);
// places.c: sets the kind of each number in the times of "event".
void order_times(struct session *s, struct prove_set *event);
// Whether the places of statements put access "b" in order after "a", for other threads, or with
// "own" for the same one.  "used" is as for prove_order_pair.
bool order_by_places(const struct prove_program *p, int a, int b, bool own, bool *used);
// Whether places show that no instance of "event" is between one of "a" and one of "b".
bool order_outside(const struct prove_set *event, const struct prove_set *a,
                   const struct prove_set *b);

#endif
