// Counts that a function gets in each step, and that go by other steps than the tiles: 'N - 63*n' are left where 'n' takes
// tiles of 64.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

// A read in "loop", which moves it along "mode" by "step" elements; there are "left" of them in the first step.
struct moved {
    const struct access *a;
    int mode;
    int64_t step;
    const struct ix *first, *left;
};

// The next read after "x" that "loop" moves; false: there is none.
static bool next_moved(struct reads *r, const struct stmt *loop, int *at, int *mode,
                       struct moved *x) {
    struct session *s = r->s;
    for (; *at < r->n; ++*at, *mode = 0) {
        const struct access *a = &r->at[*at];
        if (a->write || !a->copy || a->view->base->space != MEM_GLOBAL ||
            !lay_valid(a->view->coord))
            continue;
        while (*mode < lay_tuple_leaves(a->view->base->layout.shape)) {
            int m = (*mode)++;
            const struct ix *e = a->view->coord_off[m], *end = view_limit(s, a->view, m);
            e = e ? instances_step(s, &a->around, e) : NULL;
            const struct ix *by = e ? reads_step_by(s, e, loop->var) : NULL;
            if (!by || !end || !ix_static(by, &x->step) || x->step < 2) continue;
            x->a = a;
            x->mode = m;
            x->first = ix_substitute(s, e, loop->var, loop->begin);
            x->left = x->first ? ix_sub(s, end, x->first) : NULL;
            return x->left != NULL;
        }
    }
    return false;
}

// Whether "first" and a step of "by" count what "x" moves, but for the step.
static bool counts(const struct moved *x, const struct ix *first, int64_t by) {
    int64_t from;
    if (by < 0) return ix_equal(first, x->left);
    return ix_static(first, &from) && from == 0 && ix_equal(first, x->first) && 2 * by > x->step &&
           by < 2 * x->step;
}

// Whether something that "loop" moves has "n" elements along the mode along which it is moved.
static bool moves_of(const struct reads *r, const struct stmt *loop, const struct ix *n) {
    struct session *s = r->s;
    for (int i = 0; i < r->n; ++i) {
        const struct view *v = r->at[i].view;
        for (int m = 0; lay_valid(v->coord) && m < lay_tuple_leaves(v->base->layout.shape); ++m) {
            const struct ix *e = v->coord_off[m], *end = e ? view_limit(s, v, m) : NULL;
            e = e ? instances_step(s, &r->at[i].around, e) : NULL;
            if (e && end && ix_depends_on(e, loop->var) && ix_equal(end, n)) return true;
        }
    }
    return false;
}

// Whether "first" is the size of a mode that "loop" does not move, while it takes all tiles of "x", of another size.
static bool is_of_another(struct reads *r, const struct stmt *loop, const struct moved *x,
                          const struct ix *first) {
    struct session *s = r->s;
    struct lay_int n, of, steps;
    if (!ix_monomial(first, &n) || !ix_monomial(x->left, &of) || !ix_monomial(loop->end, &steps))
        return false;
    struct lay_int tiles = lay_int_ceil_div(&s->lay, of, lay_int(x->step));
    lay_clear_error(&s->lay);
    if (lay_int_static(n) || lay_int_static(of) || !lay_int_valid(tiles) ||
        !lay_int_equal(tiles, steps) || !reads_unrelated(s, n, of) || moves_of(r, loop, first) ||
        !coverage_short(r->prover, first, x->left) || !coverage_short(r->prover, x->left, first))
        return false;
    for (int i = 0; i < r->k->nformals; ++i) {
        const struct tensor *t = r->k->formal[i].tensor;
        for (int m = 0; t->space == MEM_GLOBAL && m < lay_tuple_leaves(t->layout.shape); ++m)
            if (lay_int_equal(reads_extent(s, t, m), n)) return true;
    }
    return false;
}

