// Both sides of a copy between devices get the same parts of each mode, where the last parts of one are
// shorter.  The other side may have the mode whole: it is divided too.
#include "sema/stmt/uneven.h"

struct lay_int uneven_whole(struct sema *c, const struct tensor *t, struct lay mode) {
    for (int m = 0; m < lay_rank(t->layout); ++m)
        if (lay_equal(lay_mode(c->lay, t->layout, m), mode)) return t->spread->whole[m];
    return lay_size(c->lay, mode);
}

static struct lay_int leaf(const struct lay_tuple *t, int i) {
    return lay_is_leaf(t) ? t->leaf : t->kid[i]->leaf;
}

// Gives both sides of mode "m", whose extent is "all", the parts of the one that is cut unevenly; "even" says
// which are not.  Returns NULL, or why it cannot.
static const char *cut_alike(struct sema *c, struct lay_int all, const bool even[2],
                             struct lay mode[2], struct uneven *u) {
    int cut = even[0];
    const struct lay_tuple *shape = mode[cut].shape;
    bool fits = shape->rank == 2;
    for (int i = 0; i < 2; ++i)
        fits &= even[i] ? lay_is_leaf(mode[i].shape) : lay_tuple_equal(mode[i].shape, shape);
    if (!fits)
        return "the numbers of parts that its sides cut a mode into do not divide each other";
    *u = (struct uneven){.each = leaf(shape, 0), .all = all, .parts = leaf(shape, 1).num};
    for (int i = 0; i < 2; ++i) {
        u->stride[i] = leaf(mode[i].stride, 0);
        u->apart[i] =
            even[i] ? lay_int_mul(c->lay, u->stride[i], u->each) : leaf(mode[i].stride, 1);
        const struct lay_tuple *d[2] = {lay_leaf(c->lay, u->stride[i]),
                                        lay_leaf(c->lay, u->apart[i])};
        mode[i] = lay_make(c->lay, shape, lay_tuple(c->lay, 2, d));
    }
    return NULL;
}

const char *uneven_sides(struct sema *c, const struct copy *y, struct lay side[2],
                         struct uneven list[MESH_CUTS], int *count) {
    const struct view *v[2] = {&y->src, &y->dst};
    struct lay all[2][LAY_MAX_RANK];
    int n = lay_rank(y->src.layout);
    for (int m = 0; m < n; ++m) {
        struct lay mode[2];
        bool even[2];
        struct lay_int whole = LAY_INT_INVALID;
        for (int i = 0; i < 2; ++i) {
            mode[i] = lay_mode(c->lay, v[i]->layout, m);
            whole = uneven_whole(c, v[i]->base, mode[i]);
            even[i] = lay_int_equal(whole, lay_size(c->lay, mode[i]));
        }
        if (!even[0] || !even[1]) {  // an axis cuts one mode of each side
            const char *why = cut_alike(c, whole, even, mode, &list[(*count)++]);
            if (why) return why;
        }
        for (int i = 0; i < 2; ++i) all[i][m] = mode[i];
    }
    for (int i = 0; i < 2; ++i) side[i] = lay_join(c->lay, n, all[i]);
    return NULL;
}
