// Makes views, slices them, and maps them by layout functions.
#include "plan/view.h"

#include "base/session.h"

// "t" with the strides 1@0, 1@1, .. for its leaves.
static const struct lay_tuple *identity(struct session *s, const struct lay_tuple *t, int *next) {
    if (lay_is_leaf(t)) {
        int mode = (*next)++;
        return lay_leaf(&s->lay, lay_int_basis(&s->lay, lay_int(1), 1, &mode));
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < t->rank; ++i) kid[i] = identity(s, t->kid[i], next);
    return lay_tuple(&s->lay, t->rank, kid);
}

struct lay view_identity(struct session *s, const struct view *v) {
    if (!lay_valid(v->layout)) return v->layout;
    int next = 0;
    return lay_make(&s->lay, v->layout.shape, identity(s, v->layout.shape, &next));
}

static bool is_one(struct lay_int extent) {
    return lay_int_is(extent, 1);
}

static void trim(struct session *s, const struct lay_tuple **shape,
                 const struct lay_tuple **stride) {
    const struct lay_tuple *a = *shape, *b = *stride, *size[LAY_MAX_RANK], *step[LAY_MAX_RANK];
    if (lay_is_leaf(a) || a->rank == 0) return;
    int n = a->rank;
    while (n > 1 && lay_tuple_all(a->kid[n - 1], is_one)) --n;
    for (int i = 0; i < n; ++i) {
        size[i] = a->kid[i];
        step[i] = b->kid[i];
    }
    trim(s, &size[n - 1], &step[n - 1]);
    *shape = n == 1 ? size[0] : lay_tuple(&s->lay, n, size);
    *stride = n == 1 ? step[0] : lay_tuple(&s->lay, n, step);
}

struct lay view_trimmed(struct session *s, struct lay l) {
    if (!lay_valid(l) || lay_is_leaf(l.shape)) return l;
    const struct lay_tuple *shape[LAY_MAX_RANK], *stride[LAY_MAX_RANK];
    for (int i = 0; i < l.shape->rank; ++i) {
        shape[i] = l.shape->kid[i];
        stride[i] = l.stride->kid[i];
        trim(s, &shape[i], &stride[i]);
    }
    struct lay t = lay_make(&s->lay, lay_tuple(&s->lay, l.shape->rank, shape),
                            lay_tuple(&s->lay, l.shape->rank, stride));
    t.offset = l.offset;
    t.sw = l.sw;
    t.composed = l.composed;
    return t;
}

struct view view_of_tensor(struct session *s, struct tensor *t, struct range at) {
    struct view v = {.base = t, .layout = t->layout, .names = t->names, .at = at};
    v.offset = ix_int(s, 0);
    v.coord = lay_layout_invalid();
    if (!lay_valid(t->layout)) return v;
    v.offset = ix_lay(s, t->layout.offset);
    v.layout.offset = lay_int(0);
    if (t->space == MEM_FRAG) return v;
    int n = lay_tuple_leaves(t->layout.shape);
    const struct ix **off = ARENA_ARRAY(&s->arena, const struct ix *, n ? n : 1);
    for (int i = 0; i < n; ++i) off[i] = ix_int(s, 0);
    v.coord_off = off;
    v.coord = view_identity(s, &v);
    return v;
}

// -- mapping --------------------------------------------------------------------------------------

static void leaves(const struct lay_tuple *t, struct lay_int *out, int *n) {
    if (lay_is_leaf(t)) {
        out[(*n)++] = t->leaf;
        return;
    }
    for (int i = 0; i < t->rank; ++i) leaves(t->kid[i], out, n);
}

static bool has_leaf(const struct leaf_set *x, int i) {
    return x->word[i / 64] >> i % 64 & 1;
}

static void add_leaf(struct leaf_set *x, int i) {
    x->word[i / 64] |= (uint64_t)1 << i % 64;
}

// Whether "v" goes to its end along mode "mode" of its tensor in single steps.
static bool goes_to_end(struct session *s, const struct view *v, int mode) {
    struct lay_int extent[LAY_MAX_LEAVES], step[LAY_MAX_LEAVES];
    int n = 0, k = 0;
    leaves(v->coord.shape, extent, &n);
    leaves(v->coord.stride, step, &k);
    for (int i = 0; i < n; ++i)
        if (step[i].basis == mode && view_leaf_is_whole(s, v, extent[i], step[i])) return true;
    return false;
}

