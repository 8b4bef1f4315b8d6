// Makes layouts, and reads and rearranges their modes.  Nothing here changes the stride of a mode.
#include "layout/impl.h"

enum { CHECK_POINTS = 1 << 20 };

struct lay lay_layout_invalid(void) {
    return (struct lay){NULL, NULL, LAY_INT_INVALID, {0, 0, 0}, false};
}

bool lay_valid(struct lay l) {
    return l.shape != NULL;
}

// -- making ---------------------------------------------------------------------------------------

static bool extents_positive(struct lay_ctx *ctx, const struct lay_tuple *t) {
    if (t->rank >= 0) {
        for (int i = 0; i < t->rank; ++i)
            if (!extents_positive(ctx, t->kid[i])) return false;
        return true;
    }
    int64_t lo, hi;
    lay_int_range(t->leaf, &lo, &hi);
    if (t->leaf.basis == -1 && hi >= 1 && (lo >= 1 || (t->leaf.nsyms && lo >= 0))) return true;
    lay_fail(ctx, "the extent '%s' is not a positive integer", lay_int_text(ctx, t->leaf));
    return false;
}

struct lay lay_make(struct lay_ctx *ctx, const struct lay_tuple *shape,
                    const struct lay_tuple *stride) {
    if (!shape || !stride || !extents_positive(ctx, shape)) return lay_layout_invalid();
    if (lay_has_any(stride)) {
        lay_fail(ctx, "'_' cannot be a stride");
        return lay_layout_invalid();
    }
    if (!lay_congruent(shape, stride)) {
        lay_fail(ctx,
                 "the shape '%s' and the stride '%s' differ in form: each extent has one stride",
                 lay_tuple_text(ctx, shape), lay_tuple_text(ctx, stride));
        return lay_layout_invalid();
    }
    return lay_raw(shape, stride);
}

struct lay lay_make_col(struct lay_ctx *ctx, const struct lay_tuple *shape) {
    return lay_make(ctx, shape, lay_compact_col(ctx, shape, lay_static_int(1)));
}

struct lay lay_make_row(struct lay_ctx *ctx, const struct lay_tuple *shape) {
    return lay_make(ctx, shape, lay_compact_row(ctx, shape, lay_static_int(1)));
}

static const struct lay_tuple *bases(struct lay_ctx *ctx, const struct lay_tuple *shape, int depth,
                                     int *path) {
    if (shape->rank < 0)
        return lay_leaf(ctx, depth ? lay_int_basis(ctx, lay_static_int(1), depth, path)
                                   : lay_static_int(1));
    if (depth == 3) {
        lay_fail(ctx, "an identity layout of more than three nested levels");
        return NULL;
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < shape->rank; ++i) {
        path[depth] = i;
        kid[i] = bases(ctx, shape->kid[i], depth + 1, path);
    }
    return lay_tuple(ctx, shape->rank, kid);
}

struct lay lay_make_identity(struct lay_ctx *ctx, const struct lay_tuple *shape) {
    int path[3];
    if (!shape) return lay_layout_invalid();
    return lay_make(ctx, shape, bases(ctx, shape, 0, path));
}

struct lay lay_under(struct lay outer, struct lay l) {
    if (!l.shape) return l;
    l.offset = outer.offset;
    l.sw = outer.sw;
    l.composed = outer.composed;
    return l;
}

struct lay lay_inner(struct lay l) {
    return lay_raw(l.shape, l.stride);
}

struct lay lay_join(struct lay_ctx *ctx, int n, const struct lay *mode) {
    const struct lay_tuple *s[LAY_MAX_RANK], *d[LAY_MAX_RANK];
    if (n > LAY_MAX_RANK) {
        lay_fail(ctx, "a layout of rank %d; the limit is %d", n, LAY_MAX_RANK);
        return lay_layout_invalid();
    }
    for (int i = 0; i < n; ++i) {
        if (!mode[i].shape) return lay_layout_invalid();
        if (mode[i].composed) {
            lay_fail(ctx, "the swizzled layout '%s' cannot be a mode of another",
                     lay_text(ctx, mode[i]));
            return lay_layout_invalid();
        }
        s[i] = mode[i].shape;
        d[i] = mode[i].stride;
    }
    struct lay out = lay_raw(lay_tuple(ctx, n, s), lay_tuple(ctx, n, d));
    return out.stride ? out : lay_layout_invalid();
}

// -- strides in an order --------------------------------------------------------------------------

struct ordered {
    int n;
    struct lay_int size[LAY_MAX_LEAVES], rank[LAY_MAX_LEAVES];
};

