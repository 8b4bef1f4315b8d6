// Widths: the same memory as wider or narrower elements, and how many consecutive elements two
// layouts share.
#include "layout/impl.h"

// "l" with the leaves of "f" from number "*at" on, in the structure of "l".
static struct lay with_leaves(struct lay_ctx *ctx, struct lay l, const struct lay_flat *f,
                              int *at) {
    struct lay part[LAY_MAX_RANK];
    if (l.shape->rank < 0) {
        int k = (*at)++;
        return lay_raw(lay_leaf(ctx, f->s[k]), lay_leaf(ctx, f->d[k]));
    }
    for (int i = 0; i < l.shape->rank; ++i) part[i] = with_leaves(ctx, lay_mode(ctx, l, i), f, at);
    return lay_join(ctx, l.shape->rank, part);
}

// s:d -> s:d/n if n divides the stride; otherwise the extent is divided by the rest of n.  Adds to
// "*within" the largest place in a wide element that the coordinates of one such element reach.
static bool widen(struct lay_ctx *ctx, int64_t n, struct lay_int *s, struct lay_int *d,
                  int64_t *within) {
    int64_t lo, hi;
    if (lay_is_value(*d, 0)) return true;
    if (lay_int_divisible(*d, n)) {
        *d = lay_int_div(ctx, *d, lay_static_int(n));
        return d->den != 0;
    }
    if (!lay_plain(*d) || n % d->num != 0) {
        lay_fail(ctx,
                 "the stride '%s' and the %lld elements that become one: neither divides the other",
                 lay_int_text(ctx, *d), (long long)n);
        return false;
    }
    if (d->num < 0 && !lay_is_unit(*s)) {
        lay_fail(ctx,
                 "the mode '%s:%s' runs backwards, so the first of the %lld elements that become "
                 "one is not at coordinate 0",
                 lay_int_text(ctx, *s), lay_int_text(ctx, *d), (long long)n);
        return false;
    }
    lay_int_range(*s, &lo, &hi);
    int64_t way = d->num < 0 ? -1 : 1, each = n / (d->num * way);
    *within += ((hi < each ? hi : each) - 1) * d->num;
    *s = lay_int_ceil_div(ctx, *s, lay_static_int(each));
    *d = lay_static_int(way);
    return s->den != 0;
}

static struct lay widened(struct lay_ctx *ctx, struct lay l, int64_t n) {
    struct lay_flat f;
    int64_t within = 0;
    int at = 0;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f)) return lay_layout_invalid();
    for (int i = 0; i < f.n; ++i) {
        if (!widen(ctx, n, &f.s[i], &f.d[i], &within)) return lay_layout_invalid();
        if (within >= n) {
            lay_fail(ctx,
                     "'%s' has no elements %lld times wider: coordinates that would become one are "
                     "%lld apart",
                     lay_text(ctx, l), (long long)n, (long long)within);
            return lay_layout_invalid();
        }
    }
    return with_leaves(ctx, l, &f, &at);
}

// The leaf whose elements are contiguous, so that it counts the narrow elements too: one of stride
// 1, rather with several elements; -1: none.  The stride of a leaf of one element does not matter.
static int unit_leaf(const struct lay_flat *f) {
    int one = -1;
    for (int i = 0; i < f->n; ++i) {
        bool single = lay_is_unit(f->s[i]);
        if (!single && lay_is_value(f->d[i], 1)) return i;
        if (single && one < 0 && (lay_is_value(f->d[i], 1) || lay_is_value(f->d[i], -1))) one = i;
    }
    return one;
}

static struct lay narrowed(struct lay_ctx *ctx, struct lay l, int64_t n) {
    struct lay_flat f;
    int at = 0;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f)) return lay_layout_invalid();
    int unit = unit_leaf(&f);
    if (unit < 0 && n > 1) {
        lay_fail(ctx, "'%s' has no contiguous elements that could become narrower",
                 lay_text(ctx, l));
        return lay_layout_invalid();
    }
    for (int i = 0; i < f.n; ++i) {
        struct lay_int *grows = i == unit ? &f.s[i] : &f.d[i];
        if (i == unit) f.d[i] = lay_static_int(1);
        *grows = lay_int_mul(ctx, *grows, lay_static_int(n));
        if (grows->den == 0) return lay_layout_invalid();
    }
    return with_leaves(ctx, l, &f, &at);
}

static struct lay cast(struct lay_ctx *ctx, struct lay l, int64_t n, bool wider) {
    struct lay_swizzle w = l.sw;
    if (!l.shape) return l;
    if (n < 1) {
        lay_fail(ctx, "the width of elements cannot change by %lld", (long long)n);
        return lay_layout_invalid();
    }
    struct lay inner = wider ? widened(ctx, lay_inner(l), n) : narrowed(ctx, lay_inner(l), n);
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

// How many of the "n" elements that "inverse" numbers are inside "a"; with symbols, how many surely
// are, at least 1.  Each stride of an inverse is a multiple of what smaller ones span, so that its
// values are less than the largest extent times stride.
static struct lay_int within(struct lay_ctx *ctx, struct lay a, struct lay inverse,
                             struct lay_int n) {
    struct lay_flat f;
    struct lay_int size = lay_size(ctx, a);
    int64_t room, hi, most = 0, count = 0, of = 1;
    bool inside = true;
    if (n.den == 0 || !lay_flat_of(ctx, inverse.shape, inverse.stride, &f)) return LAY_INT_INVALID;
    for (int i = 0; i < f.n; ++i) {
        struct lay_int end = lay_int_mul(ctx, f.s[i], f.d[i]);
        inside = inside && (lay_int_less_equal(end, size) || lay_int_divides(end, size));
    }
    if (inside || lay_is_unit(n)) return n;
    if (!lay_plain(n) || !lay_static(inverse)) return lay_static_int(1);
    // The first element that is outside has as small a digit as can be in the last mode of the
    // inverse, then in the one before.
    lay_int_range(size, &room, &hi);
    for (int i = 0; i < f.n; ++i) {
        most += (f.s[i].num - 1) * f.d[i].num;
        of *= f.s[i].num;
    }
    if (most < room) return n;
    for (int i = f.n - 1; i >= 0; --i) {
        of /= f.s[i].num;
        most -= (f.s[i].num - 1) * f.d[i].num;
        int64_t digit = room > most ? (room - most + f.d[i].num - 1) / f.d[i].num : 0;
        room -= digit * f.d[i].num;
        count += digit * of;
    }
    return count < n.num ? lay_int(count) : n;
}

// Consecutive elements that both have in common.  If the extent has symbols, its known divisor is
// the result.
struct lay_int lay_max_common_vector(struct lay_ctx *ctx, struct lay a, struct lay b) {
    struct lay inverse;
    if (!a.shape || !b.shape) return LAY_INT_INVALID;
    struct lay_int n = run(ctx, common(ctx, lay_inner(a), lay_inner(b), &inverse));
    n = within(ctx, a, inverse, n);
    return unmoved(ctx, b, unmoved(ctx, a, n));
}

struct lay lay_max_common_layout(struct lay_ctx *ctx, struct lay a, struct lay b) {
    struct lay inverse;
    if (!a.shape || !b.shape) return lay_layout_invalid();
    struct lay both = common(ctx, lay_inner(a), lay_inner(b), &inverse);
    struct lay_int n = unmoved(ctx, b, unmoved(ctx, a, within(ctx, a, inverse, run(ctx, both))));
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
