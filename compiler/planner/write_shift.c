// The form for rows at any address (see shift.h).
#include <inttypes.h>

#include "planner/form.h"

enum {
    TRIED = 4,         // so many candidates
    LESS = 95,         // percent of the cost of a tile
    LESS_SKEWED = 65,  // the same, if there is a skewed tile
    LATER = 8,         // the place of the best one otherwise: 'tune' tries it
    ONE = 256
};

// Those that cost so much less than the best tile are the first, if that is the first choice.  They
// also come before skewed tiles, if these have windows of rows that fit in one tile.
static void choose_shifted(struct candidates *list) {
    struct shifted found[TRIED];
    int skewed = 0;
    while (skewed < list->n && list->of[skewed].form == &form_skew) ++skewed;
    int64_t first = skewed < list->n ? list->of[skewed].cost : 0;
    int64_t own = first > 0 ? candidates_work(list, &list->of[skewed]) / ONE : 0;
    int n = own > 0 ? shift_choose(list->r, found, TRIED) : 0;
    for (int i = 0; i < n; ++i) {
        struct candidate c = {&form_shift, found[i].c.threads, .shifted = found[i]};
        int64_t most = own * (skewed ? LESS_SKEWED : LESS) / 100;
        bool best = found[i].cost / ONE < most && !(skewed && found[i].more > 0);
        c.cost = first / own * (found[i].cost / ONE);
        if (!best && i > 0) return;
        candidates_add(list, best ? i : LATER, &c);
        if (!best) return;
    }
}

// The source is one row; the destination has the modes besides its run, and then the run.
static void declared(const struct text *t, bool src, struct relayout *out) {
    const struct shifted *k = &t->of->shifted;
    struct relayout_mode all = {.extent = 1, .src = 1, .dst = 1};
    out->rank = 0;
    for (int m = 0; m < t->r->rank; ++m)
        if (src || runs_has(&k->y, m))
            all.extent *= t->r->mode[m].extent;
        else
            out->mode[out->rank++] = t->r->mode[m];
    out->mode[out->rank++] = all;
}

// A sum of terms; "" is 0.
static const char *plus(const struct text *t, const char *sum, int64_t times, const char *term) {
    if (times == 0 || !term) return sum;
    const char *and = sum[0] ? " + " : "";
    if (times == 1) return text_print(t, "%s%s%s", sum, and, term);
    return text_print(t, "%s%s%" PRId64 "*%s", sum, and, times, term);
}

static const char *or_zero(const char *sum) {
    return sum[0] ? sum : "0";
}

// Sets "digit" to the coordinates of element "e" of these modes, each of "size"; the last has all
// that is left.
static void digits(const struct text *t, const char *e, const struct modes *modes,
                   const int64_t size[], const char *digit[]) {
    int64_t by = 1;
    for (int i = 0; i < modes->n; ++i) {
        int m = modes->of[i];
        const char *d = by > 1 ? text_print(t, "%s / %" PRId64, e, by) : e;
        if (i + 1 < modes->n) d = text_print(t, "%s %% %" PRId64, d, size[m]);
        digit[m] = modes->n > 1 ? text_print(t, "(%s)", d) : d;
        by *= size[m];
    }
}

// "s(d % 4, d / 4, at)", the place of a row in shared memory.
static const char *held_at(const struct text *t, const char *const digit[], const char *at) {
    const struct shifted *k = &t->of->shifted;
    struct modes rows = shift_rows(k);
    const char *each[RELAYOUT_MODES + 2];
    int n = 0;
    for (int i = 0; i < rows.n; ++i) {
        const char *d = digit[rows.of[i]];
        if (i == 0 && k->fold > 1) {
            each[n++] = text_print(t, "%s %% %" PRId64, d, k->fold);
            d = text_print(t, "%s / %" PRId64, d, k->fold);
        }
        each[n++] = d;
    }
    each[n++] = at;
    return text_tuple(t, n, each, ", ");
}

// Where a run of the source begins, in multiples of "by" besides the rest; by 0: completely.
static const char *begin_of(const struct text *t, const char *const digit[], int64_t by) {
    const struct shifted *k = &t->of->shifted;
    const struct relayout *r = t->r;
    struct modes rows = shift_rows(k);
    const char *sum = "";
    for (int m = 0; m < r->rank; ++m) {
        int64_t step = r->mode[m].src * k->c.tile[m];
        if (is_tiled(r, &k->c, m))
            sum = plus(t, sum, by ? step % by : step, text_print(t, "c%d$", m));
    }
    if (k->more) {  // the rows before those of the tile, but for the first one
        int64_t step = k->more * r->mode[k->y.of[k->y.n - 1]].src;
        sum = plus(t, sum, by ? step % by : step, "(f$ - 1)");
    }
    for (int i = 0; i < rows.n; ++i) {
        int64_t step = r->mode[rows.of[i]].src;
        sum = plus(t, sum, by ? step % by : step, text_print(t, "(%s)", digit[rows.of[i]]));
    }
    return sum;
}

