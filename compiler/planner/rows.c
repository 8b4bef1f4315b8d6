// Which window of a row a block has, and by which accesses.
#include "planner/rows.h"

#include "image/elem.h"

enum {
    WARP = 32,
    WIDE = 16,   // bytes of an access, at the most
    LINE = 128,  // bytes
    STORE = 4,   // bytes that a thread writes at once, or one element
    HELD = 32,   // bytes that a thread has in flight, at the most and at the least
    LEAST_HELD = 8,
    MOST_THREADS = 256,
    SHORT = 4 * LINE,  // bytes of a row, for which other ways are better
    IDLE = 8           // one part of so many of the windows may lie beyond the rows
};

static int least(int a, int b) {
    return a < b ? a : b;
}

// What "k" strides of rows and their differences are multiples of, up to "most" elements.
static int common(const struct relayout *r, int f, int most, bool differences) {
    for (int m = 0; m < r->rank; ++m)
        while (m != f && (r->mode[m].dst - (differences ? r->mode[m].src : 0)) % most) most /= 2;
    return most;
}

// Whether each window begins within its row, and some window lies wholly in it: else an access would
// have one element there.
static bool fits(const struct relayout *r, const struct rows *k) {
    int64_t blocks = rows_windows(r, k), n = r->mode[k->f].extent, window = rows_window(k);
    if (window + k->step - 1 > n || (blocks - 1) * window + k->step - 1 > n) return false;
    for (int m = 0; m < r->rank; ++m)
        if (m != k->f && __builtin_mul_overflow(blocks, r->mode[m].extent, &blocks)) return false;
    return blocks <= INT32_MAX;
}

// The greatest window of which few lie beyond the rows, else one of those with the fewest.
static bool choose_window(const struct relayout *r, struct rows *k) {
    int64_t n = r->mode[k->f].extent, idle = INT64_MAX;
    struct rows best = *k;
    for (int held = HELD; held >= LEAST_HELD && idle > n / IDLE; held /= 2) {
        k->times = held / (k->store * bytes_of(r, false));
        for (k->threads = MOST_THREADS; k->times && k->threads >= WARP; k->threads /= 2) {
            int64_t beyond = rows_windows(r, k) * rows_window(k) - n;
            if (!fits(r, k) || beyond >= idle) continue;
            best = *k;
            idle = beyond;
            if (idle <= n / IDLE) break;
        }
    }
    *k = best;
    return idle < INT64_MAX;
}

bool rows_choose(const struct relayout *r, struct rows *k) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = bytes_of(r, false);
    if (r->to || r->usual) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    *k = (struct rows){.f = dst[0], .load = 1, .store = 1, .step = 1};
    const struct relayout_mode *f = &r->mode[k->f];
    if (src[0] != k->f || f->src == 0 || f->extent * es < SHORT) return false;
    if (least(vector_along(r, k->f, true), vector_along(r, k->f, false)) * es >= WIDE) return false;
    if (f->dst == 1) {
        k->store = least(STORE > es ? STORE / es : 1, least(WIDE, r->dst_align) / es);
        k->step = LINE / es;
        if (common(r, k->f, k->step, false) == k->step) k->step = 1;
    }
    if (f->src == 1 && f->dst == 1)
        k->load = common(r, k->f, least(k->store, least(WIDE, r->src_align) / es), true);
    return choose_window(r, k);
}
