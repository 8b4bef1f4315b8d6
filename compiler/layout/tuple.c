// Tuples of integers: makes them, compares their profiles, and computes with shapes.
#include "layout/impl.h"

const struct lay_tuple *lay_leaf(struct lay_ctx *ctx, struct lay_int a) {
    if (a.den == 0) return NULL;
    struct lay_tuple *t = lay_new(ctx, sizeof *t);
    t->rank = -1;
    t->leaf = a;
    t->kid = NULL;
    return t;
}

const struct lay_tuple *lay_leaf_of(struct lay_ctx *ctx, int64_t v) {
    return lay_leaf(ctx, lay_int(v));
}

const struct lay_tuple *lay_any(struct lay_ctx *ctx) {
    return lay_leaf(ctx, (struct lay_int){0, 1, NULL, 0, LAY_ANY_BASIS});
}

bool lay_is_leaf(const struct lay_tuple *t) {
    return t && t->rank < 0;
}

static bool any_leaf(struct lay_int leaf) {
    return leaf.basis == LAY_ANY_BASIS;
}

bool lay_is_any(const struct lay_tuple *t) {
    return t && t->rank < 0 && any_leaf(t->leaf);
}

bool lay_tuple_all(const struct lay_tuple *t, bool (*is)(struct lay_int)) {
    if (!t) return false;
    if (t->rank < 0) return is(t->leaf);
    for (int i = 0; i < t->rank; ++i)
        if (!lay_tuple_all(t->kid[i], is)) return false;
    return true;
}

static bool other_leaf(struct lay_int leaf) {
    return !any_leaf(leaf);
}

bool lay_has_any(const struct lay_tuple *t) {
    return t && !lay_tuple_all(t, other_leaf);
}

int lay_tuple_depth(const struct lay_tuple *t) {
    int most = 0;
    if (!t || t->rank < 0) return 0;
    for (int i = 0; i < t->rank; ++i) {
        int d = lay_tuple_depth(t->kid[i]);
        most = d > most ? d : most;
    }
    return most + 1;
}

int lay_tuple_leaves(const struct lay_tuple *t) {
    int n = 0;
    if (!t) return 0;
    if (t->rank < 0) return 1;
    for (int i = 0; i < t->rank; ++i) n += lay_tuple_leaves(t->kid[i]);
    return n;
}

const struct lay_tuple *lay_tuple(struct lay_ctx *ctx, int rank,
                                  const struct lay_tuple *const *kid) {
    if (rank > LAY_MAX_RANK) {
        lay_fail(ctx, "a tuple of rank %d; the limit is %d", rank, LAY_MAX_RANK);
        return NULL;
    }
    int leaves = 0, depth = 0;
    for (int i = 0; i < rank; ++i) {
        if (!kid[i]) return NULL;
        if (kid[i]->rank < 0) {
            ++leaves;
            continue;
        }
        int d = lay_tuple_depth(kid[i]);
        leaves += lay_tuple_leaves(kid[i]);
        depth = d > depth ? d : depth;
    }
    if (leaves > LAY_MAX_LEAVES || depth >= LAY_MAX_DEPTH) {
        lay_fail(ctx, "a tuple of %d leaves and depth %d; the limits are %d and %d", leaves,
                 depth + 1, LAY_MAX_LEAVES, LAY_MAX_DEPTH);
        return NULL;
    }
    struct lay_tuple *t = lay_new(ctx, sizeof *t + sizeof *kid * (size_t)rank);
    const struct lay_tuple **copy = (const struct lay_tuple **)(t + 1);
    for (int i = 0; i < rank; ++i) copy[i] = kid[i];
    t->rank = rank;
    t->leaf = LAY_INT_INVALID;
    t->kid = copy;
    return t;
}

const struct lay_tuple *lay_tuple2(struct lay_ctx *ctx, const struct lay_tuple *a,
                                   const struct lay_tuple *b) {
    return lay_tuple(ctx, 2, (const struct lay_tuple *const[]){a, b});
}

