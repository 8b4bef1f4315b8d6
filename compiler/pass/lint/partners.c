// Two copies of one list that should go hand in hand: of two inputs of one shape, to two outputs of one shape or to one
// function.  An index moves one of them in another way than the other.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

static bool is_alike(const struct view *v, const struct view *w) {
    return lay_valid(v->coord) && lay_valid(w->coord) &&
           lay_tuple_equal(v->layout.shape, w->layout.shape) &&
           lay_tuple_equal(v->base->layout.shape, w->base->layout.shape);
}

// Whether blocks or steps move "v" and "w" along "mode", one of them up and the other one down.
static bool is_reversed(struct session *s, const struct view *v, const struct view *w, int mode) {
    const struct ix *a = v->coord_off[mode], *b = w->coord_off[mode];
    const struct ix *more = a && b ? ix_sub(s, a, b) : NULL, *sum = a && b ? ix_add(s, a, b) : NULL;
    return more && sum && ix_depends_if(more, ix_is_block_or_loop) &&
           !ix_depends_if(sum, ix_is_block_or_loop) && !ix_depends_if(more, ix_is_thread);
}

// A variable that moves another coordinate as well.
static bool moves_too(const struct ix *e, const void *other) {
    return e->op == IX_VAR && ix_is_block_or_loop(e->var->kind) && ix_depends_on(other, e->var);
}

// Whether one index moves "v" and "w" along "mode", and they are not always as far apart.
static bool is_apart(struct session *s, const struct view *v, const struct view *w, int mode) {
    const struct ix *a = v->coord_off[mode], *b = w->coord_off[mode];
    const struct ix *more = a && b ? ix_sub(s, a, b) : NULL;
    return more && ix_depends_if(more, ix_is_block_or_loop) && !ix_depends_if(more, ix_is_thread) &&
           ix_has(a, moves_too, b);
}

// Whether "k" writes an output that is where "v" is along "mode", but along another mode: that of C = A * B has the
// rows of A and the columns of B, which one index may count together.
static bool is_of_output(const struct kernel *k, const struct view *v, int mode) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        const struct view *w = st->kind == STMT_COPY ? &st->copy->dst : NULL;
        if (!w || w->base->space != MEM_GLOBAL || !lay_valid(w->coord)) continue;
        for (int m = 0; m < lay_tuple_leaves(w->base->layout.shape); ++m)
            if (m != mode && w->coord_off[m] && ix_equal(w->coord_off[m], v->coord_off[mode]))
                return true;
    }
    return false;
}

// Whether "v" and "w" are where the other one is along all modes, but for numbers.
static bool is_together(struct session *s, const struct view *v, const struct view *w) {
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m) {
        const struct ix *a = v->coord_off[m], *b = w->coord_off[m];
        const struct ix *more = a && b ? ix_sub(s, a, b) : NULL;
        if (!more || !ix_static(more, NULL)) return false;
    }
    return true;
}

static bool same_place(const struct view *v, const struct view *w) {
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m)
        if (!v->coord_off[m] || !w->coord_off[m] || !ix_equal(v->coord_off[m], w->coord_off[m]))
            return false;
    return true;
}

// The mode along which both are ranges whose ends are params, of which one begins at a number; -1: there is none.
static int mode_at_start(const struct view *v, const struct view *w) {
    for (int m = 0; v->limit && w->limit && m < lay_tuple_leaves(v->base->layout.shape); ++m) {
        const struct ix *a = v->limit[m], *b = w->limit[m];
        if (!a || !b || ix_static(a, NULL) || ix_static(b, NULL) || ix_equal(a, b)) continue;
        if (!ix_constant(a) || !ix_constant(b)) continue;
        if (ix_equal(v->coord_off[m], w->coord_off[m])) continue;
        return m;
    }
    return -1;
}

static int mode_reversed(struct session *s, const struct view *v, const struct view *w) {
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m)
        if (is_reversed(s, v, w, m)) return m;
    return -1;
}

static int mode_apart(struct session *s, const struct kernel *k, const struct view *v,
                      const struct view *w) {
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m)
        if (is_apart(s, v, w, m) && !is_of_output(k, v, m) && !is_of_output(k, w, m)) return m;
    return -1;
}

static void warn(struct session *s, const struct view *v, const struct view *w, int mode,
                 const char *how) {
    diag_warn(s, W_TURNED_TILES, v->at,
              "'%s' is at %s along %s here, and '%s', which has the same shape and %s, is at %s",
              v->base->name, ix_text(s, v->coord_off[mode]), view_mode_text(s, v->base, mode),
              w->base->name, how, ix_text(s, w->coord_off[mode]));
    diag_note(s, w->at, "'%s' is here", w->base->name);
}

// Whether "c" and "d" fill two arguments of a call.
static bool meet(const struct kernel *k, const struct copy *c, const struct copy *d) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        bool one = false, two = false;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            if (st->call->fn->formal[i].dir != ARG_IN) continue;
            one |= st->call->view[i].base == c->dst.base;
            two |= st->call->view[i].base == d->dst.base;
        }
        if (one && two) return true;
    }
    return false;
}

// Whether one copy alone writes to "t".
static bool is_written_once(const struct kernel *k, const struct tensor *t) {
    int n = 0;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        n += st->kind == STMT_COPY && st->copy->dst.base == t;
    return n == 1;
}

static bool check(struct session *s, const struct kernel *k, const struct stmt *first,
                  const struct stmt *second) {
    const struct copy *c = first->copy, *d = second->copy;
    const struct view *a = &c->src, *b = &d->src, *x = &c->dst, *y = &d->dst;
    if (a->base->space != MEM_GLOBAL || b->base->space != MEM_GLOBAL || !is_alike(a, b))
        return false;
    if (!is_written_once(k, x->base) || !is_written_once(k, y->base)) return false;
    int mode;
    if (x->base->space != MEM_GLOBAL && y->base->space != MEM_GLOBAL) {
        if (a->base == b->base || x->base == y->base || !meet(k, c, d)) return false;
        if ((mode = mode_apart(s, k, b, a)) < 0) return false;
        warn(s, b, a, mode, "is used with it");
        return true;
    }
    if (x->base->space != MEM_GLOBAL || x->base == y->base || !is_alike(x, y)) return false;
    // the same elements in two orders
    if (a->base == b->base && same_place(a, b)) return false;
    if (is_together(s, a, b) &&
        ((mode = mode_reversed(s, y, x)) >= 0 || (mode = mode_at_start(y, x)) >= 0)) {
        warn(s, y, x, mode, "is written beside it");
        return true;
    }
    if (!is_together(s, x, y) || (mode = mode_reversed(s, b, a)) < 0) return false;
    warn(s, b, a, mode, "is read beside it");
    return true;
}

void lint_partners(struct lint *l) {
    const struct kernel *k = l->k;
    for (const struct stmt *st = k->body; st && !k->device && !k->planned;
         st = stmt_next(k->body, st))
        for (const struct stmt *to = st->kind == STMT_COPY ? st->next : NULL; to; to = to->next)
            if (to->kind == STMT_COPY && check(l->s, k, st, to)) return;
}
