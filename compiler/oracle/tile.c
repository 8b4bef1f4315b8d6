// Copies in the oracle between a tile of the block and the threads' frags (see oracle.h).
//
// Value v of thread t in tile number (r0,r1,..) is the view's coordinate whose mode m is x_m +
// tile_m * r_m, where x is coordinate number tv(t,v) of the tile; its coordinate in the frag is
// (v,r0,r1,..).  The places of these coordinates in the view are the same each time the copy is
// executed for the same params, so they are computed once.
#include "base/session.h"
#include "oracle/private.h"

// A mode of a tiled view: its part of the layout, the tile's extent, and the number of tiles along
// it.
struct tiled_mode {
    struct oracle_flat flat;
    int64_t tile, rest;
};

// Values of a thread that are adjacent in the view and in its frag.
struct stretch {
    int64_t at;       // in the view; NOWHERE: one value that is not in the view
    int64_t slot;     // in the frag
    int64_t n;        // values
    int64_t tile, x;  // of the first value: its tile, and the coordinate in it
};
struct stretches {
    const struct stretch *at;
    int64_t n;
};

enum { KEPT_LIMIT = 1 << 18 };  // most values of a copy whose stretches are kept

// The coordinates of the tiles of a copy.  Coordinate x of tile n has the number n * size + x.
struct tile {
    const struct copy *copy;
    struct tile *next;
    int rank;
    struct tiled_mode mode[LAY_MAX_RANK];
    int64_t size, rests;       // coordinates in a tile, and number of tiles
    int64_t threads, values;   // of a tile
    const int64_t *thr, *val;  // coordinate number of a value: thr[t] + val[v]; or
    const int32_t *map;        // .. from an index map
    // place in the view, from its begin; NOWHERE: the view has no such coordinate
    int64_t *at;
    struct stretch *scratch;  // room for the stretches of one thread
    struct stretches *held;   // by thread, as far as computed; NULL: too many to be kept
};

#define NOWHERE INT64_MIN

// -- coordinates ----------------------------------------------------------------------------------

static bool fail(struct run *r, const struct side *block, const char *text) {
    oracle_fail(r, ORACLE_SHAPES, block->view->base, 0, text);
    return false;
}

// Divides the view's layout by the tiler.
static bool divide(struct run *r, struct tile *tile, const struct side *block,
                   const struct lay_tuple *tiler) {
    struct lay l = block->view->layout;
    int tile_rank = tiler->rank < 0 ? 1 : tiler->rank;
    tile->rank = oracle_rank(l);
    tile->size = tile->rests = 1;
    if (tile_rank > tile->rank || tile->rank > LAY_MAX_RANK)
        return fail(r, block, "the tile has more modes than the view");
    for (int m = 0; m < tile->rank; ++m) {
        struct tiled_mode *t = &tile->mode[m];
        struct lay part = l.shape->rank < 0
                              ? l
                              : (struct lay){.shape = l.shape->kid[m], .stride = l.stride->kid[m]};
        if (!oracle_flatten(part, r->env.sym, &t->flat)) return oracle_no_value(r, block->view);
        t->tile = 1;
        if (m < tile_rank) {
            const struct lay_tuple *extent = tiler->rank < 0 ? tiler : tiler->kid[m];
            struct oracle_flat f;
            if (!oracle_flatten((struct lay){.shape = extent, .stride = extent}, r->env.sym, &f))
                return oracle_no_value(r, block->view);
            t->tile = f.size;
        }
        if (t->tile < 1) return fail(r, block, "an empty tile");
        t->rest = (t->flat.size + t->tile - 1) / t->tile;
        tile->rests *= t->rest;
        tile->size *= t->tile;
    }
    return true;
}

static const int64_t *values_of(struct run *r, const struct oracle_flat *f) {
    int64_t *at = ARENA_ROOM(&r->s->arena, int64_t, f->size + 1);
    for (int64_t i = 0; i < f->size; ++i) at[i] = oracle_flat_at(f, i);
    return at;
}

// The coordinate in mode "m" of coordinate "x" of tile "n"; divides "x" and "n" by the mode's
// extents.
static int64_t take_mode(const struct tiled_mode *m, int64_t *x, int64_t *n) {
    int64_t i = *x % m->tile + m->tile * (*n % m->rest);
    *x /= m->tile;
    *n /= m->rest;
    return i;
}

