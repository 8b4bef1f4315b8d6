// Computes how many blocks or iterations would write a tensor completely, if a part is never
// written.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

struct blocks {
    struct session *s;
    const struct kernel *k;
    struct prover *prover;
    const struct around *around;
};

// Whether "v", of which all elements must be there, is outside its tensor where "x" is "last".
static bool ends_before(const struct blocks *b, const struct view *v, const struct ix_var *x,
                        const struct ix *last) {
    struct session *s = b->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    if (v->tiled || v->overhang || v->base->space == MEM_FRAG) return false;
    for (int i = 0; v->coord_off && i < lay_tuple_rank(flat); ++i) {
        const struct ix *e = v->coord_off[i];
        if (!e || !ix_depends_on(e, x)) continue;
        e = ix_substitute(s, e, x, last);
        e = e ? ix_max(s, e) : NULL;
        if (!e || coverage_short(b->prover, ix_lay(s, lay_tuple_get(&s->lay, flat, i)->leaf),
                                 ix_add(s, e, ix_int(s, 1))))
            return true;
    }
    return false;
}

// What "x" cannot go on in: a tensor that a copy of "k" would then touch outside; NULL: it can.
static const struct tensor *stops(const struct blocks *b, const struct ix_var *x,
                                  const struct ix *last) {
    const struct kernel *k = b->k;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY) continue;
        if (ends_before(b, &st->copy->src, x, last)) return st->copy->src.base;
        if (ends_before(b, &st->copy->dst, x, last)) return st->copy->dst.base;
    }
    return NULL;
}

// Along "mode", where nothing counts its tiles.
static bool note_still(const struct blocks *b, const struct view *v, int mode,
                       struct lay_int extent) {
    struct session *s = b->s;
    const struct ix *lo, *hi;
    int64_t tile;
    if (!v->coord_off[mode] || !ix_constant(v->coord_off[mode])) return false;
    view_reach(s, v, mode, &lo, &hi);
    const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
    if (!v->tiled || !span || !ix_static(span, &tile)) return false;
    if (!coverage_short(b->prover, ix_add(s, hi, ix_int(s, 1)), ix_lay(s, extent))) return false;
    diag_note(s, v->at,
              "along %s '%s' has %s tiles of %" PRId64
              ", and no block and no step counts them: this is always the tile at %s",
              view_mode_text(s, v->base, mode), v->base->name, coverage_tiles(s, extent, tile + 1),
              tile + 1, ix_text(s, v->coord_off[mode]));
    return true;
}

// Along "mode", where the first step is beyond the first element.
static bool note_first(const struct blocks *b, const struct view *v, int mode,
                       const struct mover *m) {
    struct session *s = b->s;
    const struct ix *at = ix_substitute(s, v->coord_off[mode], m->v, m->begin);
    int64_t first;
    if (!at || !ix_min(s, at) || !ix_static(ix_min(s, at), &first) || first <= 0) return false;
    diag_note(s, v->at,
              "along %s '%s' begins at %s, so that the first element written is %" PRId64 ", not 0",
              view_mode_text(s, v->base, mode), m->v->name, ix_text(s, m->begin), first);
    return true;
}

// Along "mode", which threads alone move.
static bool note_threads(const struct blocks *b, const struct view *v, int mode,
                         struct lay_int extent) {
    struct session *s = b->s;
    const struct ix *at = v->coord_off[mode], *lo, *hi;
    view_reach(s, v, mode, &lo, &hi);
    const struct ix *last = hi ? ix_max(s, hi) : NULL;
    if (!last || !at || !ix_depends(at, IX_TID) || v->partitioned) return false;
    const struct ix *end = ix_add(s, last, ix_int(s, 1));
    if (!coverage_short(b->prover, end, ix_lay(s, extent))) return false;
    diag_note(s, v->at,
              "along %s '%s' has %s elements, and the %" PRId64
              " threads of a block write those below %s: let blocks or a loop take the others",
              view_mode_text(s, v->base, mode), v->base->name, lay_int_text(&s->lay, extent),
              b->k->threads, ix_text(s, end));
    return true;
}

// Notes "what", and that it is made for "threads" threads.
static void note_more(struct session *s, const struct kernel *k, struct range at, int64_t threads,
                      const char *what) {
    diag_note(s, at, "%s; '%s' has %" PRId64 " threads: is 'threads %" PRId64 "' meant?", what,
              k->name, k->threads, threads);
}

