// Coordinates of axes that the grid does not have: they are 0 in all blocks.
#include "base/session.h"
#include "pass/lint/lint.h"

// The axis that "v" depends on and that the grid of "k" does not name; -1: there is none.
static int missing(const struct kernel *k, const struct view *v) {
    for (int i = 0; i < 3; ++i)
        if (k->block[i] && k->grid_at[i].begin == k->grid_at[i].end && lay_int_is(k->grid[i], 1) &&
            view_depends(v, k->block[i]))
            return i;
    return -1;
}

static bool check(struct session *s, const struct kernel *k, const struct view *v) {
    int axis = missing(k, v);
    if (axis < 0) return false;
    diag_warn(s, W_FIXED_TILE, v->at,
              "'%s' is always 0 in '%s', whose grid does not have this axis: is another index "
              "meant?",
              k->block[axis]->name, k->name);
    return true;
}

void lint_axes(struct lint *l) {
    const struct kernel *k = l->k;
    if (k->device || k->planned || l->told) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY &&
            (check(l->s, k, &st->copy->src) || check(l->s, k, &st->copy->dst)))
            return;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (check(l->s, k, &st->call->view[i])) return;
    }
}
