// Pass "predicate": which elements of a copy exist.
//
// Requires: facts of partition.  Fills: facts.edge, pred, npred, raw, nraw.
// Leaves alone: everything else.
//
// A tile may reach beyond its tensor (if a divide has a remainder, or the grid has more blocks than
// necessary), and a tiled copy beyond the view that it divides.  Each such mode gives a predicate:
// an inequality between the coordinate of a thread's value and the extent.  Equal predicates of
// both sides are merged.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/partition/beyond.h"
#include "pass/partition/modes.h"
#include "pass/partition/partition.h"
#include "pass/partition/shift.h"
#include "pass/partition/together.h"
#include "pass/pass.h"
#include "plan/view.h"

enum { SRC_VALUE = 0, DST_VALUE = 1 };

struct found {
    int n;
    struct predicate *at;
    int *side;  // of the joint modes
    // by side: it has coordinates of the source, otherwise of the destination
    bool of_src[MODES_SIDES];
};

// -- which modes ----------------------------------------------------------------------------------

// The context of a kernel: the prover, and the statements around the copy.
struct find {
    const struct plan *plan;
    struct prover *prover;
    struct around around;
    struct joint *joint;  // room for the modes of one copy
};

// Coordinates in the view's own modes, 1@m for mode m.
static struct lay view_modes(struct session *s, const struct view *v) {
    struct lay_ctx *x = &s->lay;
    const struct lay_tuple *shape = lay_product_each(x, v->layout.shape);
    int n = lay_tuple_rank(shape);
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < n && i < LAY_MAX_RANK; ++i)
        kid[i] = lay_leaf(x, lay_int_basis(x, lay_int(1), 1, &i));
    return lay_make(x, shape, lay_is_leaf(shape) ? kid[0] : lay_tuple(x, n, kid));
}

static void add(struct found *f, struct predicate p, int side) {
    f->side[f->n] = side;
    f->at[f->n++] = p;
}

static int coordinates(const struct view *v) {
    return v->overhang && lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
}

// Adds predicates for the modes along which "v" may reach beyond its tensor.
static void tensor_bounds(struct session *s, const struct copy *c, bool src, int side,
                          struct found *f) {
    const struct view *v = copy_side(c, src);
    for (int i = 0; i < coordinates(v); ++i) {
        struct edge_of edge[VIEW_EDGES];
        int n = view_edges(s, v, i, edge);
        for (int j = 0; j < n; ++j) {
            struct predicate p = {.src = src, .dst = !src, .mode = i, .of = v->base};
            if (!beyond_reaches(s, v, i, edge[j], &p.last)) continue;
            p.at = v->coord_off[i];
            p.limit = edge[j].at;
            p.front = edge[j].front;
            // no block is completely inside
            const struct ix *over = view_beyond(s, edge[j], p.last);
            if (over && ix_provably_nonnegative(s, over)) p.last = NULL;
            add(f, p, side);
        }
    }
}

// Adds predicates for the modes that the tile does not divide.
static void view_bounds(struct session *s, const struct copy *c, int side, struct found *f) {
    bool src_frag = c->src.base->space == MEM_FRAG, dst_frag = c->dst.base->space == MEM_FRAG;
    const struct view *v = src_frag ? &c->dst : &c->src;
    const struct lay_tuple *shape = v->layout.shape, *tiler = c->tc->tiler;
    for (int i = 0; i < lay_tuple_rank(tiler); ++i) {
        struct lay_int n = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, shape, i));
        struct lay_int t = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, tiler, i));
        if (n.num % t.num == 0) continue;
        struct predicate p = {.src = !src_frag, .dst = !dst_frag, .mode = i};
        p.at = ix_int(s, 0);
        p.limit = ix_int(s, n.num);
        add(f, p, side);
    }
}

// -- a thread's values ----------------------------------------------------------------------------

static struct lay values(struct session *s, const struct copy *c, struct lay l, bool rest) {
    if (!c->tc) return l;
    int n = lay_rank(l);
    if (!rest) return lay_mode(&s->lay, l, 0);
    // of a tile ((thr),(val)),(rest); of a fragment (v, rest..)
    return lay_take(&s->lay, l, 1, n);
}

