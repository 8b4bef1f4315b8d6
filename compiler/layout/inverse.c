// Complements and inverses of layouts.  All three functions sort the modes of a coalesced layout by
// stride.
#include "layout/impl.h"

enum { CHECK_POINTS = 1 << 20 };

static struct lay bad(void) {
    return lay_layout_invalid();
}

// -- complement -----------------------------------------------------------------------------------

// The mode with the smallest stride, the first one if there are several; -1 if the order is not
// known.
static int smallest(const struct lay_flat *f) {
    int best = 0;
    for (int i = 1; i < f->n; ++i)
        if (lay_int_less(f->d[i], f->d[best])) best = i;
    for (int i = 0; i < f->n; ++i)
        if (!lay_int_less_equal(f->d[best], f->d[i])) return -1;
    return best;
}

// Whether the complement's mode below s:d ("gap" steps of "last") fills all numbers below "room".
// If the stride "d" is not a multiple of "last", nothing reaches the numbers just below "d".
// Reports an error if not.
static bool fills(struct lay_ctx *ctx, struct lay a, struct lay_int s, struct lay_int d,
                  struct lay_int last, struct lay_int gap, struct lay_int room) {
    int64_t from, upto;
    if (!lay_plain(d) || !lay_plain(last) || d.num % last.num == 0) return true;
    from = gap.num * last.num;
    if (lay_int_less_equal(room, lay_static_int(from))) return true;
    upto = (lay_plain(room) && room.num < d.num ? room.num : d.num) - 1;
    struct lay_buf hole = {.ctx = ctx};
    lay_buf_add(&hole, "%lld", (long long)from);
    if (upto > from) lay_buf_add(&hole, " .. %lld", (long long)upto);
    lay_fail(ctx,
             "'%s' has no complement that fills %s: nothing can reach %s, since the stride of the "
             "mode %s:%s is not a multiple of %s, which the modes below it span",
             lay_text(ctx, a), lay_int_text(ctx, room), lay_buf_done(&hole), lay_int_text(ctx, s),
             lay_int_text(ctx, d), lay_int_text(ctx, last));
    return false;
}

// The complement, including modes of extent 1.  With "fill", one that leaves no holes.
static bool complement(struct lay_ctx *ctx, struct lay a, const struct lay_tuple *cotarget,
                       bool fill, struct lay_flat *out) {
    struct lay_flat f;
    struct lay_int last = lay_static_int(1);
    out->n = 0;
    a = lay_inner(a);
    struct lay filtered = lay_filter(ctx, a);
    if (!lay_flat_of(ctx, filtered.shape, filtered.stride, &f)) return false;
    if (!cotarget) cotarget = lay_leaf(ctx, lay_span(ctx, filtered));
    struct lay_int room = lay_tuple_product(ctx, cotarget);
    int64_t lo, hi;
    lay_int_range(room, &lo, &hi);
    if (room.den == 0 || hi < 1) {
        lay_fail(ctx, "the complement of '%s' has no room in '%s'", lay_text(ctx, a),
                 lay_tuple_text(ctx, cotarget));
        return false;
    }
    if (f.n == 1 && lay_is_value(f.d[0], 0)) f.n = 0;
    while (f.n > 0) {
        int k = smallest(&f);
        if (k < 0) {
            lay_fail(ctx, "the complement of '%s' needs the order of its strides",
                     lay_text(ctx, a));
            return false;
        }
        struct lay_int s = f.s[k], d = f.d[k], gap;
        if (lay_plain(d) && lay_plain(last))
            gap = lay_static_int(d.num / last.num);
        else if (lay_int_divides(last, d))
            gap = lay_int_div(ctx, d, last);
        else
            gap = LAY_INT_INVALID;
        if (gap.den == 0 || gap.num <= 0) {
            lay_fail(ctx, "'%s' has no complement: the mode %s:%s %s", lay_text(ctx, a),
                     lay_int_text(ctx, s), lay_int_text(ctx, d),
                     gap.den == 0 ? "has a stride that is not known to be a multiple of what the "
                                    "modes before it span"
                     : d.num < 0  ? "has a negative stride"
                                  : "overlaps the modes with smaller strides");
            return false;
        }
        if (fill && !fills(ctx, a, s, d, last, gap, room)) return false;
        out->s[out->n] = gap;
        out->d[out->n++] = last;
        last = lay_int_mul(ctx, d, s);
        --f.n;
        for (int i = k; i < f.n; ++i) {  // the others keep their order, because it breaks ties
            f.s[i] = f.s[i + 1];
            f.d[i] = f.d[i + 1];
        }
        if (last.den == 0) return false;
    }
    const struct lay_tuple *rest = lay_ceil_div(ctx, cotarget, lay_leaf(ctx, last));
    out->s[out->n] = lay_tuple_product(ctx, rest);
    out->d[out->n] = last;
    return out->s[out->n++].den != 0;
}

