// Laws of the algebra on random layouts: nested, swizzled, with symbols.  The argument is the
// number of cases of each law;
// --full is a million.
#include "layout/gen.h"

static struct lay_ctx ctx;
static struct block block;
static struct rng rng;

#define NAME(l) lay_text(&ctx, (l))
enum { SKIP = -1, FAIL, OK };

static struct lay any(int size) {
    return gen_layout(&ctx, &rng, 2, size, 0);
}

static struct lay number(int64_t n, int64_t d) {
    return lay_make(&ctx, lay_leaf_of(&ctx, n), lay_leaf_of(&ctx, d));
}

static int verdict(int ok, const char *law, struct lay a, struct lay b, struct lay c) {
    if (!ok)
        fprintf(stderr, "%s: %s | %s | %s: %s\n", law, NAME(a), NAME(b), NAME(c),
                ctx.error ? ctx.error : "differs");
    return ok ? OK : FAIL;
}

// coalesce(L)(i) = L(i); so do flatten and with_shape
static int law_coalesce(void) {
    struct lay l = any(64), c = lay_coalesce(&ctx, l), f = lay_flatten(&ctx, l);
    int ok = same_values(&ctx, l, c, 0) && same_values(&ctx, l, f, 5) && lay_depth(c) <= 1;
    struct lay again = lay_coalesce(&ctx, c);
    return verdict(ok && lay_equal(c, again), "coalesce", l, c, f);
}

// (A0, A1) o <B0, B1> = (A0 o B0, A1 o B1)
static int law_by_mode(void) {
    struct lay a[2] = {any(32), any(32)}, b[2] = {any(8), any(8)};
    const struct lay_tiler *kid[2] = {lay_tiler_layout(&ctx, b[0]), lay_tiler_layout(&ctx, b[1])};
    struct lay both = lay_join(&ctx, 2, a);
    struct lay r = lay_compose_tiler(&ctx, both, lay_tiler_modes(&ctx, 2, kid));
    if (!r.shape) return SKIP;
    for (int64_t i = 0, n = lay_size(&ctx, b[0]).num; i < n; ++i)
        for (int64_t j = 0, m = lay_size(&ctx, b[1]).num; j < m; ++j)
            if (value(&ctx, r, i + n * j) !=
                value(&ctx, a[0], value(&ctx, b[0], i)) + value(&ctx, a[1], value(&ctx, b[1], j)))
                return verdict(0, "by mode", both, b[0], b[1]);
    return OK;
}

// select in another order permutes the coordinates
static int law_permute(void) {
    struct lay part[3] = {any(8), any(8), any(8)}, l = lay_join(&ctx, 3, part);
    int mode[3] = {0, 1, 2};
    for (int i = 2; i > 0; --i) {
        int k = rng_below(&rng, i + 1), t = mode[i];
        mode[i] = mode[k];
        mode[k] = t;
    }
    struct lay p = lay_select(&ctx, l, 3, mode);
    const struct lay_tuple *c[3], *q[3];
    int64_t x, y;
    for (int i = 0; i < 3; ++i)
        c[i] = lay_leaf_of(&ctx, rng_below(&rng, (int)lay_size(&ctx, part[i]).num));
    for (int i = 0; i < 3; ++i) q[i] = c[mode[i]];
    int ok = lay_eval_coord(&ctx, l, lay_tuple(&ctx, 3, c), &x) &&
             lay_eval_coord(&ctx, p, lay_tuple(&ctx, 3, q), &y) && x == y;
    return verdict(ok, "permute", l, p, l);
}

// A(R(i)) = i, and the right inverse of the right inverse of a permutation is the permutation
static int law_inverse(void) {
    struct lay l = gen_layout(&ctx, &rng, 2, 96, 1), r = lay_right_inverse(&ctx, l);
    struct lay b = lay_right_inverse(&ctx, r), left = lay_left_inverse(&ctx, l);
    int ok = r.shape && b.shape && left.shape && same_values(&ctx, l, b, 0) &&
             same_values(&ctx, r, left, 0);
    for (int64_t i = 0; ok && i < lay_size(&ctx, r).num; ++i)
        ok = value(&ctx, l, value(&ctx, r, i)) == i;
    return verdict(ok, "inverse", l, r, b);
}

// R(A(i)) = i with gaps between the values, and none for a layout that repeats them
static int law_left_inverse(void) {
    int repeats = rng_below(&rng, 4) == 0;
    struct lay l = repeats ? any(64) : gen_layout(&ctx, &rng, 2, 64, 2);
    struct lay r = lay_left_inverse(&ctx, l);
    int ok = r.shape != NULL;
    if (repeats && !ok) return OK;
    for (int64_t i = 0; ok && i < lay_size(&ctx, l).num; ++i)
        ok = value(&ctx, r, value(&ctx, l, i)) == i;
    return verdict(ok, "left inverse", l, r, r);
}

