// Tiles that go together and are not at the same place: an index moves one of them from another tile on than the other.
// A read beside another one of the same tensor is a neighbour, and no mistake.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

// How an index moves an access along a mode: by "step" elements, and at first there are "left" ones to the end of the
// tensor, or of the part that the plan names.
struct place {
    const struct ix *left, *end;
    int64_t step;
};

// The place of "a" along "mode"; false: "x" does not move it by tiles of its own.
static bool place_of(struct session *s, const struct access *a, int mode, const struct ix_var *x,
                     struct place *out) {
    if (!lay_valid(a->view->coord) || !a->view->coord_off[mode]) return false;
    const struct ix *at = instances_step(s, &a->around, a->view->coord_off[mode]);
    const struct ix *by = at ? reads_step_by(s, at, x) : NULL;
    if (!by || !ix_static(by, &out->step) || out->step < 2) return false;
    out->end = view_limit(s, a->view, mode);
    at = out->end ? ix_substitute(s, at, x, ix_int(s, 0)) : NULL;
    out->left = at ? ix_sub(s, out->end, at) : NULL;
    return out->left && ix_constant(out->left) && view_along(s, a->view, mode) == out->step;
}

// Whether "p" and "q" begin whole tiles apart, or end together and begin at params that differ.
static bool is_elsewhere(struct reads *r, const struct place *p, const struct place *q) {
    const struct ix *apart = ix_sub(r->s, p->left, q->left);
    int64_t more;
    if (!apart) return false;
    if (ix_static(apart, &more)) return more != 0 && more % p->step == 0;
    return reads_equal(r, p->end, q->end) && !reads_equal(r, p->left, q->left);
}

// Sets "i" and "j" to modes along which "x" moves "a" and "b" by tiles of one size and among as many elements, from
// different tiles on.
static bool is_apart(struct reads *r, const struct access *a, const struct access *b,
                     const struct ix_var *x, int *i, int *j) {
    struct place p, q;
    bool parts = a->view->limit || b->view->limit;
    for (*i = 0; *i < lay_tuple_leaves(a->view->base->layout.shape); ++*i)
        for (*j = 0; *j < lay_tuple_leaves(b->view->base->layout.shape); ++*j)
            if (place_of(r->s, a, *i, x, &p) && place_of(r->s, b, *j, x, &q) && p.step == q.step &&
                (parts || reads_equal(r, p.end, q.end)) && is_elsewhere(r, &p, &q))
                return true;
    return false;
}

// Whether another read of the tensor of "a" is where "a" is along all modes, but a number apart along "mode": then one of
// them may be a neighbour.
static bool has_neighbour(struct reads *r, const struct access *a, int mode) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        if (c == a || c->write || c->view->base != a->view->base) continue;
        bool same = lay_valid(c->view->coord);
        for (int m = 0; same && m < lay_tuple_leaves(a->view->base->layout.shape); ++m)
            same = m == mode
                       ? ix_static(ix_sub(r->s, c->view->coord_off[m], a->view->coord_off[m]), NULL)
                       : ix_equal(c->view->coord_off[m], a->view->coord_off[m]);
        if (same) return true;
    }
    return false;
}

// How many accesses "r" has to the tensor of "a".
static int uses_of(const struct reads *r, const struct access *a) {
    int n = 0;
    for (int i = 0; i < r->n; ++i) n += r->at[i].view->base == a->view->base;
    return n;
}

// Whether "a" and "c" are reads of two inputs in the same steps, for one call.
static bool go_together(const struct reads *r, const struct access *a, const struct access *c) {
    if (c->write || !a->copy || !c->copy || c->view->base == a->view->base ||
        c->view->base->space != MEM_GLOBAL || a->around.n != c->around.n)
        return false;
    for (int i = 0; i < a->around.n; ++i)
        if (a->around.stmt[i] != c->around.stmt[i]) return false;
    if (uses_of(r, a) != 1 || uses_of(r, c) != 1) return false;
    for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st)) {
        bool one = false, two = false;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            one |= st->call->view[i].base == a->copy->dst.base;
            two |= st->call->view[i].base == c->copy->dst.base;
        }
        if (one && two) return true;
    }
    return false;
}

