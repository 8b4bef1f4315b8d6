// Copies in the oracle: what one copy statement moves, element by element (see oracle.h).

#include "base/session.h"
#include "oracle/private.h"
#include "plan/view.h"

bool oracle_fail(struct run *r, enum oracle_kind kind, const struct tensor *t, int64_t offset,
                 const char *text) {
    r->report->kind = kind;
    r->report->copy = r->copy;
    r->report->tensor = t;
    r->report->offset = offset;
    r->report->text = text;
    return false;
}

// Text such as "block (1,0,0)", with the thread if there is one.
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

int64_t oracle_buffer(const struct tensor *t) {
    if (t->space == MEM_GLOBAL || t->outside) return image_global(t->id);
    return space_is_shared(t->space) ? image_shared(t->id) : image_frag(t->id);
}

int64_t oracle_each(struct session *s, const struct tensor *t) {
    if (t->space != MEM_FRAG) return 0;
    if (t->outside || !lay_valid(t->layout)) return IMAGE_OUTSIDE;
    struct lay_int n = lay_span(&s->lay, t->layout);
    return lay_int_static(n) ? n.num : IMAGE_OUTSIDE;
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
    return side->flat.sw.b ? oracle_swizzle(side->flat.sw, at) : at;
}

// Stores "tag" at "to" in the destination's layout.
static bool put(struct run *r, int64_t to, int64_t tag) {
    to = place(&r->dst, to);
    const struct tensor *dst = r->dst.view->base;
    int64_t me = r->nblock << 32 | r->serial, at = to + r->dst.from;
    int64_t *writer = image_at(r->writer, r->dst.buf, at, true), before = *writer;
    struct watch *w =
        r->watch && r->watch->buf == r->dst.buf && r->watch->at == at ? r->watch : NULL;
    enum reduction op = copy_reduces(r->copy);
    if (!op && (before == me || (before != IMAGE_POISON && dst->space == MEM_GLOBAL))) {
        r->fault = (struct watch){.buf = r->dst.buf, .at = at};
        r->report->before = w ? w->copy : NULL;
        return oracle_fail(r, before == me ? ORACLE_TWICE : ORACLE_COLLISION, dst, to,
                           arena_printf(&r->s->arena, "%s is written twice, by %s and by %s",
                                        oracle_element(r, to), w && w->who ? w->who : "another",
                                        oracle_who(r)));
    }
    if (w) {
        w->who = oracle_who(r);
        w->copy = r->copy;
    }
    if (image_tag_types(tag) == IMAGE_TOO_OFTEN)
        return oracle_fail(
            r, ORACLE_NO_VALUE, dst, to,
            arena_printf(&r->s->arena,
                         "not yet supported: element %lld of '%s', written %s, went through more "
                         "than two other types, and each changes numbers",
                         (long long)to, oracle_name(dst), where(r)));
    *writer = me;
    if (op) tag = image_reduced(op, image_load(r->img, r->dst.buf, at), tag);
    image_store(r->img, r->dst.buf, at, tag);
    ++r->report->moved;
    return true;
}

// Moves the element at "from" in the source's layout to "to" in the destination's.
static bool move(struct run *r, int64_t from, int64_t to) {
    from = place(&r->src, from);
    const struct tensor *src = r->src.view->base;
    int64_t at = from + r->src.from, tag = image_load(r->img, r->src.buf, at);
    // a block's own memory is written only by that block's iterations
    bool known = r->whole || (r->what->all_iterations && src->space != MEM_GLOBAL && !src->outside);
    if (tag == IMAGE_POISON && known)
        return oracle_fail(
            r, ORACLE_POISON, src, from,
            arena_printf(&r->s->arena,
                         "element %lld of '%s' is read %s before anything was written to it",
                         (long long)from, oracle_name(src), where(r)));
    if (known && !oracle_fresh(oracle_since(r, src), image_load(r->writer, r->src.buf, at)))
        return oracle_fail(
            r, ORACLE_POISON, src, from,
            arena_printf(&r->s->arena,
                         "element %lld of '%s' is read %s, but not filled in that step of the "
                         "pipeline",
                         (long long)from, oracle_name(src), where(r)));
    return put(r, to, elem_convert_tag(tag, src->elem, r->dst.view->base->elem));
}

// How many of "n" elements from "at" on keep their distance "apart" under the swizzle.
static int64_t unswizzled(const struct side *side, int64_t at, int64_t n, int64_t apart) {
    if (side->flat.sw.b == 0) return n;
    int64_t row = (int64_t)1 << side->flat.sw.m, rest = row - ((side->offset + at) & (row - 1));
    rest = (rest + apart - 1) / apart;
    return rest < n ? rest : n;
}

