// The candidates of a relayout by their numbers (see candidate.h).
#include "planner/candidate.h"

bool candidate_of(const struct relayout *r, int number, struct candidate *out, int *count) {
    struct chosen list[RELAYOUT_CANDIDATES], flats[RELAYOUT_CANDIDATES];
    bool rows = rows_choose(r, &out->rows), skewed = !rows && skew_choose(r, false, &out->skewed);
    struct line lines[LINES];
    int nlines = line_choose(r, lines);
    if (number < nlines) {
        out->form = FORM_LINE;
        out->line = lines[number];
        *count = number + 1;
        return true;
    }
    bool flattened = flat_of(r, &out->flat);
    out->in_row = !skewed && !rows && flattened && skew_choose(&out->flat.r, true, &out->skewed);
    skewed |= out->in_row;
    int found = choose(r, false, list, number + 1), place = rows || skewed ? 0 : -1;
    int flat = flattened ? choose(&out->flat.r, true, flats, number + 1) : 0;
    for (int i = 0; i < flat; ++i) flats[i].cost.total = flat_cost(&out->flat, &flats[i].cost);
    // a skewed one is the first where it costs less than all others, else the second
    if (skewed && ((found > 0 && !skew_pays(&out->skewed, &list[0].cost)) ||
                   (flat > 0 && !skew_pays(&out->skewed, &flats[0].cost))))
        place = 1;
    *count = found + flat + (place >= 0);
    if (*count > number + 1) *count = number + 1;
    if (number == place) {
        out->form = rows ? FORM_ROWS : FORM_SKEWED;
        return true;
    }
    int at = number - (place >= 0 && number > place), i = 0, k = 0;
    if (at >= found + flat) return false;
    for (;; --at) {
        bool is_flat = k < flat && (i == found || flats[k].cost.total < list[i].cost.total);
        out->form = is_flat ? FORM_FLAT : FORM_TILE;
        out->tile = is_flat ? flats[k++] : list[i++];
        if (at == 0) return true;
    }
}
