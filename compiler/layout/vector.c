// Widths: the same memory as wider or narrower elements, and how many consecutive elements two
// layouts share.
#include "layout/impl.h"

typedef bool leaf_fn(struct lay_ctx *, int64_t n, struct lay_int *s, struct lay_int *d);

static struct lay each_leaf(struct lay_ctx *ctx, struct lay l, int64_t n, leaf_fn *change) {
    if (l.shape->rank < 0) {
        struct lay_int s = l.shape->leaf, d = l.stride->leaf;
        if (!change(ctx, n, &s, &d)) return lay_layout_invalid();
        return lay_raw(lay_leaf(ctx, s), lay_leaf(ctx, d));
    }
    struct lay part[LAY_MAX_RANK];
    for (int i = 0; i < l.shape->rank; ++i)
        part[i] = each_leaf(ctx, lay_mode(ctx, l, i), n, change);
    return lay_join(ctx, l.shape->rank, part);
}

// s:d -> s:d/n if n divides the stride; otherwise the extent is divided by the rest of n.
static bool widen(struct lay_ctx *ctx, int64_t n, struct lay_int *s, struct lay_int *d) {
    if (lay_is_value(*d, 0)) return true;
    if (lay_int_divisible(*d, n)) {
        *d = lay_int_div(ctx, *d, lay_static_int(n));
        return true;
    }
    if (lay_plain(*d) && n % d->num == 0) {
        int64_t mag = d->num < 0 ? -d->num : d->num;
        *s = lay_int_ceil_div(ctx, *s, lay_static_int(n / mag));
        *d = lay_static_int(d->num < 0 ? -1 : 1);
        return s->den != 0;
    }
    lay_fail(ctx,
             "the stride '%s' and the %lld elements that become one: neither divides the other",
             lay_int_text(ctx, *d), (long long)n);
    return false;
}

static bool narrow(struct lay_ctx *ctx, int64_t n, struct lay_int *s, struct lay_int *d) {
    struct lay_int *grows = lay_is_value(*d, 1) || lay_is_value(*d, -1) ? s : d;
    *grows = lay_int_mul(ctx, *grows, lay_static_int(n));
    return grows->den != 0;
}

static bool has_unit(const struct lay_tuple *d) {
    if (d->rank < 0) return lay_is_value(d->leaf, 1) || lay_is_value(d->leaf, -1);
    for (int i = 0; i < d->rank; ++i)
        if (has_unit(d->kid[i])) return true;
    return false;
}

static struct lay cast(struct lay_ctx *ctx, struct lay l, int64_t n, bool wider) {
    struct lay_swizzle w = l.sw;
    if (!l.shape) return l;
    if (n < 1) {
        lay_fail(ctx, "the width of elements cannot change by %lld", (long long)n);
        return lay_layout_invalid();
    }
    if (!wider && !has_unit(l.stride)) {
        lay_fail(ctx, "'%s' has no contiguous elements that could become narrower",
                 lay_text(ctx, l));
        return lay_layout_invalid();
    }
    struct lay inner = each_leaf(ctx, lay_inner(l), n, wider ? widen : narrow);
    if (!l.composed || !inner.shape) return inner;
    struct lay_int by = lay_static_int(n);
    struct lay_int off = wider ? lay_int_div(ctx, l.offset, by) : lay_int_mul(ctx, l.offset, by);
    if (off.den == 0 || !lay_swizzle_cast(ctx, l.sw, n, wider, &w)) return lay_layout_invalid();
    inner.sw = w;
    inner.offset = off;
    inner.composed = true;
    return inner;
}

struct lay lay_upcast(struct lay_ctx *ctx, struct lay l, int64_t n) {
    return cast(ctx, l, n, true);
}

struct lay lay_downcast(struct lay_ctx *ctx, struct lay l, int64_t n) {
    return cast(ctx, l, n, false);
}

struct lay lay_recast(struct lay_ctx *ctx, struct lay l, int64_t old_bits, int64_t new_bits) {
    if (old_bits < 1 || new_bits < 1 || (old_bits % new_bits && new_bits % old_bits)) {
        lay_fail(ctx, "elements of %lld bits cannot be recast to elements of %lld bits",
                 (long long)old_bits, (long long)new_bits);
        return lay_layout_invalid();
    }
    if (old_bits == new_bits) return l;
    return new_bits > old_bits ? lay_upcast(ctx, l, new_bits / old_bits)
                               : lay_downcast(ctx, l, old_bits / new_bits);
}

// -- in common ------------------------------------------------------------------------------------

