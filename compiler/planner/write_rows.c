// The form of a window of a row (see rows.h).
#include <inttypes.h>

#include "planner/form.h"

static void choose_rows(struct candidates *list) {
    struct rows found[ROWS_MOST];
    int n = rows_choose(list->r, found);
    for (int i = 0; i < n; ++i) {
        struct candidate c = {&form_rows, rows_threads(&found[i]), .rows = found[i]};
        candidates_add(list, i, &c);
    }
}

// A tuple of all modes: "along" for the fast one, "other" for the rest.
static const char *tuple(const struct text *t, const char *other, const char *along) {
    const char *each[RELAYOUT_MODES];
    for (int m = 0; m < t->r->rank; ++m) each[m] = m == t->of->rows.f ? along : other;
    return text_tuple(t, t->r->rank, each, ",");
}

static const char *extents(const struct text *t, int64_t along) {
    return tuple(t, "1", text_print(t, "%" PRId64, along));
}

// "(1,1,N), (c0,c1,..)", the end of a local_tile of "along" elements of the block's row: those of
// the block's window, or with "only" of a row without windows.
static const char *tile_end(const struct text *t, int64_t along, bool only) {
    const struct rows *k = &t->of->rows;
    const char *at[RELAYOUT_MODES];
    for (int m = 0; m < t->r->rank; ++m)
        at[m] = m == k->f && (only || rows_windows(t->r, k) == 1) ? "0" : text_print(t, "c%d$", m);
    return text_print(t, "%s, %s", extents(t, along), text_tuple(t, t->r->rank, at, ","));
}

// The number of blocks along mode "m".
static int64_t blocks_along(const struct relayout *r, const struct rows *k, int m) {
    return m == k->f ? rows_windows(r, k) : r->mode[m].extent;
}

// Sets "all" to the number of blocks along each axis, and "axis" to that of each mode.  Returns the
// number of axes.
static int axes(const struct text *t, int axis[RELAYOUT_MODES], int64_t all[AXES]) {
    int n = 1;
    if (!rows_axes(t->r, &t->of->rows, axis)) BUG("a grid that was there");
    for (int a = 0; a < AXES; ++a) all[a] = 1;
    for (int m = 0; m < t->r->rank; ++m) {
        all[axis[m]] *= blocks_along(t->r, &t->of->rows, m);
        if (axis[m] >= n) n = axis[m] + 1;
    }
    return n;
}

// "let c0 = block.x % ..".  A coordinate counts windows first, then rows in the order of the
// destination.
static const char *coordinates(const struct text *t) {
    const struct relayout *r = t->r;
    int order[RELAYOUT_MODES], axis[RELAYOUT_MODES];
    int64_t all[AXES], by[AXES] = {1, 1, 1};
    const char *text = "";
    order_of(r, false, order);  // the first one is the fast mode
    axes(t, axis, all);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i], a = axis[m];
        int64_t n = blocks_along(r, &t->of->rows, m);
        if (n == 1) continue;
        text = text_print(t, "%s  let c%d$ = block.%c", text, m, "xyz"[a]);
        if (by[a] > 1) text = text_print(t, "%s / %" PRId64, text, by[a]);
        by[a] *= n;
        if (by[a] < all[a]) text = text_print(t, "%s %% %" PRId64, text, n);
        text = text_print(t, "%s;\n", text);
    }
    return text;
}

// A tiled copy with "times" accesses of "vector" elements, or as many narrower ones, for each
// thread.
static const char *tiled(const struct text *t, int elements, int threads, int vector, int times) {
    return text_print(t, "tile(universal(%d), tv=(%d,(%d,%d)):(%d,(1,%d)), tile=%s)",
                      elements * t->r->type->bits, threads, vector, times, vector, threads * vector,
                      extents(t, (int64_t)threads * vector * times));
}

// "along" elements of a tensor from the begin of the block's window on, or from "before" on.
static const char *window(const struct text *t, int64_t along, const char *before) {
    const struct rows *k = &t->of->rows;
    bool skewed = k->step > 1;
    const char *part =
        skewed ? tuple(t, "_", text_print(t, "<begin>a$%s .. <extent>", before)) : "";
    return text_print(t, "%s, %s", part, tile_end(t, along, skewed));
}

// How far the block's row begins after an aligned element, the distance of its first window from
// its begin, and how far the source's window begins before that.
static const char skew[] = "<let e>  let a$ = <a>;\n<let d>";
static const char skew_staged[] = "<let u>  let v$ = a$<plus u>;\n"
                                  "  let d$ = v$ - v$ / <load> * <load>;\n";
// What is before the first window is copied by the block that has that window.
static const char heads[] = "  for i$ in 0 .. 1<only> {\n"
                            "    copy local_tile(<src><head>) ->\n"
                            "        local_tile(<dst><head>)\n"
                            "        with tile(universal(<bits>), thr=<head threads>);\n  }\n";
// As wide on both sides; with different widths; through shared memory.
static const char even[] = "  let rd$ = <rd>;\n"
                           "  copy local_tile(<src><from>) ->\n"
                           "      local_tile(<dst><to>) with rd$;\n";
