// Shared by the files of this module.  The main type is a linear expression over the columns of a
// question; isl sees it later.
#ifndef TCPC_PROVE_PRIVATE_H
#define TCPC_PROVE_PRIVATE_H

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "base/trap.h"
#include "prove/prove.h"
#include "prove/recall.h"

enum {
    MOST_PARAMS = 64,
    MOST_DIMS = 64,
    MOST_DIVS = 512,
    MOST_CONDS = 160,
    MOST_DIGITS = 32,
    MOST_SPLITS = 32
};

// -- integers of isl ------------------------------------------------------------------------------

isl_val *val_of(isl_ctx *ctx, int64_t x);
// Whether "v" is an integer of 64 bits, in "*x"; otherwise that is 0.  Keeps "v".
bool val_number(isl_val *v, int64_t *x);

// -- linear expressions ---------------------------------------------------------------------------

enum col_kind { COL_PARAM, COL_DIM, COL_DIV };
struct lin_term {
    enum col_kind kind;
    int at;
    int64_t coef;
};

// (constant + sum of coef * column) / den
struct lin {
    int n;
    struct lin_term *term;
    int64_t constant, den;  // den == 0: not affine, or too large
};

// The quotient of a linear expression by a number, rounded down.  It belongs to the set for which
// it was made.
struct quotient {
    struct lin of;
    int64_t by;
};

// -- what a question is about ---------------------------------------------------------------------

// A param of a question: a symbol of the plan, a product of symbols, a variable of the question or
// a digit of it, or an unknown number with known bounds.
struct qparam {
    struct lay_int value;  // valid: a symbol or a product, in which the column counts
    int64_t mul;           // it is a multiple of this
    // otherwise a variable,
    const struct ix_var *var;
    int digit;                // .. or this digit of it; -1: the variable itself
    const struct ix *opaque;  // otherwise an unknown number
};

// A variable split into digits of a mixed radix: var = sum of digit * weight, with weight[0] = 1.
struct split {
    const struct ix_var *var;
    int group;  // it is for sets with this question.group
    int n;
    struct lay_int weight[MOST_DIGITS], extent[MOST_DIGITS];
};

// A dimension: a variable of a set, a digit of it, or an unknown number with known bounds.
struct qdim {
    const struct ix_var *var;
    int digit;                // -1: the variable itself
    const struct ix *opaque;  // otherwise an unknown number
    int place;                // index of the variable in the set; -1: unknown number
};

struct qset {
    int ndims;
    struct qdim dim[MOST_DIMS];
    int nconds;
    struct lin *cond;  // each is >= 0
    int nouts;
    struct lin *out;
    bool exact;            // it has no unknown numbers
    isl_basic_set *basic;  // its instances by its own dimensions, without context; kept for reuse
    int width;             // of the system of "basic"
    // variables after rewriting; a witness is described by them
    struct prove_var *var;
    int nvars;
    // variables that rewriting replaced, and how to compute their values
    struct replaced *replaced;
};

struct replaced {
    const struct ix_var *var;
    const struct ix *value;  // NULL: the variable of a chain, found by its bounds
    const struct ix *begin;  // of a chain: its value is the last one with begin <= "of"
    const struct ix_var *of;
    const struct ix *first, *last;  // bounds of a chain's variable; last is exclusive
    struct replaced *next;
};

struct question {
    struct prover *p;
    struct session *s;
    int nparams, nquotients, nsplits, nlemmas;
    int group;         // 0: results hold for all sets; otherwise for the set of this number
    struct qset *set;  // the one under construction
    int nshared;  // this many first variables of all sets have equal values in what is compared
    // coordinates that are the same expressions in all sets: equal in what is compared, too
    int nnamed;
    const struct ix **named;
    bool failed;       // too large
    isl_space *space;  // of the params
    isl_basic_set *context;
    // question_init does not clear the following
    struct qparam param[MOST_PARAMS];
    struct quotient quotient[MOST_DIVS];
    struct split split[MOST_SPLITS];
    struct lin lemma[4 * MOST_PARAMS];  // of params; each is >= 0
};

struct prover {
    struct session *s;
    isl_ctx *ctx;
    struct trap_work work;
    unsigned long limit;  // most operations for the next question
    int width;            // of the widest system in this question
    const struct prove_promise *promise;
    int npromises;
    const char *why;
    const struct ix *term;  // the first term in this question that was not affine
    // this question is asked without promises that contain products, and some were left out
    bool lean, left_out;
    struct recall recall;
};

