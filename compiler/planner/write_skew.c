// Writes a skewed tile as the text of a kernel.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "image/elem.h"
#include "planner/skew.h"

enum { WARP = 32 };

struct cell {
    char text[80];
};

struct writer {
    struct buf *b;
    const struct relayout *r;
    const struct skewed *k;
    const char *end;
    const struct relayout *whole;  // flat: the relayout before modes were combined into a row
    const struct flat *flat;       // NULL: no row of modes
    int64_t tiles_x, tiles_y;
    // The block's first row may begin at an unaligned element: its misalignment is t, and u is t
    // modulo the step.
    bool late;
};

__attribute__((format(printf, 1, 2))) static struct cell cell(const char *format, ...) {
    struct cell c;
    va_list args;
    va_start(args, format);
    vsnprintf(c.text, sizeof c.text, format, args);
    va_end(args);
    return c;
}

// Writes a tuple of all modes: "at_y", "at_x", and "other" for the rest.
static void tuple(const struct writer *w, const char *other, const char *at_y, const char *at_x) {
    for (int m = 0; m < w->r->rank; ++m) {
        const char *at = m == w->k->y ? at_y : m == w->k->x ? at_x : other;
        buf_printf(w->b, "%s%s", m ? "," : "(", at);
    }
    buf_char(w->b, ')');
}

static void numbers(const struct writer *w, const char *other, int64_t at_y, int64_t at_x) {
    tuple(w, other, cell("%" PRId64, at_y).text, cell("%" PRId64, at_x).text);
}

// The tile with that number along mode "m"; 0 if there is only one.
static struct cell tile_of(const struct writer *w, int m) {
    int64_t n = m == w->k->y ? w->tiles_y : m == w->k->x ? w->tiles_x : w->r->mode[m].extent;
    return n > 1 ? cell("c%d%s", m, w->end) : cell("0");
}

// Writes ", (1,Y,X), (c0,AT_Y,AT_X))", the end of a local_tile.
static void tile_end(const struct writer *w, int64_t y, int64_t x, const char *at_y,
                     const char *at_x) {
    buf_puts(w->b, ", ");
    numbers(w, "1", y, x);
    buf_puts(w->b, ", ");
    for (int m = 0; m < w->r->rank; ++m) {
        struct cell c = tile_of(w, m);
        buf_printf(w->b, "%s%s", m ? "," : "(", m == w->k->y ? at_y : m == w->k->x ? at_x : c.text);
    }
    buf_puts(w->b, "))");
}

// The same for a view that is already the block's.
static void part_end(const struct writer *w, int64_t y, int64_t x, const char *at_y,
                     const char *at_x) {
    buf_puts(w->b, ", ");
    numbers(w, "1", y, x);
    buf_puts(w->b, ", ");
    tuple(w, "0", at_y, at_x);
    buf_char(w->b, ')');
}

// cp.async counts bytes, others count bits.
static void atom(const struct writer *w, const char *name, bool async, int bits,
                 const int64_t thr[2], const int64_t val[2], bool x_first) {
    int64_t by_y = x_first ? thr[1] : 1, by_x = x_first ? 1 : thr[0];
    if (name) buf_printf(w->b, "  let %s%s = ", name, w->end);
    buf_printf(w->b, "tile(%s(%d), thr=", async ? "cp_async.ca" : "universal",
               async ? bits / 8 : bits);
    numbers(w, "1", thr[0], thr[1]);
    buf_char(w->b, ':');
    numbers(w, "0", thr[0] > 1 ? by_y : 0, thr[1] > 1 ? by_x : 0);
    if (val) {
        by_y = x_first && w->k->load > 1 ? val[1] : 1;
        by_x = x_first && w->k->load > 1 ? 1 : val[0];
        buf_puts(w->b, ", val=");
        numbers(w, "1", val[0], val[1]);
        buf_char(w->b, ':');
        numbers(w, "0", val[0] > 1 ? by_y : 0, val[1] > 1 ? by_x : 0);
    }
    buf_puts(w->b, ")");
    if (name) buf_puts(w->b, ";\n");
}

