// partition_src, partition_dst and retile: a thread's part of a tensor, or its fragment, with the
// modes of a tiled copy: ((atom,rest of the values),rest of mode 0,rest of mode 1,..).
#include <inttypes.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/tile.h"
#include "sema/view/viewfn.h"

// How many elements of "elem" a thread has in one call of the atom.  'auto' gets its width later,
// and counts single elements.
static int64_t atom_values(const struct atom *a, const struct elem_type *elem) {
    return a->row->exact ? a->bits / elem->bits : 1;
}

static const char *text_at(struct sema *c, struct range at) {
    return arena_strndup(&c->s->arena, c->s->sources.file[at.file].text + at.begin,
                         at.end - at.begin);
}

// Checks the arguments of "call": a tiled copy and a view that it can move.
static bool sides(struct sema *c, const struct call *call) {
    const struct ast_expr *e = call->e;
    const struct value *t = call->arg[0], *v = call->arg[1];
    if (t->kind != VAL_TILED || v->kind != VAL_VIEW) {
        int bad = t->kind == VAL_TILED;
        if (t->kind == VAL_VIEW && v->kind == VAL_TILED) {
            struct range first = e->arg[0].value->at, second = e->arg[1].value->at;
            diag_error(c->s, first, "the tiled copy comes first in '%s': '%s(tc, A)'", call->name,
                       call->name);
            diag_fixit(c->s, first, text_at(c, second));
            diag_fixit(c->s, second, text_at(c, first));
            return false;
        }
        diag_error(c->s, e->arg[bad].value->at, "'%s' takes a tiled copy and then a tensor, not %s",
                   call->name, value_kind_text(bad ? v : t));
        return false;
    }
    if (!lay_valid(t->tc->tv)) {
        diag_error(c->s, e->arg[0].value->at,
                   "'%s' gives the layout of a thread's part, and the index map of this tiled copy "
                   "is not a layout; copy with it, from and to a fragment",
                   call->name);
        return false;
    }
    return view_whole(c, &v->view, e->arg[1].value->at) &&
           tile_check_elem(c, t->tc, v->view.base->elem, e->arg[0].value->at);
}

// (thread,(atom,rest of the values)) -> number in the tile, for one side.  The sides of a
// collective atom already have this form (sema/tile/sides.c).
static struct lay by_atoms(struct sema *c, const struct tiled_copy *tc, bool src, int64_t n) {
    struct lay tv = tiled_tv(tc, src);
    if (atom_is_collective(tc->atom.row)) return tv;
    const struct lay_tiler *atom =
        lay_tiler_layout(c->lay, lay_make_col(c->lay, lay_leaf_of(c->lay, n)));
    struct lay thr = lay_mode(c->lay, tv, 0);
    struct lay val = lay_logical_divide(c->lay, lay_mode(c->lay, tv, 1), atom);
    return lay_join(c->lay, 2, (struct lay[]){thr, val});
}

// "zipped", ((tile),(rest)), with the modes of "tv" for the tile.
static struct lay with_tile(struct sema *c, struct lay zipped, struct lay tv) {
    struct lay cut = lay_compose(c->lay, lay_mode(c->lay, zipped, 0), tv);
    struct lay rest = lay_mode(c->lay, zipped, 1), mode[LAY_MAX_RANK + 2];
    int n = 2, nrest = lay_rank(rest);
    mode[0] = lay_mode(c->lay, cut, 0);
    mode[1] = lay_mode(c->lay, cut, 1);
    for (int i = 0; i < nrest && i < LAY_MAX_RANK; ++i) mode[n++] = lay_mode(c->lay, rest, i);
    return lay_join(c->lay, n, mode);
}

// ((tile 0,tiles along mode 0),(tile 1,tiles along mode 1),..) from "zipped", ((tile),(rest)).
static struct lay by_mode(struct sema *c, struct lay zipped, int tiled) {
    struct lay tile = lay_mode(c->lay, zipped, 0), rest = lay_mode(c->lay, zipped, 1);
    struct lay mode[LAY_MAX_RANK];
    int n = lay_rank(rest);
    for (int i = 0; i < n && i < LAY_MAX_RANK; ++i) {
        mode[i] = lay_mode(c->lay, rest, i);
        struct lay pair[] = {i < tiled ? lay_mode(c->lay, tile, i) : mode[i], mode[i]};
        if (i < tiled) mode[i] = lay_join(c->lay, 2, pair);
    }
    return lay_join(c->lay, n, mode);
}

