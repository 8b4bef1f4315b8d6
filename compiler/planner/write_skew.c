// A skewed tile as the text of a kernel.
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "image/elem.h"
#include "planner/skew.h"

enum { WARP = 32, CELL = 64 };

struct writer {
    struct buf *b;
    const struct relayout *r;
    const struct skewed *k;
    const char *end;
    int64_t tiles_x, tiles_y;
};

// A tuple of all modes: these two, and "other" for the rest.
static void tuple(const struct writer *w, const char *other, const char *at_y, const char *at_x) {
    for (int m = 0; m < w->r->rank; ++m)
        buf_printf(w->b, "%s%s", m ? "," : "(", m == w->k->y ? at_y : m == w->k->x ? at_x : other);
    buf_char(w->b, ')');
}

static void numbers(const struct writer *w, const char *other, int64_t at_y, int64_t at_x) {
    char y[CELL], x[CELL];
    snprintf(y, sizeof y, "%" PRId64, at_y);
    snprintf(x, sizeof x, "%" PRId64, at_x);
    tuple(w, other, y, x);
}

// The coordinate of a tile: the block's own but along y, and along x where "at_x" says so.
static void place(const struct writer *w, const char *at_x) {
    for (int m = 0; m < w->r->rank; ++m) {
        buf_puts(w->b, m ? "," : "(");
        if (m == w->k->y || (m == w->k->x ? w->tiles_x : w->r->mode[m].extent) == 1)
            buf_char(w->b, '0');
        else if (m == w->k->x && at_x)
            buf_puts(w->b, at_x);
        else
            buf_printf(w->b, "c%d%s", m, w->end);
    }
    buf_char(w->b, ')');
}

static void coordinate(const struct writer *w, int m, int64_t n, int64_t *by, int64_t all) {
    if (n == 1) return;
    buf_printf(w->b, "  let c%d%s = block.x", m, w->end);
    if (*by > 1) buf_printf(w->b, " / %" PRId64, *by);
    *by *= n;
    if (*by < all) buf_printf(w->b, " %% %" PRId64, n);
    buf_puts(w->b, ";\n");
}

static void coordinates(const struct writer *w) {
    int order[RELAYOUT_MODES];
    int64_t by = 1;
    order_of(w->r, false, order);
    for (int i = 0; i < w->r->rank; ++i) {
        int m = order[i];
        int64_t n = m == w->k->y ? w->tiles_y : m == w->k->x ? w->tiles_x : w->r->mode[m].extent;
        coordinate(w, m, n, &by, w->k->cost.blocks);
    }
}

// How far from alignment the block's first row begins, as a sum; false where that is 0 for all.
static bool block_phase(const struct writer *w) {
    bool any = false;
    for (int m = 0; m < w->r->rank; ++m) {
        int64_t step = w->r->mode[m].dst % w->k->step;
        if (m == w->k->x || m == w->k->y || step == 0) continue;
        if (any)
            buf_puts(w->b, " + ");
        else
            buf_printf(w->b, "  let t%s = ", w->end);
        buf_printf(w->b, "%" PRId64 "*c%d%s", step, m, w->end);
        any = true;
    }
    if (any) buf_puts(w->b, ";\n");
    return any;
}

// "let NAME = ..": from row "row" of the tile to the next aligned element.
static void skew_of(const struct writer *w, const char *name, const char *row, bool phase,
                    const char *indent) {
    const struct skewed *k = w->k;
    int64_t step = w->r->mode[k->x].dst % k->step;
    char far[CELL];
    if (phase)
        snprintf(far, sizeof far, "(%" PRId64 "*%s%s + t%s)", step, row, w->end, w->end);
    else
        snprintf(far, sizeof far, "%" PRId64 "*%s%s", step, row, w->end);
    buf_printf(w->b, "%slet %s%s = (%s + %d) / %d * %d - %s;\n", indent, name, w->end, far,
               k->step - 1, k->step, k->step, far);
}

