// The form of a torn tile (see torn.h).
#include <inttypes.h>

#include "planner/form.h"

// Whether a tile is faster, by its widths (bench/results/relayout-params.md): wide on both sides, or read by
// 16 bytes where a window of halves is longer than some rows.
static bool is_wide(const struct candidate *c, int bytes) {
    if (c->form != &form_tile) return false;
    const struct choice *t = &c->tile.c;
    int read = t->rd.vector * bytes, write = t->way == WAY_STAGED ? t->wr.vector * bytes : read;
    return (read < write ? read : write) >= (bytes == 1 ? WIDE / 2 : WIDE) ||
           (bytes == 2 && read == WIDE);
}

enum { LATER = 8, LESS = 95 };  // percent

// By params it is the first or the second candidate.  By numbers it is the first one if it costs less than
// a tile that is not skewed by some percent (bench/results/relayout-params.md), otherwise a later one.
static void choose_torn(struct candidates *list) {
    const struct candidate *first = list->n ? &list->of[0] : NULL;
    struct candidate c = {.form = &form_torn};
    if (!torn_choose(list->r, &c.torn)) return;
    c.threads = c.torn.c.threads;
    c.cost = c.torn.cost;
    int at = first && is_wide(first, bytes_of(list->r, true));
    if (!list->r->usual && first) {
        bool less = first->form != &form_skew && c.cost < first->cost / 100 * LESS;
        at = less && !c.torn.few ? 0 : LATER;
    }
    candidates_add(list, at, &c);
}

// The number of tiles along x or y; windows may begin an access before the first element.
static const char *tiles_text(const struct text *t, int m) {
    const struct torn *k = &t->of->torn;
    const char *extent = text_number(t, &t->r->mode[m], RELAYOUT_EXTENT);
    if (m == k->y) extent = text_print(t, "%s + %d", extent, k->store);
    return text_print(t, "ceil_div(%s,%" PRId64 ")", extent, k->c.tile[m]);
}

// Tiles along y follow one another, so that their windows' ends meet in the caches.  Other modes have axes of
// their own.  "grid": the extents of the axes; otherwise the coordinates.
static const char *blocks_text(const struct text *t, bool grid) {
    const struct torn *k = &t->of->torn;
    const char *y = tiles_text(t, k->y), *x = tiles_text(t, k->x);
    char axis = 'y';
    const char *all =
        grid ? text_print(t, "(%s*%s", y, x)
             : text_print(t, "  let c%d$ = block.x %% %s;\n  let c%d$ = block.x / %s;\n", k->y, y,
                          k->x, y);
    for (int m = t->r->rank - 1; m >= 0; --m) {
        if (m == k->x || m == k->y || !is_tiled(t->r, &k->c, m)) continue;
        all = grid ? text_print(t, "%s, %s", all, text_number(t, &t->r->mode[m], RELAYOUT_EXTENT))
                   : text_print(t, "%s  let c%d$ = block.%c;\n", all, m, axis++);
    }
    return grid ? text_print(t, "%s)", all) : all;
}

// "begin + S*c0 + N*ROW", where a row of a side begins, without what is always a multiple of "step"; the
// side's other fast mode has coordinate "row".  "" if that is always one.
static const char *begin_of(const struct text *t, bool src, int step, const char *row) {
    const struct relayout *r = t->r;
    const struct torn *k = &t->of->torn;
    const struct relayout_begin *b = &r->begin[!src];
    enum relayout_number side = src ? RELAYOUT_SRC : RELAYOUT_DST;
    const char *sum = b->text ? b->text : "";
    if (b->text && !b->at) sum = text_print(t, "(%s)", sum);
    for (int m = 0; m < r->rank; ++m) {
        bool is_row = m == (src ? k->y : k->x), other = m != k->x && m != k->y;
        const char *at = is_row                           ? row
                         : other && is_tiled(r, &k->c, m) ? text_print(t, "c%d$", m)
                                                          : "";
        if (!at[0] || divisor_of(r, exactly(&r->mode[m], side)) % step == 0) continue;
        sum = text_print(t, "%s%s%s*%s", sum, sum[0] ? " + " : "",
                         text_number(t, &r->mode[m], side), at);
    }
    return sum;
}

// A tuple of all modes: the block's in modes besides x and y.
static const char *tuple(const struct text *t, const char *at_y, const char *at_x) {
    const struct torn *k = &t->of->torn;
    const char *each[RELAYOUT_MODES];
    for (int m = 0; m < t->r->rank; ++m)
        each[m] = m == k->y                  ? at_y
                  : m == k->x                ? at_x
                  : is_tiled(t->r, &k->c, m) ? text_print(t, "c%d$", m)
                                             : "0";
    return text_tuple(t, t->r->rank, each, ", ");
}

static const char load_piece[] =
    "  frag r<n>$ : <type> like rd$;\n"
    "  copy local_partition(<src><words>, (<warps>,1), warp) -> r<n>$ with rd$ pad 0;\n";
static const char put_piece[] =
    "  copy r<n>$ -> local_partition(s$(_, <from> .. <end>), (<warps>,1), warp) with rd$;\n";

