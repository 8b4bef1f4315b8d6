// What a store of boxes writes beyond the last elements of a row (see tails.h).
//
// TMA clips rows exactly, but the contiguous mode only to whole chunks of 16 bytes: where an extent ends
// inside a chunk, the rest of the chunk gets what shared memory holds there.  So the extent of the map
// has to be a multiple of 16 bytes, wherever a box may reach beyond it.
#include "pass/partition/tails.h"

#include <inttypes.h>

#include "base/session.h"
#include "plan/view.h"

enum { CHUNK = 16 };

// Whether a box may reach beyond the end of the contiguous mode.
static bool may_end_inside(const struct copy *c, const struct copy_boxes *b) {
    const struct view *v = copy_boxed(c);
    for (int i = 0; i < c->facts.npred; ++i) {
        const struct predicate *p = &c->facts.pred[i];
        if (!p->front && p->of == v->base && p->mode == b->mode[0]) return true;
    }
    return false;
}

// Whether the tensor has elements behind "end" along mode "mode".
static bool goes_on(struct session *s, const struct tensor *t, int mode, const struct ix *end) {
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, t->layout.shape);
    return !ix_equal(end, ix_lay(s, lay_tuple_get(&s->lay, shape, mode)->leaf));
}

// The extent of mode "i" of a tile of rank "rank"; 0: no number.
static int64_t tile_extent(struct session *s, struct lay l, int i) {
    const struct lay_tuple *mode = l.shape->rank < 0 ? l.shape : l.shape->kid[i];
    int64_t all = 1;
    for (int j = 0; j < lay_tuple_leaves(mode); ++j) {
        struct lay_int n = lay_tuple_get(&s->lay, mode, j)->leaf;
        all = lay_int_static(n) ? all * n.num : 0;
    }
    return all;
}

// The mode of the tile whose elements are contiguous in the tensor; -1: not known.
static int contiguous_mode(struct session *s, struct lay l, int rank) {
    for (int i = 0; i < rank; ++i) {
        const struct lay_tuple *mode = l.stride->rank < 0 ? l.stride : l.stride->kid[i];
        for (int j = 0; j < lay_tuple_leaves(mode); ++j)
            if (lay_int_is(lay_tuple_get(&s->lay, mode, j)->leaf, 1)) return i;
    }
    return -1;
}

static int64_t largest_part(int64_t n, int64_t most) {
    int64_t part = n < most ? n : most;
    while (part > 1 && n % part) --part;
    return part;
}

// Proposes guarded accesses of single elements by all "threads", neighbours along the contiguous mode.
static void propose_guarded(struct session *s, const struct copy *c, int64_t threads) {
    const struct lay l = copy_boxed(c)->layout;
    int rank = l.shape->rank < 0 ? 1 : l.shape->rank, inner = contiguous_mode(s, l, rank);
    const char *shape = "", *stride = "";
    int64_t along = 1, step = 1;
    if (inner < 0 || copy_reduces(c)) return;
    for (int i = 0; i < rank; ++i)
        if (tile_extent(s, l, i) == 0) return;
    along = largest_part(tile_extent(s, l, inner), threads);
    for (int i = 0; i < rank; ++i) {
        int64_t n = i == inner ? along : 1, at = i == inner ? 1 : 0;
        if (i != inner && step == 1) {
            step = n = largest_part(tile_extent(s, l, i), threads / along);
            at = along;
        }
        shape = arena_printf(&s->arena, "%s%s%" PRId64, shape, i ? "," : "", n);
        stride = arena_printf(&s->arena, "%s%s%" PRId64, stride, i ? "," : "", at);
    }
    const char *text = arena_printf(&s->arena, "tile(universal(%d), thr=(%s):(%s))",
                                    copy_boxed(c)->base->elem->bits, shape, stride);
    diag_note(s, c->how_at,
              "or store by guarded accesses, which write what exists and nothing else: '%s'", text);
    diag_fixit(s, c->how_at, text);
}

// Whether the tails are exact; reports it if not.
static bool are_exact(struct session *s, const struct copy *c) {
    const struct copy_boxes *b = c->facts.boxes;
    const struct view *v = copy_boxed(c);
    const char *atom = copy_atom(c)->row->name;
    const struct ix *end = b->extent[0];
    int bytes = v->base->elem->bits / 8, each = CHUNK / bytes;
    int64_t by = ix_divisor(end), n;
    if (!may_end_inside(c, b) || by % each == 0) return true;
    const char *mode = view_mode_text(s, v->base, b->mode[0]);
    if (ix_static(end, &n)) {
        diag_error(s, c->at,
                   "'%s' cannot copy this: it writes whole chunks of %d bytes, and %s of '%s' ends "
                   "after %" PRId64 ", so %" PRId64 " bytes behind each row would be overwritten",
                   atom, CHUNK, mode, v->base->name, n * bytes, (each - n % each) * bytes);
        diag_page(s, copy_atom(c)->row->page);
        if (goes_on(s, v->base, b->mode[0], end))
            diag_note(s, v->at,
                      "these are elements of '%s'; end the part at %" PRId64 " or %" PRId64
                      ", and copy the others by universal(%d)",
                      v->base->name, n / each * each, (n + each - 1) / each * each, 8 * bytes);
        else
            diag_note(s, v->base->at,
                      "with %" PRId64 " elements in its place '%s' owns the padding of its rows",
                      (n + each - 1) / each * each, v->base->name);
        return false;
    }
    diag_error(s, c->at,
               "'%s' cannot copy this: it writes whole chunks of %d bytes, and %s of '%s' ends at "
               "%s, which need not be a multiple of %d elements, so up to %d bytes behind each row "
               "would be overwritten",
               atom, CHUNK, mode, v->base->name, ix_text(s, end), each, CHUNK - bytes);
    diag_page(s, copy_atom(c)->row->page);
    if (goes_on(s, v->base, b->mode[0], end))
        diag_note(s, v->at, "these are elements of '%s'; promise it, as in 'param N : index %% %d'",
                  v->base->name, each);
    else
        diag_note(s, v->base->at,
                  "promise it, as in 'param N : index %% %d'; or write '%d*ceil_div(%s,%d)' in its "
                  "place, so that '%s' owns the padding of its rows",
                  each, each, ix_text(s, end), each, v->base->name);
    return false;
}

bool tails_are_exact(struct session *s, const struct kernel *k, const struct copy *c) {
    if (are_exact(s, c)) return true;
    propose_guarded(s, c, copy_team(c, k->threads));
    return false;
}