// Where element "e" of the destination's run is in shared memory, at element "x" of the run of the
// source besides.
static const char *taken(const struct text *t, const char *e, const char *x) {
    const struct shifted *k = &t->of->shifted;
    const char *digit[RELAYOUT_MODES];
    digits(t, e, &k->y, k->c.tile, digit);
    const char *late = k->late ? begin_of(t, digit, k->load) : "", *at = x;
    for (int i = 0; i < k->y.n; ++i)
        if (runs_has(&k->x, k->y.of[i]))
            at = plus(t, at, t->r->mode[k->y.of[i]].src, digit[k->y.of[i]]);
    if (late[0]) at = plus(t, at, 1, text_print(t, "(%s) %% %d", late, k->load));
    return held_at(t, digit, text_print(t, "%s .. %s + 1", or_zero(at), or_zero(at)));
}

// Tuples over the destination's modes as declared.
static const char *tuple(const struct text *t, const char *const each[], const char *last) {
    const char *all[RELAYOUT_MODES];
    int n = 0;
    for (int m = 0; m < t->r->rank; ++m)
        if (!runs_has(&t->of->shifted.y, m)) all[n++] = each[m];
    all[n++] = last;
    return text_tuple(t, n, all, ",");
}

// The block's tile of the destination, with all "all" elements of the run if there are windows.
static const char *tile_of(const struct text *t, int64_t all) {
    const struct shifted *k = &t->of->shifted;
    const char *size[RELAYOUT_MODES], *c[RELAYOUT_MODES];
    for (int m = 0; m < t->r->rank; ++m) {
        size[m] = text_print(t, "%" PRId64, k->c.tile[m]);
        c[m] = is_tiled(t->r, &k->c, m) ? text_print(t, "c%d$", m) : "0";
    }
    int64_t along = k->windows ? all : k->words * k->store;
    return text_print(t, "%s, %s", tuple(t, size, text_print(t, "%" PRId64, along)),
                      tuple(t, c, k->windows ? "0" : c[k->y.of[k->y.n - 1]]));
}

static const char stage[] =
    "  for j$ in 0 .. <rounds> {\n"
    "    let q$ = tid / <runs> + <next>*j$;\n"
    "<each time>"
    "    copy local_tile(<src>, (<load>), ((<begin>) / <load> + <word>)) ->\n"
    "        local_tile(s$, <one>, <run>)\n"
    "        with cp_async.<cache>(<read><ld>) pad 0;\n"
    "<time end>"
    "  }\n";

static const char takes[] = "  let t$ = tid<across>;\n"
                            "  for p$ in 0 .. <turns> {\n"
                            "<let b>"
                            "<each class>"
                            "<let d>"
                            "    frag r$ : <type> (<held>,<store>):(<store>,1);\n"
                            "    for j$ in 0 .. <held> {\n"
                            "      for i$ in 0 .. <store> {\n"
                            "        let e$ = <e>;\n"
                            "        copy s$<taken> ->\n"
                            "            r$(j$, i$ .. i$ + 1) with universal(<bits>);\n"
                            "      }\n"
                            "    }\n"
                            "    for j$ in 0 .. <held> {\n"
                            "      copy r$(j$, _) -> local_tile(<dst>, <tile>)<written>\n"
                            "          with universal(<store bits><st>);\n"
                            "    }\n"
                            "<class end>"
                            "  }\n";

// The distance of a row's first whole access from its begin.  It has the row's begin as offsets have
// it, so that both become one however the digits of the block's number are recombined.
static const char *distance(const struct text *t, const char *const digit[], const char *chunk) {
    const struct shifted *k = &t->of->shifted;
    const struct relayout *r = t->r;
    struct modes others = shift_others(k);
    const char *sum = "";
    for (int m = 0; m < r->rank; ++m)
        if (!runs_has(&k->y, m) && is_tiled(r, &k->c, m))
            sum = plus(t, sum, r->mode[m].dst * k->c.tile[m], text_print(t, "c%d$", m));
    for (int i = 0; i < others.n; ++i)
        sum = plus(t, sum, r->mode[others.of[i]].dst, digit[others.of[i]]);
    if (chunk) sum = plus(t, sum, r->mode[k->turn].dst * k->classes * k->held, chunk);
    if (k->classes > 1) sum = plus(t, sum, r->mode[k->turn].dst, "a$");
    if (!sum[0]) return "0";
    return text_print(t, "(%s + %d) / %d * %d - (%s)", sum, k->store - 1, k->store, k->store, sum);
}

