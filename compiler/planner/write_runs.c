// The form of a tile of runs (see runs.h).
#include <inttypes.h>

#include "planner/form.h"

enum { TRIED = 4 };

static void choose_runs(struct candidates *list) {
    struct runs found[TRIED];
    int n = runs_choose(list->r, found, TRIED), at = 0;
    for (int i = 0; i < n; ++i) {
        struct candidate c = {&form_runs, found[i].c.threads, found[i].cost, .runs = found[i]};
        while (at < list->n && list->of[at].cost <= c.cost) ++at;
        candidates_add(list, at++, &c);
    }
}

// The modes that are not in the run, and then the run as one mode.
static void declared(const struct text *t, bool src, struct relayout *out) {
    const struct runs *k = &t->of->runs;
    const struct modes *run = src ? &k->x : &k->y;
    struct relayout_mode all = {.extent = 1, .src = 1, .dst = 1};
    out->rank = 0;
    for (int m = 0; m < t->r->rank; ++m)
        if (runs_has(run, m))
            all.extent *= t->r->mode[m].extent;
        else
            out->mode[out->rank++] = t->r->mode[m];
    out->mode[out->rank++] = all;
}

// Tuples over the modes of a side as it is declared: "each" for those besides the run, "last" for
// the run.
static const char *tuple(const struct text *t, bool src, const char *const each[],
                         const char *last) {
    const struct runs *k = &t->of->runs;
    const char *all[RELAYOUT_MODES];
    int n = 0;
    for (int m = 0; m < t->r->rank; ++m)
        if (!runs_has(src ? &k->x : &k->y, m)) all[n++] = each[m];
    all[n++] = last;
    return text_tuple(t, n, all, ",");
}

static const char *numbers(const struct text *t, bool src, const int64_t each[], int64_t last) {
    const char *all[RELAYOUT_MODES];
    for (int m = 0; m < t->r->rank; ++m) all[m] = text_print(t, "%" PRId64, each[m]);
    return tuple(t, src, all, text_print(t, "%" PRId64, last));
}

// Sets "digit" to the coordinates of element "name" of "modes" in a tile; NULL: 0.
static void digits(const struct text *t, const char *name, const struct modes *modes,
                   const char *digit[]) {
    const int64_t *tile = t->of->runs.c.tile;
    int64_t by = 1, all = runs_length(modes, tile);
    for (int i = 0; i < modes->n; ++i) {
        int m = modes->of[i];
        if (tile[m] == 1) continue;
        digit[m] = by > 1 ? text_print(t, "%s / %" PRId64, name, by) : name;
        by *= tile[m];
        if (by < all) digit[m] = text_print(t, "%s %% %" PRId64, digit[m], tile[m]);
    }
}

// "3*c1", the tile along the run of a side; NULL: there is only one.
static const char *tile_of(const struct text *t, const struct modes *run, int64_t times) {
    int m = run->of[run->n - 1];
    if (!is_tiled(t->r, &t->of->runs.c, m)) return NULL;
    return times > 1 ? text_print(t, "%" PRId64 "*c%d$", times, m) : text_print(t, "c%d$", m);
}

// Where a thread reads: local_tile(A, (1,1,8), (c0,4*c1 + q % 4,51*c2 + x)).
static const char *part_of_src(const struct text *t) {
    const struct runs *k = &t->of->runs;
    const char *at[RELAYOUT_MODES], *digit[RELAYOUT_MODES] = {NULL};
    int64_t one[RELAYOUT_MODES];
    digits(t, "q$", &k->rows, digit);
    for (int m = 0; m < t->r->rank; ++m) {
        one[m] = 1;
        const char *tile = NULL;
        if (is_tiled(t->r, &k->c, m))
            tile = k->c.tile[m] > 1 ? text_print(t, "%" PRId64 "*c%d$", k->c.tile[m], m)
                                    : text_print(t, "c%d$", m);
        at[m] = tile && digit[m] ? text_print(t, "%s + %s", tile, digit[m])
                : tile           ? tile
                                 : digit[m];
        if (!at[m]) at[m] = "0";
    }
    const char *tile = tile_of(t, &k->x, k->across * k->turns);
    const char *last = k->turns > 1 ? text_print(t, "t$ + %" PRId64 "*p$", k->across) : "t$";
    if (tile) last = text_print(t, "%s + %s", tile, last);
    return text_print(t, "local_tile(<src>, %s, %s)", numbers(t, true, one, k->load),
                      tuple(t, true, at, last));
}