static void tiled(const struct writer *w, const char *name, int bits, const int64_t thr[2],
                  const int64_t val[2], bool x_first) {
    atom(w, name, false, bits, thr, val, x_first);
}

// Gives modes besides x and y separate coordinates of the grid.  The digits of one number might be
// recombined in an offset, so that the begin of a window would not cancel out.
static void coordinates(const struct writer *w) {
    const struct skewed *k = w->k;
    char axis = 'y';
    if (w->tiles_y > 1)
        buf_printf(w->b, "  let c%d%s = block.x%s;\n", k->y, w->end,
                   w->tiles_x > 1 ? cell(" %% %" PRId64, w->tiles_y).text : "");
    if (w->tiles_x > 1)
        buf_printf(w->b, "  let c%d%s = block.x%s;\n", k->x, w->end,
                   w->tiles_y > 1 ? cell(" / %" PRId64, w->tiles_y).text : "");
    for (int m = w->r->rank - 1; m >= 0; --m)
        if (m != k->x && m != k->y)
            buf_printf(w->b, "  let c%d%s = block.%c;\n", m, w->end, axis++);
}

// Writes "let NAME = ..", the begin of the block's first row on a side, without multiples of
// "step". Returns false and writes nothing if that is always 0.
static bool phase(const struct writer *w, const char *name, bool src, int step) {
    bool any = false;
    for (int m = 0; m < w->r->rank; ++m) {
        int64_t by = (src ? w->r->mode[m].src : w->r->mode[m].dst) % step;
        if (m == w->k->x || m == w->k->y || by == 0) continue;
        if (any)
            buf_puts(w->b, " + ");
        else
            buf_printf(w->b, "  let %s%s = ", name, w->end);
        buf_printf(w->b, "%" PRId64 "*c%d%s", by, m, w->end);
        any = true;
    }
    if (any) buf_puts(w->b, ";\n");
    return any;
}

// Writes "let NAME = ..", the distance from the begin of row "row" of the tile, one of "rows", to
// an element at a multiple of "step", in 0 .. step.  Expressions without quotients are proven
// faster.
static void skew_of(const struct writer *w, const char *indent, const char *name, const char *row,
                    int64_t rows, const char *from, int64_t pitch, int step) {
    int64_t rest = pitch % step;
    struct cell far = rest == 0   ? cell("0")
                      : rest == 1 ? cell("%s", row)
                                  : cell("%" PRId64 "*%s", rest, row);
    buf_printf(w->b, "%slet %s%s = ", indent, name, w->end);
    if (from) far = cell("(%s + %s%s)", far.text, from, w->end);
    if (!from && rest == 0)
        buf_char(w->b, '0');
    else if (!from && rows <= step && rest == step - 1)
        buf_puts(w->b, row);
    else if (!from && rows <= step && rest == 1)
        buf_printf(w->b, "%d - %s", step, row);
    else
        buf_printf(w->b, "(%s + %d) / %d * %d - %s", far.text, step - 1, step, step, far.text);
    buf_puts(w->b, ";\n");
}

static struct cell rows_from(const struct writer *w) {
    if (w->tiles_y == 1) return cell("_");
    return cell("%" PRId64 "*c%d%s .. %" PRId64, w->k->window, w->k->y, w->end,
                w->r->mode[w->k->y].extent);
}

static void read_elements(const struct writer *w, const char *src) {
    const struct skewed *k = w->k;
    int64_t thr[] = {k->threads / k->columns, k->columns};
    int64_t val[] = {skew_rows(k) / thr[0], k->across / k->columns};
    tiled(w, "rd", w->r->type->bits, thr, val, true);
    buf_printf(w->b, "  frag r%s : %s like rd%s;\n  copy local_tile(%s", w->end, w->r->type->name,
               w->end, src);
    struct cell rows = rows_from(w);
    if (w->tiles_y > 1) tuple(w, "_", rows.text, "_");
    tile_end(w, skew_rows(k), k->across, "0", tile_of(w, k->x).text);
    buf_printf(w->b, " -> r%s with rd%s pad 0;\n  copy r%s -> s%s", w->end, w->end, w->end, w->end);
    if (w->late)
        tuple(w, "_", cell("u%s .. u%s + %" PRId64, w->end, w->end, skew_rows(k)).text, "_");
    buf_printf(w->b, " with rd%s;\n", w->end);
}

