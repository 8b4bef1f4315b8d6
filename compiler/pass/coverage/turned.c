// Proposes a transposition where a tensor goes to one with the extents the other way round.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

// Whether "v" has several elements along a mode of its tensor other than "a" and "b".
static bool runs_elsewhere(struct session *s, const struct view *v, int a, int b) {
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *lo, *hi;
        if (i == a || i == b) continue;
        view_reach(s, v, i, &lo, &hi);
        if (!lo || !hi || !ix_equal(lo, hi)) return true;
    }
    return false;
}

// Whether the destination of "c" has the shape of "a" with two modes the other way round, and is a
// tile along these.
static bool reversed(struct session *s, const struct tensor *a, const struct copy *c) {
    const struct lay_tuple *x = a->layout.shape, *y = c->dst.base->layout.shape;
    int n = lay_tuple_rank(x), at[2], differ = 0;
    if (a->space != MEM_GLOBAL || c->dst.base->space != MEM_GLOBAL || n < 2 ||
        lay_tuple_rank(y) != n)
        return false;
    for (int i = 0; i < n; ++i) {
        if (lay_tuple_equal(lay_tuple_get(&s->lay, x, i), lay_tuple_get(&s->lay, y, i))) continue;
        if (differ == 2) return false;
        at[differ++] = i;
    }
    if (differ < 2) return false;
    for (int i = 0; i < 2; ++i)
        if (!lay_tuple_equal(lay_tuple_get(&s->lay, x, at[i]),
                             lay_tuple_get(&s->lay, y, at[1 - i])))
            return false;
    if (n == 2) return true;
    return lay_tuple_leaves(y) == n && lay_rank(c->src.layout) == 2 &&
           lay_rank(c->dst.layout) == 2 && lay_valid(c->dst.coord) &&
           !runs_elsewhere(s, &c->dst, at[0], at[1]);
}

bool coverage_note_turned(struct session *s, const struct kernel *k, const struct copy *first,
                          const struct copy *c) {
    const struct tensor *a = first->src.base, *b = c->dst.base;
    if (!reversed(s, a, c) || k->planned) return false;
    const char *text = view_turned_text(s, &c->src);
    // one select is right; two, or one that keeps the order, are not
    if (view_is_select(s, &c->src) &&
        (first == c || view_is_select(s, &first->dst) == (strncmp(text, "select(", 7) == 0)))
        return false;
    diag_note(s, c->src.at,
              "'%s' has shape %s and '%s' %s, so this is a transposition: '%s' has the modes in "
              "the other order",
              a->name, lay_tuple_text(&s->lay, a->layout.shape), b->name,
              lay_tuple_text(&s->lay, b->layout.shape), text);
    diag_fixit(s, c->src.at, text);
    diag_claim(s, (struct claim){.function = k->name, .right = true});
    return true;
}