// The view "v" of a block or warp, divided by "tc"; NULL if the algebra has no result.
static const struct divided *divided_by(struct sema *c, const struct tiled_copy *tc, bool src,
                                        const struct view *v, struct lay zipped, struct lay next,
                                        struct range at) {
    int tiled = lay_tuple_rank(tc->tiler), leaf = 0;
    struct lay f = by_mode(c, zipped, tiled), on = by_mode(c, next, tiled);
    if (!lay_valid(f) || !lay_valid(on)) return NULL;
    struct divided *d = ARENA_NEW(&c->s->arena, struct divided);
    *d = (struct divided){.by = tc, .src = src, .all = view_divide(c->s, *v, f, on, at)};
    view_mark_overhang(c, v, zipped, true, &d->all);
    int n = lay_rank(f);
    for (int i = 0; i < n; ++i) {
        const struct lay_tuple *mode = d->all.layout.shape->kid[i];
        int first = leaf + (i < tiled ? lay_tuple_leaves(mode->kid[0]) : 0);
        leaf += lay_tuple_leaves(mode);
        if (i < tiled) view_counts_tiles(c->s, v, &d->all, first, leaf);
    }
    struct coord *kid = ARENA_ARRAY(&c->s->arena, struct coord, n + 1);
    for (int i = 0; i <= n; ++i) kid[i] = (struct coord){.rank = -1};
    d->at = (struct coord){.rank = n + 1, .kid = kid};
    return d;
}

const struct value *view_partition(struct sema *c, const struct call *call) {
    if (!sides(c, call)) return &value_none;
    const struct ast_expr *e = call->e;
    const struct tiled_copy *tc = call->arg[0]->tc;
    const struct view *v = &call->arg[1]->view;
    const char *what = sema_text(c, "'%s'", call->name);
    struct range at = e->arg[1].value->at;
    if (!c->kernel || !c->kernel->tid)
        return FAIL(c, e->at,
                    "%s depends on the thread that runs, so it belongs in the body of a kernel",
                    what);
    bool warp = v->base->space != MEM_FRAG && view_of_warp(v);
    bool src = strcmp(call->name, "partition_src") == 0;
    if (v->base->space == MEM_FRAG || view_of_thread(v))
        return FAIL(c, at,
                    "'%s' already belongs to one thread; %s takes a view of a block or a warp",
                    v->base->name, what);
    if (tc->threads > c->kernel->threads)
        return FAIL(c, e->arg[0].value->at,
                    "the tiled copy has %" PRId64 " threads, '%s' has %" PRId64, tc->threads,
                    c->kernel->name, c->kernel->threads);
    if (warp && !view_has_lanes(c->kernel, tc->threads))
        return FAIL(c, e->arg[0].value->at,
                    "the tiled copy has %" PRId64
                    " threads, and '%s' belongs to a warp here; the last warp of '%s' has %" PRId64,
                    tc->threads, v->base->name, c->kernel->name, (c->kernel->threads - 1) % 32 + 1);
    int rank = lay_rank(v->layout), want = lay_tuple_rank(tc->tiler);
    if (rank < want) {
        diag_error(c->s, at, "the tile %s of %d modes cannot cut '%s', which has %d here: %s",
                   lay_tuple_text(c->lay, tc->tiler), want, v->base->name, rank,
                   lay_tuple_text(c->lay, v->layout.shape));
        const struct lay_tuple *shape = v->layout.shape;
        bool nested = !lay_is_leaf(shape) && rank == 1 && shape->kid[0]->rank == want;
        const char *text = source_line(c->s, at);
        if (nested)
            diag_note(c->s, at, "its mode has %d parts; 'flatten(%s)' makes each of them a mode",
                      want, text);
        if (nested) diag_fixit(c->s, at, sema_text(c, "flatten(%s)", text));
        return &value_none;
    }
    lay_clear_error(c->lay);
    struct lay id = view_trimmed(c->s, view_identity(c->s, v));
    const struct lay_tiler *t = lay_tiler_shape(c->lay, tc->tiler);
    struct lay zipped = lay_zipped_divide(c->lay, id, t);
    struct lay tv = by_atoms(c, tc, src, atom_values(&tc->atom, v->base->elem));
    struct lay f = with_tile(c, zipped, tv);
    struct lay on = lay_divide_on(c->lay, LAY_DIVIDE_ZIPPED, id, t), next = with_tile(c, on, tv);
    if (!lay_valid(f) || !lay_valid(next)) {
        sema_lay_error(c, e->at, what);
        return &value_none;
    }
    int n = lay_rank(f), nrest = n - 2;
    struct view all = view_divide(c->s, *v, f, next, e->at);
    view_mark_overhang(c, v, zipped, true, &all);
    const struct lay_tuple *shape = all.layout.shape;  // (thread,value,rest,..)
    int first = lay_tuple_leaves(shape->kid[0]) + lay_tuple_leaves(shape->kid[1]);
    view_counts_tiles(c->s, v, &all, first, lay_tuple_leaves(shape));
    if (nrest == rank) all.names = names_divide(c, v, 0, false, 2);
    struct coord *crd = ARENA_ARRAY(&c->s->arena, struct coord, n);
    for (int i = 0; i < n; ++i) crd[i] = (struct coord){.rank = -1};
    crd[0].ix =
        warp ? view_lane(c->s, c->kernel, tc->threads) : view_tid(c->s, c->kernel, tc->threads);
    struct view mine = view_slice(c->s, all, &(struct coord){.rank = n, .kid = crd}, e->at);
    if (!lay_valid(mine.layout)) return &value_none;
    mine.part = true;
    if (atom_is_collective(tc->atom.row))
        mine.divided = divided_by(c, tc, src, v, zipped, on, e->at);
    if (!warp) mine.threads = tc->threads;
    if (warp && tc->threads < 32) mine.lanes = tc->threads;
    return value_view(c, mine);
}

