// Divides layouts by tilers, multiplies them by tilers, and arranges the modes of the results.
//
// A tiler is a tree whose leaves are layouts or "_".  At each layout, divide and product make a
// mode of rank two: (tile, rest) or (block, copies).  The zipped, tiled and flat forms collect the
// first and the second halves of these modes.
#include "layout/impl.h"

// -- tilers ---------------------------------------------------------------------------------------

static struct lay_tiler *new_tiler(struct lay_ctx *ctx, enum lay_tiler_kind kind) {
    struct lay_tiler *t = lay_new(ctx, sizeof *t);
    *t = (struct lay_tiler){.kind = kind, .layout = lay_layout_invalid()};
    return t;
}

const struct lay_tiler *lay_tiler_any(struct lay_ctx *ctx) {
    return new_tiler(ctx, LAY_TILER_ANY);
}

const struct lay_tiler *lay_tiler_layout(struct lay_ctx *ctx, struct lay l) {
    if (!l.shape) return NULL;
    struct lay_tiler *t = new_tiler(ctx, LAY_TILER_LAYOUT);
    t->layout = l;
    return t;
}

static const struct lay_tiler *by_modes(struct lay_ctx *ctx, enum lay_tiler_kind kind, int n,
                                        const struct lay_tiler *const *kid) {
    struct lay_tiler *t = new_tiler(ctx, kind);
    if (n > LAY_MAX_RANK) {
        lay_fail(ctx, "a tiler of rank %d; the limit is %d", n, LAY_MAX_RANK);
        return NULL;
    }
    const struct lay_tiler **copy = lay_new(ctx, sizeof *kid * (size_t)(n ? n : 1));
    for (int i = 0; i < n; ++i) {
        copy[i] = kid[i];
        if (!kid[i]) return NULL;
    }
    t->rank = n;
    t->kid = copy;
    return t;
}

const struct lay_tiler *lay_tiler_modes(struct lay_ctx *ctx, int n,
                                        const struct lay_tiler *const *kid) {
    return by_modes(ctx, LAY_TILER_MODES, n, kid);
}

const struct lay_tiler *lay_tiler_shape(struct lay_ctx *ctx, const struct lay_tuple *shape) {
    const struct lay_tiler *kid[LAY_MAX_RANK];
    struct lay_tiler *out;
    if (!shape) return NULL;
    if (lay_is_any(shape)) return lay_tiler_any(ctx);
    if (shape->rank < 0) {
        struct lay l = lay_make_col(ctx, shape);
        out = (struct lay_tiler *)lay_tiler_layout(ctx, l);
    } else {
        for (int i = 0; i < shape->rank; ++i) kid[i] = lay_tiler_shape(ctx, shape->kid[i]);
        out = (struct lay_tiler *)by_modes(ctx, LAY_TILER_SHAPE, shape->rank, kid);
    }
    if (out) out->shape = shape;
    return out;
}

// -- by mode --------------------------------------------------------------------------------------

typedef struct lay binary_fn(struct lay_ctx *, struct lay, struct lay);
typedef struct lay unary_fn(struct lay_ctx *, struct lay);

// Applies "each" at the layouts of the tiler, and "kept" at its "_".  Modes of "a" beyond the tiler
// are unchanged.
static struct lay by_tiler(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t,
                           binary_fn *each, unary_fn *kept) {
    struct lay part[LAY_MAX_RANK];
    if (!a.shape || !t) return lay_layout_invalid();
    if (t->kind == LAY_TILER_ANY) return kept(ctx, a);
    if (t->kind == LAY_TILER_LAYOUT) return each(ctx, a, t->layout);
    if (t->rank > lay_rank(a)) {
        lay_fail(ctx, "the tiler '%s' has more modes than '%s'", lay_tiler_text(ctx, t),
                 lay_text(ctx, a));
        return lay_layout_invalid();
    }
    for (int i = 0; i < lay_rank(a); ++i) {
        part[i] = lay_mode(ctx, a, i);
        if (i < t->rank) part[i] = by_tiler(ctx, part[i], t->kid[i], each, kept);
    }
    return lay_join(ctx, lay_rank(a), part);
}

// A mode under "_" in logical_divide and logical_product.
static struct lay unchanged(struct lay_ctx *ctx, struct lay a) {
    (void)ctx;
    return a;
}

