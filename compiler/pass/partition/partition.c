// Pass "partition": which threads execute a copy, and which part each of them has.
//
// Requires: views and tiled copies as sema made them.  Fills: facts.level, threads, src, dst, mode,
// nmodes, rounds, nrounds; the layout of a frag declared "like" a tiled copy; and which values of
// which tile a frag has (tensor.dist, dist_src, dist_rest, holds).  Leaves alone: everything else.
//
// Both sides are divided by the same tile, each by its own (thread, value) layout, and split into
// modes of common extents, so that one loop nest serves both.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/partition/arrange.h"
#include "pass/partition/modes.h"
#include "pass/partition/partition.h"
#include "pass/partition/single.h"
#include "pass/partition/together.h"
#include "pass/pass.h"
#include "pass/walk.h"
#include "plan/view.h"

// -- common modes ---------------------------------------------------------------------------------

static bool refine(struct session *s, struct lay src, struct lay dst, bool rest, struct joint *m) {
    return modes_join(s, (struct lay[]){src, dst}, 2, rest, m);
}

// The same; if the modes do not fit as they are, coalesces them first.
static bool refine_or_coalesce(struct session *s, struct lay src, struct lay dst, bool rest,
                               struct joint *m) {
    if (refine(s, src, dst, rest, m)) return true;
    src = lay_coalesce(&s->lay, src);
    dst = lay_coalesce(&s->lay, dst);
    return lay_valid(src) && lay_valid(dst) && refine(s, src, dst, rest, m);
}

// -- a block's tile -------------------------------------------------------------------------------

static bool cut_failed(struct session *s, const struct copy *c, const struct view *v,
                       const char *what) {
    diag_error(s, v->at, "cannot cut %s of shape %s by tile %s: %s", what,
               lay_tuple_text(&s->lay, v->layout.shape), lay_tuple_text(&s->lay, c->tc->tiler),
               modes_why(s));
    return false;
}

// Notes tiles of the tensor "v", some of whose extents are known only at run time: as large as the
// tiled copy along those, and whole along the others.
static void note_tiles(struct session *s, const struct kernel *k, const struct copy *c,
                       const struct view *v) {
    const struct lay_tuple *shape = v->layout.shape, *tiler = c->tc->tiler;
    const char *tile = "", *at = "", *grid = "";
    int rank = lay_tuple_rank(shape), axis = 0;
    if (k->device || strcmp(source_line(s, v->at), v->base->name) != 0) return;
    for (int i = 0; i < rank; ++i) {
        const struct lay_tuple *mode = lay_tuple_get(&s->lay, shape, i);
        const char *comma = i ? "," : "";
        struct lay_int n = lay_tuple_product(&s->lay, mode), by = lay_int(1);
        if (i < lay_tuple_rank(tiler))
            by = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, tiler, i));
        if (!lay_is_leaf(mode) || axis == 3) return;
        if (lay_int_static(n)) {
            tile = arena_printf(&s->arena, "%s%s%s", tile, comma, lay_int_text(&s->lay, n));
            at = arena_printf(&s->arena, "%s%s0", at, comma);
            continue;
        }
        tile = arena_printf(&s->arena, "%s%s%s", tile, comma, lay_int_text(&s->lay, by));
        at = arena_printf(&s->arena, "%s%sblock.%c", at, comma, "xyz"[axis]);
        grid = arena_printf(&s->arena, "%s%sceil_div(%s,%s)", grid, axis ? ", " : "",
                            lay_int_text(&s->lay, n), lay_int_text(&s->lay, by));
        ++axis;
    }
    diag_note(s, v->at, "'local_tile(%s, (%s), (%s))' with 'grid (%s)' is one tile in each block",
              v->base->name, tile, at, grid);
}