void view_counts_tiles(struct session *s, const struct view *of, struct view *v, int from,
                       int end) {
    struct lay_int step[LAY_MAX_LEAVES];
    int n = 0;
    if (!lay_valid(of->coord) || !lay_valid(v->coord)) return;
    leaves(v->coord.stride, step, &n);
    for (int i = from; i < end && i < n; ++i)
        if (step[i].num != 0 && goes_to_end(s, of, step[i].basis)) add_leaf(&v->tiles, i);
}

// Marks leaves of the strides "t" that count tiles: those along a leaf of "old" that does.  "*leaf"
// is the number of the next leaf.  A leaf of stride 0 gives no answer; one along a leaf that counts
// tiles is enough.
static void map_tiles(const struct lay_tuple *t, const struct leaf_set *old, int *leaf,
                      struct leaf_set *out) {
    int path[LAY_MAX_RANK];
    for (int i = 0; !lay_is_leaf(t) && i < t->rank; ++i) map_tiles(t->kid[i], old, leaf, out);
    if (!lay_is_leaf(t)) return;
    int i = (*leaf)++;
    bool any = false;
    for (int k = 0; k < LAY_MAX_LEAVES / 64; ++k) any |= old->word[k] != 0;
    if (t->leaf.num == 0 ? any : lay_int_basis_path(t->leaf, path) == 1 && has_leaf(old, path[0]))
        add_leaf(out, i);
}

// "t" with each stride k@i replaced by k * by[i].
static const struct lay_tuple *substitute(struct session *s, const struct lay_tuple *t,
                                          const struct lay_int *by, int n) {
    if (lay_is_leaf(t)) {
        struct lay_int k = t->leaf;
        if (k.num == 0) return lay_leaf(&s->lay, lay_int(0));
        int path[3];
        if (lay_int_basis_path(k, path) != 1 || path[0] >= n)
            BUG("the stride %s of a view's map", lay_int_text(&s->lay, k));
        struct lay_int to = by[path[0]];
        k.basis = -1;
        if (to.basis < 0) return lay_leaf(&s->lay, lay_int_mul(&s->lay, k, to));
        int mode = to.basis;
        to.basis = -1;
        struct lay_int scale = lay_int_mul(&s->lay, k, to);
        return lay_leaf(&s->lay, lay_int_basis(&s->lay, scale, 1, &mode));
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < t->rank; ++i)
        if (!(kid[i] = substitute(s, t->kid[i], by, n))) return NULL;
    return lay_tuple(&s->lay, t->rank, kid);
}

struct view view_map(struct session *s, struct view v, struct lay f, struct range at) {
    struct lay_int by[LAY_MAX_LEAVES];
    int n = 0;
    v.at = at;
    v.names = NULL;
    v.partitioned = NULL;
    v.sliced = NULL;
    v.divided = NULL;
    if (!lay_valid(v.layout) || !lay_valid(f)) {
        v.layout = lay_layout_invalid();
        return v;
    }
    leaves(v.layout.stride, by, &n);
    struct lay old = v.layout;
    struct leaf_set tiles = {{0}};
    map_tiles(f.stride, &v.tiles, &(int){0}, &tiles);
    v.tiles = tiles;
    v.layout = lay_make(&s->lay, f.shape, substitute(s, f.stride, by, n));
    v.layout.sw = old.sw;
    v.layout.composed = old.composed;
    if (!lay_valid(v.coord)) return v;
    n = 0;
    leaves(v.coord.stride, by, &n);
    v.coord = lay_make(&s->lay, f.shape, substitute(s, f.stride, by, n));
    return v;
}

struct view view_divide(struct session *s, struct view v, struct lay f, struct lay on,
                        struct range at) {
    struct view next = view_map(s, v, on, at);
    if (!lay_valid(next.coord)) return next;
    struct view made = view_map(s, v, f, at);
    made.coord = next.coord;
    return made;
}

// -- slicing --------------------------------------------------------------------------------------

