// The oracle's copies: what one copy statement moves, element by element (see plan_run.h).
#include <string.h>

#include "base/session.h"
#include "plan/plan_run_private.h"
#include "plan/view.h"

bool oracle_fail(struct run *r, enum plan_run_kind kind, const struct tensor *t, int64_t offset,
                 const char *text) {
    r->report->kind = kind;
    r->report->copy = r->copy;
    r->report->tensor = t;
    r->report->offset = offset;
    r->report->text = text;
    return false;
}

// "block (1,0,0)", with the thread when there is one.
static const char *where(struct run *r) {
    const int64_t *b = r->report->block;
    const char *block = arena_printf(&r->s->arena, "in block (%lld,%lld,%lld)", (long long)b[0],
                                     (long long)b[1], (long long)b[2]);
    if (r->report->thread < 0) return block;
    return arena_printf(&r->s->arena, "%s, thread %d", block, r->report->thread);
}

const char *oracle_name(const struct tensor *t) {
    return t->name ? t->name : "(unnamed)";
}

int64_t oracle_buffer(const struct tensor *t, int thread) {
    if (t->space == MEM_GLOBAL || t->outside) return image_global(t->id);
    return t->space == MEM_SHARED ? image_shared(t->id) : image_frag(t->id, thread);
}

void oracle_set_thread(struct run *r, int thread) {
    r->report->thread = thread;
    int t = thread < 0 ? 0 : thread;
    if (r->k->tid) r->var[r->k->tid->id] = t;
    if (r->k->lane) r->var[r->k->lane->id] = t % 32;
    if (r->k->warp) r->var[r->k->warp->id] = t / 32;
}

// -- one element ----------------------------------------------------------------------------------

static int64_t place(const struct side *side, int64_t linear_offset) {
    int64_t at = side->offset + linear_offset;
    return side->flat.sw.b ? plan_swizzle(side->flat.sw, at) : at;
}

// Stores "tag" at "to" of the destination's layout.
static bool put(struct run *r, int64_t to, int64_t tag) {
    to = place(&r->dst, to);
    const struct tensor *dst = r->dst.view->base;
    int64_t me = r->nblock << 32 | r->serial, at = to + r->dst.from;
    int64_t *writer = image_at(r->writer, r->dst.buf, at, true), before = *writer;
    if (before == me)
        return oracle_fail(r, PLAN_RUN_TWICE, dst, to,
                           arena_printf(&r->s->arena,
                                        "element %lld of '%s' is written twice by one copy, %s",
                                        (long long)to, oracle_name(dst), where(r)));
    if (before != IMAGE_POISON && dst->space == MEM_GLOBAL)
        return oracle_fail(r, PLAN_RUN_COLLISION, dst, to,
                           arena_printf(&r->s->arena,
                                        "element %lld of '%s' is written %s after %s wrote it",
                                        (long long)to, oracle_name(dst), where(r),
                                        before >> 32 == r->nblock ? "another copy or iteration"
                                                                  : "another block"));
    if (image_tag_types(tag) == IMAGE_TOO_OFTEN)
        return oracle_fail(r, PLAN_RUN_NO_VALUE, dst, to,
                           arena_printf(&r->s->arena,
                                        "not yet supported: element %lld of '%s', written %s, was "
                                        "of more than two other types on its way, each of which "
                                        "changes numbers",
                                        (long long)to, oracle_name(dst), where(r)));
    *writer = me;
    image_store(r->img, r->dst.buf, at, tag);
    ++r->report->moved;
    return true;
}

