// The candidates of a relayout by their numbers (see candidate.h).
#include "planner/candidate.h"

bool candidate_of(const struct relayout *r, int number, struct candidate *out, int *count) {
    struct chosen list[RELAYOUT_CANDIDATES];
    bool rows = rows_choose(r, &out->rows), skewed = !rows && skew_choose(r, &out->skewed);
    int found = choose(r, list, number + 1), place = rows || skewed ? 0 : -1;
    // a skewed one is the first where it costs less than all others, else the second
    if (skewed && found > 0 && !skew_pays(&out->skewed, &list[0].cost)) place = 1;
    // and the one behind it is the same by cp.async
    struct skewed other = out->skewed;
    bool async = skewed && skew_async(r, &other);
    *count = found + (place >= 0) + async;
    if (*count > number + 1) *count = number + 1;
    if (number == place || (async && number == place + 1)) {
        out->form = rows ? FORM_ROWS : FORM_SKEWED;
        if (number > place) out->skewed = other;
        return true;
    }
    int at = number - (place >= 0 && number > place) - async * (number > place);
    if (at >= found) return false;
    out->form = FORM_TILE;
    out->tile = list[at];
    return true;
}
