// Writes a window of a row as the text of a kernel.
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "image/elem.h"
#include "planner/rows.h"

struct writer {
    struct buf *b;
    const struct relayout *r;
    const struct rows *k;
    const char *end;
    int64_t windows;
};

// Writes a tuple of all modes: "along" for the fast one, "other" for the rest.
static void tuple(const struct writer *w, const char *other, int64_t along) {
    for (int m = 0; m < w->r->rank; ++m) {
        buf_puts(w->b, m ? "," : "(");
        if (m == w->k->f)
            buf_printf(w->b, "%" PRId64, along);
        else
            buf_puts(w->b, other);
    }
    buf_char(w->b, ')');
}

// Writes ", (1,1,N), (c0,c1,..))", the end of a local_tile of "along" elements of the block's row:
// those of the block's window, or with "only" of a row without windows.
static void tile_end(const struct writer *w, int64_t along, bool only) {
    buf_puts(w->b, ", ");
    tuple(w, "1", along);
    buf_puts(w->b, ", ");
    for (int m = 0; m < w->r->rank; ++m)
        if (m == w->k->f && (only || w->windows == 1))
            buf_printf(w->b, "%s0", m ? "," : "(");
        else
            buf_printf(w->b, "%sc%d%s", m ? "," : "(", m, w->end);
    buf_puts(w->b, "))");
}

// The number of blocks along mode "m".
static int64_t blocks_along(const struct relayout *r, const struct rows *k, int m) {
    return m == k->f ? rows_windows(r, k) : r->mode[m].extent;
}

// Writes "let c0 = block.x % ..".  A coordinate counts windows first, then rows in the order of the
// destination.
static void coordinates(const struct writer *w) {
    const struct relayout *r = w->r;
    int order[RELAYOUT_MODES], axis[RELAYOUT_MODES];
    int64_t all[AXES] = {1, 1, 1}, by[AXES] = {1, 1, 1};
    order_of(r, false, order);  // the first one is the fast mode
    if (!rows_axes(r, w->k, axis)) BUG("a grid that was there");
    for (int m = 0; m < r->rank; ++m) all[axis[m]] *= blocks_along(r, w->k, m);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i], a = axis[m];
        int64_t n = blocks_along(r, w->k, m);
        if (n == 1) continue;
        buf_printf(w->b, "  let c%d%s = block.%c", m, w->end, "xyz"[a]);
        if (by[a] > 1) buf_printf(w->b, " / %" PRId64, by[a]);
        by[a] *= n;
        if (by[a] < all[a]) buf_printf(w->b, " %% %" PRId64, n);
        buf_puts(w->b, ";\n");
    }
}

// Writes "let NAME = 3*c0 + ..": the begin of the block's row on a side, without multiples of
// "step". Returns false and writes nothing if that is always 0.
static bool phase(const struct writer *w, const char *name, bool src, int step) {
    bool any = false;
    for (int m = 0; m < w->r->rank; ++m) {
        int64_t rest = (src ? w->r->mode[m].src : w->r->mode[m].dst) % step;
        if (m == w->k->f || rest == 0) continue;
        if (any)
            buf_puts(w->b, " + ");
        else
            buf_printf(w->b, "  let %s%s = ", name, w->end);
        buf_printf(w->b, "%" PRId64 "*c%d%s", rest, m, w->end);
        any = true;
    }
    if (any) buf_puts(w->b, ";\n");
    return any;
}

// Writes "let a = ..", the distance of the first window from the begin of the block's row, and "let
// d = ..", how far the source's window begins before it.
static void skew(const struct writer *w) {
    const struct rows *k = w->k;
    const char *end = w->end;
    int64_t before = rows_least_before(k);
    if (phase(w, "e", false, k->step))
        buf_printf(w->b, "  let a%s = (e%s + %" PRId64 ") / %d * %d - e%s;\n", end, end,
                   before + k->step - 1, k->step, k->step, end);
    else
        buf_printf(w->b, "  let a%s = %" PRId64 ";\n", end, before);
    if (!k->staged) return;
    bool any = phase(w, "u", true, k->load);
    buf_printf(w->b, "  let v%s = a%s", end, end);
    if (any) buf_printf(w->b, " + u%s", end);
    buf_printf(w->b, ";\n  let d%s = v%s - v%s / %d * %d;\n", end, end, end, k->load, k->load);
}

// Writes a tiled copy with "times" accesses of "vector" elements, or as many narrower ones, for
// each thread.
static void tiled(const struct writer *w, const char *name, int bits, int threads, int vector,
                  int times) {
    buf_printf(w->b, "  let %s%s = tile(universal(%d), tv=(%d,(%d,%d)):(%d,(1,%d)), tile=", name,
               w->end, bits, threads, vector, times, vector, threads * vector);
    tuple(w, "1", (int64_t)threads * vector * times);
    buf_puts(w->b, ");\n");
}

// Writes "along" elements of a tensor from the begin of the block's window on, or from "before"
// elements before it, if not NULL.
static void window(const struct writer *w, const char *tensor, int64_t along, const char *before) {
    bool skewed = w->k->step > 1;
    buf_printf(w->b, "local_tile(%s", tensor);
    for (int m = 0; skewed && m < w->r->rank; ++m) {
        buf_puts(w->b, m ? "," : "(");
        if (m != w->k->f) {
            buf_char(w->b, '_');
            continue;
        }
        if (w->windows > 1) buf_printf(w->b, "%" PRId64 "*c%d%s + ", rows_window(w->k), m, w->end);
        buf_printf(w->b, "a%s", w->end);
        if (before) buf_printf(w->b, " - %s%s", before, w->end);
        buf_printf(w->b, " .. %" PRId64, w->r->mode[m].extent);
    }
    if (skewed) buf_char(w->b, ')');
    tile_end(w, along, skewed);
}