// Which of the fixed reasons "why" is; -1: it is a text.
int prover_why_kind(const struct prover *p);
void prover_set_why_kind(struct prover *p, int kind);

// For "while (prover_asks(p, r)) r = ..": asks a question first without promises that contain
// products, and again with them if some were left out and the answer is not PROVE_YES.  A product
// makes proofs long, and strides of tensors say nothing about coordinates.
bool prover_asks(struct prover *p, enum prove_answer r);
// Resets the operations for another question.  After one was given up, each of the next ones may
// take a quarter of the operations, because the plan is probably refused by then.
void prover_again(struct prover *p);
// Resets the operations for a part of a question, whose systems have a width of at least "width" bits; returns the width so
// far.
int prover_tries(struct prover *p, int width);
// Begins a question.
void prover_begin(struct prover *p);
// Allows isl "limit" operations, or fewer if numbers are wide and each operation is slow.
void prover_allow(struct prover *p, unsigned long limit);
// Notes that the question has a system of width "width".  The time of an operation grows with the
// square of the width.
void prover_widens(struct prover *p, int width);
// The reason for giving up at the limit.
const char *prover_steps(const struct prover *p);

// Rows of a system: each is a sum that is 0 ("equal"), or at least 0.
enum { MOST_ROWS = 512, SYSTEM_TERMS = 48 };
struct system_term {
    enum col_kind kind;
    int at;
    int64_t coef;
};
struct system_row {
    int n;
    struct system_term *term;
    int64_t constant;
    bool equal, context;
};
struct system {
    struct question *q;
    int ndims, ndivs, n;
    bool context;  // rows that are added now are of the params' context
    struct {
        int quotient;
        const int *dim;
    } div[MOST_DIVS];
    struct system_row row[MOST_ROWS];
};

// system.c
void system_init(struct system *y, struct question *q, int ndims);
void system_at_least_0(struct system *y, struct lin e, const int *dim);
void system_is_0(struct system *y, struct lin e, const int *dim);
// Adds what is known of the params.
void system_context(struct system *y);
// Adds the instances of "set"; its dimension i is dim[i].
void system_instances(struct system *y, const struct qset *set, const int *dim);
// Requires that "a" and "b" name the same element.
void system_same(struct system *y, const struct qset *a, const int *da, const struct qset *b,
                 const int *db);
// Requires that dimension "a" equals "b", or exceeds it by at least "least".
void system_equal(struct system *y, int a, int b);
void system_exceeds(struct system *y, int a, int b, int64_t least);
isl_basic_set *system_basic(const struct system *y);
// The rows of "y" without those of the context about params that are in no other row, and in none of "also";
// NULL if these are all rows.
struct system *system_about(const struct system *y, const struct system *also);
// Whether "y" has no solutions; false also if isl gives up, which is then forgotten.
bool system_none(const struct system *y);
// question_empty for a system.  The context is often much larger than the rest: first asks with only those
// rows of it that are about params of other rows.
enum prove_answer system_empty(struct system *y, int64_t *param, int64_t *dim);
// Adds a row, to which the caller adds terms; NULL if there is no room.
struct system_row *system_row(struct system *y, bool equal, int64_t constant);
void system_term(struct system *y, struct system_row *r, enum col_kind kind, int at, int64_t coef);
// Most bits of the numbers that isl computes from the system: those of a determinant.
int system_width(const struct system *y);

// never.c: whether a quick test without isl shows that the system has no integer solution: by the
// divisibility of its equations, or with "by_bounds" by bounds of its unknowns.  False: not known.
bool system_never(const struct system *y, bool by_bounds);

// linear.c
struct lin lin_int(struct question *q, int64_t value);
struct lin lin_add(struct question *q, struct lin a, struct lin b, int64_t times);
struct lin lin_of(struct question *q, const struct ix *e);  // in terms of q->set
struct lin lin_monomial(struct question *q, struct lay_int value);
struct lin lin_symbols(struct question *q, struct lay_int value);  // only its symbols
struct lin lin_col(struct question *q, enum col_kind kind, int at);
struct lin lin_scale(struct question *q, struct lin a, int64_t num, int64_t den);
bool lin_ok(struct lin a);
// Adds the lemma e >= 0. "of_params": it holds for all sets.
void lin_at_least_0(struct question *q, bool of_params, struct lin e);
// context.c: adds what is known of the params of "q" as lemmas; this may add further params.
void lin_context(struct question *q);

