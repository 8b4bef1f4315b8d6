// Evaluates layouts at linear coordinates and at coordinates of the shape, and converts indices
// back to coordinates.
//
// Tests judge the algebra by these functions, so they use nothing of it: they walk through shape
// and stride.
#include "layout/impl.h"

// -- numbers --------------------------------------------------------------------------------------

// Adds the value of "*i" in this mode to "*sum" and leaves the rest of the coordinate in "*i".  The
// last leaf of all takes all that is left.
static bool walk(const struct lay_tuple *s, const struct lay_tuple *d, bool last, int64_t *i,
                 int64_t *sum) {
    if (s->rank < 0) {
        if (!lay_plain(s->leaf) || !lay_plain(d->leaf)) return false;
        int64_t c = last ? *i : *i % s->leaf.num, v;
        *i = last ? 0 : *i / s->leaf.num;
        return !__builtin_mul_overflow(c, d->leaf.num, &v) && !__builtin_add_overflow(*sum, v, sum);
    }
    for (int k = 0; k < s->rank; ++k)
        if (!walk(s->kid[k], d->kid[k], last && k == s->rank - 1, i, sum)) return false;
    return true;
}

int64_t lay_swizzle_apply(struct lay_swizzle w, int64_t x) {
    int64_t ones = ((int64_t)1 << w.b) - 1;
    if (w.s >= 0) return x ^ ((x & (ones << (w.m + w.s))) >> w.s);
    return (int64_t)((uint64_t)x ^ ((uint64_t)(x & (ones << w.m)) << -w.s));
}

static bool finish(struct lay_ctx *ctx, struct lay l, int64_t sum, bool ok, int64_t *out) {
    if (ok && l.composed)
        ok = lay_plain(l.offset) && !__builtin_add_overflow(sum, l.offset.num, &sum);
    ok = ok && sum != INT64_MIN;
    if (!ok) {
        if (lay_need_static(ctx, l, "a value"))
            lay_fail(ctx, "a value of '%s' does not fit into 64 bits", lay_text(ctx, l));
        return false;
    }
    *out = l.composed ? lay_swizzle_apply(l.sw, sum) : sum;
    return true;
}

bool lay_eval(struct lay_ctx *ctx, struct lay l, int64_t i, int64_t *out) {
    enum { EVERY = 256 };
    int64_t sum = 0;
    if (++ctx->evaluated % EVERY == 0 && ctx->poll) ctx->poll();
    if (!l.shape) return false;
    bool ok = walk(l.shape, l.stride, true, &i, &sum);
    return finish(ctx, l, sum, ok, out);
}

// Compares all values.  Also false if one is not static, or if there are too many.
bool lay_same(struct lay_ctx *ctx, struct lay a, struct lay b) {
    struct lay_int n = lay_size(ctx, a);
    if (!lay_int_equal(n, lay_size(ctx, b)) || !lay_static(a) || !lay_static(b) || n.num > 1 << 22)
        return false;
    for (int64_t i = 0; i < n.num; ++i) {
        int64_t x, y;
        if (!lay_eval(ctx, a, i, &x) || !lay_eval(ctx, b, i, &y) || x != y) return false;
    }
    return true;
}

// -- sums with symbols ----------------------------------------------------------------------------

static bool coord_mismatch(struct lay_ctx *ctx, const struct lay_tuple *c,
                           const struct lay_tuple *s) {
    lay_fail(ctx, "the coordinate '%s' does not fit the shape '%s'", lay_tuple_text(ctx, c),
             lay_tuple_text(ctx, s));
    return false;
}

