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

bool tails_are_exact(struct session *s, const struct copy *c, const struct copy_boxes *b) {
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
