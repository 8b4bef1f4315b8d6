// Proofs about integers: does something hold for all values of params, blocks, threads and
// iterations?
//
// A question consists of sets of instances.  A set has variables with bounds, conditions, and what
// each instance names: the coordinates of an element.  All of these are index expressions
// (index/ix.h).  isl, an integer set library, finds the answer; only this module includes isl.
//
// Before isl sees a question, quotients and remainders by params become digits, sums such as a*y +
// x over a grid (a,b) become one variable, and products of params become params
// (compiler/prove/rewrite.c).  What is still not affine becomes an unknown number with known
// bounds.  The answer may then be "not known", and names the term.
#ifndef TCPC_PROVE_PROVE_H
#define TCPC_PROVE_PROVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/arrival.h"
#include "index/ix.h"

struct session;
struct prover;

enum prove_answer {
    PROVE_YES,
    PROVE_NO,      // there is a witness
    PROVE_UNKNOWN  // prover_why says what was not decided
};

// A promise about params: a OP b, with OP "==" "!=" "<" "<=" ">" ">=".
struct prove_promise {
    const struct ix *a, *b;
    const char *op;
};

// begin <= var < end.  Both bounds may contain earlier variables of the set, params, and variables
// of the question.
struct prove_var {
    const struct ix_var *var;
    const struct ix *begin, *end;
};

// Instances, and what each one names.  A variable that is not in "var" is a variable of the
// question: it has the same value in all sets, within its own range (ix_var.lo, end).
struct prove_set {
    const struct prove_var *var;
    int nvars;
    const struct ix *const *cond;  // each is >= 0
    int nconds;
    const struct ix *const *out;
    int nouts;
    // for an event: the kind of each of "out"; set by prove_order_new
    const struct prove_time *time;
};

// A counterexample: values of params by lay_sym.id; for up to two instances, values of variables by
// ix_var.id; and the element that both name.  Variables of the question are in both instances.  It
// is the lexicographically least one, by params, then variables.
struct prove_witness {
    int64_t *sym;  // INT64_MIN: any value that the promises allow
    int64_t *var[2];
    int set[2];  // index of the set of each instance
    int64_t *out;
    int nouts;
};

// Most operations of isl for a question, unless options.proof_limit is set: ten times what any plan
// of the tests needs (tests/prove/limit.test).
#define PROVE_LIMIT 250000ul
enum { PROVE_LOOPS = 32 };

// "promise": promises about params in addition to their ranges and divisors.  prover_free frees the
// prover.
struct prover *prover_new(struct session *s, const struct prove_promise *promise, int npromises);
void prover_free(struct prover *p);
// Why the last answer is PROVE_UNKNOWN, such as "'a*y / b' is not affine".
const char *prover_why(const struct prover *p);

// Makes "why", which prover_why said of a claim, its answer again: another question was asked since.
void prover_set_why(struct prover *p, const char *why);
// Whether the reason is the limit of operations.
bool prover_out_of_steps(const struct prover *p);
// The version of isl, such as "isl 0.25".
const char *prove_version(void);

// Does "set" have no instance?
enum prove_answer prove_none(struct prover *p, const struct prove_set *set,
                             struct prove_witness *w);
// Is a >= b for all values of params, and of the variables in them?
enum prove_answer prove_at_least(struct prover *p, const struct ix *a, const struct ix *b);
// Do different instances of "set" name different elements?  Compares only instances that have equal
// values of the first "nequal" variables.
enum prove_answer prove_once(struct prover *p, const struct prove_set *set, int nequal,
                             struct prove_witness *w);
// Do instances of "a" name other elements than instances of "b"?  Compares only instances that have
// equal values of the first "nequal" variables and differ in at least one of the next "ndiffer" (0:
// compares all of these).
enum prove_answer prove_apart(struct prover *p, const struct prove_set *a,
                              const struct prove_set *b, int nequal, int ndiffer,
                              struct prove_witness *w);
// Do all instances of the "n" sets name different elements, within a set and between sets?  First
// joins sets that are parts of one.  Returns false if that is not known.
bool prove_all_once(struct prover *p, const struct prove_set *set, int n);
// Does some instance of the "n" sets name each element of the box 0 <= element < extent?  The
// witness has an element that none names.
enum prove_answer prove_whole(struct prover *p, const struct ix *const *extent, int rank,
                              const struct prove_set *set, int n, struct prove_witness *w);

// A set of writes, in relation to a read.  The first "common" variables of both are those of the
// loops around both.  A write precedes the read if it is in an earlier iteration of these loops, or
// with "before" also if it is in the same one.  Only writes in the same iteration of the first
// "equal" loops count.
struct prove_write {
    const struct prove_set *set;
    int common, equal;
    bool before;
};
// Is each element that "read" names also named by a write that precedes the read?
enum prove_answer prove_written(struct prover *p, const struct prove_set *read,
                                const struct prove_write *write, int n, struct prove_witness *w);

