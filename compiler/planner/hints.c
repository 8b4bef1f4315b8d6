// The cache hints of a choice.  The rules were measured to be useful on one H200
// (bench/results/hints.md).
#include "planner/private.h"

enum {
    LARGE = 256 << 20,  // bytes of both sides; smaller data may stay in the L2 cache
    LONG_RUN = 512,
    NEAR = 32,     // MB
    POLICIES = 80  // first architecture with policies of the L2 cache
};

// The length in bytes of the contiguous runs of a tile on a side.  Sets "*grain" to a divisor of
// their begins and ends, up to a line, relative to the first element.
static int64_t run_of(const struct relayout *r, const struct choice *c, bool src, int64_t *grain) {
    int order[RELAYOUT_MODES], es = bytes_of(r, src);
    int64_t run = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        const struct relayout_mode *m = &r->mode[order[i]];
        if ((src ? m->src : m->dst) != run) break;
        run *= c->tile[order[i]];
        if (c->tile[order[i]] < m->extent) break;
    }
    *grain = lay_gcd(LINE, run * es);
    for (int i = 0; i < r->rank; ++i) {
        int64_t stride = src ? r->mode[i].src : r->mode[i].dst, far = stride % LINE * es;
        if (stride >= run)
            *grain = lay_gcd(*grain, far);
        else if (c->tile[i] < r->mode[i].extent)
            *grain = lay_gcd(*grain, far * (c->tile[i] % LINE));
    }
    return run * es;
}

static bool is_large(const struct relayout *r) {
    int64_t bytes = 0;
    for (int src = 0; src < 2; ++src) {
        int64_t n = bytes_of(r, src);
        for (int m = 0; m < r->rank; ++m) {
            if (src && r->mode[m].src == 0) return false;  // it is read repeatedly
            n *= r->mode[m].extent;
        }
        bytes += n;
    }
    return bytes > LARGE;
}

bool whole_lines(const struct relayout *r, const struct choice *c) {
    int64_t from, to;
    run_of(r, c, true, &from);
    run_of(r, c, false, &to);
    return is_large(r) && from == LINE && to == LINE;
}

static struct hints before_policies(const struct relayout *r, const struct choice *c) {
    int64_t grain, other, run = run_of(r, c, true, &grain);
    run_of(r, c, false, &other);
    bool torn = c->way == WAY_STAGED && grain < SECTOR && other < SECTOR;
    if ((grain < LINE || other < LINE) && r->rank > 1 && (run >= LONG_RUN || torn))
        return (struct hints){", l2=128", "", "reads prefetch 128 bytes into L2"};
    return (struct hints){"", "", NULL};
}

struct hints hints_of(const struct relayout *r, const struct choice *c) {
    int64_t grain, other;
    run_of(r, c, true, &grain);
    run_of(r, c, false, &other);
    if (!is_large(r)) return (struct hints){"", "", NULL};
    if (r->arch < POLICIES) return before_policies(r, c);
    bool lines = grain == LINE && other == LINE;
    if (lines && c->way == WAY_STAGED)
        return (struct hints){", ld=L2.evict_last", ", st=L2.evict_first",
                              "data that is written is evicted first"};
    if (!lines && source_gap(r, c) < NEAR)
        return (struct hints){
            ", ld=L2.evict_last, l2=128", "",
            "data that is read is evicted last, and reads prefetch 128 bytes into L2"};
    return (struct hints){", ld=L2.evict_last", "", "data that is read is evicted last"};
}