// the copies of a product stand where the tiler says in the row of all copies
static int law_product(void) {
    struct lay a = gen_layout(&ctx, &rng, 1, 24, 2), b = any(12);
    int64_t n = lay_cosize(&ctx, b).num;
    struct lay p = lay_logical_product(&ctx, a, lay_tiler_layout(&ctx, b));
    lay_clear_error(&ctx);
    struct lay all = lay_logical_product(&ctx, a, lay_tiler_layout(&ctx, number(n, 1)));
    if (!p.shape || !all.shape) return SKIP;
    struct lay copies = lay_mode(&ctx, p, 1), row = lay_mode(&ctx, all, 1);
    int ok = lay_equal(lay_mode(&ctx, p, 0), a);
    for (int64_t j = 0; ok && j < lay_size(&ctx, b).num; ++j)
        ok = value(&ctx, copies, j) == value(&ctx, row, value(&ctx, b, j));
    return verdict(ok, "product", a, b, p);
}

// dividing a product by the size of its first factor gives the factors back
static int law_divide_product(void) {
    struct lay a = gen_layout(&ctx, &rng, 1, 24, 2), b = gen_layout(&ctx, &rng, 1, 8, 2);
    struct lay p = lay_logical_product(&ctx, a, lay_tiler_layout(&ctx, b));
    if (!p.shape) return SKIP;
    int64_t n = lay_size(&ctx, a).num;
    struct lay d = lay_logical_divide(&ctx, p, lay_tiler_layout(&ctx, number(n, 1)));
    int ok = d.shape && same_values(&ctx, lay_mode(&ctx, d, 0), a, 0) &&
             same_values(&ctx, lay_mode(&ctx, d, 1), lay_mode(&ctx, p, 1), 0);
    return verdict(ok, "divide of product", a, b, d);
}

// zipped, tiled and flat divides have the values of the logical one; every element is in one tile
static int law_divides(void) {
    struct lay l = lay_join(&ctx, 2, (struct lay[]){any(24), any(24)});
    const struct lay_tiler *t =
        lay_tiler_shape(&ctx, lay_tuple2(&ctx, lay_leaf_of(&ctx, 1 + rng_below(&rng, 8)),
                                         lay_leaf_of(&ctx, 1 + rng_below(&rng, 8))));
    struct lay log = lay_logical_divide(&ctx, l, t), zip = lay_zipped_divide(&ctx, l, t);
    struct lay tiled = lay_tiled_divide(&ctx, l, t), flat = lay_flat_divide(&ctx, l, t);
    if (!log.shape) return zip.shape ? FAIL : SKIP;
    struct lay back =
        lay_join(&ctx, 2,
                 (struct lay[]){lay_zip2(&ctx, lay_mode(&ctx, zip, 0), lay_mode(&ctx, zip, 1)),
                                number(1, 0)});
    struct lay pairs = lay_mode(&ctx, back, 0);
    return verdict(same_values(&ctx, pairs, log, 0) && same_values(&ctx, zip, tiled, 0) &&
                       same_values(&ctx, zip, flat, 0),
                   "divides", l, log, zip);
}

// A divide that goes on is the plain one with other strides where one tile is, and there the next
// tile begins where the plain divide of a longer mode has it.
static int law_divides_on(void) {
    int64_t n = 1 + rng_below(&rng, 24), tile = 1 + rng_below(&rng, 32), d = 1 + rng_below(&rng, 3);
    struct lay l = number(n, 1), longer = number(4 * n * tile * d, 1);
    const struct lay_tiler *t = lay_tiler_layout(&ctx, number(tile, d));
    struct lay zip = lay_zipped_divide(&ctx, l, t), two = lay_zipped_divide(&ctx, longer, t);
    struct lay on = lay_divide_on(&ctx, LAY_DIVIDE_ZIPPED, l, t);
    struct lay sliced = lay_divide_on(&ctx, LAY_DIVIDE_SLICED, l, t);
    if (!zip.shape || !two.shape) return on.shape && !zip.shape ? FAIL : SKIP;
    int ok = on.shape && sliced.shape && same_values(&ctx, zip, on, 0) &&
             same_values(&ctx, zip, sliced, 0);
    struct lay rest = ok ? lay_mode(&ctx, on, 1) : on, all = lay_mode(&ctx, two, 1);
    if (ok && lay_int_is(lay_size(&ctx, rest), 1))
        ok = lay_is_leaf(rest.stride) && rest.stride->leaf.num == value(&ctx, all, 1);
    // the last leaf runs on: its stride is that of the tile behind all that there are
    const struct lay_tuple *last = ok ? lay_mode(&ctx, sliced, 1).stride : NULL;
    while (last && last->rank >= 0) last = last->kid[last->rank - 1];
    const struct lay_tuple *want = lay_coalesce(&ctx, all).stride;
    while (want->rank >= 0) want = want->kid[want->rank - 1];
    if (last && lay_rank(lay_coalesce(&ctx, all)) > 1) ok = ok && last->leaf.num == want->leaf.num;
    return verdict(ok, "divides on", l, number(tile, d), sliced);
}