// The place of a block of elements in shared memory.
static const char *part_of_shared(const struct text *t) {
    const struct runs *k = &t->of->runs;
    const char *digit[RELAYOUT_MODES] = {NULL}, *at = "";
    digits(t, "e$", &k->x, digit);
    digits(t, "q$", &k->rows, digit);
    if (k->held > 1)
        at = runs_length(&k->rows, k->c.tile) > k->held ? text_print(t, "q$ %% %" PRId64, k->held)
                                                         : "q$";
    for (int i = 0; i < k->y.n; ++i) {
        int m = k->y.of[i];
        if (k->place[m] < k->held || !digit[m]) continue;
        at = text_print(t, "%s%s", at, at[0] ? " + " : "");
        at = k->place[m] > 1 ? text_print(t, "%s%" PRId64 "*(%s)", at, k->place[m], digit[m])
                             : text_print(t, "%s%s", at, digit[m]);
    }
    for (int m = 0; m < t->r->rank; ++m)
        if (!digit[m]) digit[m] = "0";
    return text_print(t, "s$%s",
                      tuple(t, false, digit, text_print(t, "%s .. %s + <block>", at, at)));
}

static const char *tiled(const struct text *t) {
    const struct runs *k = &t->of->runs;
    int64_t one[RELAYOUT_MODES], none[RELAYOUT_MODES], by[RELAYOUT_MODES], n = k->down;
    int order[RELAYOUT_MODES];
    order_of(t->r, false, order);
    for (int i = 0; i < t->r->rank; ++i) {
        int m = order[i];
        one[m] = 1;
        none[m] = 0;
        by[m] = k->beside[m] > 1 ? n : 0;
        n *= k->beside[m];
    }
    return text_print(t, "tile(universal(<store bits><st>), thr=%s:%s, val=%s:%s)",
                      numbers(t, false, k->beside, k->down), numbers(t, false, by, k->down > 1),
                      numbers(t, false, one, k->store), numbers(t, false, none, k->store > 1));
}

static const char reads[] = "  for j$ in 0 .. <values> {\n"
                            "    let q$ = <rows>j$;\n"
                            "    copy <from> ->\n"
                            "        local_tile(r$, (1,<load>), (<turn>j$,0)) with universal(<load bits><ld>)<pad>;\n"
                            "  }\n";
static const char put_blocks[] = "  for i$ in 0 .. <load> {\n"
                           "    let e$ = <load>*<x> + i$;\n"
                           "    for j$ in 0 .. <blocks> {\n"
                           "      let q$ = <rows><block>*j$;\n"
                           "      copy r$(<turn><block>*j$ .. <turn><block>*j$ + <block>, i$) ->\n"
                           "          <to> with universal(<block bits>);\n"
                           "    }\n"
                           "  }\n";

