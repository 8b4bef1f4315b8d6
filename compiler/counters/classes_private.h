// What the files of the classes of blocks share.
#ifndef TCPC_COUNTERS_CLASSES_PRIVATE_H
#define TCPC_COUNTERS_CLASSES_PRIVATE_H

#include "counters/classes.h"
#include "index/ix.h"

enum { MOST_TERMS = 32 };

// A sum of times * atom over atoms that depend only on the block, plus a number.
struct part {
    int n;
    struct {
        int64_t times;
        const struct ix *atom;
    } term[MOST_TERMS];
    int64_t number;
};

// One property that distinguishes classes of blocks.
struct fact {
    enum { REMAINDER, EXACT, BETWEEN, WAYS } is;
    struct part of;
    int64_t modulus;    // REMAINDER
    int64_t lo, hi;     // BETWEEN: values below lo count as lo, values above hi as hi
    struct fact *cond;  // WAYS: list of BETWEEN; lo: holds for all threads, hi: for none
    bool others;        // WAYS: there are other conditions, which do not depend on the block
    struct fact *body, *otherwise;  // WAYS
    struct fact *next;
};

// A definition of a variable.
struct definition {
    const struct ix *e, *step;  // step: added in each iteration, or a loop's end; or NULL
    struct definition *next;
};

struct classes {
    struct session *s;
    const struct kir_kernel *k;
    const int64_t *sym;
    struct definition **given;    // by ix_var.id
    char *state;                  // by ix_var.id: whether it depends on the block
    int64_t *value;               // by ix_var.id, of the block's coordinates and "let"
    const struct kir_node **let;  // those that depend on nothing else, in textual order
    int nlets;
    bool *of_block;  // by ix_var.id: whether it is one of them
    struct fact *first, **end;
    int64_t period[3];
    int deep;
    bool failed;
};

// Sets x->period by the facts in "list".
void classes_find_periods(struct classes *x, const struct fact *list);

#endif
