// Swizzles, x ^ ((x & yyy) >> s): their change when elements change width, and their slices.
#include "layout/impl.h"

// A mask of "count" ones from bit "from" on.  The sign bit stays 0: count + from <= 63.
static int64_t bits_at(int count, int from) {
    return (int64_t)((((uint64_t)1 << count) - 1) << from);
}

bool lay_swizzle_valid(struct lay_ctx *ctx, struct lay_swizzle w) {
    int up = w.s < 0 ? -w.s : w.s;
    if (w.b >= 0 && w.m >= 0 && up >= w.b && w.b + w.m + up <= 62) return true;
    lay_fail(ctx,
             w.b < 0 || w.m < 0
                 ? "Sw<%d,%d,%d> has a negative number of bits; only its shift, the last number, "
                   "may be negative"
             : up < w.b
                 ? "Sw<%d,%d,%d> moves %d bits; its shift, the last number, must be at least that"
                 : "Sw<%d,%d,%d> does not fit in 62 bits",
             w.b, w.m, w.s, w.b);
    return false;
}

struct lay lay_swizzled(struct lay_ctx *ctx, struct lay_swizzle w, struct lay_int offset,
                        struct lay l) {
    if (!l.shape || offset.den == 0 || !lay_swizzle_valid(ctx, w)) return lay_layout_invalid();
    if (l.composed) {
        if (lay_is_value(offset, 0) && lay_is_value(l.offset, 0) &&
            w.s == l.sw.s) {  // two swizzles, one after the other
            int up = w.s < 0 ? -w.s : w.s;
            struct lay_swizzle both;
            int64_t low = bits_at(w.b, w.m) ^ bits_at(l.sw.b, l.sw.m), high = low << up;
            if (!lay_swizzle_make(ctx, w.s < 0 ? low : high, w.s < 0 ? high : low, &both))
                return lay_layout_invalid();
            both.s = low ? both.s : w.s;
            return lay_swizzled(ctx, both, offset, lay_inner(l));
        }
        lay_fail(ctx, "the swizzle Sw<%d,%d,%d> does not merge with '%s'", w.b, w.m, w.s,
                 lay_text(ctx, l));
        return lay_layout_invalid();
    }
    if (w.b == 0 && lay_is_value(offset, 0)) return l;
    l.sw = w;
    l.offset = offset;
    l.composed = true;
    return l;
}

static int lowest(int64_t v) {
    return v ? __builtin_ctzll((unsigned long long)v) : 0;
}

bool lay_swizzle_make(struct lay_ctx *ctx, int64_t yyy, int64_t zzz, struct lay_swizzle *out) {
    int count = __builtin_popcountll((unsigned long long)yyy);
    if (yyy < 0 || zzz < 0 || count != __builtin_popcountll((unsigned long long)zzz)) {
        lay_fail(ctx, "the masks %lld and %lld differ in their number of bits", (long long)yyy,
                 (long long)zzz);
        return false;
    }
    int y = lowest(yyy), z = lowest(zzz);
    if (yyy != bits_at(count, y) || zzz != bits_at(count, z)) {
        lay_fail(ctx, "the bits of the masks %lld and %lld are not neighbours", (long long)yyy,
                 (long long)zzz);
        return false;
    }
    *out = (struct lay_swizzle){(int8_t)count, (int8_t)(y < z ? y : z), (int8_t)(y - z)};
    return lay_swizzle_valid(ctx, *out);
}

// The swizzle for elements "n" times as wide (or as narrow).  Its base changes; bits below an
// element are lost.
bool lay_swizzle_cast(struct lay_ctx *ctx, struct lay_swizzle w, int64_t n, bool wider,
                      struct lay_swizzle *out) {
    if (n < 1 || (n & (n - 1))) {
        lay_fail(ctx, "the width of a swizzle changes by powers of two, not by %lld", (long long)n);
        return false;
    }
    int by = lowest(n), m = wider ? w.m - by : w.m + by, b = w.b;
    int lost = -m < b ? -m : b, top = w.m + lost - 1 - w.s;
    if (w.s < 0 && lost > 0 && top >= by) {
        lay_fail(ctx,
                 "Sw<%d,%d,%d> moves bit %d by bit %d, which is inside an element %lld times wider",
                 w.b, w.m, w.s, top, w.m + lost - 1, (long long)n);
        return false;
    }
    if (m < 0) {
        b = b + m > 0 ? b + m : 0;
        m = 0;
    }
    if (m > 62) {
        lay_fail(ctx, "Sw<%d,%d,%d> does not fit in 62 bits", b, m, w.s);
        return false;
    }
    *out = (struct lay_swizzle){(int8_t)b, (int8_t)m, w.s};
    return lay_swizzle_valid(ctx, *out);
}