// Allocates the tuple and its leaves in one block.
const struct lay_tuple *lay_ints(struct lay_ctx *ctx, int n, const struct lay_int *v) {
    if (n > LAY_MAX_RANK) {
        lay_fail(ctx, "a tuple of rank %d; the limit is %d", n, LAY_MAX_RANK);
        return NULL;
    }
    struct lay_tuple *t =
        lay_new(ctx, sizeof *t * (size_t)(n + 1) + sizeof(struct lay_tuple *) * (size_t)n);
    const struct lay_tuple **kid = (const struct lay_tuple **)(t + n + 1);
    for (int i = 0; i < n; ++i) {
        if (v[i].den == 0) return NULL;
        t[i + 1].rank = -1;
        t[i + 1].leaf = v[i];
        t[i + 1].kid = NULL;
        kid[i] = &t[i + 1];
    }
    t->rank = n;
    t->leaf = LAY_INT_INVALID;
    t->kid = kid;
    return t;
}

// -- profile --------------------------------------------------------------------------------------

int lay_tuple_rank(const struct lay_tuple *t) {
    return !t ? 0 : t->rank < 0 ? 1 : t->rank;
}

bool lay_tuple_equal(const struct lay_tuple *a, const struct lay_tuple *b) {
    if (!a || !b || a->rank != b->rank) return false;
    if (a->rank < 0) return lay_int_equal(a->leaf, b->leaf);
    for (int i = 0; i < a->rank; ++i)
        if (!lay_tuple_equal(a->kid[i], b->kid[i])) return false;
    return true;
}

bool lay_tuple_static(const struct lay_tuple *t) {
    return lay_tuple_all(t, lay_int_static);
}

const struct lay_tuple *lay_tuple_get(struct lay_ctx *ctx, const struct lay_tuple *t, int i) {
    if (!t) return NULL;
    if (i < 0 || i >= lay_tuple_rank(t)) {
        lay_fail(ctx, "'%s' has no mode %d; its rank is %d", lay_tuple_text(ctx, t), i,
                 lay_tuple_rank(t));
        return NULL;
    }
    return t->rank < 0 ? t : t->kid[i];
}

bool lay_congruent(const struct lay_tuple *a, const struct lay_tuple *b) {
    if (!a || !b || a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; ++i)
        if (!lay_congruent(a->kid[i], b->kid[i])) return false;
    return true;
}

bool lay_weakly_congruent(const struct lay_tuple *a, const struct lay_tuple *b) {
    if (!a || !b) return false;
    if (a->rank < 0) return true;
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; ++i)
        if (!lay_weakly_congruent(a->kid[i], b->kid[i])) return false;
    return true;
}

struct lay_int lay_tuple_product(struct lay_ctx *ctx, const struct lay_tuple *t) {
    if (!t) return LAY_INT_INVALID;
    if (t->rank < 0) return t->leaf;
    struct lay_int p = lay_static_int(1);
    for (int i = 0; i < t->rank; ++i)
        p = lay_int_mul(ctx, p,
                        t->kid[i]->rank < 0 ? t->kid[i]->leaf : lay_tuple_product(ctx, t->kid[i]));
    return p;
}

// Whether each leaf of "a" is the size of the corresponding part of "b".
bool lay_compatible(struct lay_ctx *ctx, const struct lay_tuple *a, const struct lay_tuple *b) {
    if (!a || !b) return false;
    if (a->rank < 0) return lay_int_equal(a->leaf, lay_tuple_product(ctx, b));
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; ++i)
        if (!lay_compatible(ctx, a->kid[i], b->kid[i])) return false;
    return true;
}

// Divides the integer "*rest" by the modes of "a" from the left.  In each step, one of the two must
// divide the other.
static bool take_out(struct lay_ctx *ctx, const struct lay_tuple *a, struct lay_int *rest) {
    struct lay_int one = lay_static_int(1);
    if (a->rank < 0) {
        if (lay_int_divides(*rest, a->leaf))
            *rest = one;
        else if (lay_int_divides(a->leaf, *rest))
            *rest = lay_int_div(ctx, *rest, a->leaf);
        else
            return false;
        return true;
    }
    for (int i = 0; i < a->rank; ++i)
        if (!take_out(ctx, a->kid[i], rest)) return false;
    return true;
}

