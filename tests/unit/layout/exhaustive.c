// The post-conditions of the algebra at every index: unary operations on all layouts up to size 64
// and rank 3 with the strides in "strides" below, binary ones on all pairs up to size 16 and
// rank 2.  All of them with --full; else every 8th, with sanitizers every 64th.
#include "layout/gen.h"

#ifdef TCPC_SANITIZE
static int thin = 64;
#else
static int thin = 8;
#endif

static struct lay_ctx ctx;
static struct block block;
static long done, refused;

static struct lay flat(int rank, const int *s, const int *d) {
    const struct lay_tuple *shape[3], *stride[3];
    for (int i = 0; i < rank; ++i) {
        shape[i] = lay_leaf_of(&ctx, s[i]);
        stride[i] = lay_leaf_of(&ctx, d[i]);
    }
    return rank == 1 ? lay_make(&ctx, shape[0], stride[0])
                     : lay_make(&ctx, lay_tuple(&ctx, rank, shape), lay_tuple(&ctx, rank, stride));
}

#define NAME(l) lay_text(&ctx, (l))

enum { MAX_VALUE = 4096 };
static int stamp, seen[MAX_VALUE], from[MAX_VALUE];

static int injective(struct lay l, int64_t n) {
    ++stamp;
    for (int64_t i = 0; i < n; ++i) {
        int64_t v = value(&ctx, l, i);
        if (v < 0 || v >= MAX_VALUE || seen[v] == stamp) return 0;
        seen[v] = stamp;
    }
    return 1;
}

static void complement(struct lay l) {
    struct lay f = lay_filter(&ctx, l), r = lay_complement(&ctx, l, NULL);
    int64_t n = lay_size(&ctx, f).num, last = -1;
    if (!r.shape) {
        ++refused;
        lay_clear_error(&ctx);
        return;
    }
    int64_t m = lay_size(&ctx, r).num;
    int64_t hit = 0, all = lay_cosize(&ctx, f).num;
    ++stamp;
    for (int64_t j = 0; j < m; ++j) {
        int64_t v = value(&ctx, r, j);
        CHECK(v > last, "%s of %s is not ordered", NAME(r), NAME(l));
        last = v;
        for (int64_t i = 0; i < n; ++i) {
            int64_t x = value(&ctx, f, i) + v;
            CHECK(x >= MAX_VALUE || seen[x] != stamp, "%s and %s meet", NAME(l), NAME(r));
            if (x < MAX_VALUE) seen[x] = stamp;
            hit += x < all;
        }
    }
    CHECK(hit == all, "%s and %s fill %d of %d", NAME(l), NAME(r), (int)hit, (int)all);
}

static void inverses(struct lay l, int64_t n) {
    struct lay r = lay_right_inverse(&ctx, l);
    CHECK(r.shape != NULL, "%s has a right inverse", NAME(l));
    for (int64_t i = 0; i < lay_size(&ctx, r).num; ++i)
        CHECK(value(&ctx, l, value(&ctx, r, i)) == i, "right inverse %s of %s at %d", NAME(r),
              NAME(l), (int)i);
    int one_to_one = injective(l, n);
    r = lay_left_inverse(&ctx, l);
    if (!r.shape) {
        ++refused;
        lay_clear_error(&ctx);
        return;
    }
    CHECK(one_to_one, "%s repeats values and has the left inverse %s", NAME(l), NAME(r));
    for (int64_t i = 0; i < n; ++i)
        CHECK(value(&ctx, r, value(&ctx, l, i)) == i, "left inverse %s of %s at %d", NAME(r),
              NAME(l), (int)i);
}

static void widths(struct lay l, int64_t n) {
    int64_t a = lay_max_alignment(&ctx, l).num;
    ++stamp;
    for (int64_t i = 0; i < n; ++i) seen[value(&ctx, l, i)] = stamp;
    for (int64_t i = 0; i < n; ++i) {
        int64_t v = value(&ctx, l, i), at = v - v % a;
        CHECK(seen[at] == stamp && seen[at + a - 1] == stamp, "%s is not made of runs of %d",
              NAME(l), (int)a);
    }
    for (int64_t w = 2; w <= 4; w *= 2) {
        struct lay r = lay_downcast(&ctx, l, w);
        if (r.shape) {
            struct lay back = lay_upcast(&ctx, r, w);
            CHECK(back.shape && same_values(&ctx, l, back, 0), "%s narrowed and widened is %s",
                  NAME(l), NAME(back));
        }
        lay_clear_error(&ctx);
    }
}

