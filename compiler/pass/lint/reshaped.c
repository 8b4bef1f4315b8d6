// Tiles of which 'with_shape' changes more than the shape: it counts elements along the first mode first, so that those of a
// tile of other extents come to other places.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"
#include "plan/view.h"

// The copy that alone writes all of the buffer that "c" reads, in the same order, from global memory; or NULL.
static const struct copy *filled_by(struct session *s, const struct kernel *k,
                                    const struct copy *c) {
    const struct copy *from = NULL;
    if (!lay_int_equal(lay_size(&s->lay, c->src.layout), lay_size(&s->lay, c->src.base->layout)))
        return NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == c->src.base) return NULL;
        if (st->kind != STMT_COPY || st->copy->dst.base != c->src.base) continue;
        if (from || st->copy->src.base->space != MEM_GLOBAL) return NULL;
        from = st->copy;
    }
    if (from && !lay_equal(from->dst.layout, c->src.layout)) return NULL;
    bool fragment = c->src.base->space == MEM_FRAG;
    return from && fragment && from->tc != c->tc ? NULL : from;
}

static bool says(struct session *s, const struct view *v) {
    return source_known(s, v->at) && strstr(source_line(s, v->at), "with_shape(");
}

// Whether the elements of "v" and "w" in the order of the copy are those of the same part of two tensors, in the same
// order.
static bool same_places(struct session *s, const struct view *v, const struct view *w) {
    struct lay a = lay_coalesce(&s->lay, v->coord), b = lay_coalesce(&s->lay, w->coord);
    if (!lay_valid(a) || !lay_valid(b) || !lay_tuple_equal(a.shape, b.shape))
        return !lay_valid(a) || !lay_valid(b);
    const struct lay_tuple *x = lay_tuple_flatten(&s->lay, a.stride);
    const struct lay_tuple *y = lay_tuple_flatten(&s->lay, b.stride);
    bool same = true;  // but for the modes along which they are: then it is a transposition
    for (int i = 0; i < lay_tuple_leaves(x); ++i) {
        const struct lay_tuple *p = lay_is_leaf(x) ? x : x->kid[i];
        const struct lay_tuple *q = lay_is_leaf(y) ? y : y->kid[i];
        same &= p->leaf.num == q->leaf.num;
    }
    return same;
}

// Whether "v" is all of a tensor whose elements follow each other, those of the last mode first.
static bool is_row_major(struct session *s, const struct view *v) {
    struct lay l = lay_inner(v->base->layout);
    if (!lay_int_equal(lay_size(&s->lay, v->layout), lay_size(&s->lay, v->base->layout)) ||
        v->base->space != MEM_GLOBAL || !lay_valid(l) || lay_rank(l) < 2)
        return false;
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, l.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, l.stride);
    struct lay_int span = lay_int(1);
    bool is = true;
    for (int i = shape->rank - 1; i >= 0 && is; --i) {
        is = lay_int_equal(stride->kid[i]->leaf, span);
        span = lay_int_mul(&s->lay, span, shape->kid[i]->leaf);
    }
    lay_clear_error(&s->lay);
    return is;
}

// Whether "c" copies all of a tensor to one of another shape, both with rows that follow each other, and not to the same
// places in memory, by 'with_shape' alone.
static bool whole(struct session *s, const struct copy *c) {
    const struct view *v = &c->src, *w = &c->dst, *x = says(s, v) ? v : w;
    if (says(s, v) == says(s, w) || !is_row_major(s, x) || strstr(source_line(s, x->at), "select("))
        return false;
    const struct view *other = x == v ? w : v;
    if (x->names || other->names) return false;  // it goes by them
    if (!is_row_major(s, other) && lay_rank(other->base->layout) > 1) return false;
    struct lay a = lay_coalesce(&s->lay, v->layout), b = lay_coalesce(&s->lay, w->layout);
    bool same = !lay_valid(a) || !lay_valid(b) || lay_equal(a, b);
    lay_clear_error(&s->lay);
    if (same) return false;
    diag_warn(s, W_TURNED_TILES, x->at,
              "'with_shape' counts elements along the first mode first, and '%s' has those of its "
              "last mode one after the other: the copy changes their order in memory",
              x->base->name);
    diag_note(s, other->at,
              "for the same order as in memory, count from the last mode: 'select' reverses the "
              "modes before 'with_shape' and after it");
    return true;
}

void lint_reshaped(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    for (int i = 0; k->planned && i < k->nwanted; ++i) whole(s, &k->wanted[i]);
    if (k->planned) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        const struct copy *c = st->kind == STMT_COPY ? st->copy : NULL;
        if (!c || c->dst.base->space != MEM_GLOBAL) continue;
        const struct copy *from = c->src.base->space == MEM_GLOBAL ? c : filled_by(s, k, c);
        const struct view *v = from ? &from->src : NULL, *w = &c->dst;
        if (whole(s, c)) continue;
        if (!v || !lay_valid(v->coord) || !lay_valid(w->coord) || says(s, v) == says(s, w) ||
            !lay_tuple_equal(v->base->layout.shape, w->base->layout.shape) || same_places(s, v, w))
            continue;
        const struct view *x = says(s, v) ? v : w;
        diag_warn(
            s, W_TURNED_TILES, x->at,
            "'with_shape' counts elements along the first mode first, and so this tile of '%s' "
            "has another order than the tile of '%s', which has the same shape",
            x->base->name, (x == v ? w : v)->base->name);
        diag_note(s, x == v ? w->at : v->at, "'%s' is %s here", (x == v ? w : v)->base->name,
                  x == v ? "written" : "read");
    }
    lay_clear_error(&s->lay);
}
