// The form of a tile: straight through registers, or through shared memory.

#include "planner/form.h"

static void choose_tiles(struct candidates *list) {
    struct chosen *found = memory_new(RELAYOUT_CANDIDATES * sizeof *found);
    int n = choose(list->r, false, found, list->most);
    for (int i = 0; i < n; ++i) {
        const struct chosen *k = &found[i];
        struct candidate c = {&form_tile, k->c.threads, k->cost.total, .tile = *k};
        candidates_add(list, list->n, &c);
    }
    memory_free(found);
}

// The atom of a tiled copy between those sides: it requires the width, or only allows it if params
// decide whether it is valid.
static const char *atom_of_sides(const struct relayout *r, const struct share *s, bool src,
                                 bool dst) {
    bool proven =
        (!src || vector_proven(r, s->vector, true)) && (!dst || vector_proven(r, s->vector, false));
    return proven ? "universal" : "auto";
}

// Whether some tile is not completely inside, or not at all.  The grid of several copies has the
// tiles of all of them along each axis, and a divisor that could be 0 is one more than the tiles.
static bool ragged(const struct relayout *r, const struct choice *c) {
    struct axes g;
    axes_of(r, c, &g);
    if (r->shorter || (r->several && r->usual)) return true;
    for (int a = 0; a < g.axes; ++a)
        for (int i = 0; i + 1 < g.digits[a]; ++i)
            if (!is_divisor(r, c, g.digit[a][i])) return true;
    for (int m = 0; m < r->rank; ++m) {
        struct lay_int n = exactly(&r->mode[m], RELAYOUT_EXTENT);
        int64_t lo, hi;
        lay_int_range(n, &lo, &hi);
        if (!lay_int_divisible(n, c->tile[m]) || (!is_tiled(r, c, m) && lo < c->tile[m]))
            return true;
    }
    return false;
}

// Says for each side why its accesses are not wider.
static const char *narrower(const struct text *t, int src, int dst) {
    const struct relayout *r = t->r;
    const char *text = "";
    for (int side = 0; side < 2; ++side) {
        int most = vector_along(r, side == 0 ? src : dst, side == 0);
        int m = unpromised(r, most, side == 0);
        if (m >= 0)
            text = text_print(
                t,
                "%s// Accesses of %d bytes need a stride that is a multiple of %d; the stride %s "
                "of the %s is not promised to be one.\n",
                text, most * bytes_of(r, side == 0), most,
                r->mode[m].text[side == 0 ? RELAYOUT_SRC : RELAYOUT_DST],
                side == 0 ? "source" : "destination");
    }
    return text;
}

static const char straight_reasons[] =
    "// Elements go straight through registers, <straight> bytes per access.\n";
static const char staged_reasons[] =
    "// Elements go through shared memory, read by <read> bytes and written by <written>.\n";
static const char transposed[] =
    "// Blocks of <vector> by <block> elements are transposed in registers.\n";
static const char straight_body[] = "  copy local_tile(<src>, <part>) ->\n"
                                    "      local_tile(<dst>, <part>)\n"
                                    "      with <all>;\n";
static const char staged_body[] = "<shared>"
                                  "  let rd$ = <rd>;\n"
                                  "<let put>"
                                  "  let wr$ = <wr>;\n"
                                  "  frag r$ : <type> like rd$;\n"
                                  "  copy local_tile(<src>, <part>) -> r$ with rd$<pad>;\n"
                                  "  copy r$ -> s$ with <put>$;\n"
                                  "  copy s$ -> local_tile(<dst>, <part>) with wr$;\n";

static const struct hole *holes(const struct text *t) {
    const struct relayout *r = t->r;
    const struct choice *c = &t->of->tile.c;
    const struct cost *cost = &t->of->tile.cost;
    const struct hints h = hints_of(r, c);
    bool staged = c->way == WAY_STAGED;
    int bits = held_type(r)->bits, load = c->rd.vector * r->type->bits;
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    order_of(r, true, src);
    order_of(r, false, dst);
    const char *all = "", *rd = "", *put = "", *wr = "";
    bool narrow = false;
    if (staged) {
        const char *atom = atom_of_sides(r, &c->rd, true, false);
        rd = text_tiled(t, r, &c->rd, true, atom, load, h.ld);
        narrow = h.ld[0] || c->block * bits != load || !vector_proven(r, c->rd.vector, true);
        put = text_tiled(t, r, &c->rd, true, "universal", c->block * bits, "");
        wr = text_tiled(t, r, &c->wr, false, atom_of_sides(r, &c->wr, false, true),
                        c->wr.vector * type_of(r, false)->bits, h.st);
    } else {
        all = text_tiled(t, r, &c->rd, false, atom_of_sides(r, &c->rd, true, true),
                         c->rd.vector * 8 * wider_bytes(r), text_print(t, "%s%s", h.ld, h.st));
    }
    const struct hole all_holes[] = {
        {"choice", 0, text_choice(t, r, c)},
        {"x", src[0], NULL},
        {"y", dst[0], NULL},
        {"straight", c->rd.vector * wider_bytes(r), NULL},
        {"read", c->rd.vector * bytes_of(r, true), NULL},
        {"written", c->wr.vector * bytes_of(r, false), NULL},
        {"vector", c->rd.vector, NULL},
        {"block", c->block, NULL},
        {"lines", cost->lines, NULL},
        {"conflicts", cost->conflict, NULL},
        {"blocks", cost->per_sm, NULL},
        {"way", 0, staged ? staged_reasons : straight_reasons},
        {"transposed", 0, staged && src[0] != dst[0] ? transposed : ""},
        {"hints", 0, h.why ? text_print(t, "// Cache hints: %s.\n", h.why) : ""},
        {"sizes", 0,
         r->usual ? text_print(t, "// The choice is for sizes like %s.\n", r->usual) : ""},
        {"narrower", 0, staged ? narrower(t, src[0], dst[0]) : ""},
        {"left out", 0,
         r->left_out ? text_print(t,
                                  "// No sizes were found that keep these conditions of wider "
                                  "accesses:%s.\n",
                                  r->left_out)
                     : ""},
        {"conversion", 0,
         r->to && staged ? text_print(t, "// Elements are converted when they are %s.\n",
                                      held_type(r) == r->type ? "stored" : "loaded")
                         : ""},
        {"tiles", 0, text_blocks(t, r, c)},
        {"coordinates", 0, text_coordinates(t, r, c)},
        {"copies", 0, staged ? staged_body : straight_body},
        {"part", 0, text_part(t, r, c)},
        {"shared", 0, staged ? text_shared(t, r, c) : ""},
        {"all", 0, all},
        {"rd", 0, rd},
        {"let put", 0, narrow ? text_print(t, "  let put$ = %s;\n", put) : ""},
        {"wr", 0, wr},
        {"type", 0, held_type(r)->name},
        {"pad", 0, ragged(r, c) ? " pad 0" : ""},
        {"put", 0, narrow ? "put" : "rd"},
        {0}};
    return text_keep(t, all_holes);
}

const struct form form_tile = {
    .choose = choose_tiles,
    .holes = holes,
    .how = "<choice>",
    .reasons = "// Mode <x> is the fast one of the source, mode <y> of the destination.\n"
               "<way><transposed><hints><sizes><narrower><left out><conversion>"
               "// The warps of a tile touch <lines> lines of the caches and have <conflicts> bank "
               "conflicts; <blocks> blocks per SM.\n",
    .grid = "<tiles>",
    .body = "<coordinates><copies>",
};
