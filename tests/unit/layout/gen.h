// Random layouts for the tests, from a seed, and comparisons point by point.
#ifndef TCPC_TESTS_LAYOUT_GEN_H
#define TCPC_TESTS_LAYOUT_GEN_H

#include "check.h"
#include "layout/arena.h"

struct rng {
    uint64_t state;
};

static inline uint32_t rng_next(struct rng *r) {
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)(((r->state >> 18) ^ r->state) >> 27), rot = (uint32_t)(r->state >> 59);
    return x >> rot | x << (-rot & 31);
}

static inline int rng_below(struct rng *r, int n) {
    return (int)(rng_next(r) % (uint32_t)n);
}

// A random shape of at most "leaves" leaves, extents up to "most", nested up to "depth".
static inline const struct lay_tuple *gen_shape(struct lay_ctx *c, struct rng *r, int depth,
                                                int most) {
    if (depth == 0 || rng_below(r, 3) == 0)
        return lay_leaf_of(c, rng_below(r, 4) ? 1 << rng_below(r, 4) : 1 + rng_below(r, most));
    const struct lay_tuple *kid[3];
    int n = 1 + rng_below(r, 3);
    for (int i = 0; i < n; ++i) kid[i] = gen_shape(c, r, depth - 1, most);
    return lay_tuple(c, n, kid);
}

// Strides that may be anything small.
static inline const struct lay_tuple *gen_strides(struct lay_ctx *c, struct rng *r,
                                                  const struct lay_tuple *shape, int most) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (lay_is_leaf(shape))
        return lay_leaf_of(c, rng_below(r, 3) ? 1 << rng_below(r, 6) : rng_below(r, most));
    for (int i = 0; i < shape->rank; ++i) kid[i] = gen_strides(c, r, shape->kid[i], most);
    return lay_tuple(c, shape->rank, kid);
}

// Strides of a permutation: a running product over the leaves in random order, with gaps of "gap"
// now and then.
static inline const struct lay_tuple *gen_compact(struct lay_ctx *c, struct rng *r,
                                                  const struct lay_tuple *shape, int gap) {
    const struct lay_tuple *flat = lay_tuple_flatten(c, shape), *kid[LAY_MAX_RANK];
    int n = lay_is_leaf(flat) ? 1 : flat->rank, order[LAY_MAX_RANK];
    struct lay_int stride[LAY_MAX_RANK], run = lay_int(1);
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = n - 1; i > 0; --i) {
        int k = rng_below(r, i + 1), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (int i = 0; i < n; ++i) {
        stride[order[i]] = run;
        run = lay_int_mul(c, run, lay_is_leaf(flat) ? flat->leaf : flat->kid[order[i]]->leaf);
        if (gap && rng_below(r, 3) == 0) run = lay_int_mul(c, run, lay_int(1 + rng_below(r, gap)));
    }
    for (int i = 0; i < n; ++i) kid[i] = lay_leaf(c, stride[i]);
    if (lay_is_leaf(shape)) return kid[0];
    struct lay l = lay_unflatten(c, lay_make(c, flat, lay_tuple(c, n, kid)), shape);
    return l.stride;
}

// A random layout of at most "size" elements: injective, or with any strides.
static inline struct lay gen_layout(struct lay_ctx *c, struct rng *r, int depth, int size,
                                    int injective) {
    for (;;) {
        const struct lay_tuple *s = gen_shape(c, r, depth, 7);
        struct lay_int n = lay_tuple_product(c, s);
        if (n.num > size) continue;
        if (injective || rng_below(r, 2))
            return lay_make(c, s, gen_compact(c, r, s, injective == 1 ? 0 : 3));
        return lay_make(c, s, gen_strides(c, r, s, 13));
    }
}

static inline int64_t value(struct lay_ctx *c, struct lay l, int64_t i) {
    int64_t v = 0;
    bool ok = lay_eval(c, l, i, &v);
    CHECK(ok, "no value: %s", c->error);
    return v;
}

// The same values for i in [0, size of a) and "past" more.
static inline int same_values(struct lay_ctx *c, struct lay a, struct lay b, int past) {
    int64_t n = lay_size(c, a).num + past;
    for (int64_t i = 0; i < n; ++i) {
        int64_t x, y;
        if (!lay_eval(c, a, i, &x) || !lay_eval(c, b, i, &y) || x != y) return 0;
    }
    return 1;
}

#endif
