// Modes in messages.
#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

const char *view_mode_text(struct session *s, const struct tensor *t, int leaf) {
    const struct lay_tuple *shape = t->layout.shape;
    int n = t->names ? lay_tuple_rank(shape) : 0, at = 0;
    for (int i = 0; i < n && at <= leaf; ++i) {
        const struct lay_tuple *mode = lay_tuple_get(&s->lay, shape, i);
        if (at == leaf && lay_is_leaf(mode) && t->names[i])
            return arena_printf(&s->arena, "mode %d ('%s')", leaf, t->names[i]);
        at += lay_tuple_leaves(mode);
    }
    return arena_printf(&s->arena, "mode %d", leaf);
}
