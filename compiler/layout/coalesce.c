// Simplifies layouts: coalesce, filter, with_shape.  The algebra works on the resulting form: a
// flat list of modes in which no two neighbours can be merged.
#include "layout/impl.h"

static bool put_flat(struct lay_ctx *ctx, const struct lay_tuple *s, const struct lay_tuple *d,
                     struct lay_flat *f) {
    if (s->rank < 0) {
        if (f->n == LAY_MAX_LEAVES) {
            lay_fail(ctx, "a layout of more than %d leaves", LAY_MAX_LEAVES);
            return false;
        }
        f->s[f->n] = s->leaf;
        f->d[f->n++] = d->leaf;
        return true;
    }
    for (int i = 0; i < s->rank; ++i)
        if (!put_flat(ctx, s->kid[i], d->kid[i], f)) return false;
    return true;
}

bool lay_flat_of(struct lay_ctx *ctx, const struct lay_tuple *shape, const struct lay_tuple *stride,
                 struct lay_flat *f) {
    f->n = 0;
    return shape && stride && put_flat(ctx, shape, stride, f);
}

struct lay lay_flat_lay(struct lay_ctx *ctx, const struct lay_flat *f) {
    struct lay out;
    if (f->n == 0)
        out = lay_raw(lay_leaf(ctx, lay_static_int(1)), lay_leaf(ctx, lay_static_int(0)));
    else if (f->n == 1)
        out = lay_raw(lay_leaf(ctx, f->s[0]), lay_leaf(ctx, f->d[0]));
    else
        out = lay_raw(lay_ints(ctx, f->n, f->s), lay_ints(ctx, f->n, f->d));
    return out.shape && out.stride ? out : lay_layout_invalid();
}

// Whether the next mode, of stride "next", continues s0:d0.
static bool runs_on(struct lay_ctx *ctx, struct lay_int s0, struct lay_int d0,
                    struct lay_int next) {
    if (lay_plain(s0) && lay_plain(d0)) {
        int64_t v;
        return lay_plain(next) && !__builtin_mul_overflow(s0.num, d0.num, &v) && v == next.num;
    }
    struct lay_ctx quiet = *ctx;
    return lay_int_equal(lay_int_mul(&quiet, s0, d0), next);
}

// Goes from the right, like CuTe: what decides is the first mode of the run so far.
bool lay_flat_coalesce(struct lay_ctx *ctx, struct lay_flat *f, bool keep_tail) {
    int out = f->n;  // the result is in [out, f->n)
    if (f->n == 0) return true;
    for (int i = f->n - 1; i >= 0; --i) {
        struct lay_int s = f->s[i], d = f->d[i];
        if (keep_tail && i == f->n - 1 && lay_is_unit(s)) s = lay_static_int(2);
        if (lay_is_unit(s)) continue;
        if (out < f->n && runs_on(ctx, s, d, f->d[out])) {
            f->s[out] = lay_int_mul(ctx, s, f->s[out]);
            f->d[out] = d;
            if (f->s[out].den == 0) return false;
            continue;
        }
        --out;
        f->s[out] = s;
        f->d[out] = d;
    }
    int n = f->n - out;
    for (int i = 0; i < n && out; ++i) {
        f->s[i] = f->s[out + i];
        f->d[i] = f->d[out + i];
    }
    f->n = n;
    return true;
}

struct lay lay_coalesce(struct lay_ctx *ctx, struct lay l) {
    struct lay_flat f;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f) || !lay_flat_coalesce(ctx, &f, false))
        return lay_layout_invalid();
    return lay_under(l, lay_flat_lay(ctx, &f));
}

// -- by mode --------------------------------------------------------------------------------------

typedef struct lay unary_fn(struct lay_ctx *, struct lay);

// Applies "each" at the leaves of "profile".  Modes beyond its rank are unchanged.
static struct lay by_profile(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *profile,
                             unary_fn *each) {
    struct lay part[LAY_MAX_RANK];
    if (!l.shape || !profile) return lay_layout_invalid();
    if (profile->rank < 0) return each(ctx, l);
    if (profile->rank > lay_rank(l)) {
        lay_fail(ctx, "the profile '%s' has more modes than '%s'", lay_tuple_text(ctx, profile),
                 lay_text(ctx, l));
        return lay_layout_invalid();
    }
    for (int i = 0; i < lay_rank(l); ++i) {
        part[i] = lay_mode(ctx, lay_inner(l), i);
        if (i < profile->rank) part[i] = by_profile(ctx, part[i], profile->kid[i], each);
    }
    return lay_under(l, lay_join(ctx, lay_rank(l), part));
}

struct lay lay_coalesce_by(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *profile) {
    return by_profile(ctx, l, profile, lay_coalesce);
}

struct lay lay_filter_by(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *profile) {
    return by_profile(ctx, l, profile, lay_filter);
}

static const struct lay_tuple *zeros_to_ones(struct lay_ctx *ctx, const struct lay_tuple *s,
                                             const struct lay_tuple *d) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (s->rank < 0) return lay_is_value(d->leaf, 0) ? lay_leaf_of(ctx, 1) : s;
    for (int i = 0; i < s->rank; ++i) kid[i] = zeros_to_ones(ctx, s->kid[i], d->kid[i]);
    return lay_tuple(ctx, s->rank, kid);
}

struct lay lay_filter_zeros(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return l;
    return lay_under(l, lay_raw(zeros_to_ones(ctx, l.shape, l.stride), l.stride));
}

struct lay lay_filter(struct lay_ctx *ctx, struct lay l) {
    return lay_coalesce(ctx, lay_filter_zeros(ctx, l));
}

struct lay lay_nullspace(struct lay_ctx *ctx, struct lay l) {
    struct lay_flat f, out;
    struct lay_int step = lay_static_int(1);
    out.n = 0;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f)) return lay_layout_invalid();
    for (int i = 0; i < f.n; ++i) {
        if (lay_is_value(f.d[i], 0)) {
            out.s[out.n] = f.s[i];
            out.d[out.n++] = lay_is_unit(f.s[i]) ? lay_static_int(0) : step;
        }
        step = lay_int_mul(ctx, step, f.s[i]);
    }
    if (step.den == 0) return lay_layout_invalid();
    return lay_flat_lay(ctx, &out);
}

// -- another shape --------------------------------------------------------------------------------

// Composes "l" with the compact layout of "shape".
struct lay lay_with_shape(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *shape) {
    if (!l.shape || !shape) return lay_layout_invalid();
    struct lay_int have = lay_size(ctx, l), want = lay_tuple_product(ctx, shape);
    if (have.den == 0 || want.den == 0) return lay_layout_invalid();
    if (!lay_int_equal(have, want)) {
        lay_fail(ctx, "'%s' has %s elements and the shape '%s' has %s", lay_text(ctx, l),
                 lay_int_text(ctx, have), lay_tuple_text(ctx, shape), lay_int_text(ctx, want));
        return lay_layout_invalid();
    }
    return lay_compose(ctx, l, lay_make_col(ctx, shape));
}