// Finds the swizzle "*out" with l o w = out o l from the values of "l" at single bits.  The caller
// must compare values, because single bits do not show whether "l" keeps bits apart.
bool lay_swizzle_move(struct lay_ctx *ctx, struct lay l, struct lay_swizzle w,
                      struct lay_swizzle *out) {
    int up = w.s < 0 ? -w.s : w.s;
    int64_t low = 0, high = 0;
    for (int k = 0; k < w.b; ++k) {
        int64_t lo, hi;
        if (!lay_eval(ctx, l, (int64_t)1 << (w.m + k), &lo) ||
            !lay_eval(ctx, l, (int64_t)1 << (w.m + up + k), &hi))
            return false;
        if (k == 0) {
            low = lo;
            high = hi;
            if (low <= 0 || high <= 0 || (low & (low - 1)) || (high & (high - 1))) return false;
        } else if ((uint64_t)lo != (uint64_t)low << k || (uint64_t)hi != (uint64_t)high << k) {
            return false;
        }
    }
    if (low == 0) return false;
    int at = 0, up_at = 0;
    at = lowest(low);
    up_at = lowest(high);
    *out = w;
    out->m = (int8_t)(at < up_at ? at : up_at);
    out->s = (int8_t)(w.s < 0 ? at - up_at : up_at - at);
    return (at < up_at ? up_at - at : at - up_at) >= w.b;
}

// -- slices of swizzled layouts -------------------------------------------------------------------

// Sets "*bits" to all bits that values of the leaf s:d can have.  False if they are not known.
static bool leaf_bits(struct lay_int s, struct lay_int d, int64_t *bits) {
    *bits = 0;
    if (!lay_plain(s) || !lay_plain(d) || d.num < 0 || s.num > 1 << 16) return false;
    if (s.num > 1 && d.num > INT64_MAX / s.num) return false;
    for (int64_t c = 1; c < s.num; ++c) *bits |= c * d.num;
    return true;
}

// Whether adding the modes of "l" and "offset" never carries.  Sets "*bits" to the bits of the
// layout's values.
static bool disjoint_bits(struct lay_ctx *ctx, struct lay l, int64_t offset, int64_t *bits) {
    struct lay_flat f;
    int64_t mine;
    *bits = 0;
    if (offset < 0 || !lay_flat_of(ctx, l.shape, l.stride, &f)) return false;
    for (int i = 0; i < f.n; ++i) {
        if (!leaf_bits(f.s[i], f.d[i], &mine) || (mine & (*bits | offset))) return false;
        *bits |= mine;
    }
    return true;
}

// A layout over the bits of x: bit k maps to what it adds to Sw(offset), for all k up to the
// highest bit of the swizzle.
static struct lay bit_layout(struct lay_ctx *ctx, struct lay_swizzle w, int64_t offset) {
    struct lay_flat f;
    int end = w.m + w.b + (w.s < 0 ? -w.s : w.s);
    f.n = 0;
    for (int k = 0; k < end; ++k) {
        int64_t bit = (int64_t)1 << k;
        f.s[f.n] = lay_static_int(2);
        f.d[f.n++] = lay_static_int(
            offset & bit ? bit : lay_swizzle_apply(w, offset + bit) - lay_swizzle_apply(w, offset));
    }
    f.s[f.n] = lay_static_int(2);
    f.d[f.n++] = lay_static_int((int64_t)1 << end);
    if (!lay_flat_coalesce(ctx, &f, false)) return lay_layout_invalid();
    return lay_flat_lay(ctx, &f);
}

enum { CHECK_POINTS = 1 << 16 };