struct lay lay_complement_as(struct lay_ctx *ctx, struct lay a, const struct lay_tuple *cotarget,
                             bool fill) {
    struct lay_flat out;
    if (!complement(ctx, a, cotarget, fill, &out) || !lay_flat_coalesce(ctx, &out, false))
        return bad();
    return lay_flat_lay(ctx, &out);
}

// Whether the values of the swizzled "a" and copies of them at "r" are the numbers below "n", each
// once.
static bool fills_swizzled(struct lay_ctx *ctx, struct lay a, struct lay r, int64_t n) {
    int64_t *copy = lay_new(ctx, sizeof *copy * (size_t)n), size = lay_size(ctx, a).num, x, y,
            found = 0;
    for (int64_t i = 0; i < n; ++i) copy[i] = -1;
    for (int64_t j = 0, copies = lay_size(ctx, r).num; j < copies; ++j)
        for (int64_t i = 0; i < size; ++i) {
            if (!lay_eval(ctx, a, i, &x) || !lay_eval(ctx, r, j, &y)) return false;
            if (x < 0 || x >= n - y || (copy[x + y] >= 0 && copy[x + y] != j)) return false;
            found += copy[x + y] < 0;
            copy[x + y] = j;
        }
    return found == n;
}

struct lay lay_complement(struct lay_ctx *ctx, struct lay a, const struct lay_tuple *cotarget) {
    struct lay r = lay_complement_as(ctx, a, cotarget, true);
    if (!r.shape || !a.composed) return r;
    struct lay_int n =
        lay_int_mul(ctx, lay_size(ctx, lay_filter_zeros(ctx, lay_inner(a))), lay_size(ctx, r));
    bool small = lay_static(a) && lay_static(r) && lay_plain(n) && n.num <= CHECK_POINTS &&
                 lay_plain(lay_size(ctx, a)) && lay_size(ctx, a).num <= CHECK_POINTS;
    if (small && fills_swizzled(ctx, a, r, n.num)) return r;
    lay_fail(ctx,
             small ? "'%s' has no complement: the swizzle takes its values apart"
                   : "'%s' has no complement that can be found: it is swizzled and not static, or "
                     "has too many values",
             lay_text(ctx, a));
    return bad();
}

bool lay_complement_end(struct lay_ctx *ctx, struct lay tile, const struct lay_tuple *cotarget,
                        bool fill, struct lay_int *count, struct lay_int *step) {
    struct lay_flat out;
    if (!complement(ctx, tile, cotarget, fill, &out)) return false;
    *count = out.s[out.n - 1];
    *step = out.d[out.n - 1];
    return true;
}

// -- inverses -------------------------------------------------------------------------------------

// Sorts the indices of modes by stride, with the same exchanges as CuTe, which may reorder equal
// strides.
static void sort_strides(const struct lay_flat *f, int *at) {
    for (int i = 0; i < f->n; ++i) at[i] = i;
    for (int i = 0; i < f->n; ++i)
        for (int j = i + 1; j < f->n; ++j)
            if (f->d[at[j]].num < f->d[at[i]].num) {
                int t = at[i];
                at[i] = at[j];
                at[j] = t;
            }
}

// p[i] = product of the extents before mode i
static bool prefixes(struct lay_ctx *ctx, const struct lay_flat *f, struct lay_int *p) {
    struct lay_int run = lay_static_int(1);
    for (int i = 0; i < f->n; ++i) {
        p[i] = run;
        run = lay_int_mul(ctx, run, f->s[i]);
    }
    return run.den != 0;
}

static bool all_plain(const struct lay_flat *f) {
    for (int i = 0; i < f->n; ++i)
        if (!lay_plain(f->s[i]) || !lay_plain(f->d[i])) return false;
    return true;
}

static struct lay right_inverse(struct lay_ctx *ctx, struct lay l) {
    struct lay_flat f, out;
    struct lay_int p[LAY_MAX_LEAVES], next = lay_static_int(1);
    int at[LAY_MAX_LEAVES];
    out.n = 0;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f) || !lay_flat_coalesce(ctx, &f, false) ||
        !prefixes(ctx, &f, p))
        return bad();
    if (all_plain(&f)) {
        sort_strides(&f, at);
    } else {  // in the order in which they would be found
        struct lay_int run = next;
        int n = 0;
        bool used[LAY_MAX_LEAVES] = {false};
        for (int i = 0; i < f.n; ++i)
            if (!used[i] && lay_int_equal(f.d[i], run)) {
                at[n++] = i;
                used[i] = true;
                run = lay_int_mul(ctx, run, f.s[i]);
                i = -1;
            }
        for (int i = 0; i < f.n; ++i)
            if (!used[i]) at[n++] = i;
    }
    for (int i = 0; i < f.n; ++i)
        if (lay_int_equal(f.d[at[i]], next) && !lay_is_unit(f.s[at[i]])) {
            out.s[out.n] = f.s[at[i]];
            out.d[out.n++] = p[at[i]];
            next = lay_int_mul(ctx, next, f.s[at[i]]);
        }
    if (next.den == 0 || !lay_flat_coalesce(ctx, &out, false)) return bad();
    lay_trace(ctx, lay_flat_lay(ctx, &f), "%s coalesced", lay_text(ctx, l));
    lay_trace(ctx, lay_flat_lay(ctx, &out),
              "its modes by stride, each with the product of the extents before it");
    return lay_flat_lay(ctx, &out);
}

