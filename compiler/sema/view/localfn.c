// local_tile and local_partition: divide and then slice.
#include "base/buf.h"
#include "base/warnings.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/tile/tile.h"
#include "sema/view/viewfn.h"

// A layout with an offset as a value; reports "what" at "at" if there is none.
static const struct value *offset_layout(struct sema *c, struct lay_view r, struct range at,
                                         const char *what) {
    r = lay_settle(c->lay, r);
    if (lay_valid(r.layout))
        return value_calc(
            c, (struct calc_value){.kind = CALC_VIEW, .layout = r.layout, .offset = r.offset});
    sema_lay_error(c, at, what);
    return &value_none;
}

// The coordinate of two parts: "other", and (_,_,..) for the modes of "mode".  "first": "other" is
// first.
static struct coord beside(struct sema *c, struct lay mode, struct coord other, bool first) {
    struct coord *pair = ARENA_ARRAY(&c->s->arena, struct coord, 2);
    struct coord wild = {.rank = -1};
    if (!lay_is_leaf(mode.shape)) {
        struct coord *all = ARENA_ARRAY(&c->s->arena, struct coord, mode.shape->rank + 1);
        for (int i = 0; i < mode.shape->rank; ++i) all[i] = wild;
        wild = (struct coord){.rank = mode.shape->rank, .kid = all};
    }
    pair[first ? 1 : 0] = wild;
    pair[first ? 0 : 1] = other;
    return (struct coord){.rank = 2, .kid = pair};
}

// "f", "v" divided into tile and rest, with strides for modes of one element: a tile whose mode has
// a single element then still knows its mode when it is divided again.
static struct lay keep_single_modes(struct sema *c, const struct view *v, struct lay f) {
    const struct lay_tuple *shape = f.shape->kid[0], *stride = f.stride->kid[0];
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (lay_is_leaf(shape)) return f;
    int leaf = 0, rank = lay_rank(v->layout);
    for (int i = 0; i < shape->rank; ++i) {
        kid[i] = stride->kid[i];
        if (i >= rank) continue;
        const struct lay_tuple *mode = lay_tuple_get(c->lay, v->layout.shape, i);
        if (lay_is_leaf(mode) && lay_int_is(mode->leaf, 1) && lay_is_leaf(shape->kid[i]) &&
            lay_int_is(shape->kid[i]->leaf, 1))
            kid[i] = lay_leaf(c->lay, lay_int_basis(c->lay, lay_int(1), 1, &leaf));
        leaf += lay_tuple_leaves(mode);
    }
    const struct lay_tuple *both[] = {lay_tuple(c->lay, shape->rank, kid), f.stride->kid[1]};
    return lay_make(c->lay, f.shape, lay_tuple(c->lay, 2, both));
}

// "crd", with 0 for variables that are always 0 if there is only one tile: nothing depends on them.
static struct coord settle(struct sema *c, struct coord crd, const struct lay_tuple *rest) {
    if (crd.rank < 0) {
        bool only = crd.ix && crd.ix->lo == 0 && crd.ix->hi == 0;
        if (only && lay_int_is(lay_tuple_product(c->lay, rest), 1)) crd.ix = ix_int(c->s, 0);
        return crd;
    }
    struct coord *kid = ARENA_ARRAY(&c->s->arena, struct coord, crd.rank + 1);
    for (int i = 0; i < crd.rank; ++i) {
        bool has = i < lay_tuple_rank(rest);
        kid[i] = has ? settle(c, crd.kid[i], lay_tuple_get(c->lay, rest, i)) : crd.kid[i];
    }
    crd.kid = kid;
    return crd;
}