// Along "mode", where the warps of a block write less than from one of "m" to the next.
static bool note_warps(const struct blocks *b, const struct view *v, int mode,
                       const struct mover *m) {
    struct session *s = b->s;
    const struct ix *at = v->coord_off[mode], *lo, *hi;
    int64_t tile;
    view_reach(s, v, mode, &lo, &hi);
    const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
    const struct ix *rest = ix_sub(s, at, ix_scale(s, ix_var(s, m->v), lay_int(m->step)));
    for (int i = 0; rest && at->op == IX_SUM && i < at->nterms; ++i) {
        const struct ix_term *t = &at->term[i];
        int64_t warps = (b->k->threads + 31) / 32;
        if (!t->atom || t->atom->op != IX_VAR || t->atom->var->kind != IX_WARP ||
            !lay_int_static(t->coef) || t->coef.num < 1 || m->step % t->coef.num || !span ||
            !ix_constant(ix_sub(s, rest, ix_scale(s, t->atom, t->coef))) ||
            !ix_static(span, &tile) || (warps - 1) * t->coef.num + tile + 1 >= m->step)
            continue;
        note_more(s, b->k, v->at, m->step / t->coef.num * 32,
                  arena_printf(&s->arena,
                               "'warp' is 0 to %" PRId64 ", and along %s '%s' moves by %" PRId64
                               " elements, of which each warp has %" PRId64,
                               warps - 1, view_mode_text(s, v->base, mode), m->v->name, m->step,
                               tile + 1));
        return true;
    }
    return false;
}

// Where a layout of threads that divides "v" has more of them than there are.
static bool note_layout(const struct blocks *b, const struct view *v) {
    struct session *s = b->s;
    const struct partitioned *p = v->partitioned;
    struct lay_int n = p ? lay_size(&s->lay, p->thr) : LAY_INT_INVALID;
    lay_clear_error(&s->lay);
    if (!lay_int_static(n) || n.num <= b->k->threads || p->thread->op != IX_VAR ||
        p->thread->var->kind != IX_TID)
        return false;
    note_more(s, b->k, p->thr_at, n.num,
              arena_printf(&s->arena, "this layout divides among %" PRId64 " threads", n.num));
    return true;
}

// The mover of term "t" of a coordinate alone.
static bool mover_alone(const struct blocks *b, const struct ix_term *t, struct mover *m) {
    const struct ix *one = t->atom ? ix_scale(b->s, t->atom, t->coef) : NULL;
    return one && coverage_outermost(b->s, b->k, b->around, one, m);
}

// Along "mode", which two variables move: their factors are each other's.
static bool note_factors(const struct blocks *b, const struct view *v, int mode) {
    struct session *s = b->s;
    const struct ix *at = v->coord_off[mode], *lo, *hi;
    struct mover x, y;
    int64_t span, n, others, first;
    if (at->op != IX_SUM || at->nterms != 2 || !mover_alone(b, &at->term[0], &x) ||
        !mover_alone(b, &at->term[1], &y))
        return false;
    view_reach(s, v, mode, &lo, &hi);
    const struct ix *more = lo && hi ? ix_sub(s, hi, lo) : NULL;
    struct mover *inner = x.step > y.step ? &x : &y, *outer = inner == &x ? &y : &x;
    // "inner" is what has the larger factor now
    if (!more || !ix_static(more, &span) || !ix_static(inner->end, &n) || outer->step != span + 1 ||
        inner->step != n * outer->step || !ix_static(inner->begin, &first) || first != 0 ||
        !ix_static(outer->end, &others) || others == n)
        return false;
    int64_t by = inner->step / outer->step;
    diag_note(s, v->at,
              "along %s '%s' moves by %" PRId64 " elements and '%s' by %" PRId64
              ", and '%s' has %" PRId64 " steps: is '%" PRId64 "*%s + %s' meant?",
              view_mode_text(s, v->base, mode), inner->v->name, inner->step, outer->v->name,
              outer->step, inner->v->name, n, by, outer->v->name, inner->v->name);
    return true;
}

// The tensor of "v", another than "but", if "m" moves "v" along some mode exactly to the end of it, or of a part of
// it, which has "all" elements there; otherwise NULL.
static const struct tensor *reached_by(const struct blocks *b, const struct view *v,
                                       const struct mover *m, const struct tensor *but, int *mode,
                                       struct lay_int *all) {
    struct session *s = b->s;
    if (v->base == but || v->base->space != MEM_GLOBAL) return NULL;
    for (*mode = 0; v->coord_off && *mode < lay_tuple_leaves(v->base->layout.shape); ++*mode) {
        const struct ix *at = v->coord_off[*mode], *end = view_limit(s, v, *mode), *by, *first, *lo,
                        *hi;
        int64_t step, span;
        struct lay_int count;
        if (!at || !end || !ix_depends_on(at, m->v)) continue;
        first = ix_substitute(s, at, m->v, ix_int(s, 0));
        by = first ? ix_sub(s, ix_substitute(s, at, m->v, ix_int(s, 1)), first) : NULL;
        view_reach(s, v, *mode, &lo, &hi);
        if (!by || !ix_static(by, &step) || step < 1 || !ix_constant(first) || !lo || !hi ||
            !ix_static(ix_sub(s, hi, lo), &span) || span + 1 != step ||
            !ix_monomial(ix_sub(s, end, first), all) || !ix_monomial(m->end, &count))
            continue;
        struct lay_int tiles = lay_int_ceil_div(&s->lay, *all, lay_int(step));
        lay_clear_error(&s->lay);
        if (lay_int_valid(tiles) && lay_int_equal(tiles, count)) return v->base;
    }
    return NULL;
}