// Joins the modes; coalesces both sides' values if they do not fit the coordinates as they are.
static bool join(struct session *s, struct lay *side, int n, bool rest, struct joint *m) {
    if (modes_join(s, side, n, rest, m)) return true;
    for (int i = 0; i <= DST_VALUE; ++i) side[i] = lay_coalesce(&s->lay, side[i]);
    return lay_valid(side[0]) && lay_valid(side[1]) && modes_join(s, side, n, rest, m);
}

// Sets the places and strides of the predicates, and the modes that they count along.
static bool count_along(struct session *s, struct kernel *k, struct copy *c, struct lay *coord,
                        int nsides, struct joint *m, struct found *f) {
    struct copy_facts *y = &c->facts;
    struct lay val[MODES_SIDES], rest[MODES_SIDES];
    struct lay access[MODES_SIDES];
    bool together = atom_is_collective(copy_atom(c)->row);
    const struct ix *tid = c->tc ? view_thread(s, k, c) : NULL;
    for (int i = 0; i < nsides; ++i) {
        if (i <= DST_VALUE) {
            const struct part *p = i == SRC_VALUE ? &y->src : &y->dst;
            val[i] = values(s, c, p->layout, false);
            if (c->tc) rest[i] = values(s, c, p->layout, true);
            if (together) together_split(s, c, i == SRC_VALUE, &val[i], &access[i]);
            continue;
        }
        val[i] = coord[i];
        struct tile_cut cut;
        if (!c->tc) continue;
        bool fits = true;
        if (!(y->by_map ? map_tile_cut(s, c, coord[i], &cut, &fits)
                        : tile_cut(s, c->tc, f->of_src[i], coord[i], &cut)) ||
            (together && !together_split(s, c, f->of_src[i], &cut.val, &access[i]))) {
            diag_error(s, c->at, "the coordinates %s cannot be cut by tile %s: %s",
                       lay_text(&s->lay, coord[i]), lay_tuple_text(&s->lay, c->tc->tiler),
                       modes_why(s));
            return false;
        }
        val[i] = cut.val;
        rest[i] = cut.rest;
        for (int j = 0; j < f->n; ++j) {
            if (f->side[j] != i) continue;
            const struct lay_tuple *shape = cut.thr.shape;
            const struct lay_tuple *stride = modes_along(s, cut.thr.stride, f->at[j].mode);
            const struct ix *at =
                y->by_map ? map_at(s, k, c, shape, stride) : view_crd2idx(s, tid, shape, stride);
            f->at[j].at = ix_add(s, f->at[j].at, at);
        }
    }
    m->n = 0;
    if (together) m->at[m->n++] = together_mode(c);
    if (!join(s, val, nsides, false, m) || (c->tc && !join(s, rest, nsides, true, m))) {
        diag_error(s, c->at,
                   "not yet supported: a tile that does not divide, of sides whose modes have no "
                   "common refinement with their coordinates, %s and %s per thread",
                   lay_text(&s->lay, y->src.layout), lay_text(&s->lay, y->dst.layout));
        return false;
    }
    struct copy_mode *raw = ARENA_ARRAY(&s->arena, struct copy_mode, m->n + 1);
    for (int i = 0; i < m->n; ++i)
        raw[i] = (struct copy_mode){m->at[i].extent, m->at[i].stride[SRC_VALUE],
                                    m->at[i].stride[DST_VALUE], m->at[i].rest};
    y->raw = raw;
    y->nraw = m->n;
    for (int j = 0; j < f->n; ++j) {
        struct lay_int *stride = ARENA_ARRAY(&s->arena, struct lay_int, m->n + 1);
        for (int i = 0; i < m->n; ++i) {
            struct lay_int d = m->at[i].stride[f->side[j]];
            bool along_mode = d.num != 0 && d.basis == f->at[j].mode;
            d.basis = -1;
            stride[i] = along_mode ? d : lay_int(0);
        }
        if (together) stride[0] = together_step(s, c, access[f->side[j]], f->at[j].mode);
        f->at[j].stride = stride;
    }
    return true;
}

static bool same_strides(const struct predicate *a, const struct predicate *b, int n) {
    for (int i = 0; i < n; ++i) {
        if (!lay_int_equal(a->stride[i], b->stride[i])) return false;
    }
    return true;
}