// The same in the other forms, where each mode is two: all of it is the tile, or the block, and
// there is one.
static struct lay whole(struct lay_ctx *ctx, struct lay a) {
    struct lay one = lay_raw(lay_leaf_of(ctx, 1), lay_leaf_of(ctx, 0));
    return lay_join(ctx, 2, (struct lay[]){a, one});
}

struct half {
    int n;
    struct lay mode[LAY_MAX_RANK];
};

static bool put(struct lay_ctx *ctx, struct half *h, struct lay l) {
    if (!l.shape) return false;
    if (h->n == LAY_MAX_RANK) {
        lay_fail(ctx, "a result of rank over %d", LAY_MAX_RANK);
        return false;
    }
    h->mode[h->n++] = l;
    return true;
}

// Splits "l", the result of by_tiler with "whole", into first and second halves that have the
// structure of the tiler.
static bool unzip(struct lay_ctx *ctx, struct lay l, const struct lay_tiler *t, struct lay *first,
                  struct lay *second) {
    struct half a, b;
    a.n = b.n = 0;
    if (!l.shape) return false;
    if (t->kind == LAY_TILER_ANY || t->kind == LAY_TILER_LAYOUT) {
        *first = lay_mode(ctx, l, 0);
        *second = lay_mode(ctx, l, 1);
        return first->shape && second->shape;
    }
    for (int i = 0; i < lay_rank(l); ++i) {
        struct lay m = lay_mode(ctx, l, i), x, y;
        if (i >= t->rank) {
            if (!put(ctx, &b, m)) return false;
        } else if (!unzip(ctx, m, t->kid[i], &x, &y) || !put(ctx, &a, x) || !put(ctx, &b, y)) {
            return false;
        }
    }
    *first = lay_join(ctx, a.n, a.mode);
    *second = lay_join(ctx, b.n, b.mode);
    return first->shape && second->shape;
}

// Appends the modes of "l" to "h": each mode of a tuple, but a tuple of one mode and an integer
// unchanged.
static bool unpack(struct lay_ctx *ctx, struct half *h, struct lay l) {
    if (lay_rank(l) == 1) return put(ctx, h, l);
    for (int i = 0; i < lay_rank(l); ++i)
        if (!put(ctx, h, lay_mode(ctx, l, i))) return false;
    return true;
}

enum form { ZIPPED, TILED, FLAT };

static struct lay arrange(struct lay_ctx *ctx, struct lay a, struct lay l,
                          const struct lay_tiler *t, enum form form) {
    struct lay first, second;
    struct half h;
    h.n = 0;
    if (!l.shape || !t || !unzip(ctx, l, t, &first, &second)) return lay_layout_invalid();
    if (form == FLAT ? !unpack(ctx, &h, first) : !put(ctx, &h, first)) return lay_layout_invalid();
    if (form == ZIPPED ? !put(ctx, &h, second) : !unpack(ctx, &h, second))
        return lay_layout_invalid();
    return lay_under(a, lay_join(ctx, h.n, h.mode));
}

// -- divide ---------------------------------------------------------------------------------------

// a o (tile, complement(tile, shape of a))
static struct lay try_divide(struct lay_ctx *ctx, struct lay a, struct lay tile) {
    struct lay rest = lay_complement(ctx, tile, lay_coalesce(ctx, a).shape);
    lay_trace(ctx, rest, "complement of the tile %s in %s", lay_text(ctx, tile),
              lay_tuple_text(ctx, lay_coalesce(ctx, a).shape));
    struct lay both =
        lay_compose_as(ctx, a, lay_join(ctx, 2, (struct lay[]){tile, rest}), LAY_IN_RANGE);
    lay_trace(ctx, both, "%s o (tile, complement)", lay_text(ctx, a));
    return both;
}

// Adds the nearest tile n:1 that divides "a" to the message.
static void offer_tile(struct lay_ctx *ctx, struct lay a, struct lay tile) {
    struct lay_int size = lay_size(ctx, a);
    struct lay_ctx quiet = *ctx;
    if (!lay_static(a) || !lay_static(tile) || !lay_plain(size) || tile.shape->rank >= 0 ||
        !lay_is_value(tile.stride->leaf, 1))
        return;
    quiet.trace = NULL;
    for (int64_t far = 1; far <= 128; ++far)
        for (int up = 0; up < 2; ++up) {
            int64_t n;
            if (__builtin_add_overflow(tile.shape->leaf.num, up ? far : -far, &n)) continue;
            if (n < 2 || n > size.num) continue;
            struct lay other = lay_raw(lay_leaf_of(ctx, n), tile.stride);
            if (try_divide(&quiet, a, other).shape) {
                const char *why = ctx->error;
                ctx->error = NULL;
                lay_fail(ctx, "'%s' cannot be divided by '%s'; the nearest tile is %lld: %s",
                         lay_text(ctx, a), lay_text(ctx, tile), (long long)n, why);
                return;
            }
        }
}

