// The form for sides that no modes describe together: each thread computes the coordinates of its
// element on both sides.  Threads count along the fast modes of the destination.
#include <stdlib.h>

#include "planner/form.h"

enum { THREADS = 256 };

static void choose_index(struct candidates *list) {
    struct lay_int n = lay_int(1);
    for (int i = 0; i < list->r->index->rank[1]; ++i)
        if (lay_int_static(n) && lay_int_static(list->r->index->extent[1][i]))
            n.num *= list->r->index->extent[1][i].num;  // less than 2^62
    struct candidate c = {&form_index, THREADS, 0, false};
    if (n.num / THREADS < INT32_MAX) candidates_add(list, 0, &c);
}

static const char *extent(const struct text *t, bool src, int m) {
    const char *text = lay_int_text(&t->s->lay, t->r->index->extent[!src][m]);
    return t->r->index->extent[!src][m].nsyms ? text_print(t, "(%s)", text) : text;
}

// How far apart neighbours along mode "m" of the destination are; params are far.
static int64_t apart(const struct relayout_index *x, int m) {
    return lay_int_static(x->stride[1][m]) ? llabs(x->stride[1][m].num) : INT64_MAX;
}

// The modes of the destination, the fastest one first, as far as that is known.
static void by_speed(const struct relayout_index *x, int order[]) {
    for (int i = 0; i < x->rank[1]; ++i) {
        int j = i;
        for (; j > 0 && apart(x, i) < apart(x, order[j - 1]); --j) order[j] = order[j - 1];
        order[j] = i;
    }
}

// The digits of "e" with the extents of the modes in that order, "first" instead of that of the first
// one.  The last one is not cut.
static void digits_of(const struct text *t, bool src, const char *e, const int order[],
                      const char *first, const char *digit[]) {
    int n = t->r->index->rank[!src];
    for (int i = 0; i < n; ++i) {
        const char *of = i == 0 && first ? first : extent(t, src, order[i]);
        digit[order[i]] = i < n - 1 ? text_print(t, "%s %% %s", e, of) : e;
        e = text_print(t, "%s / %s", e, of);
    }
}

// Where a thread writes if the extents are numbers: at the coordinates of element "e".  Beyond the
// last one, the slowest coordinate is outside.
static const char *by_number(const struct text *t, const int order[], const char *at[]) {
    int n = t->r->index->rank[1], slow = n ? order[n - 1] : 0;
    const char *kept[RELAYOUT_MODES];
    if (n == 0) return "local_tile(<dst>, (1), (e$))";
    digits_of(t, false, "e$", order, NULL, at);
    for (int i = 0; i < n; ++i) kept[i] = i == slow ? "_" : at[i];
    return text_print(t, "local_tile(<dst>%s, (1), (%s))",
                      n > 1 ? text_tuple(t, n, kept, ", ") : "", at[slow]);
}

// The same if params say them: blocks count the rows of the fast mode and the tiles of a row.
static const char *by_rows(const struct text *t, const int order[], const char *at[]) {
    const char *one[RELAYOUT_MODES];
    int n = t->r->index->rank[1];
    const char *tiles = text_print(t, "ceil_div(%s,%d)", extent(t, false, order[0]), THREADS);
    digits_of(t, false, "block.x", order, tiles, at);
    at[order[0]] = text_print(t, "%d*(%s) + tid", THREADS, at[order[0]]);
    for (int i = 0; i < n; ++i) one[i] = "1";
    return text_print(t, "local_tile(<dst>, %s, %s)", text_tuple(t, n, one, ","),
                      text_tuple(t, n, at, ", "));
}

static const struct hole *holes(const struct text *t) {
    const struct relayout_index *x = t->r->index;
    int order[RELAYOUT_MODES] = {0}, as_is[RELAYOUT_MODES], n = x->rank[1];
    const char *at[RELAYOUT_MODES], *from[RELAYOUT_MODES], *number = n ? "" : "0", *by = "";
    const char *all = "";
    bool open = false;
    by_speed(x, order);
    for (int i = 0; i < RELAYOUT_MODES; ++i) as_is[i] = i;
    for (int i = 0; i < n; ++i) open |= x->extent[1][i].nsyms > 0;
    const char *to = open ? by_rows(t, order, at) : by_number(t, order, at);
    for (int i = 0; i < n; ++i) {
        const char *of = extent(t, false, i);
        number = text_print(t, "%s%s%s(%s)", number, i ? " + " : "", by, at[i]);
        by = text_print(t, "%s%s*", by, of);
        if (open && i == order[0]) of = text_print(t, "ceil_div(%s,%d)", of, THREADS);
        all = text_print(t, "%s%s%s", all, i ? "*" : "", of);
    }
    digits_of(t, true, "i$", as_is, NULL, from);
    int last = x->rank[0] - 1;
    if (last >= 0) from[last] = text_print(t, "%s %% %s", from[last], extent(t, true, last));
    const struct hole all_holes[] = {
        {"blocks", 0, open ? all : text_print(t, "ceil_div(%s,%d)", n ? all : "1", THREADS)},
        {"threads", THREADS, NULL},
        {"bits", 8 * wider_bytes(t->r), NULL},
        {"element", 0, open ? "" : "  let e$ = <threads>*block.x + tid;\n"},
        {"number", 0, number},
        {"from", 0, x->rank[0] ? text_tuple(t, x->rank[0], from, ", ") : "(0)"},
        {"to", 0, to},
        {0}};
    return text_keep(t, all_holes);
}

const struct form form_index = {
    .choose = choose_index,
    .holes = holes,
    .how = "element by element, <threads> threads",
    .reasons =
        "// The shapes of both sides have no modes in common, so a thread computes the coordinates "
        "of an element on both.\n",
    .grid = "(<blocks>)",
    .body = "<element>"
            "  let i$ = <number>;\n"
            "  copy <src><from> -> <to> with universal(<bits>);\n",
};

// -- no elements ----------------------------------------------------------------------------------

static void choose_empty(struct candidates *list) {
    const struct candidate c = {&form_empty, 32, 0, false};
    candidates_add(list, 0, &c);
}

static const struct hole *no_holes(const struct text *t) {
    const struct hole all_holes[] = {{"bits", 8 * wider_bytes(t->r), NULL}, {0}};
    return text_keep(t, all_holes);
}

const struct form form_empty = {
    .choose = choose_empty,
    .holes = no_holes,
    .how = "nothing",
    .reasons = "// The tensors have no elements, so a launch does nothing.\n",
    .grid = "(1)",
    // the tile is outside of both
    .body = "  copy local_tile(<src>, (1), (0)) -> local_tile(<dst>, (1), (0)) with "
            "tile(universal(<bits>), thr=(1), val=(1));\n",
};