// How many of "n" elements with distance "apart" are in the same page of the image as "at".
static int64_t in_page(int64_t at, int64_t n, int64_t apart) {
    int64_t rest = (IMAGE_PAGE - (at & (IMAGE_PAGE - 1)) + apart - 1) / apart;
    return rest < n ? rest : n;
}

static bool may_move(int64_t value, int64_t writer, int64_t me, bool once) {
    return value != IMAGE_POISON && writer != me && !(once && writer != IMAGE_POISON);
}

int64_t oracle_move_run(struct run *r, int64_t from, int64_t to, int64_t n, int64_t apart) {
    if (copy_reduces(r->copy)) return 0;
    n = unswizzled(&r->src, from, unswizzled(&r->dst, to, n, apart), apart);
    from = place(&r->src, from) + r->src.from;
    to = place(&r->dst, to) + r->dst.from;
    int64_t me = r->nblock << 32 | r->serial;
    n = in_page(from, in_page(to, n, apart), apart);
    bool once = r->dst.view->base->space == MEM_GLOBAL;
    // first the accesses that may allocate pages
    int64_t *writer = image_at(r->writer, r->dst.buf, to, true);
    int64_t *tag = image_at(r->img, r->dst.buf, to, true);
    const int64_t *source = image_at(r->img, r->src.buf, from, false);
    int64_t value[IMAGE_PAGE], i = 0, unwritten = image_unwritten(r->img, r->src.buf, from);
    int64_t up = unwritten == IMAGE_POISON ? 0 : apart;
    for (int64_t k = 0; k < n; ++k, unwritten += up)
        value[k] = source[k * apart] == IMAGE_POISON ? unwritten : source[k * apart];
    const struct elem_type *was = r->src.view->base->elem, *is = r->dst.view->base->elem;
    if (elem_converts(was, is)) {
        for (int64_t k = 0; k < n; ++k) {
            value[k] = elem_convert_tag(value[k], was, is);
            if (image_tag_types(value[k]) == IMAGE_TOO_OFTEN) n = k;
        }
    }
    int64_t since = oracle_since(r, r->src.view->base);
    const int64_t *filled = since < 0 ? source : image_at(r->writer, r->src.buf, from, false);
    for (; i < n && may_move(value[i], writer[i * apart], me, once) &&
           oracle_fresh(since, filled[i * apart]);
         ++i) {
        tag[i * apart] = value[i];
        writer[i * apart] = me;
    }
    r->report->moved += i;
    return i;
}

bool oracle_move_if(struct run *r, int64_t from, bool is_from, int64_t to, bool is_to) {
    if (is_to && is_from) return move(r, from, to);
    ++r->report->steps;
    if (!is_to) return true;  // there is no such element
    const struct tensor *dst = r->dst.view->base;
    if (r->copy->pad) return put(r, to, image_constant(r->copy->pad->id));
    if (dst->space != MEM_GLOBAL) return true;  // it keeps its value
    return oracle_fail(r, ORACLE_NO_SOURCE, dst, place(&r->dst, to),
                       arena_printf(&r->s->arena,
                                    "element %lld of '%s' is to be written %s from a coordinate "
                                    "outside '%s'",
                                    (long long)place(&r->dst, to), oracle_name(dst), where(r),
                                    oracle_name(r->src.view->base)));
}

bool oracle_inside(const struct side *side, const int64_t *at) {
    int64_t c[ORACLE_FLAT_MODES];
    if (!side->over) return true;
    for (int m = 0; m < side->tensor.n; ++m) c[m] = side->first[m];
    for (int i = 0; i < side->coord.n; ++i) {
        if (side->coord.basis[i] >= 0) c[side->coord.basis[i]] += side->coord.stride[i] * at[i];
    }
    for (int m = 0; m < side->tensor.n; ++m) {
        if (c[m] < side->begin[m] || c[m] >= side->end[m]) return false;
    }
    return true;
}

// -- views ----------------------------------------------------------------------------------------

bool oracle_no_value(struct run *r, const struct view *v) {
    return oracle_fail(r, ORACLE_NO_VALUE, v->base, 0,
                       arena_printf(&r->s->arena,
                                    "the place of '%s' has no value for these params, %s",
                                    oracle_name(v->base), where(r)));
}

