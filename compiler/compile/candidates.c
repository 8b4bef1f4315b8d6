// Arrangements that are tried (see candidates.h).
#include "compile/candidates.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/plan.h"

enum { SHARED_BITS = 1024 };  // of all banks
enum { MOST_ROWS = 6 };       // 1, 2, 4, .. 32 rows have one number

static int log2_of(int64_t n) {
    int k = 0;
    while (n > 1 && n % 2 == 0) n /= 2, ++k;
    return n == 1 ? k : -1;
}

// The plain layout's rows, in elements, that are one after the other in the mode with the greatest
// stride; 0 where it has no two modes of numbers.
static int64_t pitch_of(struct session *s, struct lay l, int *mode) {
    const struct lay_tuple *shape = l.shape, *stride = l.stride;
    int64_t most = 0;
    if (lay_is_leaf(shape)) return 0;
    for (int i = 0; i < lay_tuple_rank(shape); ++i) {
        const struct lay_tuple *x = lay_tuple_get(&s->lay, shape, i);
        const struct lay_tuple *d = lay_tuple_get(&s->lay, stride, i);
        if (!lay_is_leaf(x) || !lay_is_leaf(d) || !lay_int_static(x->leaf) ||
            !lay_int_static(d->leaf))
            return 0;
        if (d->leaf.num > most) most = d->leaf.num, *mode = i;
    }
    return most;
}

// The least and the greatest distance in the plain layout that is a power of two, as powers, of
// elements that do not follow one another; -1: none is.
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

// Swizzles of chunks of "bytes" with shifts from "from" on, before "end".
static int add_chunks(int bytes, int m, int from, int end, struct swizzle_choice *out, int n) {
    for (int b = log2_of(SHARED_BITS / 8 / bytes); b >= 1; --b)  // of chunks that all banks hold
        for (int shift = from < b ? b : from; shift < end; ++shift)
            if (n < SWIZZLE_CANDIDATES) out[n++] = (struct swizzle_choice){b, m, shift, NULL, 0};
    return n;
}

int swizzle_candidates(struct session *s, const struct tensor *t, struct lay l,
                       struct swizzle_choice *out) {
    int n = 0, mode = 0, least, most, bits = t->elem->bits;
    out[n++] = (struct swizzle_choice){0};
    int64_t pitch = pitch_of(s, l, &mode);
    rows_of(s, l, &least, &most);
    // chunks of so many bytes, exchanged by the number of the row, or of 2, 4, .. rows; then by half
    // rows.  Of those that cost the same the first one is taken.
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
    // rows further apart by some words
    for (int bytes = 4;
         pitch > 0 && !t->names && lay_rank(l) == 2 && bytes <= 16 && n < SWIZZLE_CANDIDATES;
         bytes *= 2) {
        int64_t add = bytes * 8 / bits;
        if (add == 0) continue;
        const struct lay_tuple *a = lay_tuple_get(&s->lay, l.stride, 0);
        const struct lay_tuple *b = lay_tuple_get(&s->lay, l.stride, 1);
        out[n++] = (struct swizzle_choice){
            .text = arena_printf(&s->arena, "%s:(%lld,%lld)", lay_tuple_text(&s->lay, l.shape),
                                 (long long)a->leaf.num + (mode == 0 ? add : 0),
                                 (long long)b->leaf.num + (mode == 1 ? add : 0)),
            .pad = bytes};
    }
    return n;
}