static bool place_points(struct run *r, struct tile *tile) {
    const int64_t *part[LAY_MAX_RANK];
    for (int m = 0; m < tile->rank; ++m) part[m] = values_of(r, &tile->mode[m].flat);
    tile->at = ARENA_ROOM(&r->s->arena, int64_t, tile->size * tile->rests + 1);
    for (int64_t n = 0; n < tile->rests; ++n) {
        for (int64_t x = 0; x < tile->size; ++x) {
            if (!oracle_goes_on(r)) return false;
            int64_t at = 0, rest = n, left = x;
            bool there = true;
            for (int m = 0; m < tile->rank && there; ++m) {
                int64_t i = take_mode(&tile->mode[m], &left, &rest);
                there = i < tile->mode[m].flat.size;
                if (there) at += part[m][i];
            }
            tile->at[n * tile->size + x] = there ? at : NOWHERE;
        }
    }
    return true;
}

// "src": for what the threads read, otherwise for what they write.
static bool make_tile(struct run *r, struct tile *tile, const struct side *block,
                      const struct tiled_copy *tc, bool src) {
    if (!divide(r, tile, block, tc->tiler)) return false;
    tile->threads = tc->threads;
    tile->values = tc->values;
    tile->map = tc->map ? tc->map->place : NULL;
    if (!tile->map) {
        struct lay tv = tiled_tv(tc, src);
        const struct lay_tuple *const *tvs = tv.shape->kid, *const *tvd = tv.stride->kid;
        struct oracle_flat thr, val;
        if (!oracle_flatten((struct lay){.shape = tvs[0], .stride = tvd[0]}, r->env.sym, &thr) ||
            !oracle_flatten((struct lay){.shape = tvs[1], .stride = tvd[1]}, r->env.sym, &val))
            return oracle_no_value(r, block->view);
        tile->threads = thr.size;
        tile->values = val.size;
        tile->thr = values_of(r, &thr);
        tile->val = values_of(r, &val);
    }
    if (!place_points(r, tile)) return false;
    int64_t each = tile->values * tile->rests;
    tile->scratch = ARENA_ROOM(&r->s->arena, struct stretch, each + 1);
    if (each * tile->threads <= KEPT_LIMIT)
        tile->held = ARENA_ARRAY(&r->s->arena, struct stretches, tile->threads + 1);
    return true;
}

static struct tile *tile_of(struct run *r, const struct copy *c, const struct side *block) {
    for (struct tile *t = r->tiles; t; t = t->next) {
        if (t->copy == c) return t;
    }
    struct tile *t = ARENA_NEW(&r->s->arena, struct tile);
    t->copy = c;
    // a fragment has the values of its side of the instruction
    if (!make_tile(r, t, block, c->tc, c->src.base->space == MEM_FRAG)) return NULL;
    t->next = r->tiles;
    r->tiles = t;
    return t;
}

// The place in the view of coordinate "x" of tile "n", by flattened mode; the view must have it.
static int place_of(const struct tile *tile, int64_t n, int64_t x, int64_t *crd) {
    int ncrd = 0;
    for (int m = 0; m < tile->rank; ++m) {
        const struct oracle_flat *f = &tile->mode[m].flat;
        int64_t i = take_mode(&tile->mode[m], &x, &n);
        for (int leaf = 0; leaf < f->n; i /= f->extent[leaf++]) crd[ncrd++] = i % f->extent[leaf];
    }
    return ncrd;
}

// Whether coordinate "x" of tile "n" is inside its tensor; the view must have it.
static bool is_inside(const struct tile *tile, const struct side *block, int64_t n, int64_t x) {
    int64_t crd[ORACLE_FLAT_MODES];
    if (!block->over) return true;
    place_of(tile, n, x, crd);
    return oracle_inside(block, crd);
}

// -- values ---------------------------------------------------------------------------------------

