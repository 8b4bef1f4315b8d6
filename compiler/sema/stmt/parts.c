// Parts of tensors as the sides of planned copies: which elements they have, and proofs that these
// are in their tensors, and are all of them where a tensor is 'out'.
#include "plan/view.h"
#include "prove/prove.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// The leaves of a part's shape, its strides in memory and in the tensor's coordinates.
struct leaves {
    int n;
    struct lay_int extent[LAY_MAX_LEAVES], coord[LAY_MAX_LEAVES];
};

static void collect(const struct lay_tuple *shape, const struct lay_tuple *coord,
                    struct leaves *l) {
    for (int i = 0; !lay_is_leaf(shape) && i < shape->rank; ++i)
        collect(shape->kid[i], coord->kid[i], l);
    if (!lay_is_leaf(shape)) return;
    l->extent[l->n] = shape->leaf;
    l->coord[l->n++] = coord->leaf;
}

static struct leaves leaves_of(const struct view *v) {
    struct leaves l = {0};
    collect(v->layout.shape, v->coord.stride, &l);
    return l;
}

static int rank_of(const struct view *v) {
    return lay_tuple_leaves(v->base->layout.shape);
}

// The sum of k * at[i] over the leaves "i" with stride k along mode "mode" of the tensor.
static const struct ix *moved(struct sema *c, const struct leaves *l, int mode,
                              const struct ix *const *at) {
    const struct ix *sum = ix_int(c->s, 0);
    for (int i = 0; i < l->n; ++i) {
        struct lay_int k = l->coord[i];
        if (k.num == 0 || k.basis != mode) continue;
        k.basis = -1;
        sum = ix_add(c->s, sum, ix_scale(c->s, at[i], k));
    }
    return sum;
}

// The largest coordinate of "v" along mode "mode" of its tensor.
static const struct ix *largest(struct sema *c, const struct view *v, const struct leaves *l,
                                int mode) {
    const struct ix *last[LAY_MAX_LEAVES];
    for (int i = 0; i < l->n; ++i)
        last[i] = ix_sub(c->s, ix_lay(c->s, l->extent[i]), ix_int(c->s, 1));
    return ix_add(c->s, v->coord_off[mode], moved(c, l, mode, last));
}

// -- proofs ---------------------------------------------------------------------------------------

static struct prover *prover_of(struct sema *c) {
    struct prove_promise *list = ARENA_ARRAY(&c->s->arena, struct prove_promise, c->nrelations + 1);
    for (int i = 0; i < c->nrelations; ++i)
        list[i] = (struct prove_promise){c->relation[i]->a, c->relation[i]->b, c->relation[i]->op};
    return prover_new(c->s, list, c->nrelations);
}

static bool at_least(struct sema *c, struct prover *p, const struct ix *a, const struct ix *b) {
    const struct ix *more = a && b ? ix_sub(c->s, a, b) : NULL;
    if (more && ix_provably_nonnegative(c->s, more)) return true;
    return a && b && prove_at_least(p, a, b) == PROVE_YES;
}

// Why an element of "v" may be outside of what it is taken from; or NULL.
static const char *outside(struct sema *c, struct prover *p, const struct view *v) {
    struct leaves l = leaves_of(v);
    for (const struct slice_bound *b = v->bounds; b; b = b->next) {
        const struct ix *end = ix_sub(c->s, b->at, ix_int(c->s, -1));
        bool low = b->what == RANGE_LAST || at_least(c, p, b->at, ix_int(c->s, 0));
        bool high = !lay_int_valid(b->extent) || at_least(c, p, ix_lay(c->s, b->extent), end);
        if (low && high) continue;
        if (!b->range)
            return sema_text(c, "the coordinate '%s' may be outside of a mode of '%s'",
                             ix_text(c->s, b->at), v->base->name);
        return sema_text(c, "the range '%s' may %s '%s'", b->range,
                         b->what == RANGE_EXTENT ? "end before it begins, in"
                         : low                   ? "end beyond a mode of"
                                                 : "begin before a mode of",
                         v->base->name);
    }
    for (int i = 0; i < rank_of(v); ++i) {
        const struct ix *end = ix_add(c->s, largest(c, v, &l, i), ix_int(c->s, 1));
        if (!at_least(c, p, v->coord_off[i], ix_int(c->s, 0)) ||
            !at_least(c, p, view_limit(c->s, v, i), end))
            return sema_text(c,
                             "a part of '%s' may reach beyond it along %s, and is not cut there: "
                             "that takes a mode of numbers",
                             v->base->name, view_mode_text(c->s, v->base, i));
    }
    return NULL;
}

