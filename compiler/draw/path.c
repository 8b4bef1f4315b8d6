// Draws the path of one thread through a copy: which elements of the view it moves in which round.
#include <inttypes.h>

#include "draw/domain.h"
#include "plan/view.h"

enum { MAX_ARROWS = 128, MAX_KEYS = 24 };

struct path {
    struct domain view, tile, rest;  // modes of the view; tile and rest have equally many
    const struct tiled_copy *tc;
    bool src;  // the side whose elements are shown
    int64_t thread;
    struct pic_grid *grid;
    int64_t prev_slice;
    int prev_row, prev_column;
    struct pic_arrow *arrow;  // PIC_GRIDS times MAX_ARROWS entries
};

static const char *find_path(const struct draw_request *r, struct path *f) {
    const struct tiled_copy *tc = r->copy->tc;
    if (!tc) return "it is a copy between one thread's views, which no tile cuts";
    const struct view *v = copy_tiled_side(r->copy);
    if (!lay_valid(v->layout) || !domain_of(v->layout.shape, r->sym_values, &f->view))
        return lay_valid(v->layout) && domain_too_large(v->layout.shape, r->sym_values)
                   ? "the picture would be too large: its view has more than 2147483647 elements"
                   : "the extents of its view have no value";
    f->view.names = v->names;
    f->tc = tc;
    f->src = v == &r->copy->src;
    if (!domain_of(tc->tiler, NULL, &f->tile)) return "its tile has no value";
    if (f->view.rank == 0) return "its view has no modes";
    if (f->tile.rank > f->view.rank) return "its tile has more modes than its view";
    f->rest = f->view;
    f->rest.size = 1;
    for (int m = 0; m < f->view.rank; ++m) {
        int64_t t = m < f->tile.rank ? f->tile.extent[m] : 1;
        f->tile.extent[m] = t;
        f->rest.extent[m] = (f->view.extent[m] + t - 1) / t;
        f->rest.size *= f->rest.extent[m];
    }
    return NULL;
}

// The row, column and slice of value "i" of the tile in round "round"; false if it is outside of
// the view.
static bool place_of(const struct path *f, int64_t i, int64_t round, int64_t *row, int64_t *column,
                     int64_t *slice) {
    int64_t at[LAY_MAX_RANK] = {0}, step = 1;
    for (int m = 0; m < f->view.rank; ++m) {
        int64_t t = f->tile.extent[m];
        at[m] = i % t + round % f->rest.extent[m] * t;
        i /= t;
        round /= f->rest.extent[m];
        if (at[m] >= f->view.extent[m]) return false;
    }
    *row = at[0];
    *column = f->view.rank > 1 ? at[1] : 0;
    *slice = 0;
    for (int m = 2; m < f->view.rank; step *= f->view.extent[m++]) *slice += at[m] * step;
    return true;
}

static void group_by_tile(struct picture *p, const struct path *f) {
    int64_t t0 = f->tile.extent[0], t1 = f->view.rank > 1 ? f->tile.extent[1] : 1;
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        for (int r = 0; r < g->rows; ++r)
            for (int c = 0; c < g->columns; ++c)
                picture_cell(p, pic_at(g, r, c), -1, r / t0 << 32 | c / t1,
                             p->format == DRAW_TEXT ? "." : "");
    }
}

// Adds the arrow from the begin of the last round to the begin of this one.
static void add_arrow(struct picture *p, struct path *f, int64_t slice, int row, int column) {
    struct pic_grid *g = &p->grid[slice];
    if (f->prev_slice == slice && g->narrows < MAX_ARROWS) {
        if (!g->narrows) g->arrow = f->arrow + slice * MAX_ARROWS;
        f->arrow[slice * MAX_ARROWS + g->narrows++] =
            (struct pic_arrow){f->prev_row, f->prev_column, row, column};
    }
    f->prev_slice = slice;
    f->prev_row = row;
    f->prev_column = column;
}

static void mark(struct picture *p, struct path *f, int64_t round, int64_t v) {
    int64_t i, row, column, slice;
    if (!tiled_place(p->s, f->tc, f->src, f->thread, v, &i)) return;
    if (!place_of(f, i, round, &row, &column, &slice)) return;
    if (slice >= p->ngrids || row >= p->grid[slice].rows || column >= p->grid[slice].columns)
        return;
    struct pic_cell *c = pic_at(&p->grid[slice], (int)row, (int)column);
    if (f->rest.size > 1)
        picture_cell(p, c, pic_hue(round), c->group, "R%" PRId64 "\nV%" PRId64, round, v);
    else
        picture_cell(p, c, pic_hue(round), c->group, "V%" PRId64, v);
    if (v == 0) add_arrow(p, f, slice, (int)row, (int)column);
}

static void add_keys(struct picture *p, const struct path *f) {
    if (f->rest.size < 2 || f->rest.size > MAX_KEYS) return;
    struct pic_key *key = ARENA_ARRAY(&p->s->arena, struct pic_key, f->rest.size);
    for (int64_t i = 0; i < f->rest.size; ++i)
        key[i] = (struct pic_key){pic_hue(i), picture_text(p, "round %" PRId64, i)};
    p->key = key;
    p->nkeys = (int)f->rest.size;
}

const char *view_path(struct picture *p, const struct draw_request *r) {
    struct path *f = ARENA_NEW(&p->s->arena, struct path);
    const char *why = find_path(r, f);
    if (why) return why;
    if (r->thread < 0 || r->thread >= f->tc->threads)
        return picture_text(p, "thread %" PRId64 " is not one of its %" PRId64 " threads",
                            r->thread, f->tc->threads);
    const struct view *v = copy_tiled_side(r->copy);
    why = domain_grids(p, picture_text(p, "the view of '%s'", v->base->name), &f->view);
    if (why) return why;
    f->thread = r->thread;
    f->prev_slice = -1;
    f->arrow = ARENA_ARRAY(&p->s->arena, struct pic_arrow, p->ngrids * MAX_ARROWS);
    p->title =
        picture_text(p, "Thread %" PRId64 " of %" PRId64 " in copy %s -> %s, %" PRId64 " round%s",
                     r->thread, f->tc->threads, r->copy->src.base->name, r->copy->dst.base->name,
                     f->rest.size, f->rest.size == 1 ? "" : "s");
    picture_note(p, "a round is a tile of %s; R: the round, V: the value in it",
                 lay_tuple_text(&p->s->lay, r->copy->tc->tiler));
    group_by_tile(p, f);
    for (int64_t round = 0; round < f->rest.size; ++round)
        for (int64_t i = 0; i < tiled_values(f->tc, f->src); ++i) mark(p, f, round, i);
    add_keys(p, f);
    return NULL;
}