// Reports that "l" has no left inverse because its values at "i" and "j" are equal.
static struct lay repeats(struct lay_ctx *ctx, struct lay l, int64_t i, int64_t j) {
    int64_t v = 0;
    (void)lay_eval(ctx, l, i, &v);
    lay_fail(ctx, "'%s' has no left inverse: it has the value %lld at coordinate %lld and at %lld",
             lay_text(ctx, l), (long long)v, (long long)i, (long long)j);
    return bad();
}

static struct lay left_inverse(struct lay_ctx *ctx, struct lay l) {
    struct lay_flat f, out;
    struct lay_int p[LAY_MAX_LEAVES];
    int at[LAY_MAX_LEAVES] = {0}, i = 0;
    out.n = 0;
    if (!lay_need_static(ctx, l, "left_inverse") || !lay_flat_of(ctx, l.shape, l.stride, &f) ||
        !lay_flat_coalesce(ctx, &f, false) || !prefixes(ctx, &f, p))
        return bad();
    sort_strides(&f, at);
    if (f.n == 0) return lay_flat_lay(ctx, &out);
    if (f.d[at[0]].num == 0) return repeats(ctx, l, 0, p[at[0]].num);
    struct lay_int d = f.d[at[i]];
    if (d.num != 1) {
        out.s[out.n] = d;
        out.d[out.n++] = lay_static_int(0);
    }
    for (; i < f.n; ++i) {
        d = f.d[at[i]];
        struct lay_int s = f.s[at[i]], next = i + 1 < f.n ? f.d[at[i + 1]] : LAY_INT_INVALID;
        if (d.num < 0 || (next.den && next.num % d.num)) {
            lay_fail(ctx, "'%s' has no left inverse: its stride %lld %s", lay_text(ctx, l),
                     (long long)d.num,
                     d.num < 0 ? "is negative" : "does not divide the next larger one");
            return bad();
        }
        if (next.den) {
            int64_t room = next.num / d.num;
            if (room < s.num) return repeats(ctx, l, room * p[at[i]].num, p[at[i + 1]].num);
            s = lay_static_int(room);
        }
        out.s[out.n] = s;
        out.d[out.n++] = p[at[i]];
    }
    if (!lay_flat_coalesce(ctx, &out, false)) return bad();
    return lay_flat_lay(ctx, &out);
}

// -- under a swizzle ------------------------------------------------------------------------------

typedef struct lay inverse_fn(struct lay_ctx *, struct lay);

// The inverse of Sw o L is inv(L) o Sw.  It is a layout if inv(L) keeps the bits that Sw moves
// together.
static struct lay inverse_swizzled(struct lay_ctx *ctx, struct lay l, inverse_fn *inverse,
                                   bool right, const char *name) {
    struct lay inv = inverse(ctx, lay_inner(l));
    if (!inv.shape) return inv;
    if (!lay_is_value(l.offset, 0)) {
        lay_fail(ctx, "'%s' has no %s: its offset is not 0", lay_text(ctx, l), name);
        return bad();
    }
    struct lay_swizzle w;
    struct lay_int end = lay_span(ctx, lay_inner(l));
    int reach = l.sw.m + (l.sw.s > 0 ? l.sw.s : 0);  // the lowest bit that the swizzle reads
    if (l.sw.b == 0) return inv;
    if (lay_need_static(ctx, inv, name) && lay_swizzle_move(ctx, inv, l.sw, &w)) {
        struct lay r = lay_swizzled(ctx, w, lay_static_int(0), inv);
        struct lay_int n = lay_size(ctx, right ? r : l);
        bool ok = r.shape && lay_plain(n) && n.num <= CHECK_POINTS;
        for (int64_t i = 0; ok && i < n.num; ++i) {
            int64_t x = 0, y = 0;
            ok = lay_eval(ctx, right ? r : l, i, &x) && lay_eval(ctx, right ? l : r, x, &y) &&
                 y == i;
        }
        if (ok) return r;
    }
    if (lay_plain(end) && end.num <= (int64_t)1 << reach)  // the swizzle changes no value
        return inv;
    lay_fail(ctx,
             "'%s' has no %s that is a layout under a swizzle: the bits that the swizzle moves do "
             "not stay together",
             lay_text(ctx, l), name);
    return bad();
}

struct lay lay_right_inverse(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return l;
    return l.composed ? inverse_swizzled(ctx, l, right_inverse, true, "right inverse")
                      : right_inverse(ctx, l);
}

struct lay lay_left_inverse(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return l;
    return l.composed ? inverse_swizzled(ctx, l, left_inverse, false, "left inverse")
                      : left_inverse(ctx, l);
}