// Merges equal predicates of both sides.
static void merge(struct found *f, int nraw) {
    for (int i = 0; i < f->n; ++i) {
        for (int j = i + 1; j < f->n; ++j) {
            struct predicate *a = &f->at[i], *b = &f->at[j];
            if (a->front != b->front || !ix_equal(a->at, b->at) || !ix_equal(a->limit, b->limit) ||
                !same_strides(a, b, nraw))
                continue;
            a->src |= b->src;
            a->dst |= b->dst;
            if (!b->last) a->last = NULL;
            memmove(b, b + 1, sizeof *b * (size_t)(f->n - j - 1));
            --f->n;
            --j;
        }
    }
}

// -- both sides -----------------------------------------------------------------------------------

// Asks whether the source of "c" has, along its mode "mode", each element for which the destination
// has a place.
static enum prove_answer has_source(struct session *s, struct find *f, const struct kernel *k,
                                    const struct copy *c, int mode, struct edge_of edge,
                                    const char **with) {
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    struct prove_witness found;
    bool frag = !lay_valid(c->dst.coord);
    instances_begin(s, k, &f->around, true, x);
    instances_of(x, c, copy_side(c, frag));
    if (c->dst.overhang) instances_inside(x, &c->dst);
    instances_cond(x, view_beyond(s, edge, instances_coord(x, &c->src, mode)));
    struct prove_set set = instances_settled(x, &f->around, copy_side(c, frag));
    enum prove_answer r = x->full ? PROVE_UNKNOWN : prove_none(f->prover, &set, &found);
    if (r == PROVE_NO && !frag)
        *with = arena_printf(&s->arena, "%selement %s of '%s' has none, in %s",
                             instances_params(s, f->plan, k, &found), instances_element(s, &found),
                             c->dst.base->name, instances_where(x, &f->around, c, &found, 0));
    return r;
}

// Whether the destination of "c" has the same coordinates along "mode", and ends there too.
static bool ends_alike(struct session *s, const struct copy *c, int mode, struct edge_of b) {
    const struct view *v = &c->src, *w = &c->dst;
    struct edge_of other[VIEW_EDGES];
    bool found = false;
    if (!w->base->shorter || coordinates(w) <= mode || !lay_equal(v->coord, w->coord) ||
        !ix_equal(v->coord_off[mode], w->coord_off[mode]))
        return false;
    for (int i = view_edges(s, w, mode, other); i > 0; --i)
        found |= other[i - 1].shorter && ix_equal(other[i - 1].at, b.at);
    return found;
}

// Checks that everything that must be written has a source.
static bool check_source(struct session *s, struct find *f, const struct kernel *k,
                         const struct copy *c) {
    const struct formal *of = kernel_formal(k, c->dst.base);
    if (c->pad) return true;
    if (c->dst.base->space != MEM_GLOBAL && !(of && of->dir == ARG_OUT)) return true;
    for (int i = 0; i < coordinates(&c->src) * VIEW_EDGES; ++i) {
        struct edge_of edge[VIEW_EDGES];
        const struct ix *reach;
        const char *with = NULL;
        int mode = i / VIEW_EDGES;
        struct session_mark mark = session_mark(s);
        if (i % VIEW_EDGES >= view_edges(s, &c->src, mode, edge)) continue;
        const struct edge_of b = edge[i % VIEW_EDGES];
        if (b.shorter && ends_alike(s, c, mode, b)) continue;
        if (!beyond_reaches(s, &c->src, mode, b, &reach) ||
            has_source(s, f, k, c, mode, b, &with) == PROVE_YES) {
            session_rewind(s, mark);
            continue;
        }
        const char *shift = b.front ? NULL : shift_text(s, k, &f->around, c, mode);
        if (b.front)
            shift = arena_printf(&s->arena, "'%s' begins at %s, and the source may begin before",
                                 c->src.base->name, ix_text(s, b.at));
        else if (!shift)
            shift = arena_printf(&s->arena,
                                 "'%s' ends at %s, and the destination is not known to end there "
                                 "or before",
                                 c->src.base->name, ix_text(s, b.at));
        diag_error(s, c->at, "elements of '%s' %s be written from outside '%s': along %s %s",
                   c->dst.base->name, with ? "would" : "may", c->src.base->name,
                   view_mode_text(s, c->src.base, mode), shift);
        diag_page(s, "divide");
        bool misplaced = coverage_note_turned(s, k, c, c) ||
                         coverage_note_place(s, k, &f->around, &c->src) ||
                         coverage_note_tile(s, &c->dst);
        if (!with) {
            diag_note(s, c->at, "it is not known: %s", prover_why(f->prover));
            instances_advice(s, f->prover, false, c->at);
        }
        if (with) diag_note(s, c->at, "%s", with);
        if (c->dst.base->space != MEM_GLOBAL && !misplaced)
            diag_note(s, c->at, "'pad 0' after the copy fills these elements of '%s'",
                      c->dst.base->name);
        diag_note(s, c->src.base->at, "'%s' has shape %s", c->src.base->name,
                  lay_tuple_text(&s->lay, c->src.base->layout.shape));
        diag_note(s, c->dst.base->at, "'%s' has shape %s", c->dst.base->name,
                  lay_tuple_text(&s->lay, c->dst.base->layout.shape));
        return false;
    }
    return true;
}

