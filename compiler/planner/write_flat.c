// The form of a flat tile (see flat.h).
#include <inttypes.h>

#include "image/elem.h"
#include "planner/form.h"

static void choose_flat(struct candidates *list) {
    struct chosen found[RELAYOUT_CANDIDATES];
    int n = list->has_row ? choose(&list->row.r, true, found, list->most) : 0, at = 0;
    for (int i = 0; i < n; ++i) {
        int64_t cost = flat_cost(&list->row, &found[i]);
        struct candidate c = {&form_flat, found[i].c.threads, cost, true, .tile = found[i]};
        while (at < list->n && list->of[at].cost <= cost) ++at;
        candidates_add(list, at++, &c);
    }
}

static const char *how(const struct text *t) {
    return text_print(t, "%d modes in a row, %s", t->row->parts,
                      text_choice(t, &t->row->r, &t->of->tile.c));
}

static const char *grid(const struct text *t) {
    return text_blocks(t, &t->row->r, &t->of->tile.c);
}

// "let t3 = tid / 4 % 8": the part of the tile that a thread reads along each mode.
static const char *digits(const struct text *t) {
    const struct relayout *r = &t->row->r;
    const struct choice *c = &t->of->tile.c;
    const char *text = "";
    int order[RELAYOUT_MODES];
    int64_t by = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (c->rd.thr[m] == 1) continue;
        text = text_print(t, "%s  let t%d%s = tid", text, m, t->end);
        if (by > 1) text = text_print(t, "%s / %" PRId64, text, by);
        by *= c->rd.thr[m];
        if (by < c->threads) text = text_print(t, "%s %% %" PRId64, text, c->rd.thr[m]);
        text = text_print(t, "%s;\n", text);
    }
    return text;
}

// "8*c3 + t3": the begin of a thread's part along mode "m", in units of such parts.
static const char *place(const struct text *t, int m, int64_t times) {
    const struct choice *c = &t->of->tile.c;
    int64_t thr = c->rd.thr[m] * times;
    bool tiled = is_tiled(&t->row->r, c, m), among = c->rd.thr[m] > 1;
    const struct hole holes[] = {{"thr", thr, NULL}, {"times", times, NULL}, {"m", m, NULL}, {0}};
    const char *parts[] = {tiled && thr > 1 ? "<thr>*" : NULL,
                           tiled ? "c<m>$" : NULL,
                           tiled && among ? " + " : NULL,
                           among && times > 1 ? "<times>*" : NULL,
                           among ? "t<m>$" : NULL,
                           !tiled && !among ? "0" : NULL};
    return text_lines(t, parts, sizeof parts / sizeof *parts, holes);
}

// Values are counted as in the fragment, those of the first mode first.
static const char *put_tiled(const struct text *t, const struct choice *c) {
    const struct relayout *r = &t->row->r;
    int order[RELAYOUT_MODES];
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES], threads = 1, values = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        thr[order[i]] = c->rd.thr[order[i]] > 1 ? threads : 0;
        threads *= c->rd.thr[order[i]];
        val[i] = c->rd.val[i] > 1 ? values : 0;
        values *= c->rd.val[i];
    }
    return text_print(t, "tile(universal(%d), thr=%s:%s, val=%s:%s)", c->block * r->type->bits,
                      text_numbers(t, r->rank, c->rd.thr), text_numbers(t, r->rank, thr),
                      text_numbers(t, r->rank, c->rd.val), text_numbers(t, r->rank, val));
}

// The strides of what a thread reads: what is adjacent in the source comes first.
static const char *fragment_strides(const struct text *t, const struct choice *c) {
    const struct relayout *r = &t->row->r;
    int order[RELAYOUT_MODES];
    int64_t stride[RELAYOUT_MODES], n = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        stride[order[i]] = n;
        n *= c->rd.val[order[i]];
    }
    return text_numbers(t, r->rank, stride);
}

