// Draws tiled copies: which thread owns which element.  Evaluates the TV layout for each thread and
// value.
#include <inttypes.h>

#include "draw/domain.h"
#include "plan/print.h"
#include "plan/view.h"

enum { MAX_VALUES = 1 << 24 };

struct owner {
    int32_t thread;  // the first one that has the element; -1: none
    int32_t value;
    bool shared;  // several threads have it
};

struct owners {
    struct domain tile;
    int64_t threads, values;
    struct owner *of;  // by linear coordinate
    int thread_digits, value_digits;
};

// Evaluates "tc" for what its threads write; threads of a collective atom read other values.
// Returns NULL, or why it has no map.
static const char *find_owners(struct picture *p, const struct tiled_copy *tc, struct owners *o) {
    if (!domain_of(tc->tiler, NULL, &o->tile)) return "its tile has no value";
    if (o->tile.size > PIC_TEXT_CELLS)
        return picture_text(p, "its tile has more than %d coordinates", PIC_TEXT_CELLS);
    o->threads = tc->threads;
    o->values = tiled_values(tc, false);
    if (o->threads > MAX_VALUES / o->values)
        return picture_text(p, "its TV layout has more than %d values", MAX_VALUES);
    o->thread_digits = pic_digits(o->threads - 1) < 2 ? 2 : pic_digits(o->threads - 1);
    o->value_digits = pic_digits(o->values - 1);
    o->of = ARENA_ARRAY(&p->s->arena, struct owner, o->tile.size);
    for (int64_t i = 0; i < o->tile.size; ++i) o->of[i].thread = -1;
    for (int64_t t = 0; t < o->threads; ++t) {
        for (int64_t v = 0; v < o->values; ++v) {
            int64_t i;
            if (!tiled_place(p->s, tc, false, t, v, &i) || i < 0 || i >= o->tile.size)
                return "its TV layout leaves the tile";
            struct owner *c = &o->of[i];
            if (c->thread < 0)
                *c = (struct owner){(int32_t)t, (int32_t)v, false};
            else if (c->thread != t)
                c->shared = true;
        }
    }
    return NULL;
}

static void name_owner(struct picture *p, const struct owners *o, int64_t i, char between,
                       struct pic_cell *cell) {
    const struct owner *c = &o->of[i];
    if (c->thread < 0) {
        picture_cell(p, cell, -1, -1, "-");
    } else if (between) {
        picture_cell(p, cell, 0, c->thread, "T%0*d%cV%0*d%s", o->thread_digits, (int)c->thread,
                     between, o->value_digits, (int)c->value, c->shared ? "+" : "");
    } else {
        picture_cell(p, cell, 0, c->thread, "T%0*d%s", o->thread_digits, (int)c->thread,
                     c->shared ? "+" : "");
    }
}

static void note_owners(struct picture *p, const struct owners *o, bool between) {
    int64_t none = 0, shared = 0;
    for (int64_t i = 0; i < o->tile.size; ++i) {
        none += o->of[i].thread < 0;
        shared += o->of[i].shared;
    }
    if (p->format == DRAW_TEXT) return;
    picture_note(p, between ? "T: the thread, V: which of its values"
                            : "T: the thread; its adjacent elements are one cell");
    if (none) picture_note(p, "-: no thread holds the element (%" PRId64 " times)", none);
    if (shared) picture_note(p, "+: further threads hold it too (%" PRId64 " times)", shared);
}

static const char *map(struct picture *p, const struct draw_request *r, const char *title,
                       char between) {
    struct owners *o = ARENA_NEW(&p->s->arena, struct owners);
    const char *why = find_owners(p, r->tc, o);
    o->tile.names = r->names;
    if (!why) why = domain_grids(p, "the tile", &o->tile);
    if (why) return why;
    p->title = picture_text(p, "%s (%s), %" PRId64 " threads", title, domain_text(p, &o->tile),
                            r->tc->threads);
    note_owners(p, o, between);
    if (atom_is_collective(r->tc->atom.row)) picture_note(p, "of what the threads write");
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        for (int row = 0; row < g->rows; ++row)
            for (int col = 0; col < g->columns; ++col)
                name_owner(p, o, domain_at(&o->tile, k, row, col), between, pic_at(g, row, col));
    }
    picture_threads(p);
    return NULL;
}

const char *view_owners(struct picture *p, const struct draw_request *r) {
    return map(p, r, "Tile ownership map", r->values ? '\n' : 0);
}

// Fills the grid for the source or the destination.
static const char *fill_tv(struct picture *p, const struct tiled_copy *tc, const struct owners *o,
                           bool src, struct pic_grid *g) {
    g->row_prefix = "T";
    g->row_digits = o->thread_digits;
    g->column_prefix = "V";
    g->row_axis = "thread";
    g->column_axis = "value";
    for (int t = 0; t < g->rows; ++t) {
        for (int v = 0; v < g->columns; ++v) {
            char text[64];
            int64_t i;
            if (!tiled_place(p->s, tc, src, t, v, &i)) return "its TV layout has no value";
            domain_coord(&o->tile, i, text, sizeof text);
            picture_cell(p, pic_at(g, t, v), 0, t, "%s", text);
        }
    }
    return NULL;
}

// (thr,val) -> coordinate
const char *view_tv(struct picture *p, const struct draw_request *r) {
    struct owners *o = ARENA_NEW(&p->s->arena, struct owners);
    const char *why = find_owners(p, r->tc, o);
    bool sides = atom_is_collective(r->tc->atom.row);
    int64_t most = o->values, read = tiled_values(r->tc, true);
    if (read > most) most = read;
    if (!why) why = picture_grids(p, "the TV layout", sides ? 2 : 1, o->threads, most);
    if (why) return why;
    bool layout = lay_valid(r->tc->tv);
    p->title = picture_text(p, "%s %s", layout ? "TV layout" : "Index map",
                            layout ? plan_tv_text(p->s, r->tc) : r->tc->map->text);
    picture_note(p, "thread and value -> coordinate in the (%s) tile", domain_text(p, &o->tile));
    for (int k = 0; k < p->ngrids && !why; ++k) {
        int64_t values = k == 0 ? read : o->values;
        if (sides) p->grid[k].heading = k == 0 ? "source" : "destination";
        if (values < p->grid[k].columns) p->grid[k].columns = (int)values;
        why = fill_tv(p, r->tc, o, k == 0, &p->grid[k]);
    }
    picture_threads(p);
    return why;
}

// coordinate -> (thr,val)
const char *view_inverse(struct picture *p, const struct draw_request *r) {
    const char *why = map(p, r, "Inverse of the TV layout", '\n');
    if (!why) picture_note(p, "coordinate -> thread and value");
    return why;
}
