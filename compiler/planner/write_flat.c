// Writes a flat tile as the text of a kernel.
#include <inttypes.h>

#include "base/buf.h"
#include "image/elem.h"
#include "planner/flat.h"
#include "planner/text.h"

// Writes "let t3 = tid / 4 % 8": the part of the tile that a thread reads along each mode.
static void digits(struct buf *b, const struct relayout *r, const struct choice *c,
                   const char *end) {
    int order[RELAYOUT_MODES];
    int64_t by = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (c->rd.thr[m] == 1) continue;
        buf_printf(b, "  let t%d%s = tid", m, end);
        if (by > 1) buf_printf(b, " / %" PRId64, by);
        by *= c->rd.thr[m];
        if (by < c->threads) buf_printf(b, " %% %" PRId64, c->rd.thr[m]);
        buf_puts(b, ";\n");
    }
}

// Writes "8*c3 + t3": the begin of a thread's part along mode "m", in units of such parts.
static void place(struct buf *b, const struct relayout *r, const struct choice *c, int m,
                  int64_t times, const char *end) {
    int64_t thr = c->rd.thr[m] * times;
    bool tiled = is_tiled(r, c, m), among = c->rd.thr[m] > 1;
    if (tiled && thr > 1) buf_printf(b, "%" PRId64 "*", thr);
    if (tiled) buf_printf(b, "c%d%s", m, end);
    if (tiled && among) buf_puts(b, " + ");
    if (among && times > 1) buf_printf(b, "%" PRId64 "*", times);
    if (among) buf_printf(b, "t%d%s", m, end);
    if (!tiled && !among) buf_puts(b, "0");
}

void flat_slice(const struct relayout *r, const struct flat *f, bool beyond, const char *src,
                const char *end, struct buf *b) {
    int64_t by[RELAYOUT_MODES], n = 1;
    int part[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) part[m] = -1;
    for (int k = 0; k < f->parts; ++k) {
        part[f->part[k]] = k;
        by[k] = n;
        n *= r->mode[f->part[k]].extent;
    }
    buf_puts(b, src);
    for (int m = 0; m < r->rank; ++m) {
        int k = part[m];
        buf_puts(b, m ? ", " : "(");
        if (k < 0) {
            buf_char(b, '_');
            continue;
        }
        buf_printf(b, "e%s", end);
        if (by[k] > 1) buf_printf(b, " / %" PRId64, by[k]);
        if (k < f->parts - 1 || beyond) buf_printf(b, " %% %" PRId64, r->mode[m].extent);
    }
    buf_char(b, ')');
}

// Writes "frag r : f32 (4,8):(8,1)": what a thread reads; what is adjacent in the source comes
// first.
static void fragment(struct buf *b, const struct relayout *r, const struct choice *c,
                     const char *end) {
    int order[RELAYOUT_MODES];
    int64_t stride[RELAYOUT_MODES], n = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        stride[order[i]] = n;
        n *= c->rd.val[order[i]];
    }
    buf_printf(b, "  frag r%s : %s ", end, r->type->name);
    text_numbers(b, r, c->rd.val);
    buf_char(b, ':');
    text_numbers(b, r, stride);
    buf_puts(b, ";\n");
}

// Writes the tile; values are counted as in the fragment, those of the first mode first.
static void put_tiled(struct buf *b, const struct relayout *r, const struct choice *c,
                      const char *end) {
    int order[RELAYOUT_MODES];
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES], t = 1, v = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        thr[order[i]] = c->rd.thr[order[i]] > 1 ? t : 0;
        t *= c->rd.thr[order[i]];
        val[i] = c->rd.val[i] > 1 ? v : 0;
        v *= c->rd.val[i];
    }
    buf_printf(b, "  let put%s = tile(universal(%d), thr=", end, c->block * r->type->bits);
    text_numbers(b, r, c->rd.thr);
    buf_char(b, ':');
    text_numbers(b, r, thr);
    buf_puts(b, ", val=");
    text_numbers(b, r, c->rd.val);
    buf_char(b, ':');
    text_numbers(b, r, val);
    buf_puts(b, ");\n");
}

static void read_row(struct buf *b, const struct relayout *r, const struct relayout_names *n,
                     const struct flat *f, const struct choice *c, const char *end) {
    const struct relayout *q = &f->r;
    bool beyond = false;
    for (int m = 0; m < q->rank; ++m) beyond |= m != f->row && q->mode[m].extent % c->tile[m] != 0;
    buf_printf(b, "  for i%s in 0 .. %" PRId64 " {\n    let e%s = ", end, c->rd.val[f->row], end);
    place(b, q, c, f->row, c->rd.val[f->row], end);
    buf_printf(b, " + i%s;\n    copy local_tile(", end);
    flat_slice(r, f, f->r.mode[f->row].extent % c->tile[f->row] != 0, n->src, end, b);
    for (int coordinates = 0; coordinates < 2; ++coordinates) {
        const char *between = ", (";
        for (int m = 0; m < q->rank; ++m) {
            if (m == f->row) continue;
            buf_puts(b, between);
            between = ",";
            if (coordinates)
                place(b, q, c, m, 1, end);
            else
                buf_printf(b, "%" PRId64, c->rd.val[m]);
        }
        buf_char(b, ')');
    }
    buf_printf(b, ") -> r%s(", end);
    for (int m = 0; m < q->rank; ++m)
        buf_printf(b, "%s%s%s", m ? "," : "", m == f->row ? "i" : "_", m == f->row ? end : "");
    buf_printf(b, ") with universal(%d%s)%s;\n  }\n", c->rd.vector * r->type->bits,
               flat_hints(f, c).ld, beyond ? " pad 0" : "");
}

void flat_row(const struct flat *f, struct buf *b) {
    buf_puts(b, "// Modes ");
    for (int i = 0; i < f->parts; ++i)
        buf_printf(b, "%s%d", i == 0 ? "" : i < f->parts - 1 ? ", " : " and ", f->part[i]);
    buf_puts(b, " follow one another in the destination. A tile has a part of their elements put "
                "in a row.\n");
}

void flat_reasons(const struct relayout *r, const struct flat *f, const struct chosen *k,
                  struct buf *b) {
    const struct choice *c = &k->c;
    flat_row(f, b);
    buf_printf(b, "// Elements go through shared memory, read by %d bytes and written by %d.\n",
               c->rd.vector * bytes_of(r, true), c->wr.vector * bytes_of(r, false));
    buf_printf(b, "// Blocks of %d by %d elements are transposed in registers.\n", c->rd.vector,
               c->block);
    struct hints h = flat_hints(f, c);
    if (h.why) buf_printf(b, "// Caches are told that %s.\n", h.why);
}

void flat_write(const struct relayout *r, const struct relayout_names *n, const struct flat *f,
                const struct choice *c, const char *end, struct buf *b) {
    const struct relayout *q = &f->r;
    text_coordinates(b, q, c, end);
    digits(b, q, c, end);
    text_shared(b, q, c, end);
    put_tiled(b, q, c, end);
    buf_printf(b, "  let wr%s = ", end);
    text_tiled(b, q, &c->wr, false, "universal", c->wr.vector * r->type->bits, flat_hints(f, c).st);
    buf_puts(b, ";\n");
    fragment(b, q, c, end);
    read_row(b, r, n, f, c, end);
    buf_printf(b, "  copy r%s -> s%s with put%s;\n  copy s%s -> ", end, end, end, end);
    text_part(b, q, c, n->dst, end);
    buf_printf(b, " with wr%s;\n", end);
}
