// The forms of a plan for a relayout, and the candidates of all forms.
#ifndef TCPC_PLANNER_FORM_H
#define TCPC_PLANNER_FORM_H

#include "planner/flat.h"
#include "planner/line.h"
#include "planner/rows.h"
#include "planner/runs.h"
#include "planner/shift.h"
#include "planner/skew.h"
#include "planner/text.h"
#include "planner/torn.h"

struct candidate {
    const struct form *form;
    int threads;
    int64_t cost;  // predicted; 0: it cannot be compared with others
    bool in_row;   // the destination is that of "row", with several modes as one
    union {
        struct chosen tile;  // of the relayout, or if in_row of "row"
        struct skewed skewed;
        struct rows rows;
        struct runs runs;
        struct shifted shifted;
        struct line line;
        struct torn torn;
    };
};

struct candidates {
    const struct relayout *r;
    int most;         // so many of a form are enough
    struct flat row;  // the modes that may be one row in the destination
    bool has_row;
    int n;
    struct candidate of[RELAYOUT_CANDIDATES];  // the first ones
};
// The cost of a tile or flat candidate, with the work of its accesses; otherwise 0.
int64_t candidates_work(const struct candidates *list, const struct candidate *c);
// Adds a candidate at place "at", or at the end if there are fewer.
void candidates_add(struct candidates *list, int at, const struct candidate *c);

// A row of the table of forms (forms.c).
struct form {
    // Adds those of its candidates that suit list->r, with their costs.
    void (*choose)(struct candidates *list);
    // Returns the holes of the templates for a candidate.  Those of "kernel" in write.c have other
    // names; <threads> in "grid" and "body" is candidate.threads.
    const struct hole *(*holes)(const struct text *t);
    // Sets "out" to the side as the kernel declares it; NULL: as it is given.
    void (*side)(const struct text *t, bool src, struct relayout *out);
    // Templates: a line that distinguishes a candidate from others, the reasons for it as comments,
    // the extents of the grid, and the statements.
    const char *how, *reasons, *grid, *body;
};
extern const struct form form_tile, form_flat, form_line, form_rows, form_runs, form_shift,
    form_skew, form_torn, form_index, form_empty;

// Sets "out" to candidate "number" of "r", which is less than RELAYOUT_CANDIDATES, and "*row" to
// its row of modes, if it has one.  False if there are not so many.  Sets "*count" to their number,
// at most "number" + 1.
bool candidate_of(const struct relayout *r, int number, struct candidate *out, struct flat *row,
                  int *count);

// Like relayout_cases.  If count[i] > 0, of[i] and row[i] are candidate 0 of list[i].
int cases_of(struct session *s, const struct relayout *r, struct relayout list[RELAYOUT_CASES],
             struct candidate of[RELAYOUT_CASES], struct flat row[RELAYOUT_CASES],
             int count[RELAYOUT_CASES]);

#endif