static struct lay divide(struct lay_ctx *ctx, struct lay a, struct lay tile) {
    if (tile.composed) {
        lay_fail(ctx, "the swizzled layout '%s' cannot be a tiler", lay_text(ctx, tile));
        return lay_layout_invalid();
    }
    bool first = !ctx->error;
    struct lay both = try_divide(ctx, a, tile);
    if (!both.shape && first && ctx->error && a.shape && tile.shape) offer_tile(ctx, a, tile);
    return both;
}

// Replaces the last leaf of "rest" by ((leaf,next)), which takes the same coordinates.
static struct lay behind_last(struct lay_ctx *ctx, struct lay rest, struct lay next) {
    struct lay part[LAY_MAX_RANK];
    int n = lay_rank(rest);
    if (rest.shape->rank < 0) {
        struct lay both = lay_join(ctx, 2, (struct lay[]){rest, next});
        return lay_join(ctx, 1, &both);
    }
    for (int i = 0; i < n; ++i) part[i] = lay_mode(ctx, rest, i);
    part[n - 1] = behind_last(ctx, part[n - 1], next);
    return lay_join(ctx, n, part);
}

// Adds the stride to the next tile to "both", the result of dividing "a" by "tile", if there is no
// next tile.  CuTe gives a mode of one tile the stride 0, and omits a mode of one tile after
// others; "behind" adds the latter.
static struct lay with_next(struct lay_ctx *ctx, struct lay a, struct lay tile, struct lay both,
                            bool behind) {
    struct lay_int count, end;
    if (!both.shape ||
        !lay_complement_end(ctx, tile, lay_coalesce(ctx, a).shape, true, &count, &end))
        return both;
    struct lay rest = lay_mode(ctx, both, 1);
    bool one = lay_is_unit(lay_size(ctx, rest));
    if (!lay_is_unit(count) || (!one && !behind)) return both;
    struct lay two = lay_raw(lay_leaf_of(ctx, 2), lay_leaf(ctx, end));
    struct lay next = lay_compose_as(ctx, a, two, LAY_IN_RANGE);
    if (!next.shape || next.shape->rank >= 0) return next.shape ? both : next;
    next.shape = lay_leaf_of(ctx, 1);
    if (!one) next = behind_last(ctx, rest, next);
    return lay_join(ctx, 2, (struct lay[]){lay_mode(ctx, both, 0), next});
}

static struct lay divide_on(struct lay_ctx *ctx, struct lay a, struct lay tile) {
    return with_next(ctx, a, tile, divide(ctx, a, tile), false);
}

static struct lay divide_for_slice(struct lay_ctx *ctx, struct lay a, struct lay tile) {
    return with_next(ctx, a, tile, divide(ctx, a, tile), true);
}

// Like "whole", with the stride to what would come next in a longer "a".
static struct lay whole_on(struct lay_ctx *ctx, struct lay a) {
    struct lay two = lay_raw(lay_leaf_of(ctx, 2), lay_leaf(ctx, lay_size(ctx, a)));
    struct lay next = lay_compose_as(ctx, a, two, LAY_IN_RANGE);
    if (!next.shape) return next;
    next.shape = lay_leaf_of(ctx, 1);
    return lay_join(ctx, 2, (struct lay[]){a, next});
}

struct lay lay_divide_on(struct lay_ctx *ctx, enum lay_divide_form form, struct lay a,
                         const struct lay_tiler *t) {
    binary_fn *each = form == LAY_DIVIDE_SLICED ? divide_for_slice : divide_on;
    unary_fn *kept = form == LAY_DIVIDE_LOGICAL ? unchanged : whole_on;
    struct lay l = by_tiler(ctx, lay_inner(a), t, each, kept);
    switch (form) {
    case LAY_DIVIDE_LOGICAL: return lay_under(a, l);
    case LAY_DIVIDE_TILED: return arrange(ctx, a, l, t, TILED);
    case LAY_DIVIDE_FLAT: return arrange(ctx, a, l, t, FLAT);
    case LAY_DIVIDE_ZIPPED:
    case LAY_DIVIDE_SLICED: break;
    }
    return arrange(ctx, a, l, t, ZIPPED);
}

