// Sums in global memory, of copies that add to what is there, so that several blocks may write one element: an axis of the grid that
// moves nothing, and a sum that stands still where what is added to it is moved.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

static bool is_sum(const struct reads *r, const struct access *b) {
    return flow_is_output(r, b) && copy_reduces(b->copy) != REDUCE_NOT;
}

// Whether anything of "k" depends on "x".
static bool moves_any(const struct reads *r, const struct ix_var *x) {
    const struct kernel *k = r->k;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (stmt_loops(st) && (ix_depends_on(st->begin, x) || ix_depends_on(st->end, x)))
            return true;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], x)) return true;
    }
    for (int i = 0; i < r->n; ++i)
        if (view_depends(r->at[i].view, x)) return true;
    return false;
}

// Warns of an axis of the grid whose blocks all add the same to "b".
static bool adds_again(struct reads *r, const struct access *b) {
    struct session *s = r->s;
    const struct kernel *k = r->k;
    static const char *const name[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        if (lay_int_is(k->grid[i], 1) || (k->block[i] && moves_any(r, k->block[i]))) continue;
        diag_warn(s, W_FIXED_TILE, b->view->at,
                  "nothing in '%s' depends on 'block.%s': each of its %s blocks does the same to "
                  "'%s'",
                  k->name, name[i], lay_int_text(&s->lay, k->grid[i]), b->view->base->name);
        if (k->grid_at[i].begin < k->grid_at[i].end)
            diag_note(s, k->grid_at[i], "'block.%s' counts these; is it missing in a coordinate?",
                      name[i]);
        return true;
    }
    return false;
}

// Whether an index that moves "w" along "mode" moves something that is read, along a mode of as many elements.
static bool is_moved_with(struct reads *r, const struct view *w, int mode) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        struct index y;
        if (a->write || a->view->base->space != MEM_GLOBAL || !lay_valid(a->view->coord)) continue;
        for (int j = 0; index_at(r, a, j, &y); ++j)
            for (int m = 0; y.v && m < lay_tuple_leaves(a->view->base->layout.shape); ++m)
                if (index_moves_along(&y, w, mode) && index_moves_along(&y, a->view, m) &&
                    lay_int_equal(reads_extent(r->s, a->view->base, m),
                                  reads_extent(r->s, w->base, mode)))
                    return true;
    }
    return false;
}

// The mode along which "w" has as many elements as "v" along "mode", of which both take tiles of the same size, and either
// stands still at a tile or is moved by what counts something else; -1: there is none.
static int other_along(struct reads *r, const struct view *v, int mode, const struct view *w) {
    struct session *s = r->s;
    for (int m = 0; m < lay_tuple_leaves(w->base->layout.shape); ++m) {
        const struct ix *lo, *hi;
        if (!lay_int_equal(reads_extent(s, w->base, m), reads_extent(s, v->base, mode)) ||
            view_along(s, w, m) != view_along(s, v, mode) || w->limit || !w->coord_off[m])
            continue;
        view_reach(s, w, m, &lo, &hi);
        if (!lo || !hi || is_all_along(s, w, m, lo, hi)) continue;
        if (ix_constant(w->coord_off[m]) || !is_moved_with(r, w, m)) return m;
    }
    return -1;
}

// Warns of the sum "b" if an index that does not move it moves what "a" adds to it, along a mode that it has too.
static bool sum_stands(struct reads *r, const struct access *a, const struct access *b) {
    struct session *s = r->s;
    const struct view *v = a->view, *w = b->view;
    struct index x;
    for (int i = 0; index_at(r, a, i, &x); ++i) {
        for (int m = 0; x.v && m < lay_tuple_leaves(v->base->layout.shape); ++m) {
            if (!index_moves_along(&x, v, m) || index_moves(&x, w)) continue;
            int n = other_along(r, v, m, w);
            if (n < 0) continue;
            diag_warn(s, W_FIXED_TILE, w->at,
                      "'%s' is only reduced into at %s along %s, and '%s' moves '%s', which is "
                      "reduced into it, along %s, of as many elements",
                      w->base->name, ix_text(s, w->coord_off[n]), view_mode_text(s, w->base, n),
                      x.v->name, v->base->name, view_mode_text(s, v->base, m));
            diag_note(s, v->at, "'%s' is read here", v->base->name);
            return true;
        }
    }
    return false;
}

static bool same_place(const struct view *a, const struct view *b) {
    bool same = a->base == b->base && lay_valid(a->coord) && lay_valid(b->coord) &&
                lay_equal(a->coord, b->coord);
    for (int i = 0; same && i < lay_tuple_leaves(a->base->layout.shape); ++i)
        same = ix_equal(a->coord_off[i], b->coord_off[i]);
    return same;
}

// Warns of a copy that adds what the statement before it has added to the same place.
static bool adds_twice(struct reads *r, const struct access *b) {
    for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st)) {
        const struct stmt *x = st->next;
        if (st->kind != STMT_COPY || st->copy != b->copy || !x || x->kind != STMT_COPY) continue;
        if (copy_reduces(x->copy) != copy_reduces(b->copy) ||
            !same_place(&x->copy->src, &b->copy->src) || !same_place(&x->copy->dst, b->view))
            continue;
        diag_warn(r->s, W_FIXED_TILE, x->copy->at,
                  "this adds the same elements of '%s' to the same place of '%s' as the statement "
                  "before it",
                  b->copy->src.base->name, b->view->base->name);
        return true;
    }
    return false;
}

static bool is_only_sum(const struct reads *r, const struct access *b) {
    for (int i = 0; i < r->n; ++i)
        if (r->at[i].write && &r->at[i] != b && r->at[i].view->base == b->view->base) return false;
    return true;
}

// Looks at the sum "b", and at what is read of inputs and added to it.  A constant counts blocks, which may be alike.
static bool check(struct reads *r, const struct access *b) {
    bool only = is_only_sum(r, b);
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        if (a->write || !a->copy || a->view->base->space != MEM_GLOBAL ||
            !lay_valid(a->view->coord))
            continue;
        struct flow flow = flow_of(r, a);
        if (flow_goes_to(&flow, b) && (adds_again(r, b) || (only && sum_stands(r, a, b))))
            return true;
    }
    return false;
}

void lint_sums(struct lint *l) {
    if (l->k->device || l->k->planned || l->told) return;
    struct reads *r = reads_of(l);
    for (int j = 0; j < r->n && !r->more; ++j)
        if (is_sum(r, &r->at[j]) && (adds_twice(r, &r->at[j]) || check(r, &r->at[j]))) break;
    lay_clear_error(&l->s->lay);
}