// The names of the "n" modes of tile "crd" of "v", of which "divided" modes are divided.  A part
// has the modes of "v", and then those that "crd" keeps; a kept mode that is divided counts tiles
// and has no name.
static const char *const *tile_names(struct sema *c, const struct view *v, int divided,
                                     const struct coord *crd, int n) {
    const char **name = ARENA_ARRAY(&c->s->arena, const char *, n + 1);
    int k = 0;
    for (int i = 0; i < divided && k < n; ++i) name[k++] = v->names[i];
    for (int i = 0; i < crd->rank && k < n; ++i) {
        bool kept = crd->kid[i].rank < 0 && (!crd->kid[i].ix || crd->kid[i].end);
        if (kept) name[k++] = i < divided ? NULL : v->names[i];
    }
    return name;
}

// Divides "v" and takes tile "crd"; without "tile", element "crd" of each tile.
static struct view slice_tiled(struct sema *c, struct view v, const struct lay_tiler *t,
                               struct coord *crd, bool tile, const struct ast_expr *e,
                               const char *what) {
    bool by_mode = t->kind != LAY_TILER_LAYOUT && t->kind != LAY_TILER_ANY;
    struct lay id = view_trimmed(c->s, view_identity(c->s, &v));
    lay_clear_error(c->lay);
    // without "tile", the result has modes over tiles, with CuTe's strides
    struct lay on = lay_divide_on(c->lay, tile ? LAY_DIVIDE_SLICED : LAY_DIVIDE_ZIPPED, id, t);
    struct lay f = tile ? on : lay_zipped_divide(c->lay, id, t);
    if (!lay_valid(f) || !lay_valid(on)) {
        sema_lay_error(c, e->at, what);
        return (struct view){.layout = lay_layout_invalid()};
    }
    if (tile && by_mode) f = on = keep_single_modes(c, &v, f);
    struct view tiled = view_divide(c->s, v, f, on, e->at);
    if (!lay_valid(tiled.layout)) {
        sema_lay_error(c, e->at, what);
        return tiled;
    }
    view_mark_overhang(c, &v, f, true, &tiled);
    view_mark_tiles(c, LAY_DIVIDE_ZIPPED, t, &v, &tiled);
    if (!tile) tiled.tiled = false;
    struct lay keep = lay_mode(c->lay, f, tile ? 0 : 1);
    struct coord at = tile ? settle(c, *crd, f.shape->kid[1]) : *crd;
    struct coord pair = beside(c, keep, at, !tile);
    struct view part = view_slice(c->s, tiled, &pair, e->at);
    if (lay_valid(part.layout) && by_mode && v.names)
        part.names = tile ? tile_names(c, &v, t->rank, crd, lay_rank(part.layout)) : v.names;
    return part;
}

// Whether "proj", argument 3 of a call, is a projection of "n" modes: '_' for each mode to leave
// out, an integer for one to keep.  Reports an error otherwise.
static bool is_projection(struct sema *c, const struct call *call, int n, const char *what) {
    const struct value *proj = call->arg[3];
    struct range at = call->e->arg[3].value->at;
    int kept = 0;
    bool flat = proj->kind == VAL_TUPLE;
    for (int i = 0; flat && i < proj->rank; ++i) {
        flat = proj->kid[i]->kind == VAL_WILD || proj->kid[i]->kind == VAL_INT;
        kept += proj->kid[i]->kind == VAL_INT;
    }
    if (!flat) {
        diag_error(
            c->s, at,
            "a projection has '_' for each mode that is left out and 1 for each that stays, as "
            "in '(1,_,1)', not %s",
            value_text(c, proj));
        return false;
    }
    for (int i = 1; i < 4; ++i)
        if (call->arg[i]->names)
            return names_none(c, call->arg[i], call->e->arg[i].value->at, "a projection");
    if (proj->rank == n && kept > 0) return true;
    if (proj->rank == n)
        diag_error(c->s, at, "the projection '%s' leaves no mode", value_text(c, proj));
    else
        diag_error(c->s, at, "the projection '%s' has %d modes; %s has %d", value_text(c, proj),
                   proj->rank, what, n);
    return false;
}

static int rank_of(const struct value *v) {
    if (v->kind == VAL_TUPLE) return v->rank;
    bool modes = v->kind == VAL_CALC && v->calc.kind == CALC_TILER &&
                 v->calc.tiler->kind != LAY_TILER_ANY && v->calc.tiler->kind != LAY_TILER_LAYOUT;
    return modes ? v->calc.tiler->rank : 1;
}

