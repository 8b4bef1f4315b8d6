// A choice as the text of a kernel.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "image/elem.h"
#include "planner/private.h"

// Names of the kernel's own that no argument has: each ends so.
static const char *ending(const struct relayout_names *n) {
    static const char *const own[] = {"s", "r", "rd", "put", "wr", "c"};
    static const char *const ends[] = {"", "_", "__"};  // two arguments take two of them at most
    for (int e = 0; e < 3; ++e) {
        bool taken = false;
        for (unsigned i = 0; i < sizeof own / sizeof own[0]; ++i)
            for (int k = 0; k < 2; ++k) {
                const char *name = k ? n->dst : n->src;
                size_t len = strlen(own[i]);
                if (strncmp(name, own[i], len) != 0) continue;
                if (own[i][0] == 'c') len += strspn(name + len, "0123456789");
                taken |= strcmp(name + len, ends[e]) == 0;
            }
        if (!taken) return ends[e];
    }
    BUG("two arguments with three endings");
}

enum column { EXTENT, SRC, DST };

static int64_t of_mode(const struct relayout_mode *m, enum column c) {
    return c == EXTENT ? m->extent : c == SRC ? m->src : m->dst;
}

static void column(struct buf *b, const struct relayout *r, enum column c) {
    for (int m = 0; m < r->rank; ++m)
        buf_printf(b, "%s%" PRId64, m ? "," : "(", of_mode(&r->mode[m], c));
    buf_char(b, ')');
}

static void numbers(struct buf *b, const struct relayout *r, const int64_t *n) {
    for (int m = 0; m < r->rank; ++m) buf_printf(b, "%s%" PRId64, m ? "," : "(", n[m]);
    buf_char(b, ')');
}

static void formal(struct buf *b, const struct relayout *r, const char *name, bool src) {
    buf_printf(b, "%s : %s global ", name, r->type->name);
    column(b, r, EXTENT);
    buf_char(b, ':');
    column(b, r, src ? SRC : DST);
    buf_printf(b, " align %d", src ? r->src_align : r->dst_align);
}

// "tile(universal(128), thr=..:.., val=..:..)": threads are numbered along the side's fast modes
// first, and so are values, those of a vector before all.
static void tiled(struct buf *b, const struct relayout *r, const struct share *s, bool src,
                  int bits) {
    int order[RELAYOUT_MODES];
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES], t = 1, v = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        thr[m] = s->thr[m] > 1 ? t : 0;
        val[m] = s->val[m] > 1 ? v : 0;
        t *= s->thr[m];
        v *= s->val[m];
    }
    buf_printf(b, "tile(universal(%d), thr=", bits);
    numbers(b, r, s->thr);
    buf_char(b, ':');
    numbers(b, r, thr);
    buf_puts(b, ", val=");
    numbers(b, r, s->val);
    buf_char(b, ':');
    numbers(b, r, val);
    buf_puts(b, ")");
}

static void part(struct buf *b, const struct relayout *r, const struct choice *c, const char *name,
                 const char *end) {
    buf_printf(b, "local_tile(%s, ", name);
    numbers(b, r, c->tile);
    buf_puts(b, ", (");
    for (int m = 0; m < r->rank; ++m)
        if (tiles_along(r, c, m) > 1)
            buf_printf(b, "%sc%d%s", m ? ", " : "", m, end);
        else
            buf_printf(b, "%s0", m ? ", " : "");
    buf_puts(b, "))");
}

// Which tile a block has: the number of the block, digit by digit.
static void coordinates(struct buf *b, const struct relayout *r, const struct choice *c,
                        const char *end) {
    struct {
        int mode;
        int64_t n, by, weight;
    } digit[RELAYOUT_MODES + 1];
    int order[RELAYOUT_MODES], n = 0;
    int64_t by = 1, lead = 1;
    order_of(r, c->grid.by_src, order);
    for (int i = -1; i < r->rank; ++i) {
        int m = i < 0 ? c->grid.lead : order[i];
        if (m < 0) continue;
        int64_t tiles = i < 0 ? c->grid.lead_tiles : tiles_along(r, c, m);
        int64_t weight = i >= 0 && m == c->grid.lead ? lead : 1;
        if (i < 0) lead = tiles;
        if (tiles / weight == 1) continue;
        digit[n].mode = m;
        digit[n].n = tiles / weight;
        digit[n].by = by;
        digit[n++].weight = weight;
        by *= tiles / weight;
    }
    for (int i = 0; i < n; ++i) {
        int m = digit[i].mode;
        if (i > 0 && m == digit[0].mode) continue;  // said with the lead
        buf_printf(b, "  let c%d%s = ", m, end);
        for (int k = i; k < n; ++k) {
            if (digit[k].mode != m) continue;
            if (k > i) buf_printf(b, " + %" PRId64 " * (", digit[k].weight);
            buf_puts(b, "block.x");
            if (digit[k].by > 1) buf_printf(b, " / %" PRId64, digit[k].by);
            if (k < n - 1) buf_printf(b, " %% %" PRId64, digit[k].n);
            if (k > i) buf_char(b, ')');
        }
        buf_puts(b, ";\n");
    }
}

