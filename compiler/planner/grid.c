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

bool is_divisor(const struct relayout *r, const struct choice *c, int m) {
    return least_tiles(r, c, m) > 0;
}

// Whether mode "a" rather than "b" shares the first axis with others: it has too many tiles for
// another one, or has a number of tiles to divide by.
static bool folds_before(const struct relayout *r, const struct choice *c, int a, int b) {
    bool many_a = least_tiles(r, c, a) > MOST_BLOCKS, many_b = least_tiles(r, c, b) > MOST_BLOCKS;
    if (many_a != many_b) return many_a;
    return is_divisor(r, c, a) && !is_divisor(r, c, b);
}

void axes_of(const struct relayout *r, const struct choice *c, struct axes *g) {
    int order[RELAYOUT_MODES], open[RELAYOUT_MODES], last = -1, first = -1, behind = 0, n = 0;
    int alone = 0;
    int64_t blocks = 1;
    *g = (struct axes){0};
    order_of(r, c->grid.by_src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (!is_tiled(r, c, m) || !at_run_time(r, m)) continue;
        // the first axis allows the most blocks
        bool must = least_tiles(r, c, m) > MOST_BLOCKS;
        bool has = first >= 0 && least_tiles(r, c, first) > MOST_BLOCKS;
        if (first < 0 || (must != has ? must : most_tiles(r, c, m) > most_tiles(r, c, first)))
            first = m;
        last = i;
        open[n++] = m;
    }
    // of the others two may have an axis of their own; those before them share the first axis
    for (int i = 0; i < n; ++i)
        for (int j = i; j > 0 && folds_before(r, c, open[j], open[j - 1]); --j) {
            int m = open[j];
            open[j] = open[j - 1];
            open[j - 1] = m;
        }
    bool own_axis[RELAYOUT_MODES] = {false};
    for (int i = n - 1; i >= 0 && alone < (r->pieces ? AXES - 2 : AXES - 1); --i)
        if (open[i] != first && least_tiles(r, c, open[i]) <= MOST_BLOCKS)
            own_axis[open[i]] = true, ++alone;
    g->axes = n > 0 ? 1 + alone : 0;
    // modes with a known number of tiles that are slower than all others get an axis of their own
    for (int i = last + 1; last >= 0 && i < r->rank; ++i)
        if (is_tiled(r, c, order[i]) &&
            __builtin_mul_overflow(blocks, tiles_along(r, c, order[i]), &blocks))
            blocks = INT64_MAX;
    bool own = !r->several && g->axes < AXES && blocks > 1 && blocks <= MOST_BLOCKS;
    int axis = 0;
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (!is_tiled(r, c, m) || m == first) continue;
        if (own_axis[m])
            g->digit[++axis][0] = m, g->digits[axis] = 1;
        else if (own && i > last)
            g->digit[g->axes][behind++] = m;
        else
            g->digit[0][g->digits[0]++] = m;
    }
    // the digit with the most tiles is the last one of the first axis
    if (first >= 0) g->digit[0][g->digits[0]++] = first;
    if (own) g->digits[g->axes++] = behind;
    if (g->axes == 0) g->axes = 1;
}
