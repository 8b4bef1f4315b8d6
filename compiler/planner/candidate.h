// The candidates of a relayout by their numbers: tiles in the order of their costs, and among them
// the form for rows that begin at any element, where there is one.
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
    bool in_row;           // FORM_SKEWED: of what "flat" put in a row
    struct rows rows;      // FORM_ROWS
    struct line line;      // FORM_LINE
};

// Candidate "number", which is less than RELAYOUT_CANDIDATES.  False where there are not so many.
// "*count" is how many there are, up to "number" + 1.
bool candidate_of(const struct relayout *r, int number, struct candidate *out, int *count);

// relayout_cases.  "*count" is more than 0 where "*best" is candidate 0 of "r", and the only case
// is "r" where there is one.
int cases_of(struct session *s, const struct relayout *r, struct relayout list[RELAYOUT_CASES],
             struct candidate *best, int *count);

#endif
