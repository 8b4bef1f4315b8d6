// Reads that stand still though another index moves what goes with them: an operand of a function, of which another
// operand has as many elements and is moved, and a copy that fills one slot after the other with the same tile.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

// Whether "v" ends before its tensor along "mode", by a range.
static bool ends_before(struct session *s, const struct view *v, int mode) {
    const struct ix *all = ix_lay(s, reads_extent(s, v->base, mode));
    return v->limit && (!all || !v->limit[mode] || !ix_equal(v->limit[mode], all));
}

// Whether the plan may name a range of "v" along "mode": a single coordinate is none.
static bool is_named(struct session *s, const struct view *v, int mode) {
    return ends_before(s, v, mode) || (v->limit && view_along(s, v, mode) != 1);
}

// Whether "v" is at one place along "mode" of its tensor, of which nothing reads the rest; that place is no range that
// the plan names.
static bool is_left(struct reads *r, const struct view *v, int mode, const struct ix **at,
                    struct prove_witness *found) {
    const struct ix *hi, *begin, *end;
    if (is_named(r->s, v, mode) || !part_along(r->s, v, mode, &begin, &end)) return false;
    if (!reads_stand(r->s, v, mode, at, &hi) || is_all_along(r->s, v, mode, *at, hi)) return false;
    return reads_beside(r, v, mode, (struct skipped){0}, end, found) == PROVE_NO;
}

static void note_left(struct reads *r, const struct view *v, int mode,
                      const struct prove_witness *found) {
    diag_note(r->s, v->at, "%scoordinate %lld of '%s' along %s is never read",
              instances_params(r->s, r->plan, r->k, found), (long long)found->out[0], v->base->name,
              view_mode_text(r->s, v->base, mode));
}

// -- operands -------------------------------------------------------------------------------------

static bool is_read(const struct access *a) {
    return !a->write && a->copy && a->view->base->space == MEM_GLOBAL && lay_valid(a->view->coord);
}

// Whether one function gets elements of "x" and of "y".
static bool meet(const struct flow *x, const struct flow *y) {
    bool any = false;
    for (int i = 0; i < x->n && x->called && y->called; ++i) any |= flow_has(y, x->at[i]);
    return any;
}

// The index that moves "c" along "mode", and "v" nowhere; NULL: there is none.
static const struct ix_var *mover_of(struct reads *r, const struct access *c, int mode,
                                     const struct view *v) {
    struct index x;
    for (int i = 0; index_at(r, c, i, &x); ++i)
        if (x.v && index_moves_along(&x, c->view, mode) && !index_moves(&x, v)) return x.v;
    return NULL;
}

// The mode of "c" along which it is moved by tiles as large as "v" has along "mode", of a tensor with as many elements
// there; -1: there is none.
static int mode_like(struct reads *r, const struct access *c, const struct view *v, int mode,
                     const struct ix_var **x) {
    struct session *s = r->s;
    const struct view *w = c->view;
    for (int m = 0; m < lay_tuple_leaves(w->base->layout.shape); ++m)
        if (lay_int_equal(reads_extent(s, w->base, m), reads_extent(s, v->base, mode)) &&
            !ends_before(s, w, m) && view_along(s, w, m) == view_along(s, v, mode) &&
            (*x = mover_of(r, c, m, v)))
            return m;
    return -1;
}

static bool operand_stands(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct flow flow = flow_of(r, a);
    for (int i = 0; i < r->n && flow.called; ++i) {
        const struct access *c = &r->at[i];
        if (!is_read(c) || c->view->base == v->base) continue;
        struct flow other = flow_of(r, c);
        for (int m = 0; meet(&flow, &other) && m < lay_tuple_leaves(v->base->layout.shape); ++m) {
            const struct ix_var *x;
            const struct ix *at;
            struct prove_witness found;
            int n = mode_like(r, c, v, m, &x);
            if (n < 0 || !is_left(r, v, m, &at, &found)) continue;
            diag_warn(s, W_FIXED_TILE, v->at,
                      "'%s' is only read at %s along %s, and '%s' moves '%s', which is used with "
                      "it, along %s, of as many elements",
                      v->base->name, ix_text(s, at), view_mode_text(s, v->base, m), x->name,
                      c->view->base->name, view_mode_text(s, c->view->base, n));
            diag_note(s, c->view->at, "'%s' is read here", c->view->base->name);
            note_left(r, v, m, &found);
            return true;
        }
    }
    return false;
}

