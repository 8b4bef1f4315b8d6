// What a block's or a loop's variable counts: advice about its bound must fit all of it.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

// The elements by which "v" moves a view with the coordinate "at"; 0: that is not known.
static int64_t step_of(const struct ix *at, const struct ix_var *v) {
    struct ix_term alone = {.coef = lay_int(1), .atom = at};
    int n = !at ? 0 : at->op == IX_SUM ? at->nterms : 1;
    for (int i = 0; i < n; ++i) {
        const struct ix_term *t = at->op == IX_SUM ? &at->term[i] : &alone;
        if (t->atom && t->atom->op == IX_VAR && t->atom->var == v && lay_int_static(t->coef))
            return t->coef.num;
    }
    return 0;
}

// The mode of which "v" counts "n" tiles; -1: there is none.
static int counted_mode(struct session *s, const struct view *x, const struct ix_var *v,
                        struct lay_int n) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, x->base->layout.shape);
    for (int i = 0; lay_valid(x->coord) && i < lay_tuple_leaves(flat); ++i) {
        int64_t step = step_of(x->coord_off[i], v);
        if (step < 1) continue;
        struct lay_int extent = lay_is_leaf(flat) ? flat->leaf : flat->kid[i]->leaf;
        struct lay_int tiles = lay_int_ceil_div(&s->lay, extent, lay_int(step));
        lay_clear_error(&s->lay);
        if (lay_int_valid(tiles) && lay_int_equal(tiles, n)) return i;
    }
    return -1;
}

// The other variable of the pipeline whose steps "v" counts, in its "load" parts or in "use"; or NULL.
static const struct ix_var *twin_of(const struct kernel *k, const struct ix_var *v) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->pipe && (st->var == v || st->pipe->load_var == v))
            return st->var == v ? st->pipe->load_var : st->var;
    return NULL;
}

const struct tensor *coverage_counted_by(struct session *s, const struct kernel *k,
                                         const struct ix_var *v, struct lay_int n,
                                         const struct tensor *but, int *mode) {
    const struct ix_var *twin = twin_of(k, v);
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_COPY && i < 2; ++i) {
            const struct view *x = copy_side(st->copy, i == 0);
            if (x->base->space != MEM_GLOBAL || x->base == but) continue;
            *mode = counted_mode(s, x, v, n);
            if (*mode < 0 && twin) *mode = counted_mode(s, x, twin, n);
            if (*mode >= 0) return x->base;
        }
    }
    return NULL;
}

// A block's variable, or that of a loop in "around", that has exactly "n" values; NULL: there is none.
static const struct ix_var *counter_of(const struct kernel *k, const struct around *around,
                                       struct lay_int n) {
    if (lay_int_is(n, 1)) return NULL;
    for (int i = 0; i < 3; ++i)
        if (k->block[i] && lay_int_equal(k->grid[i], n)) return k->block[i];
    for (int i = 0; i < around->n; ++i) {
        const struct stmt *loop = around->stmt[i];
        struct lay_int count;
        int64_t from;
        if (stmt_loops(loop) && ix_static(loop->begin, &from) && from == 0 &&
            ix_monomial(loop->end, &count) && lay_int_equal(count, n))
            return loop->var;
    }
    return NULL;
}

bool coverage_note_counted(struct session *s, const struct kernel *k, const struct around *around,
                           const struct along *a, const struct mover *m, bool named) {
    const struct tensor *t = a->v->base, *other;
    int along;
    struct lay_int count, n = lay_int_ceil_div(&s->lay, a->of, lay_int(m->step));
    lay_clear_error(&s->lay);
    if (!lay_int_valid(n) || !ix_monomial(m->end, &count) || lay_int_equal(n, count)) return false;
    other = coverage_counted_by(s, k, m->v, count, t, &along);
    if (!other) return false;
    const struct ix_var *by = counter_of(k, around, n);
    if (named && !by) return false;
    diag_note(s, a->v->at, "'%s' counts the tiles of '%s' along %s; %s", m->v->name, other->name,
              view_mode_text(s, other, along),
              by ? arena_printf(&s->arena, "'%s' counts those of '%s' along %s", by->name, t->name,
                                view_mode_text(s, t, a->mode))
                 : arena_printf(&s->arena,
                                "no block and no step counts the %s tiles of '%s' along %s",
                                lay_int_text(&s->lay, n), t->name, view_mode_text(s, t, a->mode)));
    return true;
}