// Moves the element at "from" of the source's layout to "to" of the destination's.
static bool move(struct run *r, int64_t from, int64_t to) {
    from = place(&r->src, from);
    const struct tensor *src = r->src.view->base;
    int64_t at = from + r->src.from, tag = image_load(r->img, r->src.buf, at);
    // a block's own memory is written by that block, in its own iterations
    bool known = r->whole || (r->what->all_iterations && src->space != MEM_GLOBAL && !src->outside);
    if (tag == IMAGE_POISON && known)
        return oracle_fail(
            r, PLAN_RUN_POISON, src, from,
            arena_printf(&r->s->arena,
                         "element %lld of '%s' is read %s before anything was written to it",
                         (long long)from, oracle_name(src), where(r)));
    if (known && r->step && !oracle_fresh(r, src, image_load(r->writer, r->src.buf, at)))
        return oracle_fail(
            r, PLAN_RUN_POISON, src, from,
            arena_printf(&r->s->arena,
                         "element %lld of '%s' is read %s, but not filled in that step of the "
                         "pipeline",
                         (long long)from, oracle_name(src), where(r)));
    return put(r, to, elem_convert_tag(tag, src->elem, r->dst.view->base->elem));
}

// How many elements from "at" on, at most "n", a swizzle leaves beside one another.
static int64_t unswizzled(const struct side *side, int64_t at, int64_t n) {
    if (side->flat.sw.b == 0) return n;
    int64_t row = (int64_t)1 << side->flat.sw.m, rest = row - ((side->offset + at) & (row - 1));
    return rest < n ? rest : n;
}

// Moves elements that stand one behind the other on both sides, as far as nothing is to be said of
// them; at most "n".  Returns how many.
static int64_t move_run(struct run *r, int64_t from, int64_t to, int64_t n) {
    n = unswizzled(&r->src, from, unswizzled(&r->dst, to, n));
    from = place(&r->src, from) + r->src.from;
    to = place(&r->dst, to) + r->dst.from;
    int64_t room = IMAGE_PAGE - (from & (IMAGE_PAGE - 1)), me = r->nblock << 32 | r->serial;
    if (room > IMAGE_PAGE - (to & (IMAGE_PAGE - 1))) room = IMAGE_PAGE - (to & (IMAGE_PAGE - 1));
    if (n > room) n = room;
    bool once = r->dst.view->base->space == MEM_GLOBAL;
    // first what makes pages
    int64_t *writer = image_at(r->writer, r->dst.buf, to, true);
    int64_t *tag = image_at(r->img, r->dst.buf, to, true);
    const int64_t *src = image_at(r->img, r->src.buf, from, false);
    const int64_t *filled = image_at(r->writer, r->src.buf, from, false);
    const struct elem_type *was = r->src.view->base->elem, *is = r->dst.view->base->elem;
    bool converts = elem_converts(was, is);
    int64_t i = 0;
    for (; i < n; ++i) {
        int64_t value = src[i];
        if (value == IMAGE_POISON) value = image_unwritten(r->img, r->src.buf, from + i);
        if (value == IMAGE_POISON || writer[i] == me || (once && writer[i] != IMAGE_POISON)) break;
        if (converts) value = elem_convert_tag(value, was, is);
        if (converts && image_tag_types(value) == IMAGE_TOO_OFTEN) break;
        if (r->step && !oracle_fresh(r, r->src.view->base, filled[i])) break;
        writer[i] = me;
        tag[i] = value;
    }
    r->report->moved += i;
    return i;
}

// Moves an element that may lie outside the source's tensor, or the destination's.
static bool move_if(struct run *r, int64_t from, bool is_from, int64_t to, bool is_to) {
    if (!is_to) return true;  // no such element
    if (is_from) return move(r, from, to);
    const struct tensor *dst = r->dst.view->base;
    if (r->copy->pad) return put(r, to, image_constant(r->copy->pad->id));
    if (dst->space != MEM_GLOBAL) return true;  // keeps what it holds
    return oracle_fail(r, PLAN_RUN_NO_SOURCE, dst, place(&r->dst, to),
                       arena_printf(&r->s->arena,
                                    "element %lld of '%s' is to be written %s from a coordinate "
                                    "outside '%s'",
                                    (long long)place(&r->dst, to), oracle_name(dst), where(r),
                                    oracle_name(r->src.view->base)));
}