// Whether, mode by mode, the size of "b" divides the size of "a".  An integer "b" is divided by the
// modes of "a" from the left.
bool lay_evenly_divides(struct lay_ctx *ctx, const struct lay_tuple *a, const struct lay_tuple *b) {
    if (!a || !b) return false;
    if (b->rank < 0) {
        struct lay_int rest = b->leaf;
        return take_out(ctx, a, &rest) && lay_is_unit(rest);
    }
    if (a->rank < b->rank) return false;
    for (int i = 0; i < b->rank; ++i)
        if (!lay_evenly_divides(ctx, a->kid[i], b->kid[i])) return false;
    return true;
}

static int put_leaves(const struct lay_tuple *t, struct lay_int *out, int n) {
    if (t->rank < 0) {
        out[n] = t->leaf;
        return n + 1;
    }
    for (int i = 0; i < t->rank; ++i) n = put_leaves(t->kid[i], out, n);
    return n;
}

const struct lay_tuple *lay_tuple_flatten(struct lay_ctx *ctx, const struct lay_tuple *t) {
    struct lay_int v[LAY_MAX_LEAVES];
    if (!t || t->rank < 0) return t;
    return lay_ints(ctx, put_leaves(t, v, 0), v);
}

const struct lay_tuple *lay_product_each(struct lay_ctx *ctx, const struct lay_tuple *t) {
    struct lay_int v[LAY_MAX_RANK];
    if (!t || t->rank < 0) return t ? lay_tuple(ctx, 1, &t) : NULL;
    for (int i = 0; i < t->rank; ++i) v[i] = lay_tuple_product(ctx, t->kid[i]);
    return lay_ints(ctx, t->rank, v);
}

// -- shape arithmetic -----------------------------------------------------------------------------

typedef const struct lay_tuple *leaf_fn(struct lay_ctx *, const struct lay_tuple *,
                                        const struct lay_tuple *);

// Applies "each" mode by mode.  Modes of "a" beyond the rank of "b" are unchanged.
static const struct lay_tuple *by_mode(struct lay_ctx *ctx, const struct lay_tuple *a,
                                       const struct lay_tuple *b, leaf_fn *each) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < a->rank; ++i)
        kid[i] = i < b->rank ? each(ctx, a->kid[i], b->kid[i]) : a->kid[i];
    return lay_tuple(ctx, a->rank, kid);
}

// Divides the modes of "a" by an integer "b" from the left, each rounded up.
const struct lay_tuple *lay_ceil_div(struct lay_ctx *ctx, const struct lay_tuple *a,
                                     const struct lay_tuple *b) {
    if (!a || !b) return NULL;
    if (b->rank >= 0 && a->rank < 0)
        return lay_leaf(ctx, lay_int_ceil_div(ctx, a->leaf, lay_tuple_product(ctx, b)));
    if (b->rank >= 0) {
        if (a->rank < b->rank) {
            lay_fail(ctx, "'%s' has fewer modes than its divisor '%s'", lay_tuple_text(ctx, a),
                     lay_tuple_text(ctx, b));
            return NULL;
        }
        return by_mode(ctx, a, b, lay_ceil_div);
    }
    if (a->rank < 0) return lay_leaf(ctx, lay_int_ceil_div(ctx, a->leaf, b->leaf));
    const struct lay_tuple *kid[LAY_MAX_RANK];
    struct lay_int rest = b->leaf;
    for (int i = 0; i < a->rank; ++i) {
        const struct lay_tuple *by = lay_leaf(ctx, rest);
        struct lay_int size = lay_tuple_product(ctx, a->kid[i]);
        kid[i] = lay_ceil_div(ctx, a->kid[i], by);
        rest = lay_int_ceil_div(ctx, rest, size);
        if (!kid[i] || rest.den == 0) return NULL;
    }
    return lay_tuple(ctx, a->rank, kid);
}

