// The form of a skewed tile (see skew.h).
#include <inttypes.h>
#include <string.h>

#include "image/elem.h"
#include "planner/form.h"

// Whether a skewed candidate for a row of modes may be the first: if the row cannot be written by
// words.
static bool narrow_row(const struct flat *f) {
    return vector_along(&f->r, f->row, false) * bytes_of(&f->r, false) < LOAD_WORD;
}

static void choose_skewed(struct candidates *list) {
    struct candidate c = {.form = &form_skew};
    if (!skew_choose(list->r, false, &c.skewed)) {
        if (!list->has_row || !skew_choose(&list->row.r, true, &c.skewed)) return;
        c.in_row = true;
    }
    c.cost = skew_cost(&c.skewed);
    c.threads = c.skewed.threads;
    // it is the first if it costs less than all others, otherwise the second
    bool first = !c.in_row || narrow_row(&list->row);
    for (int i = 0; i < list->n; ++i) first &= c.cost < list->of[i].cost;
    int at = first ? 0 : 1;
    candidates_add(list, at, &c);
    // the one after it is the same with cp.async
    if (!c.in_row && skew_async(list->r, &c.skewed)) candidates_add(list, at + 1, &c);
}

static const struct relayout *sides(const struct text *t) {
    return t->row ? &t->row->r : t->r;
}

static const char *how(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    return text_print(t,
                      "windows of %" PRId64 ", %" PRId64 " across, %d threads, %d and %d bytes, "
                      "shared memory%s",
                      k->window, k->across, k->threads, k->load * bytes_of(t->r, true),
                      k->vector * bytes_of(t->r, false), k->async ? " by cp.async" : "");
}

// A tuple of all modes: "at_y", "at_x", and "other" for the rest.
static const char *tuple(const struct text *t, const char *other, const char *at_y,
                         const char *at_x) {
    const struct skewed *k = &t->of->skewed;
    const char *each[RELAYOUT_MODES];
    int rank = sides(t)->rank;
    for (int m = 0; m < rank; ++m) each[m] = m == k->y ? at_y : m == k->x ? at_x : other;
    return text_tuple(t, rank, each, ",");
}

static const char *numbers(const struct text *t, const char *other, int64_t y, int64_t x) {
    return tuple(t, other, text_print(t, "%" PRId64, y), text_print(t, "%" PRId64, x));
}

static bool tiled_x(const struct text *t) {
    return skew_tiles_x(sides(t), &t->of->skewed) > 1;
}

static bool tiled_y(const struct text *t) {
    return skew_tiles_y(sides(t), &t->of->skewed) > 1;
}

// The tile with that number along mode "m"; 0 if there is only one.
static const char *tile_of(const struct text *t, int m) {
    const struct skewed *k = &t->of->skewed;
    bool several = m == k->y ? tiled_y(t) : m == k->x ? tiled_x(t) : sides(t)->mode[m].extent > 1;
    return several ? text_print(t, "c%d%s", m, t->end) : "0";
}

// "(1,Y,X), (c0,AT_Y,AT_X)", the end of a local_tile.
static const char *tile_end(const struct text *t, int64_t y, int64_t x, const char *at_y,
                            const char *at_x) {
    const struct skewed *k = &t->of->skewed;
    const char *at[RELAYOUT_MODES];
    int rank = sides(t)->rank;
    for (int m = 0; m < rank; ++m) at[m] = m == k->y ? at_y : m == k->x ? at_x : tile_of(t, m);
    return text_print(t, "%s, %s", numbers(t, "1", y, x), text_tuple(t, rank, at, ","));
}

// The same for a view that is already the block's.
static const char *part_end(const struct text *t, int64_t y, int64_t x, const char *at_y,
                            const char *at_x) {
    return text_print(t, "%s, %s", numbers(t, "1", y, x), tuple(t, "0", at_y, at_x));
}