struct lay lay_logical_divide(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return lay_under(a, by_tiler(ctx, lay_inner(a), t, divide, unchanged));
}

struct lay lay_zipped_divide(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, divide, whole), t, ZIPPED);
}

// Divides as CuTe does, right or wrong: for callers that take single tiles and check them.
static struct lay divide_as_cute(struct lay_ctx *ctx, struct lay a, struct lay tile) {
    struct lay rest = lay_complement(ctx, tile, lay_coalesce(ctx, a).shape);
    return lay_compose_as(ctx, a, lay_join(ctx, 2, (struct lay[]){tile, rest}), LAY_AS_CUTE);
}

struct lay lay_zipped_divide_as_cute(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, divide_as_cute, whole), t, ZIPPED);
}

struct lay lay_tiled_divide(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, divide, whole), t, TILED);
}

struct lay lay_flat_divide(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, divide, whole), t, FLAT);
}

// -- product --------------------------------------------------------------------------------------

enum { CHECK_COPIES = 1 << 16 };

// Whether the copies of "a" that "tiler" numbers are disjoint: computes all values and puts them into
// a hash table.
static bool apart(struct lay_ctx *ctx, struct lay a, struct lay copies, struct lay tiler) {
    struct lay_int n = lay_size(ctx, a), m = lay_size(ctx, copies), all = lay_int_mul(ctx, n, m);
    struct entry {
        int64_t sum, low, copy;
        bool used;
    };
    if (!lay_plain(all) || all.num > CHECK_COPIES || !lay_static(a) || !lay_static(copies))
        return false;
    uint64_t size = 16;
    while (size < 2 * (uint64_t)all.num) size *= 2;
    struct entry *table = lay_new(ctx, sizeof *table * size);
    for (uint64_t k = 0; k < size; ++k) table[k].used = false;
    for (int64_t j = 0; j < m.num; ++j)
        for (int64_t i = 0; i < n.num; ++i) {
            int64_t low, high, sum, copy;
            if (!lay_eval(ctx, a, i, &low) || !lay_eval(ctx, copies, j, &high) ||
                !lay_eval(ctx, tiler, j, &copy) || __builtin_add_overflow(low, high, &sum))
                return false;
            uint64_t k = (uint64_t)sum * 0x9E3779B97F4A7C15u;
            k = (k ^ k >> 32) & (size - 1);
            while (table[k].used && table[k].sum != sum) k = (k + 1) & (size - 1);
            if (table[k].used && (table[k].low != low || table[k].copy != copy)) return false;
            table[k] = (struct entry){sum, low, copy, true};
        }
    return true;
}

// Whether no stride is negative.
static bool forwards(const struct lay_tuple *stride) {
    int64_t lo, hi;
    if (stride->rank < 0) {
        lay_int_range(stride->leaf, &lo, &hi);
        return lo >= 0;
    }
    for (int i = 0; i < stride->rank; ++i)
        if (!forwards(stride->kid[i])) return false;
    return true;
}

// (a, complement(a, size(a) * cosize(tiler)) o tiler); refused if that is not exact.
static struct lay product(struct lay_ctx *ctx, struct lay a, struct lay tiler) {
    struct lay_int room = lay_int_mul(ctx, lay_size(ctx, a), lay_span(ctx, tiler)), count, end;
    struct lay gaps = lay_complement_as(ctx, a, lay_leaf(ctx, room), false), copies;
    lay_trace(ctx, gaps, "complement of %s up to size x cosize = %s", lay_text(ctx, a),
              lay_int_text(ctx, room));
    bool first = !ctx->error;
    if (gaps.shape && lay_is_unit(lay_size(ctx, gaps)) &&
        !lay_int_less_equal(lay_span(ctx, tiler), lay_static_int(1)) &&
        lay_complement_end(ctx, a, lay_leaf(ctx, room), false, &count, &end))
        gaps.stride = lay_leaf(ctx, end);  // all copies are beyond the gaps
    copies = lay_compose(ctx, gaps, tiler);
    if (!copies.shape && first && ctx->error && gaps.shape && tiler.shape) {
        const char *why = ctx->error;
        ctx->error = NULL;
        lay_fail(ctx, "'%s' times '%s' has no result: the copies are in the complement, and %s",
                 lay_text(ctx, a), lay_text(ctx, tiler), why);
    }
    if (!copies.shape) return copies;
    // beyond the gaps, or backwards from the first copy, copies may overlap
    bool within =
        forwards(tiler.stride) && lay_int_less_equal(lay_span(ctx, tiler), lay_size(ctx, gaps));
    if (!within && lay_static(copies) && lay_static(a) && !apart(ctx, a, copies, tiler)) {
        lay_fail(ctx, "'%s' times '%s' has no result: the copies would overlap", lay_text(ctx, a),
                 lay_text(ctx, tiler));
        return lay_layout_invalid();
    }
    lay_trace(ctx, copies, "complement o %s: where the copies go", lay_text(ctx, tiler));
    return lay_join(ctx, 2, (struct lay[]){a, copies});
}

