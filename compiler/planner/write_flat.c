// The form of a flat tile (see flat.h).
#include <inttypes.h>

#include "planner/form.h"

static void choose_flat(struct candidates *list) {
    struct chosen *found = memory_new(RELAYOUT_CANDIDATES * sizeof *found);
    int n = list->has_row ? choose(&list->row.r, true, found, list->most) : 0, at = 0;
    for (int i = 0; i < n; ++i) {
        int64_t cost = flat_cost(&list->row, &found[i]);
        struct candidate c = {&form_flat, found[i].c.threads, cost, true, .tile = found[i]};
        while (at < list->n && list->of[at].cost <= cost) ++at;
        candidates_add(list, at++, &c);
    }
    memory_free(found);
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
        text = text_print(t, "%s  let t%d$ = tid", text, m);
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
    if (!tiled && !among) return "0";
    const char *block = !tiled    ? ""
                        : thr > 1 ? text_print(t, "%" PRId64 "*c%d$", thr, m)
                                  : text_print(t, "c%d$", m);
    const char *thread = !among      ? ""
                         : times > 1 ? text_print(t, "%" PRId64 "*t%d$", times, m)
                                     : text_print(t, "t%d$", m);
    return text_print(t, "%s%s%s", block, tiled && among ? " + " : "", thread);
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

const char *flat_modes(const struct text *t) {
    const char *modes = "";
    int n = t->row->parts;
    for (int i = 0; i < n; ++i)
        modes = text_print(t, "%s%s%d", modes,
                           i == 0      ? ""
                           : i < n - 1 ? ", "
                                       : " and ",
                           t->row->part[i]);
    return modes;
}

static const struct hole *holes(const struct text *t) {
    const struct flat *f = t->row;
    const struct relayout *q = &f->r;
    const struct choice *c = &t->of->tile.c;
    const struct hints h = flat_hints(f, c);
    const char *at[RELAYOUT_MODES], *into[RELAYOUT_MODES];
    int64_t tile[RELAYOUT_MODES];
    int n = 0, bits = q->type->bits;
    bool beyond = q->shorter, torn = q->mode[f->row].extent % c->tile[f->row] != 0;
    for (int m = 0; m < q->rank; ++m) {
        into[m] = m == f->row ? "i$" : "_";
        if (m == f->row) continue;
        beyond |= q->mode[m].extent % c->tile[m] != 0;
        tile[n] = c->rd.val[m];
        at[n++] = place(t, m, 1);
    }
    const struct hole all[] = {
        {"parts", f->parts, NULL},
        {"choice", 0, text_choice(t, q, c)},
        {"modes", 0, flat_modes(t)},
        {"read", c->rd.vector * bytes_of(q, true), NULL},
        {"written", c->wr.vector * bytes_of(q, false), NULL},
        {"vector", c->rd.vector, NULL},
        {"block", c->block, NULL},
        {"hints", 0, h.why ? text_print(t, "// Cache hints: %s.\n", h.why) : ""},
        {"tiles", 0, text_blocks(t, q, c)},
        {"coordinates", 0, text_coordinates(t, q, c)},
        {"digits", 0, digits(t)},
        {"shared", 0, text_shared(t, q, c)},
        {"put", 0, put_tiled(t, c)},
        {"wr", 0, text_tiled(t, q, &c->wr, false, "universal", c->wr.vector * bits, h.st)},
        {"type", 0, q->type->name},
        {"values", 0, text_numbers(t, q->rank, c->rd.val)},
        {"strides", 0, fragment_strides(t, c)},
        {"rows", c->rd.val[f->row], NULL},
        {"row", 0, place(t, f->row, c->rd.val[f->row])},
        {"slice", 0, text_slice(t, f->part, f->parts, -1, torn)},
        {"tile", 0, text_numbers(t, n, tile)},
        {"at", 0, text_tuple(t, n, at, ",")},
        {"into", 0, text_tuple(t, q->rank, into, ",")},
        {"load", 0, text_print(t, "%d%s", c->rd.vector * bits, h.ld)},
        {"pad", 0, beyond ? " pad 0" : ""},
        {"part", 0, text_part(t, q, c)},
        {0}};
    return text_keep(t, all);
}

const struct form form_flat = {
    .choose = choose_flat,
    .holes = holes,
    .how = "<parts> modes in a row, <choice>",
    .reasons = FLAT_ROW
    "// Elements go through shared memory, read by <read> bytes and written by <written>.\n"
    "// Blocks of <vector> by <block> elements are transposed in registers.\n<hints>",
    .grid = "<tiles>",
    .body = "<coordinates><digits><shared>"
            "  let put$ = <put>;\n"
            "  let wr$ = <wr>;\n"
            "  frag r$ : <type> <values>:<strides>;\n"
            "  for i$ in 0 .. <rows> {\n"
            "    let e$ = <row> + i$;\n"
            "    copy local_tile(<slice>, <tile>, <at>) -> r$<into> with universal(<load>)<pad>;\n"
            "  }\n"
            "  copy r$ -> s$ with put$;\n"
            "  copy s$ -> local_tile(<dst>, <part>) with wr$;\n",
};
