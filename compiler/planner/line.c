// The range of elements of a block (see line.h).
#include "planner/line.h"

enum {
    ROW = 384  // shorter rows are not read along the destination
};

int line_choose(const struct relayout *r, struct line list[]) {
    int src[RELAYOUT_MODES], es = bytes_of(r, true), n = 0;
    struct line k = {.extent = 1, .store = WIDE / es};
    if (r->to || r->usual || r->rank < 2) return 0;
    order_of(r, true, src);
    order_of(r, false, k.order);
    if (src[0] != k.order[0] || r->mode[src[0]].src != 1) return 0;
    for (int i = 0; i < r->rank; ++i) {
        const struct relayout_mode *m = &r->mode[k.order[i]];
        if (m->dst != k.extent || m->src == 0) return 0;
        k.extent *= m->extent;
    }
    while (k.store > 1 && (r->dst_align % (k.store * es) || k.extent % k.store)) k.store /= 2;
    k.load = vector_along(r, src[0], true);
    while (r->mode[src[0]].extent % k.load) k.load /= 2;
    if (k.load > k.store) k.load = k.store;
    // reads as wide as writes need no lines, and reads of less than a word are too many
    if (k.load == k.store || k.load * es < WORD || r->mode[src[0]].extent * es < ROW) return 0;
    static const struct { int threads, times; } shape[LINES] = {{128, 1}, {256, 1}, {128, 2}};
    for (int i = 0; i < LINES; ++i) {
        k.threads = shape[i].threads;
        k.times = shape[i].times;
        if ((k.extent - 1) / line_elements(&k) < INT32_MAX) list[n++] = k;
    }
    return n;
}
