// Copies by thread, value by value.  Used for fragments, which belong to a thread, and to decide
// whether two accesses to an element are made by the same thread.
//
// Separate from instances.c, whose elements are coordinates, whichever thread moves them.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/instances/instances.h"
#include "pass/partition/partition.h"
#include "plan/view.h"

static const struct ix *add_mode(struct instances *x, struct lay_int extent) {
    struct session *s = x->s;
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, "e", "e", s->next_var++, lay_int(0), extent};
    if (x->nvars == INSTANCE_VARS)
        x->full = true;
    else
        x->var[x->nvars++] = (struct prove_var){v, ix_int(s, 0), ix_lay(s, extent)};
    return ix_var(s, v);
}

// Adds a thread's values to "sum", mode by mode.
static const struct ix *add_layout(struct instances *x, const struct lay_tuple *shape,
                                   const struct lay_tuple *stride, const struct ix *sum) {
    struct session *s = x->s;
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank && sum; ++i)
            sum = add_layout(x, shape->kid[i], stride->kid[i], sum);
        return sum;
    }
    if (lay_int_is(shape->leaf, 1) || lay_int_is(stride->leaf, 0)) return sum;
    return ix_add(s, sum, ix_scale(s, add_mode(x, shape->leaf), stride->leaf));
}

// The same for values that may not exist: along the modes that predicates use.
static const struct ix *add_predicated(struct instances *x, const struct copy *c, bool read,
                                       const struct ix *sum) {
    struct session *s = x->s;
    const struct copy_facts *f = &c->facts;
    const struct ix **at = ARENA_ARRAY(&s->arena, const struct ix *, f->nraw + 1);
    for (int i = 0; i < f->nraw; ++i) {
        at[i] = f->raw[i].extent == 1 ? ix_int(s, 0) : add_mode(x, lay_int(f->raw[i].extent));
        struct lay_int d = read ? f->raw[i].src : f->raw[i].dst;
        sum = ix_add(s, sum, ix_scale(s, at[i], d));
    }
    for (int i = 0; i < f->npred; ++i) {
        const struct predicate *p = &f->pred[i];
        if (!(read ? p->src || p->dst : p->dst || (p->src && !c->pad))) continue;
        const struct ix *c = p->at;
        for (int j = 0; j < f->nraw && c; ++j) c = ix_add(s, c, ix_scale(s, at[j], p->stride[j]));
        c = view_beyond(s, (struct edge_of){p->limit, p->front}, c);
        instances_cond(x, ix_sub(s, ix_int(s, -1), c));
    }
    return sum;
}

static struct prove_set finish(struct instances *x, const struct around *around,
                               const struct ix *sum) {
    struct session *s = x->s;
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, 1);
    if (!sum) x->full = true;
    out[0] = sum ? view_by_tid(s, x->k, instances_step(s, around, sum)) : ix_int(s, 0);
    for (int i = 0; i < x->nconds; ++i)
        x->cond[i] = view_by_tid(s, x->k, instances_step(s, around, x->cond[i]));
    lay_clear_error(&s->lay);
    return (struct prove_set){x->var, x->nvars, x->cond, x->nconds, out, 1};
}

// Restricts the instances to the lanes of each warp that take part.
static void add_lanes(struct instances *x, const struct copy_facts *f, const struct ix *tid) {
    struct session *s = x->s;
    if (f->lanes && f->lanes < 32)
        instances_cond(x, ix_sub(s, ix_int(s, f->lanes - 1), ix_mod(s, tid, lay_int(32))));
}

static void add_runs(struct instances *x, const struct copy_facts *f) {
    if (f->each)
        x->var[x->nvars++] = (struct prove_var){f->each, ix_int(x->s, 0), ix_int(x->s, f->neach)};
}

struct prove_set instances_registers(struct session *s, const struct kernel *k,
                                     const struct around *around, const struct copy *c, bool read,
                                     struct instances *out) {
    const struct copy_facts *f = &c->facts;
    const struct part *p = copy_part(f, read);
    struct instances *x = out;
    const struct ix *tid = ix_var(s, k->tid);
    instances_begin(s, k, around, false, x);
    if (f->threads < k->threads) instances_cond(x, ix_sub(s, ix_int(s, f->threads - 1), tid));
    add_lanes(x, f, tid);
    add_runs(x, f);
    const struct ix *sum = f->npred ? add_predicated(x, c, read, p->offset)
                                    : add_layout(x, p->layout.shape, p->layout.stride, p->offset);
    return finish(x, around, sum);
}

// -- by coordinates -------------------------------------------------------------------------------

// A variable for each mode of "shape"; "stride" gives their strides along a mode.
struct modes {
    int n;
    const struct ix *at[LAY_MAX_LEAVES];
};

static void add_modes(struct instances *x, const struct lay_tuple *shape, struct modes *m) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) add_modes(x, shape->kid[i], m);
        return;
    }
    if (m->n == LAY_MAX_LEAVES)
        x->full = true;
    else
        m->at[m->n++] = lay_int_is(shape->leaf, 1) ? ix_int(x->s, 0) : add_mode(x, shape->leaf);
}

