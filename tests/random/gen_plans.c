// The generator of random plans (see gen_plans.h).
#include "gen_plans.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 4, MAX_LEAVES = 8, MAX_TILE = 4096, MAX_WHOLE = 16384 };

// -- chance
// --------------------------------------------------------------------------------------------------------
struct gen {
    uint64_t state;
    unsigned features;
    char *text;
    size_t len, cap;
    int kernel;  // its number
};

static uint64_t draw(struct gen *g) {
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(struct gen *g, int n) {
    return (int)(draw(g) % (uint64_t)n);
}

static bool percent(struct gen *g, int p) {
    return below(g, 100) < p;
}

static bool may(struct gen *g, enum gen_feature f, int p) {
    return percent(g, p) && (g->features & f);
}

#define PICK(g, ...)                                                                               \
    (((const int[]){                                                                               \
        __VA_ARGS__})[below(g, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))])

__attribute__((format(printf, 2, 3))) static void put(struct gen *g, const char *format, ...) {
    va_list ap;
    for (;;) {
        va_start(ap, format);
        int n = vsnprintf(g->text + g->len, g->cap - g->len, format, ap);
        va_end(ap);
        if (g->len + (size_t)n < g->cap) {
            g->len += (size_t)n;
            return;
        }
        g->cap = 2 * g->cap + (size_t)n + 1;
        g->text = realloc(g->text, g->cap);
        if (!g->text) abort();
    }
}