// What writes are to a question about stale elements: writes, such as fills; copies, whose elements are
// stale in later steps; or all elements of a copy, also those that it leaves out.
enum prove_role { PROVE_WRITES, PROVE_COPIES, PROVE_WOULD_WRITE };
// Does "read" only name elements that are written in the same step, where such a write would have
// written them, unless no earlier step wrote them?  A step is an iteration of the first "loops" loops;
// the common loops of each write contain them.
enum prove_answer prove_not_stale(struct prover *p, const struct prove_set *read,
                                  const struct prove_write *write, const enum prove_role *role,
                                  int n, int loops, struct prove_witness *w);

// A statement that reads or writes.  Its first variables are those of its loops, from the outermost on.
struct prove_step {
    struct prove_set set;
    const void *loop[PROVE_LOOPS];  // equal ones are the same loop
    int nloops;
    bool read, write;  // "write": nobody reads afterwards what was written to the element before
};
// Is each element that step "at" writes read afterwards?  Asks only about "those" of its instances, which
// have the variables of its set.  The steps are in textual order.
enum prove_answer prove_read(struct prover *p, const struct prove_step *step, int n, int at,
                             const struct prove_set *those, struct prove_witness *w);

// -- order ----------------------------------------------------------------------------------------
// Time is a vector of numbers, compared lexicographically: statement, iteration, statement, ..
// (Feautrier; Kelly and Pugh).  An event is a set of instances that names times; its variables are
// those of the loops around it.  All vectors of a program have the same length.  The conditions of
// "when" may only be bounds of those loops: others may not be added, as they may not be affine.

// An access: what threads do to an element.  The variables of "when" are the first ones of all
// three sets.
struct prove_access {
    struct prove_set when;
    struct prove_set what;  // names the elements that any thread accesses
    // names elements by thread; the thread is the variable after those of "when"
    struct prove_set by_thread;
    bool threads;  // by_thread is set; otherwise any thread may make the access
    bool write;
    bool async;     // remains in flight until there is a wait for its group
    bool proxy;     // made by a copy that sees what others did only if these fenced before they met
    bool all;       // asynchronous, and each thread waits for it
    bool late;      // asynchronous, and only a wait until groups have written completes it
    int role;       // of the threads that make it; 0: all threads of the block have it
    int64_t first;  // the block's number of thread 0 in by_thread
    bool once;      // already proven: no two writes to its buffer write the same element
    int buffer;     // accesses to different buffers do not meet
};

// A wait: one that completes asynchronous accesses, or one that joins threads (hw/arrival.h), all or those
// of a role.
struct prove_sync {
    struct prove_set when;
    struct arrival arrival;  // ARRIVAL_NONE: it is left out
    int role;                // it concerns accesses of this role alone; 0: of all
};

struct prove_program {
    struct prove_access *access;
    int naccesses;
    // commits: each ends the group of the asynchronous accesses since the last commit
    struct prove_set *commit;
    int *commit_role;  // of the threads that make it, whose accesses alone it concerns; 0: all
    int ncommits;
    // The same commits, but those of a pipeline's first steps and of its other steps form one set.
    // It contains all of them, as far as waits of the steps come later.
    struct prove_set *step;
    int *step_role;
    int nsteps;
    struct prove_sync *sync;  // "arrival" may be changed between questions
    int nsyncs;
    // Proves only what is fast: counts groups only step by step.  Other questions have the answer
    // PROVE_UNKNOWN.  May be changed between questions.
    bool soon;
};

enum prove_missing { PROVE_WAIT, PROVE_BARRIER };
struct prove_fault {
    enum prove_missing missing;
    // PROVE_WAIT: groups committed after that of "a"; -1: its own group is not committed
    int younger;
    struct prove_witness at;  // params, and the variables of the earlier and the later access
    bool threads;             // the threads are known: they are variables of by_thread
};

struct prove_order;
struct prove_order *prove_order_new(struct prover *p, const struct prove_program *x);
void prove_order_free(struct prove_order *o);
// Is access "b" ordered after access "a" whenever it comes later and they meet?  Sets used[i] for
// each sync that the answer PROVE_YES may depend on.  "f" may be NULL.
enum prove_answer prove_order_pair(struct prove_order *o, int a, int b, bool *used,
                                   struct prove_fault *f);
// Most questions to isl about pairs of accesses of one program; a question about deeply nested
// loops counts as several.  It is ten times what any plan of the tests needs, except those made to
// need many.  Beyond it, only questions with an immediate answer are not PROVE_UNKNOWN.
#define PROVE_MOST_ASKED 1000
bool prove_order_spent(const struct prove_order *o);
int prove_order_asked(const struct prove_order *o);
// Has the program waited for asynchronous access "a" at its end?
enum prove_answer prove_order_ends(struct prove_order *o, int a, struct prove_fault *f);

#endif
