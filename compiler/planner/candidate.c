// The candidates of a relayout, by number (see candidate.h).
#include "planner/candidate.h"

// Whether a skewed candidate for the combined row comes first: if the row cannot be written by
// words.
static bool narrow_row(const struct flat *f) {
    return vector_along(&f->r, f->row, false) * bytes_of(&f->r, false) < 4;
}

int64_t candidate_cost(const struct candidate *c) {
    if (c->form == FORM_SKEWED) return skew_cost(&c->skewed);
    return c->form == FORM_TILE || c->form == FORM_FLAT ? c->tile.cost.total : 0;
}

bool candidate_of(const struct relayout *r, int number, struct candidate *out, int *count) {
    struct chosen list[RELAYOUT_CANDIDATES], flats[RELAYOUT_CANDIDATES];
    struct line lines[LINES];
    bool rows = rows_choose(r, &out->rows), skewed = !rows && skew_choose(r, false, &out->skewed);
    bool in_row = flat_of(r, &out->flat);
    out->in_row = !skewed && !rows && in_row && skew_choose(&out->flat.r, true, &out->skewed);
    skewed |= out->in_row;
    int most = number + 1, nlines = rows ? 0 : line_choose(r, lines);
    int found = choose(r, false, list, most);
    int flat = in_row ? choose(&out->flat.r, true, flats, most) : 0;
    for (int i = 0; i < flat; ++i) flats[i].cost.total = flat_cost(&out->flat, &flats[i]);
    // a skewed candidate is the first if it costs less than all others, otherwise the second
    int place = rows || skewed ? 0 : -1;
    if (skewed && ((found > 0 && skew_cost(&out->skewed) >= list[0].cost.total) ||
                   (flat > 0 && skew_cost(&out->skewed) >= flats[0].cost.total) ||
                   (out->in_row && !narrow_row(&out->flat))))
        place = 1;
    // the one after it is the same with cp.async
    struct skewed other = out->skewed;
    bool async = skewed && !out->in_row && skew_async(r, &other);
    *count = nlines + found + flat + (place >= 0) + async;
    if (*count > most) *count = most;
    if (number < nlines) {
        out->form = FORM_LINE;
        out->line = lines[number];
        return true;
    }
    number -= nlines;
    if (number == place || (async && number == place + 1)) {
        out->form = rows ? FORM_ROWS : FORM_SKEWED;
        if (number > place) out->skewed = other;
        return true;
    }
    int at = number - (place >= 0 && number > place) - async * (number > place), i = 0, k = 0;
    if (at >= found + flat) return false;
    for (;; --at) {
        bool is_flat = k < flat && (i == found || flats[k].cost.total < list[i].cost.total);
        out->form = is_flat ? FORM_FLAT : FORM_TILE;
        out->tile = is_flat ? flats[k++] : list[i++];
        if (at == 0) return true;
    }
}