static bool check_tile(struct session *s, const struct kernel *k, const struct copy *c,
                       const struct view *v) {
    const struct lay_tuple *shape = v->layout.shape, *tiler = c->tc->tiler;
    int rank = lay_tuple_rank(shape), want = lay_tuple_rank(tiler);
    if (rank < want) {
        bool within = rank == 1 && !lay_is_leaf(shape) && lay_tuple_rank(shape->kid[0]) >= want;
        diag_error(s, v->at, "a tile of %d mode%s, %s, cannot cut a view of %d mode%s, %s%s", want,
                   want == 1 ? "" : "s", lay_tuple_text(&s->lay, tiler), rank, rank == 1 ? "" : "s",
                   lay_tuple_text(&s->lay, shape),
                   within ? "; 'get(.., 0)' has the modes inside this one" : "");
        diag_note(s, c->tc->at, "the tiled copy is declared here");
        view_note_tile(s, v);
        return false;
    }
    for (int i = 0; i < rank; ++i) {
        struct lay_int n = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, shape, i));
        if (!lay_int_static(n) && strcmp(lay_int_text(&s->lay, n), "0") == 0) {
            diag_error(s, v->at,
                       "'%s' has no elements, since mode %d of this view has extent 0, and a tiled "
                       "copy moves whole tiles; 'copy A -> B;' alone takes extents of 0",
                       v->base->name, i);
            return false;
        }
        if (!lay_int_static(n)) {
            diag_error(
                s, v->at,
                "mode %d of this view of '%s' has extent %s, which is known only at run time; "
                "cut the tensor with local_tile and a grid or a loop first",
                i, v->base->name, lay_int_text(&s->lay, n));
            note_tiles(s, k, c, v);
            return false;
        }
    }
    return true;
}

// ((tile),(rest)) -> ((thr),(val)),(rest)
static bool cut_tile(struct session *s, const struct kernel *k, const struct copy *c,
                     const struct view *v, const char *what, struct cut *out, bool *fits) {
    if (!check_tile(s, k, c, v)) return false;
    struct lay_ctx *x = &s->lay;
    if (c->facts.by_map) return map_cut(s, k, c, v, out, fits) || cut_failed(s, c, v, what);
    struct tile_cut t;
    if (!tile_cut(s, c->tc, v == &c->src, lay_inner(v->layout), &t))
        return cut_failed(s, c, v, what);
    out->val = t.val;
    out->rest = t.rest;
    const struct ix *at = view_crd2idx(s, view_thread(s, k, c), t.thr.shape, t.thr.stride);
    out->part.offset = view_by_tid(s, k, ix_add(s, v->offset, at));
    out->part.layout = lay_join(x, 2, (struct lay[]){out->val, out->rest});
    out->part.sw = v->layout.sw;
    out->part.tv = t.both;
    if (!out->part.offset || !lay_valid(out->part.layout)) return cut_failed(s, c, v, what);
    return true;
}

// -- fragments ------------------------------------------------------------------------------------

// The modes (v, rest...) of a fragment that holds a thread's part of "other".
static struct lay frag_modes(struct session *s, const struct tiled_copy *tc,
                             const struct cut *other) {
    struct lay_ctx *x = &s->lay;
    const struct lay_tuple *rest = lay_product_each(x, other->rest.shape);
    int n = lay_tuple_rank(rest);
    const struct lay_tuple *kid[LAY_MAX_RANK + 1] = {lay_leaf(x, lay_int(tc->values))};
    for (int i = 0; i < n && i < LAY_MAX_RANK; ++i) kid[i + 1] = lay_tuple_get(x, rest, i);
    return lay_make_col(x, lay_tuple(x, n + 1, kid));
}

