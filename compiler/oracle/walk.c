// Iterations over the elements of a layout, and of two sides together (see private.h).
#include <stdlib.h>
#include <string.h>

#include "oracle/private.h"

void oracle_walk(struct walk *w, const struct oracle_flat *f) {
    w->f = f;
    w->value = 0;
    for (int m = 0; m < f->n; ++m) {
        w->at[m] = 0;
        w->order[m] = m;
    }
}

void oracle_step(struct walk *w) {
    for (int i = 0; i < w->f->n; ++i) {
        int m = w->order[i];
        w->value += w->f->stride[m];
        if (++w->at[m] < w->f->extent[m]) return;
        w->value -= w->f->stride[m] * w->f->extent[m];
        w->at[m] = 0;
    }
}

void oracle_go_on(struct walk *w, int64_t n) {
    w->at[w->order[0]] += n;
    w->value += n * w->f->stride[w->order[0]];
}

void oracle_go_along(struct walk *from, struct walk *to) {
    const struct oracle_flat *a = from->f, *b = to->f;
    bool same = a->n == b->n;
    for (int m = 0; m < a->n && same; ++m) same = a->extent[m] == b->extent[m];
    for (int m = 1; m < b->n && same; ++m) {
        int i = m;
        for (; i > 0 && llabs(b->stride[to->order[i - 1]]) > llabs(b->stride[m]); --i)
            to->order[i] = to->order[i - 1];
        to->order[i] = m;
    }
    if (same) memcpy(from->order, to->order, (size_t)b->n * sizeof to->order[0]);
}

void oracle_join(struct oracle_flat *f) {
    int n = 0;
    for (int m = 0; m < f->n; ++m) {
        if (f->extent[m] == 1) continue;
        if (n > 0 && f->stride[m] == f->stride[n - 1] * f->extent[n - 1]) {
            f->extent[n - 1] *= f->extent[m];
            continue;
        }
        f->extent[n] = f->extent[m];
        f->stride[n++] = f->stride[m];
    }
    f->n = n;
}

// Splits mode "m" in two: its first "low" coordinates, and their repetitions.
static void split(struct oracle_flat *f, int m, int64_t low) {
    size_t behind = (size_t)(f->n - m);
    memmove(&f->extent[m + 1], &f->extent[m], behind * sizeof f->extent[0]);
    memmove(&f->stride[m + 1], &f->stride[m], behind * sizeof f->stride[0]);
    memmove(&f->basis[m + 1], &f->basis[m], behind * sizeof f->basis[0]);
    ++f->n;
    f->extent[m + 1] /= low;
    f->stride[m + 1] *= low;
    f->extent[m] = low;
}

static void split_side(struct side *side, int m, int64_t low) {
    if (side->coord.n == side->flat.n) split(&side->coord, m, low);
    split(&side->flat, m, low);
}

void oracle_split(struct side *a, struct side *b) {
    struct oracle_flat *x = &a->flat, *y = &b->flat;
    for (int m = 0; m < x->n && m < y->n; ++m) {
        int64_t p = x->extent[m], q = y->extent[m], low = p < q ? p : q;
        if (p == q) continue;
        if (low < 1 || p % low || q % low || x->n == ORACLE_FLAT_MODES || y->n == ORACLE_FLAT_MODES)
            return;
        split_side(p > low ? a : b, m, low);
    }
}