static bool note_reached(const struct blocks *b, const struct view *v, int mode,
                         struct lay_int extent, const struct mover *m) {
    struct session *s = b->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    const struct tensor *t = NULL;
    struct lay_int all;
    int along = 0, other = 0;
    for (const struct stmt *st = b->k->body; st && !t; st = stmt_next(b->k->body, st)) {
        if (st->kind == STMT_COPY) t = reached_by(b, &st->copy->src, m, v->base, &along, &all);
        if (st->kind == STMT_COPY && !t)
            t = reached_by(b, &st->copy->dst, m, v->base, &along, &all);
    }
    if (!t) return false;
    while (other < lay_tuple_rank(flat) &&
           (other == mode || !lay_int_equal(lay_tuple_get(&s->lay, flat, other)->leaf, all)))
        ++other;
    const char *what = arena_printf(
        &s->arena,
        "along %s '%s' has %s elements, and '%s' reaches the %s of '%s' along %s in %s steps",
        view_mode_text(s, v->base, mode), v->base->name, lay_int_text(&s->lay, extent), m->v->name,
        lay_int_text(&s->lay, all), t->name, view_mode_text(s, t, along), ix_text(s, m->end));
    if (!lay_is_leaf(flat) && other < lay_tuple_rank(flat))
        diag_note(s, v->at, "%s; '%s' has as many along %s: is '%s' meant there?", what,
                  v->base->name, view_mode_text(s, v->base, other), m->v->name);
    else
        diag_note(s, v->at, "%s: is the shape of '%s' right, and what is taken of it here?", what,
                  v->base->name);
    return true;
}

static bool note_mode(const struct blocks *b, const struct view *v, int mode,
                      struct lay_int extent) {
    struct session *s = b->s;
    struct mover m = {0};
    int64_t from;
    if (!coverage_outermost(b->s, b->k, b->around, v->coord_off[mode], &m))
        return note_threads(b, v, mode, extent) || note_still(b, v, mode, extent);
    if (!ix_static(m.begin, &from) || !ix_constant(m.end)) return false;
    if (from != 0) return note_first(b, v, mode, &m);
    if (note_warps(b, v, mode, &m) || note_factors(b, v, mode)) return true;
    if (v->limit && v->limit[mode]) return false;  // a part, which ends elsewhere
    const struct ix *by = ix_scale(s, m.end, lay_int(m.step)), *all = ix_lay(s, extent);
    if (!coverage_short(b->prover, by, all)) return false;
    struct lay_int want = lay_int_ceil_div(&s->lay, extent, lay_int(m.step));
    lay_clear_error(&s->lay);
    if (!lay_int_valid(want)) return false;
    const char *text = coverage_tiles(s, extent, m.step);
    const char *is = ix_text(s, m.end);
    if (m.end_at.end)  // as it is written
        is = arena_printf(&s->arena, "%.*s", (int)(m.end_at.end - m.end_at.begin),
                          s->sources.file[m.end_at.file].text + m.end_at.begin);
    const struct tensor *stop = stops(b, m.v, ix_sub(s, ix_lay(s, want), ix_int(s, 1)));
    const char *along = view_mode_text(s, v->base, mode), *of = lay_int_text(&s->lay, extent);
    if (stop) {
        const struct ix *last = ix_scale(s, ix_sub(s, m.end, ix_int(s, 1)), lay_int(m.step));
        diag_note(s, v->at,
                  "along %s '%s' has %s elements, and '%s' steps by %" PRId64
                  " up to %s; with more steps this kernel would be outside '%s', so what is left "
                  "takes a copy of its own",
                  along, v->base->name, of, m.v->name, m.step, ix_text(s, last), stop->name);
        return true;
    }
    if (note_reached(b, v, mode, extent, &m)) return true;
    diag_note(s, m.end_at.end ? m.end_at : v->at,
              "along %s '%s' has %s elements, and '%s' steps by %" PRId64 ": %s", along,
              v->base->name, of, m.v->name, m.step,
              arena_printf(&s->arena,
                           m.loop ? "'%s in 0 .. %s' reaches all of them, not %s"
                                  : "'%s' reaches all of them in a grid of %s blocks, not %s",
                           m.v->name, text, is));
    if (m.end_at.end) {
        diag_fixit(s, m.end_at, text);
        diag_claim(s, (struct claim){.function = b->k->name, .right = true});
    }
    return true;
}

bool coverage_note_blocks(struct session *s, const struct kernel *k, struct prover *p,
                          const struct view *v, const struct around *around) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    const struct blocks b = {s, k, p, around};
    bool noted = note_layout(&b, v);
    for (int i = 0; v->coord_off && i < lay_tuple_rank(flat); ++i)
        noted |= note_mode(&b, v, i, lay_tuple_get(&s->lay, flat, i)->leaf);
    return noted;
}
