// The form of a window of a row (see rows.h).
#include <inttypes.h>

#include "image/elem.h"
#include "planner/form.h"

static void choose_rows(struct candidates *list) {
    struct candidate c = {.form = &form_rows};
    if (!rows_choose(list->r, &c.rows)) return;
    c.threads = rows_threads(&c.rows);
    candidates_add(list, 0, &c);
}

static const char *how(const struct text *t) {
    const struct rows *k = &t->of->rows;
    return text_print(t, "windows of %" PRId64 ", %d threads, %d and %d bytes, %s", rows_window(k),
                      rows_threads(k), k->load * bytes_of(t->r, true),
                      k->store * bytes_of(t->r, false), k->staged ? "shared memory" : "registers");
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
        at[m] = m == k->f && (only || rows_windows(t->r, k) == 1)
                    ? "0"
                    : text_print(t, "c%d%s", m, t->end);
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

static const char *grid(const struct text *t) {
    int axis[RELAYOUT_MODES];
    int64_t all[AXES];
    int n = axes(t, axis, all);
    return text_numbers(t, n, all);
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
        text = text_print(t, "%s  let c%d%s = block.%c", text, m, t->end, "xyz"[a]);
        if (by[a] > 1) text = text_print(t, "%s / %" PRId64, text, by[a]);
        by[a] *= n;
        if (by[a] < all[a]) text = text_print(t, "%s %% %" PRId64, text, n);
        text = text_print(t, "%s;\n", text);
    }
    return text;
}

// The distance of the first window from the begin of the block's row, and how far the source's
// window begins before it.
static const char *skew(const struct text *t) {
    const struct rows *k = &t->of->rows;
    const char *e = text_phase(t, t->r, k->f, -1, false, k->step);
    const char *u = text_phase(t, t->r, k->f, -1, true, k->load);
    const struct hole holes[] = {{"e", 0, e},
                                 {"u", 0, u},
                                 {"before", rows_least_before(k), NULL},
                                 {"more", rows_least_before(k) + k->step - 1, NULL},
                                 {"step", k->step, NULL},
                                 {"load", k->load, NULL},
                                 {0}};
    const char *lines[] = {e ? "  let e$ = <e>;\n  let a$ = (e$ + <more>) / <step> * <step> - e$;\n"
                             : "  let a$ = <before>;\n",
                           k->staged && u ? "  let u$ = <u>;\n" : NULL,
                           !k->staged ? NULL
                           : u        ? "  let v$ = a$ + u$;\n"
                                      : "  let v$ = a$;\n",
                           k->staged ? "  let d$ = v$ - v$ / <load> * <load>;\n" : NULL};
    return text_lines(t, lines, sizeof lines / sizeof *lines, holes);
}

// A tiled copy with "times" accesses of "vector" elements, or as many narrower ones, for each
// thread.
static const char *tiled(const struct text *t, int elements, int threads, int vector, int times) {
    return text_print(t, "tile(universal(%d), tv=(%d,(%d,%d)):(%d,(1,%d)), tile=%s)",
                      elements * t->r->type->bits, threads, vector, times, vector, threads * vector,
                      extents(t, (int64_t)threads * vector * times));
}

// "along" elements of a tensor from the begin of the block's window on, or from "before" elements
// before it, if not NULL.
static const char *window(const struct text *t, const char *tensor, int64_t along,
                          const char *before) {
    const struct rows *k = &t->of->rows;
    bool skewed = k->step > 1;
    const struct hole holes[] = {
        {"tensor", 0, tensor}, {"window", rows_window(k), NULL},          {"f", k->f, NULL},
        {"before", 0, before}, {"extent", t->r->mode[k->f].extent, NULL}, {0}};
    const char *range[] = {rows_windows(t->r, k) > 1 ? "<window>*c<f>$ + " : NULL, "a$",
                           before ? " - <before>$" : NULL, " .. <extent>"};
    const char *part = skewed ? tuple(t, "_", text_lines(t, range, 4, holes)) : "";
    return text_print(t, "local_tile(%s%s, %s)", tensor, part, tile_end(t, along, skewed));
}

static const char *head(const struct text *t, const char *tensor) {
    return text_print(t, "local_tile(%s%s, %s)", tensor,
                      tuple(t, "_", text_print(t, "0 .. a%s", t->end)),
                      tile_end(t, rows_most_before(&t->of->rows) + 1, true));
}