const struct lay_tuple *lay_round_up(struct lay_ctx *ctx, const struct lay_tuple *a,
                                     const struct lay_tuple *b) {
    if (!a || !b) return NULL;
    if (a->rank >= 0 && b->rank >= 0) {
        if (a->rank < b->rank) {
            lay_fail(ctx, "'%s' has fewer modes than '%s'", lay_tuple_text(ctx, a),
                     lay_tuple_text(ctx, b));
            return NULL;
        }
        return by_mode(ctx, a, b, lay_round_up);
    }
    if (a->rank >= 0 || b->rank >= 0) {
        lay_fail(ctx, "'%s' cannot be rounded up to multiples of '%s': the profiles differ",
                 lay_tuple_text(ctx, a), lay_tuple_text(ctx, b));
        return NULL;
    }
    return lay_leaf(ctx, lay_int_mul(ctx, lay_int_ceil_div(ctx, a->leaf, b->leaf), b->leaf));
}

// Like lay_ceil_div, but one number must divide the other at each step.
const struct lay_tuple *lay_shape_div(struct lay_ctx *ctx, const struct lay_tuple *a,
                                      const struct lay_tuple *b) {
    if (!a || !b) return NULL;
    if (a->rank >= 0 && b->rank >= 0) {
        if (a->rank != b->rank) {
            lay_fail(ctx, "'%s' and '%s' differ in rank", lay_tuple_text(ctx, a),
                     lay_tuple_text(ctx, b));
            return NULL;
        }
        return by_mode(ctx, a, b, lay_shape_div);
    }
    if (a->rank < 0) {
        struct lay_int x = a->leaf, y = lay_tuple_product(ctx, b);
        if (y.den == 0) return NULL;
        if (lay_int_divides(y, x)) return lay_leaf(ctx, lay_int_div(ctx, x, y));
        if (lay_int_divides(x, y) && !lay_is_value(y, 0)) {
            int64_t lo, hi;
            lay_int_range(x, &lo, &hi);
            return lay_leaf_of(ctx, lo >= 0 || lay_int_divisor(x) == 0 ? 1 : -1);
        }
        lay_fail(ctx, "neither of '%s' and '%s' divides the other", lay_int_text(ctx, x),
                 lay_int_text(ctx, y));
        return NULL;
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    const struct lay_tuple *rest = b;
    for (int i = 0; i < a->rank; ++i) {
        kid[i] = lay_shape_div(ctx, a->kid[i], rest);
        const struct lay_tuple *size = lay_leaf(ctx, lay_tuple_product(ctx, a->kid[i]));
        if (i + 1 < a->rank) rest = lay_shape_div(ctx, rest, size);
        if (!kid[i] || !rest) return NULL;
    }
    return lay_tuple(ctx, a->rank, kid);
}

// -- compact strides ------------------------------------------------------------------------------

static const struct lay_tuple *compact(struct lay_ctx *ctx, const struct lay_tuple *shape,
                                       struct lay_int *next, bool row) {
    if (shape->rank < 0) {
        struct lay_int d = lay_is_unit(shape->leaf) ? lay_static_int(0) : *next;
        *next = lay_int_mul(ctx, *next, shape->leaf);
        return lay_leaf(ctx, d);
    }
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int k = 0; k < shape->rank; ++k) {
        int i = row ? shape->rank - 1 - k : k;
        kid[i] = compact(ctx, shape->kid[i], next, row);
        if (!kid[i] || next->den == 0) return NULL;
    }
    return lay_tuple(ctx, shape->rank, kid);
}

const struct lay_tuple *lay_compact_col(struct lay_ctx *ctx, const struct lay_tuple *shape,
                                        struct lay_int start) {
    return shape && start.den ? compact(ctx, shape, &start, false) : NULL;
}

const struct lay_tuple *lay_compact_row(struct lay_ctx *ctx, const struct lay_tuple *shape,
                                        struct lay_int start) {
    return shape && start.den ? compact(ctx, shape, &start, true) : NULL;
}
