// The table of forms, and the candidates of a relayout by number: tiles in the order of their
// costs, with the forms for special cases among them.
#include <string.h>

#include "base/session.h"
#include "planner/form.h"

// Each form adds to what those before it have found.
static const struct form *const forms[] = {&form_tile, &form_flat, &form_line,  &form_rows,
                                           &form_skew, &form_runs, &form_shift, &form_torn};

void candidates_add(struct candidates *list, int at, const struct candidate *c) {
    if (at > list->n) at = list->n;
    if (at == RELAYOUT_CANDIDATES) return;
    if (list->n < RELAYOUT_CANDIDATES) ++list->n;
    memmove(&list->of[at + 1], &list->of[at], sizeof *c * (size_t)(list->n - 1 - at));
    list->of[at] = *c;
}

bool candidate_of(const struct relayout *r, int number, struct candidate *out, struct flat *row,
                  int *count) {
    struct candidates *list = memory_new(sizeof *list);  // too large for a stack
    list->r = r;
    list->most = number + 1;
    list->n = 0;
    bool tiles = r->several || r->sw[0].b || r->sw[1].b;
    for (int i = 0; i < r->rank; ++i) tiles |= r->mode[i].back;
    list->has_row = !r->index && !tiles && flat_of(r, &list->row);
    bool empty = r->index && r->index->rank[1] && lay_int_is(r->index->extent[1][0], 0);
    if (r->index || tiles)  // the other forms have windows and rows of memory that go forwards
        (empty ? &form_empty : r->index ? &form_index : &form_tile)->choose(list);
    else
        for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) forms[i]->choose(list);
    *count = list->n < list->most ? list->n : list->most;
    bool there = number < list->n;
    if (there) *out = list->of[number];
    if (there && out->in_row) *row = list->row;
    memory_free(list);
    return there;
}

// -- what is said of them -------------------------------------------------------------------------

int relayout_candidates(const struct relayout *r) {
    struct candidate c;
    struct flat row;
    int n;
    candidate_of(r, RELAYOUT_CANDIDATES - 1, &c, &row, &n);
    return n;
}

const char relayout_too_slow[] =
    "its best plans are refused, and no other is predicted to be nearly as fast";

enum { MOST_LOSS = 30 };

int relayout_loss(struct session *s, const struct relayout *r) {
    if (!r->fallback) return 0;
    struct relayout *list = ARENA_ARRAY(&s->arena, struct relayout, RELAYOUT_CASES);
    struct candidate best, other;
    struct flat row;
    int found, cases = relayout_cases(s, r, list), loss = 0;
    for (int i = 0; i < cases; ++i) {
        int number = r->fallback->candidate[i];
        if (number == 0) continue;
        if (number >= RELAYOUT_CANDIDATES || !candidate_of(&list[i], 0, &best, &row, &found) ||
            !candidate_of(&list[i], number, &other, &row, &found))
            return -1;
        int64_t least = best.cost / 100, most = other.cost;
        if (least < 1 || most < 1 || most / least - 100 > MOST_LOSS) return -1;
        if (most / least - 100 > loss) loss = (int)(most / least - 100);
    }
    return loss;
}