static void note_axis(struct session *s, const struct kernel *k, const struct around *around,
                      const struct view *v, const struct ix *at, struct lay_int extent) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    struct mover m;
    struct lay_int count;
    int mode = -1;
    if (at->op != IX_VAR || !coverage_outermost(s, k, around, at, &m) ||
        !ix_monomial(m.end, &count) || lay_int_equal(count, extent))
        return;
    for (int i = 0; i < lay_tuple_rank(flat) && mode < 0; ++i)
        if (!lay_is_leaf(flat) && lay_int_equal(lay_tuple_get(&s->lay, flat, i)->leaf, count))
            mode = i;
    const struct ix_var *by = counter_of(k, around, extent);
    if (!by && mode < 0) return;
    diag_note(s, v->at, "'%s' counts to %s%s%s", m.v->name, lay_int_text(&s->lay, count),
              mode < 0 ? ""
                       : arena_printf(&s->arena, ", as along %s of '%s'",
                                      view_mode_text(s, v->base, mode), v->base->name),
              by ? arena_printf(&s->arena, "; '%s' counts to %s: is it meant here?", by->name,
                                lay_int_text(&s->lay, extent))
                 : ": is that mode meant?");
}

// The relation that promises that "end" is at least "n" less or more than "to", "n" a number; NULL: there is none.
static const struct relation *promised_near(struct session *s, const struct plan *p,
                                            const struct ix *to, const struct ix *end, int64_t *n) {
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        bool up = strcmp(r->op, ">=") == 0;
        if ((up || strcmp(r->op, "<=") == 0) && ix_equal(up ? r->a : r->b, end) &&
            ix_static(ix_sub(s, to, up ? r->b : r->a), n) && *n != 0)
            return r;
    }
    return NULL;
}

static void note_promise(struct session *s, const struct plan *p, const struct view *v,
                         const struct ix *to, const struct ix *end) {
    int64_t n;
    const struct relation *r = promised_near(s, p, to, end, &n);
    const char *at = r ? ix_text(s, r->op[0] == '>' ? r->b : r->a) : NULL;
    if (r)
        diag_note(
            s, v->at,
            "'%s' is promised, and this range ends at %s: is the one to %s meant? if not, promise "
            "that in its place: '%s'",
            r->text, ix_text(s, to), at,
            arena_printf(&s->arena, "where %s >= %s", ix_text(s, end), ix_text(s, to)));
    else
        diag_note(s, v->at, "if that is meant, promise it: 'where %s <= %s'", ix_text(s, to),
                  ix_text(s, end));
}

void coverage_note_bound(struct session *s, const struct plan *p, const struct kernel *k,
                         const struct around *around, const struct view *v,
                         const struct slice_bound *b) {
    const struct ix *end = ix_lay(s, b->extent);
    if (!b->range) note_axis(s, k, around, v, b->at, b->extent);
    if (b->range && b->what == RANGE_LAST && ix_constant(b->at) && ix_constant(end) &&
        !lay_int_static(b->extent))
        note_promise(s, p, v, ix_add(s, b->at, ix_int(s, 1)), end);
    if (b->range && b->what != RANGE_EXTENT)
        diag_note(s, v->at,
                  "a range has all its elements; a tile of 'local_tile' may reach beyond the "
                  "tensor, and its accesses are guarded there");
}

bool coverage_note_place(struct session *s, const struct kernel *k, const struct around *around,
                         const struct view *v) {
    if (coverage_note_tile(s, v)) return true;
    for (int i = 0; lay_valid(v->coord) && i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        struct mover m;
        struct lay_int of;
        const struct ix *limit = view_limit(s, v, i);
        if (v->limit || !limit || !ix_monomial(limit, &of)) continue;
        if (coverage_outermost(s, k, around, v->coord_off[i], &m) &&
            coverage_note_counted(s, k, around, &(struct along){v, i, of}, &m, true))
            return true;
    }
    return false;
}

bool coverage_note_more(struct session *s, const struct kernel *k, const struct around *around,
                        const struct view *v) {
    for (int i = 0; lay_valid(v->coord) && i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        struct mover m;
        struct lay_int of, count;
        const struct ix *limit = view_limit(s, v, i);
        if (v->limit || !limit || !ix_monomial(limit, &of) ||
            !coverage_outermost(s, k, around, v->coord_off[i], &m) || !ix_monomial(m.end, &count))
            continue;
        struct lay_int tiles = lay_int_ceil_div(&s->lay, of, lay_int(m.step));
        struct lay_int rate = lay_int_div(&s->lay, count, tiles);
        lay_clear_error(&s->lay);
        if (!lay_int_valid(tiles) || !lay_int_static(rate) || rate.num <= rate.den) continue;
        diag_note(s, m.end_at.end ? m.end_at : v->at,
                  "'%s' counts %s tiles, and '%s' has %s of %" PRId64 " along %s", m.v->name,
                  coverage_tiles(s, count, 1), v->base->name, coverage_tiles(s, of, m.step), m.step,
                  view_mode_text(s, v->base, i));
        return true;
    }
    return false;
}

void coverage_note_steps(struct session *s, const struct view *v, const struct around *around) {
    const struct stmt *loop = around->n ? around->stmt[around->n - 1] : NULL;
    if (loop && loop->begin && loop->end)
        diag_note(s, v->at, "this part is written for '%s' in %s .. %s", loop->var->name,
                  ix_text(s, loop->begin), ix_text(s, loop->end));
}