static const struct hole *holes(const struct text *given) {
    struct text with = *given;
    const struct text *t = &with;
    const struct runs *k = &t->of->runs;
    const struct relayout *r = t->r;
    const struct hints h = hints_of(r, &k->c);
    int bits = r->type->bits;
    bool ragged = false, among = k->c.rd.threads > k->across;
    const char *at[RELAYOUT_MODES], *tile = tile_of(t, &k->y, 1);
    int64_t room[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) {
        ragged |= r->mode[m].extent % k->c.tile[m] != 0;
        at[m] = is_tiled(r, &k->c, m) ? text_print(t, "c%d$", m) : "0";
        room[m] = k->place[m];
    }
    int base = 0;
    while (((k->store > k->c.block ? k->store : k->c.block) >> base) > 1) ++base;
    const struct hole some[] = {
        {"load", k->load, NULL},
        {"load bits", k->load * bits, NULL},
        {"store bits", k->store * bits, NULL},
        {"block", k->c.block, NULL},
        {"block bits", k->c.block * bits, NULL},
        {"ld", 0, h.ld},
        {"st", 0, h.st},
        {"pad", 0, ragged ? " pad 0" : ""},
        {"values", k->values, NULL},
        {"blocks", k->values / k->c.block, NULL},
        {"rows", 0, among ? text_print(t, "%" PRId64 "*u$ + ", k->values) : ""},
        {"turn", 0, k->turns > 1 ? text_print(t, "%" PRId64 "*p$ + ", k->values) : ""},
        {"x", 0, k->turns > 1 ? text_print(t, "(t$ + %" PRId64 "*p$)", k->across) : "t$"},
        {"from", 0, part_of_src(t)},
        {"to", 0, part_of_shared(t)},
        {0}};
    with.hole = some;
    const char *read = text_fill(t, reads, NULL), *put = text_fill(t, put_blocks, NULL);
    if (k->turns > 1) {
        read = text_print(t, "  for p$ in 0 .. %" PRId64 " {\n%s  }\n", k->turns, read);
        put = text_print(t, "  for p$ in 0 .. %" PRId64 " {\n%s  }\n", k->turns, put);
    }
    const struct hole all[] = {
        {"read", k->load * bits / 8, NULL},
        {"written", k->store * bits / 8, NULL},
        {"vector", k->load, NULL},
        {"block", k->c.block, NULL},
        {"threads", k->c.threads, NULL},
        {"source run", runs_length(&k->x, k->c.tile), NULL},
        {"destination run", runs_length(&k->y, k->c.tile), NULL},
        {"hints", 0, h.why ? text_print(t, "// Cache hints: %s.\n", h.why) : ""},
        {"tiles", 0, text_blocks(t, r, &k->c)},
        {"coordinates", 0, text_coordinates(t, r, &k->c)},
        {"across", 0, among ? text_print(t, " %% %" PRId64, k->across) : ""},
        {"let y", 0, among ? text_print(t, "  let u$ = tid / %" PRId64 ";\n", k->across) : ""},
        {"type", 0, r->type->name},
        {"swizzle", 0,
         k->bits ? text_print(t, "Sw<open>%d,%d,%d> o ", k->bits, base, k->shift) : ""},
        {"open", 0, "<"},
        {"room", 0, numbers(t, false, k->c.tile, runs_length(&k->y, k->c.tile))},
        {"places", 0, numbers(t, false, room, 1)},
        {"values", k->values * k->turns, NULL},
        {"reads", 0, text_fill(t, read, some)},
        {"puts", 0, text_fill(t, put, some)},
        {"part", 0,
         text_print(t, "%s, %s", numbers(t, false, k->c.tile, runs_length(&k->y, k->c.tile)),
                    tuple(t, false, at, tile ? tile : "0"))},
        {"wr", 0, text_fill(t, tiled(t), some)},
        {0}};
    return text_keep(t, all);
}

const struct form form_runs = {
    .choose = choose_runs,
    .holes = holes,
    .side = declared,
    .how = "runs of <source run> and <destination run>, <threads> threads, <read> and <written> "
           "bytes, shared memory by <block>",
    .reasons = "// Several modes that are contiguous on a side form a run: of <source run> elements "
               "in the source, of <destination run> in the destination.\n"
               "// Elements go through shared memory, read by <read> bytes and written by <written>.\n"
               "// Blocks of <vector> by <block> elements are transposed in registers.\n<hints>",
    .grid = "<tiles>",
    .body = "<coordinates>  let t$ = tid<across>;\n<let y>"
            "  shared s$ : <type> <swizzle><room>:<places>;\n"
            "  frag r$ : <type> (<values>,<vector>):(<vector>,1);\n"
            "<reads><puts>"
            "  copy s$ -> local_tile(<dst>, <part>)\n      with <wr>;\n",
};
