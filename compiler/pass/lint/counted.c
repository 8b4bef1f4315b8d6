// What a block's or a loop's variable counts: advice about its bound must fit all of it.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"

// The elements by which "v" moves a view with the coordinate "at"; 0: that is not known.
static int64_t step_of(const struct ix *at, const struct ix_var *v) {
    struct ix_term alone = {.coef = lay_int(1), .atom = at};
    int n = !at ? 0 : at->op == IX_SUM ? at->nterms : 1;
    for (int i = 0; i < n; ++i) {
        const struct ix_term *t = at->op == IX_SUM ? &at->term[i] : &alone;
        if (t->atom && t->atom->op == IX_VAR && t->atom->var == v && lay_int_static(t->coef))
            return t->coef.num;
    }
    return 0;
}

// The mode of which "v" counts "n" tiles; -1: there is none.
static int counted_mode(struct session *s, const struct view *x, const struct ix_var *v,
                        struct lay_int n) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, x->base->layout.shape);
    for (int i = 0; lay_valid(x->coord) && i < lay_tuple_leaves(flat); ++i) {
        int64_t step = step_of(x->coord_off[i], v);
        if (step < 1) continue;
        struct lay_int extent = lay_is_leaf(flat) ? flat->leaf : flat->kid[i]->leaf;
        struct lay_int tiles = lay_int_ceil_div(&s->lay, extent, lay_int(step));
        lay_clear_error(&s->lay);
        if (lay_int_valid(tiles) && lay_int_equal(tiles, n)) return i;
    }
    return -1;
}

const struct tensor *lint_counted_by(struct session *s, const struct kernel *k,
                                     const struct ix_var *v, struct lay_int n,
                                     const struct tensor *but, int *mode) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_COPY && i < 2; ++i) {
            const struct view *x = copy_side(st->copy, i == 0);
            if (x->base->space != MEM_GLOBAL || x->base == but) continue;
            *mode = counted_mode(s, x, v, n);
            if (*mode >= 0) return x->base;
        }
    }
    return NULL;
}