// Whether "bits" can be added to the values of "l" after the swizzle instead of before.  "bits" has
// none of the swizzle's bits.  It can if no value has one of those of "bits" that are below the top
// of the swizzle, so that nothing carries.
static bool keeps_clear(struct lay_ctx *ctx, struct lay l, int64_t bits) {
    int64_t mine, sum;
    bits &= bits_at(l.sw.m + l.sw.b + (l.sw.s < 0 ? -l.sw.s : l.sw.s), 0);
    if (bits == 0) return true;
    if (disjoint_bits(ctx, lay_inner(l), l.offset.num, &mine))
        return (bits & (mine | l.offset.num)) == 0;
    // the offset carries into bits that it and the modes do not have, or a mode runs backwards
    struct lay_int size = lay_size(ctx, l);
    if (!lay_plain(size) || size.num > CHECK_POINTS) return false;
    for (int64_t i = 0; i < size.num; ++i)
        if (!lay_eval(ctx, lay_inner(l), i, &sum) ||
            __builtin_add_overflow(sum, l.offset.num, &sum) || (sum & bits))
            return false;
    return true;
}

// Whether all values "offset" + "l" are in [0, limit).
static bool all_below(struct lay_ctx *ctx, struct lay l, int64_t offset, int64_t limit) {
    struct lay_flat f;
    __int128 lo = offset, hi = offset;
    if (!lay_flat_of(ctx, l.shape, l.stride, &f)) return false;
    for (int i = 0; i < f.n; ++i)
        *(f.d[i].num < 0 ? &lo : &hi) += (__int128)(f.s[i].num - 1) * f.d[i].num;
    return lo >= 0 && hi < limit;
}

// "l", on top of the offset Sw("offset"), as a layout without swizzle.  Invalid if the values of
// "l" include a bit and also a bit that the first one flips.
static struct lay unswizzled(struct lay_ctx *ctx, struct lay l, int64_t offset) {
    int up = l.sw.s < 0 ? -l.sw.s : l.sw.s;
    int64_t low = bits_at(l.sw.b, l.sw.m), high = low << up, bits;
    if (!disjoint_bits(ctx, l, offset, &bits) || ((bits & low) & ((bits & high) >> up)))
        return lay_layout_invalid();
    struct lay_ctx quiet = *ctx;
    quiet.error = "quiet";
    quiet.trace = NULL;
    struct lay plain = lay_compose(&quiet, bit_layout(&quiet, l.sw, offset), lay_inner(l));
    ctx->next_sym = quiet.next_sym;
    return plain;
}

// Settles a slice whose parts are all static, with CuTe's result: its offset is added to the
// pointer, after the swizzle.  If the values do not include both a bit and one that it flips, only
// the strides change and the swizzle disappears.  Otherwise those bits of the offset that the
// swizzle reads or flips stay before the swizzle.  The complete offset stays there if moving the
// rest would carry, or if that is not known.
struct lay_view lay_settle(struct lay_ctx *ctx, struct lay_view v) {
    struct lay l = v.layout;
    if (!l.shape || !l.composed) return v;
    struct lay_view bad = {LAY_SUM_INVALID, lay_layout_invalid()};
    struct lay_int slid = lay_sum_int(ctx, v.offset);
    if (!lay_plain(slid) || !lay_plain(l.offset)) {
        lay_fail(ctx, "the slice of '%s' has an offset that is not static", lay_text(ctx, l));
        return bad;
    }
    struct lay_int off = lay_int_add(ctx, slid, l.offset);
    if (!lay_plain(off)) return bad;
    if (!lay_static(l)) {  // the bits of the values are not known
        l.offset = off;
        return (struct lay_view){{0, NULL}, l};
    }
    if (lay_tuple_leaves(l.shape) == 0)
        return (struct lay_view){lay_sum_of(ctx, lay_static_int(lay_swizzle_apply(l.sw, off.num))),
                                 lay_inner(l)};
    int up = l.sw.s < 0 ? -l.sw.s : l.sw.s;
    int64_t low = bits_at(l.sw.b, l.sw.m), high = low << up, looks = l.sw.s < 0 ? low : high;
    if (l.sw.b == 0 || all_below(ctx, l, off.num, looks & -looks))
        return (struct lay_view){lay_sum_of(ctx, off), lay_inner(l)};
    struct lay plain = unswizzled(ctx, l, off.num);
    if (plain.shape)
        return (struct lay_view){lay_sum_of(ctx, lay_static_int(lay_swizzle_apply(l.sw, off.num))),
                                 plain};
    int64_t leaves = slid.num & ~(low | high);
    int64_t stays;
    bool far = __builtin_sub_overflow(off.num, leaves, &stays);
    l.offset = far ? off : lay_static_int(stays);
    if (far || !keeps_clear(ctx, l, leaves)) {
        leaves = 0;
        l.offset = off;
    }
    return (struct lay_view){lay_sum_of(ctx, lay_static_int(leaves)), l};
}
