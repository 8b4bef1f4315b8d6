// Templates, and the parts that several forms share (see text.h).
#include "planner/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "planner/form.h"

static const struct hole *find(const struct hole *h, const char *name, size_t n) {
    while (h && h->name && (strncmp(h->name, name, n) != 0 || h->name[n])) ++h;
    return h && h->name ? h : NULL;
}

static void fill(const struct text *t, const char *template, const struct hole *holes,
                 struct buf *b) {
    for (const char *p = template; *p; ++p) {
        const char *end = *p == '<' && !isdigit((unsigned char)p[1]) ? strchr(p, '>') : NULL;
        size_t n = end ? (size_t)(end - p - 1) : 0;
        if (!end) {
            if (*p == '$')
                buf_puts(b, t->end);
            else
                buf_char(b, *p);
            continue;
        }
        const struct hole *h = find(holes, p + 1, n);
        if (!h) h = find(t->hole, p + 1, n);
        if (h && h->text)
            fill(t, h->text, holes, b);
        else if (h)
            buf_printf(b, "%" PRId64, h->number);
        else if (strncmp(p, "<src>", 5) == 0 || strncmp(p, "<dst>", 5) == 0)
            buf_puts(b, p[1] == 's' ? t->names->src : t->names->dst);
        else
            BUG("no text for '%s'", p);
        p = end;
    }
}

const char *text_fill(const struct text *t, const char *template, const struct hole *holes) {
    struct buf b;
    buf_init(&b);
    fill(t, template, holes, &b);
    return buf_finish(&b, &t->s->arena);
}

const struct hole *text_keep(const struct text *t, const struct hole *holes) {
    size_t n = 1;
    while (holes[n - 1].name) ++n;
    struct hole *kept = ARENA_ARRAY(&t->s->arena, struct hole, n);
    memcpy(kept, holes, sizeof *kept * n);
    return kept;
}

const char *text_tuple(const struct text *t, int n, const char *const each[], const char *between) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < n; ++i) {
        buf_puts(&b, i ? between : "(");
        buf_puts(&b, each[i]);
    }
    buf_char(&b, ')');
    return buf_finish(&b, &t->s->arena);
}

const char *text_numbers(const struct text *t, int n, const int64_t each[]) {
    const char *text[RELAYOUT_MODES];
    for (int i = 0; i < n; ++i) text[i] = text_print(t, "%" PRId64, each[i]);
    return text_tuple(t, n, text, ",");
}

const char *text_number(const struct text *t, const struct relayout_mode *m,
                        enum relayout_number k) {
    return m->text[k] ? m->text[k] : text_print(t, "%" PRId64, exactly(m, k).num);
}

static const char *column(const struct text *t, const struct relayout *r, enum relayout_number k) {
    const char *text[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) text[m] = text_number(t, &r->mode[m], k);
    return text_tuple(t, r->rank, text, ",");
}

// The shape and the strides of a side of an index.
static const char *counted(const struct text *t, const struct relayout_index *x, bool src) {
    const char *extent[RELAYOUT_MODES] = {"1"}, *stride[RELAYOUT_MODES] = {"1"};
    int n = x->rank[!src];
    for (int m = 0; m < n; ++m) {
        extent[m] = lay_int_text(&t->s->lay, x->extent[!src][m]);
        stride[m] = lay_int_text(&t->s->lay, x->stride[!src][m]);
    }
    n = n ? n : 1;
    return text_print(t, "%s:%s", text_tuple(t, n, extent, ","), text_tuple(t, n, stride, ","));
}

const char *text_layout(const struct text *t, const struct relayout *r, bool src) {
    const char *begin = r->begin[!src].text;
    const char *modes = r->index ? counted(t, r->index, src)
                                 : text_print(t, "%s:%s", column(t, r, RELAYOUT_EXTENT),
                                              column(t, r, src ? RELAYOUT_SRC : RELAYOUT_DST));
    const struct lay_swizzle w = r->sw[!src];
    if (w.b)
        return text_print(t, "Sw<%d,%d,%d> o %s o %s", w.b, w.m, w.s, begin ? begin : "0", modes);
    return begin ? text_print(t, "%s+%s", begin, modes) : modes;
}