// Whether the coordinate "at" of the view, by mode without parentheses, lies inside the tensor.
static bool is_inside(const struct side *side, const int64_t *at) {
    int64_t c[PLAN_FLAT_MODES];
    if (!side->over) return true;
    for (int m = 0; m < side->tensor.n; ++m) c[m] = side->first[m];
    for (int i = 0; i < side->coord.n; ++i) {
        if (side->coord.basis[i] >= 0) c[side->coord.basis[i]] += side->coord.stride[i] * at[i];
    }
    for (int m = 0; m < side->tensor.n; ++m) {
        if (c[m] < 0 || c[m] >= side->tensor.extent[m]) return false;
    }
    return true;
}

// -- views ----------------------------------------------------------------------------------------

static bool no_value(struct run *r, const struct view *v) {
    return oracle_fail(r, PLAN_RUN_NO_VALUE, v->base, 0,
                       arena_printf(&r->s->arena,
                                    "the place of '%s' has no value for these params, %s",
                                    oracle_name(v->base), where(r)));
}

// Reads the layouts of "v" for the params' values.
static bool prepare(struct run *r, struct side *side, const struct view *v) {
    side->view = v;
    side->coord.n = side->tensor.n = -1;
    struct lay l = v->layout;
    side->flat.n = -1;
    // a frag "like" a tiled copy takes its shape from the tile, see copy_tile
    if (!lay_valid(l) && v->base->space == MEM_FRAG) return true;
    if (!lay_valid(l) || !plan_flatten(l, r->env.sym, &side->flat)) return no_value(r, v);
    if (v->coord.shape && v->coord_off && lay_valid(v->base->layout)) {
        if (!plan_flatten(v->coord, r->env.sym, &side->coord) ||
            !plan_flatten(v->base->layout, r->env.sym, &side->tensor))
            return no_value(r, v);
    }
    return true;
}

// Checks that every coordinate of the view lies inside the tensor, unless it was made by a divide
// that does not come out, and that the view's offset and
// strides are what the tensor's layout gives for those coordinates.  Both are affine in the view's
// modes, so that corners are enough.
static bool check_place(struct run *r, struct side *side) {
    const struct plan_flat *t = &side->tensor, *c = &side->coord, *l = &side->flat;
    const struct tensor *base = side->view->base;
    side->over = false;
    if (t->n < 0 || l->size == 0) return true;
    if (c->n != l->n)
        return oracle_fail(r, PLAN_RUN_MISPLACED, base, 0,
                           "a view's coordinates have another shape than its layout");
    int64_t low[PLAN_FLAT_MODES], high[PLAN_FLAT_MODES], offset = t->offset;
    for (int m = 0; m < t->n; ++m) {
        if (!ix_eval(side->view->coord_off[m], &r->env, &low[m])) return no_value(r, side->view);
        high[m] = side->first[m] = low[m];
        offset += low[m] * t->stride[m];
    }
    bool placed = offset == side->offset;
    for (int i = 0; i < c->n; ++i) {
        int64_t step = 0, reach = c->stride[i] * (c->extent[i] - 1);
        int m = c->basis[i];
        if (m >= t->n || (m < 0 && c->stride[i] != 0))
            return oracle_fail(r, PLAN_RUN_MISPLACED, base, 0,
                               "a view's coordinates name a mode that its tensor has not");
        if (m >= 0) {
            step = c->stride[i] * t->stride[m];
            *(reach < 0 ? &low[m] : &high[m]) += reach;
        }
        placed = placed && (step == l->stride[i] || c->extent[i] == 1);
    }
    for (int m = 0; m < t->n; ++m) {
        if (low[m] >= 0 && high[m] < t->extent[m]) continue;
        if (low[m] >= 0 && side->view->overhang) {
            side->over = true;
            continue;
        }
        return oracle_fail(
            r, PLAN_RUN_OUTSIDE, base, side->offset,
            arena_printf(&r->s->arena,
                         "coordinate %lld of mode %d of '%s' is used %s, outside 0 .. %lld",
                         (long long)(low[m] < 0 ? low[m] : high[m]), m, oracle_name(base), where(r),
                         (long long)t->extent[m]));
    }
    if (!placed)
        return oracle_fail(
            r, PLAN_RUN_MISPLACED, base, side->offset,
            arena_printf(&r->s->arena,
                         "the view of '%s' does not stand where its coordinates say, %s",
                         oracle_name(base), where(r)));
    return true;
}

