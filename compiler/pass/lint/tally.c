// How often copies read each element along a mode of an input, where all is known as numbers: some elements
// are never read, and the mistake is in a copy that reads others twice, or the same for all blocks or steps.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

enum { MOST_COUNTED = 1 << 16, MOST_TALLIED = 16 };

// The elements of a read along the mode: "n" times "size" of them, "step" apart.
struct run {
    const struct access *of;
    int64_t begin, step, n, size;
};

struct tally {
    int nruns;
    struct run run[MOST_TALLIED];
    int64_t extent, unread, total, first;  // "first": the first one that is never read
};

// The blocks, steps and threads do not move "v" along "mode", or one of them does by equal steps.
static bool run_of(struct reads *r, const struct access *a, int mode, struct run *out) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *at = v->coord_off[mode], *lo, *hi;
    int64_t last, from, to;
    struct mover m;
    *out = (struct run){.of = a, .n = 1};
    if (!at || v->limit || v->halo) return false;
    view_reach(s, v, mode, &lo, &hi);
    if (!lo || !hi || !ix_static(ix_sub(s, hi, lo), &last)) return false;
    out->size = last + 1;
    if (ix_static(lo, &out->begin)) return true;
    if (!coverage_outermost(s, r->k, &a->around, lo, &m) || !ix_static(m.begin, &from) ||
        !ix_static(m.end, &to) || to <= from)
        return false;
    lo = ix_sub(s, lo, ix_scale(s, ix_var(s, m.v), lay_int(m.step)));
    out->step = m.step;
    out->n = to - from;
    return ix_static(lo, &out->begin) && (out->begin += from * m.step, true);
}

static bool tally_of(struct reads *r, const struct tensor *t, int mode, struct tally *x) {
    struct session *s = r->s;
    unsigned char *seen = ARENA_ARRAY(&s->arena, unsigned char, x->extent + 1);
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        struct run *y = &x->run[x->nruns];
        if (a->view->base != t) continue;
        if (a->write || !a->copy || x->nruns == MOST_TALLIED || !lay_valid(a->view->coord) ||
            !run_of(r, a, mode, y))
            return false;
        for (int64_t n = 0; n < y->n; ++n)
            for (int64_t e = 0; e < y->size; ++e) {
                int64_t at = y->begin + n * y->step + e;
                if (at < 0 || at >= x->extent || ++x->total > 2 * MOST_COUNTED) return false;
                seen[at] = 1;
            }
        ++x->nruns;
    }
    for (int64_t e = x->extent - 1; e >= 0; --e)
        if (!seen[e]) ++x->unread, x->first = e;
    return x->nruns > 1;
}

// The axis of the grid or the loop that moves what "y" writes and not what it reads, and of whose other
// values each would read as much of what is never read; or NULL.
static const struct ix_var *left_still(const struct reads *r, const struct tally *x,
                                       const struct run *y) {
    const struct view *v = y->of->view, *to = &y->of->copy->dst;
    int64_t from, end;
    if (y->n != 1 || to->base->space != MEM_GLOBAL || !lay_valid(to->coord)) return NULL;
    for (int i = 0; i < 3; ++i) {
        const struct ix_var *b = r->k->block[i];
        struct lay_int n = r->k->grid[i];
        if (b && lay_int_static(n) && (n.num - 1) * y->size == x->unread && view_depends(to, b) &&
            !view_depends(v, b))
            return b;
    }
    for (int i = 0; i < y->of->around.n; ++i) {
        const struct stmt *st = y->of->around.stmt[i];
        if (stmt_loops(st) && st->var && ix_static(st->begin, &from) && ix_static(st->end, &end) &&
            (end - from - 1) * y->size == x->unread && view_depends(to, st->var) &&
            !view_depends(v, st->var))
            return st->var;
    }
    return NULL;
}