// The modes of "v", a tuple or a tiler, that "proj" keeps.
static const struct value *projected(struct sema *c, const struct value *v,
                                     const struct value *proj, struct range at) {
    const struct value *kid[LAY_MAX_RANK];
    const struct lay_tiler *tile[LAY_MAX_RANK];
    int n = 0;
    for (int i = 0; i < proj->rank; ++i) {
        if (proj->kid[i]->kind == VAL_WILD) continue;
        if (v->kind == VAL_TUPLE)
            kid[n++] = v->kid[i];
        else
            tile[n++] = v->calc.tiler->kid[i];
    }
    if (v->kind == VAL_TUPLE) return value_tuple(c, n, kid, at);
    return value_calc(c, calc_of_tiler(lay_tiler_modes(c->lay, n, tile)));
}

// local_tile(A, (M,N,K), (m,n,k), (1,_,1)): a tile of the modes that the projection keeps.
static const struct value *projected_tile(struct sema *c, const struct call *call) {
    const struct value *arg[] = {call->arg[0], call->arg[1], call->arg[2]};
    static const char *const what[] = {"", "the tile", "the coordinate"};
    for (int i = 1; i < 3; ++i) {
        bool whole = arg[i]->kind == VAL_TUPLE || rank_of(arg[i]) > 1;
        struct range at = call->e->arg[i].value->at;
        if (!whole)
            return FAIL(c, at, "%s is %s; with a projection it has a part for each mode of that",
                        what[i], value_kind_text(arg[i]));
        if (!is_projection(c, call, rank_of(arg[i]), what[i])) return &value_none;
        arg[i] = projected(c, arg[i], call->arg[3], at);
    }
    struct call made = *call;
    made.n = 3;
    made.arg = arg;
    return view_local_tile(c, &made);
}

// A single integer for the tiles of several modes counts along the first mode, then along the next
// one.  If it never leaves the first mode, it is probably meant only for that mode; warns of this.
static void warn_linear_tile(struct sema *c, const struct view *v, const struct lay_tiler *t,
                             const struct coord *crd, struct range at) {
    if (crd->rank >= 0 || !crd->ix || crd->end || ix_constant(crd->ix) || t->rank < 2) return;
    struct lay_int first = lay_int(0), others = lay_int(1);
    for (int i = 0; i < t->rank; ++i) {
        if (t->kid[i]->kind != LAY_TILER_LAYOUT) return;
        struct lay_int tile = lay_size(c->lay, t->kid[i]->layout);
        struct lay_int n = lay_size(c->lay, lay_mode(c->lay, v->layout, i));
        n = lay_int_static(tile) ? lay_int_ceil_div(c->lay, n, tile) : LAY_INT_INVALID;
        if (i == 0) first = n;
        if (i > 0) others = lay_int_mul(c->lay, others, n);
    }
    const struct ix *max = ix_max(c->s, crd->ix);
    bool stays = lay_int_valid(first) && lay_int_valid(others) && !lay_int_is(others, 1) && max &&
                 ix_provably_nonnegative(
                     c->s, ix_sub(c->s, ix_sub(c->s, ix_lay(c->s, first), ix_int(c->s, 1)), max));
    lay_clear_error(c->lay);
    if (!stays) return;
    struct buf b;
    buf_init(&b);
    buf_printf(&b, "(%s", ix_text(c->s, crd->ix));
    for (int i = 1; i < lay_rank(v->layout); ++i) buf_puts(&b, ", 0");
    buf_puts(&b, ")");
    const char *text = buf_finish(&b, &c->s->arena);
    diag_warn(c->s, W_LINEAR_TILE, at,
              "one number counts the tiles of all modes of '%s', and '%s' reaches only those along "
              "mode 0; write '%s', or a coordinate for each mode",
              v->base->name, ix_text(c->s, crd->ix), text);
    diag_fixit(c->s, at, text);
}

