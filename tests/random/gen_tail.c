// Tiles that do not divide: the last of several reaches beyond the tensor, or the only one beyond
// what is copied.
#include "gen_private.h"

static int elements_of(const struct tiled *t, int elem_bits) {
    return t->exact ? t->bits / elem_bits : 1;
}

// What the extent of mode "m" must be a multiple of, where each access is guarded.
static int64_t multiple_of(const struct kernel *k, int m) {
    int64_t a = k->a.along == m ? elements_of(&k->a, k->elem_bits) : 1;
    int64_t b = k->b.along == m ? elements_of(&k->b, k->elem_bits) : 1;
    return a > b ? a : b;
}

// Makes the view smaller than a tile of the copies in some modes.
void choose_small(struct gen *g, struct kernel *k) {
    for (int i = 0; i < k->rank; ++i) {
        int64_t unit = multiple_of(k, i);
        if (k->tile[i] == unit || !percent(g, 60)) continue;
        int64_t fewer = unit * (1 + below(g, (int)(k->tile[i] / unit)));
        k->tile[i] = fewer;
        k->small[i] = true;
    }
    k->a.once = k->b.once = false;
}

// Chooses how many elements the last tile of each mode has.  Where a mode has one tile, which is
// not whole, no tile is, and exact accesses need an extent that they divide.
void choose_extents(struct gen *g, struct kernel *k) {
    bool whole = true, compact = false;  // layouts with params in them are compact
    int64_t left[MAX_RANK];
    for (int i = 0; i < k->rank; ++i) {
        left[i] = k->tile[i];
        compact |= k->axis[i].param[0] != 0;
        if (k->tails && !k->axis[i].param[0] && percent(g, 65))
            left[i] = 1 + below(g, (int)k->tile[i]);
        if (left[i] < k->tile[i] && k->axis[i].tiles == 1) whole = false;
    }
    for (int i = 0; i < k->rank; ++i) {
        int64_t unit = multiple_of(k, i);
        if (!whole || compact || percent(g, 40)) left[i] = (left[i] + unit - 1) / unit * unit;
        k->axis[i].extent = k->tile[i] * (k->axis[i].tiles - 1) + left[i];
    }
}
