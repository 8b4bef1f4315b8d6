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

// How many of "of" elements each of "n" blocks takes; 0: that is not known.
static int64_t counted_by(struct session *s, struct lay_int n, struct lay_int of) {
    if (reads_rounded_up(n) && lay_int_equal(n.syms[0]->of, of)) return n.syms[0]->by;
    struct lay_int rate = lay_int_div(&s->lay, of, n);
    lay_clear_error(&s->lay);
    return lay_int_valid(rate) && lay_int_static(rate) && rate.den == 1 && !lay_int_is(n, 1)
               ? rate.num
               : 0;
}

// The only axis of the grid on whose block "end" depends; -1: it depends on more, or on none.
static int axis_of(const struct reads *r, const struct ix *end) {
    for (int i = 0; i < 3; ++i) {
        const struct ix_var *x = r->k->block[i];
        const struct ix *first =
            x && ix_depends_on(end, x) ? ix_substitute(r->s, end, x, ix_int(r->s, 0)) : NULL;
        if (first) return ix_constant(first) ? i : -1;
    }
    return -1;
}

// The end of a loop by steps of "step" where a block of "x" takes "rows" elements, and the loop those of all blocks up to
// this one; or NULL.
static const char *end_by(struct session *s, const struct ix_var *x, int64_t rows, int64_t step) {
    if (rows == step) return arena_printf(&s->arena, "%s + 1", x->name);
    if (rows % step == 0)
        return arena_printf(&s->arena, "%lld*(%s + 1)", (long long)(rows / step), x->name);
    if (step % rows == 0)
        return arena_printf(&s->arena, "%s/%lld + 1", x->name, (long long)(step / rows));
    return NULL;
}

// Warns of "m", which moves "a" along "mode" of "of" elements and ends by the block of another axis than the one that
// counts these.
static bool ends_by_another(struct reads *r, const struct access *a, int mode,
                            const struct mover *m, int axis, struct lay_int of) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix_var *x = r->k->block[axis];
    if (!view_depends(v, x) || !reads_unrelated(s, of, r->k->grid[axis])) return false;
    for (int i = 0; i < 3; ++i) {
        if (i == axis || !r->k->block[i] || counted_by(s, r->k->grid[i], of) < 2) continue;
        diag_warn(
            s, W_UNREAD, m->end_at.end ? m->end_at : v->at,
            "'%s' ends at %s, and '%s' does not count the elements of '%s' along %s, of which "
            "'%s' reads tiles: '%s' does",
            m->v->name, ix_text(s, m->end), x->name, v->base->name,
            view_mode_text(s, v->base, mode), m->v->name, r->k->block[i]->name);
        return true;
    }
    return false;
}

// Warns of "m", which moves "a" along "mode" of "of" elements and ends by the block of "axis" before all are read.
static bool ends_before(struct reads *r, const struct access *a, int mode, const struct mover *m,
                        int axis, struct lay_int of) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix_var *x = r->k->block[axis];
    const char *along = view_mode_text(s, v->base, mode);
    struct range at = m->end_at.end ? m->end_at : v->at;
    int64_t rows = counted_by(s, r->k->grid[axis], of);
    const char *end = rows ? end_by(s, x, rows, m->step) : NULL;
    if (!end) return ends_by_another(r, a, mode, m, axis, of);
    if (m->end->op == IX_VAR && rows == m->step)
        diag_warn(s, W_UNREAD, at,
                  "'%s' ends before '%s': block 0 has no step, and no block reads the last tile of "
                  "'%s' along %s; '%s' includes it",
                  m->v->name, x->name, v->base->name, along, end);
    else
        diag_warn(s, W_UNREAD, at,
                  "'%s' takes tiles of %lld of '%s' along %s and ends at %s, and a block of '%s' "
                  "counts %lld elements: no block reads the last of them; '%s' includes them",
                  m->v->name, (long long)m->step, v->base->name, along, ix_text(s, m->end), x->name,
                  (long long)rows, end);
    return true;
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
        r->slip == m.v || m.step != view_along(s, v, mode) || !ix_static(m.begin, NULL))
        return false;
    int axis = axis_of(r, m.end);
    if (axis < 0 || !reads_all(r, a, mode, &m) || !ix_rises(m.end, r->k->block[axis], false) ||
        reads_whole(r, v->base, ARG_IN, mode, (struct skipped){0}, limit, &found) != PROVE_NO ||
        !ends_before(r, a, mode, &m, axis, of))
        return false;
    reads_note(r, v->base, mode, a, false, &found);
    r->slip = m.v;
    return true;
}
