// Blocks and steps that are alike: an index moves what they write, and nothing that they read.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

// Whether "x", an axis of the grid, moves nothing but what is written.
static bool moves_only_outputs(const struct reads *r, const struct index *x) {
    for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st)) {
        if (stmt_loops(st) && (ix_depends_on(st->begin, x->v) || ix_depends_on(st->end, x->v)))
            return false;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], x->v)) return false;
    }
    for (int i = 0; i < r->n; ++i)
        if (!flow_is_output(r, &r->at[i]) && index_moves(x, r->at[i].view)) return false;
    return true;
}

// How many reads of inputs that go to "b" the index "y" moves: of rank 2 or more, to different buffers.
static int moved_by(const struct reads *r, const struct access *b, const struct index *y) {
    const struct tensor *first = NULL;
    int n = 0;
    for (int i = 0; i < r->n && n < 2; ++i) {
        const struct access *a = &r->at[i];
        const struct tensor *to = a->copy ? a->copy->dst.base : a->view->base;
        if (a->write || to == first || a->view->base->space != MEM_GLOBAL) continue;
        if (lay_tuple_leaves(a->view->base->layout.shape) < 2 || !index_moves(y, a->view)) continue;
        struct flow flow = flow_of(r, a);
        if (!flow_goes_to(&flow, b)) continue;
        first = to;
        ++n;
    }
    return n;
}

// Whether "x" moves "v" along several modes.
static bool is_moved_twice(const struct view *v, const struct index *x) {
    int n = 0;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i)
        n += index_moves_along(x, v, i);
    return n > 1;
}

// Whether "y", which moves the read of "p", is probably there instead of the axis of "p": it moves the read along
// two modes, or another read as well, as that of C = A * B moves both factors.
static bool is_instead(struct reads *r, const struct pair *p, const struct index *y) {
    const struct view *v = p->a->view, *w = p->b->view;
    if (is_moved_twice(v, y)) return true;
    if (y->v->kind == IX_LOOP || !p->flow->called) return false;
    return lay_tuple_equal(v->base->layout.shape, w->base->layout.shape) ||
           moved_by(r, p->b, y) > 1;
}

// The index that is there instead of the axis of "p", and moves the read along "mode", which has as many elements
// as the axis moves the write among; "v" is NULL: there is none.
static struct index instead(struct reads *r, const struct pair *p, int *mode) {
    struct session *s = r->s;
    const struct ix *begin, *end, *from, *to;
    const struct ix *m = part_along(s, p->b->view, p->mode, &from, &to);
    int rank = lay_tuple_leaves(p->a->view->base->layout.shape);
    for (int i = 0; i < rank && rank > 1 && m; ++i) {
        const struct ix *n = part_along(s, p->a->view, i, &begin, &end);
        struct index y;
        for (int j = 0; n && ix_equal(n, m) && index_at(r, p->a, j, &y); ++j) {
            if (!y.v || y.v == p->x.v || !index_moves_along(&y, p->a->view, i)) continue;
            if (!is_instead(r, p, &y)) continue;
            *mode = i;
            return y;
        }
    }
    return (struct index){.v = NULL};
}

static void warn_alike(struct session *s, const struct pair *p) {
    diag_warn(s, W_FIXED_TILE, p->b->view->at,
              "%s that differ in '%s' alone read the same and compute the same, and write it to "
              "different parts of '%s'",
              p->x.v->kind == IX_LOOP ? "steps" : "blocks", p->x.v->name, p->b->view->base->name);
}

// How far "e" moves from one value of "x" to the next; 0: that is not known.
static int64_t step_of(struct session *s, const struct ix *e, const struct ix_var *x) {
    const struct ix *by = reads_step_by(s, e, x);
    int64_t step;
    return by && ix_static(by, &step) && step > 0 ? step : 0;
}

// Whether "y" moves "v" into what another block reads, along a mode that both move: windows that overlap.
static bool is_window(struct reads *r, const struct view *v, const struct index *y) {
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *at = v->coord_off[i];
        if (!index_moves_along(y, v, i) || !lay_int_static(y->n)) continue;
        int64_t reach = step_of(r->s, at, y->v) * (y->n.num - 1) + view_along(r->s, v, i);
        for (int j = 0; j < 3; ++j) {
            const struct ix_var *x = r->k->block[j];
            if (x && ix_depends_on(at, x) && step_of(r->s, at, x) > 0 &&
                step_of(r->s, at, x) < reach)
                return true;
        }
    }
    return false;
}

// Warns of the loop of "p", which moves only its write, if another one with as many steps moves its read twice, or moves
// the write beside it and a window of the read.
static bool is_twice_instead(struct reads *r, const struct pair *p) {
    const struct view *v = p->a->view;
    struct index y;
    for (int j = 0; index_at(r, p->a, j, &y) && p->x.v->kind == IX_LOOP; ++j) {
        if (!y.v || y.v == p->x.v || y.v->kind != IX_LOOP || !lay_int_valid(y.n) ||
            !lay_int_equal(y.n, p->x.n))
            continue;
        bool twice = is_moved_twice(v, &y);
        if (!twice && !(index_moves_along(&y, p->b->view, p->mode) && is_window(r, v, &y)))
            continue;
        warn_alike(r->s, p);
        if (!twice)
            diag_note(r->s, v->at,
                      "'%s' moves this window of '%s'; is '%s' missing along another mode?",
                      y.v->name, v->base->name, p->x.v->name);
        if (!twice) return true;
        diag_note(r->s, v->at, "'%s' moves '%s' along several modes; is '%s' meant in one of them?",
                  y.v->name, v->base->name, p->x.v->name);
        return true;
    }
    return false;
}

