// The form of a tile: straight through registers, or through shared memory.
#include <inttypes.h>
#include <string.h>

#include "planner/form.h"

static void choose_tiles(struct candidates *list) {
    struct chosen found[RELAYOUT_CANDIDATES];
    int n = choose(list->r, false, found, list->most);
    for (int i = 0; i < n; ++i) {
        const struct chosen *k = &found[i];
        struct candidate c = {&form_tile, k->c.threads, k->cost.total, .tile = *k};
        candidates_add(list, list->n, &c);
    }
}

static const char *how(const struct text *t) {
    return text_choice(t, t->r, &t->of->tile.c);
}

static const char *grid(const struct text *t) {
    return text_blocks(t, t->r, &t->of->tile.c);
}

// The atom of a tiled copy between those sides: it requires the width, or only allows it if params
// decide whether it is valid.
static const char *atom_of_sides(const struct relayout *r, const struct share *s, bool src,
                                 bool dst) {
    bool proven =
        (!src || vector_proven(r, s->vector, true)) && (!dst || vector_proven(r, s->vector, false));
    return proven ? "universal" : "auto";
}

// Whether some tile is not completely inside, or not at all.
static bool ragged(const struct relayout *r, const struct choice *c) {
    for (int m = 0; m < r->rank; ++m) {
        struct lay_int n = exactly(&r->mode[m], RELAYOUT_EXTENT);
        int64_t lo, hi;
        lay_int_range(n, &lo, &hi);
        if (!lay_int_divisible(n, c->tile[m]) || (!is_tiled(r, c, m) && lo < c->tile[m]))
            return true;
    }
    return false;
}

static const char straight_body[] = "  copy <from> ->\n      <to>\n      with <rd>;\n";
static const char staged_body[] = "<shared>"
                                  "  let rd$ = <rd>;\n"
                                  "<let put>"
                                  "  let wr$ = <wr>;\n"
                                  "  frag r$ : <type> like rd$;\n"
                                  "  copy <from> -> r$ with rd$<pad>;\n"
                                  "  copy r$ -> s$ with <put>$;\n"
                                  "  copy s$ -> <to> with wr$;\n";

static const char *body(const struct text *t) {
    const struct relayout *r = t->r;
    const struct choice *c = &t->of->tile.c;
    const struct hints h = hints_of(r, c);
    const char *from = text_part(t, r, c, t->names->src), *to = text_part(t, r, c, t->names->dst);
    const char *coordinates = text_coordinates(t, r, c), *kernel;
    if (c->way == WAY_STRAIGHT) {
        const char *rd =
            text_tiled(t, r, &c->rd, false, atom_of_sides(r, &c->rd, true, true),
                       c->rd.vector * 8 * wider_bytes(r), text_print(t, "%s%s", h.ld, h.st));
        kernel = text_fill(t, straight_body,
                           (struct hole[]){{"from", 0, from}, {"to", 0, to}, {"rd", 0, rd}, {0}});
    } else {
        int bits = held_type(r)->bits, load = c->rd.vector * r->type->bits;
        const char *rd = atom_of_sides(r, &c->rd, true, false);
        bool narrow = h.ld[0] || c->block * bits != load || strcmp(rd, "universal") != 0;
        const char *put = text_tiled(t, r, &c->rd, true, "universal", c->block * bits, "");
        const char *wr = text_tiled(t, r, &c->wr, false, atom_of_sides(r, &c->wr, false, true),
                                    c->wr.vector * type_of(r, false)->bits, h.st);
        const struct hole holes[] = {
            {"shared", 0, text_shared(t, r, c)},
            {"rd", 0, text_tiled(t, r, &c->rd, true, rd, load, h.ld)},
            {"let put", 0, narrow ? text_print(t, "  let put%s = %s;\n", t->end, put) : ""},
            {"wr", 0, wr},
            {"type", 0, held_type(r)->name},
            {"from", 0, from},
            {"pad", 0, ragged(r, c) ? " pad 0" : ""},
            {"put", 0, narrow ? "put" : "rd"},
            {"to", 0, to},
            {0}};
        kernel = text_fill(t, staged_body, holes);
    }
    return text_print(t, "%s%s", coordinates, kernel);
}

static const char straight_reasons[] =
    "// Elements go straight through registers, <bytes> bytes per access.\n";
static const char staged_reasons[] =
    "// Elements go through shared memory, read by <read> bytes and written by <written>.\n";
static const char transposed[] =
    "// Blocks of <vector> by <block> elements are transposed in registers.\n";
static const char unpromised_stride[] =
    "// Accesses of <bytes> bytes need a stride that is a multiple of <most>; the stride <stride> "
    "of the <side> is not promised to be one.\n";

// Writes for each side why its accesses are not wider.
static const char *narrower(const struct text *t, int src, int dst) {
    const struct relayout *r = t->r;
    const char *text = "";
    for (int side = 0; side < 2; ++side) {
        int most = vector_along(r, side == 0 ? src : dst, side == 0);
        int m = unpromised(r, most, side == 0);
        if (m < 0) continue;
        const struct hole holes[] = {{"bytes", most * bytes_of(r, side == 0), NULL},
                                     {"most", most, NULL},
                                     {"stride", 0,
                                      r->mode[m].text[side == 0 ? RELAYOUT_SRC : RELAYOUT_DST]},
                                     {"side", 0, side == 0 ? "source" : "destination"},
                                     {0}};
        text = text_print(t, "%s%s", text, text_fill(t, unpromised_stride, holes));
    }
    return text;
}

static const char *reasons(const struct text *t) {
    const struct relayout *r = t->r;
    const struct choice *c = &t->of->tile.c;
    const struct cost *cost = &t->of->tile.cost;
    const struct hints h = hints_of(r, c);
    bool staged = c->way == WAY_STAGED;
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    order_of(r, true, src);
    order_of(r, false, dst);
    const struct hole holes[] = {{"x", src[0], NULL},
                                 {"y", dst[0], NULL},
                                 {"bytes", c->rd.vector * wider_bytes(r), NULL},
                                 {"read", c->rd.vector * bytes_of(r, true), NULL},
                                 {"written", c->wr.vector * bytes_of(r, false), NULL},
                                 {"vector", c->rd.vector, NULL},
                                 {"block", c->block, NULL},
                                 {"hints", 0, h.why},
                                 {"usual", 0, r->usual},
                                 {"left out", 0, r->left_out},
                                 {"when", 0, held_type(r) == r->type ? "stored" : "loaded"},
                                 {"lines", cost->lines, NULL},
                                 {"conflicts", cost->conflict, NULL},
                                 {"blocks", cost->per_sm, NULL},
                                 {0}};
    const char *lines[] = {
        "// Mode <x> is the fast one of the source, mode <y> of the destination.\n",
        staged ? staged_reasons : straight_reasons,
        staged && src[0] != dst[0] ? transposed : NULL,
        h.why ? "// Cache hints: <hints>.\n" : NULL,
        r->usual ? "// The choice is for sizes like <usual>.\n" : NULL,
        staged ? narrower(t, src[0], dst[0]) : NULL,
        r->left_out ? "// No sizes were found that keep these conditions of wider accesses:<left "
                      "out>.\n"
                    : NULL,
        r->to && staged ? "// Elements are converted when they are <when>.\n" : NULL,
        "// The warps of a tile touch <lines> lines of the caches and have <conflicts> bank "
        "conflicts; <blocks> blocks per SM.\n"};
    return text_lines(t, lines, sizeof lines / sizeof *lines, holes);
}

const struct form form_tile = {choose_tiles, how, reasons, grid, body};
