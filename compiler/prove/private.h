// What the files of this module share: linear expressions over the columns of a question, before
// isl sees them.
#ifndef TCPC_PROVE_PRIVATE_H
#define TCPC_PROVE_PRIVATE_H

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

#include "prove/prove.h"

enum {
    MOST_PARAMS = 64,
    MOST_DIMS = 64,
    MOST_DIVS = 512,
    MOST_CONDS = 160,
    MOST_DIGITS = 32,
    MOST_SPLITS = 32
};

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
    int64_t constant, den;  // den 0: not affine, or too large
};

// The quotient, rounded down, of a linear expression; of the set that it was made for.
struct quotient {
    struct lin of;
    int64_t by;
};

// -- what a question is about ---------------------------------------------------------------------

// A param of a question: a symbol of the plan, a product of some, a variable of the question or a
// digit of it, or a number of which only bounds are known.
struct qparam {
    struct lay_int value;      // valid: a symbol, or a product; the column counts it in
    int64_t mul;               // multiples of this
    const struct ix_var *var;  // or this variable,
    int digit;                 // or that digit of it; -1: itself
    const struct ix *opaque;   // or this
};

// A variable as digits in mixed radix: var = sum of digit * weight, weight[0] = 1.
struct split {
    const struct ix_var *var;
    int group;  // question.group of the sets that it is for
    int n;
    struct lay_int weight[MOST_DIGITS], extent[MOST_DIGITS];
};

// A variable of a set, or a digit of it, or a number of which only bounds are known.
struct qdim {
    const struct ix_var *var;
    int digit;                // -1: the variable itself
    const struct ix *opaque;  // or this
    int place;                // of the variable in the set, -1: opaque
};

struct qset {
    int ndims;
    struct qdim dim[MOST_DIMS];
    int nconds;
    struct lin *cond;  // each at least 0
    int nouts;
    struct lin *out;
    bool exact;            // no opaque dimension
    isl_basic_set *basic;  // the instances, by its own dimensions, without context; kept
    int width;             // of their system
    // after rewriting; what a witness is described by
    struct prove_var *var;
    int nvars;
    // variables that rewriting replaced: their values by those of others
    struct replaced *replaced;
};

struct replaced {
    const struct ix_var *var;
    const struct ix *value;  // NULL: the iteration of a chain, found by its bounds
    const struct ix *begin;  // of a chain: its value is the last for which begin <= "of"
    const struct ix_var *of;
    const struct ix *first, *last;  // bounds of a chain's variable, last exclusive
    struct replaced *next;
};

struct question {
    struct prover *p;
    struct session *s;
    int nparams, nquotients, nsplits, nlemmas;
    int group;         // 0: what is looked at is of all sets; else of the one with this number
    struct qset *set;  // the one that is being made
    int nshared;  // so many of the first variables of all sets have one value in what is compared
    bool failed;  // too large
    isl_space *space;  // of the params
    isl_basic_set *context;
    // from here on question_init leaves what is there
    struct qparam param[MOST_PARAMS];
    struct quotient quotient[MOST_DIVS];
    struct split split[MOST_SPLITS];
    struct lin lemma[4 * MOST_PARAMS];  // of params; each at least 0
};

struct prover {
    struct session *s;
    isl_ctx *ctx;
    unsigned long limit;  // operations of the next question
    int width;            // of the widest system of this question
    const struct prove_promise *promise;
    int npromises;
    const char *why;
    const struct ix *term;  // the first that was not affine in this question
};

// Before another question.  Once one was given up the next ones may take a quarter of the
// operations each: most often the plan is refused by then.
void prover_again(struct prover *p);
// Begins a question.
void prover_begin(struct prover *p);
// Lets isl take "limit" operations, or fewer where numbers are wide and each takes long.
void prover_allow(struct prover *p, unsigned long limit);
// The question has a system of that width: an operation may take as long as the square of it.
void prover_widens(struct prover *p, int width);
// Why it gave up for its limit.
const char *prover_steps(const struct prover *p);

