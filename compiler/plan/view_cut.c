// Ranges of modes, A(10 .. 60, _): what a view keeps of each mode, and where it then ends.
#include "base/session.h"
#include "plan/view.h"

struct cutter {
    struct session *s;
    struct view *v;
    const struct ix **coord_off, **limit;  // NULL: the view has no coordinates
    struct halo *halo;
    int leaf;          // the leaf of the view's shape at hand
    const char *text;  // the range
    const char *error;
    bool of_part;  // .. because the range is taken from a part of a mode
};

const struct ix *view_limit(struct session *s, const struct view *v, int mode) {
    if (v->limit) return v->limit[mode];
    const struct lay_tuple *extent = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    return ix_lay(s, lay_tuple_get(&s->lay, extent, mode)->leaf);
}

int view_edges(struct session *s, const struct view *v, int mode, struct edge_of *out) {
    int n = 0;
    const struct ix *end = view_limit(s, v, mode);
    const struct halo *h = v->halo ? &v->halo[mode] : NULL;
    // the end of a range matters if it is not beyond the end of what the range is taken from
    if (!h || !h->end || !ix_provably_nonnegative(s, ix_sub(s, end, h->end)))
        out[n++] = (struct edge_of){.at = end};
    if (h && h->end) out[n++] = (struct edge_of){h->end, false, h->shorter, h->product};
    if (h && h->begin) out[n++] = (struct edge_of){.at = h->begin, .front = true};
    return n;
}

const struct ix *view_beyond(struct session *s, struct edge_of b, const struct ix *c) {
    return b.front ? ix_sub(s, ix_sub(s, b.at, ix_int(s, 1)), c) : ix_sub(s, c, b.at);
}

const struct ix *view_absent(struct session *s, const struct shorter *x, const struct ix *digit,
                             const struct ix *part) {
    return ix_sub(s, ix_add(s, part, ix_scale(s, digit, x->each)), ix_lay(s, x->all));
}

void view_shorten(struct session *s, struct view *v) {
    int n = lay_tuple_leaves(v->base->layout.shape);
    struct halo *h = ARENA_ARRAY(&s->arena, struct halo, n);
    for (int i = 0; i < n; ++i) h[i] = v->halo ? v->halo[i] : (struct halo){0};
    for (const struct shorter *x = v->base->shorter; x; x = x->next)
        if (x->part >= 0)
            h[x->part] = (struct halo){
                .begin = ix_int(s, 0),
                .end = ix_scale(s, view_absent(s, x, v->coord_off[x->digit], ix_int(s, 0)),
                                lay_int(-1)),
                .shorter = true,
                .product = !lay_int_static(x->each)};
    v->halo = h;
}

bool view_leaf_is_whole(struct session *s, const struct view *v, struct lay_int extent,
                        struct lay_int step) {
    int mode = step.basis;
    if (step.num != 1 || step.den != 1 || step.nsyms || mode < 0 ||
        mode >= lay_tuple_leaves(v->base->layout.shape))
        return false;
    const struct ix *end = ix_add(s, v->coord_off[mode], ix_lay(s, extent));
    return end && ix_equal(end, view_limit(s, v, mode));
}

static void add_bound(struct cutter *z, const struct ix *at, struct lay_int extent,
                      enum range_bound what, int halo) {
    struct session *s = z->s;
    struct slice_bound *b = ARENA_NEW(&s->arena, struct slice_bound);
    *b = (struct slice_bound){at, extent, false, z->text, what, halo, z->v->bounds};
    z->v->bounds = b;
}

// Checks that the range is within "size" elements, or leaves it to be proven.  "halo": 1 + the mode
// of the tensor along which it may be partly outside; 0: it must be inside.
static bool bound(struct cutter *z, const struct ix *begin, const struct ix *end,
                  struct lay_int size, int halo) {
    struct session *s = z->s;
    const struct ix *room = ix_sub(s, ix_lay(s, size), end);
    bool before = begin->hi < 0, beyond = room && room->hi < 0;
    if (halo) {  // no element of it is inside
        const struct ix *left = ix_sub(s, begin, ix_lay(s, size));
        before = end->hi <= 0;
        beyond = left && left->lo >= 0;
    }
    if ((before || beyond) && !ix_is_never(begin) && !ix_is_never(end)) {
        z->of_part = !halo && z->halo;
        z->error = arena_printf(&s->arena, "the range '%s' %s a mode of extent %s", z->text,
                                halo     ? "is completely outside"
                                : before ? "begins before"
                                         : "ends beyond",
                                lay_int_text(&s->lay, size));
        return false;
    }
    if (!ix_provably_nonnegative(s, begin)) add_bound(z, begin, LAY_INT_INVALID, RANGE_BEGIN, halo);
    if (!room || !ix_provably_nonnegative(s, room))
        add_bound(z, ix_sub(s, end, ix_int(s, 1)), size, RANGE_LAST, halo);
    return true;
}

