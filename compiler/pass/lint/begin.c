// Layouts that count down and begin a step too late: N+(N):(-1), whose first element is behind the memory of N elements.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"

// Warns of "t", a tensor that counts down, if its lowest element is one step of a mode above its begin.
static bool begins_late(struct session *s, const struct tensor *t) {
    if (t->space != MEM_GLOBAL || !lay_valid(t->layout) || t->layout.composed) return false;
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, t->layout.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, t->layout.stride);
    const struct ix *least = ix_lay(s, t->layout.offset);
    int n = lay_is_leaf(shape) ? 1 : shape->rank;
    struct lay_int down[LAY_MAX_RANK];
    int ndown = 0;
    for (int i = 0; i < n && least; ++i) {
        struct lay_int e = lay_is_leaf(shape) ? shape->leaf : shape->kid[i]->leaf;
        struct lay_int step = lay_is_leaf(shape) ? stride->leaf : stride->kid[i]->leaf;
        if (step.num >= 0 || lay_int_is(e, 1) || ndown == LAY_MAX_RANK) continue;
        const struct ix *last = ix_sub(s, ix_lay(s, e), ix_int(s, 1));
        down[ndown++] = step;
        least = last ? ix_add(s, least, ix_scale(s, last, step)) : NULL;
    }
    for (int i = 0; i < ndown && least; ++i) {
        const struct ix *step = ix_lay(s, down[i]);
        const struct ix *right = ix_add(s, ix_lay(s, t->layout.offset), step);
        if (!right || !ix_equal(ix_add(s, least, step), ix_int(s, 0))) continue;
        struct lay_int by = lay_int_mul(&s->lay, down[i], lay_int(-1));
        const char *first = lay_int_text(&s->lay, t->layout.offset), *n = lay_int_text(&s->lay, by);
        diag_warn(s, W_UNREAD, t->at,
                  "no coordinate of '%s' is element 0 of its memory: it begins at element %s and "
                  "counts down by %s to element %s",
                  t->name, first, n, ix_text(s, least));
        diag_note(s, t->at, "with the offset '%s' its last coordinate is element 0",
                  ix_static(right, NULL) ? ix_text(s, right)
                                         : arena_printf(&s->arena, "%s - %s", first, n));
        return true;
    }
    return false;
}

void lint_begin(struct lint *l) {
    const struct kernel *k = l->k;
    int n = k->planned ? 2 * k->nwanted : k->nformals;
    for (int i = 0; i < n && !k->device; ++i) {
        const struct tensor *t =
            k->planned ? copy_side(&k->wanted[i / 2], i % 2)->base : k->formal[i].tensor;
        if (t && begins_late(l->s, t)) break;
    }
    lay_clear_error(&l->s->lay);
}