// Rows of a system: a sum that is 0 ("equal"), or at least 0.
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
    bool equal;
};
struct system {
    struct question *q;
    int ndims, ndivs, n;
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
// What is known of the params.
void system_context(struct system *y);
// The instances of "set", where its dimension i is dim[i].
void system_instances(struct system *y, const struct qset *set, const int *dim);
// What "a" names is what "b" names.
void system_same(struct system *y, const struct qset *a, const int *da, const struct qset *b,
                 const int *db);
// Dimension "a" is "b", or at least "least" more.
void system_equal(struct system *y, int a, int b);
void system_exceeds(struct system *y, int a, int b, int64_t least);
isl_basic_set *system_basic(const struct system *y);
// Adds a row, to which terms are added; NULL: there is no room.
struct system_row *system_row(struct system *y, bool equal, int64_t constant);
void system_term(struct system *y, struct system_row *r, enum col_kind kind, int at, int64_t coef);
// As many bits may the numbers get that isl computes from the system: those of a determinant.
int system_width(const struct system *y);

// never.c: whether it is seen without isl that the system has no integers: by what its equations
// leave when divided, or with "by_bounds" by what bounds its unknowns.  False: that is not known.
bool system_never(const struct system *y, bool by_bounds);

// linear.c
struct lin lin_int(struct question *q, int64_t value);
struct lin lin_add(struct question *q, struct lin a, struct lin b, int64_t times);
struct lin lin_of(struct question *q, const struct ix *e);  // in terms of q->set
struct lin lin_monomial(struct question *q, struct lay_int value);
struct lin lin_symbols(struct question *q, struct lay_int value);  // its symbols alone
struct lin lin_col(struct question *q, enum col_kind kind, int at);
struct lin lin_scale(struct question *q, struct lin a, int64_t num, int64_t den);
bool lin_ok(struct lin a);
// Adds the lemma e >= 0; "of_params": it holds whatever is asked.
void lin_at_least_0(struct question *q, bool of_params, struct lin e);
// context.c: what is known of the params of "q" that lin_of has met, as lemmas; meets others on the
// way.
void lin_context(struct question *q);

// draft.c: a set that can be changed
struct draft {
    int nvars, nconds, nouts;
    struct prove_var *var;
    const struct ix **cond, **out;
};
struct draft draft_of(struct session *s, const struct prove_set *x);
struct prove_set draft_set(const struct draft *d);
int draft_find(const struct draft *d, const struct ix_var *v);  // -1: not one of its variables
void draft_drop(struct draft *d, int at);
void draft_substitute(struct session *s, struct draft *d, const struct ix_var *v,
                      const struct ix *by);
// A variable of a set, that begins at 0.
struct ix_var *draft_var(struct session *s, const struct ix_var *like, struct lay_int end);
// Bounds of "e" over variables and what their own bounds hold, free of all variables; NULL: none is
// known.
const struct ix *draft_bound(struct session *s, const struct prove_var *var, int n,
                             const struct ix *e, bool max);
// Calls "visit" for all expressions in a set, and all that they are made of.
typedef void draft_visitor(struct question *q, const struct ix *e, void *user);
void draft_walk(struct question *q, const struct prove_set *x, draft_visitor *visit, void *user);
void draft_walk_ix(struct question *q, const struct ix *e, draft_visitor *visit, void *user);
// Whether bounds of variables other than that at "but" hold "v".
bool draft_bounds_hold(const struct draft *d, const struct ix_var *v, int but);
// Whether the two sets have the same instances, but for the names of their variables, and these
// name the same.
bool draft_alike(const struct prove_set *a, const struct prove_set *b);
// Keeps for the witness what a variable was that is no more.
void draft_replaced(struct question *q, struct qset *set, struct replaced r);
// The range of a variable when it begins at 0 and ends at a product.
bool draft_from_0(const struct prove_var *v, struct lay_int *end);

// rewrite.c
// Copies "in" to "out" with sums over grids and chains of bounds as one variable ("merge").
void rewrite_set(struct question *q, const struct prove_set *in, bool merge, struct prove_set *out,
                 struct qset *set);

// digits.c
// Has one variable that params divide, or by which bounds go, as variables for its digits; false:
// there is none.
bool rewrite_digits(struct question *q, struct draft *d, struct qset *set);
// Finds the digits of variables that are divided in the "n" sets; of loops only with "loops".
void rewrite_split(struct question *q, const struct prove_set *set, int n, bool loops);
const struct split *rewrite_find(const struct question *q, const struct ix_var *v);

// expand.c
// "n" sets that are together "x", in which quotients by params that have few values are numbers;
// false: "x" itself.
bool expand_set(struct prover *p, const struct prove_set *x, struct prove_set **out, int *n);

// radix.c
enum { RADIX_MODES = 16 };
// Copies the "n" sets to "out" with modes of what they name split in two; with "extent", the
// elements that are asked for, those of the new modes, "extents", may be more.  False: as they
// were.
bool radix_split(struct prover *p, const struct prove_set *in, int n, struct prove_set *out,
                 const struct ix *const *extent, const struct ix **extents);

// join.c
// Sets with the same instances as the "n" in "set", as few as may be; how many.
int join_sets(struct prover *p, const struct prove_set *set, int n, struct prove_set *out);
// Sets with these instances, each in one of the sets alone, and more; as few as may be.
int join_widely(struct prover *p, const struct prove_set *set, int n, struct prove_set *out);
// A set with the instances of "set" and more; false: no more.
bool join_widen(struct prover *p, const struct prove_set *set, struct prove_set *out);

// ways.c
// Whether "e" is proven to be at least 0 in all of "set".
bool prove_always(struct prover *p, const struct prove_set *set, const struct ix *e);

// cover.c: as prove.h says; each is one way to ask.
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
// Makes "set" of "in"; conditions "first" ones are those of its variables' bounds.
void question_set(struct question *q, const struct prove_set *in, struct qset *set);
// When all sets are there: the params' space and context.
void question_close(struct question *q);
isl_aff *question_aff(struct question *q, isl_local_space *ls, struct lin e, const int *dim);
isl_basic_set *question_universe(struct question *q, int ndims);
// The same where the params are as the context says.
isl_basic_set *question_context(struct question *q, int ndims);
// The instances of "set" by its own dimensions, without context.
isl_basic_set *question_basic(struct question *q, struct qset *set);
// Dimension "a" is "b".
isl_basic_set *question_equal(isl_basic_set *x, int a, int b);
// What "a" names is what "b" names.
isl_basic_set *question_same(struct question *q, isl_basic_set *x, const struct qset *a,
                             const int *da, const struct qset *b, const int *db);
// The dimensions of the first "n" variables.
int question_dims(const struct qset *set, int n);
void question_sequence(int *dim, int n, int from);
// Empty: PROVE_YES; else PROVE_NO with values of params and dimensions ("dim" NULL: without), or
// PROVE_UNKNOWN.
// Takes "x".
// Whether isl has given up since prover_again: then nothing that it returned is an answer.
bool prover_gave_up(const struct prover *p);
// Whether an element of "x" is found in a few steps; there may be one where none is found.
bool some_found(struct session *s, isl_set *x);
enum prove_answer question_empty(struct question *q, isl_set *x, int64_t *param, int64_t *dim);
// The value of the "i"-th param column in "w"; false where it has none there.
bool question_param(const struct question *q, int i, const struct prove_witness *w, int64_t *value);
// The answer PROVE_UNKNOWN, because of a term or a limit.
isl_set *question_divs(struct question *q, isl_set *x);
enum prove_answer question_unknown(struct question *q);
// Fills "w" from values; false when they are not true of the plan.
bool question_witness(struct question *q, const int64_t *param, const int64_t *const *dim,
                      const struct qset *const *set, int nsets, struct prove_witness *w);

// parts.c: a set as parts that have no dimension in common
struct parts {
    int of[MOST_DIMS];   // by dimension
    int out[MOST_DIMS];  // by what is named; -1: of no dimension
    int cond[MOST_CONDS];
    int n;
};
void parts_find(const struct question *q, const struct qset *set, struct parts *x);
// The part "part" of "set", and where its dimensions went; conditions of no part are in each.
void parts_take(struct question *q, const struct qset *set, const struct parts *x, int part,
                struct qset *out, int *place);

#endif