static bool go_apart(const struct tally *x) {
    for (int i = 0; i < x->nruns; ++i)
        for (int j = 0; j < i; ++j)
            if (!misread_apart(x->run[i].of, x->run[j].of)) return false;
    return true;
}

bool misread_tally(struct reads *r, const struct tensor *t, int mode) {
    struct session *s = r->s;
    struct lay_int extent = reads_extent(s, t, mode);
    struct tally x = {.extent = extent.num};
    if (!lay_int_static(extent) || extent.num > MOST_COUNTED || !tally_of(r, t, mode, &x) ||
        !x.unread)
        return false;
    const char *along = view_mode_text(s, t, mode);
    for (int i = 0; i < x.nruns; ++i) {
        const struct ix_var *v = left_still(r, &x, &x.run[i]);
        if (!v) continue;
        const struct view *from = x.run[i].of->view, *to = &x.run[i].of->copy->dst;
        diag_warn(s, W_FIXED_TILE, from->at,
                  "'%s' moves what is written to '%s' and not what is read of '%s' along %s; as "
                  "many elements as its other values would read there are never read: %" PRId64,
                  v->name, to->base->name, t->name, along, x.unread);
        diag_note(s, from->at, "coordinate %" PRId64 " of '%s' along %s is the first of them",
                  x.first, t->name, along);
        return true;
    }
    if (x.total != x.extent || !go_apart(&x)) return false;
    const struct view *v = NULL;
    for (int i = 0; i < x.nruns; ++i)
        if (x.run[i].step > x.run[i].size) v = x.run[i].of->view;
    if (!v) return false;
    diag_warn(s, W_UNREAD, v->at,
              "the copies of '%s' read as many elements along %s as it has, but some of them twice "
              "and %" PRId64 " never; is another step meant?",
              t->name, along, x.unread);
    diag_note(s, v->at, "coordinate %" PRId64 " of '%s' along %s is the first of them", x.first,
              t->name, along);
    return true;
}

// -- the rest twice -------------------------------------------------------------------------------

// The call below "a" that gets what it copies and adds it to "acc" (NULL: any, which is set); or NULL.
static const struct stmt *added_by(const struct reads *r, const struct access *a,
                                   const struct tensor **acc) {
    const struct stmt *from = r->k->body;
    while (from && from->copy != a->copy) from = stmt_next(r->k->body, from);
    for (const struct stmt *st = from; st; st = stmt_next(r->k->body, st)) {
        const struct plan_call *y = st->kind == STMT_CALL ? st->call : NULL;
        bool has = false;
        for (int i = 0; y && i < y->fn->nformals; ++i)
            has |= y->view[i].base == a->copy->dst.base && y->fn->formal[i].dir == ARG_IN;
        for (int i = 0; has && i < y->fn->nformals; ++i) {
            if (y->fn->formal[i].dir != ARG_INOUT || (*acc && *acc != y->view[i].base)) continue;
            *acc = y->view[i].base;
            return st;
        }
    }
    return NULL;
}

// Whether something writes all of "acc" between "from" and "to".
static bool is_reset(const struct reads *r, const struct tensor *acc, const struct stmt *from,
                     const struct stmt *to) {
    for (const struct stmt *st = from; st && st != to; st = stmt_next(r->k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->dst.base == acc) return true;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == acc && st->call->fn->formal[i].dir == ARG_OUT)
                return true;
    }
    return false;
}

// Whether "acc" is "a", a copy before "call", where nothing has changed it since.
static bool begins_with(const struct reads *r, const struct tensor *acc, const struct access *a,
                        const struct stmt *call) {
    const struct stmt *from = r->k->body;
    while (from && from->copy != a->copy) from = stmt_next(r->k->body, from);
    if (!from || a->copy->dst.base != acc) return false;
    const struct stmt *st = stmt_next(r->k->body, from);
    if (is_reset(r, acc, st, call)) return false;
    while (st && st != call) st = stmt_next(r->k->body, st);
    return st == call;
}