// named.c
// Finds coordinates that are the same expressions in all of the "n" sets, which are not made yet.
void question_names(struct question *q, const struct prove_set *set, int n);
// Whether "e" has the same value in all instances that are compared: it depends only on variables
// that are equal in them.
bool question_shares(const struct question *q, const struct ix *e);
// Whether "e" is a remainder by a number of products of params and such coordinates.  Other products
// have bounds by those of the coordinates.
bool question_names_rest(const struct question *q, const struct ix *e);

// draft.c: a set that can be modified
struct draft {
    int nvars, nconds, nouts;
    struct prove_var *var;
    const struct ix **cond, **out;
};
struct draft draft_of(struct session *s, const struct prove_set *x);
struct prove_set draft_set(const struct draft *d);
int draft_find(const struct draft *d, const struct ix_var *v);  // -1: not a variable of the set
void draft_drop(struct draft *d, int at);
void draft_substitute(struct session *s, struct draft *d, const struct ix_var *v,
                      const struct ix *by);
// A new variable of a set, which begins at 0.
struct ix_var *draft_var(struct session *s, const struct ix_var *like, struct lay_int end);
// Bounds of "e" over the "n" variables and those in their bounds; the result has no variables. NULL
// if none are known.
const struct ix *draft_bound(struct session *s, const struct prove_var *var, int n,
                             const struct ix *e, bool max);
// Calls "visit" for all expressions in a set, and for all their parts.
typedef void draft_visitor(struct question *q, const struct ix *e, void *user);
void draft_walk(struct question *q, const struct prove_set *x, draft_visitor *visit, void *user);
void draft_walk_ix(struct question *q, const struct ix *e, draft_visitor *visit, void *user);
// Whether bounds of variables, except those of the one at "but", contain "v".
bool draft_bounds_hold(const struct draft *d, const struct ix_var *v, int but);
// Whether the two sets have the same instances, ignoring the names of variables, and name the same
// elements.
bool draft_alike(const struct prove_set *a, const struct prove_set *b);
// Records the value of a replaced variable for the witness.
void draft_replaced(struct question *q, struct qset *set, struct replaced r);
// Whether a variable begins at 0 and ends at a product; sets "*end".
bool draft_from_0(const struct prove_var *v, struct lay_int *end);

// rewrite.c
// Copies "in" to "out".  With "merge", applies the replacements listed in rewrite.c.
void rewrite_set(struct question *q, const struct prove_set *in, bool merge, struct prove_set *out,
                 struct qset *set);

// digits.c
// Replaces one variable that params divide, or that bounds contain, by variables for its digits;
// false if there is none.
bool rewrite_digits(struct question *q, struct draft *d, struct qset *set);
// Finds the digits of variables that are divided in the "n" sets; of loop variables only with
// "loops".
void rewrite_split(struct question *q, const struct prove_set *set, int n, bool loops);
const struct split *rewrite_find(const struct question *q, const struct ix_var *v);

// expand.c
// Finds "n" sets whose union is "x".  In them, quotients by params with few values are numbers.
// False if there is only "x" itself.
bool expand_set(struct prover *p, const struct prove_set *x, struct prove_set **out, int *n);

// radix.c
enum { RADIX_MODES = 16 };
// Copies the "n" sets to "out", with modes of their elements split in two.  "extent", if not NULL,
// has the extents of the elements in question; "extents" gets those of the new modes, which may
// cover more.  False if nothing was split.
bool radix_split(struct prover *p, const struct prove_set *in, int n, struct prove_set *out,
                 const struct ix *const *extent, const struct ix **extents);

// join.c
// Joins the "n" sets into as few as possible with the same instances; returns their number.
int join_sets(struct prover *p, const struct prove_set *set, int n, struct prove_set *out);
// The same, but the new sets may have more instances, and each old instance is in only one of them.
int join_widely(struct prover *p, const struct prove_set *set, int n, struct prove_set *out);
// A set with the instances of "set" and more; false if it found none.
bool join_widen(struct prover *p, const struct prove_set *set, struct prove_set *out);

