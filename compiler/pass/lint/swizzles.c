// The swizzles to try (see swizzles.h).
#include "pass/lint/swizzles.h"

#include "base/session.h"
#include "layout/algebra.h"

enum { SHARED_BITS = 1024 };  // in all banks together
enum { MOST_ROWS = 6 };       // 1, 2, 4, .. 32 rows have the same number

static int log2_of(int64_t n) {
    int k = 0;
    while (n > 1 && n % 2 == 0) n /= 2, ++k;
    return n == 1 ? k : -1;
}

int64_t row_of(struct session *s, struct lay l) {
    struct lay flat = lay_flatten(&s->lay, lay_inner(l));
    int64_t least = 0;
    for (int i = 0; lay_valid(flat) && i < lay_rank(flat); ++i) {
        struct lay_int d = lay_is_leaf(flat.stride) ? flat.stride->leaf
                                                    : lay_tuple_get(&s->lay, flat.stride, i)->leaf;
        if (lay_int_static(d) && d.num > 1 && (!least || d.num < least)) least = d.num;
    }
    lay_clear_error(&s->lay);
    return least & (least - 1) ? 0 : least;
}

// The smallest and the largest stride in the layout that is a power of two > 1, as exponents; -1:
// none.
static void rows_of(struct session *s, struct lay l, int *least, int *most) {
    struct lay flat = lay_flatten(&s->lay, l);
    *least = *most = -1;
    for (int i = 0; lay_valid(flat) && i < lay_rank(flat); ++i) {
        const struct lay_tuple *d =
            lay_is_leaf(flat.stride) ? flat.stride : lay_tuple_get(&s->lay, flat.stride, i);
        int k = lay_int_static(d->leaf) && d->leaf.num > 1 ? log2_of(d->leaf.num) : -1;
        if (k < 0) continue;
        if (*least < 0 || k < *least) *least = k;
        if (k > *most) *most = k;
    }
    lay_clear_error(&s->lay);
}

// Adds swizzles of chunks of "bytes" bytes, with shifts from "from" to "end" - 1.
static int add_chunks(int bytes, int m, int from, int end, struct lay_swizzle *out, int n) {
    // at most all chunks in a line of banks
    for (int b = log2_of(SHARED_BITS / 8 / bytes); b >= 1; --b)
        for (int shift = from < b ? b : from; shift < end; ++shift)
            if (n < SWIZZLES) out[n++] = (struct lay_swizzle){(int8_t)b, (int8_t)m, (int8_t)shift};
    return n;
}

int swizzles_of(struct session *s, struct lay l, int bits, struct lay_swizzle *out) {
    int n = 0, least, most;
    rows_of(s, l, &least, &most);
    // Chunks of this many bytes, XORed with the number of the row, or of 2, 4, .. rows, then of
    // half rows.  Of swizzles with equal cost, the first one is taken.
    static const int size[] = {16, 8, 4, 32, 64};
    for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < 5; ++i) {
            int m = log2_of(size[i] * 8 / bits), banks = log2_of(SHARED_BITS / 8 / size[i]);
            if (size[i] * 8 < bits || m < 0) continue;
            int first = least < 0 ? banks : least - m, last = most < 0 ? banks : most - m;
            if (!half)
                n = add_chunks(size[i], m, first, last + MOST_ROWS, out, n);
            else if (first > 1)
                n = add_chunks(size[i], m, first - 1, first, out, n);
        }
    }
    return n;
}
