// Tiles of an input that are only pads: an index that moves them counts twice as many as there are, or tiles of another
// size, and counts exactly those of another tensor.  A last tile that is loaded ahead is none of them, nor one that the
// rounding of a quotient leaves.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

// "n" as the quotient "of" / "by", rounded up; "by" is 1 if it is none.
static struct lay_int dividend(struct lay_int n, int64_t *by) {
    bool up = n.nsyms == 1 && !n.syms[0]->name && !n.syms[0]->sum && n.num == 1 && n.den == 1;
    *by = up ? n.syms[0]->by : 1;
    return up ? n.syms[0]->of : n;
}

// How many elements of "extent" each of "n" stands for, as num / den; false: that is not known.
static bool each_of(struct session *s, struct lay_int extent, struct lay_int n, int64_t *num,
                    int64_t *den) {
    int64_t by;
    struct lay_int of = dividend(n, &by);
    struct lay_int rate = lay_int_div(&s->lay, extent, of);
    lay_clear_error(&s->lay);
    if (!lay_int_valid(rate) || rate.nsyms || rate.basis >= 0 || rate.num <= 0) return false;
    *den = rate.den;
    return !__builtin_mul_overflow(rate.num, by, num);
}

// Whether "n" values are at least about twice what "t" tiles need, for every size.
static bool twice_as_many(struct reads *r, struct lay_int n, struct lay_int t) {
    struct session *s = r->s;
    if (lay_int_static(n) && lay_int_static(t)) return n.num >= 2 * t.num;
    const struct ix *all = ix_lay(s, n), *one = ix_lay(s, t);
    const struct ix *two = one ? ix_scale(s, one, lay_int(2)) : NULL;
    return all && two && coverage_short(r->prover, ix_add(s, one, ix_int(s, 3)), all) &&
           prove_at_least(r->prover, ix_add(s, all, ix_int(s, 1)), two) == PROVE_YES;
}

// An access to another tensor of global memory of which "x", with "n" values, moves exactly all tiles; NULL: there is none.
static const struct access *counted(struct reads *r, const struct access *a, const struct ix_var *x,
                                    struct lay_int n) {
    struct session *s = r->s;
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        if (c->view->base == a->view->base || c->view->base->space != MEM_GLOBAL ||
            !lay_valid(c->view->coord))
            continue;
        for (int m = 0; m < lay_tuple_leaves(c->view->base->layout.shape); ++m) {
            const struct ix *by =
                c->view->coord_off[m] ? reads_step_by(s, c->view->coord_off[m], x) : NULL;
            int64_t step;
            if (!by || !ix_static(by, &step) || step < 1) continue;
            struct lay_int t =
                lay_int_ceil_div(&s->lay, reads_extent(s, c->view->base, m), lay_int(step));
            lay_clear_error(&s->lay);
            if (lay_int_valid(t) && lay_int_equal(t, n)) return c;
        }
    }
    return NULL;
}

// "block.x / 4", where "n" values of "m" are "rate" for each of "t"; NULL: it is no whole number.
static const char *quotient(struct session *s, const struct mover *m, struct lay_int n,
                            struct lay_int t) {
    int64_t by, to;
    struct lay_int of = dividend(n, &by), all = dividend(t, &to);
    struct lay_int rate = lay_int_div(&s->lay, lay_int_mul(&s->lay, of, lay_int(to)),
                                      lay_int_mul(&s->lay, all, lay_int(by)));
    lay_clear_error(&s->lay);
    if (!lay_int_valid(rate) || !lay_int_static(rate) || rate.den != 1 || rate.num < 2) return NULL;
    return arena_printf(&s->arena, "%s / %" PRId64, m->v->name, rate.num);
}

// Whether "m" moves the padded read "a" along "mode", from its first tile on.
static bool moves_all(struct reads *r, const struct access *a, int mode, struct mover *m) {
    const struct view *v = a->view;
    const struct ix *first;
    int64_t from, begin;
    if (!lay_valid(v->coord) || !v->coord_off[mode] ||
        !coverage_outermost(r->s, r->k, &a->around, v->coord_off[mode], m) || m->step < 1 ||
        !ix_constant(m->end) || !ix_static(m->begin, &begin) || begin != 0)
        return false;
    first = ix_min(r->s, v->coord_off[mode]);
    return first && ix_static(first, &from) && from <= 0;
}

