// Reads of one input that should be alike: a copy lacks an index that another copy of the same tensor has, or one of two
// passes over a tensor leaves out elements that the other one reads, or all reads together leave out elements of which
// an output of the same shape has all.  For each tensor and mode alone see unread.c and fixed_tile.c: there the other
// read, or the other mode, hides the mistake.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

// Whether "a" and "c" read tiles of one shape, of one tensor.
static bool is_alike(const struct access *a, const struct access *c) {
    const struct view *v = a->view, *w = c->view;
    return a != c && !c->write && v->base == w->base && lay_valid(w->coord) &&
           lay_tuple_equal(v->layout.shape, w->layout.shape);
}

// The elements of the tensor that "found" is one of: "X(64,_)".
static const char *element_text(struct session *s, const struct tensor *t,
                                const struct prove_witness *found) {
    return arena_printf(&s->arena, "%s%s", t->name, instances_element(s, found));
}

// -- an index that one of them lacks --------------------------------------------------------------

static bool is_around(const struct access *a, const struct index *x) {
    bool is = x->v->kind != IX_LOOP;
    for (int i = 0; i < a->around.n; ++i) is |= a->around.stmt[i]->var == x->v;
    return is;
}

// Whether "lo" to "hi" is among what "c" takes along "mode": elsewhere it may be a part of its own.
static bool is_among(struct reads *r, const struct access *c, int mode, const struct ix *lo,
                     const struct ix *hi) {
    const struct ix *from, *to;
    view_reach(r->s, c->view, mode, &from, &to);
    from = from ? ix_min(r->s, from) : NULL;
    to = to ? ix_max(r->s, to) : NULL;
    return from && to && prove_at_least(r->prover, lo, from) == PROVE_YES &&
           prove_at_least(r->prover, to, hi) == PROVE_YES;
}

// Whether an index moves "v" along "mode" and along another one.
static bool is_moved_twice(const struct reads *r, const struct access *a, int mode) {
    struct index x;
    for (int i = 0; index_at(r, a, i, &x); ++i)
        for (int m = 0; x.v && m < lay_tuple_leaves(a->view->base->layout.shape); ++m)
            if (m != mode && index_moves_along(&x, a->view, mode) &&
                index_moves_along(&x, a->view, m))
                return true;
    return false;
}

// Whether "a" is a tile at one place along "mode", among what "c" takes there, or on a diagonal.
static bool is_elsewhere(struct reads *r, const struct access *a, const struct access *c,
                         int mode) {
    struct session *s = r->s;
    const struct ix *lo, *hi;
    if (is_moved_twice(r, a, mode)) return true;
    return reads_stand(s, a->view, mode, &lo, &hi) && !is_all_along(s, a->view, mode, lo, hi) &&
           is_among(r, c, mode, lo, hi);
}

// Warns of "a" if an index moves "c" along a mode and not "a", and nothing reads the rest of the tensor there.
static bool lacks_index(struct reads *r, const struct access *a, const struct access *c) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct prove_witness found;
    struct index x;
    for (int i = 0; index_at(r, c, i, &x); ++i) {
        if (!x.v || !index_moves(&x, c->view) || index_moves(&x, v) || !is_around(a, &x)) continue;
        for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m) {
            if (!index_moves_along(&x, c->view, m) || !is_elsewhere(r, a, c, m) ||
                reads_every(r, v->base, v, m, NULL, 0, &found) != PROVE_NO)
                continue;
            diag_warn(s, W_FIXED_TILE, v->at,
                      "'%s' moves another read of '%s' along %s, and not this one; nothing reads "
                      "the rest",
                      x.v->name, v->base->name, view_mode_text(s, v->base, m));
            diag_note(s, c->view->at, "this one is moved");
            diag_note(s, v->at, "%snothing reads '%s'", instances_params(s, r->plan, r->k, &found),
                      element_text(s, v->base, &found));
            return true;
        }
    }
    return false;
}

// -- two passes -----------------------------------------------------------------------------------

enum { MOST_PASSES = 16 };

// Sets "a" and "b" to the two loops of one list that the accesses are in; false: there are none.
static bool passes_of(const struct access *x, const struct access *y, const struct stmt **a,
                      const struct stmt **b) {
    for (int i = 0; i < x->around.n && i < y->around.n; ++i) {
        *a = x->around.stmt[i];
        *b = y->around.stmt[i];
        if (*a != *b) return stmt_loops(*a) && stmt_loops(*b) && (*a)->var && (*b)->var;
    }
    return false;
}

