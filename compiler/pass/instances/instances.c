// Copies and calls as sets of instances (see instances.h).
#include "pass/instances/instances.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

// -- the prover -----------------------------------------------------------------------------------

static bool has_all(const struct kernel *k, const struct relation *r) {
    for (int i = 0; i < r->nparams; ++i) {
        int j = 0;
        while (j < k->nparams && k->param[j] != r->param[i]) ++j;
        if (j == k->nparams) return false;
    }
    return true;
}

struct prover *instances_prover(struct session *s, const struct plan *p, const struct kernel *k) {
    struct prove_promise *list = NULL;
    int n = 0, cap = 0;
    if (k) s->count = k->count;
    for (int i = 0; k && i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        if (!has_all(k, r)) continue;
        list = arena_more(&s->arena, list, sizeof *list, n, &cap);
        list[n++] = (struct prove_promise){r->a, r->b, r->op};
    }
    return prover_new(s, list, n);
}

// -- variables ------------------------------------------------------------------------------------

void instances_var(struct instances *x, const struct ix_var *v, const struct ix *begin,
                   const struct ix *end) {
    if (x->nvars == INSTANCE_VARS)
        x->full = true;
    else
        x->var[x->nvars++] = (struct prove_var){v, begin, end};
}

void instances_cond(struct instances *x, const struct ix *e) {
    if (!e || x->nconds == INSTANCE_CONDS)
        x->full = true;
    else
        x->cond[x->nconds++] = e;
}

const struct ix *instances_step(struct session *s, const struct around *around,
                                const struct ix *e) {
    for (int i = around->n - 1; i >= 0 && e; --i) {
        const struct stmt *x = around->stmt[i];
        if (x->kind != STMT_PIPELINE || !x->pipe->slot) continue;
        const struct ix *step = ix_var(s, x->var);
        const struct ix *slot = ix_mod(s, ix_sub(s, step, x->begin), lay_int(x->pipe->stages));
        e = ix_substitute(s, e, x->pipe->load_var, step);
        e = ix_substitute(s, e, x->pipe->load_slot, slot);
        e = ix_substitute(s, e, x->pipe->slot, slot);
    }
    return e;
}

void instances_begin(struct session *s, const struct kernel *k, const struct around *around,
                     bool blocks, struct instances *out) {
    *out = (struct instances){.s = s, .k = k, .threads = k->threads};
    for (int i = 0; i < around->n; ++i) out->threads = stmt_threads(around->stmt[i], out->threads);
    for (int i = 0; i < 3; ++i) {
        if (!k->block[i]) continue;
        const struct ix *extent = ix_lay(s, k->grid[i]);
        if (blocks) {
            instances_var(out, k->block[i], ix_int(s, 0), extent);
            continue;
        }
        // There is a block, also where no variable of one is left in the question.
        const struct ix *others = ix_sub(s, extent, ix_int(s, 1));
        if (!ix_provably_nonnegative(s, others)) instances_cond(out, others);
    }
    out->nblocks = out->nvars;
    for (int i = 0; i < around->n; ++i) {
        const struct stmt *x = around->stmt[i];
        if (!stmt_loops(x)) continue;
        instances_var(out, x->var, instances_step(s, around, x->begin),
                      instances_step(s, around, x->end));
    }
    out->nloops = out->nvars - out->nblocks;
}

// Adds variables for the threads of a copy between thread parts, and for the warp of a warp's view.
static void add_threads(struct instances *x, const struct copy *c, const struct view *v) {
    struct session *s = x->s;
    const struct kernel *k = x->k;
    if (!c) {
        if (v->base->space == MEM_FRAG || view_of_thread(v))
            instances_var(x, k->tid, ix_int(s, 0), ix_int(s, x->threads));
        return;
    }
    if (c->facts.level == LEVEL_WARP)
        instances_var(x, k->warp, ix_int(s, 0), ix_int(s, (x->threads + 31) / 32));
    if (c->facts.level != LEVEL_THREAD) return;
    instances_var(x, k->tid, ix_int(s, 0), ix_int(s, c->facts.threads));
    if (!c->facts.lanes || c->facts.lanes >= 32) return;
    const struct ix *lane = ix_mod(s, ix_var(s, k->tid), lay_int(32));
    instances_cond(x, ix_sub(s, ix_int(s, c->facts.lanes - 1), lane));
}

// Adds variables for the coordinates of the view's modes, structured like the flattened "shape".
static void add_elements(struct instances *x, const struct lay_tuple *shape) {
    struct session *s = x->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, shape);
    int n = lay_tuple_leaves(flat);
    const struct ix **at = ARENA_ARRAY(&s->arena, const struct ix *, n + 1);
    for (int i = 0; i < n; ++i) {
        struct lay_int extent = lay_is_leaf(flat) ? flat->leaf : flat->kid[i]->leaf;
        if (lay_int_is(extent, 1)) {
            at[i] = ix_int(s, 0);
            continue;
        }
        struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
        *v = (struct ix_var){IX_NAMED, "e", "e", s->next_var++, lay_int(0), extent};
        instances_var(x, v, ix_int(s, 0), ix_lay(s, extent));
        at[i] = ix_var(s, v);
    }
    x->element = at;
    x->nelements = n;
    x->shape = flat;
}

void instances_of(struct instances *x, const struct copy *c, const struct view *v) {
    int before = x->nvars;
    add_threads(x, c, v);
    x->nthreads = x->nvars - before;
    add_elements(x, v->layout.shape);
}

// -- coordinates ----------------------------------------------------------------------------------

int instances_rank(const struct view *v) {
    return lay_tuple_leaves(v->base->layout.shape);
}

