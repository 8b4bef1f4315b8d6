// Which modes of a relayout are combined into a row (see flat.h).
#include "planner/flat.h"

// The cost grows by one part in DIVISIONS for each mode of the row and each load of a byte.
enum { DIVISIONS = 8 };

bool flat_of(const struct relayout *r, struct flat *f) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    int64_t extent = 1, align = r->src_align;
    bool in_row[RELAYOUT_MODES] = {false};
    if (r->to || r->usual || r->rank < 3) return false;
    order_of(r, true, src);
    order_of(r, false, dst);
    if (r->mode[src[0]].src != 1 || src[0] == dst[0]) return false;
    f->parts = 0;
    f->step = 0;
    for (int i = 0; i < r->rank; ++i) {
        const struct relayout_mode *m = &r->mode[dst[i]];
        if (dst[i] == src[0] || m->dst != extent || m->src == 0) break;
        extent *= m->extent;
        f->part[f->parts++] = dst[i];
        f->step = lay_gcd(f->step, m->src);
        in_row[dst[i]] = true;
    }
    if (f->parts < 2) return false;
    f->r = *r;
    f->r.rank = 0;
    f->row = 0;
    for (int m = 0; m < r->rank; ++m) {
        if (in_row[m] && m != dst[0]) continue;
        if (m == dst[0]) f->row = f->r.rank;
        f->of[f->r.rank] = m;
        f->r.mode[f->r.rank++] = r->mode[m];
    }
    f->r.mode[f->row].extent = extent;
    f->r.mode[f->row].step = f->step;
    // an access is as wide as all strides of the row allow
    align = lay_gcd(align, f->step * bytes_of(r, true));
    f->r.src_align = (int)align;
    return true;
}

// A relayout along the row; neighbours in the source have a common divisor of the row's strides as
// distance.
static struct relayout along_row(const struct flat *f) {
    struct relayout r = f->r;
    r.mode[f->row].src = f->step;
    return r;
}

// If both sides have whole lines, memory is the limit, and the divisions run while memory is busy
// (bench/results/relayout-rows-of-modes.md).
int64_t flat_cost(const struct flat *f, const struct chosen *k) {
    struct relayout r = along_row(f);
    if (whole_lines(&r, &k->c)) return k->cost.total;
    int bytes = k->c.rd.vector * bytes_of(&f->r, true);
    return k->cost.total + k->cost.total / (DIVISIONS * bytes) * f->parts;
}

struct hints flat_hints(const struct flat *f, const struct choice *c) {
    struct relayout r = along_row(f);
    return hints_of(&r, c);
}