// Warns of the axis of "p", which moves only its write.
static bool all_alike(struct reads *r, const struct pair *p) {
    const struct view *v = p->a->view;
    int mode;
    struct index y = instead(r, p, &mode);
    if (!y.v) return is_twice_instead(r, p);
    warn_alike(r->s, p);
    diag_note(r->s, v->at,
              "'%s' moves '%s' along %s, where it has as many elements as '%s' "
              "moves '%s' among; is '%s' meant?",
              y.v->name, v->base->name, view_mode_text(r->s, v->base, mode), p->x.v->name,
              p->b->view->base->name, p->x.v->name);
    return true;
}

// Warns of the read of "p" in a loop that moves nothing but what is written, to an output of the same shape.
static bool same_in_steps(struct reads *r, const struct pair *p) {
    const struct view *v = p->a->view, *w = p->b->view;
    bool inside = false;
    for (int i = 0; i < p->a->around.n; ++i) inside |= p->a->around.stmt[i]->var == p->x.v;
    if (!inside || !lay_tuple_equal(v->base->layout.shape, w->base->layout.shape) ||
        !lay_tuple_equal(v->layout.shape, w->layout.shape) || !moves_only_outputs(r, &p->x))
        return false;
    diag_warn(r->s, W_FIXED_TILE, v->at,
              "each step of '%s' reads the same part of '%s', and writes another part of '%s', "
              "which has the same shape: nothing else depends on '%s'",
              p->x.v->name, v->base->name, w->base->name, p->x.v->name);
    diag_note(r->s, w->at, "'%s' is written here", w->base->name);
    return true;
}

bool alike_by(struct reads *r, const struct pair *p) {
    if (p->x.v->kind == IX_LOOP && same_in_steps(r, p)) return true;
    return moves_only_outputs(r, &p->x) && all_alike(r, p);
}

// -- sums -----------------------------------------------------------------------------------------

// The loop that sums over what "p" reads: it moves the read, and not the write.  NULL: there is none.
static const struct stmt *sum_of(const struct pair *p) {
    for (int i = 0; i < p->a->around.n; ++i) {
        const struct stmt *st = p->a->around.stmt[i];
        if (!stmt_loops(st) || !st->var) continue;
        struct index y = {st->var, st->pipe && st->pipe->load_var ? st->pipe->load_var : st->var,
                          LAY_INT_INVALID};
        if (index_moves(&y, p->a->view) && !index_moves(&y, p->b->view)) return st;
    }
    return NULL;
}

static bool same_sum(struct reads *r, const struct pair *p) {
    struct session *s = r->s;
    const struct stmt *sum = p->flow->called && p->x.v->kind != IX_LOOP ? sum_of(p) : NULL;
    if (!sum || !moves_only_outputs(r, &p->x)) return false;
    warn_alike(s, p);
    diag_note(s, sum->at,
              "the loop over '%s' takes the same parts of '%s' for each '%s'; should its bounds "
              "depend on '%s'?",
              sum->var->name, p->a->view->base->name, p->x.v->name, p->x.v->name);
    return true;
}

// Whether "e" is a number, and a block moves "of".
static bool stands_beside(const struct ix *e, const struct ix *of) {
    return e && of && ix_static(e, NULL) && ix_depends_if(of, ix_is_block);
}

// Whether "c" reads the same elements as "a" for another buffer, or one of them stands still where a block moves the
// other: sets "still" to that one.
static bool is_again(const struct access *a, const struct access *c, const struct view **still) {
    const struct view *v = a->view, *w = c->view;
    *still = NULL;
    if (c->write || !a->copy || !c->copy || v->base != w->base || v->limit || w->limit ||
        a->copy->dst.base == c->copy->dst.base ||
        !lay_tuple_equal(v->layout.shape, w->layout.shape))
        return false;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *from = v->coord_off[i], *to = w->coord_off[i];
        if (ix_equal(from, to)) continue;
        if (*still || (!stands_beside(from, to) && !stands_beside(to, from))) return false;
        *still = stands_beside(from, to) ? v : w;
    }
    return true;
}

// Warns if a function gets the same part of an input twice, or one that stands still, and what it makes of them is for each block of the axis
// of "p" the same: one of the reads is meant to be moved by it.
static bool same_twice(struct reads *r, const struct pair *p) {
    if (!p->flow->called || p->x.v->kind == IX_LOOP || !moves_only_outputs(r, &p->x)) return false;
    for (const struct access *c = p->a + 1; c < r->at + r->n; ++c) {
        const struct view *still;
        if (!is_again(p->a, c, &still)) continue;
        struct flow flow = flow_of(r, c);
        if (!flow_goes_to(&flow, p->b)) continue;
        warn_alike(r->s, p);
        if (still)
            diag_note(r->s, still->at, "this read of '%s' stands still; is '%s' meant to move it?",
                      still->base->name, p->x.v->name);
        else
            diag_note(r->s, c->view->at,
                      "this part of '%s' is read twice; is '%s' meant to move one of the two?",
                      c->view->base->name, p->x.v->name);
        return true;
    }
    return false;
}

bool alike_sums(struct reads *r) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        if (a->write || a->view->base->space != MEM_GLOBAL || !lay_valid(a->view->coord)) continue;
        struct flow flow = flow_of(r, a);
        if (pairs_any(r, a, &flow, same_sum) || pairs_any(r, a, &flow, same_twice)) return true;
    }
    return false;
}