// -- one copy -------------------------------------------------------------------------------------

static bool visit(struct session *s, struct find *all, struct kernel *k, struct copy *c) {
    struct copy_facts *y = &c->facts;
    struct found *f = ARENA_NEW(&s->arena, struct found);
    beyond_settle(s, all->prover, &all->around, k, c);
    int most = VIEW_EDGES * (coordinates(&c->src) + coordinates(&c->dst)) +
               (c->tc ? lay_tuple_rank(c->tc->tiler) : 0);
    f->at = ARENA_ARRAY(&s->arena, struct predicate, most + 1);
    f->side = ARENA_ARRAY(&s->arena, int, most + 1);
    struct lay coord[MODES_SIDES];
    int n = DST_VALUE + 1, before = 0;
    for (int side = 0; side < 2; ++side) {
        tensor_bounds(s, c, side == 0, n, f);
        f->of_src[n] = side == 0;
        if (f->n > before) coord[n++] = side == 0 ? c->src.coord : c->dst.coord;
        before = f->n;
    }
    if (c->tc) view_bounds(s, c, n, f);
    f->of_src[n] = copy_tiled_side(c) == &c->src;
    if (f->n > before) coord[n++] = view_modes(s, copy_tiled_side(c));
    if (f->n == 0) return true;
    if (!check_source(s, all, k, c)) return false;
    if (!count_along(s, k, c, coord, n, all->joint, f)) return false;
    merge(f, y->nraw);
    y->edge = EDGE_SOME;
    for (int i = 0; i < f->n; ++i) {
        f->at[i].at = view_by_tid(s, k, f->at[i].at);
        f->at[i].limit = view_by_tid(s, k, f->at[i].limit);
        if (f->at[i].last) f->at[i].last = view_by_tid(s, k, f->at[i].last);
        if (!f->at[i].at || !f->at[i].limit) BUG("a predicate that overflows");
        if (!together_exist(s, all->prover, k, &all->around, c, &f->at[i])) return false;
        if (!f->at[i].last) y->edge = EDGE_ALWAYS;
    }
    y->pred = f->at;
    y->npred = f->n;
    return true;
}

static bool visit_list(struct session *s, struct find *all, struct kernel *k, struct stmt *list) {
    bool ok = true;
    for (struct stmt *x = list; x; x = x->next) {
        lay_clear_error(&s->lay);  // drop errors of the algebra about the previous copy
        if (x->kind == STMT_COPY) ok &= visit(s, all, k, x->copy);
        if (!stmt_nests(x)) continue;
        all->around.stmt[all->around.n++] = x;
        ok &= visit_list(s, all, k, x->body);
        --all->around.n;
    }
    return ok;
}

bool pass_predicate(struct session *s, struct plan *p) {
    bool ok = true;
    struct joint *joint = ARENA_NEW(&s->arena, struct joint);
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct find all = {p, instances_prover(s, p, k), {0}, joint};
        ok &= visit_list(s, &all, k, k->body);
        prover_free(all.prover);
    }
    return ok;
}