static bool cut_frag(struct session *s, const struct kernel *k, const struct copy *c,
                     struct view *v, const struct cut *other, struct cut *out, bool *fits) {
    struct tensor *f = v->base;
    struct lay_ctx *x = &s->lay;
    struct lay want = frag_modes(s, c->tc, other);
    if (!lay_valid(f->layout)) f->layout = want;
    if (!lay_valid(v->layout)) v->layout = f->layout;
    if (!f->dist) {
        f->dist = c->tc;
        f->dist_src = v == &c->src;
        if (arrange_is_whole(s, v)) f->dist_rest = lay_product_each(x, other->rest.shape);
    } else if (!f->holds) {
        const struct lay_tuple *rest = lay_product_each(x, other->rest.shape);
        if (!arrange_distribution(s, c, v, rest)) return false;
    }
    struct lay_int have = lay_size(x, v->layout), need = lay_size(x, want);
    if (!lay_int_equal(have, need)) {
        diag_error(s, v->at, "fragment '%s' has %s elements, this copy gives each thread %s",
                   f->name, lay_int_text(x, have), lay_int_text(x, need));
        diag_note(s, f->at, "the fragment is declared here");
        struct lay_int tiles = lay_size(x, other->rest);
        if (lay_int_static(tiles) && tiles.num > 1)
            diag_note(
                s, c->tc->at,
                "the tile is %s, of which '%s' here has %lld: a thread has %lld values of each",
                lay_tuple_text(x, c->tc->tiler), copy_side(c, v == &c->dst)->base->name,
                (long long)tiles.num, (long long)c->tc->values);
        const char *tc = c->tc->name;
        if (!f->holds && tc)
            diag_note(
                s, f->layout_at,
                "'%s' says what each thread holds; 'like %s' is a thread's share of the whole copy",
                source_line(s, f->layout_at), tc);
        return false;
    }
    struct lay byval =
        lay_compose(x, lay_coalesce(x, lay_inner(v->layout)), want);  // (v,rest..) -> register
    out->val = lay_mode(x, byval, 0);
    out->rest = lay_take(x, byval, 1, lay_rank(byval));
    out->part.offset = v->offset ? view_by_tid(s, k, v->offset) : ix_int(s, 0);
    out->part.layout = byval;
    out->part.sw = (struct lay_swizzle){0, 0, 0};
    out->part.tv = lay_layout_invalid();
    if (!lay_valid(byval) || (c->facts.by_map && !map_cut_frag(s, c, out, fits)))
        return cut_failed(s, c, v, "a fragment");
    return true;
}

// -- collective atoms -----------------------------------------------------------------------------

// How many elements of "l", from the first one on, are consecutive.
static int64_t run_of(struct session *s, struct lay l) {
    bool leaf = lay_is_leaf(l.shape);
    struct lay_int n = leaf ? l.shape->leaf : lay_tuple_get(&s->lay, l.shape, 0)->leaf;
    struct lay_int d = leaf ? l.stride->leaf : lay_tuple_get(&s->lay, l.stride, 0)->leaf;
    return lay_int_is(d, 1) || lay_int_is(n, 1) ? n.num : 1;
}

// The instruction determines the elements within an access; the rest of both sides must have
// equally many accesses.
static bool split_accesses(struct session *s, struct copy *c, struct cut *src, struct cut *dst,
                           struct joint *m) {
    if (!together_split(s, c, true, &src->val, &src->access))
        return cut_failed(s, c, &c->src, "the source");
    if (!together_split(s, c, false, &dst->val, &dst->access))
        return cut_failed(s, c, &c->dst, "the destination");
    c->facts.src_run = run_of(s, src->access);
    c->facts.dst_run = run_of(s, dst->access);
    m->at[m->n++] = together_mode(c);
    return true;
}

// -- one copy -------------------------------------------------------------------------------------

static bool is_thread_view(const struct view *v) {
    return v->part || v->base->space == MEM_FRAG || view_of_thread(v);
}

static void keep(struct session *s, struct copy *c, const struct joint *m) {
    struct copy_mode *copy = ARENA_ARRAY(&s->arena, struct copy_mode, m->n ? m->n : 1);
    for (int i = 0; i < m->n; ++i)
        copy[i] = (struct copy_mode){m->at[i].extent, m->at[i].stride[0], m->at[i].stride[1],
                                     m->at[i].rest};
    c->facts.mode = copy;
    c->facts.nmodes = m->n;
}

static bool no_common_modes(struct session *s, const struct copy *c, struct lay a, struct lay b) {
    diag_error(
        s, c->at,
        "not yet supported: sides whose modes have no common refinement, %s and %s per thread",
        lay_text(&s->lay, a), lay_text(&s->lay, b));
    return false;
}

static bool is_warp_view(const struct view *v) {
    return v->base->space != MEM_FRAG && view_of_warp(v);
}