// cp.async counts bytes, others count bits.
static const char *atom(const struct text *t, const char *atom, int elements, const int64_t thr[2],
                        const int64_t val[2], bool x_first) {
    int bits = elements * t->r->type->bits;
    int64_t by_y = x_first ? thr[1] : 1, by_x = x_first ? 1 : thr[0];
    const char *values = "";
    const char *threads = text_print(t, "tile(%s(%d), thr=%s:%s", atom,
                                     strcmp(atom, "universal") == 0 ? bits : bits / 8,
                                     numbers(t, "1", thr[0], thr[1]),
                                     numbers(t, "0", thr[0] > 1 ? by_y : 0, thr[1] > 1 ? by_x : 0));
    if (val) {
        by_y = x_first && t->of->skewed.load > 1 ? val[1] : 1;
        by_x = x_first && t->of->skewed.load > 1 ? 1 : val[0];
        values = text_print(t, ", val=%s:%s", numbers(t, "1", val[0], val[1]),
                            numbers(t, "0", val[0] > 1 ? by_y : 0, val[1] > 1 ? by_x : 0));
    }
    return text_print(t, "%s%s)", threads, values);
}

static const char *tiled(const struct text *t, int elements, const int64_t thr[2],
                         const int64_t val[2], bool x_first) {
    return atom(t, "universal", elements, thr, val, x_first);
}

// Gives modes besides x and y separate coordinates of the grid.  The digits of one number might be
// recombined in an offset, so that the begin of a window would not cancel out.
static const char *coordinates(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    const struct hole holes[] = {
        {"x", k->x, NULL}, {"y", k->y, NULL}, {"tiles", skew_tiles_y(sides(t), k), NULL}, {0}};
    const char *lines[] = {tiled_y(t) && tiled_x(t) ? "  let c<y>$ = block.x % <tiles>;\n"
                           : tiled_y(t)             ? "  let c<y>$ = block.x;\n"
                                                    : NULL,
                           tiled_y(t) && tiled_x(t) ? "  let c<x>$ = block.x / <tiles>;\n"
                           : tiled_x(t)             ? "  let c<x>$ = block.x;\n"
                                                    : NULL};
    const char *text = text_lines(t, lines, 2, holes);
    char axis = 'y';
    for (int m = sides(t)->rank - 1; m >= 0; --m)
        if (m != k->x && m != k->y)
            text = text_print(t, "%s  let c%d%s = block.%c;\n", text, m, t->end, axis++);
    return text;
}

static const char *grid(const struct text *t) {
    const struct relayout *r = sides(t);
    const struct skewed *k = &t->of->skewed;
    int64_t all[RELAYOUT_MODES] = {skew_tiles_x(r, k) * skew_tiles_y(r, k)};
    int n = 1;
    for (int m = r->rank - 1; m >= 0; --m)
        if (m != k->x && m != k->y) all[n++] = r->mode[m].extent;
    return text_numbers(t, n, all);
}

// The misalignment of the block's first row in the destination; NULL: it is always aligned.
static const char *late(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    return text_phase(t, sides(t), k->x, k->y, false, k->step);
}

// The distance from the begin of row "row" of the tile, one of "rows", to an element at a multiple
// of "step", in 0 .. step; with "from" the first row begins there.  Expressions without quotients
// are proven faster.
static const char *distance(const struct text *t, const char *row, int64_t rows, const char *from,
                            int64_t pitch, int step) {
    int64_t rest = pitch % step;
    const char *far = rest == 0   ? "0"
                      : rest == 1 ? row
                                  : text_print(t, "%" PRId64 "*%s", rest, row);
    if (from) far = text_print(t, "(%s + %s%s)", far, from, t->end);
    if (!from && rest == 0) return "0";
    if (!from && rows <= step && rest == step - 1) return row;
    if (!from && rows <= step && rest == 1) return text_print(t, "%d - %s", step, row);
    return text_print(t, "(%s + %d) / %d * %d - %s", far, step - 1, step, step, far);
}

static const char *rows_from(const struct text *t) {
    return tiled_y(t) ? text_fill(t, "<window>*c<y>$ .. <extent>", NULL) : "_";
}

// The tile in shared memory without the rows before its first one.
static const char *held_rows(const struct text *t) {
    return late(t) ? text_fill(t, "u$ .. u$ + <rows>", NULL) : "_";
}

static const char elements_body[] = "  let rd$ = <rd>;\n"
                                    "  frag r$ : <type> like rd$;\n"
                                    "  copy local_tile(<src><range>, <end>) -> r$ with rd$ pad 0;\n"
                                    "  copy r$ -> s$<held> with rd$;\n";