// Evaluates the layouts of "v" for the params' values.
static bool prepare(struct run *r, struct side *side, const struct view *v) {
    side->view = v;
    side->buf = oracle_buffer(v->base);
    side->each = oracle_each(r->s, v->base);
    side->coord.n = side->tensor.n = -1;
    struct lay l = v->layout;
    side->flat.n = -1;
    // a frag "like" a tiled copy gets its shape from the tile, see copy_tile
    if (!lay_valid(l) && v->base->space == MEM_FRAG) return true;
    if (!lay_valid(l) || !oracle_flatten(l, r->env.sym, &side->flat)) return oracle_no_value(r, v);
    if (v->coord.shape && v->coord_off && lay_valid(v->base->layout)) {
        if (!oracle_flatten(v->coord, r->env.sym, &side->coord) ||
            !oracle_flatten(v->base->layout, r->env.sym, &side->tensor))
            return oracle_no_value(r, v);
    }
    return true;
}

// Restricts a mode to what a range is taken from that may be outside of it.
static bool find_halo(struct run *r, const struct halo *h, int64_t *begin, int64_t *end) {
    int64_t to = *end;
    if ((h->begin && !ix_eval(h->begin, &r->env, begin)) ||
        (h->end && !ix_eval(h->end, &r->env, &to)))
        return false;
    if (to < *end) *end = to;
    return true;
}

// Checks that every coordinate of the view is inside the tensor, unless the view was made by a
// divide with a remainder, and that the view's offset and strides agree with the tensor's layout at
// these coordinates.  Both are affine in the view's modes, so checking corners is enough.
static bool check_place(struct run *r, struct side *side) {
    const struct oracle_flat *t = &side->tensor, *c = &side->coord, *l = &side->flat;
    const struct tensor *base = side->view->base;
    side->over = false;
    if (t->n < 0 || l->size == 0) return true;
    if (c->n != l->n)
        return oracle_fail(r, ORACLE_MISPLACED, base, 0,
                           "a view's coordinates have another shape than its layout");
    int64_t low[ORACLE_FLAT_MODES], high[ORACLE_FLAT_MODES], offset = t->offset;
    for (int m = 0; m < t->n; ++m) {
        if (!ix_eval(side->view->coord_off[m], &r->env, &low[m]))
            return oracle_no_value(r, side->view);
        high[m] = side->first[m] = low[m];
        const struct ix *const *limit = side->view->limit;
        const struct halo *halo = side->view->halo;
        side->end[m] = t->extent[m];
        if (limit && !ix_eval(limit[m], &r->env, &side->end[m]))
            return oracle_no_value(r, side->view);
        if (side->end[m] > t->extent[m]) side->end[m] = t->extent[m];
        side->begin[m] = 0;
        if (halo && !find_halo(r, &halo[m], &side->begin[m], &side->end[m]))
            return oracle_no_value(r, side->view);
        offset += low[m] * t->stride[m];
    }
    bool placed = offset == side->offset;
    for (int i = 0; i < c->n; ++i) {
        int64_t step = 0, reach = c->stride[i] * (c->extent[i] - 1);
        int m = c->basis[i];
        if (m >= t->n || (m < 0 && c->stride[i] != 0))
            return oracle_fail(r, ORACLE_MISPLACED, base, 0,
                               "a view's coordinates name a mode that its tensor has not");
        if (m >= 0) {
            step = c->stride[i] * t->stride[m];
            *(reach < 0 ? &low[m] : &high[m]) += reach;
        }
        placed = placed && (step == l->stride[i] || c->extent[i] == 1);
    }
    for (int m = 0; m < t->n; ++m) {
        if (low[m] >= side->begin[m] && high[m] < side->end[m]) continue;
        bool halo = side->view->halo && side->view->halo[m].settled;
        if ((low[m] >= side->begin[m] || halo) && side->view->overhang) {
            side->over = true;
            continue;
        }
        return oracle_fail(
            r, ORACLE_OUTSIDE, base, side->offset,
            arena_printf(&r->s->arena,
                         "coordinate %lld of mode %d of '%s' is used %s, outside 0 .. %lld",
                         (long long)(low[m] < side->begin[m] ? low[m] : high[m]), m,
                         oracle_name(base), where(r), (long long)side->end[m]));
    }
    if (!placed)
        return oracle_fail(r, ORACLE_MISPLACED, base, side->offset,
                           arena_printf(&r->s->arena,
                                        "the view of '%s' is not where its coordinates say, %s",
                                        oracle_name(base), where(r)));
    return true;
}

void oracle_turn_to_thread(struct run *r, struct side *side) {
    int thread = r->report->thread;
    side->from = thread < 0 ? 0 : image_own(r->first + thread, side->each, 0);
}

bool oracle_locate(struct run *r, struct side *side) {
    if (!ix_eval(side->view->offset, &r->env, &side->offset)) return oracle_no_value(r, side->view);
    side->offset += side->flat.offset;
    oracle_turn_to_thread(r, side);
    return check_place(r, side);
}

// -- copies ---------------------------------------------------------------------------------------