// Splits off from "*c" its coordinate in the mode of size "s", the fastest one.  The coordinate
// goes to "mine", the rest to "*c".
static bool split(struct lay_ctx *ctx, struct lay_int *c, const struct lay_tuple *s, bool last,
                  struct lay_int *mine) {
    struct lay_int size = lay_tuple_product(ctx, s);
    int64_t lo, hi;
    if (size.den == 0) return false;
    lay_int_range(size, &lo, &hi);
    if (hi < 1 || size.basis != -1) {
        lay_fail(ctx, "the extent '%s' is not a positive integer", lay_int_text(ctx, size));
        return false;
    }
    if (last || lay_is_value(*c, 0)) {
        *mine = *c;
        *c = lay_static_int(0);
        return true;
    }
    if (lay_plain(*c) && lay_plain(size)) {
        *mine = lay_static_int(c->num % size.num);
        *c = lay_static_int(c->num / size.num);
        return true;
    }
    lay_int_range(*c, &lo, &hi);
    if (lo >= 0 && lay_int_less(*c, size)) {
        *mine = *c;
        *c = lay_static_int(0);
        return true;
    }
    if (lay_is_unit(size) || lay_int_divides(size, *c)) {
        *mine = lay_static_int(0);
        *c = lay_int_div(ctx, *c, size);
        return true;
    }
    lay_fail(ctx, "the coordinate '%s' over the extent '%s' needs static numbers",
             lay_int_text(ctx, *c), lay_int_text(ctx, size));
    return false;
}

static bool sum_number(struct lay_ctx *ctx, struct lay_int c, const struct lay_tuple *s,
                       const struct lay_tuple *d, struct lay_sum *sum) {
    if (c.basis != -1) {
        lay_fail(ctx, "'%s' is not a coordinate", lay_int_text(ctx, c));
        return false;
    }
    if (s->rank < 0) {
        *sum = lay_sum_add(ctx, *sum, lay_sum_of(ctx, lay_int_mul(ctx, c, d->leaf)));
        return sum->n >= 0;
    }
    for (int i = 0; i < s->rank; ++i) {
        struct lay_int mine;
        if (!split(ctx, &c, s->kid[i], i == s->rank - 1, &mine) ||
            !sum_number(ctx, mine, s->kid[i], d->kid[i], sum))
            return false;
    }
    return true;
}

static bool sum_coord(struct lay_ctx *ctx, const struct lay_tuple *c, const struct lay_tuple *s,
                      const struct lay_tuple *d, struct lay_sum *sum) {
    if (c->rank < 0) return sum_number(ctx, c->leaf, s, d, sum);
    if (s->rank < 0 && c->rank == 1) return sum_coord(ctx, c->kid[0], s, d, sum);
    if (s->rank != c->rank) return coord_mismatch(ctx, c, s);
    for (int i = 0; i < c->rank; ++i)
        if (!sum_coord(ctx, c->kid[i], s->kid[i], d->kid[i], sum)) return false;
    return true;
}

struct lay_sum lay_crd2idx_sum(struct lay_ctx *ctx, const struct lay_tuple *coord, struct lay l) {
    struct lay_sum sum = {0, NULL};
    if (!coord || !l.shape || !sum_coord(ctx, coord, l.shape, l.stride, &sum))
        return LAY_SUM_INVALID;
    return sum;
}

struct lay_int lay_crd2idx(struct lay_ctx *ctx, const struct lay_tuple *coord,
                           const struct lay_tuple *shape, const struct lay_tuple *stride) {
    struct lay l = stride ? lay_make(ctx, shape, stride) : lay_make_col(ctx, shape);
    return lay_sum_int(ctx, lay_crd2idx_sum(ctx, coord, l));
}

bool lay_eval_coord(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *coord,
                    int64_t *out) {
    struct lay_int v = lay_sum_int(ctx, lay_crd2idx_sum(ctx, coord, l));
    if (v.den == 0) return false;
    if (!lay_plain(v)) {
        lay_fail(ctx, "the value '%s' of '%s' is not static", lay_int_text(ctx, v),
                 lay_text(ctx, l));
        return false;
    }
    return finish(ctx, l, v.num, true, out);
}

// -- coordinates as values ------------------------------------------------------------------------

// Converts the terms of "sum" to a coordinate tuple, for the mode at "path" (of length "depth").
static const struct lay_tuple *basis_tuple(struct lay_ctx *ctx, struct lay_sum sum, int depth,
                                           const int *path) {
    int most = -1;
    struct lay_int here = lay_static_int(0);
    for (int i = 0; i < sum.n; ++i) {
        int p[3], n = lay_int_basis_path(sum.term[i], p), k = 0;
        while (k < depth && k < n && p[k] == path[k]) ++k;
        if (k < depth) continue;
        if (n == depth) {
            here = sum.term[i];
            here.basis = -1;
        } else if (depth < 3 && p[depth] > most) {
            most = p[depth];
        }
    }
    if (most < 0 || depth == 3) return lay_leaf(ctx, here);
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i <= most; ++i) {
        int below[3];
        for (int k = 0; k < depth; ++k) below[k] = path[k];
        below[depth] = i;
        kid[i] = basis_tuple(ctx, sum, depth + 1, below);
    }
    return lay_tuple(ctx, most + 1, kid);
}

