// Writes a line as the text of a kernel.
#include <inttypes.h>

#include "base/buf.h"
#include "image/elem.h"
#include "planner/line.h"

// Writes the source at the coordinates of element "e" of the destination, and its rows.
static void slice(const struct relayout *r, const struct line *k, const char *src, const char *end,
                  struct buf *b) {
    int64_t by[RELAYOUT_MODES], n = 1;
    bool beyond = k->extent % line_elements(k) != 0;
    for (int i = 0; i < r->rank; ++i) {
        by[k->order[i]] = n;
        n *= r->mode[k->order[i]].extent;
    }
    buf_puts(b, src);
    for (int m = 0; m < r->rank; ++m) {
        buf_puts(b, m ? ", " : "(");
        if (m == k->order[0]) {
            buf_char(b, '_');
            continue;
        }
        buf_printf(b, "e%s", end);
        if (by[m] > 1) buf_printf(b, " / %" PRId64, by[m]);
        if (m != k->order[r->rank - 1] || beyond) buf_printf(b, " %% %" PRId64, r->mode[m].extent);
    }
    buf_char(b, ')');
}

void line_reasons(const struct relayout *r, const struct line *k, struct buf *b) {
    int es = bytes_of(r, true);
    buf_printf(b,
               "// Mode %d is the fast one of both sides. The destination has no gaps: a tile is a "
               "part of all its elements.\n",
               k->order[0]);
    buf_printf(b,
               "// Elements go straight through registers, read by %d bytes and written by %d.\n",
               k->load * es, k->store * es);
}

void line_write(const struct relayout *r, const struct relayout_names *n, const struct line *k,
                const char *end, struct buf *b) {
    int64_t all = line_elements(k);
    int bits = r->type->bits, loads = k->store / k->load;
    buf_printf(b, "(%" PRId64 ") threads %d {\n", (k->extent + all - 1) / all, k->threads);
    // a thread's stores are as far apart as all threads write at once
    buf_printf(
        b, "  let wr%s = tile(universal(%d), tv=(%d,(%d,%d)):(%d,(1,%d)), tile=(%" PRId64 "));\n",
        end, k->store * bits, k->threads, k->store, k->times, k->store, k->threads * k->store, all);
    int steps = loads * k->times;
    buf_printf(b,
               "  frag r%s : %s (%d,%d);\n  for i%s in 0 .. %d {\n    let e%s = %" PRId64
               "*block.x + ",
               end, r->type->name, k->load, steps, end, steps, end, all);
    if (k->times == 1)
        buf_printf(b, "%d*tid + %d*i%s", k->store, k->load, end);
    else
        buf_printf(b, "%d*(i%s / %d) + %d*tid + %d*(i%s %% %d)", k->threads * k->store, end, loads,
                   k->store, k->load, end, loads);
    buf_puts(b, ";\n    copy local_tile(");
    slice(r, k, n->src, end, b);
    buf_printf(b, ", (%d), (e%s %% %" PRId64, k->load, end, r->mode[k->order[0]].extent);
    if (k->load > 1) buf_printf(b, " / %d", k->load);
    buf_printf(b, ")) -> r%s(_,i%s) with universal(%d);\n  }\n", end, end, k->load * bits);
    buf_printf(b, "  copy r%s -> local_tile(%s, (%" PRId64 "), (block.x)) with wr%s;\n", end,
               n->dst, all, end);
}