static void read_tile(const struct writer *w, const char *src, bool phase) {
    const struct skewed *k = w->k;
    const struct relayout *r = w->r;
    struct buf *b = w->b;
    int64_t rows = k->window + k->step, down = k->threads / k->columns, held = rows / down;
    buf_printf(b, "  let rd%s = tile(universal(%d), thr=", w->end, r->type->bits);
    numbers(w, "1", down, k->columns);
    buf_char(b, ':');
    numbers(w, "0", down > 1 ? k->columns : 0, 1);
    buf_puts(b, ", val=");
    numbers(w, "1", held, k->across / k->columns);
    buf_char(b, ':');
    numbers(w, "0", 1, k->across > k->columns ? held : 0);
    buf_printf(b, ");\n  frag r%s : %s like rd%s;\n  copy local_tile(%s", w->end, r->type->name,
               w->end, src);
    char range[CELL];
    if (w->tiles_y > 1) {
        snprintf(range, sizeof range, "%" PRId64 "*c%d%s .. %" PRId64, k->window, k->y, w->end,
                 r->mode[k->y].extent);
        tuple(w, "_", range, "_");
    }
    buf_puts(b, ", ");
    numbers(w, "1", rows, k->across);
    buf_puts(b, ", ");
    place(w, NULL);
    buf_printf(b, ") -> r%s with rd%s pad 0;\n  copy r%s -> s%s", w->end, w->end, w->end, w->end);
    if (phase) {
        snprintf(range, sizeof range, "u%s .. u%s + %" PRId64, w->end, w->end, rows);
        tuple(w, "_", range, "_");
    }
    buf_printf(b, " with rd%s;\n", w->end);
}

// Rows of class "p" of a tile of the destination.
static void rows_of(const struct writer *w, const char *dst, const char *range, int64_t extent,
                    const char *p) {
    buf_printf(w->b, "local_partition(local_tile(%s", dst);
    if (range) tuple(w, "_", range, "_");
    buf_puts(w->b, ", ");
    numbers(w, "1", extent, w->k->across);
    buf_puts(w->b, ", ");
    place(w, NULL);
    buf_puts(w->b, "), ");
    numbers(w, "1", 1, w->k->step);
    buf_printf(w->b, ", %s%s)", p, w->end);
}

static void write_windows(const struct writer *w, const char *dst, bool phase) {
    const struct skewed *k = w->k;
    const struct relayout *r = w->r;
    struct buf *b = w->b;
    int64_t warps = k->threads / WARP, extent = r->mode[k->y].extent;
    int64_t parts = warps > k->step ? warps / k->step : 1, rows = k->across / k->step / parts;
    bool loop = warps < k->step;
    const char *in = loop ? "    " : "  ";
    if (loop) {
        buf_printf(b, "  for h%s in 0 .. %" PRId64 " {\n", w->end, k->step / warps);
        buf_printf(b, "    let p%s = warp + %" PRId64 "*h%s;\n", w->end, warps, w->end);
    } else if (parts > 1) {
        buf_printf(b, "  let p%s = warp %% %d;\n", w->end, k->step);
    } else {
        buf_printf(b, "  let p%s = warp;\n", w->end);
    }
    skew_of(w, "a", "p", phase, in);
    char range[2 * CELL], part[CELL];
    snprintf(part, sizeof part, parts > 1 ? "warp / %d" : "0", k->step);
    buf_printf(b, "%scopy local_tile(local_partition(s%s, ", in, w->end);
    numbers(w, "1", 1, k->step);
    buf_printf(b, ", p%s)", w->end);
    snprintf(range, sizeof range, phase ? "u%s + a%s .. %" PRId64 : "%sa%s .. %" PRId64,
             phase ? w->end : "", w->end, k->window + k->step * (phase ? 2 : 1));
    tuple(w, "_", range, "_");
    buf_puts(b, ", ");
    numbers(w, "1", k->window, rows);
    buf_puts(b, ", ");
    tuple(w, "0", "0", part);
    buf_printf(b, ") ->\n%s    local_tile(", in);
    rows_of(w, dst, NULL, extent, "p");
    if (w->tiles_y > 1)
        snprintf(range, sizeof range, "%" PRId64 "*c%d%s + a%s .. %" PRId64, k->window, k->y,
                 w->end, w->end, extent);
    else
        snprintf(range, sizeof range, "a%s .. %" PRId64, w->end, extent);
    tuple(w, "_", range, "_");
    buf_puts(b, ", ");
    numbers(w, "1", k->window, rows);
    buf_puts(b, ", ");
    tuple(w, "0", "0", part);
    int64_t across = k->window / k->vector, down = 1;
    if (across > WARP) across = WARP;
    for (int64_t d = 1; d <= WARP / across; ++d)
        if (rows % d == 0) down = d;
    buf_printf(b, ")\n%s    with tile(universal(%d), thr=", in, k->vector * r->type->bits);
    numbers(w, "1", across, down);
    buf_char(b, ':');
    numbers(w, "0", 1, down > 1 ? across : 0);
    buf_puts(b, ", val=");
    numbers(w, "1", k->vector, 1);
    buf_puts(b, loop ? ");\n  }\n" : ");\n");
}