// What is before the first window is copied by the block that has that window.
static const char heads_body[] = "  for i$ in 0 .. 1<first> {\n"
                                 "    copy <from head> ->\n        <to head>\n"
                                 "        with tile(universal(<bits>), thr=<threads>);\n  }\n";

static const char *heads(const struct text *t) {
    const struct rows *k = &t->of->rows;
    int64_t windows = rows_windows(t->r, k), most = rows_most_before(k) + 1;
    while (most > rows_threads(k)) most /= 2;
    const char *first = windows > 1 ? text_print(t, " * ((%" PRId64 " - c%d%s) / %" PRId64 ")",
                                                 windows - 1, k->f, t->end, windows - 1)
                                    : "";
    return text_fill(t, heads_body,
                     (struct hole[]){{"first", 0, first},
                                     {"from head", 0, head(t, t->names->src)},
                                     {"to head", 0, head(t, t->names->dst)},
                                     {"bits", t->r->type->bits, NULL},
                                     {"threads", 0, extents(t, most)},
                                     {0}});
}

// As wide on both sides; with different widths; through shared memory.
static const char even_body[] = "  let rd$ = <rd>;\n"
                                "  copy <from> ->\n      <to> with rd$;\n";
static const char uneven_body[] = "  let rd$ = <rd>;\n"
                                  "  let wr$ = <wr>;\n"
                                  "  frag r$ : <type> like rd$;\n"
                                  "  copy <from> -> r$ with rd$<pad>;\n"
                                  "  copy r$ ->\n      <to> with wr$;\n";
static const char staged_body[] = "  shared s$ : <type> <room>:<strides>;\n"
                                  "  let rd$ = <rd>;\n"
                                  "  let get$ = <get>;\n"
                                  "  let wr$ = <wr>;\n"
                                  "  frag r$ : <type> like get$;\n"
                                  "  copy <from> -> s$ with rd$ pad 0;\n"
                                  "  copy s$<held> -> r$ with get$;\n"
                                  "  copy r$ ->\n      <to> with wr$;\n";

static const char *body(const struct text *t) {
    const struct rows *k = &t->of->rows;
    bool ragged = k->step > 1 || t->r->mode[k->f].extent % rows_window(k);
    const char *held = text_print(t, "d%s .. d%s + %" PRId64, t->end, t->end, rows_window(k));
    int64_t read = k->staged ? rows_read(k) : rows_window(k);
    const struct hole holes[] = {
        {"type", 0, t->r->type->name},
        {"room", 0, extents(t, read)},
        {"strides", 0, tuple(t, "0", "1")},
        {"rd", 0,
         k->staged ? tiled(t, k->load, rows_threads(k), k->load, rows_loads(k))
                   : tiled(t, k->load, k->threads, k->store, k->times)},
        {"get", 0, tiled(t, 1, k->threads, k->store, k->times)},
        {"wr", 0, tiled(t, k->store, k->threads, k->store, k->times)},
        {"from", 0, window(t, t->names->src, read, k->staged ? "d" : NULL)},
        {"held", 0, tuple(t, "_", held)},
        {"pad", 0, ragged ? " pad 0" : ""},
        {"to", 0, window(t, t->names->dst, rows_window(k), NULL)},
        {0}};
    const char *lines[] = {coordinates(t), k->step > 1 ? skew(t) : NULL,
                           k->staged             ? staged_body
                           : k->load == k->store ? even_body
                                                 : uneven_body,
                           k->step > 1 ? heads(t) : NULL};
    return text_lines(t, lines, sizeof lines / sizeof *lines, holes);
}

static const char *reasons(const struct text *t) {
    const struct rows *k = &t->of->rows;
    int es = bytes_of(t->r, false);
    const struct hole holes[] = {
        {"f", k->f, NULL},
        {"how", 0, k->staged ? "through shared memory" : "straight through registers"},
        {"read", k->load * es, NULL},
        {"written", k->store * es, NULL},
        {"held", k->store * k->times * es, NULL},
        {"window", rows_window(k), NULL},
        {"step", k->step * es, NULL},
        {0}};
    const char *lines[] = {
        "// Mode <f> is the fast one of both sides.\n"
        "// Elements go <how>, read by <read> bytes and written by <written>, <held> bytes a "
        "thread.\n",
        k->step > 1 ? "// Rows begin at any element: in the destination a window of <window> "
                      "elements begins at a multiple of <step> bytes.\n"
                    : NULL};
    return text_lines(t, lines, 2, holes);
}

const struct form form_rows = {choose_rows, how, reasons, grid, body};