// The other loops in the list of "x" that read the tensor of "v".
static int others_of(const struct reads *r, const struct stmt *x, const struct view *v,
                     const struct stmt **out) {
    int n = 0;
    for (int i = 0; i < r->n; ++i)
        for (int j = 0; reads_count(&r->at[i], v->base, ARG_IN) && j < r->at[i].around.n; ++j) {
            const struct stmt *st = r->at[i].around.stmt[j];
            bool seen = st == x || st->up != x->up || !stmt_loops(st);
            for (int m = 0; m < n && !seen; ++m) seen = out[m] == st;
            if (!seen && n < MOST_PASSES) out[n++] = st;
        }
    return n;
}

// Whether the steps of "x" alone, with what is read in no loop, read all of the tensor of "v".
static bool is_whole(struct reads *r, const struct stmt *x, const struct view *v) {
    const struct stmt *other[MOST_PASSES];
    struct prove_witness none;
    int n = others_of(r, x, v, other);
    return reads_every(r, v->base, v, -1, other, n, &none) == PROVE_YES;
}

// Whether "x" leaves out elements, also together with those loops that do not read all by themselves.
static bool is_part(struct reads *r, const struct stmt *x, const struct view *v,
                    struct prove_witness *found) {
    const struct stmt *other[MOST_PASSES];
    int n = others_of(r, x, v, other), whole = 0;
    if (reads_every(r, v->base, v, -1, other, n, found) != PROVE_NO) return false;
    for (int i = 0; i < n; ++i)
        if (is_whole(r, other[i], v)) other[whole++] = other[i];
    return whole && (whole == n || reads_every(r, v->base, v, -1, other, whole, found) == PROVE_NO);
}

// Whether "loop" writes something that has another shape than "t": then it may need a part of "t" alone.
static bool makes_another(const struct reads *r, const struct stmt *loop, const struct tensor *t) {
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        const struct tensor *to = st->kind == STMT_COPY ? st->copy->dst.base : NULL;
        if (to && to->space == MEM_GLOBAL && kernel_formal(r->k, to) &&
            !lay_tuple_equal(to->layout.shape, t->layout.shape))
            return true;
    }
    return false;
}

// Notes what is other in "a" than in "c", whose loops are "x" and "y".
static void note_other(struct session *s, const struct access *a, const struct access *c,
                       const struct stmt *x, const struct stmt *y) {
    const struct ix *to = ix_var(s, x->var);
    for (int m = 0; m < lay_tuple_leaves(a->view->base->layout.shape); ++m) {
        const struct ix *at = instances_step(s, &a->around, a->view->coord_off[m]);
        const struct ix *of = instances_step(s, &c->around, c->view->coord_off[m]);
        of = of ? ix_substitute(s, of, y->var, to) : NULL;
        if (!at || !of || ix_equal(at, of)) continue;
        diag_note(s, c->view->at, "the other pass is at %s along %s, and this one at %s",
                  ix_text(s, of), view_mode_text(s, a->view->base, m), ix_text(s, at));
        return;
    }
    diag_note(s, y->at, "the other pass is from %s to %s, and this one from %s to %s",
              ix_text(s, y->begin), ix_text(s, y->end), ix_text(s, x->begin), ix_text(s, x->end));
}

// Warns of "a" if its loop leaves out elements, and that of "c" reads all.
static bool leaves_out(struct reads *r, const struct access *a, const struct access *c) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct stmt *x, *y;
    struct prove_witness found;
    if (v->limit || c->view->limit || !passes_of(a, c, &x, &y) || !has_many_steps(s, x) ||
        makes_another(r, x, v->base))
        return false;
    if (a->copy && a->copy->dst.base->space == MEM_GLOBAL) return false;
    if (!is_whole(r, y, v) || !is_part(r, x, v, &found)) return false;
    diag_warn(s, W_UNREAD, v->at,
              "the steps of '%s' leave out elements of '%s', and another pass over it reads them",
              x->var->name, v->base->name);
    note_other(s, a, c, x, y);
    diag_note(s, v->at, "%snothing in this pass reads '%s'",
              instances_params(s, r->plan, r->k, &found), element_text(s, v->base, &found));
    return true;
}

// -- an output that has all elements --------------------------------------------------------------

// Whether a block decides how many steps are around "a": then a part of the tensor may be enough.
static bool is_bounded(const struct access *a) {
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (stmt_loops(st) && (ix_depends_if(st->begin, ix_is_block_or_loop) ||
                               ix_depends_if(st->end, ix_is_block_or_loop)))
            return true;
    }
    return false;
}

// Whether "v" is a tile that nothing moves along a mode, or the part of a thread: see fixed_tile.c and thread_order.c.
static bool is_fixed(struct session *s, const struct view *v) {
    const struct ix *lo, *hi;
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m)
        if (!v->limit && reads_stand(s, v, m, &lo, &hi) && !is_all_along(s, v, m, lo, hi))
            return true;
    return v->part;
}