const char *text_formal(const struct text *t, const struct relayout *r, bool src) {
    return text_print(t, "%s : %s global %s align %d", src ? t->names->src : t->names->dst,
                      type_of(r, src)->name, text_layout(t, r, src), tensor_align(r, src));
}

const char *text_tiled(const struct text *t, const struct relayout *r, const struct share *s,
                       bool src, const char *atom, int bits, const char *hints) {
    int order[RELAYOUT_MODES];
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES], threads = 1, values = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        thr[m] = s->thr[m] > 1 ? threads : 0;
        val[m] = s->val[m] > 1 ? values : 0;
        threads *= s->thr[m];
        values *= s->val[m];
    }
    return text_print(t, "tile(%s(%d%s), thr=%s:%s, val=%s:%s)", atom, bits, hints,
                      text_numbers(t, r->rank, s->thr), text_numbers(t, r->rank, thr),
                      text_numbers(t, r->rank, s->val), text_numbers(t, r->rank, val));
}

const char *text_part(const struct text *t, const struct relayout *r, const struct choice *c) {
    const char *at[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) at[m] = is_tiled(r, c, m) ? text_print(t, "c%d$", m) : "0";
    return text_print(t, "%s, %s", text_numbers(t, r->rank, c->tile),
                      text_tuple(t, r->rank, at, ", "));
}

const char *text_slice(const struct text *t, const int part[], int parts, int kept, bool beyond) {
    const char *at[RELAYOUT_MODES];
    int64_t by = 1;
    for (int m = 0; m < t->r->rank; ++m) at[m] = "_";
    for (int k = 0; k < parts; ++k) {
        int64_t n = t->r->mode[part[k]].extent;
        const char *e = by > 1 ? text_print(t, "e$ / %" PRId64, by) : "e$";
        if (k < parts - 1 || beyond) e = text_print(t, "%s %% %" PRId64, e, n);
        if (part[k] != kept) at[part[k]] = e;
        by *= n;
    }
    return text_print(t, "<src>%s", text_tuple(t, t->r->rank, at, ", "));
}

const char *text_phase(const struct text *t, const struct relayout *r, int x, int y, bool src,
                       int step) {
    const char *text = NULL;
    for (int m = 0; m < r->rank; ++m) {
        int64_t rest = (src ? r->mode[m].src : r->mode[m].dst) % step;
        if (m == x || m == y || rest == 0) continue;
        text = text_print(t, "%s%s%" PRId64 "*c%d$", text ? text : "", text ? " + " : "", rest, m);
    }
    return text;
}

// The number of tiles along mode "m".  As a divisor it is one more where it could be 0: there are no
// elements in the tiles beyond the last one.
static const char *tiles_text(const struct text *t, const struct relayout *r,
                              const struct choice *c, int m, bool divisor) {
    const char *extent = r->mode[m].text[RELAYOUT_EXTENT];
    if (!extent) return text_print(t, "%" PRId64, tiles_along(r, c, m));
    return text_print(t, "ceil_div(%s%s,%" PRId64 ")", extent,
                      divisor && !is_divisor(r, c, m) ? " + 1" : "", c->tile[m]);
}

// Coordinates if params give the number of tiles: digits of its number along each axis.
static void by_axis(const struct text *t, const struct relayout *r, const struct choice *c,
                    struct buf *b) {
    struct axes g;
    axes_of(r, c, &g);
    for (int axis = 0; axis < g.axes; ++axis) {
        const char *rest = text_print(t, "block.%c", "xyz"[axis]);
        if (axis == 0 && t->block) rest = t->block;
        int64_t by = 1;
        for (int i = 0; i < g.digits[axis]; ++i) {
            int m = g.digit[axis][i];
            bool last = i == g.digits[axis] - 1, number = !r->mode[m].text[RELAYOUT_EXTENT];
            if (by > 1 && (last || !number))
                rest = text_print(t, "%s / %" PRId64, rest, by), by = 1;
            buf_printf(b, "  let c%d$ = %s", m, rest);
            if (by > 1) buf_printf(b, " / %" PRId64, by);
            if (!last) buf_printf(b, " %% %s", tiles_text(t, r, c, m, true));
            buf_puts(b, ";\n");
            if (number)
                by *= tiles_along(r, c, m);
            else if (!last)
                rest = text_print(t, "%s / %s", rest, tiles_text(t, r, c, m, true));
        }
    }
}