const struct ix *view_crd2idx(struct session *s, const struct ix *i, const struct lay_tuple *shape,
                              const struct lay_tuple *stride) {
    if (!i) return NULL;
    if (lay_is_leaf(shape)) return ix_scale(s, i, stride->leaf);
    const struct ix *sum = ix_int(s, 0);
    for (int m = 0; m < shape->rank && sum; ++m) {
        struct lay_int size = lay_tuple_product(&s->lay, shape->kid[m]);
        const struct ix *in = i;
        if (m + 1 < shape->rank) {
            int64_t lo, hi;
            if (!lay_int_valid(size)) return NULL;
            lay_int_range(size, &lo, &hi);
            if (lo <= 0) return NULL;
            in = ix_mod(s, i, size);
            i = ix_div(s, i, size);
        }
        sum = ix_add(s, sum, view_crd2idx(s, in, shape->kid[m], stride->kid[m]));
    }
    return sum;
}

struct slicer {
    struct session *s;
    struct view *v;
    const struct ix **coord_off;
    int ncoord;
    const char *error;
    // the modes that stay
    const struct lay_tuple *shape[LAY_MAX_RANK], *stride[LAY_MAX_RANK], *coord[LAY_MAX_RANK];
    int n;
    int leaf, nkept;       // leaves visited so far, and how many of them are in kept modes
    struct leaf_set kept;  // those kept leaves that count tiles
};

// Requires that coordinate "i" is inside its mode.  If the last leaf counts tiles, it may be
// beyond.
static void bound_slice(struct slicer *z, const struct ix *i, const struct lay_tuple *shape,
                        const struct lay_tuple *coord) {
    struct session *s = z->s;
    struct lay_int size = lay_tuple_product(&s->lay, shape);
    const struct ix *room = NULL;
    int leaves = lay_tuple_leaves(shape);  // 0: a mode "()"
    if (leaves > 0 && has_leaf(&z->v->tiles, z->leaf + leaves - 1)) size = LAY_INT_INVALID;
    if (lay_int_valid(size)) {
        room = ix_sub(s, ix_sub(s, ix_lay(s, size), ix_int(s, 1)), i);
        if (room && ix_provably_nonnegative(s, room)) size = LAY_INT_INVALID;
    }
    if (!lay_int_valid(size) && ix_provably_nonnegative(s, i)) return;
    struct slice_bound *b = ARENA_NEW(&s->arena, struct slice_bound);
    bool of_tensor = coord && lay_is_leaf(shape) && !z->v->limit &&
                     view_leaf_is_whole(s, z->v, shape->leaf, coord->leaf);
    *b = (struct slice_bound){i, size, of_tensor, NULL, RANGE_BEGIN, 0, z->v->bounds};
    z->v->bounds = b;
}

// Adds coordinate "i" of a complete mode to the tensor's coordinates.
static bool add_coord(struct slicer *z, const struct ix *i, const struct lay_tuple *shape,
                      const struct lay_tuple *stride) {
    struct session *s = z->s;
    if (!i) return false;
    if (lay_is_leaf(shape)) {
        struct lay_int k = stride->leaf;
        if (k.num == 0) return true;
        int mode = k.basis;
        if (mode < 0 || mode >= z->ncoord) BUG("mode %d of a view's coordinate", mode);
        k.basis = -1;
        z->coord_off[mode] = ix_add(s, z->coord_off[mode], ix_scale(s, i, k));
        return z->coord_off[mode] != NULL;
    }
    for (int m = 0; m < shape->rank; ++m) {
        const struct ix *in = i;
        if (m + 1 < shape->rank) {
            struct lay_int size = lay_tuple_product(&s->lay, shape->kid[m]);
            in = ix_mod(s, i, size);
            i = ix_div(s, i, size);
        }
        if (!add_coord(z, in, shape->kid[m], stride->kid[m])) return false;
    }
    return true;
}