static const struct hole *holes(const struct text *t) {
    const struct torn *k = &t->of->torn;
    const struct relayout *r = t->r;
    int64_t window = k->c.tile[k->y], across = k->c.tile[k->x], warps = k->c.threads / LANES;
    int64_t chunks = window / k->store, down = k->c.threads / chunks, lane = LANES * k->load;
    int bits = r->type->bits;
    const char *y = text_print(t, "%" PRId64 "*c%d$", window, k->y);
    const char *x = text_print(t, "%" PRId64 "*c%d$", across, k->x);
    const char *late = begin_of(t, true, k->load, "warp"), *loads = "", *puts = "";
    const char *rows =
        text_print(t, "%s - %d .. %s + %" PRId64, y, k->store, y, k->rows - k->store);
    for (int n = 0; n * lane < k->columns; ++n) {
        int64_t from = n * lane, end = from + lane;
        const char *at = text_print(t, "%s%s", x, late[0] ? " - v$" : "");
        const struct hole piece[] = {
            {"n", n, NULL},
            {"from", from, NULL},
            {"end", end, NULL},
            {"words", 0,
             tuple(t, rows, text_print(t, "%s + %" PRId64 " .. %s + %" PRId64, at, from, at, end))},
            {"warps", warps, NULL},
            {"type", 0, r->type->name},
            {0}};
        loads = text_print(t, "%s%s", loads, text_fill(t, load_piece, piece));
        puts = text_print(t, "%s%s", puts, text_fill(t, put_piece, piece));
    }
    const char *row = begin_of(t, false, k->store, "p$");
    const struct hole all[] = {
        {"fast x", k->x, NULL},
        {"fast y", k->y, NULL},
        {"type", 0, r->type->name},
        {"word", k->load * bits / 8, NULL},
        {"written", k->store * bits / 8, NULL},
        {"window", window, NULL},
        {"across", across, NULL},
        {"tiles", 0, blocks_text(t, true)},
        {"coordinates", 0, blocks_text(t, false)},
        {"store", k->store, NULL},
        {"store bits", k->store * bits, NULL},
        {"bits", bits, NULL},
        {"groups", k->rows / k->store, NULL},
        {"columns", k->columns, NULL},
        {"part", k->part, NULL},
        {"pitch", k->pitch, NULL},
        {"let v", 0, late[0] ? text_print(t, "  let v$ = (%s) %% %d;\n", late, k->load) : ""},
        {"word bits", k->load * bits, NULL},
        {"each", k->rows / warps, NULL},
        {"load", k->load, NULL},
        {"step", k->load, NULL},
        {"loads", 0, loads},
        {"puts", 0, puts},
        {"chunks", chunks, NULL},
        {"down", down, NULL},
        {"turns", across / down, NULL},
        {"begin", 0,
         row[0] ? text_print(t, "%d - (%s + %d) %% %d", k->store - 1, row, k->store - 1, k->store)
                : "0"},
        {"late", 0,
         late[0] ? text_print(t, "(%s) %% %d + ", begin_of(t, true, k->load, "e$"), k->load) : ""},
        {"range", 0,
         tuple(t,
               text_print(t, "%s + a$ - %d .. %s + a$ + %" PRId64, y, k->store, y,
                          window - k->store),
               "_")},
        {"column", 0, text_print(t, "%s + n$", x)},
        {"threads", k->c.threads, NULL},
        {0}};
    return text_keep(t, all);
}

const struct form form_torn = {
    .choose = choose_torn,
    .holes = holes,
    .how = "windows of <window>, <across> across, rows of any length, <threads> threads, <word> "
           "and <written> bytes, "
           "shared memory",
    .reasons =
        "// Mode <fast x> is the fast one of the source, mode <fast y> of the destination. Rows of "
        "both may begin "
        "at any element.\n"
        "// Elements go through shared memory, read by <word> bytes and written by <written>: in "
        "each row of a tile\n// a window of <window> elements that begins at a multiple of "
        "<written> bytes.\n",
    .grid = "<tiles>",
    .body = "<coordinates>"
            "  shared s$ : <type> ((<store>,<groups>),<columns>):((<part>,<pitch>),1);\n"
            "<let v>"
            "  let rd$ = tile(universal(<word bits>), thr=(1,32):(0,1), "
            "val=(<each>,<load>):(<step>,1));\n"
            "<loads><puts>"
            "  let p$ = tid / <chunks>;\n"
            "  let t$ = tid % <chunks>;\n"
            "  let a$ = <begin>;\n"
            "  for j$ in 0 .. <turns> {\n"
            "    let n$ = <down>*j$ + p$;\n"
            "    frag q$ : <type> (<store>);\n"
            "    for i$ in 0 .. <store> {\n"
            "      let e$ = a$ + <store>*t$ + i$;\n"
            "      let x$ = <late>n$;\n"
            "      copy s$(e$, x$ .. x$ + 1) -> q$(i$ .. i$ + 1) with universal(<bits>);\n"
            "    }\n"
            "    copy q$ -> local_tile(<dst><range>, (<store>,1), (t$, <column>))\n"
            "        with universal(<store bits>);\n"
            "  }\n",
};