static struct lay_swizzle random_swizzle(void) {
    struct lay_swizzle w = {(int8_t)rng_below(&rng, 4), (int8_t)rng_below(&rng, 5), 0};
    int s = w.b + rng_below(&rng, 3);
    w.s = (int8_t)(rng_below(&rng, 2) ? s : -s);
    return w;
}

// a swizzle twice is nothing, and composing under it swizzles the values
static int law_swizzle(void) {
    struct lay_swizzle w = random_swizzle();
    struct lay l = any(64), s = lay_swizzled(&ctx, w, lay_int(0), l);
    int ok = s.shape && same_values(&ctx, l, lay_swizzled(&ctx, w, lay_int(0), s), 0);
    for (int64_t i = 0; ok && i < lay_size(&ctx, l).num; ++i)
        ok = value(&ctx, s, i) == lay_swizzle_apply(w, value(&ctx, l, i));
    return verdict(ok, "swizzle", l, s, s);
}

// what is narrowed and widened again is the same; a value of the narrow one is n times that of the
// wide one
static int law_width(void) {
    struct lay inner = gen_layout(&ctx, &rng, 2, 64, 1), l = inner;
    int64_t n = 2 << rng_below(&rng, 3);
    if (rng_below(&rng, 2))
        l = lay_swizzled(&ctx, random_swizzle(), lay_int(rng_below(&rng, 40)), inner);
    struct lay d = lay_downcast(&ctx, l, n);
    if (!d.shape) return SKIP;
    struct lay u = lay_upcast(&ctx, d, n);
    int ok = u.shape && same_values(&ctx, l, u, 0);
    return verdict(ok, "width", l, d, u);
}

// (A, B)(i, j) = A(i) + B(j)
static int law_concat(void) {
    struct lay a = any(32), b = any(32), both = lay_append(&ctx, lay_join(&ctx, 1, &a), b);
    int64_t n = lay_size(&ctx, a).num, i = rng_below(&rng, (int)n), x;
    int64_t j = rng_below(&rng, (int)lay_size(&ctx, b).num);
    const struct lay_tuple *c = lay_tuple2(&ctx, lay_leaf_of(&ctx, i), lay_leaf_of(&ctx, j));
    int ok = value(&ctx, both, i + n * j) == value(&ctx, a, i) + value(&ctx, b, j) &&
             lay_eval_coord(&ctx, both, c, &x) && x == value(&ctx, both, i + n * j);
    return verdict(ok, "concat", a, b, both);
}

// what is printed reads back; the other styles are read by the language (unit.driver.expression)
static int law_text(void) {
    struct lay l = any(4096);
    if (rng_below(&rng, 2))
        l = lay_swizzled(&ctx, random_swizzle(), lay_int(rng_below(&rng, 99)), l);
    int ok = lay_equal(lay_parse(&ctx, NAME(l)), l);
    return verdict(ok, "text", l, lay_parse(&ctx, NAME(l)), l);
}

// (A o B) o C = A o (B o C)
static int law_associative(void) {
    struct lay a = any(64), b = any(32), c = gen_layout(&ctx, &rng, 1, 16, 0);
    struct lay l = lay_compose(&ctx, lay_compose(&ctx, a, b), c);
    lay_clear_error(&ctx);
    struct lay r = lay_compose(&ctx, a, lay_compose(&ctx, b, c));
    if (!l.shape || !r.shape) return SKIP;
    // within the size of B both are A(B(C(i)))
    for (int64_t i = 0; i < lay_size(&ctx, c).num; ++i)
        if (value(&ctx, c, i) < lay_size(&ctx, b).num && value(&ctx, l, i) != value(&ctx, r, i))
            return verdict(0, "associative", a, b, c);
    return OK;
}

