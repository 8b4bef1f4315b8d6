// Which part of all elements a block has (see line.h).
#include "planner/line.h"

#include "image/elem.h"

int line_choose(const struct relayout *r, struct line list[]) {
    int src[RELAYOUT_MODES], es = bytes_of(r, true), n = 0;
    struct line k = {.extent = 1, .store = 16 / es};
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
    for (k.threads = 128; k.threads <= 512; k.threads *= 2)
        for (k.times = 1; k.times <= 2; ++k.times)
            for (int staged = 0; staged < 2; ++staged) {
                k.staged = staged;
                if (staged && k.load == k.store) continue;
                if ((k.extent + line_elements(&k) - 1) / line_elements(&k) > INT32_MAX) continue;
                list[n++] = k;
            }
    return n;
}
