// Random tiled copies.
#include "gen_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_ints(struct gen *g, const int *v, int n) {
    put(g, "(");
    for (int i = 0; i < n; ++i) put(g, "%s%d", i ? "," : "", v[i]);
    put(g, ")");
}

static bool in_order(const int *order, int n) {
    for (int i = 0; i < n; ++i)
        if (order[i] != i) return false;
    return true;
}

// Writes "v", and its strides when the modes are counted in another order than the default.
static void put_ordered(struct gen *g, const int *v, const int *order, int n) {
    put_ints(g, v, n);
    if (in_order(order, n) && percent(g, 80)) return;
    int stride[MAX_RANK], next = 1;
    for (int i = 0; i < n; ++i) {
        stride[order[i]] = v[order[i]] == 1 ? 0 : next;
        next *= v[order[i]];
    }
    put(g, ":");
    put_ints(g, stride, n);
}

// Writes the threads, some modes nested, the halves counted in any order.
static void put_threads(struct gen *g, const struct tiled *t) {
    int extent[2 * MAX_RANK], order[2 * MAX_RANK], stride[2 * MAX_RANK], n = 0, next = 1;
    bool nested[MAX_RANK];
    for (int i = 0; i < t->rank; ++i) {
        nested[i] = t->thr[i] % 2 == 0 && t->thr[i] > 2 && percent(g, 60);
        if (nested[i]) extent[n++] = 2;
        extent[n++] = nested[i] ? t->thr[i] / 2 : t->thr[i];
    }
    for (int i = 0; i < n; ++i) order[i] = i;
    shuffle(g, order, n);
    for (int i = 0; i < n; ++i) {
        stride[order[i]] = next;
        next *= extent[order[i]];
    }
    for (int what = 0; what < 2; ++what) {
        const int *v = what ? stride : extent;
        put(g, what ? ":(" : "(");
        for (int i = 0, m = 0; m < t->rank; ++m) {
            if (nested[m]) {
                put(g, "%s(%d,%d)", m ? "," : "", v[i], v[i + 1]);
                i += 2;
            } else {
                put(g, "%s%d", m ? "," : "", v[i++]);
            }
        }
        put(g, ")");
    }
}

static void put_tile_shape(struct gen *g, const struct tiled *t) {
    int shape[MAX_RANK];
    for (int i = 0; i < t->rank; ++i) shape[i] = t->thr[i] * t->val[i];
    put_ints(g, shape, t->rank);
}

void put_tiled(struct gen *g, const struct kernel *k, const struct tiled *t) {
    int per_access = t->bits / k->elem_bits, others = 0;
    for (int i = 0; i < t->rank; ++i) others += i != t->along && t->val[i] > 1;
    bool atoms = t->exact && (g->features & GEN_ATOMS) && t->val_order[0] == t->along &&
                 (others == 0 || (t->along == 0 && in_order(t->val_order, t->rank))) &&
                 percent(g, 40);
    put(g, "tiled_copy %s = tile(", t->name);
    const char *atom = t->exact || t->bits == k->elem_bits ? "universal" : "auto";
    if (atoms || percent(g, 20))
        put(g, "%s(%d, %s), ", atom, t->bits, k->elem);
    else
        put(g, "%s(%d), ", atom, t->bits);
    if (!atoms && may(g, GEN_TV, 25)) {
        put(g, "tv=");
        put_tv(g, t);
        put(g, ", tile=");
        put_tile_shape(g, t);
    } else if (!atoms && may(g, GEN_MAPS, 12)) {
        put(g, "map=");
        put_map(g, t);
        if (percent(g, 50)) {
            put(g, ", tile=");
            put_tile_shape(g, t);
        }
    } else {
        put(g, "thr=");
        if (may(g, GEN_NESTED, 15))
            put_threads(g, t);
        else
            put_ordered(g, t->thr, t->thr_order, t->rank);
        if (atoms) {
            int v[MAX_RANK];
            for (int i = 0; i < t->rank; ++i)
                v[i] = i == t->along ? t->val[i] / per_access : t->val[i];
            put(g, ", atoms=");
            put_ints(g, v, t->rank);
            put(g, ", along=%d", t->along);
        } else {
            put(g, ", val=");
            put_ordered(g, t->val, t->val_order, t->rank);
        }
    }
    put(g, ");\n");
    if (percent(g, 15)) put(g, "expect threads(%s) == %d;\n", t->name, t->threads);
}