static struct lay_int extent_of(struct sema *c, const struct tensor *t, int mode) {
    return lay_tuple_get(c->lay, lay_tuple_flatten(c->lay, t->layout.shape), mode)->leaf;
}

// Whether "v" is its tensor, with modes in any order.
static bool is_whole(struct sema *c, const struct view *v) {
    struct leaves l = leaves_of(v);
    uint32_t seen = 0;
    for (int i = 0; i < l.n; ++i) {
        struct lay_int k = l.coord[i];
        if (k.num == 0 && lay_int_is(l.extent[i], 1)) continue;
        if (k.num != 1 || k.den != 1 || k.nsyms || k.basis < 0 || seen >> k.basis & 1) return false;
        if (!lay_int_equal(l.extent[i], extent_of(c, v->base, k.basis))) return false;
        seen |= UINT32_C(1) << k.basis;
    }
    for (int i = 0; i < rank_of(v); ++i)
        if (!(seen >> i & 1) && !lay_int_is(extent_of(c, v->base, i), 1)) return false;
    return true;
}

// The elements of "v", as coordinates of its tensor.
static struct prove_set elements(struct sema *c, const struct view *v) {
    struct leaves l = leaves_of(v);
    struct prove_var *var = ARENA_ARRAY(&c->s->arena, struct prove_var, l.n + 1);
    const struct ix **at = ARENA_ARRAY(&c->s->arena, const struct ix *, l.n + 1);
    const struct ix **out = ARENA_ARRAY(&c->s->arena, const struct ix *, rank_of(v) + 1);
    struct prove_set set = {.var = var, .out = out, .nouts = rank_of(v)};
    for (int i = 0; i < l.n; ++i) {
        struct ix_var *x = ARENA_NEW(&c->s->arena, struct ix_var);
        *x = (struct ix_var){IX_NAMED, "e", "e", c->s->next_var++, lay_int(0), l.extent[i]};
        var[set.nvars++] = (struct prove_var){x, ix_int(c->s, 0), ix_lay(c->s, l.extent[i])};
        at[i] = ix_var(c->s, x);
    }
    for (int i = 0; i < set.nouts; ++i) out[i] = ix_add(c->s, v->coord_off[i], moved(c, &l, i, at));
    return set;
}

const char *parts_are_whole(struct sema *c, const struct view *v, int n) {
    if (n == 1 && is_whole(c, v)) return NULL;
    const struct ix **extent = ARENA_ARRAY(&c->s->arena, const struct ix *, rank_of(v) + 1);
    struct prove_set *set = ARENA_ARRAY(&c->s->arena, struct prove_set, n + 1);
    for (int i = 0; i < rank_of(v); ++i) extent[i] = ix_lay(c->s, extent_of(c, v->base, i));
    for (int i = 0; i < n; ++i) set[i] = elements(c, &v[i]);
    struct prove_witness w;
    struct prover *p = prover_of(c);
    enum prove_answer whole = prove_whole(p, extent, rank_of(v), set, n, &w);
    prover_free(p);
    if (whole == PROVE_YES) return NULL;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < rank_of(v) && whole == PROVE_NO; ++i)
        buf_printf(&b, "%s%lld", i ? "," : ", and not element (", (long long)w.out[i]);
    if (whole == PROVE_NO) buf_puts(&b, ")");
    return sema_text(c,
                     "'%s' is 'out', and this writes only a part of it%s; 'inout %s' keeps what it "
                     "does not write",
                     v->base->name, buf_finish(&b, &c->s->arena), v->base->name);
}