// 1 + the mode of the tensor along which the range may be partly outside, because it has "extent"
// elements, a number, of a complete mode; otherwise 0.  "coord" is the mode's stride in the
// tensor's coordinates.
static int may_be_halo(const struct cutter *z, const struct ix *begin, const struct ix *end,
                       const struct ix *extent, struct lay_int size, struct lay_int coord) {
    struct session *s = z->s;
    const struct ix *room = ix_sub(s, ix_lay(s, size), end);
    bool inside = ix_provably_nonnegative(s, begin) && room && ix_provably_nonnegative(s, room);
    if (inside || !z->halo || !ix_static(extent, NULL) || !view_leaf_is_whole(s, z->v, size, coord))
        return 0;
    const struct halo *h = &z->halo[coord.basis];
    const struct ix *first = h->first ? h->first : ix_int(s, 0);
    return !h->end && ix_equal(z->coord_off[coord.basis], first) ? 1 + coord.basis : 0;
}

// Cuts a leaf of extent "size" to "begin" .. "end" - 1; "stride" and "coord" are its strides in
// memory and in the tensor's coordinates.  Returns the remaining extent.
static struct lay_int cut_leaf(struct cutter *z, const struct ix *begin, const struct ix *end,
                               struct lay_int size, struct lay_int stride, struct lay_int coord) {
    struct session *s = z->s;
    struct view *v = z->v;
    const struct ix *extent = ix_sub(s, end, begin);
    int halo = extent ? may_be_halo(z, begin, end, extent, size, coord) : 0;
    if (!extent || !bound(z, begin, end, size, halo)) {
        if (!z->error) z->error = arena_printf(&s->arena, "the range '%s' overflows", z->text);
        return LAY_INT_INVALID;
    }
    struct lay_int n =
        ix_to_lay(s, extent,
                  arena_printf(&s->arena, "(%s - %s)", ix_text(s, end), ix_text(s, begin)));
    v->tiles.word[z->leaf / 64] &= ~((uint64_t)1 << z->leaf % 64);
    if (lay_int_is(size, 1) && !halo) return n;  // it begins at 0
    bool whole = z->coord_off && view_leaf_is_whole(s, v, size, coord);
    if (halo)
        z->halo[halo - 1] = (struct halo){z->coord_off[halo - 1], z->limit[halo - 1], NULL, false};
    v->offset = ix_add(s, v->offset, ix_scale(s, begin, stride));
    int mode = coord.basis;
    if (z->coord_off && mode >= 0) {
        coord.basis = -1;
        z->coord_off[mode] = ix_add(s, z->coord_off[mode], ix_scale(s, begin, coord));
        if (whole && z->coord_off[mode])
            z->limit[mode] =
                ix_add(s, z->coord_off[mode], lay_int_static(n) ? ix_lay(s, n) : extent);
        if (whole) z->halo[mode].first = z->coord_off[mode];
    }
    if (v->offset && !(z->coord_off && mode >= 0 && (!z->coord_off[mode] || !z->limit[mode])))
        return n;
    z->error = arena_printf(&s->arena, "the offset of the range '%s' cannot be formed", z->text);
    return LAY_INT_INVALID;
}