// coalesce(a o right_inverse(b)), restricted to the leading modes of the inverse that "a" composes
// with.
static struct lay common(struct lay_ctx *ctx, struct lay a, struct lay b, struct lay *inverse) {
    struct lay unit = lay_raw(lay_leaf_of(ctx, 1), lay_leaf_of(ctx, 0));
    *inverse = lay_right_inverse(ctx, b);
    if (!inverse->shape || !a.shape) return lay_layout_invalid();
    for (int n = lay_rank(*inverse); n > 0; --n) {
        struct lay_ctx quiet = *ctx;
        struct lay head = n == lay_rank(*inverse) ? *inverse : lay_take(&quiet, *inverse, 0, n);
        quiet.error = "quiet";
        struct lay both = lay_coalesce(&quiet, lay_compose(&quiet, a, head));
        ctx->next_sym = quiet.next_sym;
        if (both.shape) return both;
    }
    *inverse = unit;
    return unit;
}

// The extent of the first mode if its stride is 1, otherwise 1.
static struct lay_int run(struct lay_ctx *ctx, struct lay l) {
    struct lay first = lay_mode(ctx, l, 0);
    if (!first.shape) return LAY_INT_INVALID;
    return lay_is_unit(first.stride->leaf) ? first.shape->leaf : lay_static_int(1);
}

static struct lay_int least(struct lay_ctx *ctx, struct lay_int a, int64_t limit) {
    if (lay_plain(a)) return a.num < limit ? a : lay_static_int(limit);
    (void)ctx;
    int64_t d = lay_int_divisor(a);
    return lay_static_int(d % limit == 0 ? limit : lay_gcd(d, limit));
}

// How many of "n" consecutive elements the swizzle of "l" keeps together.  It moves groups of 2^m
// values, and the offset says where in a group the first one is.
static struct lay_int unmoved(struct lay_ctx *ctx, struct lay l, struct lay_int n) {
    if (!l.composed || l.sw.b == 0 || n.den == 0) return n;
    return least(ctx, n, lay_gcd((int64_t)1 << l.sw.m, lay_int_divisor(l.offset)));
}

// Consecutive elements that both have in common.  If the extent has symbols, its known divisor is
// the result.
struct lay_int lay_max_common_vector(struct lay_ctx *ctx, struct lay a, struct lay b) {
    struct lay inverse;
    if (!a.shape || !b.shape) return LAY_INT_INVALID;
    struct lay_int n = run(ctx, common(ctx, lay_inner(a), lay_inner(b), &inverse));
    return unmoved(ctx, b, unmoved(ctx, a, n));
}

struct lay lay_max_common_layout(struct lay_ctx *ctx, struct lay a, struct lay b) {
    struct lay inverse;
    if (!a.shape || !b.shape) return lay_layout_invalid();
    struct lay both = common(ctx, lay_inner(a), lay_inner(b), &inverse);
    struct lay_int n = unmoved(ctx, b, unmoved(ctx, a, run(ctx, both)));
    if (n.den == 0) return lay_layout_invalid();
    if (lay_is_unit(n)) return lay_raw(lay_leaf_of(ctx, 1), lay_leaf_of(ctx, 0));
    return lay_compose(ctx, inverse, lay_make(ctx, lay_leaf(ctx, n), lay_leaf_of(ctx, 1)));
}

// The largest n such that runs of n elements start at multiples of n.  With symbols, a known
// divisor of that.
struct lay_int lay_max_alignment(struct lay_ctx *ctx, struct lay l) {
    struct lay_flat f;
    struct lay_int next = lay_static_int(1);
    int64_t align = 0;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f) || !lay_flat_coalesce(ctx, &f, false))
        return LAY_INT_INVALID;
    bool used[LAY_MAX_LEAVES] = {false};
    for (bool more = true; more;) {  // the contiguous part: extents that continue from stride 1
        more = false;
        for (int i = 0; i < f.n && !more; ++i)
            if (!used[i] && lay_int_equal(f.d[i], next)) {
                used[i] = more = true;
                next = lay_int_mul(ctx, next, f.s[i]);
            }
    }
    if (next.den == 0) return next;
    align = lay_int_divisor(next);
    for (int i = 0; i < f.n; ++i)
        if (!used[i]) align = lay_gcd(align, lay_int_divisor(f.d[i]));
    if (l.composed) {
        align = lay_gcd(align, lay_int_divisor(l.offset));
        align = lay_gcd(align, (int64_t)1 << l.sw.m);
    }
    return lay_static_int(align);
}

struct lay lay_domain_distribute(struct lay_ctx *ctx, const struct lay_tuple *shape, int64_t b) {
    struct lay_flat f;
    struct lay_int step = lay_static_int(1);
    if (!shape || !lay_flat_of(ctx, shape, shape, &f)) return lay_layout_invalid();
    for (int i = 0; i < f.n; ++i) {
        if (!lay_plain(f.s[i]) || f.s[i].num < 1 || b < 1) {
            lay_fail(ctx, "domain_distribute needs a static shape and number");
            return lay_layout_invalid();
        }
        int64_t g = lay_gcd(f.s[i].num, b);
        b /= g;
        f.d[i] = step;
        step = lay_int_mul(ctx, step, f.s[i]);
        f.s[i] = lay_static_int(g);
    }
    if (step.den == 0 || !lay_flat_coalesce(ctx, &f, false)) return lay_layout_invalid();
    return lay_flat_lay(ctx, &f);
}