// What stands before the first window of each row.
static void write_heads(const struct writer *w, const char *dst, bool phase) {
    const struct skewed *k = w->k;
    struct buf *b = w->b;
    int64_t rows = k->across / k->step, last = w->tiles_y - 1;
    char range[CELL];
    buf_printf(b, "  for i%s in 0 .. %d", w->end, k->step);
    if (last > 0)
        buf_printf(b, " * ((%" PRId64 " - c%d%s) / %" PRId64 ")", last, k->y, w->end, last);
    buf_puts(b, " {\n");
    skew_of(w, "b", "i", phase, "    ");
    buf_printf(b, "    copy local_tile(local_partition(s%s, ", w->end);
    numbers(w, "1", 1, k->step);
    buf_printf(b, ", i%s)", w->end);
    if (phase) {
        snprintf(range, sizeof range, "u%s .. u%s + %d", w->end, w->end, k->step);
        tuple(w, "_", range, "_");
    }
    buf_puts(b, ", ");
    numbers(w, "1", k->step, rows);
    buf_puts(b, ", ");
    tuple(w, "0", "0", "0");
    buf_puts(b, ") ->\n        ");
    snprintf(range, sizeof range, "0 .. b%s", w->end);
    rows_of(w, dst, range, k->step, "i");
    int64_t down = k->threads / k->step;
    if (down > rows) down = rows;
    while (rows % down) --down;
    buf_printf(b, "\n        with tile(universal(%d), thr=", w->r->type->bits);
    numbers(w, "1", k->step, down);
    buf_puts(b, ");\n  }\n");
}

void skew_write(const struct relayout *r, const struct relayout_names *n, const struct skewed *k,
                const char *end, struct buf *b) {
    struct writer w = {b,
                       r,
                       k,
                       end,
                       (r->mode[k->x].extent + k->across - 1) / k->across,
                       (r->mode[k->y].extent + k->window - 1) / k->window};
    coordinates(&w);
    bool phase = block_phase(&w);
    if (phase) buf_printf(b, "  let u%s = t%s - t%s / %d * %d;\n", end, end, end, k->step, k->step);
    buf_printf(b, "  shared s%s : %s ", end, r->type->name);
    numbers(&w, "1", k->window + k->step * (phase ? 2 : 1), k->across);
    buf_char(b, ':');
    numbers(&w, "0", 1, k->pitch);
    buf_puts(b, ";\n");
    read_tile(&w, n->src, phase);
    write_windows(&w, n->dst, phase);
    write_heads(&w, n->dst, phase);
}

void skew_reasons(const struct relayout *r, const struct skewed *k, struct buf *b) {
    int es = r->type->bits / 8;
    buf_printf(
        b,
        "// Mode %d is the fast one of the source, mode %d of the destination, whose rows begin "
        "at any element.\n"
        "// Elements go through shared memory, read by %d bytes and written by %d: in each row of "
        "a tile\n// a window of %" PRId64 " elements that begins at a multiple of %d bytes.\n",
        k->x, k->y, es, k->vector * es, k->window, k->step * es);
    buf_printf(b,
               "// A tile costs %" PRId64 " half sectors read and %" PRId64 " written, %" PRId64
               " instructions of warps and %" PRId64 " bank conflicts; %" PRId64 " blocks an SM.\n",
               k->cost.src_sectors, k->cost.dst_sectors, k->cost.instructions, k->cost.conflict,
               k->cost.per_sm);
}