// strategies.c: what prove_none and prove_at_least ask if it is not kept
enum prove_answer strategy_none(struct prover *p, const struct prove_set *set,
                                struct prove_witness *w);
enum prove_answer strategy_at_least(struct prover *p, const struct ix *a, const struct ix *b);
// Whether "e" >= 0 is proven for all of "set".
bool prove_always(struct prover *p, const struct prove_set *set, const struct ix *e);

// listed.c: prove_written for few instances that depend on numbers alone, with quotients of sums.
// False if it does not apply, or if the answer is no.
bool listed_written(struct prover *p, const struct prove_set *read, const struct prove_write *write,
                    int n);

// cover.c: the questions of prove.h, each asked in one way.
enum prove_answer cover_none(struct prover *p, const struct prove_set *set,
                             struct prove_witness *w);
enum prove_answer cover_once(struct prover *p, const struct prove_set *set, int nequal,
                             struct prove_witness *w);
enum prove_answer cover_apart(struct prover *p, const struct prove_set *a,
                              const struct prove_set *b, int nequal, int ndiffer,
                              struct prove_witness *w);
enum prove_answer cover_whole(struct prover *p, const struct ix *const *extent, int rank,
                              const struct prove_set *set, int n, struct prove_witness *w);

// question.c
void question_init(struct question *q, struct prover *p);
void question_release(struct question *q);
// Makes "set" from "in"; its first conditions are the bounds of its variables.
void question_set(struct question *q, const struct prove_set *in, struct qset *set);
// Completes the params' space and context; called after all sets are made.
void question_close(struct question *q);
isl_aff *question_aff(struct question *q, isl_local_space *ls, struct lin e, const int *dim);
isl_basic_set *question_universe(struct question *q, int ndims);
// The same, restricted to the context of the params.
isl_basic_set *question_context(struct question *q, int ndims);
// The instances of "set" by its own dimensions, without context.
isl_basic_set *question_basic(struct question *q, struct qset *set);
// Requires that dimension "a" equals "b".
isl_basic_set *question_equal(isl_basic_set *x, int a, int b);
// Requires that "a" and "b" name the same element.
isl_basic_set *question_same(struct question *q, isl_basic_set *x, const struct qset *a,
                             const int *da, const struct qset *b, const int *db);
// The number of dimensions of the first "n" variables.
int question_dims(const struct qset *set, int n);
void question_sequence(int *dim, int n, int from);
// Whether isl has given up since prover_again; its results are then meaningless.
bool prover_gave_up(const struct prover *p);
// Whether a quick search finds an element of "x".  It may miss elements.
bool sample_found(struct session *s, isl_set *x);
// Answers whether "x" is empty: PROVE_YES, PROVE_NO with values of params and dimensions ("dim"
// NULL: without values), or PROVE_UNKNOWN.  Frees "x".
enum prove_answer question_empty(struct question *q, isl_set *x, int64_t *param, int64_t *dim);
// The value of param column "i" in "w"; false if it has none.
bool question_param(const struct question *q, int i, const struct prove_witness *w, int64_t *value);
// Expresses projected dimensions of "x" by quotients of the others.  Frees "x"; NULL if isl gave
// up.
isl_set *question_divs(struct question *q, isl_set *x);
// Returns PROVE_UNKNOWN and records the reason: a term or a limit.
enum prove_answer question_unknown(struct question *q);
// Fills "w" from values; false if they are not true of the plan.
bool question_witness(struct question *q, const int64_t *param, const int64_t *const *dim,
                      const struct qset *const *set, int nsets, struct prove_witness *w);
// Adds to "w" the element that its instance of "set" names.
void question_named(struct question *q, const struct prove_set *set, struct prove_witness *w);

// parts.c: a set, split into parts that share no dimension
struct parts {
    int of[MOST_DIMS];   // by dimension
    int out[MOST_DIMS];  // by coordinate of the element; -1: it depends on no dimension
    int cond[MOST_CONDS];
    int n;
};
void parts_find(const struct question *q, const struct qset *set, struct parts *x);
// Copies part "part" of "set" to "out", and sets "place" to the new numbers of its dimensions.
// Conditions that belong to no part are in each part.
void parts_take(struct question *q, const struct qset *set, const struct parts *x, int part,
                struct qset *out, int *place);

#endif