// Cuts a mode with the leaves "size[0]" .. "size[n - 1]", the first one fastest.
static bool cut_leaves(struct cutter *z, const struct ix *begin, const struct ix *end, int n,
                       struct lay_int *size, const struct lay_int *stride,
                       const struct lay_int *coord) {
    struct session *s = z->s;
    int64_t lo, hi;
    int first = z->leaf, last = n - 1;
    while (last > 0 && lay_int_is(size[last], 1)) --last;
    for (int i = 0; i <= last; ++i) {
        struct lay_int e = size[i];
        z->leaf = first + i;
        if (lay_int_is(e, 1) && i < last) continue;
        if (i == last) {
            size[i] = cut_leaf(z, begin, end, e, stride[i], coord[i]);
            return lay_int_valid(size[i]);
        }
        if (lay_int_static(e) && ix_divisor(begin) % e.num == 0 && ix_divisor(end) % e.num == 0) {
            begin = ix_div(s, begin, e);
            end = ix_div(s, end, e);
            continue;
        }
        bool known = lay_int_static(e) && ix_static(begin, &lo) && ix_static(end, &hi) && lo >= 0;
        if (!known || lo / e.num != (hi - 1) / e.num) {
            z->error =
                arena_printf(&s->arena,
                             "the range '%s' of a nested mode whose first part has %s elements, "
                             "begins and ends at multiples of %s, or is made of numbers and stays "
                             "within %s elements that follow such a multiple",
                             z->text, lay_int_text(&s->lay, e), lay_int_text(&s->lay, e),
                             lay_int_text(&s->lay, e));
            return false;
        }
        int64_t group = lo / e.num;
        size[i] = cut_leaf(z, ix_int(s, lo % e.num), ix_int(s, hi - group * e.num), e, stride[i],
                           coord[i]);
        begin = ix_int(s, group);
        end = ix_int(s, group + 1);
        if (!lay_int_valid(size[i])) return false;
    }
    return true;
}

static void leaves_of(const struct lay_tuple *t, struct lay_int *out, int *n) {
    if (lay_is_leaf(t)) {
        out[(*n)++] = t->leaf;
        return;
    }
    for (int i = 0; i < t->rank; ++i) leaves_of(t->kid[i], out, n);
}

static const struct lay_tuple *with_leaves(struct session *s, const struct lay_tuple *t,
                                           const struct lay_int *leaf, int *next) {
    if (lay_is_leaf(t)) return lay_leaf(&s->lay, leaf[(*next)++]);
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < t->rank; ++i) kid[i] = with_leaves(s, t->kid[i], leaf, next);
    return lay_tuple(&s->lay, t->rank, kid);
}

// "shape" with one mode cut to a range.
static const struct lay_tuple *cut_mode(struct cutter *z, const struct coord *c,
                                        const struct lay_tuple *shape,
                                        const struct lay_tuple *stride,
                                        const struct lay_tuple *coord) {
    struct session *s = z->s;
    struct lay_int size[LAY_MAX_LEAVES], step[LAY_MAX_LEAVES], at[LAY_MAX_LEAVES];
    int n = 0, k = 0, first = z->leaf;
    leaves_of(shape, size, &n);
    leaves_of(stride, step, &k);
    for (int i = 0; i < n; ++i) at[i] = lay_int(0);
    k = 0;
    if (coord) leaves_of(coord, at, &k);
    const struct ix *extent = ix_sub(s, c->end, c->ix);
    z->text = arena_printf(&s->arena, "%s .. %s", ix_text(s, c->ix), ix_text(s, c->end));
    if (extent && extent->hi <= 0)
        z->error = arena_printf(&s->arena,
                                extent->hi < 0 ? "the range '%s' ends before it begins"
                                               : "the range '%s' is empty",
                                z->text);
    else if (extent && !ix_provably_nonnegative(s, extent))
        add_bound(z, extent, LAY_INT_INVALID, RANGE_EXTENT, 0);
    if (z->error || !cut_leaves(z, c->ix, c->end, n, size, step, at)) return NULL;
    z->leaf = first + n;
    k = 0;
    return with_leaves(s, shape, size, &k);
}