// Evaluates where the view begins for the values that the variables have now.
static bool locate(struct run *r, struct side *side) {
    if (!ix_eval(side->view->offset, &r->env, &side->offset)) return no_value(r, side->view);
    side->offset += side->flat.offset;
    const struct tensor *t = side->view->base;
    side->buf = oracle_buffer(t, r->report->thread);
    side->from = t->outside && t->space == MEM_FRAG ? image_outside(r->report->thread, 0) : 0;
    return check_place(r, side);
}

// -- copies ---------------------------------------------------------------------------------------

// The size of mode "i" of a view for the params' values; 1 beyond its rank.
static bool mode_size(struct run *r, struct lay l, int i, int64_t *out) {
    const struct lay_tuple *shape = l.shape;
    *out = 1;
    if (shape->rank < 0) return i > 0 || lay_int_eval(shape->leaf, r->env.sym, out);
    if (i >= shape->rank) return true;
    struct plan_flat f;
    if (!plan_flatten((struct lay){.shape = shape->kid[i], .stride = l.stride->kid[i]}, r->env.sym,
                      &f))
        return false;
    *out = f.size;
    return true;
}

static int rank_of(struct lay l) {
    return l.shape->rank < 0 ? 1 : l.shape->rank;
}

// How many elements from here on stand beside one another on both sides, all of them inside; 0 when
// the next is elsewhere.
static int64_t neighbours(const struct run *r, struct walk *from, struct walk *to) {
    int m = to->order[0];
    if (to->f->n == 0 || from->f->n == 0 || from->order[0] != m || to->f->stride[m] != 1 ||
        from->f->stride[m] != 1 || from->f->extent[m] != to->f->extent[m])
        return 0;
    int64_t n = to->f->extent[m] - to->at[m];
    // a box that holds the first and the last holds all between them
    while (n > 1 && (r->src.over || r->dst.over)) {
        from->at[m] += n - 1;
        to->at[m] += n - 1;
        bool all = is_inside(&r->src, from->at) && is_inside(&r->dst, to->at);
        from->at[m] -= n - 1;
        to->at[m] -= n - 1;
        if (all) break;
        n /= 2;
    }
    return n > 1 ? n : 0;
}

// Each coordinate of the destination takes the element of the source at the same coordinate.
static bool copy_points(struct run *r) {
    if (r->src.flat.n < 0 || r->dst.flat.n < 0)
        return no_value(r, r->src.flat.n < 0 ? r->src.view : r->dst.view);
    struct lay a = r->src.view->layout, b = r->dst.view->layout;
    int rank = rank_of(a) > rank_of(b) ? rank_of(a) : rank_of(b);
    for (int i = 0; i < rank; ++i) {
        int64_t x, y;
        if (!mode_size(r, a, i, &x) || !mode_size(r, b, i, &y) || x != y)
            return oracle_fail(r, PLAN_RUN_SHAPES, r->dst.view->base, 0,
                               arena_printf(&r->s->arena,
                                            "source and destination differ in mode %d", i));
    }
    if (!locate(r, &r->src) || !locate(r, &r->dst)) return false;
    if (r->report->moved + r->dst.flat.size > PLAN_RUN_LIMIT)
        return oracle_fail(r, PLAN_RUN_TOO_LARGE, r->dst.view->base, 0,
                           "too many elements to work out one by one");
    oracle_split(&r->src, &r->dst);
    struct walk from, to;
    oracle_walk(&from, &r->src.flat);
    oracle_walk(&to, &r->dst.flat);
    oracle_go_along(&from, &to);
    for (int64_t i = 0; i < r->dst.flat.size; ++i) {
        bool is_from = is_inside(&r->src, from.at), is_to = is_inside(&r->dst, to.at);
        int64_t run = is_from && is_to ? neighbours(r, &from, &to) : 0;
        if (run > 0) run = move_run(r, from.value, to.value, run);
        if (run == 0 && !move_if(r, from.value, is_from, to.value, is_to)) return false;
        if (run > 1) {
            oracle_go_on(&from, run - 1);
            oracle_go_on(&to, run - 1);
            i += run - 1;
        }
        oracle_step(&from);
        oracle_step(&to);
    }
    return true;
}

