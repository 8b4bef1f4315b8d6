// Selects, groups, pads and zips modes of layouts.  Nothing here looks at integers.
#include "layout/impl.h"

struct lay lay_flatten(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return l;
    l.shape = lay_tuple_flatten(ctx, l.shape);
    l.stride = lay_tuple_flatten(ctx, l.stride);
    return l.shape && l.stride ? l : lay_layout_invalid();
}

// The modes "mode" of "l", in the order of the list.
struct lay lay_select(struct lay_ctx *ctx, struct lay l, int n, const int *mode) {
    struct lay kept[LAY_MAX_RANK];
    if (n < 0 || n > LAY_MAX_RANK) {
        lay_fail(ctx, "%d modes selected; the limit is %d", n, LAY_MAX_RANK);
        return lay_layout_invalid();
    }
    for (int i = 0; i < n; ++i) kept[i] = lay_inner(lay_mode(ctx, l, mode[i]));
    return l.shape ? lay_under(l, lay_join(ctx, n, kept)) : l;
}

struct lay lay_take(struct lay_ctx *ctx, struct lay l, int begin, int end) {
    int mode[LAY_MAX_RANK];
    if (!l.shape) return l;
    if (begin < 0 || begin >= end || end > lay_rank(l)) {
        lay_fail(ctx, "'%s' has no modes %d to %d; its rank is %d", lay_text(ctx, l), begin, end,
                 lay_rank(l));
        return lay_layout_invalid();
    }
    for (int i = begin; i < end; ++i) mode[i - begin] = i;
    return lay_select(ctx, l, end - begin, mode);
}

struct lay lay_group(struct lay_ctx *ctx, struct lay l, int begin, int end) {
    struct lay part[LAY_MAX_RANK];
    if (!l.shape || begin == end) return l;
    struct lay grouped = lay_inner(lay_take(ctx, l, begin, end));
    if (!grouped.shape) return grouped;
    if (l.shape->rank < 0) return lay_under(l, grouped);
    int n = 0;
    for (int i = 0; i < begin; ++i) part[n++] = lay_inner(lay_mode(ctx, l, i));
    part[n++] = grouped;
    for (int i = end; i < l.shape->rank; ++i) part[n++] = lay_inner(lay_mode(ctx, l, i));
    return lay_under(l, lay_join(ctx, n, part));
}

struct lay lay_replace(struct lay_ctx *ctx, struct lay l, int i, struct lay by) {
    struct lay part[LAY_MAX_RANK];
    if (!l.shape || !by.shape) return lay_layout_invalid();
    if (i == lay_rank(l)) return lay_append(ctx, l, by);
    if (!lay_mode(ctx, l, i).shape) return lay_layout_invalid();
    if (l.shape->rank < 0) return by;
    for (int k = 0; k < l.shape->rank; ++k) part[k] = k == i ? by : lay_inner(lay_mode(ctx, l, k));
    return lay_under(l, lay_join(ctx, l.shape->rank, part));
}

// "count" copies of "x" before or after the modes of "l".
static struct lay pad(struct lay_ctx *ctx, struct lay l, struct lay x, int count, bool before) {
    struct lay part[LAY_MAX_RANK];
    if (!l.shape || !x.shape) return lay_layout_invalid();
    int rank = lay_rank(l), n = 0;
    if (rank + count > LAY_MAX_RANK) {
        lay_fail(ctx, "a layout of rank %d; the limit is %d", rank + count, LAY_MAX_RANK);
        return lay_layout_invalid();
    }
    for (int i = 0; before && i < count; ++i) part[n++] = x;
    for (int i = 0; i < rank; ++i) part[n++] = lay_inner(lay_mode(ctx, l, i));
    for (int i = 0; !before && i < count; ++i) part[n++] = x;
    return lay_under(l, lay_join(ctx, n, part));
}

struct lay lay_append(struct lay_ctx *ctx, struct lay l, struct lay x) {
    return pad(ctx, l, x, 1, false);
}