static void shared_tile(struct buf *b, const struct relayout *r, const struct choice *c,
                        const char *end) {
    buf_printf(b, "  shared s%s : %s (", end, r->type->name);
    for (int m = 0; m < r->rank; ++m) {
        if (m) buf_char(b, ',');
        if (m == c->split)
            buf_printf(b, "(%" PRId64 ",%" PRId64 ")", c->part, c->tile[m] / c->part);
        else
            buf_printf(b, "%" PRId64, c->tile[m]);
    }
    buf_puts(b, "):(");
    for (int m = 0; m < r->rank; ++m) {
        if (m) buf_char(b, ',');
        if (m == c->split)
            buf_printf(b, "(%" PRId64 ",%" PRId64 ")", c->room[m], c->rest);
        else
            buf_printf(b, "%" PRId64, c->room[m]);
    }
    buf_puts(b, ");\n");
}

static void staged_body(struct buf *b, const struct relayout *r, const struct relayout_names *n,
                        const struct choice *c) {
    int bits = r->type->bits;
    bool ragged = false, narrow = c->block != c->rd.vector;
    for (int m = 0; m < r->rank; ++m) ragged |= r->mode[m].extent % c->tile[m] != 0;
    const char *end = ending(n);
    shared_tile(b, r, c, end);
    buf_printf(b, "  let rd%s = ", end);
    tiled(b, r, &c->rd, true, c->rd.vector * bits);
    if (narrow) {
        buf_printf(b, ";\n  let put%s = ", end);
        tiled(b, r, &c->rd, true, c->block * bits);
    }
    buf_printf(b, ";\n  let wr%s = ", end);
    tiled(b, r, &c->wr, false, c->wr.vector * bits);
    buf_printf(b, ";\n  frag r%s : %s like rd%s;\n  copy ", end, r->type->name, end);
    part(b, r, c, n->src, end);
    buf_printf(b, " -> r%s with rd%s%s;\n", end, end, ragged ? " pad 0" : "");
    buf_printf(b, "  copy r%s -> s%s with %s%s;\n  copy s%s -> ", end, end, narrow ? "put" : "rd",
               end, end);
    part(b, r, c, n->dst, end);
    buf_printf(b, " with wr%s;\n", end);
}

// The choice in words.
static void reasons(struct buf *b, const struct relayout *r, const struct choice *c,
                    const struct cost *cost) {
    int es = r->type->bits / 8;
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    order_of(r, true, src);
    order_of(r, false, dst);
    buf_printf(b, "// Mode %d is the fast one of the source, mode %d of the destination.\n// ",
               src[0], dst[0]);
    if (c->way == WAY_STRAIGHT)
        buf_printf(b, "Elements go straight through registers, %d bytes an access.\n",
                   c->rd.vector * es);
    else
        buf_printf(b, "Elements go through shared memory, read by %d bytes and written by %d.\n",
                   c->rd.vector * es, c->wr.vector * es);
    if (c->way == WAY_STAGED && src[0] != dst[0])
        buf_printf(b, "// Blocks of %d by %d elements are turned in registers.\n", c->rd.vector,
                   c->block);
    buf_printf(b,
               "// The warps of a tile touch %" PRId64 " lines of the caches and have %" PRId64
               " bank conflicts; %" PRId64 " blocks an SM.\n",
               cost->lines, cost->conflict, cost->per_sm);
}

const char *relayout_kernel(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, struct buf *b) {
    struct chosen list[RELAYOUT_CANDIDATES];
    int found = choose(r, list, r->candidate + 1);
    if (found == 0) return "it takes more than 2^31 blocks";
    if (found <= r->candidate)
        return arena_printf(&s->arena, "candidate %d is asked for; there are %d, from 0 on",
                            r->candidate, found);
    struct choice c = list[r->candidate].c;
    struct cost cost = list[r->candidate].cost;
    reasons(b, r, &c, &cost);
    buf_printf(b, "kernel %s(", n->kernel);
    for (int i = 0; i < 2; ++i) {
        bool src = (i == 0) != n->dst_first;
        buf_puts(b, i ? ",\n    " : "");
        buf_puts(b, src ? "" : "out ");
        formal(b, r, src ? n->src : n->dst, src);
    }
    buf_printf(b, ")\n    grid (%" PRId64 ") threads %d {\n", cost.blocks, c.threads);
    coordinates(b, r, &c, ending(n));
    if (c.way == WAY_STAGED) {
        staged_body(b, r, n, &c);
    } else {
        buf_puts(b, "  copy ");
        part(b, r, &c, n->src, ending(n));
        buf_puts(b, " ->\n      ");
        part(b, r, &c, n->dst, ending(n));
        buf_puts(b, "\n      with ");
        tiled(b, r, &c.rd, false, c.rd.vector * r->type->bits);
        buf_puts(b, ";\n");
    }
    buf_puts(b, "}\n");
    return NULL;
}