// Where the values (atom,rest of the values) of "tc" are in a fragment whose first mode has "has"
// values: (atom,rest) -> index in (value,tile of mode 0,tile of mode 1,..).  Sets "tile" to the
// extents of these tiles.
static struct lay regroup(struct sema *c, const struct tiled_copy *tc, int64_t has, int64_t atom,
                          const struct lay_tuple **tile) {
    struct lay_ctx *x = c->lay;
    struct lay mn = lay_with_shape(x, lay_right_inverse(x, tc->tv), tc->tiler);
    // (m,n) -> number of the fragment's block of "has" values
    struct lay blocks = lay_upcast(x, mn, tc->threads * has);
    if (!lay_valid(blocks)) return blocks;
    *tile = lay_product_each(x, blocks.shape);
    const struct lay_tiler *inverse = lay_tiler_layout(x, lay_right_inverse(x, blocks));
    struct lay values = lay_make_col(x, lay_leaf_of(x, has));
    struct lay all = lay_logical_product(x, values, inverse);
    return lay_logical_divide(x, all, lay_tiler_layout(x, lay_make_col(x, lay_leaf_of(x, atom))));
}

const struct value *view_retile(struct sema *c, const struct call *call) {
    if (!sides(c, call)) return &value_none;
    const struct ast_expr *e = call->e;
    const struct tiled_copy *tc = call->arg[0]->tc;
    const struct view *v = &call->arg[1]->view;
    struct range at = e->arg[1].value->at;
    if (v->base->space != MEM_FRAG)
        return FAIL(c, at, "'retile' takes a fragment; '%s' is %s", v->base->name,
                    space_place(v->base->space));
    int rank = lay_rank(v->layout), want = lay_tuple_rank(tc->tiler) + 1;
    if (rank < want)
        return FAIL(c, at,
                    "'retile' takes a fragment of (values,rest of mode 0,..), of %d modes for the "
                    "tile %s; '%s' here is %s",
                    want, lay_tuple_text(c->lay, tc->tiler), v->base->name,
                    lay_tuple_text(c->lay, v->layout.shape));
    int64_t has = lay_size(c->lay, lay_mode(c->lay, v->layout, 0)).num;
    if (tc->values % has != 0 && has % tc->values != 0)
        return FAIL(c, at,
                    "mode 0 of '%s' has %" PRId64 " values, a thread of the tiled copy %" PRId64
                    "; one has to divide the other",
                    v->base->name, has, tc->values);
    lay_clear_error(c->lay);
    const struct lay_tuple *tile = NULL;
    struct lay re = regroup(c, tc, has, atom_values(&tc->atom, v->base->elem), &tile);
    struct lay f = lay_layout_invalid();
    if (lay_valid(re)) {
        const struct lay_tuple *kid[LAY_MAX_RANK] = {lay_leaf_of(c->lay, has)};
        for (int i = 0; i + 1 < want; ++i) kid[i + 1] = lay_tuple_get(c->lay, tile, i);
        const struct lay_tiler *t = lay_tiler_shape(c->lay, lay_tuple(c->lay, want, kid));
        // ((value,tiles..),(1,rest..))
        struct lay cut = lay_divide_on(c->lay, LAY_DIVIDE_ZIPPED, v->layout, t);
        struct lay rest = lay_mode(c->lay, cut, 1), mode[LAY_MAX_RANK];
        int n = lay_valid(cut) ? lay_rank(rest) : 0;
        for (int i = 1; i < n; ++i) mode[i] = lay_mode(c->lay, rest, i);
        mode[0] = lay_compose(c->lay, lay_mode(c->lay, cut, 0), re);
        if (n > 0 && lay_valid(mode[0])) f = lay_join(c->lay, n, mode);
    }
    if (!lay_valid(f)) {
        sema_lay_error(c, e->at, "'retile'");
        return &value_none;
    }
    if (view_reaches_out(c, v, f))
        return FAIL(c, at, "'%s' here is %s, which is not a whole number of tiles of a thread: %s",
                    v->base->name, lay_tuple_text(c->lay, v->layout.shape),
                    lay_tuple_text(c->lay, f.shape));
    // a fragment has no coordinates to be mapped
    struct view made = *v;
    made.layout = f;
    made.names = NULL;
    made.at = e->at;
    made.part = true;
    return value_view(c, made);
}