// The same for a row of modes: each thread computes the place of its elements.
static void read_row(const struct writer *w, const char *src) {
    const struct skewed *k = w->k;
    struct buf *b = w->b;
    int64_t thr[] = {k->threads / k->columns, k->columns};
    int64_t val[] = {skew_rows(k) / thr[0], k->across / k->columns};
    tiled(w, "put", w->r->type->bits, thr, val, true);
    buf_printf(b, "  frag r%s : %s ", w->end, w->r->type->name);
    numbers(w, "1", val[0], val[1]);
    buf_puts(b, ";\n");
    buf_printf(b, "  for i%s in 0 .. %" PRId64 " {\n    let e%s = ", w->end, val[0], w->end);
    if (w->tiles_y > 1) buf_printf(b, "%" PRId64 "*c%d%s + ", k->window, k->y, w->end);
    buf_printf(b, "%" PRId64 "*(tid / %d) + i%s;\n    copy local_tile(", val[0], k->columns,
               w->end);
    flat_slice(w->whole, w->flat, true, src, w->end, b);
    for (int coordinates = 0; coordinates < 2; ++coordinates) {
        const char *between = ", (";
        for (int m = 0; m < w->r->rank; ++m) {
            if (m == k->y) continue;
            buf_puts(b, between);
            between = ",";
            struct cell at = tile_of(w, m);
            if (m == k->x) at = cell("%d*%s + tid %% %d", k->columns, at.text, k->columns);
            if (coordinates)
                buf_puts(b, at.text);
            else
                buf_printf(b, "%" PRId64, m == k->x ? val[1] : 1);
        }
        buf_char(b, ')');
    }
    buf_printf(b, ") -> r%s(", w->end);
    for (int m = 0; m < w->r->rank; ++m)
        buf_printf(b, "%s%s%s", m ? "," : "", m == k->y ? "i" : "_", m == k->y ? w->end : "");
    buf_printf(b, ") with universal(%d) pad 0;\n  }\n  copy r%s -> s%s", w->r->type->bits, w->end,
               w->end);
    if (w->late)
        tuple(w, "_", cell("u%s .. u%s + %" PRId64, w->end, w->end, skew_rows(k)).text, "_");
    buf_printf(b, " with put%s;\n", w->end);
}

// Writes the pieces of a warp's rows.  One after the other, they take fewer registers.
static void pieces(const struct writer *w, const char *tensor, const char *rows,
                   const char *columns, bool tile, int64_t n) {
    const struct skewed *k = w->k;
    int64_t warps = k->threads / WARP;
    buf_printf(w->b, "local_tile(local_partition(%s%s", tile ? "local_tile(" : "", tensor);
    tuple(w, "_", rows, columns);
    if (tile) tile_end(w, skew_rows(k), k->fetched, "0", "0");
    buf_puts(w->b, ", ");
    numbers(w, "1", warps, 1);
    buf_puts(w->b, ", warp)");
    part_end(w, skew_rows(k) / warps / (k->async ? 1 : SKEW_PIECES), k->fetched,
             cell("%" PRId64, n).text, "0");
}

