// Finds likely mistakes in the coordinates of a tile if elements are missing: they count elements
// instead of tiles, are in the order of other modes, or there is no grid.
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

enum { MOST_MODES = 8 };

// A mode of a tensor divided into tiles of "tile" elements; variable "v" advances by "step"
// elements.
struct cut {
    struct lay_int extent;
    int64_t tile, step;
    const struct ix_var *v;  // NULL: none or several variables
    bool first;              // always the first tile
};

static struct cut cut_of(const struct ix *e, struct lay_int extent, int64_t tile) {
    int64_t at;
    struct cut c = {extent, tile, 0, NULL, ix_static(e, &at) && at == 0};
    if (e->op == IX_VAR && ix_is_block_or_loop(e->var->kind)) {
        c.v = e->var;
        c.step = 1;
    }
    if (e->op != IX_SUM || e->nterms != 1) return c;
    const struct ix_term *t = &e->term[0];
    if (!t->atom || t->atom->op != IX_VAR || !ix_is_block_or_loop(t->atom->var->kind) ||
        !lay_int_static(t->coef))
        return c;
    c.v = t->atom->var;
    c.step = t->coef.num;
    return c;
}

// Fills "out" for the modes of the tensor of "v"; returns their number, or 0 if the view is not
// that simple.
static int cuts(struct session *s, const struct view *v, struct cut *out) {
    int n = lay_rank(v->layout);
    const struct lay_tuple *all = v->base->layout.shape;
    if (!v->coord_off || lay_is_leaf(all) || n != lay_tuple_rank(all) || n > MOST_MODES) return 0;
    for (int i = 0; i < n; ++i) {
        const struct lay_tuple *mode = lay_tuple_get(&s->lay, all, i);
        struct lay_int tile = lay_size(&s->lay, lay_mode(&s->lay, v->layout, i));
        if (!lay_is_leaf(mode) || !lay_int_static(tile) || !v->coord_off[i]) return 0;
        out[i] = cut_of(v->coord_off[i], mode->leaf, tile.num);
    }
    return n;
}

static struct lay_int tiles_of(struct session *s, const struct cut *c) {
    struct lay_int n = lay_int_ceil_div(&s->lay, c->extent, lay_int(c->tile));
    lay_clear_error(&s->lay);
    return n;
}

static bool has_as_many(struct session *s, const struct cut *c, const struct ix_var *v) {
    return lay_int_equal(tiles_of(s, c), v->end);
}

// Notes that "128*block.x" is used as the coordinate of tiles of 128 elements.
static bool note_elements(struct session *s, const struct view *v, const struct cut *c, int mode) {
    if (!c->v || c->tile < 2 || c->step != c->tile * c->tile) return false;
    diag_note(s, v->at,
              "coordinates of 'local_tile' count tiles, not elements: of %s tile '%s' begins "
              "at element %" PRId64 "*%s",
              view_mode_text(s, v->base, mode), c->v->name, c->tile, c->v->name);
    return true;
}

static bool note_swapped(struct session *s, const struct view *v, const struct cut *a, int i,
                         const struct cut *b) {
    if (!a->v || !b->v || a->v == b->v || a->step != a->tile || b->step != b->tile) return false;
    if (!has_as_many(s, a, b->v) || !has_as_many(s, b, a->v) || has_as_many(s, a, a->v))
        return false;
    diag_note(s, v->at,
              "along %s '%s' has %s tiles, which '%s' counts, not '%s': the coordinates are "
              "swapped, or %s",
              view_mode_text(s, v->base, i), v->base->name, lay_int_text(&s->lay, tiles_of(s, a)),
              b->v->name, a->v->name,
              a->v->kind == IX_LOOP || b->v->kind == IX_LOOP ? "the bounds"
                                                             : "the axes of the grid");
    return true;
}

// Notes that "a" is where the tiles along "b" are counted, of which the first is always taken.
static bool note_other_mode(struct session *s, const struct view *v, const struct cut *a,
                            const struct cut *b, int j) {
    if (!a->v || a->step != a->tile || !b->first || lay_int_is(a->v->end, 1) ||
        has_as_many(s, a, a->v) || !has_as_many(s, b, a->v))
        return false;
    diag_note(s, v->at,
              "'%s' counts the %s tiles of '%s' along %s, where this is always the first: are the "
              "coordinates swapped?",
              a->v->name, lay_int_text(&s->lay, a->v->end), v->base->name,
              view_mode_text(s, v->base, j));
    return true;
}

static bool note_no_grid(struct session *s, const struct kernel *k, const struct view *v,
                         const struct cut *cut, int n) {
    struct buf b;
    bool by_block = false;  // otherwise several blocks write the same
    for (int i = 0; i < n; ++i) by_block |= cut[i].v && cut[i].v->kind != IX_LOOP;
    if (!by_block || k->device || k->grid_at[0].end || n > 3) return false;
    buf_init(&b);
    for (int i = 0; i < n; ++i) {
        struct lay_int t = tiles_of(s, &cut[i]);
        if (!lay_int_valid(t)) {
            buf_finish(&b, &s->arena);
            return false;
        }
        bool ragged = t.nsyms == 1 && !t.syms[0]->name;
        buf_printf(&b, "%s%s", i ? ", " : "",
                   ragged ? arena_printf(&s->arena, "ceil_div(%s, %" PRId64 ")",
                                         lay_int_text(&s->lay, cut[i].extent), cut[i].tile)
                          : lay_int_text(&s->lay, t));
    }
    diag_note(s, k->at,
              "kernel '%s' has no grid, which is one block; 'grid (%s)' has one for each tile of "
              "'%s'",
              k->name, buf_finish(&b, &s->arena), v->base->name);
    return true;
}

bool coverage_note_tile(struct session *s, const struct view *v) {
    struct cut cut[MOST_MODES];
    int n = cuts(s, v, cut);
    bool noted = false;
    lay_clear_error(&s->lay);
    for (int i = 0; i < n; ++i) noted |= note_elements(s, v, &cut[i], i);
    for (int i = 0; i < n && !noted; ++i)
        for (int j = i + 1; j < n && !noted; ++j)
            noted = note_swapped(s, v, &cut[i], i, &cut[j]) ||
                    note_other_mode(s, v, &cut[i], &cut[j], j) ||
                    note_other_mode(s, v, &cut[j], &cut[i], i);
    return noted;
}

bool coverage_scaled(struct session *s, const struct view *v) {
    for (int i = 0; lay_valid(v->coord) && i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *lo, *hi, *e = v->coord_off[i];
        int64_t tile;
        view_reach(s, v, i, &lo, &hi);
        const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
        if (!span || !ix_static(span, &tile)) continue;
        if (e->op == IX_VAR && ix_is_block_or_loop(e->var->kind) && tile > 0) return true;
        for (int j = 0; e->op == IX_SUM && j < e->nterms; ++j) {
            const struct ix_term *t = &e->term[j];
            if (t->atom && t->atom->op == IX_VAR && ix_is_block_or_loop(t->atom->var->kind) &&
                !lay_int_is(t->coef, tile + 1))
                return true;
        }
    }
    return false;
}

bool coverage_note_grid(struct session *s, const struct kernel *k, const struct view *v) {
    struct cut cut[MOST_MODES];
    int n = cuts(s, v, cut);
    lay_clear_error(&s->lay);
    return n && note_no_grid(s, k, v, cut, n);
}