// A and its complement fill what they are asked to, whether the strides divide or not
static int law_fills(void) {
    static char seen[1 << 12];
    struct lay a = any(24);
    int64_t room = 1 + rng_below(&rng, 200), n = lay_size(&ctx, a).num;
    struct lay c = lay_complement(&ctx, a, lay_leaf_of(&ctx, room));
    if (!c.shape) return SKIP;
    int ok = 1;
    memset(seen, 0, sizeof seen);
    for (int64_t j = 0; j < lay_size(&ctx, c).num; ++j)
        for (int64_t i = 0; i < n; ++i) {
            int64_t v = value(&ctx, a, i) + value(&ctx, c, j);
            if (v >= 0 && v < room) seen[v] = 1;
        }
    for (int64_t v = 0; ok && v < room; ++v) ok = seen[v];
    return verdict(ok, "fills", a, c, number(room, 1));
}

// A and its complement fill the cosize without a value twice
static int law_complement(void) {
    static char seen[1 << 16];
    struct lay a = gen_layout(&ctx, &rng, 2, 32, 2), c = lay_complement(&ctx, a, NULL);
    int64_t n = lay_cosize(&ctx, a).num, all = lay_size(&ctx, a).num * lay_size(&ctx, c).num;
    if (all > (1 << 15) || n > (1 << 15)) return SKIP;
    struct lay both = lay_join(&ctx, 2, (struct lay[]){a, c});
    int ok = both.shape != NULL;
    for (int64_t i = 0; ok && i < all; ++i) {
        int64_t v = value(&ctx, both, i);
        ok = v >= 0 && v < (1 << 16) && !seen[v];
        seen[ok ? v : 0] = 1;
    }
    for (int64_t v = 0; ok && v < n; ++v) ok = seen[v];
    memset(seen, 0, sizeof seen);
    return verdict(ok, "complement", a, c, both);
}

// a coordinate's index leads back to the coordinate, and a slice has the values of the layout there
static int law_coordinates(void) {
    struct lay l = lay_join(&ctx, 2, (struct lay[]){any(32), any(32)});
    int64_t n = lay_size(&ctx, l).num, i = rng_below(&rng, (int)n);
    int64_t rows = lay_size(&ctx, lay_mode(&ctx, l, 0)).num;
    const struct lay_tuple *c = lay_idx2crd(&ctx, lay_leaf_of(&ctx, i), l.shape, NULL);
    struct lay_int back = lay_crd2idx(&ctx, c, l.shape, NULL);
    int64_t x;
    int ok = lay_int_is(back, i) && lay_eval_coord(&ctx, l, c, &x) && x == value(&ctx, l, i);
    const struct lay_tuple *row = lay_tuple2(&ctx, lay_leaf_of(&ctx, i % rows), lay_any(&ctx));
    if (rng_below(&rng, 2))
        l = lay_swizzled(&ctx, random_swizzle(), lay_int(rng_below(&rng, 99) - 9), l);
    struct lay_view v = lay_settle(&ctx, lay_slice(&ctx, l, row));
    int64_t off = lay_sum_int(&ctx, v.offset).num;
    for (int64_t k = i % rows; ok && k < n; k += rows)
        ok = off + value(&ctx, v.layout, k / rows) == value(&ctx, l, k);
    return verdict(ok, "coordinates", l, v.layout, l);
}

// the elements that two layouts have in common stand in a row in both
static int law_common(void) {
    struct lay a = gen_layout(&ctx, &rng, 2, 64, 1);
    struct lay b = lay_make(&ctx, a.shape, gen_compact(&ctx, &rng, a.shape, rng_below(&rng, 3)));
    int64_t n = lay_max_common_vector(&ctx, a, b).num;
    struct lay r = lay_max_common_layout(&ctx, a, b);
    int ok = lay_size(&ctx, r).num == n;
    for (int64_t i = 0; ok && i < n && n > 1; ++i)
        ok = value(&ctx, a, value(&ctx, r, i)) == i && value(&ctx, b, value(&ctx, r, i)) == i;
    return verdict(ok, "common", a, b, r);
}

// -- symbols --------------------------------------------------------------------------------------

static struct lay_int symbol(const char *name, int64_t mul, int64_t value, int64_t *values) {
    const struct lay_sym *s = lay_param(&ctx, name, mul, 1, (int64_t)1 << 40);
    values[s->id] = value;
    return lay_int_sym(&ctx, s);
}

