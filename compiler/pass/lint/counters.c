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

// Warns of index "e" of a call in "loop" if it counts a read by another step, and no read by its own.
static bool check(struct reads *r, const struct stmt *st, const struct stmt *loop, int i) {
    struct session *s = r->s;
    const struct ix *e = st->call->index[i], *by = reads_step_by(s, e, loop->var);
    const struct ix *first = ix_substitute(s, e, loop->var, loop->begin);
    int at = 0, mode = 0;
    int64_t step;
    struct moved x, found = {0};
    if (!by || !first || !ix_static(by, &step) || step == 0) return false;
    while (next_moved(r, loop, &at, &mode, &x)) {
        if (x.step == step || x.step == -step) return false;
        if (!found.a && counts(&x, first, step)) found = x;
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

void lint_counters(struct lint *l) {
    const struct kernel *k = l->k;
    if (l->told || k->device || k->planned) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_CALL || st->call->fill || !st->call->fn->nindexes) continue;
        struct reads *r = reads_of(l);
        for (const struct stmt *loop = st->up; loop && !r->more; loop = loop->up)
            for (int i = 0; stmt_loops(loop) && loop->var && i < st->call->fn->nindexes; ++i)
                if (check(r, st, loop, i)) return;
    }
    lay_clear_error(&l->s->lay);
}