// Lists the positions in "order", one integer for each mode of the shape.
static bool list_orders(struct lay_ctx *ctx, const struct lay_tuple *shape,
                        const struct lay_tuple *order, struct ordered *o) {
    if (order->rank < 0) {
        if (o->n == LAY_MAX_LEAVES) return false;
        o->size[o->n] = lay_tuple_product(ctx, shape);
        o->rank[o->n++] = order->leaf;
        return true;
    }
    if (shape->rank != order->rank) {
        lay_fail(ctx, "the shape '%s' and the order '%s' differ in rank",
                 lay_tuple_text(ctx, shape), lay_tuple_text(ctx, order));
        return false;
    }
    for (int i = 0; i < order->rank; ++i)
        if (!list_orders(ctx, shape->kid[i], order->kid[i], o)) return false;
    return true;
}

// Strides in the given order: the stride of a mode is the product of the sizes of all modes before
// it.  As in CuTe, modes of equal position have the same stride.
static const struct lay_tuple *order_strides(struct lay_ctx *ctx, const struct lay_tuple *shape,
                                             const struct lay_tuple *order, const struct ordered *o,
                                             int *at) {
    if (order->rank < 0) {
        struct lay_int start = lay_static_int(1), mine = o->rank[*at];
        for (int i = 0; i < o->n; ++i)
            if (lay_int_less(o->rank[i], mine)) start = lay_int_mul(ctx, start, o->size[i]);
        ++*at;
        return lay_compact_col(ctx, shape, start);
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < order->rank; ++i)
        kid[i] = order_strides(ctx, shape->kid[i], order->kid[i], o, at);
    return lay_tuple(ctx, order->rank, kid);
}

static const struct lay_tuple *compact_order(struct lay_ctx *ctx, const struct lay_tuple *shape,
                                             const struct lay_tuple *order) {
    struct ordered o;
    int at = 0;
    o.n = 0;
    if (!shape || !order || !list_orders(ctx, shape, order, &o)) return NULL;
    return order_strides(ctx, shape, order, &o, &at);
}

struct lay lay_make_ordered(struct lay_ctx *ctx, const struct lay_tuple *shape,
                            const struct lay_tuple *order) {
    return lay_make(ctx, shape, compact_order(ctx, shape, order));
}

struct lay lay_make_like(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return l;
    return lay_make(ctx, l.shape,
                    compact_order(ctx, lay_filter_zeros(ctx, lay_inner(l)).shape, l.stride));
}

struct lay lay_make_fragment_like(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return l;
    if (lay_rank(l) < 2 || !lay_tuple_static(l.shape)) return lay_make_col(ctx, l.shape);
    l = lay_inner(l);
    struct lay first = lay_filter_zeros(ctx, lay_mode(ctx, l, 0));
    if (!first.shape) return first;
    first = lay_make(ctx, l.shape->kid[0], lay_compact_col(ctx, first.shape, lay_static_int(1)));
    struct lay rest = lay_take(ctx, l, 1, l.shape->rank);
    rest = lay_make_ordered(ctx, rest.shape, rest.stride);
    return lay_tiled_product(ctx, first, lay_tiler_layout(ctx, rest));
}

// -- looking --------------------------------------------------------------------------------------

struct lay_int lay_size(struct lay_ctx *ctx, struct lay l) {
    return lay_tuple_product(ctx, l.shape);
}

int lay_rank(struct lay l) {
    return lay_tuple_rank(l.shape);
}

int lay_depth(struct lay l) {
    return lay_tuple_depth(l.shape);
}

bool lay_static(struct lay l) {
    return lay_tuple_static(l.shape) && lay_tuple_static(l.stride) && lay_plain(l.offset);
}

static bool name_leaf(struct lay_ctx *ctx, const struct lay_tuple *t, const char *what,
                      const char *op) {
    if (t->rank < 0) {
        if (lay_plain(t->leaf)) return false;
        lay_fail(ctx, "%s needs static layouts, but the %s '%s' is not static", op, what,
                 lay_int_text(ctx, t->leaf));
        return true;
    }
    for (int i = 0; i < t->rank; ++i)
        if (name_leaf(ctx, t->kid[i], what, op)) return true;
    return false;
}

bool lay_need_static(struct lay_ctx *ctx, struct lay l, const char *op) {
    if (!l.shape || lay_static(l)) return l.shape != NULL;
    if (!name_leaf(ctx, l.shape, "extent", op) && !name_leaf(ctx, l.stride, "stride", op))
        lay_fail(ctx, "%s needs static layouts, but the offset '%s' is not static", op,
                 lay_int_text(ctx, l.offset));
    return false;
}

bool lay_equal(struct lay a, struct lay b) {
    if (!lay_tuple_equal(a.shape, b.shape) || !lay_tuple_equal(a.stride, b.stride) ||
        a.composed != b.composed)
        return false;
    return !a.composed || (lay_int_equal(a.offset, b.offset) && a.sw.b == b.sw.b &&
                           a.sw.m == b.sw.m && a.sw.s == b.sw.s);
}