struct lay lay_prepend(struct lay_ctx *ctx, struct lay l, struct lay x) {
    return pad(ctx, l, x, 1, true);
}

static struct lay pad_to(struct lay_ctx *ctx, struct lay l, int rank, struct lay x, bool before) {
    if (!l.shape || !x.shape) return lay_layout_invalid();
    if (rank < lay_rank(l) || rank > LAY_MAX_RANK) {
        lay_fail(ctx, "'%s' of rank %d cannot be padded to rank %d", lay_text(ctx, l), lay_rank(l),
                 rank);
        return lay_layout_invalid();
    }
    return rank == lay_rank(l) ? l : pad(ctx, l, x, rank - lay_rank(l), before);
}

struct lay lay_append_to(struct lay_ctx *ctx, struct lay l, int rank, struct lay x) {
    return pad_to(ctx, l, rank, x, false);
}

struct lay lay_prepend_to(struct lay_ctx *ctx, struct lay l, int rank, struct lay x) {
    return pad_to(ctx, l, rank, x, true);
}

// ((a,b),(c,d)) -> ((a,c),(b,d))
struct lay lay_zip(struct lay_ctx *ctx, struct lay l) {
    struct lay mode[LAY_MAX_RANK], pair[LAY_MAX_RANK];
    if (!l.shape) return l;
    int outer = lay_rank(l), inner = lay_rank(lay_mode(ctx, l, 0));
    if (l.shape->rank < 1 || l.shape->kid[0]->rank < 0) return l;
    for (int k = 0; k < inner; ++k) {
        for (int i = 0; i < outer; ++i) {
            struct lay m = lay_inner(lay_mode(ctx, l, i));
            if (m.shape->rank != inner) {
                lay_fail(ctx, "the modes of '%s' differ in rank and cannot be zipped",
                         lay_text(ctx, l));
                return lay_layout_invalid();
            }
            pair[i] = lay_mode(ctx, m, k);
        }
        mode[k] = lay_join(ctx, outer, pair);
    }
    return lay_under(l, lay_join(ctx, inner, mode));
}

// modes (a_i, b_i)
struct lay lay_zip2(struct lay_ctx *ctx, struct lay a, struct lay b) {
    if (!a.shape || !b.shape) return lay_layout_invalid();
    if (lay_rank(a) != lay_rank(b)) {
        lay_fail(ctx, "'%s' and '%s' differ in rank and cannot be zipped", lay_text(ctx, a),
                 lay_text(ctx, b));
        return lay_layout_invalid();
    }
    struct lay both = lay_join(ctx, 2, (struct lay[]){a, b});
    return a.shape->rank < 0 && b.shape->rank < 0 ? both : lay_zip(ctx, both);
}

// Takes leaves of the flat "l" in the order of "profile".
static struct lay shape_as(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *profile,
                           int *at) {
    struct lay part[LAY_MAX_RANK];
    if (profile->rank < 0) {
        if (*at < lay_rank(l)) return lay_mode(ctx, l, (*at)++);
        lay_fail(ctx, "'%s' has fewer modes than the profile has leaves", lay_text(ctx, l));
        return lay_layout_invalid();
    }
    for (int i = 0; i < profile->rank; ++i) part[i] = shape_as(ctx, l, profile->kid[i], at);
    return lay_join(ctx, profile->rank, part);
}

struct lay lay_unflatten(struct lay_ctx *ctx, struct lay l, const struct lay_tuple *profile) {
    int at = 0;
    if (!l.shape || !profile) return lay_layout_invalid();
    struct lay out = shape_as(ctx, lay_inner(l), profile, &at);
    if (out.shape && at != lay_rank(l)) {
        lay_fail(ctx, "'%s' has %d modes and the profile '%s' %d leaves", lay_text(ctx, l),
                 lay_rank(l), lay_tuple_text(ctx, profile), at);
        return lay_layout_invalid();
    }
    return lay_under(l, out);
}