static void head(const struct writer *w, const char *tensor) {
    buf_printf(w->b, "local_tile(%s", tensor);
    for (int m = 0; m < w->r->rank; ++m)
        buf_printf(w->b, "%s%s%s", m ? "," : "(", m == w->k->f ? "0 .. a" : "_",
                   m == w->k->f ? w->end : "");
    buf_char(w->b, ')');
    tile_end(w, rows_most_before(w->k) + 1, true);
}

// Writes the copy of what is before the first window, by the block that has that window.
static void heads(const struct writer *w, const struct relayout_names *n) {
    const struct rows *k = w->k;
    buf_printf(w->b, "  for i%s in 0 .. 1", w->end);
    if (w->windows > 1)
        buf_printf(w->b, " * ((%" PRId64 " - c%d%s) / %" PRId64 ")", w->windows - 1, k->f, w->end,
                   w->windows - 1);
    buf_puts(w->b, " {\n    copy ");
    head(w, n->src);
    buf_puts(w->b, " ->\n        ");
    head(w, n->dst);
    buf_printf(w->b, "\n        with tile(universal(%d), thr=", type_of(w->r, false)->bits);
    int64_t most = rows_most_before(k) + 1;
    while (most > rows_threads(k)) most /= 2;
    tuple(w, "1", most);
    buf_puts(w->b, ");\n  }\n");
}

void rows_grid(const struct relayout *r, const struct rows *k, struct buf *b) {
    int axis[RELAYOUT_MODES], last = 0;
    int64_t all[AXES] = {1, 1, 1};
    if (!rows_axes(r, k, axis)) BUG("a grid that was there");
    for (int m = 0; m < r->rank; ++m) {
        all[axis[m]] *= blocks_along(r, k, m);
        if (axis[m] > last) last = axis[m];
    }
    for (int a = 0; a <= last; ++a) buf_printf(b, "%s%" PRId64, a ? "," : "(", all[a]);
    buf_char(b, ')');
}

static void write_straight(const struct writer *w, const struct relayout_names *n) {
    const struct rows *k = w->k;
    struct buf *b = w->b;
    const char *end = w->end;
    bool ragged = k->step > 1 || w->r->mode[k->f].extent % rows_window(k);
    int bits = w->r->type->bits;
    tiled(w, "rd", k->load * bits, k->threads, k->store, k->times);
    if (k->load != k->store) {
        tiled(w, "wr", k->store * bits, k->threads, k->store, k->times);
        buf_printf(b, "  frag r%s : %s like rd%s;\n", end, w->r->type->name, end);
    }
    buf_puts(b, "  copy ");
    window(w, n->src, rows_window(k), NULL);
    if (k->load != k->store)
        buf_printf(b, " -> r%s with rd%s%s;\n  copy r%s", end, end, ragged ? " pad 0" : "", end);
    buf_puts(b, " ->\n      ");
    window(w, n->dst, rows_window(k), NULL);
    buf_printf(b, " with %s%s;\n", k->load != k->store ? "wr" : "rd", end);
}

static void write_staged(const struct writer *w, const struct relayout_names *n) {
    const struct rows *k = w->k;
    struct buf *b = w->b;
    const char *end = w->end, *type = w->r->type->name;
    int bits = w->r->type->bits;
    buf_printf(b, "  shared s%s : %s ", end, type);
    tuple(w, "1", rows_read(k));
    buf_char(b, ':');
    tuple(w, "0", 1);
    buf_puts(b, ";\n");
    tiled(w, "rd", k->load * bits, rows_threads(k), k->load, rows_loads(k));
    tiled(w, "get", bits, k->threads, k->store, k->times);
    tiled(w, "wr", k->store * bits, k->threads, k->store, k->times);
    buf_printf(b, "  frag r%s : %s like get%s;\n  copy ", end, type, end);
    window(w, n->src, rows_read(k), "d");
    buf_printf(b, " -> s%s with rd%s pad 0;\n  copy s%s", end, end, end);
    for (int m = 0; m < w->r->rank; ++m) {
        buf_puts(b, m ? "," : "(");
        if (m == k->f)
            buf_printf(b, "d%s .. d%s + %" PRId64, end, end, rows_window(k));
        else
            buf_char(b, '_');
    }
    buf_printf(b, ") -> r%s with get%s;\n  copy r%s ->\n      ", end, end, end);
    window(w, n->dst, rows_window(k), NULL);
    buf_printf(b, " with wr%s;\n", end);
}

void rows_write(const struct relayout *r, const struct relayout_names *n, const struct rows *k,
                const char *end, struct buf *b) {
    struct writer w = {b, r, k, end, rows_windows(r, k)};
    coordinates(&w);
    if (k->step > 1) skew(&w);
    if (k->staged)
        write_staged(&w, n);
    else
        write_straight(&w, n);
    if (k->step > 1) heads(&w, n);
}

void rows_reasons(const struct relayout *r, const struct rows *k, struct buf *b) {
    int es = bytes_of(r, false);
    buf_printf(b,
               "// Mode %d is the fast one of both sides.\n"
               "// Elements go %s, read by %d bytes and written by %d, %d bytes a thread.\n",
               k->f, k->staged ? "through shared memory" : "straight through registers",
               k->load * es, k->store * es, k->store * k->times * es);
    if (k->step > 1)
        buf_printf(b,
                   "// Rows begin at any element: in the destination a window of %" PRId64
                   " elements begins at a multiple of %d bytes.\n",
                   rows_window(k), k->step * es);
}