// Whether all of "t" is copied from "from" at once, without pads.
static bool is_copied(const struct reads *r, const struct tensor *t, const struct tensor *from) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *b = &r->at[i];
        if (b->view->base == t &&
            (!b->write || !b->copy || b->copy->pad || b->copy->src.base != from))
            return false;
    }
    return true;
}

// Whether all that moves the destination of the copy "b" moves its source "v".
static bool is_moved_alike(const struct reads *r, const struct access *b, const struct view *v) {
    struct index x;
    for (int i = 0; index_at(r, b, i, &x); ++i)
        if (x.v && index_moves(&x, b->view) && !index_moves(&x, v)) return false;
    return true;
}

// Whether "b" writes an output of the shape of the input that "a" reads, and gets all its elements: directly, or tile by
// tile through a function.
static bool is_made_of(const struct reads *r, const struct flow *flow, const struct access *a,
                       const struct access *b) {
    const struct view *v = a->view, *w = b->view;
    if (!flow_is_output(r, b) || kernel_formal(r->k, w->base)->dir != ARG_OUT ||
        !flow_goes_to(flow, b) || !lay_tuple_equal(v->base->layout.shape, w->base->layout.shape))
        return false;
    if (a->copy && b->copy == a->copy)
        return is_copied(r, w->base, v->base) && is_moved_alike(r, b, v);
    return flow->called && !v->limit && !v->halo && !w->limit &&
           lay_tuple_equal(v->layout.shape, w->layout.shape);
}

// Warns of "a" if an index moves it along two modes, and another one, which does not move it, the output "b".
static bool warn_diagonal(struct reads *r, const struct access *a, const struct access *b) {
    struct session *s = r->s;
    struct index x;
    int rank = lay_tuple_leaves(a->view->base->layout.shape);
    if (is_moved_alike(r, b, a->view)) return false;
    for (int i = 0; index_at(r, a, i, &x); ++i) {
        int n = 0;
        for (int m = 0; x.v && m < rank; ++m) n += index_moves_along(&x, a->view, m);
        if (n < 2) continue;
        diag_warn(s, W_UNREAD, a->view->at,
                  "all of '%s' is written, which has the shape of '%s', and '%s' moves this read "
                  "along %d modes of it: on a diagonal",
                  b->view->base->name, a->view->base->name, x.v->name, n);
        diag_note(s, b->view->at, "'%s' is written here", b->view->base->name);
        return true;
    }
    return false;
}

// Warns of "a" if no element of an output of its shape is left out, but some of what it reads.
static bool lacks_elements(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    const struct tensor *t = a->view->base;
    struct prove_witness found;
    struct flow flow = flow_of(r, a);
    for (int i = 0; i < r->n; ++i)
        if (r->at[i].view->base == t && is_bounded(&r->at[i])) return false;
    if (is_fixed(s, a->view)) return false;
    for (int i = 0; i < r->n; ++i) {
        const struct access *b = &r->at[i];
        if (!is_made_of(r, &flow, a, b)) continue;
        if (warn_diagonal(r, a, b)) return true;
        if (reads_every(r, t, NULL, -1, NULL, 0, &found) != PROVE_NO) return false;
        diag_warn(s, W_UNREAD, a->view->at,
                  "all of '%s' is written, which has the shape of '%s', and nothing reads all of "
                  "'%s'",
                  b->view->base->name, t->name, t->name);
        diag_note(s, b->view->at, "'%s' is written here", b->view->base->name);
        diag_note(s, a->view->at, "%snothing reads '%s'",
                  instances_params(s, r->plan, r->k, &found), element_text(s, t, &found));
        return true;
    }
    return false;
}

// -- all ------------------------------------------------------------------------------------------

static bool look_at(struct reads *r, const struct access *a) {
    for (int i = 0; i < r->n; ++i)
        if (is_alike(a, &r->at[i]) && (lacks_index(r, a, &r->at[i]) || leaves_out(r, a, &r->at[i])))
            return true;
    return lacks_elements(r, a) || offset_tiles(r, a);
}

void lint_siblings(struct lint *l) {
    const struct kernel *k = l->k;
    if (k->device || k->planned || l->told) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !r->more; ++i) {
        const struct access *a = &r->at[i];
        const struct formal *f = kernel_formal(k, a->view->base);
        if (!f || f->dir != ARG_IN || a->write || a->view->base->space != MEM_GLOBAL ||
            !lay_valid(a->view->coord))
            continue;
        if (look_at(r, a)) break;
    }
    lay_clear_error(&l->s->lay);
}
