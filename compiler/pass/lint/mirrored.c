// Tiles that change places through a function: tile j of an input becomes tile T - 1 - j of an output of its shape.
// The last tile is incomplete, and becomes a complete one.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

// Whether "a" and "b" are tiles of one shape in tensors of one shape.
static bool is_alike(const struct view *a, const struct view *b) {
    return lay_valid(a->layout) && lay_valid(b->layout) && lay_valid(a->coord) &&
           lay_tuple_equal(a->layout.shape, b->layout.shape) &&
           lay_tuple_equal(a->base->layout.shape, b->base->layout.shape) && !a->limit && !b->limit;
}

// Whether another read of the tensor of "a" goes to "b", and is where "b" is along "mode".
static bool is_there_too(struct reads *r, const struct access *a, const struct access *b,
                         int mode) {
    struct session *s = r->s;
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        if (c->write || c->view->base != a->view->base || !lay_valid(c->view->coord)) continue;
        struct flow flow = flow_of(r, c);
        if (flow_goes_to(&flow, b) &&
            ix_equal(instances_step(s, &c->around, c->view->coord_off[mode]),
                     b->view->coord_off[mode]))
            return true;
    }
    return false;
}

static bool check(struct reads *r, const struct access *a, const struct access *b, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view, *w = b->view;
    const struct ix *at = instances_step(s, &a->around, v->coord_off[mode]),
                    *to = w->coord_off[mode];
    const struct ix *apart = at && to ? ix_sub(s, at, to) : NULL;
    int64_t tile = view_along(s, v, mode);
    if (!apart || tile < 2 || ix_divisor(at) % tile != 0 || ix_divisor(to) % tile != 0)
        return false;
    if (lay_int_divisible(reads_extent(s, v->base, mode), tile)) return false;
    struct index x;
    for (int i = 0; index_at(r, b, i, &x); ++i) {
        if (!x.v || !ix_depends_on(apart, x.v) || !ix_depends_on(at, x.v) ||
            !ix_depends_on(to, x.v))
            continue;
        if (is_there_too(r, a, b, mode)) return false;
        diag_warn(
            s, W_TURNED_TILES, w->at,
            "the tile at %s of '%s' becomes the one at %s of '%s' along %s, and the last tile "
            "is incomplete: its pads become elements, and elements of another tile are lost",
            ix_text(s, at), v->base->name, ix_text(s, to), w->base->name,
            view_mode_text(s, w->base, mode));
        diag_note(s, v->at, "'%s' is read here", v->base->name);
        return true;
    }
    return false;
}

void lint_mirrored(struct lint *l) {
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !l->k->device; ++i) {
        const struct access *a = &r->at[i];
        const struct formal *f = kernel_formal(l->k, a->view->base);
        if (!f || f->dir != ARG_IN || a->write || a->view->base->space != MEM_GLOBAL) continue;
        struct flow flow = flow_of(r, a);
        bool warned = false;
        for (int j = 0; j < r->n && flow.called && !warned; ++j) {
            const struct access *b = &r->at[j];
            if (!flow_is_output(r, b) || !flow_goes_to(&flow, b) || !is_alike(a->view, b->view))
                continue;
            for (int m = 0; m < lay_tuple_leaves(b->view->base->layout.shape) && !warned; ++m)
                warned = check(r, a, b, m);
        }
    }
    lay_clear_error(&l->s->lay);
}