static void read_words(const struct writer *w, const char *src) {
    const struct skewed *k = w->k;
    struct buf *b = w->b;
    int64_t warps = k->threads / WARP, words = k->fetched / k->load;
    int64_t lanes = words < WARP ? words : WARP, at = k->first - k->load;
    int parts = k->async ? 1 : SKEW_PIECES;
    bool from = phase(w, "v", true, k->load);
    skew_of(w, "  ", "e", "warp", warps, from ? "v" : NULL, w->r->mode[k->y].src, k->load);
    int64_t thr[] = {WARP / lanes, lanes};
    int64_t val[] = {skew_rows(k) / warps / parts / thr[0], k->fetched / lanes};
    atom(w, "rd", k->async, k->load * w->r->type->bits, thr, val, true);
    if (!k->async) tiled(w, "put", w->r->type->bits, thr, val, true);
    struct cell first =
        w->tiles_x > 1 ? cell("%" PRId64 "*c%d%s + ", k->across, k->x, w->end) : cell("%s", "");
    struct cell columns =
        cell("%se%s + %" PRId64 " .. %" PRId64, first.text, w->end, at, w->r->mode[k->x].extent);
    struct cell columns_of_src = columns;
    for (int n = 0; n < SKEW_PIECES && !k->async; ++n) {
        buf_printf(b, "  frag r%d%s : %s like rd%s;\n  copy ", n, w->end, w->r->type->name, w->end);
        pieces(w, src, rows_from(w).text, columns.text, true, n);
        buf_printf(b, " -> r%d%s with rd%s pad 0;\n", n, w->end, w->end);
    }
    struct cell down = cell("_");
    if (w->late) down = cell("u%s .. u%s + %" PRId64, w->end, w->end, skew_rows(k));
    columns = cell("e%s + %" PRId64 " .. e%s + %" PRId64, w->end, at, w->end, at + k->fetched);
    if (k->async) {
        buf_puts(b, "  copy ");
        pieces(w, src, rows_from(w).text, columns_of_src.text, true, 0);
        buf_puts(b, " ->\n      ");
        pieces(w, cell("s%s", w->end).text, down.text, columns.text, false, 0);
        buf_printf(b, "\n      with rd%s pad 0;\n", w->end);
    }
    for (int n = 0; n < SKEW_PIECES && !k->async; ++n) {
        buf_printf(b, "  copy r%d%s -> ", n, w->end);
        pieces(w, cell("s%s", w->end).text, down.text, columns.text, false, n);
        buf_printf(b, " with put%s;\n", w->end);
    }
}

// Writes "for NAME in 0 .. N", which has no iterations except in tile 0 of "tiles" along "m".
static void for_first(const struct writer *w, const char *name, int n, int m, int64_t tiles) {
    buf_printf(w->b, "  for %s%s in 0 .. %d", name, w->end, n);
    if (tiles > 1)
        buf_printf(w->b, " * ((%" PRId64 " - c%d%s) / %" PRId64 ")", tiles - 1, m, w->end,
                   tiles - 1);
    buf_puts(w->b, " {\n");
}

// Copies the columns before all tiles.
static void copy_first(const struct writer *w, const struct relayout_names *n) {
    const struct skewed *k = w->k;
    int64_t thr[] = {k->window, 1};
    while (thr[0] > k->threads) thr[0] /= 2;
    for_first(w, "j", 1, k->x, w->tiles_x);
    struct cell columns = cell("0 .. %" PRId64, k->first), row = tile_of(w, k->y);
    for (int side = 0; side < 2; ++side) {
        buf_printf(w->b, "%slocal_tile(%s", side ? " ->\n        " : "    copy ",
                   side ? n->dst : n->src);
        tuple(w, "_", "_", columns.text);
        tile_end(w, k->window, k->first, row.text, "0");
    }
    buf_puts(w->b, "\n        with ");
    tiled(w, NULL, w->r->type->bits, thr, NULL, false);
    buf_puts(w->b, ";\n  }\n");
}

