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

bool misread_outside(struct reads *r, const struct access *a, enum dir dir, int mode,
                     const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct tensor *t = v->base;
    const struct ix *end, *limit = view_limit(s, v, mode), *first = ix_min(s, v->coord_off[mode]);
    struct prove_witness found;
    int64_t tile, at;
    bool padded = a->copy && a->copy->pad && !a->write && t->space == MEM_GLOBAL;
    if (!padded || v->limit || !limit || !ix_constant(m->end)) return false;
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
    return false;
}