// The orders of threads and values; the mode of an exact access comes first among the values.
static void choose_orders(struct gen *g, struct tiled *t) {
    for (int i = 0; i < t->rank; ++i) t->thr_order[i] = t->val_order[i] = i;
    if (percent(g, 50)) shuffle(g, t->thr_order, t->rank);
    if (percent(g, 30)) shuffle(g, t->val_order, t->rank);
    if (!t->exact) return;
    int n = 1, rest[MAX_RANK];
    for (int i = 0; i < t->rank; ++i)
        if (t->val_order[i] != t->along) rest[n++] = t->val_order[i];
    rest[0] = t->along;
    memcpy(t->val_order, rest, sizeof rest[0] * (size_t)t->rank);
}

static int count_threads(const struct tiled *t) {
    int n = 1;
    for (int i = 0; i < t->rank; ++i) n *= t->thr[i];
    return n;
}

// The first tiled copy, which also fixes the tile; "turned": with blocks that accesses divide along
// another mode, too.
void choose_first(struct gen *g, struct kernel *k, bool turned) {
    struct tiled *t = &k->a;
    for (;;) {
        t->rank = k->rank = PICK(g, 1, 2, 2, 2, 2, 3, 3);
        if (may(g, GEN_RANK_4, 10)) t->rank = k->rank = 4;
        t->along = below(g, k->rank);
        t->bits = PICK(g, 128, 128, 64, 32, 16, 8);
        if (t->bits < k->elem_bits) t->bits = k->elem_bits;
        int per_access = t->bits / k->elem_bits;
        t->exact = per_access > 1 && !may(g, GEN_AUTO, 25);
        bool wide = may(g, GEN_MANY_THREADS, 8);
        t->across = turned ? (t->along + 1 + below(g, k->rank)) % k->rank : t->along;
        int64_t size = 1;
        t->once = true;
        for (int i = 0; i < k->rank; ++i) {
            t->thr[i] = wide ? PICK(g, 8, 16, 32) : PICK(g, 1, 2, 2, 4, 4, 8, 8, 16, 3, 5, 7);
            t->val[i] = PICK(g, 1, 1, 1, 1, 2, 2, 3, 5);
            if (i == t->along || i == t->across) t->val[i] *= per_access;
            int rounds = PICK(g, 1, 1, 1, 2, 3);
            k->tile[i] = (int64_t)t->thr[i] * t->val[i] * rounds;
            t->once = t->once && rounds == 1;
            size *= k->tile[i];
        }
        t->threads = count_threads(t);
        if (size <= MAX_TILE && t->threads <= 1024) break;
    }
    choose_orders(g, t);
}

// Another tiled copy of the same tile: of single elements, so that any layouts will do, or of the
// widest accesses that are proven.
void choose_second(struct gen *g, struct kernel *k) {
    struct tiled *t = &k->b;
    t->rank = k->rank;
    t->along = below(g, k->rank);
    t->exact = false;
    t->bits = may(g, GEN_AUTO, 40) ? 128 : k->elem_bits;
    for (;;) {
        t->once = true;
        for (int i = 0; i < k->rank; ++i) {
            int64_t left = k->tile[i];
            t->thr[i] = t->val[i] = 1;
            for (int f = 2; f <= 3; ++f) {
                for (; left % f == 0; left /= f) {
                    int to = below(g, 5);
                    t->once = t->once && to < 4;
                    if (to < 3)
                        t->thr[i] *= f;
                    else if (to < 4)
                        t->val[i] *= f;
                }
            }
            t->once = t->once && left == 1;
        }
        t->threads = count_threads(t);
        if (t->threads <= 256) break;
    }
    choose_orders(g, t);
}
