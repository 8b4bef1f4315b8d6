// Warns of a copy between local_partitions of both sides by different orders of the same threads:
// it moves elements within a tile.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/waste/waste.h"

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

void waste_threads(struct session *s, const struct kernel *k) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY) continue;
        const struct partitioned *a = st->copy->src.partitioned, *b = st->copy->dst.partitioned;
        if (!a || !b || !ix_equal(a->thread, b->thread) || !orders_differ(s, a->thr, b->thr))
            continue;
        diag_warn(s, W_THREAD_ORDER, st->at,
                  "a thread reads '%s' by %s and writes '%s' by %s, so that elements change their "
                  "places",
                  st->copy->src.base->name, lay_text(&s->lay, a->thr), st->copy->dst.base->name,
                  lay_text(&s->lay, b->thr));
        diag_note(s, b->thr_at, "with one layout on both sides, each element keeps its place");
        diag_fixit(s, b->thr_at, source_line(s, a->thr_at));
    }
}
