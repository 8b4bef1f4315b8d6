// The form of a tile of runs (see runs.h).
#include <inttypes.h>

#include "planner/form.h"

enum {
    TRIED = 4,  // so many candidates
    LESS = 97,  // percent of the cost of another form
    ONE = 256
};

int64_t candidates_work(const struct candidates *list, const struct candidate *c) {
    bool flat = c->form == &form_flat;
    if (!flat && c->form != &form_tile) return 0;
    return runs_cost(flat ? &list->row.r : list->r, &c->tile.c, c->tile.cost.total,
                     flat ? list->row.parts : 0);
}

// Those that cost less than all others are the first ones.
static void choose_runs(struct candidates *list) {
    struct runs found[TRIED];
    int64_t first = list->n > 0 ? list->of[0].cost : 0;
    int64_t best = first > 0 ? candidates_work(list, &list->of[0]) / ONE : 0;
    int n = best > 0 ? runs_choose(list->r, first, found, TRIED) : 0;
    for (int i = 0; i < n && found[i].cost / ONE < best * LESS / 100; ++i) {
        struct candidate c = {&form_runs, found[i].c.threads, .runs = found[i]};
        c.cost = first / best * (found[i].cost / ONE);
        candidates_add(list, i, &c);
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
    const char *tile = tile_of(t, &k->x, k->readers.along * k->turns);
    const char *last = k->turns > 1 ? text_print(t, "t$ + %" PRId64 "*p$", k->readers.along) : "t$";
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

static const char *tiled(const struct text *t, bool src) {
    const struct runs *k = &t->of->runs;
    const int64_t *beside = src ? k->readers.beside : k->writers.beside;
    int64_t one[RELAYOUT_MODES], none[RELAYOUT_MODES], by[RELAYOUT_MODES];
    int64_t along = src ? k->readers.along : k->writers.along, n = along,
            wide = src ? k->load : k->store;
    int order[RELAYOUT_MODES];
    order_of(t->r, src, order);
    for (int i = 0; i < t->r->rank; ++i) {
        int m = order[i];
        one[m] = 1;
        none[m] = 0;
        by[m] = beside[m] > 1 ? n : 0;
        n *= beside[m];
    }
    const char *atom = !src       ? "universal(<store bits><st>)"
                       : k->async ? "cp_async.<cache>(<read>)"
                                  : "universal(<load bits><ld>)";
    return text_print(t, "tile(%s, thr=%s:%s, val=%s:%s)", atom, numbers(t, src, beside, along),
                      numbers(t, src, by, along > 1), numbers(t, src, one, wide),
                      numbers(t, src, none, wide > 1));
}

static const char turned_reads[] =
    "  for j$ in 0 .. <values> {\n"
    "<let row>"
    "    copy <from> ->\n"
    "        local_tile(r$, (1,<load>), (<turn>j$,0)) with universal(<load bits><ld>)<pad>;\n"
    "  }\n";
static const char turned_puts[] =
    "  for i$ in 0 .. <load> {\n"
    "    let e$ = <load>*<x> + i$;\n"
    "    for j$ in 0 .. <blocks> {\n"
    "<let rows>"
    "      copy r$(<turn><block>*j$ .. <turn><block>*j$ + <block>, i$) ->\n"
    "          <to> with universal(<block bits>);\n"
    "    }\n"
    "  }\n";

static const char turned_body[] = "  let t$ = tid<across>;\n<let u>"
                                  "  shared s$ : <type> <swizzle><room>:<places>;\n"
                                  "  frag r$ : <type> (<held>,<vector>):(<vector>,1);\n"
                                  "<turn begin><reads><turn end><turn begin><puts><turn end>"
                                  "  copy s$ -> local_tile(<dst>, <part>)\n      with <wr>;\n";

static const struct hole *turned_holes(const struct text *t) {
    const struct runs *k = &t->of->runs;
    int bits = t->r->type->bits, base = 0;
    bool among = k->c.rd.threads > k->readers.along, used = runs_length(&k->rows, k->c.tile) > 1;
    while (((k->store > k->c.block ? k->store : k->c.block) >> base) > 1) ++base;
    const struct hole all[] = {
        {"block", k->c.block, NULL},
        {"block bits", k->c.block * bits, NULL},
        {"values", k->values, NULL},
        {"blocks", k->values / k->c.block, NULL},
        {"let row", 0, used ? "    let q$ = <rows>j$;\n" : ""},
        {"let rows", 0, used ? "      let q$ = <rows><block>*j$;\n" : ""},
        {"rows", 0, among ? text_print(t, "%" PRId64 "*u$ + ", k->values) : ""},
        {"turn", 0, k->turns > 1 ? text_print(t, "%" PRId64 "*p$ + ", k->values) : ""},
        {"turn begin", 0,
         k->turns > 1 ? text_print(t, "  for p$ in 0 .. %" PRId64 " {\n", k->turns) : ""},
        {"turn end", 0, k->turns > 1 ? "  }\n" : ""},
        {"x", 0, k->turns > 1 ? text_print(t, "(t$ + %" PRId64 "*p$)", k->readers.along) : "t$"},
        {"from", 0, part_of_src(t)},
        {"to", 0, part_of_shared(t)},
        {"across", 0, among ? text_print(t, " %% %" PRId64, k->readers.along) : ""},
        {"let u", 0,
         among ? text_print(t, "  let u$ = tid / %" PRId64 ";\n", k->readers.along) : ""},
        {"open", 0, "<"},
        {"swizzle", 0,
         k->bits ? text_print(t, "Sw<open>%d,%d,%d> o ", k->bits, base, k->shift) : ""},
        {"room", 0, numbers(t, false, k->c.tile, runs_length(&k->y, k->c.tile))},
        {"places", 0, numbers(t, false, k->place, 1)},
        {"vector", k->load, NULL},
        {"held", k->values * k->turns, NULL},
        {"reads", 0, turned_reads},
        {"puts", 0, turned_puts},
        {"wr", 0, tiled(t, false)},
        {0}};
    return text_keep(t, all);
}

static const char gathered_body[] =
    "  shared s$ : <type> <room>:<places>;\n"
    "  copy local_tile(<src>, <room>, <at src>) -> s$\n      with <rd><pad>;\n"
    "  let t$ = tid<down>;\n<let u><let a>"
    "  for p$ in 0 .. <turns> {\n"
    "    frag r$ : <type> <taken>:<strides>;\n"
    "    for j$ in 0 .. <values> {\n"
    "<let q>"
    "      for i$ in 0 .. <vector> {\n"
    "        let e$ = <vector>*<y> + i$;\n"
    "        copy s$<gather> -> r$<into> with universal(<bits>);\n"
    "      }\n"
    "    }\n"
    "    for j$ in 0 .. <values> {\n"
    "<let q>"
    "      copy r$<out of> -> local_tile(<dst>, <written part>, <at dst>)\n"
    "          with universal(<store bits><st>);\n"
    "    }\n"
    "  }\n";

// A turn of a thread that gathers is an access along y, a part of the others and a piece of "along".
static const struct hole *gathered_holes(const struct text *t) {
    const struct runs *k = &t->of->runs;
    const struct relayout *r = t->r;
    const int64_t *tile = k->c.tile;
    int64_t others = runs_length(&k->others, tile) / k->apart / k->values;
    int64_t units = runs_length(&k->y, tile) / k->store;
    int64_t taken = k->along < 0 ? 1 : tile[k->along] / k->writers.beside[k->along] / k->pieces;
    int64_t turns = k->again * others * k->pieces;
    const char *digit[RELAYOUT_MODES] = {NULL}, *at[RELAYOUT_MODES], *place = "";
    // the parts of the turn
    const char *again = k->again == 1      ? NULL
                        : turns > k->again ? text_print(t, "p$ %% %" PRId64, k->again)
                                           : "p$";
    const char *other = others == 1     ? NULL
                        : k->again == 1 ? "p$"
                                        : text_print(t, "p$ / %" PRId64, k->again);
    if (other && k->pieces > 1) other = text_print(t, "%s %% %" PRId64, other, others);
    const char *piece = k->pieces == 1      ? NULL
                        : turns > k->pieces ? text_print(t, "p$ / %" PRId64, k->again * others)
                                            : "p$";
    const char *y =
        again ? text_print(t, "(t$ + %" PRId64 "*(%s))", k->writers.along, again) : "t$";
    const char *q = k->values > 1 ? "j$" : NULL;
    if (other)
        q = text_print(t, "%" PRId64 "*(%s)%s%s", k->values, other, q ? " + " : "", q ? q : "");
    if (k->apart > 1)
        q = text_print(t, "%" PRId64 "*u$%s%s", k->values * others, q ? " + " : "", q ? q : "");
    const char *part = k->along >= 0 && k->writers.beside[k->along] > 1 ? "a$" : NULL;
    if (piece) part = part ? text_print(t, "%" PRId64 "*%s + %s", k->pieces, part, piece) : piece;
    digits(t, "e$", &k->y, digit);
    if (q) digits(t, "q$", &k->others, digit);
    for (int i = 0; i < k->x.n; ++i) {
        int m = k->x.of[i];
        const char *d = m == k->along ? part : digit[m];
        int64_t step = m == k->along ? taken : k->place[m];
        if (!d) continue;
        place = text_print(t, "%s%s", place, place[0] ? " + " : "");
        place = step > 1 ? text_print(t, "%s%" PRId64 "*(%s)", place, step, d)
                         : text_print(t, "%s%s", place, d);
    }
    if (!place[0]) place = "0";
    if (k->along >= 0) place = text_print(t, "%s .. %s + %" PRId64, place, place, taken);
    for (int m = 0; m < r->rank; ++m) at[m] = digit[m] ? digit[m] : "0";
    const char *gather = tuple(t, true, at, place);
    // the destination
    int64_t size[RELAYOUT_MODES], stride[RELAYOUT_MODES];
    const char *into[RELAYOUT_MODES], *out[RELAYOUT_MODES], *begin[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) {
        bool is = m == k->along;
        size[m] = is ? taken : 1;
        stride[m] = is && taken > 1 ? k->store : 0;
        into[m] = is ? "_" : "0";
        out[m] = "_";
        const char *d = is ? part : runs_has(&k->others, m) ? digit[m] : NULL;
        const char *b = NULL;
        int64_t times = is ? tile[m] / taken : tile[m];
        if (is_tiled(r, &k->c, m))
            b = times > 1 ? text_print(t, "%" PRId64 "*c%d$", times, m) : text_print(t, "c%d$", m);
        begin[m] = b && d ? text_print(t, "%s + %s", b, d) : b ? b : d ? d : "0";
        at[m] = is_tiled(r, &k->c, m) ? text_print(t, "c%d$", m) : "0";
    }
    const char *tile_x = tile_of(t, &k->x, 1), *tile_y = tile_of(t, &k->y, units);
    const char *last =
        again ? text_print(t, "t$ + %" PRId64 "*(%s)", k->writers.along, again) : "t$";
    if (tile_y) last = text_print(t, "%s + %s", tile_y, last);
    const char *held = numbers(t, false, size, k->store);
    const char *steps = numbers(t, false, stride, k->store > 1);
    int64_t beside = k->along < 0 ? 1 : k->writers.beside[k->along];
    const struct hole all[] = {
        {"room", 0, numbers(t, true, tile, runs_length(&k->x, tile))},
        {"places", 0, numbers(t, true, k->place, 1)},
        {"at src", 0, tuple(t, true, at, tile_x ? tile_x : "0")},
        {"rd", 0, tiled(t, true)},
        {"cache", 0, k->load * r->type->bits == 128 ? "cg" : "ca"},
        {"async", 0, k->async ? ", copied by cp.async" : ""},
        {"down", 0, k->apart * beside > 1 ? text_print(t, " %% %" PRId64, k->writers.along) : ""},
        {"let u", 0,
         k->apart == 1 ? ""
         : beside > 1  ? text_print(t, "  let u$ = tid / %" PRId64 " %% %" PRId64 ";\n",
                                    k->writers.along, k->apart)
                       : text_print(t, "  let u$ = tid / %" PRId64 ";\n", k->writers.along)},
        {"let a", 0,
         beside > 1 ? text_print(t, "  let a$ = tid / %" PRId64 ";\n", k->writers.along * k->apart)
                    : ""},
        {"turns", turns, NULL},
        {"values", k->values, NULL},
        {"vector", k->store, NULL},
        {"taken", 0, text_print(t, "(%" PRId64 ",%s", k->values, held + 1)},
        {"strides", 0,
         text_print(t, "(%" PRId64 ",%s", k->values > 1 ? taken * k->store : 0, steps + 1)},
        {"let q", 0, q ? text_print(t, "      let q$ = %s;\n", q) : ""},
        {"y", 0, y},
        {"bits", r->type->bits, NULL},
        {"gather", 0, gather},
        {"into", 0, text_print(t, "(j$,%s", tuple(t, false, into, "i$") + 1)},
        {"out of", 0, text_print(t, "(j$,%s", tuple(t, false, out, "_") + 1)},
        {"written part", 0, held},
        {"at dst", 0, tuple(t, false, begin, last)},
        {0}};
    return text_keep(t, all);
}

static const char turned_reasons[] =
    "// Blocks of <vector> by <block> elements are transposed in registers.\n";
static const char gathered_reasons[] = "// Shared memory has the runs of the source<async>; the "
                                       "elements of a run of the destination are "
                                       "gathered from there.\n";

static const struct hole *holes(const struct text *t) {
    const struct runs *k = &t->of->runs;
    const struct relayout *r = t->r;
    const struct hints h = k->async ? (struct hints){"", "", NULL} : hints_of(r, &k->c);
    int bits = r->type->bits;
    bool ragged = r->shorter;
    const char *at[RELAYOUT_MODES], *tile = tile_of(t, &k->y, 1);
    for (int m = 0; m < r->rank; ++m) {
        ragged |= r->mode[m].extent % k->c.tile[m] != 0;
        at[m] = is_tiled(r, &k->c, m) ? text_print(t, "c%d$", m) : "0";
    }
    const struct hole some[] = {
        {"load", k->load, NULL},
        {"load bits", k->load * bits, NULL},
        {"store bits", k->store * bits, NULL},
        {"ld", 0, h.ld},
        {"st", 0, h.st},
        {"pad", 0, ragged ? " pad 0" : ""},
        {"type", 0, r->type->name},
        {"read", k->load * bits / 8, NULL},
        {"written", k->store * bits / 8, NULL},
        {"threads", k->c.threads, NULL},
        {"source run", runs_length(&k->x, k->c.tile), NULL},
        {"destination run", runs_length(&k->y, k->c.tile), NULL},
        {"way", 0, k->gathered ? gathered_reasons : turned_reasons},
        {"gathered", 0, k->gathered ? "gathered" : text_print(t, "by %d", k->c.block)},
        {"hints", 0, h.why ? text_print(t, "// Cache hints: %s.\n", h.why) : ""},
        {"tiles", 0, text_blocks(t, r, &k->c)},
        {"coordinates", 0, text_coordinates(t, r, &k->c)},
        {"part", 0,
         text_print(t, "%s, %s", numbers(t, false, k->c.tile, runs_length(&k->y, k->c.tile)),
                    tuple(t, false, at, tile ? tile : "0"))},
        {0}};
    const struct hole *own = (k->gathered ? gathered_holes : turned_holes)(t);
    struct hole all[64] = {{"copies", 0, k->gathered ? gathered_body : turned_body},
                           {"block", k->c.block, NULL}};
    int n = 2;
    for (int i = 0; own[i].name; ++i) all[n++] = own[i];
    for (int i = 0; some[i].name; ++i) all[n++] = some[i];
    return text_keep(t, all);
}

const struct form form_runs = {
    .choose = choose_runs,
    .holes = holes,
    .side = declared,
    .how = "runs of <source run> and <destination run>, <threads> threads, <read> and <written> "
           "bytes, shared memory <gathered>",
    .reasons =
        "// Several modes that are contiguous on a side form a run: of <source run> elements "
        "in the source, of <destination run> in the destination.\n"
        "// Elements go through shared memory, read by <read> bytes and written by <written>.\n"
        "<way><hints>",
    .grid = "<tiles>",
    .body = "<coordinates><copies>",
};
