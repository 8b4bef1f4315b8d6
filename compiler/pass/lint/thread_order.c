// What a plan does with threads by mistake: a copy between local_partition of both sides, or two copies
// through a fragment, by different orders of the same threads, or by different numbers of them, so that
// elements change their places within a tile.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"

// Whether "a" and "b", of one shape with several extents > 1, number its places in different
// orders. False if the extents are equal, because that may be a transposition.
static bool orders_differ(struct session *s, struct lay a, struct lay b) {
    bool differ = false, square = true;
    int64_t first = 0;
    if (!lay_valid(a) || !lay_valid(b) || !lay_tuple_equal(a.shape, b.shape)) return false;
    if (lay_is_leaf(a.shape)) return false;
    for (int i = 0; i < lay_tuple_rank(a.shape); ++i) {
        const struct lay_tuple *n = lay_tuple_get(&s->lay, a.shape, i);
        const struct lay_tuple *d = lay_tuple_get(&s->lay, a.stride, i);
        const struct lay_tuple *e = lay_tuple_get(&s->lay, b.stride, i);
        if (!lay_is_leaf(n) || !lay_is_leaf(d) || !lay_is_leaf(e)) return false;
        if (!lay_int_static(n->leaf)) return false;
        if (n->leaf.num == 1) continue;
        differ |= !lay_int_equal(d->leaf, e->leaf);
        if (!first) first = n->leaf.num;
        square &= n->leaf.num == first;
    }
    return differ && !square;
}

// Whether both numbers are a thread's, and "a" has fewer values than "b": "lane" and "tid".
static bool is_fewer(struct session *s, const struct ix *a, const struct ix *b) {
    int64_t last[2];
    for (int i = 0; i < 2; ++i) {
        const struct ix *x = i ? b : a;
        if (!ix_depends_if(x, ix_is_thread)) return false;
        if (!ix_static(ix_max(s, x), &last[i])) return false;
    }
    return last[0] < last[1];
}

// Of copy "st", which writes elements of "of".
static void warn_order(struct session *s, const struct stmt *st, const struct view *of,
                       const struct partitioned *a, const struct partitioned *b) {
    diag_warn(s, W_THREAD_ORDER, st->at,
              "a thread reads '%s' by %s and writes '%s' by %s, so that elements change their "
              "places",
              of->base->name, lay_text(&s->lay, a->thr), st->copy->dst.base->name,
              lay_text(&s->lay, b->thr));
    diag_note(s, b->thr_at, "with one layout on both sides, each element keeps its place");
    diag_fixit(s, b->thr_at, source_line(s, a->thr_at));
}

// "local_partition(A, .., lane) -> local_partition(B, .., tid)"
static void warn_fewer(struct session *s, const struct stmt *st, const struct view *of,
                       const struct partitioned *a, const struct partitioned *b) {
    const char *src = of->base->name;
    diag_warn(s, W_THREAD_ORDER, st->at,
              "a thread reads part '%s' of '%s' and writes part '%s' of '%s': several threads "
              "read one part, and no thread reads the others",
              ix_text(s, a->thread), src, ix_text(s, b->thread), st->copy->dst.base->name);
    diag_note(s, of->at, "with '%s' here too, each element keeps its place", ix_text(s, b->thread));
}

// What the elements are of that "c" copies: the source of the one copy that fills its fragment, or its
// own.
static const struct view *elements_of(const struct kernel *k, const struct copy *c) {
    const struct view *from = NULL;
    if (c->src.base->space != MEM_FRAG) return &c->src;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == c->src.base && st->call->fn->formal[i].dir != ARG_IN &&
                !st->call->fill)
                return &c->src;
        if (st->kind != STMT_COPY || st->copy->dst.base != c->src.base) continue;
        if (from) return &c->src;
        from = &st->copy->src;
    }
    return from ? from : &c->src;
}

void lint_thread_order(struct lint *l) {
    struct session *s = l->s;
    for (const struct stmt *st = l->k->body; st; st = stmt_next(l->k->body, st)) {
        if (st->kind != STMT_COPY) continue;
        const struct view *of = elements_of(l->k, st->copy);
        const struct partitioned *a = of->partitioned, *b = st->copy->dst.partitioned;
        if (!a || !b) continue;
        if (!ix_equal(a->thread, b->thread)) {
            if (lay_equal(a->thr, b->thr) && is_fewer(s, a->thread, b->thread))
                warn_fewer(s, st, of, a, b);
        } else if (orders_differ(s, a->thr, b->thr)) {
            warn_order(s, st, of, a, b);
        }
    }
}