// Element of the source's run for a row: "steps" along the mode "turn", and the others.
static const char *column_of(const struct text *t, const char *turn, const char *const digit[]) {
    const struct shifted *k = &t->of->shifted;
    struct modes others = shift_others(k);
    const char *sum = plus(t, "", t->r->mode[k->turn].src, turn);
    for (int i = 0; i < others.n; ++i)
        sum = plus(t, sum, t->r->mode[others.of[i]].src, digit[others.of[i]]);
    return sum;
}

static const struct hole *holes(const struct text *t) {
    const struct shifted *k = &t->of->shifted;
    const struct relayout *r = t->r;
    const int64_t *tile = k->c.tile;
    struct modes rows = shift_rows(k), others = shift_others(k);
    int bits = r->type->bits, last = k->y.of[k->y.n - 1];
    int64_t steps = tile[k->turn] / k->classes, chunks = steps / k->held;
    int64_t q = runs_length(&others, tile), P = k->classes, G = k->groups;
    int64_t size[RELAYOUT_MODES], extents[RELAYOUT_MODES + 2], strides[RELAYOUT_MODES + 2];
    int64_t Y = 1;
    const char *digit[RELAYOUT_MODES] = {NULL}, *one = "(";
    int n = 0;
    // shared memory, and the rows in it
    for (int i = 0; i < rows.n; ++i) {
        int m = rows.of[i];
        size[m] = i == 0 ? k->rows[m] / k->fold : k->rows[m];
        if (i == 0 && k->fold > 1) {
            extents[n] = k->fold;
            strides[n++] = k->room;
            one = text_print(t, "%s1,", one);
        }
        extents[n] = size[m];
        strides[n++] = k->place[m];
        one = text_print(t, "%s1,", one);
    }
    extents[n] = k->room;
    strides[n++] = 1;
    digits(t, "q$", &rows, size, digit);
    const char *part = text_print(t, "tid / %" PRId64 " %% %" PRId64, k->lanes, k->fold);
    const char *in_row[RELAYOUT_MODES + 2];
    int parts = 0;
    const char *word = text_print(t, "tid %% %" PRId64, k->lanes);
    if (k->times > 1) word = text_print(t, "%s + %" PRId64 "*i$", word, k->lanes);
    if (k->fold > 1) in_row[parts++] = part;
    for (int i = 0; i < rows.n; ++i) in_row[parts++] = digit[rows.of[i]];
    in_row[parts++] = word;
    if (k->fold > 1)
        digit[rows.of[0]] =
            text_print(t, "%" PRId64 "*(%s) + %s", k->fold, digit[rows.of[0]], part);
    const char *begin = begin_of(t, digit, 0);
    // a thread's rows of the destination
    const char *group = G > 1 ? text_print(t, "tid / %" PRId64, k->side) : "0", *class, *pair;
    int64_t pairs = q * chunks, of_pairs = G > P ? G / P : 1;
    class = P / G > 1 ? text_print(t, "%s + %" PRId64 "*u$", group, G)
            : G > P   ? text_print(t, "%s %% %" PRId64, group, P)
                      : group;
    pair = of_pairs == 1 ? "p$"
           : of_pairs < pairs
               ? text_print(t, "%s / %" PRId64 " + %" PRId64 "*p$", group, P, of_pairs)
               : text_print(t, "%s / %" PRId64, group, P);
    const char *chunk = chunks > 1 ? text_print(t, "(b$ %% %" PRId64 ")", chunks) : "0";
    const char *other[RELAYOUT_MODES] = {NULL};
    digits(t, chunks > 1 ? text_print(t, "(b$ / %" PRId64 ")", chunks) : "b$", &others, tile,
           other);
    const char *turn =
        chunks > 1 ? text_print(t, "(%s)", plus(t, plus(t, "", k->held, chunk), 1, "j$")) : "j$";
    if (P > 1) turn = text_print(t, "(%" PRId64 "*%s + a$)", P, turn);
    const char *at[RELAYOUT_MODES];
    for (int m = 0; m < r->rank; ++m) {
        const char *x = m == k->turn ? turn : other[m];
        at[m] = x ? text_print(t, "%s .. %s + 1", x, x) : "0";
        if (runs_has(&k->y, m)) Y *= r->mode[m].extent;
    }
    // the access, and its first element's place among those of the rows that the block has
    const char *d = k->windows ? distance(t, other, chunks > 1 ? chunk : NULL) : "0";
    const char *access = plus(t, plus(t, "", k->store, "t$"), k->windows, "d$"), *e = access;
    if (k->windows && is_tiled(r, &k->c, last))
        access = text_print(t, "%" PRId64 "*c%d$ + %s", k->words * k->store, last, access);
    if (k->windows) {
        int64_t inner = 1;
        for (int i = 0; i + 1 < k->y.n; ++i) inner *= tile[k->y.of[i]];
        int64_t more = inner * k->more, there = inner;
        there *= rows.n == 1 && rows.of[0] == last ? k->rows[last] : tile[last] + k->more;
        access = text_print(t, "%s - %d", access, k->store);
        const char *first = k->more ? text_print(t, " - %" PRId64 "*f$", more) : "";
        e = text_print(t, "(%s + i$ + %" PRId64 "%s) %% %" PRId64, e, more - k->store + there,
                       first, there);
    } else
        e = text_print(t, "%s + i$", e);
    int64_t tiles = tiles_along(r, &k->c, last);
    const struct hints h = hints_of(r, &k->c);
    const struct hole own[] = {
        {"rounds", k->rounds, NULL},
        {"runs", k->lanes * k->fold, NULL},
        {"next", k->c.threads / (k->lanes * k->fold), NULL},
        {"each time", 0,
         k->times > 1 ? text_print(t, "    for i$ in 0 .. %" PRId64 " {\n", k->times) : ""},
        {"time end", 0, k->times > 1 ? "    }\n" : ""},
        {"load", k->load, NULL},
        {"begin", 0, begin},
        {"word", 0, word},
        {"one", 0, text_print(t, "%s%d)", one, k->load)},
        {"run", 0, text_tuple(t, parts, in_row, ", ")},
        {"cache", 0, k->load * bits == 128 ? "cg" : "ca"},
        {"read", k->load * bits / 8, NULL},
        {"bytes", k->store * bits / 8, NULL},
        {"type", 0, r->type->name},
        {"room", 0, text_numbers(t, n, extents)},
        {"places", 0, text_numbers(t, n, strides)},
        {"across", 0, G > 1 ? text_print(t, " %% %" PRId64, k->side) : ""},
        {"turns", pairs / of_pairs, NULL},
        {"each class", 0,
         P > G ? text_print(t, "    for u$ in 0 .. %" PRId64 " {\n    let a$ = %s;\n", P / G, class)
         : P > 1 ? text_print(t, "    let a$ = %s;\n", class)
                 : ""},
        {"class end", 0, P > G ? "    }\n" : ""},
        {"let b", 0, pairs > 1 ? text_print(t, "    let b$ = %s;\n", pair) : ""},
        {"let d", 0, k->windows ? text_print(t, "    let d$ = %s;\n", d) : ""},
        {"held", k->held, NULL},
        {"store", k->store, NULL},
        {"e", 0, e},
        {"taken", 0, taken(t, "e$", column_of(t, turn, other))},
        {"bits", bits, NULL},
        {"tile", 0, tile_of(t, Y)},
        {"written", 0, tuple(t, at, text_print(t, "%s .. %s + %d", access, access, k->store))},
        {"hints", 0, h.ld[0] ? "// Reads prefetch 128 bytes into L2.\n" : ""},
        {"ld", 0, h.ld[0] ? ", l2=128" : ""},
        {"st", 0, h.st},
        {"store bits", k->store * bits, NULL},
        {"first rows", 0,
         k->more ? text_print(t, "  let f$ = (%" PRId64 " - c%d$) / %" PRId64 ";\n", tiles - 1,
                              last, tiles - 1)
                 : ""},
        {"stage", 0, stage},
        {"takes", 0, takes},
        {"tiles", 0, text_blocks(t, r, &k->c)},
        {"coordinates", 0, text_coordinates(t, r, &k->c)},
        {"threads", k->c.threads, NULL},
        {"source run", runs_length(&k->x, tile), NULL},
        {"destination run", runs_length(&k->y, tile), NULL},
        {0}};
    return text_keep(t, own);
}

const struct form form_shift = {
    .choose = choose_shifted,
    .holes = holes,
    .side = declared,
    .how = "rows at any address, runs of <source run> and <destination run>, <threads> threads, "
           "<read> and <bytes> bytes, <rounds> rounds",
    .reasons =
        "// Rows begin at any address: runs of <source run> elements of the source are copied "
        "to shared memory by aligned accesses of <read> bytes.\n"
        "// From there elements are gathered for accesses of <bytes> bytes to runs of "
        "<destination run> elements.\n"
        "<hints>",
    .grid = "<tiles>",
    .body = "<coordinates>"
            "  shared s$ : <type> <room>:<places>;\n"
            "<first rows><stage><takes>",
};
