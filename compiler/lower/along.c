// Says in a comment what a digit of tid counts: along which mode of a copy's tile threads lie whose
// digits are neighbours.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "lower/private.h"

// The number of threads from one value of the digit "e" to the next; 0 if it is not a digit of tid
// itself.
static int64_t step_of(const struct ix *e) {
    if (e->op == IX_VAR) return 1;
    if (e->op != IX_DIV && e->op != IX_MOD) return 0;
    return e->op == IX_DIV ? e->k.num * step_of(e->a) : step_of(e->a);
}

// Writes "place" in the tile of "tc" as "times" in mode "mode".
static bool along_one(const struct tiled_copy *tc, int64_t place, int *mode, int64_t *times) {
    *times = 0;
    for (int i = 0; i < tc->tiler->rank; ++i) {
        int64_t extent = tc->tiler->kid[i]->leaf.num, at = place % extent;
        place /= extent;
        if (at && *times) return false;
        if (at) *mode = i, *times = at;
    }
    return *times > 0;
}

// "along mode 1, by 8"; NULL if the digit does not count along one mode.
static const char *along(struct session *s, const struct copy *c, const struct ix *e) {
    const struct tiled_copy *tc = c->tc;
    int64_t step = step_of(e), first, at, each, times;
    int mode, one;
    if (!tc || !step || lay_is_leaf(tc->tiler)) return NULL;
    struct lay tv = tiled_tv(tc, c->src.base->space != MEM_FRAG);
    if (!lay_valid(tv) || !lay_eval(&s->lay, tv, 0, &first)) return NULL;
    for (int64_t i = 1; i <= e->hi; ++i) {
        if (i * step >= tc->threads || !lay_eval(&s->lay, tv, i * step, &at) ||
            !along_one(tc, at - first, i == 1 ? &mode : &one, i == 1 ? &each : &times))
            return NULL;
        if (i > 1 && (one != mode || times != i * each)) return NULL;
    }
    const char *by = each == 1 ? "" : arena_printf(&s->arena, ", by %lld", (long long)each);
    return arena_printf(&s->arena, "along mode %d%s", mode, by);
}

// The tensor by which a copy is known: one in global memory, otherwise one that is no fragment.
static const char *tensor_of(const struct copy *c) {
    const struct tensor *a = c->src.base, *b = c->dst.base;
    bool other = b->space == MEM_GLOBAL ? a->space != MEM_GLOBAL : a->space == MEM_FRAG;
    return other ? b->name : a->name;
}

void lower_tell_along(struct lowering *w, struct named_part *x) {
    struct session *s = w->s;
    const char *text = w->copy && x->ntold < MOST_ALONG ? along(s, w->copy, x->is) : NULL;
    if (!text) return;
    for (int i = 0; i < x->ntold; ++i)
        if (strcmp(x->told[i], text) == 0) return;
    x->told[x->ntold] = text;
    x->told_in[x->ntold++] = tensor_of(w->copy);
    const char *all = text;
    for (int i = 0; x->ntold > 1 && i < x->ntold; ++i)
        all = arena_printf(&s->arena, "%s%s%s: %s", i ? all : "", i ? "; " : "", x->told_in[i],
                           x->told[i]);
    lower_comment_on(w, x->let, all);
}
