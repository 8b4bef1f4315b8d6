// The arrangements that are tried (see candidates.h).
#include "autoswizzle/candidates.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/swizzles.h"
#include "plan/plan.h"

// The greatest stride of "l" in elements, and in "*mode" the mode that has it. 0 when "l" is not
// made of two modes with numbers.
static int64_t pitch_of(struct session *s, struct lay l, int *mode) {
    const struct lay_tuple *shape = l.shape, *stride = l.stride;
    int64_t most = 0;
    if (lay_is_leaf(shape)) return 0;
    for (int i = 0; i < lay_tuple_rank(shape); ++i) {
        const struct lay_tuple *x = lay_tuple_get(&s->lay, shape, i);
        const struct lay_tuple *d = lay_tuple_get(&s->lay, stride, i);
        if (!lay_is_leaf(x) || !lay_is_leaf(d) || !lay_int_static(x->leaf) ||
            !lay_int_static(d->leaf))
            return 0;
        if (d->leaf.num > most) most = d->leaf.num, *mode = i;
    }
    return most;
}

int swizzle_candidates(struct session *s, const struct tensor *t, struct lay l,
                       struct swizzle_choice *out) {
    int n = 0, mode = 0, bits = t->elem->bits;
    out[n++] = (struct swizzle_choice){0};
    int64_t pitch = pitch_of(s, l, &mode);
    struct lay_swizzle sw[SWIZZLES];
    int nsw = swizzles_of(s, l, bits, sw);
    for (int i = 0; i < nsw; ++i)
        out[n++] = (struct swizzle_choice){sw[i].b, sw[i].m, sw[i].s, NULL, 0};
    // padding: rows that are 4, 8 or 16 bytes further apart
    for (int bytes = 4;
         pitch > 0 && !t->names && lay_rank(l) == 2 && bytes <= 16 && n < SWIZZLE_CANDIDATES;
         bytes *= 2) {
        int64_t add = bytes * 8 / bits;
        if (add == 0) continue;
        const struct lay_tuple *a = lay_tuple_get(&s->lay, l.stride, 0);
        const struct lay_tuple *b = lay_tuple_get(&s->lay, l.stride, 1);
        out[n++] = (struct swizzle_choice){
            .text = arena_printf(&s->arena, "%s:(%lld,%lld)", lay_tuple_text(&s->lay, l.shape),
                                 (long long)a->leaf.num + (mode == 0 ? add : 0),
                                 (long long)b->leaf.num + (mode == 1 ? add : 0)),
            .pad = bytes};
    }
    return n;
}