// The largest sum of the leaves, or the largest one with strides taken positive.
static struct lay_int largest(struct lay_ctx *ctx, const struct lay_tuple *s,
                              const struct lay_tuple *d, bool positive) {
    if (s->rank < 0) {
        int64_t lo, hi;
        struct lay_int stride = d->leaf;
        lay_int_range(stride, &lo, &hi);
        if (lay_is_unit(s->leaf) || (hi <= 0 && !positive)) return lay_static_int(0);
        if (lo < 0) stride = lay_int_neg(ctx, stride);
        if (lay_plain(s->leaf)) return lay_int_mul(ctx, lay_static_int(s->leaf.num - 1), stride);
        lay_fail(ctx, "the cosize is not one term: the extent '%s' is not static",
                 lay_int_text(ctx, s->leaf));
        return LAY_INT_INVALID;
    }
    struct lay_int sum = lay_static_int(0);
    for (int i = 0; i < s->rank; ++i)
        sum = lay_int_add(ctx, sum, largest(ctx, s->kid[i], d->kid[i], positive));
    return sum;
}

// The largest value + 1, or the same with strides taken positive.
static struct lay_int one_more(struct lay_ctx *ctx, struct lay l, bool positive) {
    if (!l.shape) return LAY_INT_INVALID;
    if (!lay_tuple_static(l.shape) || !lay_tuple_static(l.stride)) {
        struct lay c = lay_coalesce(ctx, lay_inner(l));
        if (c.shape && c.shape->rank < 0 && lay_is_unit(c.stride->leaf)) return c.shape->leaf;
    }
    return lay_int_add(ctx, largest(ctx, l.shape, l.stride, positive), lay_static_int(1));
}

struct lay_int lay_span(struct lay_ctx *ctx, struct lay l) {
    return one_more(ctx, l, true);
}

// The same function without the modes that move by whole periods of the swizzle, if "low", or only
// with those.
static struct lay by_period(struct lay_ctx *ctx, struct lay l, bool low) {
    struct lay_flat f;
    int64_t period = (int64_t)1 << (l.sw.m + l.sw.b + (l.sw.s < 0 ? -l.sw.s : l.sw.s));
    int n = 0;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f)) return lay_layout_invalid();
    for (int i = 0; i < f.n; ++i) {
        if (lay_int_divisible(f.d[i], period) == low) continue;
        f.s[n] = f.s[i];
        f.d[n++] = f.d[i];
    }
    f.n = n;
    return lay_flat_lay(ctx, &f);
}

// The largest value + 1 of a swizzled layout.  A whole period stays what it is under the swizzle,
// so only the values within a period have to be compared.
static struct lay_int cosize_swizzled(struct lay_ctx *ctx, struct lay l) {
    struct lay far = by_period(ctx, l, false), near = by_period(ctx, l, true);
    struct lay_int whole = one_more(ctx, far, false), n = lay_size(ctx, near);
    if (whole.den == 0 || !near.shape) return LAY_INT_INVALID;
    near = lay_under(l, near);
    if (!lay_need_static(ctx, near, "the cosize of a swizzled layout")) return LAY_INT_INVALID;
    if (!lay_plain(n) || n.num > CHECK_POINTS) {
        lay_fail(ctx, "the cosize of '%s' takes more than %d values to find", lay_text(ctx, l),
                 CHECK_POINTS);
        return LAY_INT_INVALID;
    }
    int64_t most = INT64_MIN, x;
    for (int64_t i = 0; i < n.num; ++i) {
        if (!lay_eval(ctx, near, i, &x)) return LAY_INT_INVALID;
        most = x > most ? x : most;
    }
    return lay_int_add(ctx, whole, lay_int(most));
}

struct lay_int lay_cosize(struct lay_ctx *ctx, struct lay l) {
    return l.shape && l.composed ? cosize_swizzled(ctx, l) : one_more(ctx, l, false);
}

struct lay lay_mode(struct lay_ctx *ctx, struct lay l, int i) {
    if (!l.shape) return l;
    if (i < 0 || i >= lay_rank(l)) {
        lay_fail(ctx, "'%s' has no mode %d; its rank is %d", lay_text(ctx, l), i, lay_rank(l));
        return lay_layout_invalid();
    }
    if (l.shape->rank < 0) return l;
    l.shape = l.shape->kid[i];
    l.stride = l.stride->kid[i];
    return l;
}

struct lay lay_get(struct lay_ctx *ctx, struct lay l, int n, const int *path) {
    for (int i = 0; i < n; ++i) l = lay_mode(ctx, l, path[i]);
    return l;
}