static bool only_pads(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct lay_int extent = reads_extent(s, v->base, mode), n;
    const struct access *other;
    struct mover m;
    int64_t num, den;
    if (!moves_all(r, a, mode, &m) || !ix_monomial(m.end, &n)) return false;
    if (v->limit && !v->halo) return false;
    struct lay_int t = lay_int_ceil_div(&s->lay, extent, lay_int(m.step));
    lay_clear_error(&s->lay);
    if (!lay_int_valid(t) || !(other = counted(r, a, m.v, n))) return false;
    const char *along = view_mode_text(s, v->base, mode);
    if (twice_as_many(r, n, t)) {
        const char *by = quotient(s, &m, n, t);
        diag_warn(s, W_UNREAD, v->at,
                  "'%s' counts to %s, and '%s' has only %s along %s: the others are only pads%s",
                  m.v->name, lay_int_text(&s->lay, n), v->base->name,
                  lay_int_is(t, 1)
                      ? "1 tile"
                      : arena_printf(&s->arena, "%s tiles", coverage_tiles(s, extent, m.step)),
                  along, by ? arena_printf(&s->arena, "; is '%s' meant?", by) : "");
    } else if (!lay_int_static(extent) && each_of(s, extent, n, &num, &den) && den == 1 &&
               num < m.step && num > 1) {
        diag_warn(s, W_UNREAD, v->at,
                  "'%s' counts tiles of %" PRId64 " of '%s' along %s, and moves it by %" PRId64
                  " there, so that the last ones are only pads: is %" PRId64 " meant?",
                  m.v->name, num, v->base->name, along, m.step, num);
    } else {
        return false;
    }
    diag_note(s, other->view->at, "'%s' moves '%s' here, tile after tile", m.v->name,
              other->view->base->name);
    return true;
}

// Warns of the padded read "a" if a quotient or a remainder moves it, of numbers, to twice as many tiles as there are.
static bool only_pads_by(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *at = v->coord_off[mode], *lo = at ? ix_min(s, at) : NULL,
                    *hi = at ? ix_max(s, at) : NULL;
    struct lay_int extent = reads_extent(s, v->base, mode);
    int64_t from, to, tile = view_along(s, v, mode);
    struct mover m;
    if (v->limit || !lo || !hi || !lay_int_static(extent) || tile < 1 || !ix_static(lo, &from) ||
        !ix_static(hi, &to) || from != 0 || !ix_depends_if(at, ix_is_block_or_loop) ||
        ix_depends_if(at, ix_is_thread) || (at->op == IX_SUM && at->nterms > 1) ||
        coverage_outermost(s, r->k, &a->around, at, &m))
        return false;
    int64_t tiles = (extent.num + tile - 1) / tile;
    if (to / tile + 1 < 2 * tiles) return false;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' has only %s along %s, and this begins at %s there, up to %" PRId64
              ": the others are only pads",
              v->base->name, arena_count(&s->arena, tiles, "tile"),
              view_mode_text(s, v->base, mode), ix_text(s, at), to);
    return true;
}

// Whether a function in the loop around "a" that "x" counts gets the step as an index: then -Widle-blocks does not say
// that a step does nothing.
static bool is_told_step(const struct access *a, const struct ix_var *x) {
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *loop = a->around.stmt[i];
        if (!stmt_loops(loop) || (loop->var != x && !(loop->pipe && loop->pipe->load_var == x)))
            continue;
        for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st))
            for (int k = 0; st->kind == STMT_CALL && k < st->call->fn->nindexes; ++k)
                if (ix_depends_on(st->call->index[k], loop->var)) return true;
    }
    return false;
}

// Warns of the steps of a loop that are beyond the range that "a" reads, and the more the larger a param is.
static bool beyond_range(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *limit = view_limit(s, v, mode), *begin, *last, *all;
    struct mover m;
    if (!v->limit || v->range_of_range || !v->limit[mode] || !limit || !v->coord_off[mode] ||
        !lay_valid(v->coord) || !coverage_outermost(s, r->k, &a->around, v->coord_off[mode], &m) ||
        !m.loop || m.step < 2 || m.step != view_along(s, v, mode) || !ix_constant(m.end) ||
        !is_told_step(a, m.v))
        return false;
    begin = ix_min(s, v->coord_off[mode]);
    all = begin ? ix_sub(s, limit, begin) : NULL;
    last = ix_scale(s, ix_sub(s, m.end, ix_int(s, 1)), lay_int(m.step));
    if (!all || !last || !ix_constant(all) || ix_static(all, NULL) || ix_static(last, NULL) ||
        !coverage_short(r->prover, ix_add(s, all, ix_int(s, 4 * m.step)), last) ||
        prove_at_least(r->prover, ix_add(s, last, ix_int(s, m.step)), all) != PROVE_YES)
        return false;
    diag_warn(s, W_UNREAD, m.end_at.end ? m.end_at : v->at,
              "'%s' moves on behind the range of '%s' along %s, which has %s elements: the tiles "
              "from there on are only pads",
              m.v->name, v->base->name, view_mode_text(s, v->base, mode), ix_text(s, all));
    diag_note(s, v->at, "the range is here");
    return true;
}

void lint_only_pads(struct lint *l) {
    const struct kernel *k = l->k;
    if (k->device || l->told) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !r->more; ++i) {
        const struct access *a = &r->at[i];
        if (a->write || !a->copy || !a->copy->pad || a->view->base->space != MEM_GLOBAL) continue;
        for (int m = 0; m < lay_tuple_leaves(a->view->base->layout.shape); ++m)
            if (only_pads(r, a, m) || only_pads_by(r, a, m) || beyond_range(r, a, m)) return;
    }
    lay_clear_error(&l->s->lay);
}
