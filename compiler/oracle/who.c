// Messages of the oracle about who writes what: the element by its coordinate in the tensor, the
// writer by block, iteration, thread and value (see oracle.h).  The tiled copy's own layout of
// (thread, value) gives the thread for a coordinate of a block's tile.
#include "base/buf.h"
#include "base/session.h"
#include "oracle/private.h"

void oracle_remember(struct run *r, int n, const int64_t *crd, int64_t value) {
    for (int i = 0; i < n; ++i) r->crd[i] = crd[i];
    r->value = value;
}

const char *oracle_coordinate(struct run *r, int n, const int64_t *at) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < n; ++i) buf_printf(&b, "%s%lld", i ? "," : "(", (long long)at[i]);
    buf_puts(&b, n ? ")" : "0");
    return buf_finish(&b, &r->s->arena);
}

const char *oracle_element(struct run *r, int64_t at) {
    const struct side *d = &r->dst;
    const char *name = oracle_name(d->view->base);
    if (d->tensor.n < 0 || !r->watch)
        return arena_printf(&r->s->arena, "element %lld of '%s'", (long long)at, name);
    int64_t c[ORACLE_FLAT_MODES];
    for (int m = 0; m < d->tensor.n; ++m) c[m] = d->first[m];
    for (int i = 0; i < d->coord.n; ++i)
        if (d->coord.basis[i] >= 0) c[d->coord.basis[i]] += d->coord.stride[i] * r->crd[i];
    return arena_printf(&r->s->arena, "element %s of '%s'", oracle_coordinate(r, d->tensor.n, c),
                        name);
}

// Sets "*at" to the number of the coordinate r->crd in a tile of "tc", and "*tile" to that of the
// tile.
static bool in_tile(const struct run *r, const struct tiled_copy *tc, int64_t *at, int64_t *tile) {
    struct lay l = r->dst.view->layout;
    int rank = l.shape->rank < 0 ? 1 : l.shape->rank, leaf = 0;
    int64_t size = 1, tiles = 1;
    *at = *tile = 0;
    for (int m = 0; m < rank; ++m) {
        struct lay mode = l.shape->rank < 0
                              ? l
                              : (struct lay){.shape = l.shape->kid[m], .stride = l.stride->kid[m]};
        const struct lay_tuple *t = tc->tiler->rank < 0 ? tc->tiler : NULL;
        if (!t && m < tc->tiler->rank) t = tc->tiler->kid[m];
        if (tc->tiler->rank < 0 && m > 0) t = NULL;
        struct oracle_flat f, g = {.size = 1};
        if (!oracle_flatten(mode, r->env.sym, &f) ||
            (t && !oracle_flatten((struct lay){.shape = t, .stride = t}, r->env.sym, &g)))
            return false;
        int64_t x = 0, step = 1;
        for (int i = 0; i < f.n; step *= f.extent[i++]) x += step * r->crd[leaf++];
        *at += size * (x % g.size);
        *tile += tiles * (x / g.size);
        size *= g.size;
        tiles *= (f.size + g.size - 1) / g.size;
    }
    return true;
}

// Sets the thread of the tiled copy that has the coordinate, and the number of its value.
static bool owner(const struct run *r, const struct tiled_copy *tc, int64_t *thread,
                  int64_t *value) {
    int64_t at, tile;
    struct oracle_flat thr = {0}, val = {0};
    if (!in_tile(r, tc, &at, &tile)) return false;
    if (!tc->map) {
        const struct lay_tuple *const *shape = tc->tv.shape->kid, *const *step = tc->tv.stride->kid;
        if (!oracle_flatten((struct lay){.shape = shape[0], .stride = step[0]}, r->env.sym, &thr) ||
            !oracle_flatten((struct lay){.shape = shape[1], .stride = step[1]}, r->env.sym, &val))
            return false;
    }
    for (int64_t t = 0; t < tc->threads; ++t) {
        for (int64_t v = 0; v < tc->values; ++v) {
            int64_t x = tc->map ? tc->map->place[t + tc->threads * v]
                                : oracle_flat_at(&thr, t) + oracle_flat_at(&val, v);
            if (x != at) continue;
            *thread = t;
            *value = v + tc->values * tile;
            return true;
        }
    }
    return false;
}

const char *oracle_who(struct run *r) {
    struct arena *a = &r->s->arena;
    const struct copy *c = r->copy;
    const int64_t *block = r->report->block;
    bool frag = c->src.base->space == MEM_FRAG || c->dst.base->space == MEM_FRAG;
    int64_t thread = r->report->thread, value = r->value, mine;
    if (c->tc && !frag && r->watch && owner(r, c->tc, &mine, &value))
        thread = (thread < 0 ? 0 : thread) + mine;
    const char *who = thread < 0 ? ""
                                 : arena_printf(a, "value %lld of thread %lld in ",
                                                (long long)value, (long long)thread);
    who = arena_printf(a, "%sblock (%lld,%lld,%lld)", who, (long long)block[0], (long long)block[1],
                       (long long)block[2]);
    for (int i = 0; i < r->nloops && i < ORACLE_LOOPS; ++i)
        who = arena_printf(a, "%s%s%s = %lld", who, i ? ", " : " with ", r->loop[i]->name,
                           (long long)r->var[r->loop[i]->id]);
    return who;
}