// "stride", with the stride to the next tile for a mode of one tile: "stride" has 0 there, but the
// tensor's coordinate "coord" continues.
static const struct lay_tuple *next_tiles(struct slicer *z, const struct lay_tuple *shape,
                                          const struct lay_tuple *stride,
                                          const struct lay_tuple *coord) {
    struct lay_ctx *x = &z->s->lay;
    if (lay_is_leaf(shape)) {
        struct lay_int k = coord->leaf;
        if (!lay_int_is(shape->leaf, 1) || stride->leaf.num != 0 || k.num == 0) return stride;
        const struct lay_tuple *of = lay_tuple_flatten(x, z->v->base->layout.stride);
        struct lay_int step = lay_tuple_get(x, of, k.basis)->leaf;
        k.basis = -1;
        return lay_leaf(x, lay_int_mul(x, k, step));
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < shape->rank; ++i)
        if (!(kid[i] = next_tiles(z, shape->kid[i], stride->kid[i], coord->kid[i]))) return NULL;
    return lay_tuple(x, shape->rank, kid);
}

// Whether "i", which is always 0, selects the only tile of a mode; then nothing depends on it.
// False for a mode of the tensor itself, whose uses may depend on it.
static bool is_of_one_tile(const struct ix *i, const struct lay_tuple *shape,
                           const struct lay_tuple *coord) {
    if (i->lo != 0 || i->hi != 0 || !coord || !lay_tuple_all(shape, is_one)) return false;
    for (; !lay_is_leaf(shape) && shape->rank > 0; shape = shape->kid[shape->rank - 1])
        coord = coord->kid[coord->rank - 1];  // the last leaf continues the coordinate
    return lay_is_leaf(coord) && coord->leaf.num != 1;
}

static bool slice(struct slicer *z, const struct coord *c, const struct lay_tuple *shape,
                  const struct lay_tuple *stride, const struct lay_tuple *coord) {
    struct session *s = z->s;
    if (c->rank < 0 && !c->ix) {
        if (z->n == LAY_MAX_RANK) {
            z->error = "too many modes stay";
            return false;
        }
        for (int i = lay_tuple_leaves(shape); i > 0; --i, ++z->leaf, ++z->nkept)
            if (has_leaf(&z->v->tiles, z->leaf)) add_leaf(&z->kept, z->nkept);
        z->shape[z->n] = shape;
        z->stride[z->n] = stride;
        z->coord[z->n++] = coord;
        return true;
    }
    if (c->rank < 0) {
        struct lay_int size = lay_tuple_product(&s->lay, shape);
        int64_t n, lo = c->ix->lo;
        if ((c->ix->hi < 0 || (lay_int_static(size) && (n = size.num, lo >= n))) &&
            !ix_is_never(c->ix)) {
            bool tiles = coord && lay_is_leaf(coord) && coord->leaf.num != 1;
            z->error =
                tiles ? arena_printf(&s->arena,
                                     "tile '%s' is outside: along this mode there %s %s tile%s, "
                                     "counted from 0",
                                     ix_text(s, c->ix), lay_int_is(size, 1) ? "is" : "are",
                                     lay_int_text(&s->lay, size), lay_int_is(size, 1) ? "" : "s")
                      : arena_printf(&s->arena, "'%s' is outside a mode of extent %s",
                                     ix_text(s, c->ix), lay_int_text(&s->lay, size));
            return false;
        }
        bound_slice(z, c->ix, shape, coord);
        z->leaf += lay_tuple_leaves(shape);
        if (is_of_one_tile(c->ix, shape, coord)) return true;
        const struct lay_tuple *step = coord ? next_tiles(z, shape, stride, coord) : stride;
        z->v->offset = step ? ix_add(s, z->v->offset, view_crd2idx(s, c->ix, shape, step)) : NULL;
        if (!z->v->offset || (coord && !add_coord(z, c->ix, shape, coord))) {
            z->error = arena_printf(&s->arena, "the offset of '%s' cannot be formed in mode %s:%s",
                                    ix_text(s, c->ix), lay_tuple_text(&s->lay, shape),
                                    lay_tuple_text(&s->lay, stride));
            return false;
        }
        return true;
    }
    if (c->rank == 1 && lay_is_leaf(shape)) return slice(z, &c->kid[0], shape, stride, coord);
    if (lay_is_leaf(shape) || shape->rank != c->rank) {
        const struct tensor *t = z->v->base;
        bool slots =
            space_is_shared(t->space) && !t->stages && c->rank == lay_tuple_rank(shape) + 1;
        z->error =
            arena_printf(&s->arena, "%d coordinate%s for %d mode%s of '%s', with the extents %s%s",
                         c->rank, c->rank == 1 ? "" : "s", lay_tuple_rank(shape),
                         lay_tuple_rank(shape) == 1 ? "" : "s", t->name,
                         lay_tuple_text(&s->lay, shape),
                         slots ? "; without 'stages' it has no mode of slots" : "");
        return false;
    }
    for (int i = 0; i < c->rank; ++i)
        if (!slice(z, &c->kid[i], shape->kid[i], stride->kid[i], coord ? coord->kid[i] : NULL))
            return false;
    return true;
}