// A mode of a tiled view: its part of the layout, the tile's extent and how many tiles lie along
// it.
struct tiled_mode {
    struct plan_flat flat;
    int64_t tile, rest;
};

// A tile of a block's view to or from the threads' frags.  Thread t holds as value v of tile number
// (r0,r1,..) the view's coordinate whose mode m is x_m + tile_m * r_m, where x is coordinate number
// tv(t,v) of the tile; the frag's coordinate is (v,r0,r1,..).
static bool copy_tile(struct run *r, const struct tiled_copy *tc, bool by_warp) {
    bool to_frag = r->dst.view->base->space == MEM_FRAG;
    struct side *block = to_frag ? &r->src : &r->dst, *frag = to_frag ? &r->dst : &r->src;
    struct lay l = block->view->layout;
    struct plan_flat thr, val;
    struct tiled_mode mode[LAY_MAX_RANK];
    int rank = rank_of(l), tile_rank = tc->tiler->rank < 0 ? 1 : tc->tiler->rank;
    int64_t rests = 1, tile_size = 1;
    if (tile_rank > rank || rank > LAY_MAX_RANK)
        return oracle_fail(r, PLAN_RUN_SHAPES, block->view->base, 0,
                           "the tile has more modes than the view");
    for (int m = 0; m < rank; ++m) {
        struct tiled_mode *t = &mode[m];
        struct lay part = l.shape->rank < 0
                              ? l
                              : (struct lay){.shape = l.shape->kid[m], .stride = l.stride->kid[m]};
        if (!plan_flatten(part, r->env.sym, &t->flat)) return no_value(r, block->view);
        t->tile = 1;
        if (m < tile_rank) {
            const struct lay_tuple *extent = tc->tiler->rank < 0 ? tc->tiler : tc->tiler->kid[m];
            struct plan_flat f;
            if (!plan_flatten((struct lay){.shape = extent, .stride = extent}, r->env.sym, &f))
                return no_value(r, block->view);
            t->tile = f.size;
        }
        if (t->tile < 1)
            return oracle_fail(r, PLAN_RUN_SHAPES, block->view->base, 0, "an empty tile");
        t->rest = (t->flat.size + t->tile - 1) / t->tile;
        rests *= t->rest;
        tile_size *= t->tile;
    }
    // an index map says it point by point
    const int32_t *place_of = tc->map ? tc->map->place : NULL;
    thr.size = tc->threads;
    val.size = tc->values;
    if (!place_of) {
        const struct lay_tuple *const *tvs = tc->tv.shape->kid, *const *tvd = tc->tv.stride->kid;
        if (!plan_flatten((struct lay){.shape = tvs[0], .stride = tvd[0]}, r->env.sym, &thr) ||
            !plan_flatten((struct lay){.shape = tvs[1], .stride = tvd[1]}, r->env.sym, &val))
            return no_value(r, block->view);
    }
    if (frag->flat.n < 0)
        frag->flat = (struct plan_flat){
            .n = 1, .extent = {val.size * rests}, .stride = {1}, .size = val.size * rests};
    if (frag->flat.size != val.size * rests)
        return oracle_fail(r, PLAN_RUN_SHAPES, frag->view->base, 0,
                           arena_printf(&r->s->arena,
                                        "a thread holds %lld elements of the view, '%s' has %lld",
                                        (long long)(val.size * rests),
                                        oracle_name(frag->view->base), (long long)frag->flat.size));
    // of each warp the first threads, or of the block
    int64_t each = by_warp ? 32 : r->threads + thr.size, all = by_warp ? r->threads : thr.size;
    for (int64_t thread = 0; thread < all; ++thread) {
        int64_t t = thread % each;
        if (t >= thr.size) continue;
        oracle_set_thread(r, (int)thread);
        if (!locate(r, block) || !locate(r, frag)) return false;
        struct walk slot;
        oracle_walk(&slot, &frag->flat);
        for (int64_t n = 0; n < rests; ++n) {
            for (int64_t v = 0; v < val.size; ++v, oracle_step(&slot)) {
                int64_t rest = n, at = 0;
                int64_t x = place_of ? place_of[t + thr.size * v]
                                     : plan_flat_at(&thr, t) + plan_flat_at(&val, v);
                if (x < 0 || x >= tile_size)
                    return oracle_fail(
                        r, PLAN_RUN_OUTSIDE, block->view->base, 0,
                        arena_printf(&r->s->arena,
                                     "value %lld of thread %lld lies outside the tile",
                                     (long long)v, (long long)t));
                int64_t crd[PLAN_FLAT_MODES];
                int ncrd = 0;
                bool there = true;
                for (int m = 0; m < rank; ++m) {
                    const struct plan_flat *f = &mode[m].flat;
                    int64_t i = x % mode[m].tile + mode[m].tile * (rest % mode[m].rest);
                    there = there && i < f->size;
                    at += plan_flat_at(f, i);
                    for (int leaf = 0; leaf < f->n && f->size > 0; i /= f->extent[leaf++])
                        crd[ncrd++] = i % f->extent[leaf];
                    x /= mode[m].tile;
                    rest /= mode[m].rest;
                }
                there = there && is_inside(block, crd);
                if (!(to_frag ? move_if(r, at, there, slot.value, true)
                              : move_if(r, slot.value, true, at, there)))
                    return false;
            }
        }
    }
    oracle_set_thread(r, -1);
    return true;
}