static const struct ix *along(struct session *s, const struct lay_tuple *stride,
                              const struct modes *m, int *leaf, const struct ix *sum) {
    if (!lay_is_leaf(stride)) {
        for (int i = 0; i < stride->rank && sum; ++i) sum = along(s, stride->kid[i], m, leaf, sum);
        return sum;
    }
    return ix_add(s, sum, ix_scale(s, m->at[(*leaf)++], stride->leaf));
}

// The coordinate along mode "mode" at which the part of "tid" begins in the tile.
static const struct ix *tile_at(struct session *s, const struct kernel *k, const struct copy *c,
                                const struct tile_cut *cut, int mode) {
    const struct lay_tuple *stride = modes_along(s, cut->thr.stride, mode);
    if (c->facts.by_map) return map_at(s, k, c, cut->thr.shape, stride);
    return view_crd2idx(s, view_thread(s, k, c), cut->thr.shape, stride);
}

// The coordinate of "tid" along mode "m" of "v", with the variables "val" and "rest" for values and
// tiles.
static const struct ix *coord_of_thread(struct instances *x, const struct copy *c,
                                        const struct view *v, const struct tile_cut *cut,
                                        const struct modes *val, const struct modes *rest, int m) {
    struct session *s = x->s;
    int a = 0, b = 0;
    const struct ix *e = ix_add(s, v->coord_off[m], tile_at(s, x->k, c, cut, m));
    e = along(s, modes_along(s, cut->val.stride, m), val, &a, e);
    return along(s, modes_along(s, cut->rest.stride, m), rest, &b, e);
}

static bool cut_side(struct session *s, const struct copy *c, const struct view *v,
                     struct tile_cut *cut) {
    bool fits = true;
    return lay_valid(v->coord) &&
           (c->facts.by_map ? map_tile_cut(s, c, v->coord, cut, &fits)
                            : tile_cut(s, c->tc, v == &c->src, v->coord, cut)) &&
           fits;
}

// Nothing is moved beyond the end of the other side "v" of the copy.  If that side's modes differ
// from those of "cut", the condition is omitted, which allows more instances.
static void add_other_side(struct instances *x, const struct copy *c, const struct view *v,
                           const struct tile_cut *cut, const struct modes *val,
                           const struct modes *rest) {
    struct session *s = x->s;
    struct tile_cut other;
    if (!cut_side(s, c, v, &other) || !lay_tuple_equal(cut->val.shape, other.val.shape) ||
        !lay_tuple_equal(cut->rest.shape, other.rest.shape))
        return;
    for (int m = 0; m < instances_rank(v); ++m) {
        const struct ix *at = coord_of_thread(x, c, v, &other, val, rest, m);
        if (at) instances_cond_inside(x, v, m, at);
    }
}

struct prove_set instances_by_thread(struct session *s, const struct kernel *k,
                                     const struct around *around, const struct copy *c, bool read,
                                     struct instances *out) {
    const struct copy_facts *f = &c->facts;
    const struct view *v = copy_side(c, read);
    struct instances *x = out;
    const struct view *other = copy_side(c, !read);
    struct tile_cut cut;
    if (f->level == LEVEL_THREAD) return instances_access(s, k, around, c, read, false, x);
    instances_begin(s, k, around, false, x);
    x->var[x->nvars++] = (struct prove_var){k->tid, ix_int(s, 0), ix_int(s, f->threads)};
    x->nthreads = 1;
    int rank = instances_rank(v);
    const struct ix **at = ARENA_ARRAY(&s->arena, const struct ix *, rank + 1);
    struct prove_set set = {x->var, x->nvars, x->cond, 0, at, rank};
    if (!cut_side(s, c, v, &cut)) {
        lay_clear_error(&s->lay);
        x->full = true;
        return set;
    }
    add_lanes(x, f, ix_var(s, k->tid));
    add_runs(x, f);
    struct modes val = {0}, rest = {0};
    add_modes(x, cut.val.shape, &val);
    add_modes(x, cut.rest.shape, &rest);
    for (int m = 0; m < rank; ++m) {
        const struct ix *e = coord_of_thread(x, c, v, &cut, &val, &rest, m);
        at[m] = view_by_tid(s, k, instances_step(s, around, e));
        if (!at[m])
            x->full = true;
        else if (v->overhang)
            instances_cond_inside(x, v, m, at[m]);
    }
    if (other->overhang && (read || !c->pad)) add_other_side(x, c, other, &cut, &val, &rest);
    for (int i = 0; i < x->nconds; ++i)
        x->cond[i] = view_by_tid(s, k, instances_step(s, around, x->cond[i]));
    lay_clear_error(&s->lay);
    return (struct prove_set){x->var, x->nvars, x->cond, x->nconds, at, rank};
}

struct prove_set instances_argument(struct session *s, const struct kernel *k,
                                    const struct around *around, const struct view *v,
                                    struct instances *out) {
    instances_begin(s, k, around, false, out);
    if (out->threads < k->threads)
        instances_cond(out, ix_sub(s, ix_int(s, out->threads - 1), ix_var(s, k->tid)));
    const struct ix *offset = v->offset ? v->offset : ix_int(s, 0);
    struct lay l = lay_valid(v->layout) ? v->layout : v->base->layout;
    if (!lay_valid(l)) {
        out->full = true;
        return finish(out, around, offset);
    }
    return finish(out, around, add_layout(out, l.shape, l.stride, offset));
}