struct lay lay_logical_product(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return lay_under(a, by_tiler(ctx, lay_inner(a), t, product, unchanged));
}

struct lay lay_zipped_product(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, product, whole), t, ZIPPED);
}

struct lay lay_tiled_product(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, product, whole), t, TILED);
}

struct lay lay_flat_product(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    return arrange(ctx, a, by_tiler(ctx, lay_inner(a), t, product, whole), t, FLAT);
}

// Pads both to equal rank.  Mode i of the result is (a_i, b_i), or (b_i, a_i) if "raked".
static struct lay ranked_product(struct lay_ctx *ctx, struct lay a, struct lay b, bool raked) {
    if (!a.shape || !b.shape) return lay_layout_invalid();
    int r = lay_rank(a) > lay_rank(b) ? lay_rank(a) : lay_rank(b);
    struct lay unit = lay_raw(lay_leaf_of(ctx, 1), lay_leaf_of(ctx, 0));
    struct lay both =
        product(ctx, lay_append_to(ctx, lay_inner(a), r, unit), lay_append_to(ctx, b, r, unit));
    if (!both.shape) return both;
    struct lay x = lay_mode(ctx, both, 0), y = lay_mode(ctx, both, 1), pair;
    if (x.shape->rank >= 0 && y.shape->rank >= 0)
        return lay_under(a, raked ? lay_zip2(ctx, y, x) : lay_zip2(ctx, x, y));
    pair = raked ? lay_join(ctx, 2, (struct lay[]){y, x}) : lay_join(ctx, 2, (struct lay[]){x, y});
    return lay_under(a, lay_join(ctx, 1, &pair));
}

struct lay lay_blocked_product(struct lay_ctx *ctx, struct lay a, struct lay b) {
    return ranked_product(ctx, a, b, false);
}

struct lay lay_raked_product(struct lay_ctx *ctx, struct lay a, struct lay b) {
    return ranked_product(ctx, a, b, true);
}

struct lay lay_tile_to_shape(struct lay_ctx *ctx, struct lay a, const struct lay_tuple *shape,
                             const struct lay_tuple *order) {
    struct lay unit = lay_raw(lay_leaf_of(ctx, 1), lay_leaf_of(ctx, 0));
    if (!a.shape || !shape) return lay_layout_invalid();
    if (lay_rank(a) > lay_tuple_rank(shape)) {
        lay_fail(ctx, "'%s' has more modes than the shape '%s' to tile", lay_text(ctx, a),
                 lay_tuple_text(ctx, shape));
        return lay_layout_invalid();
    }
    a = lay_append_to(ctx, a, lay_tuple_rank(shape), unit);
    struct lay_int extent[LAY_MAX_RANK];
    for (int i = 0; a.shape && i < lay_rank(a); ++i) {
        struct lay_int want = lay_tuple_product(ctx, lay_tuple_get(ctx, shape, i));
        struct lay_int have = lay_size(ctx, lay_mode(ctx, a, i));
        if (!lay_int_divides(have, want)) {
            lay_fail(ctx, "'%s' does not tile the shape '%s': mode %d, %s does not divide %s",
                     lay_text(ctx, a), lay_tuple_text(ctx, shape), i, lay_int_text(ctx, have),
                     lay_int_text(ctx, want));
            return lay_layout_invalid();
        }
        extent[i] = lay_int_div(ctx, want, have);
    }
    if (!a.shape) return a;
    const struct lay_tuple *times = lay_ints(ctx, lay_rank(a), extent);
    return lay_blocked_product(
        ctx, a, order ? lay_make_ordered(ctx, times, order) : lay_make_col(ctx, times));
}