// -- slots ----------------------------------------------------------------------------------------

// Warns of "a" if a loop around it moves only where it is copied to.
static bool fills_slots(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    const struct view *v = a->view, *w = &a->copy->dst;
    for (int i = 0; i < a->around.n && w->base->space != MEM_GLOBAL; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (!stmt_loops(st) || !st->var || !has_many_steps(s, st)) continue;
        if (!view_depends(w, st->var) || view_depends(v, st->var)) continue;
        for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m) {
            const struct ix *at;
            struct prove_witness found;
            if (!is_left(r, v, m, &at, &found)) continue;
            diag_warn(s, W_FIXED_TILE, v->at,
                      "each step of '%s' copies the same part of '%s' to another part of '%s'; is "
                      "'%s' missing in the coordinate?",
                      st->var->name, v->base->name, w->base->name, st->var->name);
            note_left(r, v, m, &found);
            return true;
        }
    }
    return false;
}

// -- ranges ---------------------------------------------------------------------------------------

// Whether a param of the extent of "t" along "mode" says how many values "x" has.
static bool counts_along(struct session *s, const struct index *x, const struct tensor *t,
                         int mode) {
    struct lay_int n = reads_extent(s, t, mode);
    const struct ix *of = lay_int_valid(x->n) ? ix_lay(s, x->n) : NULL;
    for (int i = 0; of && i < n.nsyms; ++i)
        if (ix_speaks_of(of, n.syms[i])) return true;
    return false;
}

// Warns of "a", the only read of a tensor, at a range of numbers along a mode, if an index that counts along this mode
// moves only what is written of it.
static bool range_stands(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    const struct view *v = a->view;
    for (int i = 0; i < r->n; ++i)
        if (r->at[i].view->base == v->base && &r->at[i] != a) return false;
    struct flow flow = flow_of(r, a);
    for (int j = 0; j < r->n; ++j) {
        const struct access *b = &r->at[j];
        struct index x;
        if (!flow_is_output(r, b) || !flow_goes_to(&flow, b)) continue;
        for (int i = 0; index_at(r, b, i, &x); ++i) {
            if (!x.v || index_moves(&x, v) || !index_moves(&x, b->view)) continue;
            for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m) {
                const struct ix *lo, *hi;
                if (!is_named(s, v, m) || !counts_along(s, &x, v->base, m) ||
                    !reads_stand(s, v, m, &lo, &hi) || !ix_static(lo, NULL) || ix_equal(lo, hi) ||
                    !ix_static(hi, NULL))
                    continue;
                diag_warn(s, W_FIXED_TILE, v->at,
                          "'%s' is only read from %s to %s along %s, and '%s', which counts along "
                          "it, moves what '%s' gets",
                          v->base->name, ix_text(s, lo), ix_text(s, hi),
                          view_mode_text(s, v->base, m), x.v->name, b->view->base->name);
                diag_note(s, b->view->at, "'%s' is written here", b->view->base->name);
                return true;
            }
        }
    }
    return false;
}

void lint_still(struct lint *l) {
    const struct kernel *k = l->k;
    if (k->device || l->told || has_no_output(k)) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !r->more; ++i) {
        const struct access *a = &r->at[i];
        const struct formal *f = kernel_formal(k, a->view->base);
        if (f && f->dir == ARG_IN && is_read(a) &&
            (operand_stands(r, a) || fills_slots(r, a) || range_stands(r, a)))
            return;
    }
    lay_clear_error(&l->s->lay);
}