static void unary(struct lay l) {
    int64_t n = lay_size(&ctx, l).num;
    struct lay r = lay_coalesce(&ctx, l);
    CHECK(lay_depth(r) <= 1 && lay_size(&ctx, r).num == n && same_values(&ctx, l, r, 0),
          "coalesce of %s is %s", NAME(l), NAME(r));
    r = lay_flatten(&ctx, l);
    CHECK(same_values(&ctx, l, r, 3), "flatten of %s is %s", NAME(l), NAME(r));
    r = lay_nullspace(&ctx, l);
    for (int64_t i = 0; i < lay_size(&ctx, r).num; ++i)
        CHECK(value(&ctx, l, value(&ctx, r, i)) == 0, "nullspace of %s is %s", NAME(l), NAME(r));
    r = lay_filter(&ctx, l);
    CHECK(lay_size(&ctx, r).num * lay_size(&ctx, lay_nullspace(&ctx, l)).num == n,
          "filter of %s is %s", NAME(l), NAME(r));
    r = lay_with_shape(&ctx, l, lay_leaf_of(&ctx, n));
    if (r.shape) CHECK(same_values(&ctx, l, r, 0), "%s with one mode is %s", NAME(l), NAME(r));
    lay_clear_error(&ctx);
    complement(l);
    inverses(l, n);
    widths(l, n);
    ++done;
}

static void all_unary(void) {
    static const int strides[] = {0, 1, 2, 3, 4, 6, 8, 16};
    enum { N = sizeof strides / sizeof *strides };
    long count = 0;
    for (int rank = 1; rank <= 3; ++rank)
        for (int a = 1; a <= 64; ++a)
            for (int b = 1; b <= (rank > 1 ? 64 / a : 1); ++b)
                for (int c = 1; c <= (rank > 2 ? 64 / (a * b) : 1); ++c)
                    for (int k = 0; k < (rank == 1 ? N : rank == 2 ? N * N : N * N * N); ++k) {
                        int s[3] = {a, b, c},
                            d[3] = {strides[k % N], strides[k / N % N], strides[k / N / N]};
                        if (count++ % thin) continue;
                        block_reset(&block, &ctx);
                        unary(flat(rank, s, d));
                    }
    printf("unary: %ld layouts, %ld results refused\n", done, refused);
}

// -- pairs ----------------------------------------------------------------------------------------

static void compose(struct lay a, struct lay b) {
    struct lay r = lay_compose(&ctx, a, b);
    if (!r.shape) {
        ++refused;
        lay_clear_error(&ctx);
        return;
    }
    for (int64_t i = 0; i < lay_size(&ctx, b).num; ++i)
        CHECK(value(&ctx, r, i) == value(&ctx, a, value(&ctx, b, i)), "%s o %s = %s at %d", NAME(a),
              NAME(b), NAME(r), (int)i);
}

static void divide(struct lay a, struct lay b) {
    int64_t n = lay_size(&ctx, a).num, hit = 0;
    struct lay rest = lay_complement(&ctx, b, lay_coalesce(&ctx, a).shape);
    struct lay r = lay_logical_divide(&ctx, a, lay_tiler_layout(&ctx, b));
    if (!r.shape) {
        ++refused;
        lay_clear_error(&ctx);
        return;
    }
    struct lay index = lay_join(&ctx, 2, (struct lay[]){b, rest});
    ++stamp;
    for (int64_t i = 0; i < lay_size(&ctx, r).num; ++i) {
        int64_t x = value(&ctx, index, i);
        if (x >= n) continue;
        hit += seen[x] != stamp;
        seen[x] = stamp;
        CHECK(value(&ctx, r, i) == value(&ctx, a, x), "%s by %s = %s at %d", NAME(a), NAME(b),
              NAME(r), (int)i);
    }
    if (b.stride->rank < 0 && b.stride->leaf.num == 1)
        CHECK(hit == n, "%s by %s = %s reaches %d of %d", NAME(a), NAME(b), NAME(r), (int)hit,
              (int)n);
}

