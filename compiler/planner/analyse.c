// Layout analysis: merges the modes of a relayout that continue each other.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "planner/private.h"

struct lay_int relayout_extent(const struct relayout *r, int m) {
    return exactly(&r->mode[m], RELAYOUT_EXTENT);
}

static void drop(struct relayout *r, int i) {
    memmove(&r->mode[i], &r->mode[i + 1], sizeof r->mode[0] * (size_t)(r->rank - i - 1));
    r->rank--;
}

// Whether mode "a" continues mode "b" on both sides.
static bool follows(struct session *s, const struct relayout_mode *a,
                    const struct relayout_mode *b) {
    bool same = a->back == b->back;
    for (int k = RELAYOUT_SRC; same && k <= RELAYOUT_DST; ++k) {
        struct lay_int end = lay_int_mul(&s->lay, exactly(b, k), exactly(b, RELAYOUT_EXTENT));
        same = lay_int_valid(end) && lay_int_equal(exactly(a, k), end);
    }
    lay_clear_error(&s->lay);
    return same;
}

static bool merge_one(struct session *s, struct relayout *r) {
    for (int i = 0; i < r->rank; ++i)
        for (int j = 0; j < r->rank; ++j) {
            struct relayout_mode *a = &r->mode[i], *b = &r->mode[j];
            if (i == j || !follows(s, a, b)) continue;
            struct lay_int all =
                lay_int_mul(&s->lay, exactly(a, RELAYOUT_EXTENT), exactly(b, RELAYOUT_EXTENT));
            if (!lay_int_valid(all)) continue;
            b->extent *= a->extent;
            b->run[RELAYOUT_EXTENT] = lay_int_static(all) ? LAY_INT_INVALID : all;
            drop(r, i);
            return true;
        }
    return false;
}

static bool slower(const struct relayout_mode *a, const struct relayout_mode *b) {
    return a->src != b->src ? a->src > b->src : a->dst > b->dst;
}

bool relayout_fits(const struct relayout *r, bool src) {
    int64_t last = r->begin[!src].at, size = 1;
    for (int i = 0; i < r->rank; ++i) {
        const struct relayout_mode *m = &r->mode[i];
        int64_t far;
        if (__builtin_mul_overflow(size, m->extent, &size) ||
            __builtin_mul_overflow(m->extent - 1, src ? m->src : m->dst, &far) ||
            __builtin_add_overflow(last, far, &last) || last > INT64_MAX / 2)
            return false;
    }
    return size <= INT64_MAX / 2;
}

const char *relayout_coalesce(struct session *s, struct relayout *r) {
    if (r->index) return NULL;
    for (int i = r->rank - 1; i >= 0; --i) {
        const struct relayout_mode *m = &r->mode[i];
        if (m->extent < 1)
            return arena_printf(&s->arena, "an extent is %" PRId64 "; it must be at least 1",
                                m->extent);
        if (lay_int_is(exactly(m, RELAYOUT_EXTENT), 1)) {
            drop(r, i);
            continue;
        }
        if (m->dst == 0)
            return arena_printf(&s->arena,
                                "%" PRId64
                                " elements go to the same place: a stride of the destination is 0",
                                m->extent);
    }
    if (!relayout_fits(r, true) || !relayout_fits(r, false))
        return "the tensors have more than 2^62 elements";
    while (!r->several && merge_one(s, r)) continue;
    if (r->rank == 0) r->mode[r->rank++] = (struct relayout_mode){.extent = 1, .src = 1, .dst = 1};
    for (int i = 0; i < r->rank; ++i)
        for (int k = 0; k < RELAYOUT_NUMBERS; ++k)
            if (lay_int_valid(r->mode[i].run[k]))
                r->mode[i].text[k] = lay_int_text(&s->lay, r->mode[i].run[k]);
    for (int i = 0; i < r->rank; ++i)
        if (r->mode[i].back)
            r->mode[i].text[RELAYOUT_SRC] =
                arena_printf(&s->arena, "-%s",
                             lay_int_operand(&s->lay, exactly(&r->mode[i], RELAYOUT_SRC)));
    for (int i = 1; i < r->rank; ++i)
        for (int j = i; j > 0 && slower(&r->mode[j], &r->mode[j - 1]); --j) {
            struct relayout_mode m = r->mode[j];
            r->mode[j] = r->mode[j - 1];
            r->mode[j - 1] = m;
        }
    return NULL;
}

// Whether mode "a" is faster than mode "b" on that side.  A stride of 0 is the slowest.
static bool faster(const struct relayout *r, bool src, int a, int b) {
    uint64_t x = (uint64_t)(src ? r->mode[a].src : r->mode[a].dst) - 1;
    uint64_t y = (uint64_t)(src ? r->mode[b].src : r->mode[b].dst) - 1;
    return x != y ? x < y : a > b;
}

void order_of(const struct relayout *r, bool src, int order[]) {
    if (r->order[!src]) {
        memcpy(order, r->order[!src], sizeof *order * (size_t)r->rank);
        return;
    }
    for (int i = 0; i < r->rank; ++i) {
        int j = i;
        for (; j > 0 && faster(r, src, i, order[j - 1]); --j) order[j] = order[j - 1];
        order[j] = i;
    }
}

int vector_along(const struct relayout *r, int m, bool src) {
    int es = bytes_of(r, src), v = WIDE / es;
    if (src ? r->mode[m].back : r->mode[m].dst_back) return 1;
    if (!lay_int_is(exactly(&r->mode[m], src ? RELAYOUT_SRC : RELAYOUT_DST), 1)) return 1;
    while (v > 1 && (src ? r->src_align : r->dst_align) % (v * es)) v /= 2;
    while (v > 1 && r->mode[m].extent < v) v /= 2;
    // a swizzle keeps so many elements together
    while (v > 1 && r->sw[!src].b && v >> r->sw[!src].m > 1) v /= 2;
    for (int i = 0; i < r->rank; ++i)
        while (i != m && v > 1 && (src ? r->mode[i].src : r->mode[i].dst) % v) v /= 2;
    return v;
}

int unpromised(const struct relayout *r, int vector, bool src) {
    enum relayout_number k = src ? RELAYOUT_SRC : RELAYOUT_DST;
    for (int i = 0; i < r->rank; ++i)
        if (lay_int_valid(r->mode[i].run[k]) && divisor_of(r, r->mode[i].run[k]) % vector) return i;
    return -1;
}

bool vector_proven(const struct relayout *r, int vector, bool src) {
    return unpromised(r, vector, src) < 0;
}