// Whether "b" is an output that is made of "a", or a part of one that the plan names and that "a" is copied to.
static bool is_made_of(const struct reads *r, const struct access *a, const struct access *b) {
    if (!flow_is_output(r, b)) return false;
    if (a->copy == b->copy)
        return b->view->limit && kernel_formal(r->k, b->view->base)->dir == ARG_INOUT;
    struct flow flow = flow_of(r, a);
    return flow.called && flow_goes_to(&flow, b);
}

// The variable number "n" that may move "a": of an axis of the grid, then of loops, unless "blocks" are asked for alone.
static const struct ix_var *variable(const struct reads *r, const struct access *a, int n,
                                     bool blocks) {
    if (n < 3) return r->k->block[n];
    return !blocks && stmt_loops(a->around.stmt[n - 3]) ? a->around.stmt[n - 3]->var : NULL;
}

// Whether "e" and "f" depend on the same variables of those around "a", several, and not on threads: sets "x" to the
// first of those that move them by different steps.
static bool is_reordered(const struct reads *r, const struct access *a, const struct ix *e,
                         const struct ix *f, const struct ix_var **x) {
    struct session *s = r->s;
    int n = 0;
    *x = NULL;
    if (ix_depends(e, IX_TID) || ix_depends(f, IX_TID)) return false;
    e = instances_step(s, &a->around, e);
    f = instances_step(s, &a->around, f);
    for (int i = 0; e && f && i < 3 + a->around.n; ++i) {
        const struct ix_var *y = variable(r, a, i, false);
        if (!y || (!ix_depends_on(e, y) && !ix_depends_on(f, y))) continue;
        const struct ix *by = reads_step_by(s, e, y), *to = reads_step_by(s, f, y);
        if (!by || !to || !ix_static(by, NULL) || !ix_static(to, NULL)) return false;
        if (ix_equal(by, ix_int(s, 0)) || ix_equal(to, ix_int(s, 0))) return false;
        if (!*x && !ix_equal(by, to)) *x = y;
        ++n;
    }
    return *x && n > 1;
}

// Warns of "a" and "b", two inputs of one call, if several indices move them along modes of as many elements, and take the
// tiles in different orders.
static bool reordered(struct reads *r, const struct access *a, const struct access *b) {
    struct session *s = r->s;
    const struct view *v = a->view, *w = b->view;
    const struct ix_var *x;
    if (!lay_valid(v->coord) || !lay_valid(w->coord)) return false;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        for (int j = 0; j < lay_tuple_leaves(w->base->layout.shape); ++j) {
            const struct ix *e = v->coord_off[i], *f = w->coord_off[j];
            if (!lay_int_equal(reads_extent(s, v->base, i), reads_extent(s, w->base, j)) || !e ||
                !f || view_along(s, v, i) != view_along(s, w, j) || !is_reordered(r, a, e, f, &x))
                continue;
            diag_warn(s, W_UNREAD, v->at,
                      "'%s' is read at %s along %s, and '%s', which goes with it, at %s along %s, "
                      "of as many elements: '%s' does not move them alike",
                      v->base->name, ix_text(s, e), view_mode_text(s, v->base, i), w->base->name,
                      ix_text(s, f), view_mode_text(s, w->base, j), x->name);
            diag_note(s, w->at, "'%s' is read here", w->base->name);
            return true;
        }
    }
    return false;
}

bool offset_tiles(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    for (int k = 0; k < r->n; ++k) {
        const struct access *b = &r->at[k];
        bool output = is_made_of(r, a, b);
        if (!output && !go_together(r, a, b)) continue;
        if (!output && reordered(r, a, b)) return true;
        for (int n = 0; n < 3 + a->around.n; ++n) {
            // a loop may load ahead what a later step stores
            const struct ix_var *x = variable(r, a, n, output);
            int i, j;
            if (!x || !is_apart(r, a, b, x, &i, &j) || has_neighbour(r, a, i)) continue;
            const struct view *v = a->view, *w = b->view;
            diag_warn(
                s, W_UNREAD, v->at,
                "'%s' moves '%s' along %s, at %s, and '%s', which goes with it, along %s from "
                "another place on, at %s",
                x->name, v->base->name, view_mode_text(s, v->base, i), ix_text(s, v->coord_off[i]),
                w->base->name, view_mode_text(s, w->base, j), ix_text(s, w->coord_off[j]));
            diag_note(s, w->at, "'%s' is here", w->base->name);
            return true;
        }
    }
    return false;
}
