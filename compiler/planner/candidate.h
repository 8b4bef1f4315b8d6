// The candidates of a relayout, by number: tiles in the order of their costs, with the forms for
// special cases among them.
#ifndef TCPC_PLANNER_CANDIDATE_H
#define TCPC_PLANNER_CANDIDATE_H

#include "planner/flat.h"
#include "planner/line.h"
#include "planner/rows.h"
#include "planner/skew.h"

enum form { FORM_TILE, FORM_SKEWED, FORM_ROWS, FORM_FLAT, FORM_LINE };

struct candidate {
    enum form form;
    struct chosen tile;    // FORM_TILE, FORM_FLAT
    struct flat flat;      // FORM_FLAT
    struct skewed skewed;  // FORM_SKEWED
    bool in_row;           // FORM_SKEWED: for the modes that "flat" combines into a row
    struct rows rows;      // FORM_ROWS
    struct line line;      // FORM_LINE
};

// Sets "out" to candidate "number", which is less than RELAYOUT_CANDIDATES.  False if there are not
// so many.  Sets "*count" to their number, at most "number" + 1.
bool candidate_of(const struct relayout *r, int number, struct candidate *out, int *count);

// What "c" is predicted to cost; 0: its form has no cost that others can be compared with.
int64_t candidate_cost(const struct candidate *c);

// Like relayout_cases.  If "*count" > 0, "*best" is candidate 0 of "r", and "r" is the only case if
// there is just one.
int cases_of(struct session *s, const struct relayout *r, struct relayout list[RELAYOUT_CASES],
             struct candidate *best, int *count);

#endif