// An operation on params, with numbers put in afterwards, is the operation on the numbers.
static int law_symbols(void) {
    int64_t values[64] = {0}, mul = 1 << rng_below(&rng, 4), kmul = 1 << rng_below(&rng, 4);
    struct lay_int m = symbol("M", mul, mul * (1 + rng_below(&rng, 9)), values);
    struct lay_int k = symbol("K", kmul, kmul * (1 + rng_below(&rng, 9)), values);
    struct lay_int lda = symbol("lda", 4, 4 * (1 + rng_below(&rng, 40)), values);
    int which = rng_below(&rng, 4);
    struct lay_int d[4][2] = {
        {lay_int(1), m}, {k, lay_int(1)}, {lda, lay_int(1)}, {lay_int(1), lda}};
    struct lay s =
        lay_make(&ctx, lay_tuple2(&ctx, lay_leaf(&ctx, m), lay_leaf(&ctx, k)),
                 lay_tuple2(&ctx, lay_leaf(&ctx, d[which][0]), lay_leaf(&ctx, d[which][1])));
    struct lay n = lay_substitute(&ctx, s, values);
    int64_t t0 = 1 << rng_below(&rng, 5), t1 = 1 + rng_below(&rng, 9);
    const struct lay_tiler *t =
        lay_tiler_shape(&ctx, lay_tuple2(&ctx, lay_leaf_of(&ctx, t0), lay_leaf_of(&ctx, t1)));
    struct lay a, b;
    switch (rng_below(&rng, 6)) {
    case 0: a = lay_coalesce(&ctx, s), b = lay_coalesce(&ctx, n); break;
    case 1: a = lay_zipped_divide(&ctx, s, t), b = lay_zipped_divide(&ctx, n, t); break;
    case 2:
        a = lay_tiled_divide(&ctx, lay_zipped_divide(&ctx, s, t), t);
        b = lay_tiled_divide(&ctx, lay_zipped_divide(&ctx, n, t), t);
        break;
    case 3: a = lay_compose_tiler(&ctx, s, t), b = lay_compose_tiler(&ctx, n, t); break;
    case 4: {
        struct lay_int v = lay_max_common_vector(&ctx, s, s), w = lay_max_common_vector(&ctx, n, n);
        int64_t x = lay_int_divisor(v), y = lay_max_alignment(&ctx, s).num;
        int64_t z = lay_max_alignment(&ctx, n).num;
        return verdict(x > 0 && w.num % x == 0 && z % y == 0, "symbols: widths", s, n, n);
    }
    default:
        a = lay_right_inverse(&ctx, s), b = lay_right_inverse(&ctx, n);
        if (lay_size(&ctx, lay_substitute(&ctx, a, values)).num != lay_size(&ctx, b).num)
            return SKIP;  // the numbers may line up by chance
    }
    if (!a.shape) return SKIP;
    a = lay_substitute(&ctx, a, values);
    if (!b.shape)  // with these numbers the modes may coalesce to what does not divide
        return SKIP;
    return verdict(a.shape && same_values(&ctx, a, b, 0), "symbols", s, a, b);
}

// -- the run --------------------------------------------------------------------------------------

static const struct law {
    char name[20];
    int (*run)(void);
} laws[] = {
    {"coalesce", law_coalesce},
    {"by mode", law_by_mode},
    {"permute", law_permute},
    {"inverse", law_inverse},
    {"left inverse", law_left_inverse},
    {"product", law_product},
    {"divide of product", law_divide_product},
    {"divides", law_divides},
    {"divides on", law_divides_on},
    {"swizzle", law_swizzle},
    {"width", law_width},
    {"concat", law_concat},
    {"text", law_text},
    {"associative", law_associative},
    {"complement", law_complement},
    {"fills", law_fills},
    {"coordinates", law_coordinates},
    {"common vector", law_common},
    {"symbols", law_symbols},
};

int main(int argc, char **argv) {
    long cases = argc > 1 ? strcmp(argv[1], "--full") == 0 ? 1000000 : atol(argv[1]) : 3000;
    if (argc > 2) cases = atol(argv[2]);
    block = block_make((size_t)8 << 20);
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        long held = 0, skipped = 0, failed = 0;
        for (long i = 0; held + failed < cases && skipped < cases * 20; ++i) {
            rng.state = (uint64_t)i * 2654435761u + k * 977 + 12345;
            block_reset(&block, &ctx);
            int r = laws[k].run();
            held += r == OK;
            skipped += r == SKIP;
            failed += r == FAIL;
            if (failed > 3) break;
        }
        check_count += held;
        printf("%-18s %8ld hold %8ld without a result\n", laws[k].name, held, skipped);
        CHECK(failed == 0 && held > cases / 2, "%s", laws[k].name);
    }
    free(block.base);
    return check_done();
}