static const char *read_elements(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    int64_t thr[] = {k->threads / k->columns, k->columns};
    int64_t val[] = {skew_rows(k) / thr[0], k->across / k->columns};
    const struct hole holes[] = {{"rd", 0, tiled(t, 1, thr, val, true)},
                                 {"range", 0, tiled_y(t) ? tuple(t, "_", rows_from(t), "_") : ""},
                                 {"end", 0,
                                  tile_end(t, skew_rows(k), k->across, "0", tile_of(t, k->x))},
                                 {"held", 0, late(t) ? tuple(t, "_", held_rows(t), "_") : ""},
                                 {0}};
    return text_fill(t, elements_body, holes);
}

static const char row_body[] =
    "  let put$ = <put>;\n"
    "  frag r$ : <type> <values>;\n"
    "  for i$ in 0 .. <each> {\n"
    "    let e$ = <window place><each>*(tid / <columns>) + i$;\n"
    "    copy local_tile(<slice>, <tile>, <at>) -> r$<into> with universal(<bits>) pad 0;\n"
    "  }\n"
    "  copy r$ -> s$<held> with put$;\n";

// The same for a row of modes: each thread computes the place of its elements.
static const char *read_row(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    const char *at[RELAYOUT_MODES], *into[RELAYOUT_MODES];
    int64_t thr[] = {k->threads / k->columns, k->columns}, tile[RELAYOUT_MODES];
    int64_t val[] = {skew_rows(k) / thr[0], k->across / k->columns};
    int n = 0, rank = sides(t)->rank;
    for (int m = 0; m < rank; ++m) {
        into[m] = m == k->y ? text_print(t, "i%s", t->end) : "_";
        if (m == k->y) continue;
        tile[n] = m == k->x ? val[1] : 1;
        at[n] = tile_of(t, m);
        if (m == k->x) at[n] = text_print(t, "%d*%s + tid %% %d", k->columns, at[n], k->columns);
        ++n;
    }
    const struct hole holes[] = {{"put", 0, tiled(t, 1, thr, val, true)},
                                 {"values", 0, numbers(t, "1", val[0], val[1])},
                                 {"each", val[0], NULL},
                                 {"window place", 0,
                                  tiled_y(t) ? text_fill(t, "<window>*c<y>$ + ", NULL) : ""},
                                 {"columns", k->columns, NULL},
                                 {"slice", 0, text_slice(t, t->row->part, t->row->parts, -1, true)},
                                 {"tile", 0, text_numbers(t, n, tile)},
                                 {"at", 0, text_tuple(t, n, at, ",")},
                                 {"into", 0, text_tuple(t, rank, into, ",")},
                                 {"held", 0, late(t) ? tuple(t, "_", held_rows(t), "_") : ""},
                                 {0}};
    return text_fill(t, row_body, holes);
}

// The pieces of a warp's rows.  One after the other, they take fewer registers.
static const char *piece(const struct text *t, const char *view, int n) {
    const struct skewed *k = &t->of->skewed;
    int64_t warps = k->threads / WARP;
    return text_print(t, "local_tile(local_partition(%s, %s, warp), %s)", view,
                      numbers(t, "1", warps, 1),
                      part_end(t, skew_rows(k) / warps / (k->async ? 1 : SKEW_PIECES), k->fetched,
                               text_print(t, "%d", n), "0"));
}

static const char words_head[] = "<let v>  let e$ = <e>;\n  let rd$ = <rd>;\n";
static const char words_load[] = "  frag r<n>$ : <type> like rd$;\n"
                                 "  copy <from> -> r<n>$ with rd$ pad 0;\n";
static const char words_put[] = "  copy r<n>$ -> <to> with put$;\n";
static const char words_async[] = "  copy <from> ->\n      <to>\n      with rd$ pad 0;\n";

