// Elements that the shape of a tensor has and the tensor has not: beyond the end of shorter parts.  Nobody
// has to write them.
#include "base/session.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

struct prove_set *coverage_absent(struct session *s, const struct kernel *k, const struct tensor *t,
                                  int more, int *n) {
    static const struct around none = {0};
    struct prove_set *out = ARENA_ARRAY(&s->arena, struct prove_set, MESH_CUTS + more + 1);
    *n = 0;
    for (const struct shorter *x = t->shorter; x; x = x->next) {
        if (!lay_int_static(x->each)) continue;  // then writes are not known to be fewer
        struct instances *of = ARENA_NEW(&s->arena, struct instances);
        struct view *v = ARENA_NEW(&s->arena, struct view);
        *v = view_of_tensor(s, (struct tensor *)t, t->at);
        instances_begin(s, k, &none, false, of);
        instances_of(of, NULL, v);
        const struct ix *digit = instances_coord(of, v, x->digit);
        const struct ix *part = x->part < 0 ? ix_int(s, 0) : instances_coord(of, v, x->part);
        instances_cond(of, view_absent(s, x, digit, part));
        out[(*n)++] = instances_settled(of, &none, v);
    }
    return out;
}