static const char flat_body[] =
    "<coordinates><digits><shared>"
    "  let put$ = <put>;\n"
    "  let wr$ = <wr>;\n"
    "  frag r$ : <type> <values>:<strides>;\n"
    "  for i$ in 0 .. <rows> {\n"
    "    let e$ = <row> + i$;\n"
    "    copy local_tile(<slice>, <tile>, <at>) -> r$<into> with universal(<load>)<pad>;\n"
    "  }\n"
    "  copy r$ -> s$ with put$;\n"
    "  copy s$ -> <to> with wr$;\n";

static const char *body(const struct text *t) {
    const struct flat *f = t->row;
    const struct relayout *q = &f->r;
    const struct choice *c = &t->of->tile.c;
    const struct hints h = flat_hints(f, c);
    const char *at[RELAYOUT_MODES], *into[RELAYOUT_MODES];
    int64_t tile[RELAYOUT_MODES];
    int n = 0;
    bool beyond = false;
    for (int m = 0; m < q->rank; ++m) {
        into[m] = m == f->row ? text_print(t, "i%s", t->end) : "_";
        if (m == f->row) continue;
        beyond |= q->mode[m].extent % c->tile[m] != 0;
        tile[n] = c->rd.val[m];
        at[n++] = place(t, m, 1);
    }
    bool torn = q->mode[f->row].extent % c->tile[f->row] != 0;
    const struct hole holes[] = {
        {"coordinates", 0, text_coordinates(t, q, c)},
        {"digits", 0, digits(t)},
        {"shared", 0, text_shared(t, q, c)},
        {"put", 0, put_tiled(t, c)},
        {"wr", 0, text_tiled(t, q, &c->wr, false, "universal", c->wr.vector * q->type->bits, h.st)},
        {"type", 0, q->type->name},
        {"values", 0, text_numbers(t, q->rank, c->rd.val)},
        {"strides", 0, fragment_strides(t, c)},
        {"rows", c->rd.val[f->row], NULL},
        {"row", 0, place(t, f->row, c->rd.val[f->row])},
        {"slice", 0, text_slice(t, f->part, f->parts, -1, torn)},
        {"tile", 0, text_numbers(t, n, tile)},
        {"at", 0, text_tuple(t, n, at, ",")},
        {"into", 0, text_tuple(t, q->rank, into, ",")},
        {"load", 0, text_print(t, "%d%s", c->rd.vector * q->type->bits, h.ld)},
        {"pad", 0, beyond ? " pad 0" : ""},
        {"to", 0, text_part(t, q, c, t->names->dst)},
        {0}};
    return text_fill(t, flat_body, holes);
}

const char *flat_reason(const struct text *t) {
    const char *modes = "// Modes ";
    for (int i = 0; i < t->row->parts; ++i)
        modes = text_print(t, "%s%s%d", modes,
                           i == 0                  ? ""
                           : i < t->row->parts - 1 ? ", "
                                                   : " and ",
                           t->row->part[i]);
    return text_print(t,
                      "%s follow one another in the destination. A tile is a part of the row that "
                      "they form together.\n",
                      modes);
}

static const char *reasons(const struct text *t) {
    const struct choice *c = &t->of->tile.c;
    const struct hints h = flat_hints(t->row, c);
    const char *lines[] = {
        flat_reason(t),
        "// Elements go through shared memory, read by <read> bytes and written by <written>.\n",
        "// Blocks of <vector> by <block> elements are transposed in registers.\n",
        h.why ? "// Cache hints: <hints>.\n" : NULL};
    const struct hole holes[] = {{"read", c->rd.vector * bytes_of(t->r, true), NULL},
                                 {"written", c->wr.vector * bytes_of(t->r, false), NULL},
                                 {"vector", c->rd.vector, NULL},
                                 {"block", c->block, NULL},
                                 {"hints", 0, h.why},
                                 {0}};
    return text_lines(t, lines, sizeof lines / sizeof *lines, holes);
}

const struct form form_flat = {choose_flat, how, reasons, grid, body};
