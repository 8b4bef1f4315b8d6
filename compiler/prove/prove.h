// Proofs about integers: is something so for all values of params, blocks, threads and iterations?
//
// A question is put in sets of instances: variables with bounds, conditions, and what each instance
// names, the coordinates of an element.  All are index expressions (index/ix.h).  The answer is
// worked out by isl, an integer set library; this module alone includes isl.
//
// Before isl sees a question, quotients and remainders by params become digits, sums such as
// a*y + x over a grid (a,b) become one variable, and products of params become params
// (compiler/prove/rewrite.c).  What is not affine then becomes a number of which only bounds are
// known: such an answer may be "not known", and names the term.
#ifndef TCPC_PROVE_PROVE_H
#define TCPC_PROVE_PROVE_H

#include <stdbool.h>
#include <stdint.h>

#include "index/ix.h"

struct session;
struct prover;

enum prove_answer {
    PROVE_YES,
    PROVE_NO,      // there is a witness
    PROVE_UNKNOWN  // prover_why says what could not be decided
};

// a OP b, of params: "==" "!=" "<" "<=" ">" ">="
struct prove_promise {
    const struct ix *a, *b;
    const char *op;
};

// begin <= var < end; the two may hold the variables before it, params, and variables of the
// question.
struct prove_var {
    const struct ix_var *var;
    const struct ix *begin, *end;
};

// Instances, and what each names.  A variable that is none of the set's own is one of the question,
// of the range that it has itself (ix_var.lo, end): the same in all its sets.
struct prove_set {
    const struct prove_var *var;
    int nvars;
    const struct ix *const *cond;  // each at least 0
    int nconds;
    const struct ix *const *out;
    int nouts;
    const struct prove_time *time;  // of an event: what each of "out" is; prove_order_new fills it
};

// What refutes: values of params by lay_sym.id and, for each of up to two instances, of variables
// by ix_var.id; what both name.  Variables of the question are in both.  The least in lexicographic
// order of params, then variables.
struct prove_witness {
    int64_t *sym;  // INT64_MIN: any value that the promises allow
    int64_t *var[2];
    int set[2];  // which of the sets
    int64_t *out;
    int nouts;
};

// Operations of isl that a question may take, unless options.proof_limit says otherwise: ten times
// what any plan of the tests needs (tests/prove/limit.test).
#define PROVE_LIMIT 250000ul

// "promise": of the params, besides their ranges and divisors.  Freed by prover_free.
struct prover *prover_new(struct session *s, const struct prove_promise *promise, int npromises);
void prover_free(struct prover *p);
// Why the last answer is PROVE_UNKNOWN: "'a*y / b' is not affine"; in the session's memory.
const char *prover_why(const struct prover *p);
// Whether that is the limit of operations.
bool prover_out_of_steps(const struct prover *p);
// "isl 0.25"
const char *prove_version(void);

// Has "set" no instance?
enum prove_answer prove_none(struct prover *p, const struct prove_set *set,
                             struct prove_witness *w);
// a >= b for all values of the params (and of the variables in them, by their ranges)?
enum prove_answer prove_at_least(struct prover *p, const struct ix *a, const struct ix *b);
// Do different instances of "set" name different elements?  Those are compared whose first "nequal"
// variables are equal.
enum prove_answer prove_once(struct prover *p, const struct prove_set *set, int nequal,
                             struct prove_witness *w);
// Do instances of "a" and of "b" name different elements?  Those are compared whose first "nequal"
// variables are equal, and of whose next "ndiffer" at least one differs (0: all).
enum prove_answer prove_apart(struct prover *p, const struct prove_set *a,
                              const struct prove_set *b, int nequal, int ndiffer,
                              struct prove_witness *w);
// Do different instances of "set", and those of different sets, name different elements, where
// these are parts of fewer sets?  False: it is not known.
bool prove_all_once(struct prover *p, const struct prove_set *set, int n);
// Is each element of the box 0 <= element < extent named by some instance of the "n" sets?
// The witness has the element.
enum prove_answer prove_whole(struct prover *p, const struct ix *const *extent, int rank,
                              const struct prove_set *set, int n, struct prove_witness *w);

// A set of writes as a read sees them.  The first "common" variables of both are those of the loops
// around both; what precedes a read are the writes of earlier iterations of these, and with
// "before" those of the same ones.  Only those count that are in the same iteration of the first
// "equal" ones.
struct prove_write {
    const struct prove_set *set;
    int common, equal;
    bool before;
};
// Is each element that "read" names named by a write that precedes it?
enum prove_answer prove_written(struct prover *p, const struct prove_set *read,
                                const struct prove_write *write, int n, struct prove_witness *w);

// -- order ----------------------------------------------------------------------------------------
// Time is a vector of numbers, compared lexicographically: statement, iteration, statement, ..
// (Feautrier; Kelly and Pugh).  An event is a set of instances, over the variables of the loops
// around it, that names times; all of a program have vectors of one length.  The conditions of its
// "when" are bounds of those loops: others, which are not affine, may not be added.

// What threads do to an element.  The variables of all three sets begin with those of "when".
struct prove_access {
    struct prove_set when;
    struct prove_set what;       // names elements, whichever thread it is
    struct prove_set by_thread;  // names elements; the variable after those of "when" is the thread
    bool threads;                // there is such a set; else any thread may be it
    bool write;
    bool async;  // goes on until its group is waited for
    bool once;   // no two writes to its buffer are of one element: that is proven already
    int buffer;  // accesses to different ones do not meet
};

// A barrier of all threads, or a wait until at most "pending" groups are in flight.
struct prove_sync {
    struct prove_set when;
    bool wait, on;
    int pending;
};

struct prove_program {
    struct prove_access *access;
    int naccesses;
    struct prove_set *commit;  // ends the group of what was asynchronous since the last one
    int ncommits;
    // The same, where those of a pipeline's first steps and of its others are one set, that has
    // them all as far as waits of its steps come after them.
    struct prove_set *step;
    int nsteps;
    struct prove_sync *sync;  // "on" and "pending" may change between questions
    int nsyncs;
    // Only what is proven soon: groups are counted step by step alone.  May change between
    // questions; PROVE_UNKNOWN is then the answer of what is not.
    bool soon;
};

enum prove_missing { PROVE_WAIT, PROVE_BARRIER };
struct prove_fault {
    enum prove_missing missing;
    int younger;  // of PROVE_WAIT: groups that were committed after that of "a"; -1: it was not
    struct prove_witness at;  // params, and the variables of the earlier and of the later access
    bool threads;             // the threads are known: variable of by_thread
};

struct prove_order;
struct prove_order *prove_order_new(struct prover *p, const struct prove_program *x);
void prove_order_free(struct prove_order *o);
// Is access "b" in order after access "a" wherever it comes later and they meet?  "used" (by
// sync) gets true for those that the answer PROVE_YES may rest on.  "f" may be NULL.
enum prove_answer prove_order_pair(struct prove_order *o, int a, int b, bool *used,
                                   struct prove_fault *f);
// Questions to isl about pairs of accesses that are asked of one program, where one about loops that
// are nested deep counts as several: ten times what any plan of the tests needs that is not made to
// need many.  Then PROVE_UNKNOWN is the answer of what takes more than a look.
#define PROVE_MOST_ASKED 1000
bool prove_order_spent(const struct prove_order *o);
int prove_order_asked(const struct prove_order *o);
// Has asynchronous access "a" been waited for at the end?
enum prove_answer prove_order_ends(struct prove_order *o, int a, struct prove_fault *f);

#endif