const char *parts_apart(struct sema *c, const struct view *a, const struct view *b) {
    const struct prove_set x = elements(c, a), y = elements(c, b);
    struct prove_witness w;
    struct prover *p = prover_of(c);
    bool apart = prove_apart(p, &x, &y, 0, 0, &w) == PROVE_YES;
    prover_free(p);
    if (apart) return NULL;
    return sema_text(c, "two of them may write the same element of '%s'", a->base->name);
}

// -- tiles at the edge ----------------------------------------------------------------------------

// How many elements of mode "m" of "v", "n" of them, are in its tensor, if that is known.
static int64_t within(struct sema *c, const struct view *v, int m, int64_t n) {
    struct lay_int k = v->coord.stride->kid[m]->leaf;
    int64_t begin, end;
    if (k.num <= 0 || k.basis < 0) return n;
    if (!ix_static(v->coord_off[k.basis], &begin) || !ix_static(view_limit(c->s, v, k.basis), &end))
        return n;
    int64_t most = end <= begin ? 0 : (end - begin + k.num - 1) / k.num;
    return most < n ? most : n;
}

// "v" with "n" elements along mode "m".
static void shorten(struct sema *c, struct view *v, int m, int64_t n) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < lay_rank(v->layout); ++i) kid[i] = v->layout.shape->kid[i];
    kid[m] = lay_leaf_of(c->lay, n);
    struct lay cut = v->layout;
    cut.shape = lay_tuple(c->lay, lay_rank(v->layout), kid);
    v->layout = cut;
    v->coord = lay_make(c->lay, cut.shape, v->coord.stride);
}

// Cuts both sides where one of them reaches beyond its tensor: nothing is copied there.
static void cut_edges(struct sema *c, struct copy *y) {
    for (int m = 0; m < lay_rank(y->src.layout); ++m) {
        const struct lay_tuple *a = y->src.layout.shape->kid[m], *b = y->dst.layout.shape->kid[m];
        if (!lay_is_leaf(a) || !lay_is_leaf(b) || !lay_int_static(a->leaf)) continue;
        int64_t n = within(c, &y->dst, m, within(c, &y->src, m, a->leaf.num));
        if (n == a->leaf.num || n == 0) continue;
        shorten(c, &y->src, m, n);
        shorten(c, &y->dst, m, n);
    }
}

// -- layouts --------------------------------------------------------------------------------------

// "t", with each sum as a param of its own.
static const struct lay_tuple *with_sums(struct sema *c, const struct lay_tuple *t,
                                         struct range at) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    struct lay_int sum;
    if (lay_is_leaf(t)) {
        if (!ix_int_is_open(t->leaf)) return t;
        const struct ix *e = sums_written_out(c, ix_lay(c->s, t->leaf));
        bool made = ix_monomial(e, &sum) || sum_of_params(c, e, at, "the extent of a range", &sum);
        return made ? lay_leaf(c->lay, sum) : NULL;
    }
    for (int i = 0; i < t->rank; ++i)
        if (!(kid[i] = with_sums(c, t->kid[i], at))) return NULL;
    return lay_tuple(c->lay, t->rank, kid);
}

bool part_of_tensor(struct sema *c, const struct ast_expr *e, struct view *out) {
    if (!eval_view(c, e, true, out)) return false;
    if (!view_is_open(out)) return true;
    const struct lay_tuple *shape = with_sums(c, out->layout.shape, out->at);
    const struct lay_tuple *stride = shape ? with_sums(c, out->layout.stride, out->at) : NULL;
    if (!stride) return false;
    out->layout.shape = shape;
    out->layout.stride = stride;
    out->coord.shape = shape;
    return true;
}

bool part_layout(struct sema *c, const struct view *v, bool empty, struct lay *out) {
    *out = v->layout;
    const struct ix *begin = sums_written_out(c, v->offset);
    return empty || ix_monomial(begin, &out->offset) ||
           sum_of_params(c, begin, v->at, "where this part begins", &out->offset);
}

const char *parts_settle(struct sema *c, struct copy *y) {
    cut_edges(c, y);
    struct prover *p = prover_of(c);
    const char *why = outside(c, p, &y->src);
    if (!why) why = outside(c, p, &y->dst);
    prover_free(p);
    return why;
}