// Sums of a value of A and one of the copies say which two they are, and the copies stand where the
// tiler says in the complement.
static void product(struct lay a, struct lay b) {
    struct lay r = lay_logical_product(&ctx, a, lay_tiler_layout(&ctx, b));
    if (!r.shape) {
        ++refused;
        lay_clear_error(&ctx);
        return;
    }
    struct lay copies = lay_mode(&ctx, r, 1);
    struct lay_int room = lay_int_mul(&ctx, lay_size(&ctx, a), lay_cosize(&ctx, b));
    struct lay gaps = lay_complement(&ctx, a, lay_leaf(&ctx, room));
    for (int64_t j = 0; gaps.shape && j < lay_size(&ctx, copies).num; ++j)
        CHECK(value(&ctx, copies, j) == value(&ctx, gaps, value(&ctx, b, j)),
              "%s x %s = %s: copy %d", NAME(a), NAME(b), NAME(r), (int)j);
    lay_clear_error(&ctx);
    CHECK(lay_equal(lay_mode(&ctx, r, 0), a), "mode 0 of %s x %s is %s", NAME(a), NAME(b), NAME(r));
    ++stamp;
    for (int64_t j = 0; j < lay_size(&ctx, copies).num; ++j)
        for (int64_t i = 0, n = lay_size(&ctx, a).num; i < n; ++i) {
            int64_t low = value(&ctx, a, i), x = low + value(&ctx, copies, j);
            if (x < 0 || x >= MAX_VALUE) continue;
            CHECK(seen[x] != stamp || from[x] == low, "%s x %s = %s: the copies meet at %d",
                  NAME(a), NAME(b), NAME(r), (int)x);
            seen[x] = stamp;
            from[x] = (int)low;
        }
}

static void common(struct lay a, struct lay b) {
    int64_t n = lay_max_common_vector(&ctx, a, b).num;
    struct lay r = lay_right_inverse(&ctx, b);
    for (int64_t i = 0; i < n; ++i) {
        int64_t x = value(&ctx, r, i);
        CHECK(n == 1 || (value(&ctx, a, x) == i && value(&ctx, b, x) == i),
              "%s and %s have %d in common", NAME(a), NAME(b), (int)n);
    }
}

static int layouts(int (*out)[4], const int *strides, int n) {
    int count = 0;
    for (int a = 1; a <= 16; ++a)
        for (int b = 1; b <= 16 / a; ++b)
            for (int k = 0; k < n * n; ++k) {
                int *o = out[count++];
                o[0] = a, o[1] = b, o[2] = strides[k % n], o[3] = strides[k / n];
            }
    return count;
}

static struct lay pair_layout(const int *o) {
    return o[1] == 1 && o[3] == 0 ? flat(1, o, o + 2) : flat(2, o, o + 2);
}

static void all_pairs(void) {
    static const int strides[] = {0, 1, 2, 3, 4, 8};
    static int list[4096][4];
    int n = layouts(list, strides, sizeof strides / sizeof *strides);
    long pairs = 0, count = 0;
    refused = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (count++ % (thin + thin / 8)) continue;
            block_reset(&block, &ctx);
            struct lay a = pair_layout(list[i]), b = pair_layout(list[j]);
            compose(a, b);
            if ((i + j) % 4 == 0) divide(a, b);
            if ((i + j) % 4 == 1) product(a, b);
            if ((i + j) % 4 == 2) common(a, b);
            ++pairs;
        }
    printf("binary: %ld pairs, %ld results refused\n", pairs, refused);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--full") == 0) thin = 1;
    block = block_make((size_t)16 << 20);
    block_reset(&block, &ctx);
    all_unary();
    all_pairs();
    free(block.base);
    return check_done();
}