static const char uneven[] = "  let rd$ = <rd>;\n"
                             "  let wr$ = <wr>;\n"
                             "  frag r$ : <type> like rd$;\n"
                             "  copy local_tile(<src><from>) -> r$ with rd$<pad>;\n"
                             "  copy r$ ->\n      local_tile(<dst><to>) with wr$;\n";
static const char staged[] = "  shared s$ : <type> <room>:<strides>;\n"
                             "  let rd$ = <rd>;\n"
                             "  let get$ = <get>;\n"
                             "  let wr$ = <wr>;\n"
                             "  frag r$ : <type> like get$;\n"
                             "  copy local_tile(<src><from>) -> s$ with rd$ pad 0;\n"
                             "  copy s$<held> -> r$ with get$;\n"
                             "  copy r$ ->\n      local_tile(<dst><to>) with wr$;\n";

static const struct hole *holes(const struct text *t) {
    const struct rows *k = &t->of->rows;
    int es = bytes_of(t->r, false), axis[RELAYOUT_MODES];
    bool skewed = k->step > 1,
         ragged = skewed || t->r->shorter || t->r->mode[k->f].extent % rows_window(k);
    int64_t read = k->staged ? rows_read(k) : rows_window(k), windows = rows_windows(t->r, k);
    int64_t head_threads = rows_most_before(k) + 1, all[AXES];
    const char *e = text_phase(t, t->r, k->f, -1, false, k->step);
    const char *u = text_phase(t, t->r, k->f, -1, true, k->load);
    const char *rd = k->staged ? tiled(t, k->load, rows_threads(k), k->load, rows_loads(k))
                               : tiled(t, k->load, k->threads, k->store, k->times);
    while (head_threads > rows_threads(k)) head_threads /= 2;
    int n = axes(t, axis, all);
    const struct hole all_holes[] = {
        {"fast", k->f, NULL},
        {"way", 0, k->staged ? "through shared memory" : "straight through registers"},
        {"memory", 0, k->staged ? "shared memory" : "registers"},
        {"read", k->load * es, NULL},
        {"written", k->store * es, NULL},
        {"threads", rows_threads(k), NULL},
        {"bytes", k->store * k->times * es, NULL},
        {"window", rows_window(k), NULL},
        {"step", k->step, NULL},
        {"windows", 0,
         skewed ? text_print(t,
                             "// Rows begin at any element: in the destination a window of "
                             "<window> elements begins at a multiple of %d bytes.\n",
                             k->step * es)
                : ""},
        {"blocks", 0, text_numbers(t, n, all)},
        {"coordinates", 0, coordinates(t)},
        {"skew", 0, skewed ? skew : ""},
        {"let e", 0, e ? text_print(t, "  let e$ = %s;\n", e) : ""},
        {"a", 0, e ? "(e$ + <e more>) / <step> * <step> - e$" : "<least>"},
        {"least", rows_least_before(k), NULL},
        {"e more", rows_least_before(k) + k->step - 1, NULL},
        {"let d", 0, k->staged ? skew_staged : ""},
        {"let u", 0, u ? text_print(t, "  let u$ = %s;\n", u) : ""},
        {"plus u", 0, u ? " + u$" : ""},
        {"load", k->load, NULL},
        {"copies", 0,
         k->staged             ? staged
         : k->load == k->store ? even
                               : uneven},
        {"type", 0, t->r->type->name},
        {"room", 0, extents(t, read)},
        {"strides", 0, tuple(t, "0", "1")},
        {"rd", 0, rd},
        {"get", 0, tiled(t, 1, k->threads, k->store, k->times)},
        {"wr", 0, tiled(t, k->store, k->threads, k->store, k->times)},
        {"begin", 0, windows > 1 ? "<window>*c<fast>$ + " : ""},
        {"extent", t->r->mode[k->f].extent, NULL},
        {"from", 0, window(t, read, k->staged ? " - d$" : "")},
        {"held", 0, tuple(t, "_", "d$ .. d$ + <window>")},
        {"pad", 0, ragged ? " pad 0" : ""},
        {"to", 0, window(t, rows_window(k), "")},
        {"heads", 0, skewed ? heads : ""},
        {"only", 0, windows > 1 ? " * ((<others> - c<fast>$) / <others>)" : ""},
        {"others", windows - 1, NULL},
        {"head", 0,
         text_print(t, "%s, %s", tuple(t, "_", "0 .. a$"),
                    tile_end(t, rows_most_before(k) + 1, true))},
        {"bits", t->r->type->bits, NULL},
        {"head threads", 0, extents(t, head_threads)},
        {0}};
    return text_keep(t, all_holes);
}

const struct form form_rows = {
    .choose = choose_rows,
    .holes = holes,
    .how = "windows of <window>, <threads> threads, <read> and <written> bytes, <memory>",
    .reasons = "// Mode <fast> is the fast one of both sides.\n"
               "// Elements go <way>, read by <read> bytes and written by <written>, <bytes> bytes "
               "a thread.\n<windows>",
    .grid = "<blocks>",
    .body = "<coordinates><skew><copies><heads>",
};