static void shuffle(struct gen *g, int *v, int n) {
    for (int i = n - 1; i > 0; --i) {
        int j = below(g, i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

// -- what a kernel is made of
// -------------------------------------------------------------------------------------- A layout
// of the tile or of a whole tensor: leaves by mode.
struct shape {
    int rank;
    int64_t extent[MAX_RANK];
    const char *symbol[MAX_RANK];  // the extent is this param
    int64_t inner[MAX_RANK];       // > 1: the mode is (inner, extent / inner)
};

struct tiled {
    char name[16];
    int rank;
    int thr[MAX_RANK], val[MAX_RANK];
    int thr_order[MAX_RANK], val_order[MAX_RANK];  // fastest mode first
    int along;   // of the access; the mode that must be contiguous
    int bits;    // an access
    bool exact;  // universal, and more than one element an access
    int threads;
    bool bare;  // stands for local_partition: the threads alone count
};

// Where a mode's tiles are counted: the text of the tile's coordinate.
struct axis {
    int64_t tiles;
    char coord[48];
    char param[16];  // or ""
    bool looped;     // a loop counts them alone
    bool done;       // the coordinate is chosen
};

struct kernel {
    int elem_bits;
    const char *elem;
    int rank;
    int64_t tile[MAX_RANK];
    struct tiled a, b;  // into the middle, out of it
    bool two;           // b is another one than a
    struct axis axis[MAX_RANK];
    bool sliced;
    struct axis batch;
    int block_axes;
    char grid[3][32];
    int loops;
    char loop[MAX_RANK + 1][64];
    char ld[16];  // a param that is a leading dimension, or ""
};

static void put_ints(struct gen *g, const int *v, int n) {
    put(g, "(");
    for (int i = 0; i < n; ++i) put(g, "%s%d", i ? "," : "", v[i]);
    put(g, ")");
}

// -- tiled copies
// --------------------------------------------------------------------------------------------------
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

// The TV layout of "t", worked out from what thr and val mean: thread and value modes, fastest
// first, and for each the step that it makes in the tile.
static void put_tv(struct gen *g, const struct tiled *t) {
    int64_t step[MAX_RANK], below_mode = 1;
    for (int i = 0; i < t->rank; ++i) {
        step[i] = below_mode;
        below_mode *= (int64_t)t->thr[i] * t->val[i];
    }
    put(g, "tv=((");
    for (int i = 0; i < t->rank; ++i) put(g, "%s%d", i ? "," : "", t->thr[t->thr_order[i]]);
    put(g, "),(");
    for (int i = 0; i < t->rank; ++i) put(g, "%s%d", i ? "," : "", t->val[t->val_order[i]]);
    put(g, ")):((");
    for (int i = 0; i < t->rank; ++i) {
        int m = t->thr_order[i];
        put(g, "%s%" PRId64, i ? "," : "", t->thr[m] == 1 ? 0 : step[m] * t->val[m]);
    }
    put(g, "),(");
    for (int i = 0; i < t->rank; ++i) {
        int m = t->val_order[i];
        put(g, "%s%" PRId64, i ? "," : "", t->val[m] == 1 ? 0 : step[m]);
    }
    put(g, ")), tile=(");
    for (int i = 0; i < t->rank; ++i) put(g, "%s%d", i ? "," : "", t->thr[i] * t->val[i]);
    put(g, ")");
}

static void put_tiled(struct gen *g, const struct kernel *k, const struct tiled *t) {
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
        put_tv(g, t);
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

// The first tiled copy, which also fixes the tile.
static void choose_first(struct gen *g, struct kernel *k) {
    struct tiled *t = &k->a;
    for (;;) {
        t->rank = k->rank = PICK(g, 1, 2, 2, 2, 2, 3);
        t->along = below(g, k->rank);
        t->bits = PICK(g, 128, 128, 64, 32, 16, 8);
        if (t->bits < k->elem_bits) t->bits = k->elem_bits;
        int per_access = t->bits / k->elem_bits;
        t->exact = per_access > 1 && !may(g, GEN_AUTO, 25);
        bool wide = may(g, GEN_MANY_THREADS, 8);
        int64_t size = 1;
        for (int i = 0; i < k->rank; ++i) {
            t->thr[i] = wide ? PICK(g, 8, 16, 32) : PICK(g, 1, 2, 2, 4, 4, 8, 8, 16, 3);
            t->val[i] = PICK(g, 1, 1, 1, 2);
            if (i == t->along) t->val[i] *= per_access;
            k->tile[i] = (int64_t)t->thr[i] * t->val[i] * PICK(g, 1, 1, 1, 2, 3);
            size *= k->tile[i];
        }
        t->threads = count_threads(t);
        if (size <= MAX_TILE && t->threads <= 1024) break;
    }
    choose_orders(g, t);
}

// Another tiled copy of the same tile: of single elements, so that any layouts will do, or of the
// widest accesses that are proven.
static void choose_second(struct gen *g, struct kernel *k) {
    struct tiled *t = &k->b;
    t->rank = k->rank;
    t->along = below(g, k->rank);
    t->exact = false;
    t->bits = may(g, GEN_AUTO, 40) ? 128 : k->elem_bits;
    for (;;) {
        for (int i = 0; i < k->rank; ++i) {
            int64_t left = k->tile[i];
            t->thr[i] = t->val[i] = 1;
            for (int f = 2; f <= 3; ++f) {
                for (; left % f == 0; left /= f) {
                    int to = below(g, 5);
                    if (to < 3)
                        t->thr[i] *= f;
                    else if (to < 4)
                        t->val[i] *= f;
                }
            }
        }
        t->threads = count_threads(t);
        if (t->threads <= 256) break;
    }
    choose_orders(g, t);
}

// -- layouts
// -------------------------------------------------------------------------------------------------------
// Whether mode "m" of tiled copy "t" may be cut after "inner" elements: each of the copy's steps
// must meet the cut.
static bool may_cut(const struct tiled *t, int m, int64_t inner) {
    // local_partition steps by whole thread layouts
    int64_t val = t->bare ? 1 : t->val[m], step[2] = {val, val * t->thr[m]};
    for (int i = 0; i < 2; ++i)
        if (step[i] % inner != 0 && inner % step[i] != 0) return false;
    return true;
}

static void nest(struct gen *g, const struct kernel *k, struct shape *s, int contiguous,
                 int per_access) {
    for (int m = 0; m < s->rank; ++m) {
        static const int cuts[] = {2, 4, 8, 16, 3, 6};
        int64_t inner = cuts[below(g, 6)];
        if (m == contiguous && inner % per_access != 0) inner = per_access;
        if (percent(g, 60) && inner > 1 && inner < s->extent[m] && s->extent[m] % inner == 0 &&
            may_cut(&k->a, m, inner) && may_cut(&k->b, m, inner))
            s->inner[m] = inner;
    }
}

static void put_shape(struct gen *g, const struct shape *s) {
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
static int64_t put_layout(struct gen *g, const struct shape *s, int contiguous, int64_t unit,
                          bool gaps) {
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
static void put_swizzle(struct gen *g, int64_t unit) {
    int b = 1 + below(g, 3), base = log2_of(unit), m = base + below(g, 3), shift = b + below(g, 3);
    put(g, "Sw<%d,%d,%d> o %" PRId64 " o ", b, m, percent(g, 30) ? -shift : shift,
        percent(g, 70) ? 0 : unit * below(g, 20));
}

// Writes the layout of a shared tile whose mode "contiguous" runs in accesses of "unit" elements.
static void put_shared_layout(struct gen *g, const struct kernel *k, int contiguous, int64_t unit) {
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
                   percent(g, 40))
                s.extent[i] /= 2;
        put_layout(g, &s, contiguous, unit, false);
        if (tiles) {
            put(g, ", (");
            for (int i = 0; i < k->rank; ++i) put(g, "%s%" PRId64, i ? "," : "", k->tile[i]);
            put(g, "))");
        }
        return;
    }
    if (contiguous <= 0 && percent(g, 25)) {
        put_shape(g, &s);
    } else if ((contiguous < 0 || contiguous == k->rank - 1) && percent(g, 25)) {
        put(g, "row");
        put_shape(g, &s);
    } else {
        if (may(g, GEN_NESTED, 25)) nest(g, k, &s, contiguous, (int)unit);
        if (may(g, GEN_SWIZZLE, 25)) put_swizzle(g, unit);
        put_layout(g, &s, contiguous, unit, true);
    }
}

// -- whole tensors
// -------------------------------------------------------------------------------------------------
static bool is_tiled(const struct kernel *k) {
    for (int i = 0; i < k->rank; ++i)
        if (k->axis[i].tiles > 1 || k->axis[i].param[0]) return true;
    return false;
}

static bool has_params(const struct kernel *k) {
    for (int i = 0; i < k->rank; ++i)
        if (k->axis[i].param[0]) return true;
    return false;
}

// Declares global tensor "name" and writes to "view" the text of its tile that the kernel works on.
// "t" is the copy that touches it.
static void put_global(struct gen *g, const struct kernel *k, const char *name,
                       const struct tiled *t, char *view) {
    struct shape s = {.rank = k->rank};
    int contiguous = t->exact ? t->along : -1, unit = t->exact ? t->bits / k->elem_bits : 1;
    int batch = -1;
    for (int i = 0; i < k->rank; ++i) {
        s.extent[i] = k->tile[i] * k->axis[i].tiles;
        s.symbol[i] = k->axis[i].param[0] ? k->axis[i].param : NULL;
    }
    bool row = contiguous == k->rank - 1 && (contiguous != 0 || percent(g, 50));
    if (contiguous < 0) row = percent(g, 50);
    if (k->sliced) {
        batch = row ? 0 : k->rank;
        memmove(s.extent + batch + 1, s.extent + batch,
                sizeof s.extent[0] * (size_t)(k->rank - batch));
        memmove(s.symbol + batch + 1, s.symbol + batch,
                sizeof s.symbol[0] * (size_t)(k->rank - batch));
        s.extent[batch] = k->batch.tiles;
        s.symbol[batch] = NULL;
        ++s.rank;
        if (contiguous >= batch) ++contiguous;
    }
    put(g, "tensor %s : %s global ", name, k->elem);
    if (has_params(k)) {
        if (row && s.rank == 2 && k->ld[0])
            put_shape(g, &s), put(g, ":(%s,1)", k->ld);
        else if (row)
            put(g, "row"), put_shape(g, &s);
        else
            put_shape(g, &s);
    } else if (percent(g, 40) && (contiguous < 0 || row || contiguous == 0)) {
        put(g, "%s", row ? "row" : "");
        put_shape(g, &s);
    } else {
        if (!is_tiled(k) && !k->sliced && may(g, GEN_NESTED, 40)) nest(g, k, &s, contiguous, unit);
        if (may(g, GEN_SWIZZLE, 15)) put_swizzle(g, unit);
        put_layout(g, &s, contiguous, unit, true);
    }
    int bytes = t->exact ? t->bits / 8 : k->elem_bits / 8;
    put(g, " align %d;\n", bytes < 16 && percent(g, 70) ? 16 : bytes);

    char sliced[160];
    int n = snprintf(sliced, sizeof sliced, "%s", name);
    if (k->sliced) {
        n += snprintf(sliced + n, sizeof sliced - (size_t)n, "(");
        for (int i = 0; i < s.rank; ++i)
            n += snprintf(sliced + n, sizeof sliced - (size_t)n, "%s%s", i ? "," : "",
                          i == batch ? k->batch.coord : "_");
        snprintf(sliced + n, sizeof sliced - (size_t)n, ")");
    }
    if (!is_tiled(k)) {
        strcpy(view, sliced);
        return;
    }
    // one looped mode may be kept by local_tile and sliced afterwards
    int kept = -1;
    for (int i = 0; i < k->rank && kept < 0; ++i)
        if (k->axis[i].looped && percent(g, 25)) kept = i;
    n = sprintf(view, "local_tile(%s, (", sliced);
    for (int i = 0; i < k->rank; ++i)
        n += sprintf(view + n, "%s%" PRId64, i ? "," : "", k->tile[i]);
    n += sprintf(view + n, "), (");
    for (int i = 0; i < k->rank; ++i)
        n += sprintf(view + n, "%s%s", i ? "," : "", i == kept ? "_" : k->axis[i].coord);
    n += sprintf(view + n, "))");
    if (kept < 0) return;
    n += sprintf(view + n, "(");
    for (int i = 0; i < k->rank; ++i) n += sprintf(view + n, "_,");
    sprintf(view + n, "%s)", k->axis[kept].coord);
}

// Gives the tiles along an axis to blocks, to a loop, or to both.
static void choose_axis(struct gen *g, struct kernel *k, struct axis *x, int mode) {
    static const char *const axes[] = {"block.x", "block.y", "block.z"};
    bool loops = g->features & GEN_LOOPS;
    char count[48];
    if (x->tiles == 1 && !x->param[0]) {
        strcpy(x->coord, "0");
        return;
    }
    if (x->param[0])
        snprintf(count, sizeof count, "%s/%" PRId64, x->param, k->tile[mode]);
    else
        snprintf(count, sizeof count, "%" PRId64, x->tiles);
    if (!x->param[0] && x->tiles == 4 && loops && k->block_axes < 3 && percent(g, 40)) {
        snprintf(x->coord, sizeof x->coord, "%s*2 + k%d", axes[k->block_axes], k->loops);
        strcpy(k->grid[k->block_axes++], "2");
        sprintf(k->loop[k->loops], "k%d in 0 .. 2", k->loops);
        ++k->loops;
    } else if (k->block_axes < 3 && (!loops || percent(g, 65))) {
        strcpy(x->coord, axes[k->block_axes]);
        strcpy(k->grid[k->block_axes++], count);
    } else if (loops) {
        bool from_one = !x->param[0] && percent(g, 20);
        sprintf(x->coord, from_one ? "k%d - 1" : "k%d", k->loops);
        snprintf(k->loop[k->loops], sizeof k->loop[0],
                 from_one ? "k%d in 1 .. %s + 1" : "k%d in 0 .. %s", k->loops, count);
        ++k->loops;
        x->looped = true;
    } else {  // no way to count is left
        x->tiles = 1;
        x->param[0] = 0;
        strcpy(x->coord, "0");
    }
}

static void choose_axes(struct gen *g, struct kernel *k) {
    int64_t size = 1;
    for (int i = 0; i < k->rank; ++i) size *= k->tile[i];
    if (k->rank >= 2 && size * 6 <= MAX_WHOLE &&
        percent(g, 15)) {  // one axis of blocks counts two modes
        struct axis *x = &k->axis[0], *y = &k->axis[1];
        x->tiles = 3;
        y->tiles = 2;
        x->done = y->done = true;
        strcpy(x->coord, "block.x % 3");
        strcpy(y->coord, "block.x / 3");
        strcpy(k->grid[k->block_axes++], "6");
        size *= 6;
    }
    for (int i = 0; i < k->rank; ++i) {
        struct axis *x = &k->axis[i];
        if (x->done) continue;
        x->tiles = PICK(g, 1, 1, 2, 3, 4);
        if (size * x->tiles > MAX_WHOLE) x->tiles = 1;
        // compact layouts alone have params in them: their contiguous mode is the first or the last
        bool inside = k->a.exact && k->a.along > 0 && k->a.along < k->rank - 1;
        if (size <= MAX_TILE / 8 && !inside && may(g, GEN_PARAMS, 20)) {
            sprintf(x->param, "%c%d", 'M' + i, g->kernel);
            x->tiles = 1;
        }
        size *= x->tiles;
        choose_axis(g, k, x, i);
    }
    k->batch.tiles = 2 + below(g, 3);
    if (size * k->batch.tiles <= MAX_WHOLE && may(g, GEN_SLICES, 20) &&
        (k->block_axes < 3 || (g->features & GEN_LOOPS))) {
        k->sliced = true;
        choose_axis(g, k, &k->batch, -1);
    }
}

static void put_params(struct gen *g, struct kernel *k) {
    for (int i = 0; i < k->rank; ++i)
        if (k->axis[i].param[0])
            put(g, "param %s : index %% %" PRId64 "%s;\n", k->axis[i].param, k->tile[i],
                percent(g, 30) ? " in 0 .. 65536" : "");
    if (has_params(k) && k->rank == 2 && !k->sliced && percent(g, 60)) {
        sprintf(k->ld, "ld%d", g->kernel);
        put(g, "param %s : index %% 16 where %s >= ", k->ld, k->ld);
        if (k->axis[1].param[0])
            put(g, "%s;\n", k->axis[1].param);
        else
            put(g, "%" PRId64 ";\n", k->tile[1] * k->axis[1].tiles);
    }
}

// -- kernels
// -------------------------------------------------------------------------------------------------------
enum flow { DIRECT, BY_SHARED, BY_FRAG, BY_SHARED_AND_FRAG, BY_TWO_SHARED, BY_PARTITION };

static enum flow choose_flow(struct gen *g) {
    for (;;) {
        switch (below(g, 10)) {
        case 0:
            if (g->features & GEN_DIRECT) return DIRECT;
            break;
        case 1:
        case 2:
            if (g->features & GEN_FRAGS) return BY_FRAG;
            break;
        case 3:
            if (g->features & GEN_FRAGS) return BY_SHARED_AND_FRAG;
            break;
        case 4: return BY_TWO_SHARED;
        case 5:
            if (g->features & GEN_PARTITION) return BY_PARTITION;
            break;
        default: return BY_SHARED;
        }
    }
}

static void choose_elem(struct gen *g, struct kernel *k) {
    static const struct {
        const char *name;
        int bits;
    } elems[] = {{"u8", 8},   {"s8", 8},   {"f8e4m3", 8}, {"f8e5m2", 8}, {"b8", 8},
                 {"u16", 16}, {"s16", 16}, {"f16", 16},   {"bf16", 16},  {"b16", 16},
                 {"u32", 32}, {"s32", 32}, {"f32", 32},   {"f32", 32},   {"b32", 32},
                 {"u64", 64}, {"s64", 64}, {"f64", 64},   {"b64", 64},   {"b128", 128}};
    int i = below(g, (int)(sizeof elems / sizeof elems[0]));
    k->elem = elems[i].name;
    k->elem_bits = elems[i].bits;
}

static void put_indent(struct gen *g, int depth) {
    for (int i = 0; i < depth; ++i) put(g, "  ");
}

static void put_copy(struct gen *g, int depth, const char *src, const char *dst, const char *how) {
    put_indent(g, depth);
    if (percent(g, 10)) put(g, "l%d: ", below(g, 1000000));
    put(g, "copy %s -> %s with %s;\n", src, dst, how);
}

static void put_kernel(struct gen *g) {
    struct kernel k = {0};
    int id = g->kernel;
    enum flow flow = choose_flow(g);
    choose_elem(g, &k);
    do {
        choose_first(g, &k);
    } while (flow == BY_PARTITION && k.a.threads == 1);
    k.b = k.a;
    k.two = flow != BY_FRAG && flow != DIRECT && flow != BY_PARTITION && percent(g, 40);
    if (k.two) choose_second(g, &k);
    snprintf(k.a.name, sizeof k.a.name, "tc%da", id);
    snprintf(k.b.name, sizeof k.b.name, "tc%d%c", id, k.two ? 'b' : 'a');
    if (flow == BY_PARTITION) {  // single elements, one thread layout without an order of its own
        k.a.bits = k.b.bits = k.elem_bits;
        k.a.exact = k.b.exact = false;
        k.a.bare = k.b.bare = true;
    }
    choose_axes(g, &k);
    put_params(g, &k);

    char src[16], dst[16], src_view[320], dst_view[320], shared[2][16], frag[16];
    snprintf(src, sizeof src, "src%d", id);
    snprintf(dst, sizeof dst, "dst%d", id);
    snprintf(shared[0], sizeof shared[0], "sh%d", id);
    snprintf(shared[1], sizeof shared[1], "mid%d", id);
    snprintf(frag, sizeof frag, "reg%d", id);
    put_global(g, &k, src, &k.a, src_view);
    put_global(g, &k, dst, &k.b, dst_view);
    bool more = flow != DIRECT && flow != BY_PARTITION && percent(g, 12);  // a second output
    char more_dst[16], more_view[320];
    snprintf(more_dst, sizeof more_dst, "other%d", id);
    if (more) put_global(g, &k, more_dst, &k.b, more_view);
    int nshared = flow == BY_TWO_SHARED ? 2 : flow == BY_FRAG || flow == DIRECT ? 0 : 1;
    bool outside = percent(g, 40);  // shared tensors are declared outside of the kernel
    // the middle is touched by both copies: an exact access of either needs its mode contiguous
    int contiguous = k.a.exact ? k.a.along : k.b.exact ? k.b.along : -1;
    int unit = k.a.exact ? k.a.bits / k.elem_bits : k.b.exact ? k.b.bits / k.elem_bits : 1;
    for (int i = 0; i < nshared && outside; ++i) {
        put(g, "tensor %s : %s shared ", shared[i], k.elem);
        put_shared_layout(g, &k, contiguous, unit);
        put(g, "%s;\n", percent(g, 20) ? " align 16" : "");
    }
    if (flow != BY_PARTITION) put_tiled(g, &k, &k.a);
    if (k.two) put_tiled(g, &k, &k.b);

    int threads = k.a.threads > k.b.threads ? k.a.threads : k.b.threads;
    if (flow != BY_PARTITION && threads <= 512 && percent(g, 10))
        threads *= 2;  // some have nothing to do
    put(g, "kernel move%d(%s, out %s%s%s) grid (", id, src, dst, more ? ", out " : "",
        more ? more_dst : "");
    for (int i = 0; i < k.block_axes; ++i) put(g, "%s%s", i ? ", " : "", k.grid[i]);
    put(g, "%s) threads %d {\n", k.block_axes ? "" : "1", threads);
    int depth = 1;
    for (int i = 0; i < nshared && !outside; ++i) {
        put(g, "  shared %s : %s ", shared[i], k.elem);
        put_shared_layout(g, &k, contiguous, unit);
        put(g, ";\n");
    }
    if (flow == BY_FRAG || flow == BY_SHARED_AND_FRAG)
        put(g, "  frag %s : %s like %s;\n", frag, k.elem, k.b.name);
    for (int i = 0; i < k.loops; ++i) {
        put_indent(g, depth++);
        put(g, "for %s {\n", k.loop[i]);
    }
    if (percent(g, 20)) {
        put_indent(g, depth);
        put(g, "let to%d = %s;\n", id, dst_view);
        snprintf(dst_view, sizeof dst_view, "to%d", id);
    }
    switch (flow) {
    case DIRECT: put_copy(g, depth, src_view, dst_view, k.a.name); break;
    case BY_SHARED:
        put_copy(g, depth, src_view, shared[0], k.a.name);
        put_copy(g, depth, shared[0], dst_view, k.b.name);
        break;
    case BY_FRAG:
        put_copy(g, depth, src_view, frag, k.a.name);
        put_copy(g, depth, frag, dst_view, k.a.name);
        break;
    case BY_SHARED_AND_FRAG:
        put_copy(g, depth, src_view, shared[0], k.a.name);
        put_copy(g, depth, shared[0], frag, k.b.name);
        put_copy(g, depth, frag, dst_view, k.b.name);
        break;
    case BY_TWO_SHARED:
        put_copy(g, depth, src_view, shared[0], k.a.name);
        put_copy(g, depth, shared[0], shared[1], k.b.name);
        put_copy(g, depth, shared[1], dst_view, k.b.name);
        break;
    case BY_PARTITION: {
        char a[512], b[512], m[512], thr[64], how[32];
        int n = sprintf(thr, "(");
        for (int i = 0; i < k.rank; ++i) n += sprintf(thr + n, "%s%d", i ? "," : "", k.a.thr[i]);
        sprintf(thr + n, ")");
        snprintf(a, sizeof a, "local_partition(%s, %s, tid)", src_view, thr);
        snprintf(m, sizeof m, "local_partition(%s, %s, tid)", shared[0], thr);
        snprintf(b, sizeof b, "local_partition(%s, %s, tid)", dst_view, thr);
        snprintf(how, sizeof how, "%s(%d)", may(g, GEN_AUTO, 30) ? "auto" : "universal",
                 k.elem_bits);
        put_copy(g, depth, a, m, how);
        put_copy(g, depth, m, b, how);
        break;
    }
    }
    if (more)
        put_copy(g, depth,
                 flow == BY_FRAG || flow == BY_SHARED_AND_FRAG ? frag
                 : flow == BY_TWO_SHARED                       ? shared[1]
                                                               : shared[0],
                 more_view, k.b.name);
    while (depth > 1) {
        put_indent(g, --depth);
        put(g, "}\n");
    }
    put(g, "}\n\n");
}

// The tiles of a device function are its caller's to count.
static void choose_indexes(struct gen *g, struct kernel *k) {
    int64_t size = 1;
    for (int i = 0; i < k->rank; ++i) size *= k->tile[i];
    for (int i = 0; i <= k->rank; ++i) {
        bool last = i == k->rank;
        struct axis *x = last ? &k->batch : &k->axis[i];
        x->tiles = PICK(g, 1, 2, 3);
        if (size * x->tiles > MAX_WHOLE) x->tiles = 1;
        if (last && (x->tiles == 1 || !may(g, GEN_SLICES, 30))) continue;
        size *= x->tiles;
        k->sliced = last;
        strcpy(x->coord, "0");
        if (x->tiles > 1) sprintf(x->coord, "i%d", i);
    }
}

// A device function that brings a tile into its caller's shared memory or registers, or takes it
// out.
static void put_device(struct gen *g) {
    struct kernel k = {0};
    int id = g->kernel;
    char name[16], view[320];
    choose_elem(g, &k);
    choose_first(g, &k);
    k.b = k.a;
    snprintf(k.a.name, sizeof k.a.name, "tc%da", id);
    choose_indexes(g, &k);
    snprintf(name, sizeof name, "far%d", id);
    put_global(g, &k, name, &k.a, view);
    put_tiled(g, &k, &k.a);
    bool into = percent(g, 50), frag = may(g, GEN_FRAGS, 30);
    put(g, "device call%d(%s%s, %snear%d : %s %s ", id, into ? "" : "out ", name,
        into ? "out " : "", id, k.elem, frag ? "frag" : "shared");
    if (frag)
        put(g, "like %s", k.a.name);
    else
        put_shared_layout(g, &k, k.a.exact ? k.a.along : -1,
                          k.a.exact ? k.a.bits / k.elem_bits : 1);
    for (int i = 0; i <= k.rank; ++i) {
        const struct axis *x = i == k.rank ? &k.batch : &k.axis[i];
        if (x->coord[0] == 'i') put(g, ", %s : index", x->coord);
    }
    put(g, ") threads %d {\n", k.a.threads * (k.a.threads <= 512 && percent(g, 20) ? 2 : 1));
    if (into)
        put(g, "  copy %s -> near%d with %s;\n}\n\n", view, id, k.a.name);
    else
        put(g, "  copy near%d -> %s with %s;\n}\n\n", id, view, k.a.name);
}

char *gen_plan(uint64_t seed, int kernels, unsigned features) {
    struct gen g = {.state = seed, .features = features, .cap = 4096, .text = malloc(4096)};
    if (!g.text) abort();
    put(&g, "// seed %" PRIu64 "\ntcp 1;\n\n", seed);
    for (g.kernel = 0; g.kernel < kernels; ++g.kernel) {
        if (may(&g, GEN_DEVICES, 10))
            put_device(&g);
        else
            put_kernel(&g);
    }
    return g.text;
}

// Replaces "cut" bytes at "at" of the text by "word"; does nothing when that would not fit.
static void splice(struct gen *g, size_t at, size_t cut, const char *word) {
    size_t n = strlen(word);
    if (at > g->len || cut > g->len - at || g->len - cut + n + 1 > g->cap) return;
    memmove(g->text + at + n, g->text + at + cut, g->len - at - cut + 1);
    memcpy(g->text + at, word, n);
    g->len = g->len - cut + n;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// Finds a whole number or name near a random place behind the version; returns its length, 0 when
// there is none.
static size_t find_word(struct gen *g, bool number, size_t *at) {
    const char *body = strstr(g->text, "tcp 1;");
    size_t first = body ? (size_t)(body - g->text) + 6 : 0;
    if (first >= g->len) return 0;
    size_t i = first + (size_t)(draw(g) % (g->len - first));
    for (; i < g->len; ++i) {
        bool digit = g->text[i] >= '0' && g->text[i] <= '9';
        if (!is_word(g->text[i]) || is_word(g->text[i - 1]) || digit != number) continue;
        size_t n = 1;
        while (i + n < g->len && is_word(g->text[i + n])) ++n;
        *at = i;
        return n;
    }
    return 0;
}

// A number becomes another one of its kind, or a name another name of the plan: most often a plan
// that parses.
static void change_word(struct gen *g) {
    size_t at, other;
    char word[64];
    bool number = percent(g, 70);
    size_t n = find_word(g, number, &at);
    if (n == 0 || n >= sizeof word) return;
    if (!number) {
        size_t m = find_word(g, false, &other);
        if (m == 0 || m >= sizeof word) return;
        snprintf(word, sizeof word, "%.*s", (int)m, g->text + other);
    } else {
        long long v = strtoll(g->text + at, NULL, 10);
        long long to[] = {v + 1, v - 1, v * 2, v / 2, v * 3, 0, 1, 3, v + 8, v * 1024};
        snprintf(word, sizeof word, "%lld", to[below(g, 10)]);
    }
    splice(g, at, n, word);
}

static void change_bytes(struct gen *g) {
    static const char *const words[] = {"0",
                                        "1",
                                        "-1",
                                        "3",
                                        "9223372036854775807",
                                        "(",
                                        ")",
                                        ",",
                                        ":",
                                        ";",
                                        "_",
                                        "tid",
                                        "*",
                                        "block.x",
                                        "/",
                                        "%",
                                        "->",
                                        "..",
                                        "global",
                                        "shared",
                                        "row",
                                        "like",
                                        "Sw<3,4,3> o 0 o ",
                                        "frag",
                                        "((((",
                                        "1@0",
                                        "out ",
                                        "copy",
                                        "128",
                                        "k0",
                                        "{",
                                        "universal(24)",
                                        "}",
                                        "tile(",
                                        "999999",
                                        "local_tile(",
                                        "M0",
                                        "\"",
                                        "/*",
                                        "ceil_div(7,2)"};
    const char *word = percent(g, 20) ? "" : words[below(g, (int)(sizeof words / sizeof words[0]))];
    size_t cut = (size_t)below(g, 8), at = (size_t)(draw(g) % g->len);
    splice(g, at, cut > g->len - at ? g->len - at : cut, word);
}

char *gen_mutant(uint64_t seed, const char *plan) {
    struct gen g = {.state = seed * 2 + 1, .len = strlen(plan), .cap = 2 * strlen(plan) + 4096};
    g.text = malloc(g.cap);
    if (!g.text) abort();
    memcpy(g.text, plan, g.len + 1);
    int changes = PICK(&g, 1, 1, 1, 2, 3);
    bool words = percent(&g, 75);
    for (int i = 0; i < changes && g.len > 2; ++i) {
        if (words)
            change_word(&g);
        else
            change_bytes(&g);
    }
    return g.text;
}
