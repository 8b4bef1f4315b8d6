// Parts of swizzled layouts with an offset, as the calculator prints them: each value of a slice, a
// tile, a partition, a mode is the value of the whole at the coordinate that it stands for.
// Separate from the laws, which draw at random: here it is all swizzles, offsets and indices of a
// small range, so that each way to carry into a bit that the swizzle moves is among them.
#include "layout/gen.h"
#include "layout/text.h"

#include <stdarg.h>

#ifdef TCPC_SANITIZE
static const int thin = 16;
#else
static const int thin = 1;
#endif

static struct lay_ctx ctx;
static struct block block;
static long parts, refused;

// The value of "text", a format, or no shape where it is refused.
__attribute__((format(printf, 1, 2))) static struct calc_value part(const char *text, ...) {
    char expr[256];
    va_list args;
    va_start(args, text);
    vsnprintf(expr, sizeof expr, text, args);
    va_end(args);
    struct calc_value v = calc_of_text(&ctx, expr);
    ++parts;
    refused += v.kind == CALC_NONE;
    lay_clear_error(&ctx);
    return v;
}

static int64_t at(struct calc_value v, int64_t i) {
    int64_t plus = v.kind == CALC_VIEW && v.offset.n ? v.offset.term[0].num : 0;
    return plus + value(&ctx, v.layout, i);
}

#define SAME(v, i, want, ...)                                                                      \
    do {                                                                                           \
        int64_t is_ = at(v, i), want_ = (want);                                                    \
        CHECK(is_ == want_, "%s at %d is %d, not %d, in %s", calc_text(&ctx, v, CALC_STYLE_TCP),   \
              (int)(i), (int)is_, (int)want_, text);                                               \
    } while (0)

// "rows" by "cols" elements: the whole is asked at i + rows * j.
static void slices(const char *text, struct lay l, int rows, int cols) {
    for (int j = 0; j < cols; ++j) {
        struct calc_value v = part("slice(%s, (_,%d))", text, j);
        for (int i = 0; i < rows; ++i) SAME(v, i, value(&ctx, l, i + rows * j));
        for (int i = 0; i < rows; ++i)
            SAME(part("slice((%d,%d), %s)", i, j, text), 0, value(&ctx, l, i + rows * j));
    }
    for (int i = 0; i < rows; ++i) {
        struct calc_value v = part("slice(%s, (%d,_))", text, i);
        for (int j = 0; j < cols; ++j) SAME(v, j, value(&ctx, l, i + rows * j));
    }
    struct calc_value row = part("get(%s, 1)", text), first = part("take(%s, 0, 1)", text);
    struct calc_value turned = part("select(%s, (1,0))", text),
                      diced = part("dice((_,1), %s)", text);
    for (int j = 0; j < cols; ++j) {
        SAME(row, j, value(&ctx, l, rows * j));
        SAME(diced, j, value(&ctx, l, rows * j));
    }
    for (int i = 0; i < rows; ++i) {
        SAME(first, i, value(&ctx, l, i));
        for (int j = 0; j < cols; ++j) SAME(turned, j + cols * i, value(&ctx, l, i + rows * j));
    }
}

static void tiles(const char *text, struct lay l, int rows, int cols, int high, int wide) {
    for (int m = 0; m * high < rows; ++m)
        for (int n = 0; n * wide < cols; ++n) {
            struct calc_value v = part("local_tile(%s, (%d,%d), (%d,%d))", text, high, wide, m, n);
            if (v.kind == CALC_NONE) continue;
            for (int k = 0; k < high * wide; ++k) {
                int i = m * high + k % high, j = n * wide + k / high;
                if (i < rows && j < cols) SAME(v, k, value(&ctx, l, i + rows * j));
            }
        }
    for (int t = 0; t < high * wide; ++t) {
        struct calc_value v = part("local_partition(%s, (%d,%d), %d)", text, high, wide, t);
        if (v.kind == CALC_NONE) continue;
        int down = (rows + high - 1) / high, across = (cols + wide - 1) / wide;
        for (int k = 0; k < down * across; ++k) {
            int i = t % high + high * (k % down), j = t / high + wide * (k / down);
            if (i < rows && j < cols) SAME(v, k, value(&ctx, l, i + rows * j));
        }
    }
}

static void wholes(const char *text, struct lay l, int size) {
    struct calc_value v[] = {part("coalesce(%s)", text), part("flatten(%s)", text),
                             part("group_modes(%s, 0, 2)", text),
                             part("with_shape(%s, %d)", text, size), part("%s o %d", text, size)};
    for (size_t k = 0; k < sizeof v / sizeof *v; ++k)
        for (int i = 0; v[k].kind != CALC_NONE && i < size; ++i) SAME(v[k], i, value(&ctx, l, i));
    struct calc_value n = part("max_common_vector(%s, %s)", text, text);
    for (int i = 0; n.kind == CALC_INT && n.tuple->leaf.num > 1 && i < n.tuple->leaf.num; ++i) {
        struct calc_value r = part("right_inverse(%s)", lay_text(&ctx, lay_inner(l)));
        int64_t here = value(&ctx, l, value(&ctx, r.layout, i));
        CHECK(here == value(&ctx, l, value(&ctx, r.layout, 0)) + i, "%d in a row in %s",
              (int)n.tuple->leaf.num, text);
    }
}

int main(void) {
    static const struct {
        const char *text;
        int rows, cols;
    } inner[] = {
        {"(4,6):(1,4)", 4, 6},   {"(4,4):(4,1)", 4, 4},         {"(3,5):(1,3)", 3, 5},
        {"(4,4):(-1,1)", 4, 4},  {"(2,8):(8,1)", 2, 8},         {"(5,3):(3,1)", 5, 3},
        {"(4,4):(1,16)", 4, 4},  {"((2,2),4):((1,8),2)", 4, 4}, {"(6,3):(0,5)", 6, 3},
        {"(4,4):(3,-16)", 4, 4}, {"(4,(2,3)):(6,(1,2))", 4, 6}, {"(3,2):(1,8)", 3, 2},
    };
    static const int offset[] = {0, 1, 2, 3, 5, 8, 13, 16, 30, -1, -8};
    char text[128];
    long count = 0;
    block = block_make((size_t)16 << 20);
    for (size_t k = 0; k < sizeof inner / sizeof *inner; ++k)
        for (size_t o = 0; o < sizeof offset / sizeof *offset; ++o)
            for (int b = 0; b <= 3; ++b)
                for (int m = 0; m <= 2; ++m)
                    for (int s = -b - 2; s <= b + 2; ++s) {
                        if ((s < 0 ? -s : s) < b || count++ % thin) continue;
                        block_reset(&block, &ctx);
                        snprintf(text, sizeof text, "Sw<%d,%d,%d> o %d o %s", b, m, s, offset[o],
                                 inner[k].text);
                        struct lay l = lay_parse(&ctx, text);
                        int rows = inner[k].rows, cols = inner[k].cols;
                        CHECK(l.shape != NULL, "%s is a layout", text);
                        slices(text, l, rows, cols);
                        tiles(text, l, rows, cols, 2, 2);
                        tiles(text, l, rows, cols, 3, 2);
                        wholes(text, l, rows * cols);
                    }
    printf("%ld parts, %ld refused\n", parts, refused);
    CHECK(refused < parts / 4, "%ld of %ld are refused", refused, parts);
    free(block.base);
    return check_done();
}
