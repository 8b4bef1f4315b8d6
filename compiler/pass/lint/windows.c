// Convolutions: a filter that two loops move, and an input of which one of them moves the window and the other one nothing.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

static bool is_input(const struct reads *r, const struct access *a) {
    const struct formal *f = kernel_formal(r->k, a->view->base);
    return a->copy && !a->write && f && f->dir == ARG_IN && a->view->base->space == MEM_GLOBAL &&
           lay_valid(a->view->coord);
}

// The mode along which "x" moves "v" by one element at a time; -1: there is none.
static int single_mode(struct session *s, const struct view *v, const struct ix_var *x) {
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m) {
        const struct ix *by = v->coord_off[m] ? reads_step_by(s, v->coord_off[m], x) : NULL;
        if (by && ix_equal(by, ix_int(s, 1))) return m;
    }
    return -1;
}

// Whether "x", a loop of "n" steps, takes all coordinates of a mode of "v" one by one.
static bool takes_all(struct session *s, const struct view *v, const struct stmt *loop) {
    int64_t from, n;
    int m = single_mode(s, v, loop->var);
    return m >= 0 && view_along(s, v, m) == 1 && ix_static(loop->begin, &from) && from == 0 &&
           ix_static(loop->end, &n) && n > 1 && lay_int_is(reads_extent(s, v->base, m), n);
}

// Whether a copy of "r" other than "but" is moved by "x".
static bool moves_more(const struct reads *r, const struct access *but, const struct ix_var *x) {
    for (int i = 0; i < r->n; ++i)
        if (&r->at[i] != but && r->at[i].view != &but->copy->src &&
            r->at[i].view != &but->copy->dst && view_depends(r->at[i].view, x))
            return true;
    return false;
}

// Whether one function gets elements of "a" and of "b".
static bool meet(struct reads *r, const struct access *a, const struct access *b) {
    struct flow x = flow_of(r, a), y = flow_of(r, b);
    bool any = false;
    for (int i = 0; i < x.n && x.called && y.called; ++i) any |= flow_has(&y, x.at[i]);
    return any;
}

static bool is_index(const struct reads *r, const struct ix_var *x) {
    for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st))
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], x)) return true;
    return false;
}

// Warns of the input "a", of which a window is moved, beside the filter "f".
static bool check(struct reads *r, const struct access *a, const struct access *f) {
    struct session *s = r->s;
    const struct stmt *moved = NULL, *lost = NULL;
    int window = -1;
    for (int i = 0; i < f->around.n; ++i) {
        const struct stmt *st = f->around.stmt[i];
        if (!stmt_loops(st) || !st->var || !takes_all(s, f->view, st)) continue;
        int m = single_mode(s, a->view, st->var);
        if (m >= 0 && view_along(s, a->view, m) > 1) {
            moved = st;
            window = m;
        } else if (!view_depends(a->view, st->var) && !moves_more(r, f, st->var) &&
                   !is_index(r, st->var)) {
            lost = st;
        }
    }
    if (!moved || !lost || !meet(r, a, f)) return false;
    diag_warn(s, W_FIXED_TILE, a->view->at,
              "'%s' moves '%s' and not '%s', of which '%s' moves a window along %s: does '%s' "
              "belong in a coordinate here?",
              lost->var->name, f->view->base->name, a->view->base->name, moved->var->name,
              view_mode_text(s, a->view->base, window), lost->var->name);
    diag_note(s, f->view->at, "'%s' is read here", f->view->base->name);
    return true;
}

// Where the window that a block moves along "mode" begins in block 0, and by how much it is larger than the tile of the
// block, all steps of loops together; false: there is no such window.
static bool window_of(struct reads *r, const struct access *a, int mode, int64_t *from,
                      int64_t *more) {
    struct session *s = r->s;
    const struct ix *lo, *hi;
    struct mover m;
    int64_t to;
    if (!a->view->coord_off[mode] ||
        !coverage_outermost(s, r->k, &a->around, a->view->coord_off[mode], &m) || m.loop)
        return false;
    view_reach(s, a->view, mode, &lo, &hi);
    lo = lo ? ix_substitute(s, lo, m.v, ix_int(s, 0)) : NULL;
    hi = hi ? ix_substitute(s, hi, m.v, ix_int(s, 0)) : NULL;
    lo = lo ? ix_min(s, lo) : NULL;
    hi = hi ? ix_max(s, hi) : NULL;
    if (!lo || !hi || !ix_static(lo, from) || !ix_static(hi, &to)) return false;
    *more = to - *from + 1 - m.step;
    return *more > 0;
}

// Warns of "a", of which blocks move windows along two modes, both as much larger than their tiles, if one of them begins
// before the tensor and the other one does not.
static bool one_sided(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    const struct view *v = a->view;
    int rank = lay_tuple_leaves(v->base->layout.shape);
    for (int i = 0; a->copy->pad && i < rank; ++i)
        for (int j = 0; j < rank; ++j) {
            int64_t at, before, more, too;
            if (i == j || !window_of(r, a, i, &at, &more) || !window_of(r, a, j, &before, &too) ||
                at != 0 || before >= 0 || more != too)
                continue;
            diag_warn(s, W_UNREAD, v->at,
                      "the window of '%s' begins %s before its tile along %s, and not along %s, "
                      "where it is as much larger: is '%" PRId64 "' missing there?",
                      v->base->name, arena_count(&s->arena, -before, "element"),
                      view_mode_text(s, v->base, j), view_mode_text(s, v->base, i), before);
            return true;
        }
    return false;
}

void lint_windows(struct lint *l) {
    if (l->k->device || l->told) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !r->more; ++i)
        for (int j = 0; j < r->n; ++j)
            if (r->at[i].view->base != r->at[j].view->base && is_input(r, &r->at[i]) &&
                is_input(r, &r->at[j]) && check(r, &r->at[i], &r->at[j]))
                return;
    for (int i = 0; i < r->n && !r->more; ++i)
        if (is_input(r, &r->at[i]) && one_sided(r, &r->at[i])) return;
    lay_clear_error(&l->s->lay);
}