// Stores the stretches of thread "t" in the scratch.  If the view is partly outside its tensor,
// each value is a stretch of its own.  Returns false if a value is not in the tile.
static bool find_stretches(struct run *r, const struct tile *tile, const struct side *block,
                           const struct oracle_flat *frag, int64_t t, int64_t *count) {
    struct stretch *out = tile->scratch;
    struct walk slot;
    int64_t n = 0;
    oracle_walk(&slot, frag);
    for (int64_t i = 0; i < tile->rests; ++i) {
        for (int64_t v = 0; v < tile->values; ++v, oracle_step(&slot)) {
            int64_t x = tile->map ? tile->map[t + tile->threads * v] : tile->thr[t] + tile->val[v];
            if (x < 0 || x >= tile->size)
                return oracle_fail(r, ORACLE_OUTSIDE, block->view->base, 0,
                                   arena_printf(&r->s->arena,
                                                "value %lld of thread %lld is outside the tile",
                                                (long long)v, (long long)t));
            int64_t at = tile->at[i * tile->size + x];
            bool apart = n == 0 || block->over || r->watch;
            struct stretch *last = apart ? NULL : &out[n - 1];
            if (last && last->at != NOWHERE && at == last->at + last->n &&
                slot.value == last->slot + last->n)
                ++last->n;
            else
                out[n++] = (struct stretch){at, slot.value, 1, i, x};
        }
    }
    *count = n;
    return true;
}

static bool stretches_of(struct run *r, struct tile *tile, const struct side *block,
                         const struct oracle_flat *frag, int64_t t, struct stretches *out) {
    bool keeps = tile->held && !block->over && !r->watch;
    if (keeps && tile->held[t].n > 0) {
        *out = tile->held[t];
        return true;
    }
    if (!find_stretches(r, tile, block, frag, t, &out->n)) return false;
    out->at = tile->scratch;
    if (!keeps) return true;
    struct stretch *own = ARENA_ARRAY(&r->s->arena, struct stretch, out->n + 1);
    for (int64_t i = 0; i < out->n; ++i) own[i] = tile->scratch[i];
    out->at = own;
    tile->held[t] = *out;
    return true;
}

static bool move_stretch(struct run *r, const struct tile *tile, const struct side *block,
                         const struct stretch *x, bool to_frag) {
    bool there = x->at != NOWHERE && is_inside(tile, block, x->tile, x->x);
    for (int64_t i = 0; i < x->n;) {
        int64_t from = to_frag ? x->at + i : x->slot + i, to = to_frag ? x->slot + i : x->at + i;
        int64_t moved = there && !r->watch ? oracle_move_run(r, from, to, x->n - i, 1) : 0;
        if (moved == 0 && !oracle_move_if(r, from, !to_frag || there, to, to_frag || there))
            return false;
        i += moved ? moved : 1;
    }
    return true;
}

bool oracle_tile(struct run *r, const struct copy *c, bool by_warp) {
    bool to_frag = r->dst.view->base->space == MEM_FRAG;
    struct side *block = to_frag ? &r->src : &r->dst, *frag = to_frag ? &r->dst : &r->src;
    struct tile *tile = tile_of(r, c, block);
    if (!tile) return false;
    int64_t held = tile->values * tile->rests;
    if (frag->flat.n < 0)
        frag->flat = (struct oracle_flat){.n = 1, .extent = {held}, .stride = {1}, .size = held};
    if (frag->flat.size != held)
        return fail(r, frag,
                    arena_printf(&r->s->arena,
                                 "a thread holds %lld elements of the view, '%s' has %lld",
                                 (long long)held, oracle_name(frag->view->base),
                                 (long long)frag->flat.size));
    // the first threads of each warp, or of the block
    int64_t each = by_warp ? 32 : r->together + tile->threads;
    int64_t all = by_warp ? r->together : tile->threads;
    for (int64_t thread = 0; thread < all; ++thread) {
        struct stretches x;
        int64_t t = thread % each;
        if (t >= tile->threads) continue;
        oracle_set_thread(r, (int)thread);
        // views depend on the thread only by its warp
        if (t == 0 && (!oracle_locate(r, block) || !oracle_locate(r, frag))) return false;
        oracle_turn_to_thread(r, frag);
        if (!stretches_of(r, tile, block, &frag->flat, t, &x)) return false;
        for (int64_t i = 0; i < x.n; ++i) {
            if (!oracle_goes_on(r)) return false;
            if (r->watch && x.at[i].at != NOWHERE) {
                int64_t crd[ORACLE_FLAT_MODES];
                oracle_remember(r, place_of(tile, x.at[i].tile, x.at[i].x, crd), crd, i);
            }
            if (!move_stretch(r, tile, block, &x.at[i], to_frag)) return false;
        }
    }
    oracle_set_thread(r, -1);
    return true;
}