// "shape" with the ranges of "c" cut.  Sets "*rest" to the remaining coordinate.
static const struct lay_tuple *cut(struct cutter *z, const struct coord *c,
                                   const struct lay_tuple *shape, const struct lay_tuple *stride,
                                   const struct lay_tuple *coord, struct coord *rest) {
    struct session *s = z->s;
    *rest = *c;
    if (c->rank < 0 && c->end) {
        *rest = (struct coord){.rank = -1};
        return cut_mode(z, c, shape, stride, coord);
    }
    bool one = c->rank == 1 && lay_is_leaf(shape);
    if (c->rank < 0 || (!one && (lay_is_leaf(shape) || shape->rank != c->rank))) {
        z->leaf += lay_tuple_leaves(shape);
        return shape;  // view_slice reports what does not fit
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    struct coord *left = ARENA_ARRAY(&s->arena, struct coord, c->rank + 1);
    for (int i = 0; i < c->rank; ++i) {
        kid[i] = one ? cut(z, &c->kid[0], shape, stride, coord, &left[0])
                     : cut(z, &c->kid[i], shape->kid[i], stride->kid[i],
                           coord ? coord->kid[i] : NULL, &left[i]);
        if (!kid[i]) return NULL;
    }
    rest->kid = left;
    return one ? kid[0] : lay_tuple(&s->lay, c->rank, kid);
}

static bool has_range(const struct coord *c) {
    if (c->rank < 0) return c->end != NULL;
    for (int i = 0; i < c->rank; ++i)
        if (has_range(&c->kid[i])) return true;
    return false;
}

struct view view_cut(struct session *s, struct view v, const struct coord *c, struct range at,
                     const struct coord **rest) {
    *rest = c;
    if (!lay_valid(v.layout) || !has_range(c)) return v;
    struct cutter z = {.s = s, .v = &v};
    bool coords = lay_valid(v.coord);
    if (coords) {
        int n = lay_tuple_leaves(v.base->layout.shape);
        z.coord_off = ARENA_ARRAY(&s->arena, const struct ix *, n ? n : 1);
        z.limit = ARENA_ARRAY(&s->arena, const struct ix *, n ? n : 1);
        z.halo = ARENA_ARRAY(&s->arena, struct halo, n ? n : 1);
        for (int i = 0; i < n; ++i) {
            z.coord_off[i] = v.coord_off[i];
            z.limit[i] = view_limit(s, &v, i);
            z.halo[i] = v.halo ? v.halo[i] : (struct halo){NULL, NULL, NULL, false};
        }
        v.range_of_range = v.limit != NULL;
        v.coord_off = z.coord_off;
        v.limit = z.limit;
        v.halo = z.halo;
    }
    v.at = at;
    v.partitioned = NULL;
    v.sliced = NULL;
    struct coord *left = ARENA_NEW(&s->arena, struct coord);
    const struct lay_tuple *shape = v.layout.shape, *cut_shape = NULL;
    if (c->rank < 0 && !lay_is_leaf(shape) && shape->rank > 1)
        z.error = arena_printf(&s->arena,
                               "a range of '%s', which has %d modes: %s; write '_' for "
                               "the modes that stay whole",
                               v.base->name, shape->rank, lay_tuple_text(&s->lay, shape));
    else
        cut_shape = cut(&z, c, shape, v.layout.stride, coords ? v.coord.stride : NULL, left);
    if (!cut_shape) {
        diag_error(s, at, "%s", z.error);
        if (z.of_part)
            diag_note(s, at,
                      "a range may be partly outside of a tensor, but not of a tile or of another "
                      "such range; write it as a range of '%s'",
                      v.base->name);
        v.layout = v.coord = lay_layout_invalid();
        return v;
    }
    struct lay made = lay_make(&s->lay, cut_shape, v.layout.stride);
    made.sw = v.layout.sw;
    made.composed = v.layout.composed;
    v.layout = made;
    if (coords) v.coord = lay_make(&s->lay, cut_shape, v.coord.stride);
    *rest = left;
    return v;
}

static bool is_closed(struct lay_int x) {
    return !ix_int_is_open(x);
}

static bool tuple_is_open(const struct lay_tuple *t) {
    return !lay_tuple_all(t, is_closed);
}

bool view_is_open(const struct view *v) {
    if (!lay_valid(v->layout)) return false;
    bool open = tuple_is_open(v->layout.shape) || tuple_is_open(v->layout.stride) ||
                (v->offset && ix_is_open(v->offset));
    if (open || !lay_valid(v->coord)) return open;
    open = tuple_is_open(v->coord.stride);
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape) && !open; ++i)
        open = ix_is_open(v->coord_off[i]);
    return open;
}