static void warn_begins(struct session *s, const struct access *a, int mode, const struct mover *m,
                        const struct stmt *call, const struct tensor *acc) {
    const struct view *v = a->view;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' begins with this tile of '%s', and the steps of '%s' pass all tiles along %s, "
              "and so this one once more, to '%s'",
              acc->name, v->base->name, m->v->name, view_mode_text(s, v->base, mode),
              call->call->fn->name);
    if (m->end_at.end)
        diag_note(s, m->end_at, "does the loop begin at another step, or '%s' with a 'fill'?",
                  acc->name);
}

// Whether "a" is one of the tiles that the steps "m" of "c" read along "mode".
static bool is_tile_of(struct reads *r, const struct access *a, const struct access *c, int mode,
                       const struct mover *m) {
    const struct view *v = a->view, *w = c->view;
    const struct ix *at = v->coord_off[mode], *limit = view_limit(r->s, w, mode);
    if (v->limit || w->limit || !at || !ix_constant(at) || ix_divisor(at) % m->step != 0)
        return false;
    if (!lay_tuple_equal(v->layout.shape, w->layout.shape)) return false;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i)
        if (i != mode && !ix_equal(v->coord_off[i], w->coord_off[i])) return false;
    return coverage_short(r->prover, at, limit);
}

static int loops_of(const struct access *a) {
    int n = 0;
    for (int i = 0; i < a->around.n; ++i) n += stmt_loops(a->around.stmt[i]);
    return n;
}

// Warns of "a" if the steps of the loop around "c" add all of the tensor along "mode", and "a" adds one of
// their tiles once more.
static bool is_twice(struct reads *r, const struct access *a, const struct access *c, int mode) {
    struct session *s = r->s;
    const struct ix *end, *limit = view_limit(s, c->view, mode);
    struct mover m;
    int64_t tile, from;
    if (loops_of(a) != loops_of(c) - 1) return false;
    if (!coverage_outermost(s, r->k, &c->around, c->view->coord_off[mode], &m) || !m.loop)
        return false;
    const struct ix *begin = ix_min(s, c->view->coord_off[mode]);
    if (!begin || !ix_static(begin, &from) || from != 0 || !is_tile_of(r, a, c, mode, &m))
        return false;
    if (!coverage_reach(s, c->view, &c->around, mode, &end, &tile) || tile != m.step) return false;
    if (!limit || prove_at_least(r->prover, end, limit) != PROVE_YES) return false;
    const struct tensor *acc = NULL;
    const struct stmt *first = added_by(r, c, &acc), *again = first ? added_by(r, a, &acc) : NULL;
    if (first && begins_with(r, acc, a, first)) {
        warn_begins(s, a, mode, &m, first, acc);
        return true;
    }
    if (!again || first == again || again->up == first->up || first->call->fn != again->call->fn)
        return false;
    if (is_reset(r, acc, first, again)) return false;
    diag_warn(
        s, W_REMAINDER, a->view->at,
        "the steps of '%s' pass all tiles of '%s' along %s to '%s', and this one is passed to it "
        "once more",
        m.v->name, a->view->base->name, view_mode_text(s, a->view->base, mode),
        first->call->fn->name);
    if (m.end_at.end)
        diag_note(s, m.end_at,
                  "a loop over the whole tiles alone ends before it, at a quotient that is "
                  "rounded down");
    return true;
}

void tally_twice(struct reads *r, const struct tensor *t) {
    for (int i = 0; i < r->n; ++i)
        for (int j = 0; j < r->n; ++j) {
            const struct access *a = &r->at[i], *c = &r->at[j];
            if (i == j || !a->copy || !c->copy || a->view->base != t || c->view->base != t)
                continue;
            if (a->write || c->write || t->space != MEM_GLOBAL) continue;
            for (int m = 0; m < lay_tuple_leaves(t->layout.shape); ++m)
                if (is_twice(r, a, c, m)) return;
        }
}