static bool partition_tiled(struct session *s, struct kernel *k, struct copy *c, struct joint *m) {
    struct copy_facts *f = &c->facts;
    bool src_frag = c->src.base->space == MEM_FRAG, dst_frag = c->dst.base->space == MEM_FRAG;
    bool warp = is_warp_view(&c->src) || is_warp_view(&c->dst);
    f->level = warp ? LEVEL_WARP : LEVEL_BLOCK;
    f->threads = warp ? copy_team(c, k->threads) : c->tc->threads;
    f->lanes = warp && c->tc->threads < 32 ? c->tc->threads : 0;
    if (warp && c->tc->atom.row->alone) {
        diag_error(s, is_warp_view(&c->src) ? c->src.at : c->dst.at,
                   "not yet supported: '%s' of a view that depends on 'warp', so that each warp "
                   "copies for itself; copy the tile of the block, or take cp_async.cg(16)",
                   c->tc->atom.row->name);
        diag_page(s, c->tc->atom.row->page);
        return false;
    }
    if (warp && !view_has_lanes(k, c->tc->threads)) {
        diag_error(s, c->how_at,
                   "tiled copy '%s' needs %lld threads, and this view belongs to a warp; the last "
                   "warp of kernel '%s' has %lld",
                   c->tc->name ? c->tc->name : "tile", (long long)c->tc->threads, k->name,
                   (long long)((k->threads - 1) % 32 + 1));
        diag_note(s, is_warp_view(&c->src) ? c->src.at : c->dst.at,
                  "this view depends on 'warp', so each warp copies for itself");
        return false;
    }
    if (!warp && c->tc->threads > k->threads) {
        diag_error(s, c->how_at, "tiled copy '%s' needs %lld threads, but kernel '%s' has %lld",
                   c->tc->name ? c->tc->name : "tile", (long long)c->tc->threads, k->name,
                   (long long)k->threads);
        if (k->threads_at.begin < k->threads_at.end && c->tc->threads <= 1024) {
            diag_note(s, k->threads_at, "the kernel has that many threads because it says so");
            diag_fixit(s, k->threads_at,
                       arena_printf(&s->arena, "%lld", (long long)c->tc->threads));
        } else {
            diag_note(s, k->at, "the kernel is declared here");
        }
        return false;
    }
    if (src_frag && dst_frag) {
        diag_error(s, c->at,
                   "neither side of this copy has a tile to cut, since both are fragments; write "
                   "'copy %s -> %s;'",
                   c->src.base->name, c->dst.base->name);
        return false;
    }
    struct cut src, dst;
    bool by_map = map_is_needed(s, c), fits = false;
    for (int64_t run = by_map ? c->tc->map->run : 1; !fits; run /= 2) {
        fits = true;
        if (by_map) map_set_run(s, c, run);
        if (!src_frag && !cut_tile(s, k, c, &c->src, "the source", &src, &fits)) return false;
        if (!dst_frag && !cut_tile(s, k, c, &c->dst, "the destination", &dst, &fits)) return false;
        if (src_frag && !cut_frag(s, k, c, &c->src, &dst, &src, &fits)) return false;
        if (dst_frag && !cut_frag(s, k, c, &c->dst, &src, &dst, &fits)) return false;
    }
    f->src = src.part;
    f->dst = dst.part;
    if (atom_is_collective(c->tc->atom.row) && !split_accesses(s, c, &src, &dst, m)) return false;
    if (!refine_or_coalesce(s, src.val, dst.val, false, m))
        return no_common_modes(s, c, src.val, dst.val);
    if (!refine_or_coalesce(s, src.rest, dst.rest, true, m)) {
        return no_common_modes(s, c, src.rest, dst.rest);
    }
    keep(s, c, m);
    const struct cut *whole = src_frag ? &dst : &src;
    f->rounds = lay_product_each(&s->lay, whole->rest.shape);
    f->nrounds = lay_size(&s->lay, whole->rest).num;
    return true;
}

// Reports that "f", a side of "c", has no shape.  The other side may have one for it.
static void shapeless(struct session *s, const struct copy *c, const struct tensor *f,
                      const struct view *other) {
    diag_error(s, c->at,
               "fragment '%s' has no shape yet: no tiled copy has given it one before this",
               f->name);
    if (lay_valid(other->layout) && lay_static(other->layout) && other->base->space == MEM_FRAG) {
        const char *text = lay_text(&s->lay, lay_make_col(&s->lay, other->layout.shape));
        diag_note(s, f->at, "'%s' here has the shape for it: 'frag %s : %s %s'", other->base->name,
                  f->name, f->elem->name, text);
        struct range all = f->layout_at;  // 'like' and what comes after it
        const char *file = s->sources.file[all.file].text;
        while (all.begin > 0 && file[all.begin - 1] == ' ') --all.begin;
        if (all.begin >= 4 && memcmp(file + all.begin - 4, "like", 4) == 0) {
            all.begin -= 4;
            diag_fixit(s, all, text);
        }
    } else {
        diag_note(s, f->at, "instead of 'like', write how many elements of '%s' a thread has",
                  f->name);
    }
}