static const char *read_words(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    const struct relayout *r = t->r;
    int64_t warps = k->threads / WARP, words = k->fetched / k->load;
    int64_t lanes = words < WARP ? words : WARP;
    int parts = k->async ? 1 : SKEW_PIECES;
    int64_t thr[] = {WARP / lanes, lanes};
    int64_t val[] = {skew_rows(k) / warps / parts / thr[0], k->fetched / lanes};
    const char *v = text_phase(t, r, k->x, k->y, true, k->load);
    const char *rd = k->async ? "cp_async.ca" : "universal";
    const struct hole begin[] = {{"before", k->first - k->load, NULL},
                                 {"behind", k->first - k->load + k->fetched, NULL},
                                 {"across", k->across, NULL},
                                 {"end", r->mode[k->x].extent, NULL},
                                 {0}};
    const char *from =
        text_fill(t,
                  tiled_x(t) ? "<across>*c<x>$ + e$ + <before> .. <end>" : "e$ + <before> .. <end>",
                  begin);
    const char *to = text_fill(t, "e$ + <before> .. e$ + <behind>", begin);
    from = text_print(t, "local_tile(%s%s, %s)", t->names->src, tuple(t, "_", rows_from(t), from),
                      tile_end(t, skew_rows(k), k->fetched, "0", "0"));
    to = text_print(t, "s%s%s", t->end, tuple(t, "_", held_rows(t), to));
    const struct hole holes[] = {
        {"let v", 0, v ? text_print(t, "  let v%s = %s;\n", t->end, v) : ""},
        {"e", 0, distance(t, "warp", warps, v ? "v" : NULL, r->mode[k->y].src, k->load)},
        {"rd", 0, atom(t, rd, k->load, thr, val, true)},
        {0}};
    const char *text = text_fill(t, words_head, holes), *puts = "";
    if (!k->async)
        text = text_print(t, "%s  let put%s = %s;\n", text, t->end, tiled(t, 1, thr, val, true));
    for (int n = 0; n < parts; ++n) {
        const struct hole one[] = {
            {"n", n, NULL}, {"from", 0, piece(t, from, n)}, {"to", 0, piece(t, to, n)}, {0}};
        text = text_print(t, "%s%s", text, text_fill(t, k->async ? words_async : words_load, one));
        if (!k->async) puts = text_print(t, "%s%s", puts, text_fill(t, words_put, one));
    }
    return text_print(t, "%s%s", text, puts);
}

// "for NAME in 0 .. N", which has no iterations except in tile 0 along "m".
static const char *for_first(const struct text *t, const char *name, int n, int m, int64_t tiles) {
    const char *loop = text_print(t, "  for %s%s in 0 .. %d", name, t->end, n);
    if (tiles > 1)
        loop = text_print(t, "%s * ((%" PRId64 " - c%d%s) / %" PRId64 ")", loop, tiles - 1, m,
                          t->end, tiles - 1);
    return text_print(t, "%s {\n", loop);
}

// The columns before all tiles.
static const char first_body[] = "<for>"
                                 "    copy local_tile(<src><columns>, <tile>) ->\n"
                                 "        local_tile(<dst><columns>, <tile>)\n"
                                 "        with <with>;\n"
                                 "  }\n";

static const char *copy_first(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    int64_t thr[] = {k->window, 1};
    while (thr[0] > k->threads) thr[0] /= 2;
    const struct hole holes[] = {
        {"for", 0, for_first(t, "j", 1, k->x, skew_tiles_x(sides(t), k))},
        {"columns", 0, tuple(t, "_", "_", text_print(t, "0 .. %" PRId64, k->first))},
        {"tile", 0, tile_end(t, k->window, k->first, tile_of(t, k->y), "0")},
        {"with", 0, tiled(t, 1, thr, NULL, false)},
        {0}};
    return text_fill(t, first_body, holes);
}

// Every "of"-th row of the tile in shared memory, from row "p" on, and from "at" on along y.
static const char *rows_of_shared(const struct text *t, const char *at, const char *p, int64_t of) {
    const struct skewed *k = &t->of->skewed;
    const char *columns =
        k->first ? text_print(t, "%" PRId64 " .. %" PRId64, k->first, k->first + k->across) : "_";
    const char *range = k->first || at ? tuple(t, "_", at ? at : "_", columns) : "";
    return text_print(t, "local_partition(s%s%s, %s, %s%s)", t->end, range, numbers(t, "1", 1, of),
                      p, t->end);
}

