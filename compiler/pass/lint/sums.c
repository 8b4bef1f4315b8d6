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

// The mode along which "w" stands still at a tile, and has as many elements as "v" along "mode", of which both take tiles
// of the same size; -1: there is none.
static int still_along(struct reads *r, const struct view *v, int mode, const struct view *w,
                       const struct ix **at) {
    struct session *s = r->s;
    for (int m = 0; m < lay_tuple_leaves(w->base->layout.shape); ++m) {
        const struct ix *hi;
        if (lay_int_equal(reads_extent(s, w->base, m), reads_extent(s, v->base, mode)) &&
            view_along(s, w, m) == view_along(s, v, mode) && !w->limit &&
            reads_stand(s, w, m, at, &hi) && !is_all_along(s, w, m, *at, hi))
            return m;
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
            const struct ix *at;
            if (!index_moves_along(&x, v, m) || index_moves(&x, w)) continue;
            int n = still_along(r, v, m, w, &at);
            if (n < 0) continue;
            diag_warn(s, W_FIXED_TILE, w->at,
                      "'%s' is only reduced into at %s along %s, and '%s' moves '%s', which is "
                      "reduced into it, along %s, of as many elements",
                      w->base->name, ix_text(s, at), view_mode_text(s, w->base, n), x.v->name,
                      v->base->name, view_mode_text(s, v->base, m));
            diag_note(s, v->at, "'%s' is read here", v->base->name);
            return true;
        }
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
        if (is_sum(r, &r->at[j]) && check(r, &r->at[j])) break;
    lay_clear_error(&l->s->lay);
}
