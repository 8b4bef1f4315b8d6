// The window of a row that a block has, and its accesses.
#include "planner/rows.h"

enum {
    FEW = 4,      // elements written at once if the source has gaps between them
    HELD = 16,    // bytes in flight for a thread
    STAGED = 32,  // the same, through shared memory
    FEW_THREADS = 96,
    MOST_OUTER = 65535,  // most blocks along the second and third coordinate
    LONG = 4096,         // bytes of a row: blocks with less begin too often
    SHORT = 512,         // the same, if other forms have accesses of less than a word
    IDLE = 4,            // the fraction 1 / IDLE of windows may be beyond the rows
    IDLE_FASTEST = 3     // the same, for shapes that were the fastest
};

static int least(int a, int b) {
    return a < b ? a : b;
}

// The largest divisor, up to "most" elements, of the destination's strides between rows, or of
// their differences to the source's.
static int common(const struct relayout *r, int f, int most, bool differences) {
    for (int m = 0; m < r->rank; ++m)
        while (m != f && (r->mode[m].dst - (differences ? r->mode[m].src : 0)) % most) most /= 2;
    return most;
}

bool rows_axes(const struct relayout *r, const struct rows *k, int axis[]) {
    int64_t blocks = rows_windows(r, k);
    int first = -1, n = 0;
    for (int m = 0; m < r->rank; ++m)
        if (m != k->f && (first < 0 || r->mode[m].extent > r->mode[first].extent)) first = m;
    for (int m = r->rank - 1; m >= 0; --m) {
        bool own = k->step > 1 && m != first && m != k->f;
        axis[m] = own ? ++n : 0;
        if (own && r->mode[m].extent > MOST_OUTER) return false;
        if (!own && m != k->f && __builtin_mul_overflow(blocks, r->mode[m].extent, &blocks))
            return false;
    }
    return n < AXES && blocks <= INT32_MAX;
}

// Whether each window begins inside its row, and some window is completely inside it: otherwise an
// access would have a single element there.
static bool fits(const struct relayout *r, const struct rows *k) {
    int64_t n = r->mode[k->f].extent, most = rows_most_before(k);
    int axis[RELAYOUT_MODES];
    return rows_read(k) + most <= n && (rows_windows(r, k) - 1) * rows_window(k) + most <= n &&
           rows_axes(r, k, axis);
}

// Windows of short accesses through shared memory that were the fastest of all that fit, from rows of "from"
// elements on (bench/results/relayout-candidates.md): by the bytes of an element.
static const struct {
    int es, from, writers, held;
} fastest[] = {
    {2, 1536, 64, STAGED}, {1, 3000, 88, HELD}, {1, 3000, 80, HELD}, {1, 3000, 64, HELD}};

// Adds those that suit.
static int add_fastest(const struct relayout *r, const struct rows *k, struct rows list[]) {
    int64_t n = r->mode[k->f].extent;
    int es = bytes_of(r, false), found = 0;
    for (unsigned i = 0; i < sizeof fastest / sizeof fastest[0]; ++i) {
        struct rows *c = &list[found];
        if (!k->staged || fastest[i].es != es || n < fastest[i].from) continue;
        *c = *k;
        c->threads = fastest[i].writers;
        c->times = fastest[i].held / (c->store * es);
        bool idle = rows_windows(r, c) * rows_window(c) - n > n / IDLE_FASTEST;
        if (c->times > 0 && !idle && fits(r, c)) ++found;
    }
    return found;
}

// Chooses the first shape with few windows beyond the rows, or else the one with the fewest.
// Blocks of 128 threads were measured to be the fastest.  Small ones begin too often, and are taken
// only if no others fit.
static bool choose_window(const struct relayout *r, struct rows *k) {
    static const int threads[] = {128, 160, 192, 224, 256, 96, 64, 32};
    int64_t n = r->mode[k->f].extent, idle = INT64_MAX;
    int es = bytes_of(r, false);
    struct rows best = *k;
    for (unsigned i = 0; i < sizeof threads / sizeof threads[0]; ++i) {
        if (threads[i] < FEW_THREADS && idle < INT64_MAX) break;
        for (int held = k->staged ? STAGED : HELD; held >= HELD && idle > n / IDLE; held /= 2) {
            // the additional reads take threads too
            k->threads = threads[i] - (k->staged ? k->step * es / held : 0);
            k->times = held / (k->store * es);
            int64_t beyond = rows_windows(r, k) * rows_window(k) - n;
            if (!fits(r, k) || beyond >= idle) continue;
            best = *k;
            idle = beyond;
        }
    }
    *k = best;
    return idle < INT64_MAX;
}

// Accesses if elements are contiguous on both sides.
static void dense_accesses(const struct relayout *r, struct rows *k) {
    int es = bytes_of(r, false);
    int load = least(WIDE, r->src_align) / es, store = least(WIDE, r->dst_align) / es;
    // elements that are aligned on both sides at once
    int both = common(r, k->f, least(load, store), true);
    k->staged = both * es < WORD && load * es >= WORD;
    k->store = both * es < WORD ? least(store, WORD / es) : store;
    k->load = k->staged ? load : least(both, k->store);
}

// The accesses; the window is not chosen yet.
static bool accesses(const struct relayout *r, struct rows *k) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES], es = bytes_of(r, false);
    if (r->to || r->usual) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    *k = (struct rows){.f = dst[0], .load = 1};
    const struct relayout_mode *f = &r->mode[k->f];
    int along = least(vector_along(r, k->f, true), vector_along(r, k->f, false)) * es;
    if (src[0] != k->f || f->src == 0 || f->dst != 1 || along >= WIDE) return false;
    if (f->extent * es < (along < WORD ? SHORT : LONG)) return false;
    k->step = LINE / es;
    if (f->src == 1)
        dense_accesses(r, k);
    else
        k->store = least(FEW, least(WIDE, r->dst_align) / es);
    return true;
}

int rows_choose(const struct relayout *r, struct rows list[ROWS_MOST]) {
    struct rows k;
    if (!accesses(r, &k)) return 0;
    int n = add_fastest(r, &k, list);
    list[n] = k;
    bool more = k.staged && choose_window(r, &list[n]);
    for (int i = 0; i < n; ++i)
        if (list[i].threads == list[n].threads && list[i].times == list[n].times) more = false;
    if (n + more > 0) return n + more;
    if (k.staged) k.load = 1;
    k.staged = false;
    if (common(r, k.f, k.step, false) == k.step) k.step = 1;
    list[0] = k;
    return choose_window(r, &list[0]);
}