// Warns of index "e" of a call in "loop" if it counts a read by another step, and no read by its own.
static bool check(struct reads *r, const struct stmt *st, const struct stmt *loop, int i) {
    struct session *s = r->s;
    const struct ix *e = st->call->index[i], *by = reads_step_by(s, e, loop->var);
    const struct ix *first = ix_substitute(s, e, loop->var, loop->begin);
    int at = 0, mode = 0;
    int64_t step;
    struct moved x, found = {0}, other = {0};
    if (!by || !first || !ix_static(by, &step) || step == 0) return false;
    while (next_moved(r, loop, &at, &mode, &x)) {
        if (x.step == step || (x.step == -step && !is_of_another(r, loop, &x, first))) return false;
        if (x.step == -step) other = x;
        if (!found.a && counts(&x, first, step)) found = x;
    }
    if (other.a) {
        const struct view *w = other.a->view;
        diag_warn(s, W_UNREAD, st->at,
                  "'%s' gets %s, and '%s' moves '%s' along %s, which has %s elements: what is left "
                  "of them is %s - %" PRId64 "*%s",
                  st->call->fn->name, ix_text(s, e), loop->var->name, w->base->name,
                  view_mode_text(s, w->base, other.mode), ix_text(s, other.left),
                  ix_text(s, other.left), other.step, loop->var->name);
        diag_note(s, w->at, "'%s' is read here", w->base->name);
        return true;
    }
    if (!found.a) return false;
    const struct view *v = found.a->view;
    diag_warn(s, W_UNREAD, st->at,
              "'%s' gets %s, and '%s' moves '%s' by %" PRId64 " elements along %s, not by %" PRId64,
              st->call->fn->name, ix_text(s, e), loop->var->name, v->base->name, found.step,
              view_mode_text(s, v->base, found.mode), step < 0 ? -step : step);
    diag_note(s, v->at, "'%s' is read here", v->base->name);
    return true;
}

// -- distances ------------------------------------------------------------------------------------

// A block or a step "v" in an index, "coef" times.
struct counter {
    const struct ix_var *v;
    int64_t coef;
};

// What "v" moves by "step" elements (0: by any number of them, but one, which is set) along a mode of "n" (NULL: of any number);
// NULL: there is nothing.
static const struct view *moved_by(const struct reads *r, const struct ix_var *v, int64_t *step,
                                   const struct lay_int *n, int *mode) {
    struct session *s = r->s;
    int64_t is;
    for (int i = 0; i < r->n; ++i) {
        const struct view *w = r->at[i].view;
        if (w->base->space != MEM_GLOBAL || !lay_valid(w->coord)) continue;
        for (*mode = 0; *mode < lay_tuple_leaves(w->base->layout.shape); ++*mode) {
            const struct ix *e = w->coord_off[*mode];
            e = e ? instances_step(s, &r->at[i].around, e) : NULL;
            const struct ix *by = e && ix_depends_on(e, v) ? reads_step_by(s, e, v) : NULL;
            if (!by || !ix_static(by, &is) || (*step ? is != *step : is < 2)) continue;
            if (n && !lay_int_equal(reads_extent(s, w->base, *mode), *n)) continue;
            *step = is;
            return w;
        }
    }
    return NULL;
}

// The two blocks or steps whose difference "e" is, but for a number; false: it is none.
static bool difference_of(const struct ix *e, struct counter out[2]) {
    int n = 0;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->atom && lay_int_static(t->coef)) continue;
        if (n == 2 || !t->atom || t->atom->op != IX_VAR || !lay_int_static(t->coef) ||
            !ix_is_block_or_loop(t->atom->var->kind))
            return false;
        out[n++] = (struct counter){t->atom->var, t->coef.num};
    }
    return n == 2 && (out[0].coef < 0) != (out[1].coef < 0);
}

