// A fix for copies between slices of which each thread has one, such as A(tid,_): lanes with a row
// each access addresses that are far apart.  A tiled copy of all rows moves the same elements.
#include "base/buf.h"
#include "base/session.h"
#include "pass/lint/advice.h"
#include "pass/vectorize/width.h"
#include "plan/view.h"

// One side of the copy for all threads together.
struct together {
    const char *text;
    int rank, mode;  // rank of the tile, and the mode that tid counts
    int along;       // the contiguous mode; -1: none
    int64_t extent[LAY_MAX_RANK];
};

// If "e" is tid + n * tile, returns the tile; otherwise NULL.
static const struct ix *tile_of(struct session *s, const struct kernel *k, const struct ix *e) {
    const struct ix *rest = ix_sub(s, view_by_tid(s, k, e), ix_var(s, k->tid));
    if (!rest || ix_depends(rest, IX_TID)) return NULL;
    const struct ix *tile = ix_div(s, rest, lay_int(k->threads));
    const struct ix *back = ix_scale(s, tile, lay_int(k->threads));
    return back && ix_equal(back, rest) ? tile : NULL;
}

// Finds the rows of all threads in "all", of which tid selects along the complete mode x->mode.
static bool find_extents(struct session *s, const struct kernel *k, const struct view *all,
                         const struct ix *tile, struct together *x) {
    struct buf shape, at;
    int64_t first;
    bool whole = ix_static(tile, &first) && first == 0;
    if (x->rank < 2 || !lay_valid(all->layout) || lay_rank(all->layout) != x->rank) return false;
    buf_init(&shape);
    buf_init(&at);
    for (int i = 0; i < x->rank; ++i) {
        struct lay_int n = lay_size(&s->lay, lay_mode(&s->lay, lay_inner(all->layout), i));
        bool fixed = lay_int_valid(n) && lay_int_static(n);
        if (i == x->mode) whole &= fixed && n.num == k->threads;
        x->extent[i] = i == x->mode ? k->threads : fixed ? n.num : 0;
        buf_printf(&shape, "%s%lld", i ? "," : "", (long long)x->extent[i]);
        buf_printf(&at, "%s%s", i ? "," : "", i == x->mode ? ix_text(s, tile) : "0");
    }
    const char *shape_text = buf_finish(&shape, &s->arena), *at_text = buf_finish(&at, &s->arena);
    lay_clear_error(&s->lay);
    for (int i = 0; i < x->rank; ++i)
        if (x->extent[i] < 1) return false;
    if (!whole)
        x->text =
            arena_printf(&s->arena, "local_tile(%s, (%s), (%s))", x->text, shape_text, at_text);
    x->along = contiguous_mode(&s->lay, all);
    return true;
}

// Finds what "v" is a thread's slice of; false if it is not a slice of the supported form.
static bool find_together(struct session *s, const struct kernel *k, const struct view *v,
                          struct together *x) {
    const struct sliced *y = v->sliced;
    if (!y || y->at->rank > LAY_MAX_RANK) return false;
    struct coord kid[LAY_MAX_RANK], rest = {.rank = y->at->rank, .kid = kid};
    const struct ix *tile = NULL;
    struct buf given;
    *x = (struct together){.mode = -1};
    buf_init(&given);
    for (int i = 0; i < rest.rank; ++i) {
        bool of_thread = false;
        kid[i] = y->at->kid[i];
        if (kid[i].ix) of_thread = ix_depends_if(kid[i].ix, ix_is_thread);
        if (of_thread && x->mode < 0) {
            tile = tile_of(s, k, kid[i].ix);
            x->mode = x->rank;
        } else if (of_thread) {
            tile = NULL;
            break;
        }
        if (of_thread) kid[i] = (struct coord){.rank = -1};
        x->rank += !kid[i].ix;
        buf_printf(&given, "%s%s", i ? "," : "", kid[i].ix ? ix_text(s, kid[i].ix) : "_");
    }
    const char *given_text = buf_finish(&given, &s->arena);
    if (!tile) return false;
    struct view all = *y->of;
    x->text = source_line(s, y->of_at);
    if (x->rank < rest.rank) {
        all = view_slice(s, all, &rest, v->at);
        x->text = arena_printf(&s->arena, "%s(%s)", x->text, given_text);
    }
    return find_extents(s, k, &all, tile, x);
}

// Offers a tiled copy with "each" elements of a thread along mode "along".
static void offer(const struct costly *a, const struct together *side, int64_t each) {
    struct session *s = a->s;
    int64_t thr[LAY_MAX_RANK], val[LAY_MAX_RANK];
    int rank = side[0].rank, mode = side[0].mode, along = side[!a->src].along;
    int across = along != mode ? mode : along == 0 ? 1 : 0;
    int64_t room = each < 1 ? 0 : side[0].extent[along] / each;
    if (room < 1) return;
    int64_t most = lay_gcd(room, a->k->threads);
    for (int i = 0; i < rank; ++i) thr[i] = val[i] = 1;
    thr[along] = most;
    thr[across] = a->k->threads / most;
    val[along] = each;
    const char *thr_text = numbers_text(s, thr, rank, along);
    const char *val_text = numbers_text(s, val, rank, 0);
    diag_note(s, a->c->at,
              "as a tiled copy with thr=%s and val=%s, neighbouring threads are along mode %d",
              thr_text, val_text, along);
    diag_fixit(s, a->c->src.at, side[0].text);
    diag_fixit(s, a->c->dst.at, side[1].text);
    diag_fixit(s, a->c->how_at,
               arena_printf(&s->arena, "tile(%s, thr=%s, val=%s)", source_line(s, a->c->how_at),
                            thr_text, val_text));
    advice_claim(a, false);
}

void advise_slices(const struct costly *a) {
    const struct copy *c = a->c;
    struct together side[2];
    if (!c->atom || c->facts.threads != a->k->threads) return;
    for (int i = 0; i < 2; ++i)
        if (!find_together(a->s, a->k, copy_side(c, i == 0), &side[i])) return;
    if (side[0].rank != side[1].rank || side[0].mode != side[1].mode || side[!a->src].along < 0)
        return;
    for (int i = 0; i < side[0].rank; ++i)
        if (side[0].extent[i] != side[1].extent[i]) return;
    int64_t wide = c->atom->bits / copy_wider(c)->bits, now = c->facts.bits / copy_wider(c)->bits;
    offer(a, side, wide);
    if (now != wide) offer(a, side, now);
}