// Every "of"-th row of the tile in shared memory, from row "p" on, and from "at" on along y.
static void rows_of_shared(const struct writer *w, const char *at, const char *p, int64_t of) {
    const struct skewed *k = w->k;
    buf_printf(w->b, "local_partition(s%s", w->end);
    struct cell columns = cell("%" PRId64 " .. %" PRId64, k->first, k->first + k->across);
    if (k->first || at) tuple(w, "_", at ? at : "_", k->first ? columns.text : "_");
    buf_puts(w->b, ", ");
    numbers(w, "1", 1, of);
    buf_printf(w->b, ", %s%s)", p, w->end);
}

// The same for the destination: "extent" elements along y, in the range "range".
static void rows_of_dst(const struct writer *w, const char *dst, const char *range, int64_t extent,
                        const char *p, int64_t of) {
    const struct skewed *k = w->k;
    buf_printf(w->b, "local_partition(local_tile(%s", dst);
    struct cell columns = cell("%" PRId64 " .. %" PRId64, k->first, w->r->mode[k->x].extent);
    if (k->first || range) tuple(w, "_", range ? range : "_", k->first ? columns.text : "_");
    tile_end(w, extent, k->across, "0", tile_of(w, k->x).text);
    buf_puts(w->b, ", ");
    numbers(w, "1", 1, of);
    buf_printf(w->b, ", %s%s)", p, w->end);
}

// Writes the windows of every "apart"-th row, from row "row" on.
static void write_class(const struct writer *w, const char *dst, int64_t number, int64_t apart) {
    const struct skewed *k = w->k;
    struct buf *b = w->b;
    int64_t warps = k->threads / WARP, extent = w->r->mode[k->y].extent, rows = k->across / apart;
    struct cell p = cell("p%" PRId64, number), a = cell("a%" PRId64, number);
    buf_printf(b, "  let %s%s = warp", p.text, w->end);
    if (number) buf_printf(b, " + %" PRId64, number * warps);
    buf_puts(b, ";\n");
    skew_of(w, "  ", a.text, cell("%s%s", p.text, w->end).text, apart, w->late ? "t" : NULL,
            w->r->mode[k->x].dst, k->step);
    int64_t across = skew_lanes(k), down = 1;
    for (int64_t d = 1; d <= WARP / across; ++d)
        if (rows % d == 0) down = d;
    int64_t thr[] = {across, down}, val[] = {k->vector, 1}, turns = k->async ? rows / down : 1;
    struct cell get = cell("get%" PRId64, number), put = cell("put%" PRId64, number);
    if (k->async) {
        tiled(w, get.text, w->r->type->bits, thr, val, false);
        tiled(w, put.text, k->vector * w->r->type->bits, thr, val, false);
    }
    int64_t room = skew_rows(k) + (w->late ? k->step : 0);
    for (int64_t n = 0; n < turns; ++n) {
        struct cell turn = cell("%" PRId64, n);
        if (k->async)
            buf_printf(b, "  frag q%" PRId64 "_%" PRId64 "%s : %s (%d,%" PRId64 ");\n", number, n,
                       w->end, w->r->type->name, k->vector, k->window / across / k->vector);
        buf_puts(b, "  copy local_tile(");
        rows_of_shared(w, NULL, p.text, apart);
        struct cell begin = w->late ? cell("u%s + ", w->end) : cell("%s", "");
        tuple(w, "_", cell("%s%s%s .. %" PRId64, begin.text, a.text, w->end, room).text, "_");
        part_end(w, k->window, rows / turns, "0", turn.text);
        buf_puts(b, " ->\n      ");
        if (k->async)
            buf_printf(b,
                       "q%" PRId64 "_%" PRId64 "%s with %s%s;\n  copy q%" PRId64 "_%" PRId64
                       "%s ->\n      ",
                       number, n, w->end, get.text, w->end, number, n, w->end);
        buf_puts(b, "local_tile(");
        rows_of_dst(w, dst, NULL, extent, p.text, apart);
        begin =
            w->tiles_y > 1 ? cell("%" PRId64 "*c%d%s + ", k->window, k->y, w->end) : cell("%s", "");
        tuple(w, "_", cell("%s%s%s .. %" PRId64, begin.text, a.text, w->end, extent).text, "_");
        part_end(w, k->window, rows / turns, "0", turn.text);
        buf_puts(b, "\n      with ");
        if (k->async)
            buf_printf(b, "%s%s", put.text, w->end);
        else
            tiled(w, NULL, k->vector * w->r->type->bits, thr, val, false);
        buf_puts(b, ";\n");
    }
}

