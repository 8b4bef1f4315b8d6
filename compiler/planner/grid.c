// The tile of a block: the axes of the grid and their digits.
#include "planner/private.h"

enum { MOST_BLOCKS = 65535 };  // along the second and the third axis

static bool at_run_time(const struct relayout *r, int m) {
    return lay_int_valid(r->mode[m].run[RELAYOUT_EXTENT]);
}

bool is_tiled(const struct relayout *r, const struct choice *c, int m) {
    return most_tiles(r, c, m) > 1;
}

int64_t most_tiles(const struct relayout *r, const struct choice *c, int m) {
    int64_t lo, hi;
    lay_int_range(exactly(&r->mode[m], RELAYOUT_EXTENT), &lo, &hi);
    return hi / c->tile[m] + (hi % c->tile[m] != 0);
}

// The least number of tiles along mode "m" for any params.
static int64_t least_tiles(const struct relayout *r, const struct choice *c, int m) {
    int64_t lo, hi;
    lay_int_range(exactly(&r->mode[m], RELAYOUT_EXTENT), &lo, &hi);
    return lo / c->tile[m] + (lo % c->tile[m] != 0);
}

bool axes_of(const struct relayout *r, const struct choice *c, struct axes *g) {
    int order[RELAYOUT_MODES], last = -1, first = -1, behind = 0, many = 0;
    int64_t blocks = 1;
    *g = (struct axes){0};
    order_of(r, c->grid.by_src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (!is_tiled(r, c, m) || !at_run_time(r, m)) continue;
        // the first axis allows the most blocks
        bool must = least_tiles(r, c, m) > MOST_BLOCKS;
        if (must || (many == 0 && (first < 0 || most_tiles(r, c, m) > most_tiles(r, c, first))))
            first = m;
        many += must;
        last = i;
        ++g->axes;
    }
    if (g->axes > AXES || many > 1) return false;
    // modes with a known number of tiles that are slower than all others get an axis of their own
    for (int i = last + 1; last >= 0 && i < r->rank; ++i)
        if (is_tiled(r, c, order[i]) &&
            __builtin_mul_overflow(blocks, tiles_along(r, c, order[i]), &blocks))
            blocks = INT64_MAX;
    bool own = g->axes < AXES && blocks > 1 && blocks <= MOST_BLOCKS;
    int axis = 0;
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (!is_tiled(r, c, m)) continue;
        if (at_run_time(r, m)) {
            if (m != first) g->digit[++axis][0] = m, g->digits[axis] = 1;
        } else if (own && i > last) {
            g->digit[g->axes][behind++] = m;
        } else {
            g->digit[0][g->digits[0]++] = m;
        }
    }
    // the digit given by params is the last one of an axis
    if (first >= 0) g->digit[0][g->digits[0]++] = first;
    if (own) g->digits[g->axes++] = behind;
    if (g->axes == 0) g->axes = 1;
    return true;
}
