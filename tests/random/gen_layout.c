// Random layouts of tiles and tensors.
#include "gen_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether mode "m" of tiled copy "t" may be cut after "inner" elements: each of the copy's steps
// must meet the cut.
static bool may_cut(const struct tiled *t, int m, int64_t inner) {
    // local_partition steps by whole thread layouts
    int64_t val = t->bare ? 1 : t->val[m], step[] = {val, val * t->thr[m], 2 * val};
    int n = t->thr[m] > 2 && t->thr[m] % 2 == 0 ? 3 : 2;  // such threads may be written as (2,n/2)
    for (int i = 0; i < n; ++i)
        if (step[i] % inner != 0 && inner % step[i] != 0) return false;
    return true;
}

// Whether a thread's "val" values along a mode have a common refinement if this tensor cuts the mode
// after "inner" elements, and the kernel's others after "cuts".  tcpc refuses copies without one.
static bool refines(unsigned cuts, int64_t val, int64_t inner) {
    for (int64_t n = 2; val % inner == 0 && n <= 16; ++n)
        if (cuts >> n & 1 && val % n == 0 && n % inner != 0 && inner % n != 0) return false;
    return true;
}

void nest(struct gen *g, const struct kernel *k, struct shape *s, int contiguous, int per_access) {
    if (k->tails) return;
    for (int m = 0; m < s->rank; ++m) {
        static const int cuts[] = {2, 4, 8, 16, 3, 6};
        int64_t inner = cuts[below(g, 6)];
        if (m == contiguous && inner % per_access != 0) inner = per_access;
        if (percent(g, 60) && inner > 1 && inner < s->extent[m] && s->extent[m] % inner == 0 &&
            may_cut(&k->a, m, inner) && may_cut(&k->b, m, inner) &&
            refines(g->cut[m], k->a.val[m], inner) && refines(g->cut[m], k->b.val[m], inner)) {
            s->inner[m] = inner;
            g->cut[m] |= 1u << inner;
        }
    }
}

void put_shape(struct gen *g, const struct shape *s) {
    put(g, "(");
    for (int m = 0; m < s->rank; ++m) {
        put(g, "%s", m ? "," : "");
        if (s->symbol[m])
            put(g, "%s", s->symbol[m]);
        else if (s->inner[m] > 1)
            put(g, "(%" PRId64 ",%" PRId64 ")", s->inner[m], s->extent[m] / s->inner[m]);
        else
            put(g, "%" PRId64, s->extent[m]);
    }
    put(g, ")");
}

// Writes a static layout whose strides ascend in a random order of the leaves, the leaf of mode
// "contiguous" (-1: any) first; gaps are multiples of "unit".  Returns the elements it spans.
int64_t put_layout(struct gen *g, const struct shape *s, int contiguous, int64_t unit, bool gaps) {
    int leaf_mode[MAX_LEAVES], n = 0, order[MAX_LEAVES];
    int64_t extent[MAX_LEAVES], stride[MAX_LEAVES], next = 1;
    for (int m = 0; m < s->rank; ++m) {
        for (int half = 0; half < (s->inner[m] > 1 ? 2 : 1); ++half) {
            leaf_mode[n] = m;
            order[n] = n;
            extent[n++] = s->inner[m] <= 1 ? s->extent[m]
                          : half           ? s->extent[m] / s->inner[m]
                                           : s->inner[m];
        }
    }
    shuffle(g, order, n);
    for (int i = 0; i < n && contiguous >= 0; ++i) {
        bool first_of_mode = order[i] == 0 || leaf_mode[order[i] - 1] != leaf_mode[order[i]];
        if (leaf_mode[order[i]] == contiguous && first_of_mode) {
            int t = order[0];
            order[0] = order[i];
            order[i] = t;
            break;
        }
    }
    for (int i = 0; i < n; ++i) {
        stride[order[i]] = next;
        next *= extent[order[i]];
        if (gaps && percent(g, 30)) next += unit * (1 + below(g, 3));
        if (contiguous >= 0 && next % unit != 0) next += unit - next % unit;
    }
    put_shape(g, s);
    put(g, ":(");
    for (int m = 0, i = 0; m < s->rank; ++m) {
        if (s->inner[m] > 1) {
            put(g, "%s(%" PRId64 ",%" PRId64 ")", m ? "," : "", stride[i], stride[i + 1]);
            i += 2;
        } else {
            put(g, "%s%" PRId64, m ? "," : "", stride[i++]);
        }
    }
    put(g, ")");
    return next;
}

static int log2_of(int64_t n) {
    int b = 0;
    for (; n > 1; n /= 2) ++b;
    return b;
}

// Writes a swizzle that keeps "unit" elements together, in either direction, and where the layout
// under it begins: any of them is a permutation of all elements, whatever the layout.
void put_swizzle(struct gen *g, int64_t unit) {
    int b = 1 + below(g, 3), base = log2_of(unit), m = base + below(g, 3), shift = b + below(g, 3);
    put(g, "Sw<%d,%d,%d> o %" PRId64 " o ", b, m, percent(g, 30) ? -shift : shift,
        percent(g, 70) ? 0 : unit * below(g, 20));
}

// With gaps, two tiles that are larger than this might be more than a block has.
enum { GAPS_BYTES = 32 << 10 };

// Writes the layout of a shared tile whose mode "contiguous" runs in accesses of "unit" elements.
void put_shared_layout(struct gen *g, const struct kernel *k, int contiguous, int64_t unit) {
    struct shape s = {.rank = k->rank};
    int64_t size = 1;
    memcpy(s.extent, k->tile, sizeof k->tile);
    for (int i = 0; i < k->rank; ++i) size *= k->tile[i];
    bool whole = (size & (size - 1)) == 0;
    int bits = log2_of(size), base = log2_of(unit);
    if (whole && bits >= base + 2 && may(g, GEN_SWIZZLE, 35)) {
        int b = 1 + below(g, (bits - base) / 2), room = bits - base - 2 * b;
        int m = base + (room > 0 ? below(g, room + 1) : 0);
        int shift = b + (bits - m - 2 * b > 0 ? below(g, bits - m - 2 * b + 1) : 0);
        bool tiles = percent(g, 40);
        put(g, "%sSw<%d,%d,%d> o 0 o ", tiles ? "tile_to_shape(" : "", b, m, shift);
        for (int i = 0; i < k->rank && tiles; ++i)
            while (s.extent[i] % 2 == 0 && (i != contiguous || s.extent[i] / 2 >= unit) &&
                   percent(g, 40) &&
                   (!k->small[i] ||
                    (may_cut(&k->a, i, s.extent[i] / 2) && may_cut(&k->b, i, s.extent[i] / 2))))
                s.extent[i] /= 2;
        put_layout(g, &s, contiguous, unit, false);
        if (tiles) {
            put(g, ", (");
            for (int i = 0; i < k->rank; ++i) put(g, "%s%" PRId64, i ? "," : "", k->tile[i]);
            put(g, "))");
        }
        return;
    }
    bool compact = contiguous < 0 || s.extent[contiguous] % unit == 0;
    if (compact && contiguous <= 0 && percent(g, 25)) {
        put_shape(g, &s);
    } else if (compact && (contiguous < 0 || contiguous == k->rank - 1) && percent(g, 25)) {
        put(g, "row");
        put_shape(g, &s);
    } else {
        if (may(g, GEN_NESTED, 25)) nest(g, k, &s, contiguous, (int)unit);
        if (may(g, GEN_SWIZZLE, 25)) put_swizzle(g, unit);
        put_layout(g, &s, contiguous, unit, size * k->elem_bits / 8 <= GAPS_BYTES);
    }
}