static int modes_kept(const struct coord *c) {
    if (c->rank < 0) return c->ix == NULL;
    int n = 0;
    for (int i = 0; i < c->rank; ++i) n += modes_kept(&c->kid[i]);
    return n;
}

// The names of kept modes.  Modes kept from a part of a mode have none.
static const char *const *names_kept(struct session *s, const struct view *v,
                                     const struct coord *c) {
    if (!v->names || c->rank < 0) return NULL;
    const char **name = ARENA_ARRAY(&s->arena, const char *, modes_kept(c) + 1);
    int n = 0;
    for (int i = 0; i < c->rank; ++i) {
        bool whole = c->kid[i].rank < 0;
        for (int k = modes_kept(&c->kid[i]); k > 0; --k) name[n++] = whole ? v->names[i] : NULL;
    }
    return name;
}

struct view view_slice(struct session *s, struct view v, const struct coord *c, struct range at) {
    struct slicer z = {.s = s, .v = &v};
    v = view_cut(s, v, c, at, &c);
    v.at = at;
    v.partitioned = NULL;
    v.sliced = NULL;
    v.divided = divided_slice(s, v.divided, c);
    if (!lay_valid(v.layout)) return v;
    bool coords = lay_valid(v.coord);
    if (coords) {
        z.ncoord = lay_tuple_leaves(v.base->layout.shape);
        z.coord_off = ARENA_ARRAY(&s->arena, const struct ix *, z.ncoord ? z.ncoord : 1);
        for (int i = 0; i < z.ncoord; ++i) z.coord_off[i] = v.coord_off[i];
        v.coord_off = z.coord_off;
    }
    struct lay old = v.layout;
    if (!slice(&z, c, v.layout.shape, v.layout.stride, coords ? v.coord.stride : NULL)) {
        diag_error(s, at, "%s", z.error);
        v.layout = v.coord = lay_layout_invalid();
        return v;
    }
    if (c->rank < 0 && !c->ix) return v;
    v.tiles = z.kept;
    v.names = names_kept(s, &v, c);
    const struct lay_tuple *shape = lay_tuple(&s->lay, z.n, z.shape);
    v.layout = lay_make(&s->lay, shape, lay_tuple(&s->lay, z.n, z.stride));
    v.layout.sw = old.sw;
    v.layout.composed = old.composed;
    if (coords) v.coord = lay_make(&s->lay, shape, lay_tuple(&s->lay, z.n, z.coord));
    if (coords && v.base->shorter) view_shorten(s, &v);
    return v;
}

static bool same_extents(struct lay_ctx *x, const struct lay_tuple *a, const struct lay_tuple *b) {
    int na = lay_tuple_rank(a), nb = lay_tuple_rank(b);
    for (int i = 0; i < na || i < nb; ++i) {
        struct lay_int one = lay_int(1);
        struct lay_int p = i < na ? lay_tuple_get(x, a, i)->leaf : one;
        struct lay_int q = i < nb ? lay_tuple_get(x, b, i)->leaf : one;
        if (!lay_int_equal(p, q)) return false;
    }
    return true;
}

bool view_layout_fits(struct lay_ctx *x, struct lay have, struct lay declared) {
    const struct lay_swizzle *p = &have.sw, *q = &declared.sw;
    if (!same_extents(x, lay_product_each(x, have.shape), lay_product_each(x, declared.shape)))
        return false;
    if (p->b != q->b || (p->b && (p->m != q->m || p->s != q->s))) return false;
    struct lay a = lay_coalesce(x, lay_inner(have)), b = lay_coalesce(x, lay_inner(declared));
    return lay_valid(a) && lay_valid(b) && lay_equal(a, b);
}