static void write_windows(const struct writer *w, const char *dst) {
    int64_t warps = w->k->threads / WARP, apart = skew_apart(w->k);
    for (int64_t n = 0; n * warps < apart; ++n) write_class(w, dst, n, apart);
}

// Writes what is before the first window of each row.
static void write_heads(const struct writer *w, const char *dst) {
    const struct skewed *k = w->k;
    int64_t rows = k->across / k->step, thr[] = {k->step, k->threads / k->step};
    if (thr[1] > rows) thr[1] = rows;
    while (rows % thr[1]) --thr[1];
    for_first(w, "i", k->step, k->y, w->tiles_y);
    skew_of(w, "    ", "b", cell("i%s", w->end).text, skew_apart(k), w->late ? "t" : NULL,
            w->r->mode[k->x].dst, k->step);
    buf_puts(w->b, "    copy local_tile(");
    struct cell at = cell("u%s .. u%s + %d", w->end, w->end, k->step);
    rows_of_shared(w, w->late ? at.text : NULL, "i", k->step);
    part_end(w, k->step, rows, "0", "0");
    buf_puts(w->b, " ->\n        ");
    rows_of_dst(w, dst, cell("0 .. b%s", w->end).text, k->step, "i", k->step);
    buf_puts(w->b, "\n        with ");
    tiled(w, NULL, w->r->type->bits, thr, NULL, false);
    buf_puts(w->b, ";\n  }\n");
}

void skew_grid(const struct relayout *r, const struct skewed *k, struct buf *b) {
    buf_printf(b, "(%" PRId64, skew_tiles_x(r, k) * skew_tiles_y(r, k));
    for (int m = r->rank - 1; m >= 0; --m)
        if (m != k->x && m != k->y) buf_printf(b, ",%" PRId64, r->mode[m].extent);
    buf_char(b, ')');
}

void skew_write(const struct relayout *whole, const struct flat *flat,
                const struct relayout_names *n, const struct skewed *k, const char *end,
                struct buf *b) {
    const struct relayout *r = flat ? &flat->r : whole;
    struct writer w = {b, r, k, end, whole, flat, skew_tiles_x(r, k), skew_tiles_y(r, k), false};
    coordinates(&w);
    w.late = phase(&w, "t", false, k->step);
    if (w.late)
        buf_printf(b, "  let u%s = t%s - t%s / %d * %d;\n", end, end, end, k->step, k->step);
    buf_printf(b, "  shared s%s : %s ", end, r->type->name);
    numbers(&w, "1", skew_rows(k) + (w.late ? k->step : 0), k->first + k->fetched);
    buf_char(b, ':');
    numbers(&w, "0", k->async ? k->pitch : 1, k->async ? 1 : k->pitch);
    buf_puts(b, ";\n");
    if (flat)
        read_row(&w, n->src);
    else if (k->load > 1)
        read_words(&w, n->src);
    else
        read_elements(&w, n->src);
    if (k->first) copy_first(&w, n);
    write_windows(&w, n->dst);
    write_heads(&w, n->dst);
}

void skew_reasons(const struct relayout *r, const struct skewed *k, struct buf *b) {
    int es = r->type->bits / 8;
    buf_printf(b,
               "// Mode %d is the fast one of the source, mode %d of the destination, whose rows "
               "begin at any element.\n"
               "// Elements go through shared memory, %s by %d bytes and written by %d: in each "
               "row of a tile\n// a window of %" PRId64
               " elements that begins at a multiple of %d bytes.\n",
               k->x, k->y, k->async ? "copied asynchronously" : "read", k->load * es,
               k->vector * es, k->window, k->step * es);
}