// Adds each basis element in "d" with factor 0, so that the resulting coordinate has all its modes.
static struct lay_sum all_places(struct lay_ctx *ctx, const struct lay_tuple *d,
                                 struct lay_sum sum) {
    if (d->rank >= 0) {
        for (int i = 0; i < d->rank; ++i) sum = all_places(ctx, d->kid[i], sum);
        return sum;
    }
    if (d->leaf.basis < 0 || sum.n < 0) return sum;
    struct lay_int *term = lay_new(ctx, sizeof *term * (size_t)(sum.n + 1));
    term[0] = (struct lay_int){0, 1, NULL, 0, d->leaf.basis};
    for (int i = 0; i < sum.n; ++i) term[i + 1] = sum.term[i];
    return (struct lay_sum){sum.n + 1, term};
}

const struct lay_tuple *lay_eval_tuple(struct lay_ctx *ctx, struct lay l,
                                       const struct lay_tuple *coord) {
    struct lay_sum sum = lay_crd2idx_sum(ctx, coord, l);
    if (sum.n < 0) return NULL;
    sum = all_places(ctx, l.stride, sum);
    int any = 0, path[3] = {0, 0, 0};
    for (int i = 0; i < sum.n; ++i) any |= sum.term[i].basis >= 0;
    if (any) return basis_tuple(ctx, sum, 0, path);
    struct lay_int v = lay_sum_int(ctx, sum);
    int64_t out;
    if (l.composed && v.den) {
        if (!lay_plain(v) || !finish(ctx, l, v.num, true, &out)) {
            lay_fail(ctx, "the value of '%s' is not static", lay_text(ctx, l));
            return NULL;
        }
        v = lay_static_int(out);
    }
    return lay_leaf(ctx, v);
}

// -- from indices to coordinates ------------------------------------------------------------------

// Without strides the last mode takes all that is left; with strides each mode takes its own digit.
const struct lay_tuple *lay_idx2crd(struct lay_ctx *ctx, const struct lay_tuple *index,
                                    const struct lay_tuple *shape, const struct lay_tuple *stride) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (!index || !shape) return NULL;
    if (stride && stride->rank < 0 && shape->rank >= 0)
        stride = lay_compact_col(ctx, shape, stride->leaf);
    if (index->rank >= 0) {
        if (shape->rank != index->rank || (stride && stride->rank != index->rank)) {
            coord_mismatch(ctx, index, shape);
            return NULL;
        }
        for (int i = 0; i < index->rank; ++i)
            kid[i] = lay_idx2crd(ctx, index->kid[i], shape->kid[i], stride ? stride->kid[i] : NULL);
        return lay_tuple(ctx, index->rank, kid);
    }
    if (shape->rank < 0) {
        if (!stride) return index;
        struct lay_int i = index->leaf, s = shape->leaf, d = stride->leaf;
        if (lay_is_unit(s) || lay_is_value(d, 0)) return lay_leaf_of(ctx, 0);
        if (!lay_plain(i) || !lay_plain(s) || s.num < 1 || !lay_plain(d) || stride->rank >= 0) {
            lay_fail(ctx, "idx2crd needs static numbers and extents of at least 1");
            return NULL;
        }
        return lay_leaf_of(ctx, i.num / d.num % s.num);
    }
    struct lay_int rest = index->leaf, mine;
    if (stride && stride->rank != shape->rank) {
        lay_fail(ctx,
                 "the shape '%s' and the stride '%s' differ in form: each extent has one stride",
                 lay_tuple_text(ctx, shape), lay_tuple_text(ctx, stride));
        return NULL;
    }
    for (int k = 0; k < shape->rank; ++k) {
        if (stride)
            mine = rest;
        else if (!split(ctx, &rest, shape->kid[k], k == shape->rank - 1, &mine))
            return NULL;
        kid[k] =
            lay_idx2crd(ctx, lay_leaf(ctx, mine), shape->kid[k], stride ? stride->kid[k] : NULL);
    }
    return lay_tuple(ctx, shape->rank, kid);
}

