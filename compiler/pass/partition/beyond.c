// Which views may lie beyond their tensors (see beyond.h).
#include "pass/partition/beyond.h"

#include "base/session.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

struct context {
    struct prover *prover;
    const struct around *around;
};

// Whether coordinate "c" provably is inside bound "b".
static bool is_within(struct session *s, struct edge_of b, const struct ix *c) {
    return ix_provably_nonnegative(s, ix_sub(s, ix_int(s, -1), view_beyond(s, b, c)));
}

bool beyond_reaches(struct session *s, const struct view *v, int mode, struct edge_of b,
                    const struct ix **reach) {
    const struct ix *lo, *hi;
    view_reach(s, v, mode, &lo, &hi);
    *reach = b.front ? lo : hi;
    const struct ix *most = b.front ? ix_min(s, lo) : ix_max(s, hi);
    return !is_within(s, b, *reach) && !(most && is_within(s, b, most));
}

// Whether a coordinate of "v" along mode "mode" may be outside bound "b".
static bool may_lie_beyond(struct session *s, const struct context *f, const struct kernel *k,
                           const struct copy *c, const struct view *v, int mode, struct edge_of b) {
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    instances_begin(s, k, f->around, true, x);
    instances_of(x, c, v);
    instances_cond(x, view_beyond(s, b, instances_coord(x, v, mode)));
    struct prove_set set = instances_settled(x, f->around, v);
    return x->full || prove_none(f->prover, &set, NULL) != PROVE_YES;
}

// Whether tiles of "v", although they divide their modes, may be outside its tensor.  They are then
// treated like tiles that do not divide it.
static bool lies_beyond(struct session *s, const struct context *f, const struct kernel *k,
                        const struct copy *c, const struct view *v) {
    if (!v->tiled || v->overhang || !lay_valid(v->coord)) return false;
    struct session_mark mark = session_mark(s);
    bool may = false;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape) && !may; ++i) {
        const struct edge_of end = {.at = view_limit(s, v, i)};
        const struct ix *reach;
        // the caller of a device function guarantees that what it passes is inside
        if (beyond_reaches(s, v, i, end, &reach) && !ix_depends(reach, IX_FORMAL))
            may = may_lie_beyond(s, f, k, c, v, i, end);
    }
    session_rewind(s, mark);
    return may;
}

// -- halos ----------------------------------------------------------------------------------------

// Whether a range of "v" along mode "mode" may be outside bound "b".  Nothing is known about what
// the caller of a device function passes, except that it is not negative.
static bool is_outside(struct session *s, const struct context *f, const struct kernel *k,
                       const struct copy *c, const struct view *v, int mode, struct edge_of b) {
    struct session_mark mark = session_mark(s);
    const struct ix *reach;
    bool may = beyond_reaches(s, v, mode, b, &reach);
    if (may && !ix_depends(reach, IX_FORMAL)) may = may_lie_beyond(s, f, k, c, v, mode, b);
    session_rewind(s, mark);
    return may;
}

// Whether the ranges of "v" along mode "mode" have numbers for ends.
static bool of_numbers(const struct view *v, int mode) {
    for (const struct slice_bound *b = v->bounds; b; b = b->next)
        if (b->halo == 1 + mode && !ix_static(b->at, NULL)) return false;
    return true;
}

// Decides for each range of "v" that may be a halo whether it is one, and keeps the bounds that it
// may be outside of.  It is one if elements outside get a value, or may stay as they are because
// their reads are checked (pass "defined"), or if it may begin before its mode.
static void settle_halos(struct session *s, const struct context *f, const struct kernel *k,
                         const struct copy *c, struct view *v) {
    if (!v->halo || !lay_valid(v->coord)) return;
    int n = lay_tuple_leaves(v->base->layout.shape);
    struct halo *made = ARENA_ARRAY(&s->arena, struct halo, n ? n : 1);
    bool pad = c->pad && v == &c->src, any = false;
    bool own = c->dst.base->space != MEM_GLOBAL && v == &c->src;
    for (int i = 0; i < n; ++i) {
        struct halo *h = &made[i];
        *h = v->halo[i];
        if (!h->end) continue;
        const struct edge_of front = {.at = h->begin, .front = true}, end = {.at = h->end};
        if (!is_outside(s, f, k, c, v, i, front)) h->begin = NULL;
        h->settled = h->shorter || pad || (own && !ix_depends(v->coord_off[i], IX_FORMAL)) ||
                     (h->begin && !of_numbers(v, i));
        if (!h->settled || !is_outside(s, f, k, c, v, i, end)) h->end = NULL;
        if (!h->settled) h->begin = NULL;
        any |= h->begin || h->end;
    }
    v->halo = made;
    v->overhang |= any;
}

void beyond_settle(struct session *s, struct prover *prover, const struct around *around,
                   const struct kernel *k, struct copy *c) {
    const struct context f = {prover, around};
    for (int src = 1; src >= 0; --src) {
        struct view *v = src ? &c->src : &c->dst;
        settle_halos(s, &f, k, c, v);
        v->overhang |= lies_beyond(s, &f, k, c, v);
    }
}