static bool partition_thread(struct session *s, struct kernel *k, struct copy *c, struct joint *m) {
    struct copy_facts *f = &c->facts;
    f->level = LEVEL_THREAD;
    f->threads = view_threads(c, copy_team(c, k->threads));
    f->lanes = view_lanes(c);
    f->nrounds = 1;
    bool warp = is_warp_view(&c->src) || is_warp_view(&c->dst);
    if (atom_is_collective(c->atom->row)) {
        diag_error(s, c->how_at,
                   "'%s' moves what other lanes address, which views of one thread do not show; "
                   "name a tiled copy for views of the block or the warp, or for those that "
                   "'partition_src' and 'partition_dst' divided by it",
                   c->atom->row->name);
        return false;
    }
    // in a block of one thread, the block's view is the thread's
    if (k->threads > 1 && !is_thread_view(&c->src) && !is_thread_view(&c->dst)) {
        diag_error(s, c->how_at,
                   "an atom alone copies between views of one thread; these belong to a %s, so "
                   "name a tiled copy, or cut them by local_partition(.., %s)",
                   warp ? "warp" : "block", warp ? "lane" : "tid");
        return false;
    }
    // a fragment that got its shape from a tiled copy
    if (!lay_valid(c->src.layout)) c->src.layout = c->src.base->layout;
    if (!lay_valid(c->dst.layout)) c->dst.layout = c->dst.base->layout;
    f->src = (struct part){view_by_tid(s, k, c->src.offset), lay_inner(c->src.layout),
                           c->src.layout.sw, lay_layout_invalid()};
    f->dst = (struct part){view_by_tid(s, k, c->dst.offset), lay_inner(c->dst.layout),
                           c->dst.layout.sw, lay_layout_invalid()};
    if (!lay_valid(c->src.layout) || !lay_valid(c->dst.layout)) {
        bool src = !lay_valid(c->src.layout);
        shapeless(s, c, src ? c->src.base : c->dst.base, src ? &c->dst : &c->src);
        return false;
    }
    struct lay_int n = lay_size(&s->lay, f->src.layout);
    if (!lay_int_static(n)) {
        diag_error(s, c->src.at, "a thread's view has %s elements, which is known only at run time",
                   lay_int_text(&s->lay, n));
        return false;
    }
    if (!refine_or_coalesce(s, f->src.layout, f->dst.layout, false, m)) {
        return no_common_modes(s, c, f->src.layout, f->dst.layout);
    }
    keep(s, c, m);
    return true;
}

enum { GRANULE = 16 };  // bytes that accesses of one thread for the block are multiples of

static bool partition_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct joint *m = user;
    m->n = 0;
    const struct view *sides[] = {&c->src, &c->dst};
    for (int i = 0; i < 2; ++i) {
        const struct view *v = sides[i];
        if (c->tc && v->base->space != MEM_FRAG && view_of_thread(v)) {
            diag_error(s, v->at,
                       "this view already belongs to one thread, and a tiled copy divides the view "
                       "of a block or a warp; copy it with an atom, 'with auto(128)'");
            return false;
        }
    }
    if (!c->tc) return partition_thread(s, k, c, m);
    if (!c->tc->atom.row->alone) return partition_tiled(s, k, c, m);
    // what is divided has the widths and addresses of accesses; the view stays as it is written
    struct view *mem = c->src.base->space == MEM_GLOBAL ? &c->src : &c->dst, whole = *mem;
    single_forget(s, mem, GRANULE);
    bool done = partition_tiled(s, k, c, m);
    *mem = whole;
    return done;
}

bool pass_partition(struct session *s, struct plan *p) {
    return walk_plan(s, p, partition_copy, ARENA_NEW(&s->arena, struct joint)) && arrange(s, p);
}
