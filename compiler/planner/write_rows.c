// A window of a row as the text of a kernel.
#include <inttypes.h>

#include "base/buf.h"
#include "image/elem.h"
#include "planner/rows.h"

struct writer {
    struct buf *b;
    const struct relayout *r;
    const struct rows *k;
    const char *end;
    int64_t windows;
};

// A tuple of all modes: "along" for the fast one, and "other" for the rest.
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

// ", (1,1,N), (c0,c1,..))": the end of a local_tile of "along" elements of the block's row: those
// of the block's window, or of the row's only one.
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

// "let c0 = block.x % ..": windows first, then rows as they stand in the destination.
static void coordinates(const struct writer *w) {
    int order[RELAYOUT_MODES], last = -1;
    int64_t by = 1;
    order_of(w->r, false, order);  // its first one is the fast mode
    for (int i = 0; i < w->r->rank; ++i)
        if (i > 0 || w->windows > 1) last = i;
    for (int i = 0; i <= last; ++i) {
        int64_t n = i > 0 ? w->r->mode[order[i]].extent : w->windows;
        if (n == 1) continue;
        buf_printf(w->b, "  let c%d%s = block.x", order[i], w->end);
        if (by > 1) buf_printf(w->b, " / %" PRId64, by);
        if (i < last) buf_printf(w->b, " %% %" PRId64, n);
        buf_puts(w->b, ";\n");
        by *= n;
    }
}

// "let a = ..": from where the block's row begins in the destination to an element at a multiple of
// "step".
static void skew(const struct writer *w) {
    int step = w->k->step, n = 0;
    buf_printf(w->b, "  let e%s = ", w->end);
    for (int m = 0; m < w->r->rank; ++m) {
        int64_t rest = w->r->mode[m].dst % step;
        if (m == w->k->f || rest == 0) continue;
        buf_printf(w->b, "%s%" PRId64 "*c%d%s", n++ ? " + " : "", rest, m, w->end);
    }
    buf_printf(w->b, ";\n  let a%s = (e%s + %d) / %d * %d - e%s;\n", w->end, w->end, step - 1, step,
               step, w->end);
}

// The tiled copy of a window, by accesses of "vector" elements.
static void tiled(const struct writer *w, const char *name, int vector) {
    const struct rows *k = w->k;
    buf_printf(w->b, "  let %s%s = tile(universal(%d), tv=(%d,(%d,%d)):(%d,(1,%d)), tile=", name,
               w->end, vector * type_of(w->r, false)->bits, k->threads, k->store, k->times,
               k->store, k->threads * k->store);
    tuple(w, "1", rows_window(k));
    buf_puts(w->b, ");\n");
}

static void window(const struct writer *w, const char *tensor) {
    bool skewed = w->k->step > 1;
    buf_printf(w->b, "local_tile(%s", tensor);
    for (int m = 0; skewed && m < w->r->rank; ++m) {
        buf_puts(w->b, m ? "," : "(");
        if (m != w->k->f) {
            buf_char(w->b, '_');
            continue;
        }
        if (w->windows > 1)
            buf_printf(w->b, "%" PRId64 "*c%d%s + ", rows_window(w->k), m, w->end);
        buf_printf(w->b, "a%s .. %" PRId64, w->end, w->r->mode[m].extent);
    }
    if (skewed) buf_char(w->b, ')');
    tile_end(w, rows_window(w->k), skewed);
}

static void head(const struct writer *w, const char *tensor) {
    buf_printf(w->b, "local_tile(%s", tensor);
    for (int m = 0; m < w->r->rank; ++m)
        buf_printf(w->b, "%s%s%s", m ? "," : "(", m == w->k->f ? "0 .. a" : "_",
                   m == w->k->f ? w->end : "");
    buf_char(w->b, ')');
    tile_end(w, w->k->step, true);
}

// What stands before the first window, by the block that has it.
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
    tuple(w, "1", k->step < k->threads ? k->step : k->threads);
    buf_puts(w->b, ");\n  }\n");
}

void rows_grid(const struct relayout *r, const struct rows *k, struct buf *b) {
    int64_t blocks = rows_windows(r, k);
    for (int m = 0; m < r->rank; ++m)
        if (m != k->f) blocks *= r->mode[m].extent;
    buf_printf(b, "(%" PRId64 ")", blocks);
}

void rows_write(const struct relayout *r, const struct relayout_names *n, const struct rows *k,
                const char *end, struct buf *b) {
    struct writer w = {b, r, k, end, rows_windows(r, k)};
    bool ragged = k->step > 1 || r->mode[k->f].extent % rows_window(k);
    coordinates(&w);
    if (k->step > 1) skew(&w);
    tiled(&w, "rd", k->load);
    if (k->load != k->store) {
        tiled(&w, "wr", k->store);
        buf_printf(b, "  frag r%s : %s like rd%s;\n", end, r->type->name, end);
    }
    buf_puts(b, "  copy ");
    window(&w, n->src);
    if (k->load != k->store)
        buf_printf(b, " -> r%s with rd%s%s;\n  copy r%s", end, end, ragged ? " pad 0" : "", end);
    buf_puts(b, " -> ");
    window(&w, n->dst);
    buf_printf(b, " with %s%s;\n", k->load != k->store ? "wr" : "rd", end);
    if (k->step > 1) heads(&w, n);
}

void rows_reasons(const struct relayout *r, const struct rows *k, struct buf *b) {
    int es = bytes_of(r, false);
    buf_printf(b,
               "// Mode %d is the fast one of both sides.\n"
               "// Elements go straight through registers, read by %d bytes and written by %d, %d "
               "bytes a thread.\n",
               k->f, k->load * es, k->store * es, k->store * k->times * es);
    if (k->step > 1)
        buf_printf(b,
                   "// Rows of the destination begin at any element: a window of %" PRId64
                   " elements begins at a multiple of %d bytes.\n",
                   rows_window(k), k->step * es);
}