// The same for the destination: "extent" elements along y, in the range "range".
static const char *rows_of_dst(const struct text *t, const char *range, int64_t extent,
                               const char *p, int64_t of) {
    const struct skewed *k = &t->of->skewed;
    const char *columns =
        k->first ? text_print(t, "%" PRId64 " .. %" PRId64, k->first, sides(t)->mode[k->x].extent)
                 : "_";
    const char *part = k->first || range ? tuple(t, "_", range ? range : "_", columns) : "";
    return text_print(t, "local_partition(local_tile(%s%s, %s), %s, %s%s)", t->names->dst, part,
                      tile_end(t, extent, k->across, "0", tile_of(t, k->x)), numbers(t, "1", 1, of),
                      p, t->end);
}

static const char class_head[] = "  let p<n>$ = <warp>;\n"
                                 "  let a<n>$ = <distance>;\n";
static const char class_tiles[] = "  let get<n>$ = <get>;\n"
                                  "  let put<n>$ = <put>;\n";
static const char class_copy[] = "  copy local_tile(<from><from range>, <part>) ->\n"
                                 "      local_tile(<to><to range>, <part>)\n"
                                 "      with <put>;\n";
static const char class_async[] = "  frag q<n>_<turn>$ : <type> (<vector>,<vectors>);\n"
                                  "  copy local_tile(<from><from range>, <part>) ->\n"
                                  "      q<n>_<turn>$ with get<n>$;\n"
                                  "  copy q<n>_<turn>$ ->\n"
                                  "      local_tile(<to><to range>, <part>)\n"
                                  "      with put<n>$;\n";

// The windows of every "apart"-th row, from row "row" on.
static const char *write_class(const struct text *t, int64_t number, int64_t apart) {
    const struct skewed *k = &t->of->skewed;
    const struct relayout *r = sides(t);
    int64_t warps = k->threads / WARP, extent = r->mode[k->y].extent, rows = k->across / apart;
    int64_t across = skew_lanes(k), down = 1;
    for (int64_t d = 1; d <= WARP / across; ++d)
        if (rows % d == 0) down = d;
    int64_t thr[] = {across, down}, val[] = {k->vector, 1}, turns = k->async ? rows / down : 1;
    const char *p = text_print(t, "p%" PRId64, number), *row = text_print(t, "%s%s", p, t->end);
    const char *begin = late(t) ? text_print(t, "u%s + ", t->end) : "";
    const char *tile = tiled_y(t) ? text_fill(t, "<window>*c<y>$ + ", NULL) : "";
    const char *a = text_print(t, "a%" PRId64 "%s", number, t->end);
    const char *held =
        text_print(t, "%s%s .. %" PRId64, begin, a, skew_rows(k) + (late(t) ? k->step : 0));
    const char *written = text_print(t, "%s%s .. %" PRId64, tile, a, extent);
    const struct hole holes[] = {
        {"n", number, NULL},
        {"warp", 0, number ? text_print(t, "warp + %" PRId64, number * warps) : "warp"},
        {"distance", 0, distance(t, row, apart, late(t) ? "t" : NULL, r->mode[k->x].dst, k->step)},
        {"get", 0, tiled(t, 1, thr, val, false)},
        {"put", 0, tiled(t, k->vector, thr, val, false)},
        {"vector", k->vector, NULL},
        {"vectors", k->window / across / k->vector, NULL},
        {"from", 0, rows_of_shared(t, NULL, p, apart)},
        {"from range", 0, tuple(t, "_", held, "_")},
        {"to", 0, rows_of_dst(t, NULL, extent, p, apart)},
        {"to range", 0, tuple(t, "_", written, "_")},
        {0}};
    const char *lines[] = {class_head, k->async ? class_tiles : NULL};
    const char *text = text_lines(t, lines, 2, holes);
    for (int64_t n = 0; n < turns; ++n) {
        const char *turn = text_print(t, "%" PRId64, n);
        struct text with = *t;
        const struct hole one[] = {{"type", 0, r->type->name},
                                   {"turn", n, NULL},
                                   {"part", 0, part_end(t, k->window, rows / turns, "0", turn)},
                                   {0}};
        with.hole = one;
        text = text_print(t, "%s%s", text,
                          text_fill(&with, k->async ? class_async : class_copy, holes));
    }
    return text;
}