// Sets "out" to the size of mode "i" of a view for the params' values; 1 beyond its rank.
static bool mode_size(struct run *r, struct lay l, int i, int64_t *out) {
    const struct lay_tuple *shape = l.shape;
    *out = 1;
    if (shape->rank < 0) return i > 0 || lay_int_eval(shape->leaf, r->env.sym, out);
    if (i >= shape->rank) return true;
    struct oracle_flat f;
    if (!oracle_flatten((struct lay){.shape = shape->kid[i], .stride = l.stride->kid[i]},
                        r->env.sym, &f))
        return false;
    *out = f.size;
    return true;
}

int oracle_rank(struct lay l) {
    return l.shape->rank < 0 ? 1 : l.shape->rank;
}

// How many elements from here on have the distance "apart" on both sides and are inside; 0 if the
// next one is elsewhere.
static int64_t neighbours(const struct run *r, struct walk *from, struct walk *to, int64_t *apart) {
    int m = to->order[0];
    if (to->f->n == 0 || from->f->n == 0 || from->order[0] != m || to->f->stride[m] < 1 ||
        from->f->stride[m] != to->f->stride[m] || from->f->extent[m] != to->f->extent[m])
        return 0;
    *apart = to->f->stride[m];
    int64_t n = to->f->extent[m] - to->at[m];
    // a box that contains the first and the last one contains all between them
    while (n > 1 && (r->src.over || r->dst.over)) {
        from->at[m] += n - 1;
        to->at[m] += n - 1;
        bool all = oracle_inside(&r->src, from->at) && oracle_inside(&r->dst, to->at);
        from->at[m] -= n - 1;
        to->at[m] -= n - 1;
        if (all) break;
        n /= 2;
    }
    return n > 1 ? n : 0;
}

// Copies each coordinate of the destination from the same coordinate of the source.
static bool copy_points(struct run *r) {
    if (r->src.flat.n < 0 || r->dst.flat.n < 0)
        return oracle_no_value(r, r->src.flat.n < 0 ? r->src.view : r->dst.view);
    struct lay a = r->src.view->layout, b = r->dst.view->layout;
    int rank = oracle_rank(a) > oracle_rank(b) ? oracle_rank(a) : oracle_rank(b);
    for (int i = 0; i < rank; ++i) {
        int64_t x, y;
        if (!mode_size(r, a, i, &x) || !mode_size(r, b, i, &y) || x != y)
            return oracle_fail(r, ORACLE_SHAPES, r->dst.view->base, 0,
                               arena_printf(&r->s->arena,
                                            "source and destination differ in mode %d", i));
    }
    if (!oracle_locate(r, &r->src) || !oracle_locate(r, &r->dst)) return false;
    if (!oracle_has_room(r, r->dst.flat.size)) return false;
    if (!r->watch) oracle_split(&r->src, &r->dst);
    struct walk from, to;
    oracle_walk(&from, &r->src.flat);
    oracle_walk(&to, &r->dst.flat);
    if (!r->watch) oracle_go_along(&from, &to);
    for (int64_t i = 0; i < r->dst.flat.size; ++i) {
        if (!oracle_goes_on(r)) return false;
        bool is_from = oracle_inside(&r->src, from.at), is_to = oracle_inside(&r->dst, to.at);
        int64_t apart, run = is_from && is_to && !r->watch ? neighbours(r, &from, &to, &apart) : 0;
        if (r->watch) oracle_remember(r, r->dst.flat.n, to.at, i);
        if (run > 0) run = oracle_move_run(r, from.value, to.value, run, apart);
        if (run == 0 && !oracle_move_if(r, from.value, is_from, to.value, is_to)) return false;
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

// Whether the view's place, or which of its elements exist, depends on a coordinate of kind "kind".
static bool view_depends(const struct view *v, enum ix_var_kind kind) {
    bool found = ix_depends(v->offset, kind);
    int n = lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
    for (int i = 0; i < n && !found; ++i) found = ix_depends(v->coord_off[i], kind);
    return found;
}

bool oracle_copy(struct run *r, const struct copy *c) {
    r->copy = c;
    ++r->serial;
    if (!prepare(r, &r->src, &c->src) || !prepare(r, &r->dst, &c->dst)) return false;
    bool src_frag = c->src.base->space == MEM_FRAG, dst_frag = c->dst.base->space == MEM_FRAG;
    bool by_thread = view_depends(&c->src, IX_TID) || view_depends(&c->dst, IX_TID) ||
                     view_depends(&c->src, IX_LANE) || view_depends(&c->dst, IX_LANE);
    bool by_warp = view_depends(&c->src, IX_WARP) || view_depends(&c->dst, IX_WARP);
    if (c->tc && src_frag != dst_frag && !by_thread) return oracle_tile(r, c, by_warp);
    int64_t threads = r->together;
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