// Whether the view depends on a coordinate of kind "kind".
static bool view_depends(const struct view *v, enum ix_var_kind kind) {
    return ix_depends(v->offset, kind);
}

bool oracle_copy(struct run *r, const struct copy *c) {
    r->copy = c;
    ++r->serial;
    if (!prepare(r, &r->src, &c->src) || !prepare(r, &r->dst, &c->dst)) return false;
    bool src_frag = c->src.base->space == MEM_FRAG, dst_frag = c->dst.base->space == MEM_FRAG;
    bool by_thread = view_depends(&c->src, IX_TID) || view_depends(&c->dst, IX_TID) ||
                     view_depends(&c->src, IX_LANE) || view_depends(&c->dst, IX_LANE);
    bool by_warp = view_depends(&c->src, IX_WARP) || view_depends(&c->dst, IX_WARP);
    if (c->tc && src_frag != dst_frag && !by_thread) return copy_tile(r, c->tc, by_warp);
    int64_t threads = r->threads;
    if (c->tc && src_frag && dst_frag) threads = c->tc->threads;
    if (!c->tc) threads = view_threads(c, threads);
    if (!by_thread && !by_warp && !src_frag && !dst_frag) return copy_points(r);
    int64_t lanes = c->tc ? 0 : view_lanes(c);
    for (int64_t t = 0; t < threads; t += by_thread || src_frag || dst_frag ? 1 : 32) {
        if (lanes && t % 32 >= lanes) continue;
        oracle_set_thread(r, (int)t);
        if (!copy_points(r)) return false;
    }
    oracle_set_thread(r, -1);
    return true;
}