// What is before the first window of each row.
static const char heads_body[] = "<for>"
                                 "    let b$ = <distance>;\n"
                                 "    copy local_tile(<from>, <part>) ->\n"
                                 "        <to>\n"
                                 "        with <with>;\n"
                                 "  }\n";

static const char *write_heads(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    const struct relayout *r = sides(t);
    int64_t rows = k->across / k->step, thr[] = {k->step, k->threads / k->step};
    if (thr[1] > rows) thr[1] = rows;
    while (rows % thr[1]) --thr[1];
    const char *row = text_print(t, "i%s", t->end);
    const char *at = late(t) ? text_fill(t, "u$ .. u$ + <step>", NULL) : NULL;
    const struct hole holes[] = {
        {"for", 0, for_first(t, "i", k->step, k->y, skew_tiles_y(r, k))},
        {"distance", 0,
         distance(t, row, skew_apart(k), late(t) ? "t" : NULL, r->mode[k->x].dst, k->step)},
        {"from", 0, rows_of_shared(t, at, "i", k->step)},
        {"part", 0, part_end(t, k->step, rows, "0", "0")},
        {"to", 0, rows_of_dst(t, text_print(t, "0 .. b%s", t->end), k->step, "i", k->step)},
        {"with", 0, tiled(t, 1, thr, NULL, false)},
        {0}};
    return text_fill(t, heads_body, holes);
}

static const char phase_lines[] = "  let t$ = <t>;\n"
                                  "  let u$ = t$ - t$ / <step> * <step>;\n";

static const char *body(const struct text *given) {
    const struct relayout *r = sides(given);
    const struct skewed *k = &given->of->skewed;
    int64_t apart = skew_apart(k), warps = k->threads / WARP;
    struct text with = *given;
    const struct text *t = &with;
    const char *phase = late(t);
    const struct hole holes[] = {
        {"x", k->x, NULL},
        {"y", k->y, NULL},
        {"t", 0, phase},
        {"step", k->step, NULL},
        {"window", k->window, NULL},
        {"rows", skew_rows(k), NULL},
        {"extent", r->mode[k->y].extent, NULL},
        {"type", 0, r->type->name},
        {"bits", r->type->bits, NULL},
        {"room", 0, numbers(t, "1", skew_rows(k) + (phase ? k->step : 0), k->first + k->fetched)},
        {"strides", 0, numbers(t, "0", k->async ? k->pitch : 1, k->async ? 1 : k->pitch)},
        {0}};
    with.hole = holes;
    const char *lines[] = {coordinates(t), phase ? phase_lines : NULL,
                           "  shared s$ : <type> <room>:<strides>;\n",
                           t->row        ? read_row(t)
                           : k->load > 1 ? read_words(t)
                                         : read_elements(t),
                           k->first ? copy_first(t) : NULL};
    const char *text = text_lines(t, lines, sizeof lines / sizeof *lines, NULL);
    for (int64_t n = 0; n * warps < apart; ++n)
        text = text_print(t, "%s%s", text, write_class(t, n, apart));
    return text_print(t, "%s%s", text, write_heads(t));
}

static const char *reasons(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    int es = t->r->type->bits / 8;
    const struct hole holes[] = {{"x", k->x, NULL},
                                 {"y", k->y, NULL},
                                 {"how", 0, k->async ? "copied asynchronously" : "read"},
                                 {"read", k->load * es, NULL},
                                 {"written", k->vector * es, NULL},
                                 {"window", k->window, NULL},
                                 {"step", k->step * es, NULL},
                                 {0}};
    const char *lines[] = {
        t->row ? flat_reason(t) : NULL,
        "// Mode <x> is the fast one of the source, mode <y> of the destination, whose rows begin "
        "at any element.\n"
        "// Elements go through shared memory, <how> by <read> bytes and written by <written>: in "
        "each row of a tile\n// a window of <window> elements that begins at a multiple of <step> "
        "bytes.\n"};
    return text_lines(t, lines, 2, holes);
}

const struct form form_skew = {choose_skewed, how, reasons, grid, body};