// Warns of the distance "e", which a call gets, if it counts "y" in elements of a mode, and "x" in others than those that
// "x" moves along as many.
static bool check_distance(struct reads *r, const struct stmt *st, const struct ix *e,
                           struct counter x, struct counter y) {
    struct session *s = r->s;
    int64_t by = x.coef < 0 ? -x.coef : x.coef, of = y.coef < 0 ? -y.coef : y.coef, is = 0, one = 1;
    int mode, at;
    const struct view *w = of > 1 ? moved_by(r, y.v, &of, NULL, &mode) : NULL;
    struct lay_int n = w ? reads_extent(s, w->base, mode) : lay_int(0);
    if (!w || moved_by(r, x.v, &by, NULL, &at)) return false;
    const struct view *v = moved_by(r, x.v, &is, &n, &at);
    if (v) {
        diag_warn(s, W_UNREAD, st->at,
                  "'%s' gets %s, and '%s' moves '%s' by other steps along %s: %" PRId64
                  "*%s would count its elements",
                  st->call->fn->name, ix_text(s, e), x.v->name, v->base->name,
                  view_mode_text(s, v->base, at), is, x.v->name);
        diag_note(s, v->at, "'%s' is here", v->base->name);
        return true;
    }
    for (int i = 0; i < 3; ++i) {
        const struct ix_var *z = r->k->block[i];
        v = z && z != x.v && z != y.v ? moved_by(r, z, &by, &n, &at) : NULL;
        if (!v || !moved_by(r, x.v, &one, NULL, &mode)) continue;
        diag_warn(s, W_UNREAD, st->at,
                  "'%s' gets %s, and '%s' moves nothing by %" PRId64
                  " elements: '%s' moves '%s' so",
                  st->call->fn->name, ix_text(s, e), x.v->name, by, z->name, v->base->name);
        diag_note(s, v->at, "'%s' is here", v->base->name);
        return true;
    }
    return false;
}

// Warns of what is left of a mode, 'M - 32*block.x', which a call gets, if the block moves along it by other steps.
static bool check_left(struct reads *r, const struct stmt *st, const struct ix *e) {
    struct session *s = r->s;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->atom || t->atom->op != IX_VAR || !ix_is_block(t->atom->var->kind) ||
            !lay_int_static(t->coef) || t->coef.num >= 0)
            continue;
        const struct ix *all = ix_sub(s, e, ix_scale(s, t->atom, t->coef));
        int64_t by = -t->coef.num, is = 0;
        struct lay_int n;
        int mode;
        if (!ix_monomial(all, &n) || moved_by(r, t->atom->var, &by, NULL, &mode)) continue;
        const struct view *v = moved_by(r, t->atom->var, &is, &n, &mode);
        if (!v) continue;
        diag_warn(s, W_UNREAD, st->at,
                  "'%s' gets %s, and '%s' moves '%s' by %" PRId64
                  " elements along %s, not by %" PRId64,
                  st->call->fn->name, ix_text(s, e), t->atom->var->name, v->base->name, is,
                  view_mode_text(s, v->base, mode), by);
        diag_note(s, v->at, "'%s' is here", v->base->name);
        return true;
    }
    return false;
}

static bool check_distances(struct reads *r, const struct stmt *st) {
    for (int i = 0; i < st->call->fn->nindexes; ++i) {
        const struct ix *e = st->call->index[i];
        struct counter x[2];
        if (e && check_left(r, st, e)) return true;
        if (e && difference_of(e, x) &&
            (check_distance(r, st, e, x[0], x[1]) || check_distance(r, st, e, x[1], x[0])))
            return true;
    }
    return false;
}

void lint_counters(struct lint *l) {
    const struct kernel *k = l->k;
    if (l->told || k->device || k->planned) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_CALL || st->call->fill || !st->call->fn->nindexes) continue;
        struct reads *r = reads_of(l);
        for (const struct stmt *loop = st->up; loop && !r->more; loop = loop->up)
            for (int i = 0; stmt_loops(loop) && loop->var && i < st->call->fn->nindexes; ++i)
                if (check(r, st, loop, i)) return;
        if (!r->more && check_distances(r, st)) return;
    }
    lay_clear_error(&l->s->lay);
}
