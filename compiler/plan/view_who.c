// Views and threads: which thread has a part of a tile, and whether a view is a thread's or a
// warp's.
#include "base/session.h"
#include "hw/sizes.h"
#include "plan/view.h"

// -- threads --------------------------------------------------------------------------------------

const struct ix *view_tid(struct session *s, const struct kernel *k, int64_t n) {
    if (n == 1) return ix_int(s, 0);  // only thread 0 passes the guard
    if (n >= k->threads) return ix_var(s, k->tid);
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    *v = *k->tid;
    v->end = lay_int(n);
    return ix_var(s, v);
}

const struct ix *view_thread(struct session *s, const struct kernel *k, const struct copy *c) {
    return c->facts.level == LEVEL_WARP ? view_lane(s, k, c->tc->threads)
                                        : view_tid(s, k, c->tc->threads);
}

int64_t view_threads(const struct copy *c, int64_t all) {
    if (c->src.threads && c->src.threads < all) all = c->src.threads;
    if (c->dst.threads && c->dst.threads < all) all = c->dst.threads;
    return all;
}

bool tiled_place(struct session *s, const struct tiled_copy *tc, bool src, int64_t t, int64_t v,
                 int64_t *place) {
    int64_t i = t + tc->threads * v;
    if (lay_valid(tc->tv)) return lay_eval(&s->lay, tiled_tv(tc, src), i, place);
    *place = tc->map->place[i];
    return true;
}

// -- warps ----------------------------------------------------------------------------------------

const struct ix *view_lane(struct session *s, const struct kernel *k, int64_t n) {
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    *v = *k->lane;
    if (n < v->end.num) v->end = lay_int(n);
    return ix_var(s, v);
}

const struct ix *view_by_tid(struct session *s, const struct kernel *k, const struct ix *e) {
    if (!e || (!ix_depends(e, IX_LANE) && !ix_depends(e, IX_WARP))) return e;
    const struct ix *tid = ix_var(s, k->tid);
    e = ix_substitute(s, e, k->lane, ix_mod(s, tid, lay_int(LANES)));
    return ix_substitute(s, e, k->warp, ix_div(s, tid, lay_int(LANES)));
}

// Whether the place of "v" in its tensor, or where it ends, depends on a coordinate of kind "kind".
// The offset does not show this for modes of one element and modes without a stride.
static bool depends(const struct view *v, enum ix_var_kind kind) {
    if (ix_depends(v->offset, kind)) return true;
    int n = lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
    for (int i = 0; i < n; ++i) {
        if (ix_depends(v->coord_off[i], kind) || (v->limit && ix_depends(v->limit[i], kind)))
            return true;
    }
    return false;
}

bool view_of_thread(const struct view *v) {
    return depends(v, IX_TID) || depends(v, IX_LANE);
}

bool view_of_warp(const struct view *v) {
    return depends(v, IX_WARP) && !view_of_thread(v);
}

bool view_has_lanes(const struct kernel *k, int64_t n) {
    int64_t last = k->threads % LANES;
    return n <= LANES && (last == 0 || n <= last);
}

int64_t view_lanes(const struct copy *c) {
    int64_t a = c->src.lanes, b = c->dst.lanes;
    return a == 0 || (b != 0 && b < a) ? b : a;
}