const struct value *view_local_tile(struct sema *c, const struct call *call) {
    const struct ast_expr *e = call->e;
    const struct value *a = call->arg[0];
    if (call->n == 4) return projected_tile(c, call);
    struct coord *crd = coord_of_value(c, call->arg[2], e->arg[2].value->at);
    const struct lay_tiler *t =
        value_to_tiler(c, call->arg[1], e->arg[1].value->at, "the tile of 'local_tile'");
    if (!crd || !t) return &value_none;
    if (a->kind != VAL_VIEW) {
        struct lay l = value_to_layout(c, a, e->arg[0].value->at, "argument 1 of 'local_tile'");
        const struct lay_tuple *at =
            value_to_tuple(c, call->arg[2], e->arg[2].value->at, "the coordinate of a layout");
        if (!at || !lay_valid(l)) return &value_none;
        lay_clear_error(c->lay);
        return offset_layout(c, lay_local_tile(c->lay, l, t, at, NULL), e->at, "'local_tile'");
    }
    if (!view_whole(c, &a->view, e->arg[0].value->at)) return &value_none;
    bool by_mode = t->kind != LAY_TILER_LAYOUT && t->kind != LAY_TILER_ANY;
    int tiler_rank = by_mode ? t->rank : 1;
    int rank = lay_rank(a->view.layout);
    if (tiler_rank > rank) {
        diag_error(c->s, e->arg[1].value->at, "a tile of %d mode%s of '%s', which has %d: %s",
                   tiler_rank, tiler_rank == 1 ? "" : "s", a->view.base->name, rank,
                   lay_tuple_text(c->lay, a->view.layout.shape));
        struct view part = a->view;
        part.at = e->arg[0].value->at;
        view_note_tile(c->s, &part);
        return &value_none;
    }
    if (by_mode && crd->rank >= 0 && crd->rank != rank) {
        diag_error(c->s, e->at,
                   "%d coordinate%s of a tile of '%s', which has %d modes; a tile and its "
                   "coordinate have one part per mode: 'local_tile(A, (64,64), (0,0))'",
                   crd->rank, crd->rank == 1 ? "" : "s", a->view.base->name, rank);
        struct view whole = a->view;
        whole.at = e->arg[0].value->at;
        shapes_note_stages(c, &whole, crd->rank);
        return &value_none;
    }
    warn_layout_tiler(c, call->arg[1], e->arg[1].value, &a->view);
    if (by_mode) warn_linear_tile(c, &a->view, t, crd, e->arg[2].value->at);
    struct view part = slice_tiled(c, a->view, t, crd, true, e, "'local_tile'");
    return lay_valid(part.layout) ? value_view(c, part) : &value_none;
}

// The coordinate of thread "i" in the layout "thr", by mode: the sum of (i / d) % s, each times the
// extents before it.
static const struct ix *thread_coord(struct sema *c, const struct ix *i,
                                     const struct lay_tuple *shape, const struct lay_tuple *stride,
                                     int64_t *scale) {
    if (lay_is_leaf(shape)) {
        int64_t n = shape->leaf.num, by = *scale;
        *scale *= n;
        if (n == 1) return ix_int(c->s, 0);
        const struct ix *q = ix_mod(c->s, ix_div(c->s, i, stride->leaf), shape->leaf);
        return ix_scale(c->s, q, lay_int(by));
    }
    const struct ix *sum = ix_int(c->s, 0);
    for (int m = 0; m < shape->rank; ++m)
        sum = ix_add(c->s, sum, thread_coord(c, i, shape->kid[m], stride->kid[m], scale));
    return sum;
}