// The same for one axis, in the order of the choice's grid.
static void by_order(const struct text *t, const struct relayout *r, const struct choice *c,
                     struct buf *b) {
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
        if (i > 0 && m == digit[0].mode) continue;  // already written with the lead
        buf_printf(b, "  let c%d$ = ", m);
        for (int k = i; k < n; ++k) {
            if (digit[k].mode != m) continue;
            if (k > i) buf_printf(b, " + %" PRId64 " * (", digit[k].weight);
            buf_puts(b, t->block ? t->block : "block.x");
            if (digit[k].by > 1) buf_printf(b, " / %" PRId64, digit[k].by);
            if (k < n - 1) buf_printf(b, " %% %" PRId64, digit[k].n);
            if (k > i) buf_char(b, ')');
        }
        buf_puts(b, ";\n");
    }
}

const char *text_coordinates(const struct text *t, const struct relayout *r,
                             const struct choice *c) {
    struct buf b;
    buf_init(&b);
    if (r->usual)
        by_axis(t, r, c, &b);
    else
        by_order(t, r, c, &b);
    return buf_finish(&b, &t->s->arena);
}

const char *text_blocks_along(const struct text *t, const struct relayout *r,
                              const struct choice *c, int axis) {
    struct axes g;
    int64_t n = 1;
    const char *text = "";
    axes_of(r, c, &g);
    for (int i = 0; i < g.digits[axis]; ++i) {
        int m = g.digit[axis][i];
        if (!r->mode[m].text[RELAYOUT_EXTENT])
            n *= tiles_along(r, c, m);
        else
            text = text_print(t, "%s%s%s", text, *text ? "*" : "",
                              tiles_text(t, r, c, m, i < g.digits[axis] - 1));
    }
    if (!*text) return text_print(t, "%" PRId64, n);
    return n > 1 ? text_print(t, "%" PRId64 "*%s", n, text) : text;
}

const char *text_blocks(const struct text *t, const struct relayout *r, const struct choice *c) {
    const char *along[AXES];
    struct axes g;
    axes_of(r, c, &g);
    for (int axis = 0; axis < g.axes; ++axis) along[axis] = text_blocks_along(t, r, c, axis);
    return text_tuple(t, g.axes, along, ", ");
}

const char *text_shared(const struct text *t, const struct relayout *r, const struct choice *c) {
    const char *extent[RELAYOUT_MODES], *stride[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) {
        int64_t two[] = {c->part, c->part ? c->tile[m] / c->part : 0},
                far[] = {c->room[m], c->rest};
        extent[m] = text_print(t, "%" PRId64, c->tile[m]);
        stride[m] = text_print(t, "%" PRId64, c->room[m]);
        if (m == c->split) extent[m] = text_numbers(t, 2, two), stride[m] = text_numbers(t, 2, far);
    }
    return text_print(t, "  shared s$ : %s %s:%s;\n", held_type(r)->name,
                      text_tuple(t, r->rank, extent, ","), text_tuple(t, r->rank, stride, ","));
}

const char *text_choice(const struct text *t, const struct relayout *r, const struct choice *c) {
    const char *tile = "tile ", *way;
    for (int m = 0; m < r->rank; ++m)
        tile = text_print(t, "%s%s%" PRId64, tile, m ? "x" : "", c->tile[m]);
    if (c->way == WAY_STRAIGHT)
        way = text_print(t, "%d bytes, registers", c->rd.vector * wider_bytes(r));
    else
        way =
            text_print(t, "%d and %d bytes, shared memory by %d", c->rd.vector * bytes_of(r, true),
                       c->wr.vector * bytes_of(r, false), c->block * held_bytes(r));
    const char *all = text_print(t, "%s, %d threads, %s, grid along the %s", tile, c->threads, way,
                                 c->grid.by_src ? "source" : "destination");
    if (c->grid.lead < 0) return all;
    return text_print(t, "%s, %" PRId64 " of mode %d first", all, c->grid.lead_tiles, c->grid.lead);
}
