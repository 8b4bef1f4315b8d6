// The form of a skewed tile (see skew.h).
#include <inttypes.h>

#include "planner/form.h"

// Whether a skewed candidate for a row of modes may be the first: if the row cannot be written by
// words.
static bool narrow_row(const struct flat *f) {
    return vector_along(&f->r, f->row, false) * bytes_of(&f->r, false) < WORD;
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
    // the one before it is the same with cp.async
    if (!c.in_row && skew_async(list->r, &c.skewed)) candidates_add(list, at, &c);
}

static const struct relayout *sides(const struct text *t) {
    return t->row ? &t->row->r : t->r;
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
    return several ? text_print(t, "c%d$", m) : "0";
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

// ", thr=..:.., val=..:..)", the end of a tiled copy.
static const char *shares(const struct text *t, const int64_t thr[2], const int64_t val[2],
                          bool x_first) {
    int64_t by_y = x_first ? thr[1] : 1, by_x = x_first ? 1 : thr[0];
    const char *values = "";
    if (val) {
        bool across = x_first && t->of->skewed.load > 1;
        values = text_print(t, ", val=%s:%s", numbers(t, "1", val[0], val[1]),
                            numbers(t, "0", val[0] > 1 ? (across ? val[1] : 1) : 0,
                                    val[1] > 1 ? (across ? 1 : val[0]) : 0));
    }
    return text_print(t, ", thr=%s:%s%s)", numbers(t, "1", thr[0], thr[1]),
                      numbers(t, "0", thr[0] > 1 ? by_y : 0, thr[1] > 1 ? by_x : 0), values);
}

static const char *tiled(const struct text *t, int elements, const int64_t thr[2],
                         const int64_t val[2], bool x_first) {
    return text_print(t, "tile(universal(%d)%s", elements * t->r->type->bits,
                      shares(t, thr, val, x_first));
}

// Gives modes besides x and y separate coordinates of the grid.  The digits of one number might be
// recombined in an offset, so that the begin of a window would not cancel out.
static const char *coordinates(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    const char *text = text_print(t, "%s%s", tiled_y(t) ? "  let c<y>$ = block.x<by y>;\n" : "",
                                  tiled_x(t) ? "  let c<x>$ = block.x<by x>;\n" : "");
    char axis = 'y';
    for (int m = sides(t)->rank - 1; m >= 0; --m)
        if (m != k->x && m != k->y)
            text = text_print(t, "%s  let c%d$ = block.%c;\n", text, m, axis++);
    return text;
}

static const char *blocks(const struct text *t) {
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
    if (from) far = text_print(t, "(%s + %s)", far, from);
    if (!from && rest == 0) return "0";
    if (!from && rows <= step && rest == step - 1) return row;
    if (!from && rows <= step && rest == 1) return text_print(t, "%d - %s", step, row);
    return text_print(t, "(%s + %d) / %d * %d - %s", far, step - 1, step, step, far);
}

static const char elements[] = "  let rd$ = <put>;\n"
                               "  frag r$ : <type> like rd$;\n"
                               "  copy local_tile(<src><range>, <tile>) -> r$ with rd$ pad 0;\n"
                               "  copy r$ -> s$<held> with rd$;\n";
// The same for a row of modes: each thread computes the place of its elements.
static const char row_elements[] =
    "  let put$ = <put>;\n"
    "  frag r$ : <type> <values>;\n"
    "  for i$ in 0 .. <each> {\n"
    "    let e$ = <begin><each>*(tid / <columns>) + i$;\n"
    "    copy local_tile(<slice>, <tile>, <at>) -> r$<into> with universal(<bits>) pad 0;\n"
    "  }\n"
    "  copy r$ -> s$<held> with put$;\n";

static const char *read_elements(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    const char *at[RELAYOUT_MODES], *into[RELAYOUT_MODES];
    int64_t thr[] = {k->threads / k->columns, k->columns}, tile[RELAYOUT_MODES];
    int64_t val[] = {skew_rows(k) / thr[0], k->across / k->columns};
    int n = 0, rank = sides(t)->rank;
    for (int m = 0; m < rank; ++m) {
        into[m] = m == k->y ? "i$" : "_";
        if (m == k->y) continue;
        tile[n] = m == k->x ? val[1] : 1;
        at[n] = tile_of(t, m);
        if (m == k->x) at[n] = text_print(t, "%d*%s + tid %% %d", k->columns, at[n], k->columns);
        ++n;
    }
    const struct hole holes[] = {
        {"put", 0, tiled(t, 1, thr, val, true)},
        {"range", 0, tiled_y(t) ? tuple(t, "_", "<rows>", "_") : ""},
        {"held", 0, late(t) ? tuple(t, "_", "<held rows>", "_") : ""},
        {"values", 0, numbers(t, "1", val[0], val[1])},
        {"each", val[0], NULL},
        {"columns", k->columns, NULL},
        {"slice", 0, t->row ? text_slice(t, t->row->part, t->row->parts, -1, true) : ""},
        {"tile", 0,
         t->row ? text_numbers(t, n, tile)
                : tile_end(t, skew_rows(k), k->across, "0", tile_of(t, k->x))},
        {"at", 0, text_tuple(t, n, at, ",")},
        {"into", 0, text_tuple(t, rank, into, ",")},
        {0}};
    return text_fill(t, t->row ? row_elements : elements, holes);
}

static const char words[] = "<let v>"
                            "  let e$ = <e>;\n"
                            "  let rd$ = <rd>;\n"
                            "<let put><loads><puts>";
// The pieces of a warp's rows.  One after the other, they take fewer registers.
static const char load_piece[] = "  frag r<n>$ : <type> like rd$;\n"
                                 "  copy <from> -> r<n>$ with rd$ pad 0;\n";
static const char put_piece[] = "  copy r<n>$ -> <to> with put$;\n";
static const char async_piece[] = "  copy <from> ->\n"
                                  "      <to>\n"
                                  "      with rd$ pad 0;\n";
static const char piece_of_src[] = "local_tile(local_partition(local_tile(<src><words>, "
                                   "<fetched>), <warps>, warp), <piece>)";
static const char piece_of_tile[] =
    "local_tile(local_partition(s$<held words>, <warps>, warp), <piece>)";

static const char *read_words(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    int64_t warps = k->threads / LANES, each = k->fetched / k->load;
    int64_t lanes = each < LANES ? each : LANES;
    int parts = k->async ? 1 : SKEW_PIECES;
    int64_t thr[] = {LANES / lanes, lanes};
    int64_t val[] = {skew_rows(k) / warps / parts / thr[0], k->fetched / lanes};
    const char *v = text_phase(t, t->r, k->x, k->y, true, k->load), *loads = "", *puts = "";
    const char *range =
        text_print(t, "%se$ + <before> .. <width>", tiled_x(t) ? "<across>*c<x>$ + " : "");
    struct hole holes[] = {
        {"n", 0, NULL},      // the piece
        {"loads", 0, NULL},  // both are set below
        {"puts", 0, NULL},
        {"let v", 0, v ? text_print(t, "  let v$ = %s;\n", v) : ""},
        {"e", 0, distance(t, "warp", warps, v ? "v$" : NULL, t->r->mode[k->y].src, k->load)},
        {"rd", 0,
         k->async ? text_print(t, "tile(cp_async.ca(%d)%s", k->load * t->r->type->bits / 8,
                               shares(t, thr, val, true))
                  : tiled(t, k->load, thr, val, true)},
        {"let put", 0,
         k->async ? "" : text_print(t, "  let put$ = %s;\n", tiled(t, 1, thr, val, true))},
        {"before", k->first - k->load, NULL},
        {"behind", k->first - k->load + k->fetched, NULL},
        {"words", 0, tuple(t, "_", tiled_y(t) ? "<rows>" : "_", range)},
        {"held words", 0,
         tuple(t, "_", late(t) ? "<held rows>" : "_", "e$ + <before> .. e$ + <behind>")},
        {"fetched", 0, tile_end(t, skew_rows(k), k->fetched, "0", "0")},
        {"warps", 0, numbers(t, "1", warps, 1)},
        {"piece", 0, part_end(t, skew_rows(k) / warps / parts, k->fetched, "<n>", "0")},
        {"from", 0, piece_of_src},
        {"to", 0, piece_of_tile},
        {0}};
    for (int n = 0; n < parts; ++n) {
        holes[0].number = n;
        loads =
            text_print(t, "%s%s", loads, text_fill(t, k->async ? async_piece : load_piece, holes));
        if (!k->async) puts = text_print(t, "%s%s", puts, text_fill(t, put_piece, holes));
    }
    holes[1].text = loads;
    holes[2].text = puts;
    return text_fill(t, words, holes);
}

// The part of every "of"-th row of the tile in shared memory, from row "p" on, and from "at" on
// along y.
static const char *rows_of_shared(const struct text *t, const char *at, const char *p, int64_t of) {
    const struct skewed *k = &t->of->skewed;
    const char *columns = k->first ? "<first> .. <first + across>" : "_";
    return text_print(t, "local_partition(s$%s, %s, %s$)",
                      k->first || at ? tuple(t, "_", at ? at : "_", columns) : "",
                      numbers(t, "1", 1, of), p);
}

// The same for the destination: "extent" elements along y, in the range "range".
static const char *rows_of_dst(const struct text *t, const char *range, int64_t extent,
                               const char *p, int64_t of) {
    const struct skewed *k = &t->of->skewed;
    const char *columns = k->first ? "<first> .. <width>" : "_";
    return text_print(t, "local_partition(local_tile(<dst>%s, %s), %s, %s$)",
                      k->first || range ? tuple(t, "_", range ? range : "_", columns) : "",
                      tile_end(t, extent, k->across, "0", tile_of(t, k->x)), numbers(t, "1", 1, of),
                      p);
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
    int64_t warps = k->threads / LANES, extent = r->mode[k->y].extent, rows = k->across / apart;
    int64_t across = skew_lanes(k), down = 1;
    for (int64_t d = 1; d <= LANES / across; ++d)
        if (rows % d == 0) down = d;
    int64_t thr[] = {across, down}, val[] = {k->vector, 1}, turns = k->async ? rows / down : 1;
    const char *from = late(t) ? "u$ + " : "", *to = tiled_y(t) ? "<window>*c<y>$ + " : "";
    struct hole holes[] = {
        {"turn", 0, NULL},
        {"n", number, NULL},
        {"warp", 0, number ? text_print(t, "warp + %" PRId64, number * warps) : "warp"},
        {"distance", 0,
         distance(t, "p<n>$", apart, late(t) ? "t$" : NULL, r->mode[k->x].dst, k->step)},
        {"get", 0, tiled(t, 1, thr, val, false)},
        {"put", 0, tiled(t, k->vector, thr, val, false)},
        {"vector", k->vector, NULL},
        {"vectors", k->window / across / k->vector, NULL},
        {"room", skew_rows(k) + (late(t) ? k->step : 0), NULL},
        {"from", 0, rows_of_shared(t, NULL, "p<n>", apart)},
        {"from range", 0, tuple(t, "_", text_print(t, "%sa<n>$ .. <room>", from), "_")},
        {"to", 0, rows_of_dst(t, NULL, extent, "p<n>", apart)},
        {"to range", 0, tuple(t, "_", text_print(t, "%sa<n>$ .. <extent>", to), "_")},
        {"part", 0, part_end(t, k->window, rows / turns, "0", "<turn>")},
        {0}};
    const char *text = text_fill(t, class_head, holes);
    if (k->async) text = text_print(t, "%s%s", text, text_fill(t, class_tiles, holes));
    for (holes[0].number = 0; holes[0].number < turns; ++holes[0].number)
        text =
            text_print(t, "%s%s", text, text_fill(t, k->async ? class_async : class_copy, holes));
    return text;
}

// The columns before all tiles, by the blocks of the first tiles along x.
static const char first_columns[] = "  for j$ in 0 .. 1<first x> {\n"
                                    "    copy local_tile(<src><columns>, <tile>) ->\n"
                                    "        local_tile(<dst><columns>, <tile>)\n"
                                    "        with <with>;\n"
                                    "  }\n";

static const char *copy_first(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    int64_t thr[] = {k->window, 1};
    while (thr[0] > k->threads) thr[0] /= 2;
    const struct hole holes[] = {{"columns", 0, tuple(t, "_", "_", "0 .. <first>")},
                                 {"tile", 0,
                                  tile_end(t, k->window, k->first, tile_of(t, k->y), "0")},
                                 {"with", 0, tiled(t, 1, thr, NULL, false)},
                                 {0}};
    return text_fill(t, first_columns, holes);
}

// What is before the first window of each row, by the blocks of the first tiles along y.
static const char row_heads[] = "  for i$ in 0 .. <step><first y> {\n"
                                "    let b$ = <distance>;\n"
                                "    copy local_tile(<from>, <part>) ->\n"
                                "        <to>\n"
                                "        with <with>;\n"
                                "  }\n";

static const char *write_heads(const struct text *t) {
    const struct skewed *k = &t->of->skewed;
    int64_t rows = k->across / k->step, thr[] = {k->step, k->threads / k->step};
    int64_t pitch = sides(t)->mode[k->x].dst;
    const char *at = late(t) ? "u$ .. u$ + <step>" : NULL;
    if (thr[1] > rows) thr[1] = rows;
    while (rows % thr[1]) --thr[1];
    const struct hole holes[] = {
        {"distance", 0, distance(t, "i$", skew_apart(k), late(t) ? "t$" : NULL, pitch, k->step)},
        {"from", 0, rows_of_shared(t, at, "i", k->step)},
        {"part", 0, part_end(t, k->step, rows, "0", "0")},
        {"to", 0, rows_of_dst(t, "0 .. b$", k->step, "i", k->step)},
        {"with", 0, tiled(t, 1, thr, NULL, false)},
        {0}};
    return text_fill(t, row_heads, holes);
}

// " * ((N - c) / N)", which is 0 except in the first of "tiles" along mode "m".
static const char *only_first(const struct text *t, int64_t tiles, int m) {
    if (tiles == 1) return "";
    return text_print(t, " * ((%" PRId64 " - c%d$) / %" PRId64 ")", tiles - 1, m, tiles - 1);
}

static const struct hole *holes(const struct text *given) {
    const struct relayout *r = sides(given);
    const struct skewed *k = &given->of->skewed;
    int64_t apart = skew_apart(k), warps = k->threads / LANES;
    int64_t tiles_x = skew_tiles_x(r, k), tiles_y = skew_tiles_y(r, k);
    int es = r->type->bits / 8;
    struct text with = *given;
    const struct text *t = &with;
    const char *phase = late(t), *classes = "";
    const struct hole some[] = {
        {"x", k->x, NULL},
        {"y", k->y, NULL},
        {"by x", 0, tiles_y > 1 ? text_print(t, " / %" PRId64, tiles_y) : ""},
        {"by y", 0, tiles_x > 1 ? text_print(t, " %% %" PRId64, tiles_y) : ""},
        {"step", k->step, NULL},
        {"window", k->window, NULL},
        {"across", k->across, NULL},
        {"first", k->first, NULL},
        {"first + across", k->first + k->across, NULL},
        {"first x", 0, only_first(t, tiles_x, k->x)},
        {"first y", 0, only_first(t, tiles_y, k->y)},
        {"begin", 0, tiles_y > 1 ? "<window>*c<y>$ + " : ""},
        {"rows", 0, "<window>*c<y>$ .. <extent>"},
        {"held rows", 0, text_print(t, "u$ .. u$ + %" PRId64, skew_rows(k))},
        {"extent", r->mode[k->y].extent, NULL},
        {"width", r->mode[k->x].extent, NULL},
        {"type", 0, r->type->name},
        {"bits", r->type->bits, NULL},
        {0}};
    with.hole = some;
    for (int64_t n = 0; n * warps < apart; ++n)
        classes = text_print(t, "%s%s", classes, write_class(t, n, apart));
    const struct hole all[] = {
        {"fast x", k->x, NULL},
        {"fast y", k->y, NULL},
        {"modes", 0, t->row ? flat_modes(t) : ""},
        {"row", 0, t->row ? FLAT_ROW : ""},
        {"how", 0, k->async ? "copied asynchronously" : "read"},
        {"async", 0, k->async ? " by cp.async" : ""},
        {"threads", k->threads, NULL},
        {"read", k->load * es, NULL},
        {"written", k->vector * es, NULL},
        {"window", k->window, NULL},
        {"across", k->across, NULL},
        {"step", k->step, NULL},
        {"step bytes", k->step * es, NULL},
        {"blocks", 0, blocks(t)},
        {"coordinates", 0, text_fill(t, coordinates(t), NULL)},
        {"phase", 0,
         phase ? text_print(t, "  let t$ = %s;\n  let u$ = t$ - t$ / <step> * <step>;\n", phase)
               : ""},
        {"type", 0, r->type->name},
        {"room", 0, numbers(t, "1", skew_rows(k) + (phase ? k->step : 0), k->first + k->fetched)},
        {"strides", 0, numbers(t, "0", k->async ? k->pitch : 1, k->async ? 1 : k->pitch)},
        {"reads", 0, t->row || k->load == 1 ? read_elements(t) : read_words(t)},
        {"first columns", 0, k->first ? copy_first(t) : ""},
        {"classes", 0, classes},
        {"heads", 0, write_heads(t)},
        {0}};
    return text_keep(t, all);
}

const struct form form_skew = {
    .choose = choose_skewed,
    .holes = holes,
    .how = "windows of <window>, <across> across, <threads> threads, <read> and <written> bytes, "
           "shared memory<async>",
    .reasons =
        "<row>"
        "// Mode <fast x> is the fast one of the source, mode <fast y> of the destination, whose "
        "rows begin at any element.\n"
        "// Elements go through shared memory, <how> by <read> bytes and written by <written>: in "
        "each row of a tile\n// a window of <window> elements that begins at a multiple of <step "
        "bytes> bytes.\n",
    .grid = "<blocks>",
    .body = "<coordinates><phase>"
            "  shared s$ : <type> <room>:<strides>;\n"
            "<reads><first columns><classes><heads>",
};
