// Tiles that a block or a step moves out of the tensor, where they are only pads: the coordinates are swapped, or count
// elements and not tiles.  A tile that begins further on is loaded ahead.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

// Whether "m", which moves "v" along another mode, has as many values as there are tiles along "mode", where "v" is at a
// number.
static bool counts_tiles(struct session *s, const struct view *v, int mode, const struct mover *m) {
    struct lay_int n;
    int64_t tile = view_along(s, v, mode);
    if (!v->coord_off[mode] || !ix_static(v->coord_off[mode], NULL) || tile < 1 ||
        !ix_monomial(m->end, &n) || lay_int_static(n))
        return false;
    struct lay_int tiles = lay_int_ceil_div(&s->lay, reads_extent(s, v->base, mode), lay_int(tile));
    lay_clear_error(&s->lay);
    return lay_int_valid(tiles) && lay_int_equal(n, tiles);
}

// Whether "v" is at a number along another mode than "mode", and has one of several tiles there.
static bool is_one_of_several(struct session *s, const struct view *v, int mode) {
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        int64_t tile = view_along(s, v, i);
        struct lay_int n = reads_extent(s, v->base, i);
        if (i != mode && v->coord_off[i] && ix_static(v->coord_off[i], NULL) && tile > 1 &&
            !(lay_int_static(n) && n.num <= tile))
            return true;
    }
    return false;
}

// Warns if "m" moves "a" along "mode" by tiles, where there is one tile, and not along a mode of several.
static bool leaves_only_tile(struct reads *r, const struct access *a, int mode,
                             const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *at = v->coord_off[mode];
    const struct ix *by = at ? reads_step_by(s, at, m->v) : NULL, *limit = view_limit(s, v, mode),
                    *zero = ix_int(s, 0);
    int64_t tile = view_along(s, v, mode), step, left, n;
    if (!by || !limit || !is_one_of_several(s, v, mode)) return false;
    at = ix_substitute(s, at, m->v, zero);
    if (tile < 2 || !at || !ix_static(by, &step) || step < tile ||
        !ix_static(ix_sub(s, limit, at), &left) || left > tile || (ix_static(m->end, &n) && n <= 1))
        return false;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' moves the tile along %s of '%s', which has one tile of %lld there: the others "
              "are outside; are coordinates swapped?",
              m->v->name, view_mode_text(s, v->base, mode), v->base->name, (long long)tile);
    return true;
}

bool misread_outside(struct reads *r, const struct access *a, enum dir dir, int mode,
                     const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct tensor *t = v->base;
    const struct ix *end, *limit = view_limit(s, v, mode), *first = ix_min(s, v->coord_off[mode]);
    struct prove_witness found;
    int64_t tile, at;
    bool padded = a->copy && a->copy->pad && !a->write && t->space == MEM_GLOBAL;
    if (!padded || !limit) return false;
    if (v->limit || !ix_constant(m->end)) return leaves_only_tile(r, a, mode, m);
    if (!first || !ix_static(first, &at) || at != 0) return false;
    if (!coverage_reach(s, v, &a->around, mode, &end, &tile)) return false;
    if (!coverage_short(r->prover, limit, ix_sub(s, end, ix_int(s, tile - 1)))) return false;
    for (int i = 0; i < lay_tuple_leaves(t->layout.shape); ++i) {
        const struct ix *other = view_limit(s, v, i);
        if (!other || reads_whole(r, t, dir, i, (struct skipped){0}, other, &found) != PROVE_NO)
            continue;
        diag_warn(
            s, W_UNREAD, v->at,
            "'%s' moves the tile out of '%s' along %s, where there are only pads, and nothing "
            "reads '%s' to its end along %s; are coordinates swapped, or counted in elements?",
            m->v->name, t->name, view_mode_text(s, t, mode), t->name, view_mode_text(s, t, i));
        reads_note(r, t, i, a, false, &found);
        return true;
    }
    for (int i = 0; i < lay_tuple_leaves(t->layout.shape); ++i) {
        if (i == mode || !counts_tiles(s, v, i, m)) continue;
        diag_warn(s, W_UNREAD, v->at,
                  "'%s' moves the tile out of '%s' along %s, where there are only pads, and counts "
                  "the tiles along %s: are coordinates swapped?",
                  m->v->name, t->name, view_mode_text(s, t, mode), view_mode_text(s, t, i));
        return true;
    }
    return leaves_only_tile(r, a, mode, m);
}

bool misread_last(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *limit = view_limit(s, v, mode);
    struct prove_witness found;
    struct lay_int of;
    struct mover m;
    if (v->base->space != MEM_GLOBAL || !a->copy || !limit || !v->coord_off[mode] ||
        !ix_monomial(limit, &of) ||
        !coverage_outermost(s, r->k, &a->around, v->coord_off[mode], &m) || !m.loop ||
        m.end->op != IX_VAR || r->slip == m.v || m.step != view_along(s, v, mode))
        return false;
    struct lay_int tiles = lay_int_ceil_div(&s->lay, of, lay_int(m.step));
    lay_clear_error(&s->lay);
    for (int i = 0; i < 3; ++i) {
        if (r->k->block[i] != m.end->var || !lay_int_valid(tiles) ||
            !lay_int_equal(r->k->grid[i], tiles) ||
            reads_whole(r, v->base, ARG_IN, mode, (struct skipped){0}, limit, &found) != PROVE_NO)
            continue;
        diag_warn(s, W_UNREAD, m.end_at.end ? m.end_at : v->at,
                  "'%s' ends before '%s': block 0 has no step, and no block reads the last tile of "
                  "'%s' along %s; '%s + 1' includes it",
                  m.v->name, m.end->var->name, v->base->name, view_mode_text(s, v->base, mode),
                  m.end->var->name);
        reads_note(r, v->base, mode, a, false, &found);
        r->slip = m.v;
        return true;
    }
    return false;
}