// Adds to a coordinate along "mode" what the leaves of "shape" contribute for "index", a number
// within it.
static const struct ix *sum_of(struct instances *x, const struct lay_tuple *shape,
                               const struct lay_tuple *stride, int mode, const struct ix *index,
                               const struct ix *sum) {
    struct session *s = x->s;
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank && sum; ++i) {
            struct lay_int n = lay_tuple_product(&s->lay, shape->kid[i]);
            bool last = i == shape->rank - 1;
            const struct ix *part = last ? index : ix_mod(s, index, n);
            sum = sum_of(x, shape->kid[i], stride->kid[i], mode, part, sum);
            if (!last) index = ix_div(s, index, n);
        }
        return sum;
    }
    int path[3];
    struct lay_int d = stride->leaf;
    if (d.num == 0 || lay_int_basis_path(d, path) < 1 || path[0] != mode) return sum;
    d.basis = -1;
    return ix_add(s, sum, ix_scale(s, index, d));
}

static bool same_leaves(const struct lay_tuple *a, const struct lay_tuple *b) {
    int n = lay_tuple_leaves(a);
    if (n != lay_tuple_leaves(b) || lay_is_leaf(a) != lay_is_leaf(b)) return false;
    if (lay_is_leaf(a)) return lay_int_equal(a->leaf, b->leaf);
    for (int i = 0; i < n; ++i)
        if (!lay_int_equal(a->kid[i]->leaf, b->kid[i]->leaf)) return false;
    return true;
}

static const struct ix *by_leaf(struct instances *x, const struct lay_tuple *shape,
                                const struct lay_tuple *stride, int mode, int *leaf,
                                const struct ix *sum) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank && sum; ++i)
            sum = by_leaf(x, shape->kid[i], stride->kid[i], mode, leaf, sum);
        return sum;
    }
    return sum_of(x, shape, stride, mode, x->element[(*leaf)++], sum);
}

// Converts coordinates of modes with the extents "like" to modes of "v", mode by mode.
static const struct ix *by_mode(struct instances *x, const struct view *v, int mode,
                                const struct ix *sum) {
    struct session *s = x->s;
    // all modes as one index, the first one fastest
    const struct ix *all = ix_int(s, 0);
    struct lay_int by = lay_int(1);
    for (int i = 0; i < x->nelements; ++i) {
        all = ix_add(s, all, ix_scale(s, x->element[i], by));
        by = lay_int_mul(&s->lay, by,
                         lay_is_leaf(x->shape) ? x->shape->leaf : x->shape->kid[i]->leaf);
    }
    return sum_of(x, v->coord.shape, v->coord.stride, mode, all, sum);
}

const struct ix *instances_coord(struct instances *x, const struct view *v, int mode) {
    struct session *s = x->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->coord.shape);
    const struct ix *sum = v->coord_off[mode];
    if (same_leaves(flat, x->shape)) {
        int leaf = 0;
        sum = by_leaf(x, v->coord.shape, v->coord.stride, mode, &leaf, sum);
    } else {
        sum = by_mode(x, v, mode, sum);
    }
    lay_clear_error(&s->lay);
    return sum;
}

void instances_inside(struct instances *x, const struct view *v) {
    if (!lay_valid(v->coord)) return;
    for (int i = 0; i < instances_rank(v); ++i)
        instances_cond_inside(x, v, i, instances_coord(x, v, i));
}

void instances_cond_inside(struct instances *x, const struct view *v, int mode,
                           const struct ix *at) {
    struct session *s = x->s;
    struct edge_of edge[VIEW_EDGES];
    int n = view_edges(s, v, mode, edge);
    // A tensor has no elements beyond the end of a shorter part.  Without that end there are more accesses:
    // those that would write the elements that are not there.  So what is proven of these holds.
    for (int i = 0; i < n; ++i)
        if (!edge[i].product)
            instances_cond(x, ix_sub(s, ix_int(s, -1), view_beyond(s, edge[i], at)));
}

// "e" of a view of "k" by thread; no warp may have lanes that do not exist.
static const struct ix *by_tid(struct instances *x, const struct ix *e) {
    bool threads = x->nthreads > 0 && x->var[x->nblocks + x->nloops].var == x->k->tid;
    return threads ? view_by_tid(x->s, x->k, e) : e;
}

// The same as instances_settled, with the variables as they are.
static struct prove_set set_of(struct instances *x, const struct view *v) {
    struct session *s = x->s;
    int rank = lay_valid(v->coord) ? instances_rank(v) : 0;
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, rank + 1);
    for (int i = 0; i < rank; ++i) out[i] = instances_coord(x, v, i);
    return (struct prove_set){x->var, x->nvars, x->cond, x->nconds, out, rank};
}

struct prove_set instances_settled(struct instances *x, const struct around *around,
                                   const struct view *v) {
    struct session *s = x->s;
    struct prove_set set = set_of(x, v);
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, set.nouts + 1);
    for (int i = 0; i < set.nouts; ++i) out[i] = by_tid(x, instances_step(s, around, set.out[i]));
    for (int i = 0; i < x->nconds; ++i)
        x->cond[i] = by_tid(x, instances_step(s, around, x->cond[i]));
    set.out = out;
    return set;
}

struct prove_set instances_access(struct session *s, const struct kernel *k,
                                  const struct around *around, const struct copy *c, bool read,
                                  bool blocks, struct instances *out) {
    const struct view *v = copy_side(c, read);
    instances_begin(s, k, around, blocks, out);
    instances_of(out, c, lay_valid(v->coord) ? v : copy_side(c, !read));
    if (c->dst.overhang) instances_inside(out, &c->dst);
    if (c->src.overhang && (read || !c->pad)) instances_inside(out, &c->src);
    return instances_settled(out, around, v);
}