const struct value *view_local_partition(struct sema *c, const struct call *call) {
    const struct ast_expr *e = call->e;
    const struct value *a = call->arg[0], *i = value_unwrap(call->arg[2]);
    struct range thr_at = e->arg[1].value->at, i_at = e->arg[2].value->at;
    if (call->arg[1]->kind == VAL_TILED)
        return FAIL(c, thr_at,
                    "'local_partition' takes a layout of threads; a thread's share by a tiled copy "
                    "is 'partition_src(tc, A)', which 'copy A -> B with tc;' does not need");
    struct lay thr = value_to_layout(c, call->arg[1], thr_at, "the thread layout");
    if (!lay_valid(thr)) return &value_none;
    if (i->kind != VAL_INT)
        return FAIL(c, i_at, "argument 3 of 'local_partition' must be an integer, not %s",
                    value_kind_text(i));
    if (!tile_check_numbering(c, thr, thr_at, "the thread layout", "thread")) return &value_none;
    struct lay_int n = lay_size(c->lay, thr);
    struct lay all = thr;
    if (call->n == 4) {  // threads that differ only in omitted modes have the same part
        if (!is_projection(c, call, lay_rank(thr), "the thread layout")) return &value_none;
        thr = lay_dice(c->lay, value_to_tuple(c, call->arg[3], e->arg[3].value->at, "it"), thr);
        if (!lay_valid(thr)) BUG("a projection of a thread layout");
    }
    if (a->kind != VAL_VIEW) {
        int64_t at;
        struct lay l =
            value_to_layout(c, a, e->arg[0].value->at, "argument 1 of 'local_partition'");
        if (!lay_valid(l) || !value_to_int64(c, i, i_at, "the thread of a layout", &at))
            return &value_none;
        if (at < 0 || at >= n.num)
            return FAIL(c, i_at, "there is no thread %lld; the thread layout %s has %s places",
                        (long long)at, lay_text(c->lay, all), lay_int_text(c->lay, n));
        lay_clear_error(c->lay);
        return offset_layout(c, lay_local_partition(c->lay, l, thr, at, NULL), e->at,
                             "'local_partition'");
    }
    if (!view_whole(c, &a->view, e->arg[0].value->at)) return &value_none;
    if (i->ix->lo < 0 || i->ix->hi >= n.num)
        return FAIL(c, i_at, "'%s' runs over %lld .. %lld; the thread layout %s has %s places",
                    ix_text(c->s, i->ix), (long long)i->ix->lo, (long long)i->ix->hi,
                    lay_text(c->lay, all), lay_int_text(c->lay, n));
    int rank = lay_rank(thr);
    if (rank > lay_rank(a->view.layout))
        return FAIL(c, thr_at, "a thread layout of %d modes on '%s', which has %d: %s", rank,
                    a->view.base->name, lay_rank(a->view.layout),
                    lay_tuple_text(c->lay, a->view.layout.shape));
    const struct lay_tiler *t = lay_tiler_shape(c->lay, lay_product_each(c->lay, thr.shape));
    struct coord crd = {.rank = -1};
    int64_t scale = 1;
    if (lay_is_leaf(thr.shape)) {
        crd.ix = thread_coord(c, i->ix, thr.shape, thr.stride, &scale);
    } else {
        struct coord *kid = ARENA_ARRAY(&c->s->arena, struct coord, rank + 1);
        for (int m = 0; m < rank; ++m) {
            scale = 1;
            kid[m].rank = -1;
            kid[m].ix = thread_coord(c, i->ix, thr.shape->kid[m], thr.stride->kid[m], &scale);
            if (!kid[m].ix) {
                sema_lay_error(c, i_at, "the coordinate of a thread");
                return &value_none;
            }
        }
        crd = (struct coord){.rank = rank, .kid = kid};
    }
    struct view made = slice_tiled(c, a->view, t, &crd, false, e, "'local_partition'");
    if (!lay_valid(made.layout)) return &value_none;
    if (call->n == 4) return value_view(c, made);
    struct view *of = ARENA_NEW(&c->s->arena, struct view);
    struct partitioned *p = ARENA_NEW(&c->s->arena, struct partitioned);
    *of = a->view;
    *p = (struct partitioned){of, thr, e->arg[0].value->at, thr_at, i->ix};
    made.partitioned = p;
    return value_view(c, made);
}