const struct lay_tuple *lay_crd2crd(struct lay_ctx *ctx, const struct lay_tuple *coord,
                                    const struct lay_tuple *from, const struct lay_tuple *to) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (!coord || !from || !to) return NULL;
    if (coord->rank >= 0) {
        if (from->rank != coord->rank || to->rank != coord->rank) {
            coord_mismatch(ctx, coord, from->rank != coord->rank ? from : to);
            return NULL;
        }
        for (int i = 0; i < coord->rank; ++i)
            kid[i] = lay_crd2crd(ctx, coord->kid[i], from->kid[i], to->kid[i]);
        return lay_tuple(ctx, coord->rank, kid);
    }
    return lay_idx2crd(ctx, lay_leaf(ctx, lay_crd2idx(ctx, coord, from, NULL)), to, NULL);
}

const struct lay_tuple *lay_hier_coord(struct lay_ctx *ctx, struct lay l, int64_t index) {
    return lay_idx2crd(ctx, lay_leaf_of(ctx, index), l.shape, l.stride);
}

const struct lay_tuple *lay_flat_coord(struct lay_ctx *ctx, struct lay l, int64_t index) {
    return lay_flat_of_coord(ctx, lay_hier_coord(ctx, l, index), l.shape);
}

const struct lay_tuple *lay_flat_of_coord(struct lay_ctx *ctx, const struct lay_tuple *c,
                                          const struct lay_tuple *shape) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (!c || c->rank < 0) return c;
    for (int i = 0; i < c->rank; ++i)
        kid[i] = lay_leaf(ctx, lay_crd2idx(ctx, c->kid[i], shape->kid[i], NULL));
    return c->rank == 1 ? kid[0] : lay_tuple(ctx, c->rank, kid);
}

// -- slicing --------------------------------------------------------------------------------------

struct kept {
    int n;
    struct lay mode[LAY_MAX_RANK];
};

static bool keep(struct lay_ctx *ctx, struct kept *k, struct lay l) {
    if (k->n == LAY_MAX_RANK) {
        lay_fail(ctx, "a slice of rank over %d", LAY_MAX_RANK);
        return false;
    }
    k->mode[k->n++] = l;
    return true;
}

// Keeps the modes with "_" ("slicing") or those without it.
static bool cut(struct lay_ctx *ctx, const struct lay_tuple *c, const struct lay_tuple *s,
                const struct lay_tuple *d, bool slicing, struct kept *k, struct lay_sum *sum) {
    if (c->rank >= 0) {
        if (s->rank != c->rank && !(s->rank < 0 && c->rank == 1)) return coord_mismatch(ctx, c, s);
        for (int i = 0; i < c->rank; ++i)
            if (!cut(ctx, c->kid[i], s->rank < 0 ? s : s->kid[i], s->rank < 0 ? d : d->kid[i],
                     slicing, k, sum))
                return false;
        return true;
    }
    if (lay_is_any(c) == slicing) return keep(ctx, k, lay_raw(s, d));
    return !slicing || sum_coord(ctx, c, s, d, sum);
}

struct lay_view lay_slice(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *coord) {
    struct lay_view bad = {LAY_SUM_INVALID, lay_layout_invalid()}, out = {{0, NULL}, l};
    struct kept k;
    k.n = 0;
    if (!l.shape || !coord) return bad;
    if (lay_is_any(coord)) return out;
    if (!cut(ctx, coord, l.shape, l.stride, true, &k, &out.offset)) return bad;
    out.layout = lay_under(l, lay_join(ctx, k.n, k.mode));
    return out.layout.shape ? out : bad;
}

struct lay lay_dice(struct lay_ctx *ctx, const struct lay_tuple *coord, struct lay l) {
    struct kept k;
    struct lay_sum sum = {0, NULL};
    k.n = 0;
    if (!l.shape || !coord) return lay_layout_invalid();
    if (coord->rank < 0 && !lay_has_any(coord)) return l;
    if (!cut(ctx, coord, l.shape, l.stride, false, &k, &sum)) return lay_layout_invalid();
    return lay_under(l, lay_join(ctx, k.n, k.mode));
}
